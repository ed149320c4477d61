"""Options that contradict each other."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from sql.helpers_fixtures import ask


@pytest.mark.parametrize(
    ("call", "problem"),
    [
        ("STDDEV(DISTINCT age)", "DISTINCT is only allowed in COUNT, SUM and AVG"),
        ("AVG(age, method => 'smooth')", "AVG takes no method and no bound"),
        ("MIN(age, bracket => 0.1)", "MIN takes no bracket"),
        (
            "SUM(DISTINCT age, clipped => TRUE)",
            "clipped => TRUE measures rows, and DISTINCT counts values",
        ),
        (
            "SUM(age, contribution_bounds_per_group => (0, 9), outer_bounds_per_group => (0, 90))",
            "outer_bounds_per_group needs contribution_bounds_per_group and clipped => TRUE",
        ),
        (
            "AVG(age, contribution_bounds_per_group => (0, 9))",
            "contribution_bounds_per_group is only for SUM and COUNT",
        ),
        (
            "SUM(age, contribution_bounds_per_group => (9, 0))",
            "contribution_bounds_per_group must have its lower bound first",
        ),
        ("SUM(age, contribution_bounds_per_group => (0, 0))", "This sum is always 0"),
    ],
)
def test_options_that_do_not_fit_are_refused(call: str, problem: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT {call} FROM visits")
    assert str(caught.value).splitlines()[0] == problem


def test_options_that_fit_are_read() -> None:
    options = "contribution_bounds_per_group => (0, 9), clipped => TRUE"
    for call in (f"SUM(age, {options})", "MEDIAN(age, bracket => 0.1)", "MIN(DISTINCT age)"):
        assert ask(f"SELECT {call} FROM visits").aggregates
