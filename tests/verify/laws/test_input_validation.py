"""The door, of every mechanism we ship."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import SparseVector, StabilityHistogram, Stable
from hedgerow.numeric.samplers.uniform_sampler import uniform_integers
from hedgerow.verify.laws.case import LawBroken, make_case
from hedgerow.verify.laws.input_validation import bad_input_is_refused
from verify.laws.good import GOOD

ONE = Fraction(1)


@pytest.mark.parametrize(("mechanism", "sensitivity"), GOOD, ids=[str(m)[:60] for m, _ in GOOD])
def test_good_doors(mechanism: Any, sensitivity: Any) -> None:
    figures = bad_input_is_refused(make_case(mechanism, sensitivity, 10_000, None)).figures
    assert int(figures.split()[0]) >= 8


class Lenient(Stable):
    """Takes what is no distance for 1."""

    def sample(self, answer: Any, distance: Any) -> Any:
        try:
            return super().sample(answer, distance)
        except InvalidArgument:
            return None


class Telling(StabilityHistogram):
    """Quotes the counts it refuses."""

    def sample(self, counts: Any) -> Any:
        try:
            return super().sample(counts)
        except InvalidArgument:
            raise InvalidArgument("counts", "must be whole numbers", counts) from None


class Hasty(SparseVector):
    """Draws before it looks."""

    def sample(self, answers: Any, threshold: Any, **options: Any) -> Any:
        uniform_integers(2, 1)
        return super().sample(answers, threshold, **options)


class Rude(SparseVector):
    """Fails in its own way."""

    def sample(self, answers: Any, threshold: Any, **options: Any) -> Any:
        return super().sample([int(answer) for answer in answers], threshold, **options)


@pytest.mark.parametrize(
    ("mechanism", "found"),
    [
        (Lenient(ONE, 5), "an answer"),
        (Telling(ONE, 5, "add-remove"), "quotes"),
        (Hasty(ONE, ONE), "random bits were drawn"),
        (Rude(ONE, ONE), "Error"),
    ],
    ids=lambda x: type(x).__name__,
)
def test_bad_doors(mechanism: Any, found: str) -> None:
    with pytest.raises(LawBroken, match=found) as broken:
        bad_input_is_refused(make_case(mechanism, 1, 10_000, None))
    assert broken.value.law == "bad input is refused"
