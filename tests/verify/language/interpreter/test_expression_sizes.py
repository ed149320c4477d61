"""Sizes of expressions: refusals that depend on public arguments alone."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.errors import Refused
from hedgerow.verify.language.interpreter.work_bounds import check_resources
from verify.language.reading import read

PARAMETERS = (
    "q: private[list], k: private[int], x: private[float], t: public[bool], l: public[list], n:"
    " public[int], eps: public[float]"
)


def tried(body: str, n: int = 10, length: int = 3) -> None:
    given = {"t": True, "l": (1, Fraction(1, 3)), "n": n, "eps": Fraction(1, 3)}
    check_resources(read(body, PARAMETERS), given, {"q": length})


@pytest.mark.parametrize(
    ("body", "told"),
    [
        ("return x * (ln(6) - ln(2) - ln(3)) < 0", "two irrational constants"),
        ("y = ln(2)\nif x > 0:\n    y = ln(3)\nreturn y", "two irrational constants"),
        ("y = ln(2) if x > 0 else 1\nz = exp(1)\nreturn y * z", "two irrational constants"),
        ("return ln(sqrt(2))", "another irrational constant"),
        ("return exp(20000)", "fails at these arguments on any data: exp is applied"),
        ("return ln(2 if t else 3)", "a number that a condition selects"),
    ],
)
def test_constants_that_cannot_be_compared_are_refused(body: str, told: str) -> None:
    with pytest.raises(Refused, match=told):
        tried(body)


@pytest.mark.parametrize(
    ("body", "told"),
    [
        (
            "y = geometric(ln(2))\nreturn y",
            "must be a rational number that public arguments determine",
        ),
        ("y = geometric(10000000000000)\nreturn y", "scale must lie between"),
        ("y = uniform_bits(n - 10)\nreturn bit(y, 0)", "the width of a bit string is below 1"),
    ],
)
def test_noise_that_is_not_there_is_refused_reached_or_not(body: str, told: str) -> None:
    with pytest.raises(Refused, match=told):
        tried("if x > 5:\n" + "".join(f"    {line}\n" for line in body.splitlines()) + "return 1")
