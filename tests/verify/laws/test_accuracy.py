"""The law about errors, on mechanisms that have room to be wrong."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Exponential, Gaussian, Laplace, RandomizedResponse
from hedgerow.verify.laws.accuracy import _binomial_probabilities, error_covers
from hedgerow.verify.laws.case import LawBroken, make_case

ONE = Fraction(1)


def check(mechanism: Any) -> str:
    return error_covers(make_case(mechanism, 1, 10_000, None)).figures


@pytest.mark.parametrize(
    "mechanism",
    [
        Laplace(10**9),
        Laplace(ONE, Fraction(1, 2**30)),
        Gaussian(10**9),
        Gaussian(1500),
        Exponential(Fraction(1, 1000)),
        RandomizedResponse(0.01, 500),
    ],
    ids=str,
)
def test_good_errors_at_extreme_scales(mechanism: Any) -> None:
    assert check(mechanism).startswith("error(0.05")


@pytest.mark.parametrize("share", [0.997, 1.003])
def test_a_radius_a_little_off_is_seen_at_large_scales(share: float) -> None:
    class Off(Laplace):
        def error(self, beta: Any) -> Any:
            return int(super().error(beta) * share)

    with pytest.raises(LawBroken, match="error covers"):
        check(Off(10**6))


def test_binomial_laws() -> None:
    assert _binomial_probabilities(3, 0.5) == pytest.approx(np.array([1, 3, 3, 1]) / 8)
    assert _binomial_probabilities(0, 0.3).tolist() == [1]
