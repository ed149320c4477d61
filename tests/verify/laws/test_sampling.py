"""Laws about draws: what is counted, and what happens where a law does not apply."""

from __future__ import annotations

import os
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Exponential, Laplace, RandomizedResponse
from hedgerow.verify.laws import sampling as draws
from hedgerow.verify.laws.case import LawBroken, LawCase, make_case

ONE = Fraction(1)


def case_of(mechanism: Any) -> LawCase:
    return make_case(mechanism, 1, 10_000, None)


def test_multiples_of_powers_of_two() -> None:
    numbers = [
        0.0,
        1.0,
        -3.0,
        0.1,
        6.0,
        2.0**-60,
        2.0**-61,
        1e300,
        5e-324,
        2.0**60,
        -(2.0**70),
        0.75,
    ]
    found = dict(zip(draws.EXPONENTS, draws.count_multiples(numbers).tolist(), strict=True))
    for k in range(-60, 61):
        assert found[k] == sum((Fraction(x) / Fraction(2) ** k).denominator == 1 for x in numbers)


def test_the_attack_finds_numpys_laplace() -> None:
    # 27 % of the outputs of x = 0 are no multiple of 2^-53, and none of those of x = 1 (Haney et
    # al.)
    n, generator = 100_000, np.random.default_rng()
    zero, one = (n - draws.count_multiples(x + generator.laplace(size=n)) for x in (0.0, 1.0))
    place = draws.EXPONENTS.index(-53)
    assert zero[place] / n == pytest.approx(0.27, abs=0.02)
    assert one[place] / n < 0.01


def test_laws_that_do_not_apply_say_so() -> None:
    assert draws.cells_are_independent(case_of(Exponential(ONE))).figures == "one output only"
    assert (
        draws.low_bits_reveal_nothing(case_of(RandomizedResponse(Fraction(1, 2)))).figures
        == "the outputs are not numbers"
    )
    assert (
        draws.forks_differ(case_of(Laplace(Fraction(1, 20)))).figures
        == "too little noise to tell two draws apart"
    )


def test_systems_without_fork(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delattr(os, "fork")
    assert draws.forks_differ(case_of(Laplace(ONE))).figures == "this system cannot fork"


def test_a_child_that_dies_is_noticed(capfd: pytest.CaptureFixture[str]) -> None:
    parent = os.getpid()

    class Mortal(Laplace):
        def sample(self, exact: Any) -> Any:
            if os.getpid() != parent:
                raise RuntimeError
            return super().sample(exact)

    with pytest.raises(
        LawBroken, match="forks differ: expected draws in a forked process; found none"
    ):
        draws.forks_differ(case_of(Mortal(ONE)))


def test_draws_are_raised_until_the_test_has_power() -> None:
    few = draws.sample_follows_log_prob(make_case(Laplace(ONE), 1, 10_000, None)).figures
    assert int(few.split()[0]) >= 160_000
    assert "100.00% of runs" in few
    hopeless = draws.sample_follows_log_prob(case_of(Laplace(Fraction(1, 14)))).figures
    assert int(hopeless.split()[0]) <= 5_000_000
    assert "100.00% of runs" not in hopeless
