"""Draws in small worlds."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.mechanisms import Quantiles, SmoothSensitivity, SparseVector, Stable
from hedgerow.verify.laws import sampling as draws
from hedgerow.verify.laws import sampling_in_data_sets as trials
from hedgerow.verify.laws.case import LawBroken, LawCase, make_case
from verify.laws import planted_worlds

ONE = Fraction(1)
SEVERAL = Quantiles((Fraction(1, 4), Fraction(1, 2)), "add-remove", ONE)


def case_of(mechanism: Any) -> LawCase:
    return make_case(mechanism, 1, 10_000, None)


def test_laws_without_probabilities_say_so() -> None:
    case = case_of(SEVERAL)
    assert trials.calls_are_independent(case).figures == "no probabilities are stated"
    assert (
        trials.check_use_fit(case).figures
        == "no probabilities are stated; the loss was compared with draws"
    )
    assert 0.5 <= trials.compute_equality_probability(case) < 0.99
    assert draws.low_bits_reveal_nothing(case).figures == "the outputs are not numbers"


def test_the_equality_probability_of_the_most_random_use() -> None:
    assert trials.compute_equality_probability(case_of(Stable(ONE, 5))) == pytest.approx(
        0.5, abs=0.15
    )
    one, other = trials.draw_encoded_twice(case_of(Stable(ONE, 5)), 20)
    assert set(one.tolist()) <= {0, 1, 2}
    assert other.tolist() == [*one.tolist(), -1]


def test_numbers_of_a_smooth_mechanism() -> None:
    low, high = trials.draw_smooth_sides(
        case_of(SmoothSensitivity.calibrate(epsilon=1, bound=12, dimension=4))
    )
    assert low.size == high.size == 2000
    assert np.median(high) > np.median(low)


class Half(SparseVector):
    """Draws with half the noise on the answers."""

    def sample(self, answers: Any, threshold: Any, **options: Any) -> Any:
        return SparseVector(self.threshold_scale, self.answer_scale / 2, self.cutoff).sample(
            answers, threshold, **options
        )


class Quarter(Stable):
    """Draws with a scale a quarter too large."""

    def sample(self, answer: Any, distance: Any) -> Any:
        return Stable(self.scale * Fraction(5, 4), self.threshold).sample(answer, distance)


@pytest.mark.parametrize(
    "mechanism",
    [Half(Fraction(4), Fraction(8), 2), Quarter(Fraction(3), 4)],
    ids=lambda m: type(m).__name__,
)
def test_draws_of_another_distribution_are_detected(mechanism: Any) -> None:
    with pytest.raises(LawBroken, match="sample follows log_prob"):
        trials.check_use_fit(make_case(mechanism, 1, 1_000_000, None))


def test_one_draw_for_all_numbers_is_seen() -> None:
    with pytest.raises(LawBroken, match="cells 0 and 1 of one call to be equal"):
        trials.calls_are_independent(
            case_of(planted_worlds.OneNoiseForAll(ONE, None, 12, dimension=3))
        )  # type: ignore[arg-type]
