"""Excused noise: uniform noise that leaves its interval, with its probability."""

from __future__ import annotations

import pytest

from hedgerow.verify.prove.checker import check
from verify.prove.proving import certificate, program

SHIFT = "-(x@2 - x@1)"


def uniform(delta: str, ends: str = "-5, 5", more: str = "") -> str:
    return f"""
@mechanism(epsilon=0, delta="{delta}", neighbours="one")
def noisy(x: private[float], w: public[float]):
    return x + uniform({ends}){more}
"""


@pytest.mark.parametrize(
    ("text", "proved"),
    [
        (uniform("1/10"), True),
        (uniform("1/11"), False),
        (uniform("1/(2*w)", "-w, w"), True),
        (uniform("1/(2*w)", "0, w"), False),
        (uniform("2/10", more=", x + uniform(-5, 5)"), True),
        (uniform("1/10", more=", x + uniform(-5, 5)"), False),
        (uniform("1/10", "-5 - abs(x), 5"), False),
    ],
)
def test_the_share_of_the_interval_that_is_left_is_charged(text: str, proved: bool) -> None:
    about = program(text)
    sites = len(about.samples)
    proof = certificate(about, (SHIFT,) * sites, bad=("True",) * sites)
    assert (check(about, proof) is None) is proved


def test_a_shift_that_depends_on_the_noise_is_refused() -> None:
    about = program(uniform("1/10"))
    proof = certificate(about, (f"{SHIFT} if @noise > 0 else {SHIFT}",), bad=("True",))
    failure = check(about, proof)
    assert failure is not None
    assert failure.obligation in ("piecewise", "one-to-one")


def test_without_the_excuse_the_noise_must_stay_inside() -> None:
    about = program(uniform("1/10"))
    failure = check(about, certificate(about, (SHIFT,)))
    assert failure is not None
    assert failure.obligation == "support"
