"""The reference: n values spread evenly over the middle half of the range."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.advisor.request import RecommendationRequest
from hedgerow.errors import InvalidArgument
from hedgerow.sensitivity.sample import SortedSample


def question(bounds: SortedSample | None) -> RecommendationRequest:
    return RecommendationRequest(
        "median", Fraction(1), None, 200, "add-remove", bounds, Fraction(1, 2)
    )


def test_ranks_and_ties_of_the_reference() -> None:
    real = question(SortedSample.from_values([], lower=0.0, upper=1000.0))
    assert real.width == 1000
    assert real.rank_width == 2.5
    assert real.rows_per_point < 1e-3
    whole = question(SortedSample.from_values([], lower=1, upper=20))
    assert (whole.width, whole.rows_per_point) == (19, 20)


def test_bounds_are_needed_where_they_are_used() -> None:
    with pytest.raises(InvalidArgument, match="lower and upper must be given for the median"):
        _ = question(None).width
