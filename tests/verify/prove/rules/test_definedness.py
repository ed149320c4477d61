"""Programs that fail on some data are refused. Each of these would reveal an exact number almost
free.
"""

from __future__ import annotations

import pytest

from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.rules.definedness import check_definedness
from hedgerow.verify.verifier import verify_program
from verify.prove.proving import program

HEAD = (
    "def one(x: private[float], j: private[int], q: private[list], k: public[float], n:"
    " public[int], eps: public[float]):"
)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "y = 0 * sqrt(k - x)\n    return y + laplace(1 / eps)",
            "sqrt needs public parameters, and k - x is not public; use public parameters only",
        ),
        ("y = 0 * ln(x)\n    return y + laplace(1 / eps)", "ln needs public parameters"),
        ("z = laplace(1 / eps)\n    return 0 * exp(z)", "exp needs public parameters"),
        (
            "return 0 * (1 / (x - k)) + laplace(1 / eps)",
            "x - k may be 0; divide by public parameters or by integers",
        ),
        ("return 0 * (1 % x) + laplace(1 / eps)", "x may be 0"),
    ],
)
def test_expressions_that_may_fail_are_refused(body: str, told: str) -> None:
    about = program(f'@mechanism(epsilon="eps", neighbours="one")\n{HEAD}\n    {body}')
    with pytest.raises(UnsupportedProgram, match=told):
        check_definedness(about)
    assert verify_program(about, seconds=5).verdict != "PROVED"


@pytest.mark.parametrize(
    "body",
    [
        "y = x / k",
        "y = x / j",
        "y = j % n",
        "y = ln(k) + sqrt(2) + exp(n)",
        "s = k / 2\n    y = ln(s)",
        "y = x * x",
    ],
)
def test_expressions_that_cannot_fail_are_accepted(body: str) -> None:
    check_definedness(
        program(
            f'@mechanism(epsilon="eps", neighbours="one")\n{HEAD}\n    {body}\n    return y +'
            " laplace(1 / eps)"
        )
    )
