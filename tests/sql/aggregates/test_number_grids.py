"""Grids of the numbers that are added up."""

from __future__ import annotations

import pytest

from hedgerow.errors import Refused
from hedgerow.plan.measures import Measure
from sql.helpers_fixtures import ask


def test_a_sum_has_the_grid_of_its_column() -> None:
    (measure,) = ask("SELECT SUM(Cost) FROM visits").plan.measures
    assert isinstance(measure, Measure)
    assert measure.grid is not None
    assert (measure.grid.step.denominator, measure.grid.low, measure.grid.high) == (100, 0, 10**6)


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("SUM(month)", "SUM needs numbers, but this is date"),
        ("AVG(city)", "AVG needs numbers, but this is text"),
        ("SUM(NULL)", "The argument is always NULL"),
        ("SUM(weight)", "SUM(weight) needs bounds"),
        ("AVG(month - day)", "AVG needs bounds, and day has none"),
        ("SUM(Cost * 1e-300)", "The bounds are too wide for an exact sum"),
        ("AVG(3)", "AVG of a constant is always the same"),
    ],
)
def test_arguments_that_cannot_be_added_up_are_refused(call: str, problem: str) -> None:
    with pytest.raises(Refused) as caught:
        ask(f"SELECT {call} FROM visits")
    assert str(caught.value).splitlines()[0] == problem
