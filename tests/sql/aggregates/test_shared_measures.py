"""Aggregates of one column share measures."""

from __future__ import annotations

from fractions import Fraction

import pytest

from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from sql.helpers_fixtures import ask


@pytest.mark.parametrize(
    ("items", "kinds"),
    [
        ("SUM(age), COUNT(age)", {("total", 1), ("values", 1)}),
        ("SUM(age), COUNT(age), AVG(age)", {("moments", 1)}),
        ("SUM(age), COUNT(age), AVG(age), VAR_POP(age)", {("moments", 2)}),
        ("STDDEV(age), VAR_POP(age), COUNT(*)", {("moments", 2), ("rows", 1)}),
        ("AVG(age), AVG(Cost)", {("moments", 1)}),
        ("AVG(age), COVAR_POP(age, Cost)", {("moments", 1)}),
        (
            "SUM(age), AVG(age), SUM(age, contribution_bounds_per_group => (0, 5))",
            {("moments", 1), ("total", 1)},
        ),
        ("AVG(age), COUNT(DISTINCT age)", {("moments", 1), ("distinct", 1)}),
    ],
)
def test_mean_and_variance_share_moments(items: str, kinds: set[tuple[str, int]]) -> None:
    measures = ask(f"SELECT {items} FROM visits").plan.measures
    assert {
        (measure.kind, measure.degree) for measure in measures if isinstance(measure, Measure)
    } == kinds


def test_means_of_two_columns_and_of_a_pair_use_separate_measures() -> None:
    assert (
        len(ask("SELECT AVG(age), AVG(Cost), SUM(age), SUM(Cost) FROM visits").plan.measures) == 2
    )
    assert (
        len(
            ask(
                "SELECT AVG(age), COVAR_POP(age, Cost), COVAR_SAMP(age, Cost), CORR(age, Cost) FROM"
                " visits"
            ).plan.measures
        )
        == 3
    )


def test_the_grid_is_that_of_the_higher_degree() -> None:
    question = ask("SELECT AVG(Cost), VAR_POP(Cost) FROM visits")
    (measure,) = question.plan.measures
    assert measure.grid is not None
    assert measure.grid.high - measure.grid.low <= 2**13
    assert [call.measure for call in question.aggregates] == [measure, measure]


def test_quantiles_are_chosen_together_and_each_knows_its_share() -> None:
    question = ask(
        "SELECT QUANTILE(age, 0.9), MEDIAN(age), QUANTILE(age, 0.9), MEDIAN(Cost), MIN(age) FROM"
        " visits"
    )
    shares = {
        measure.quantiles
        for measure in question.plan.measures
        if isinstance(measure, OrderStatistic)
    }
    assert shares == {(Fraction(1, 2), Fraction(9, 10)), (Fraction(1, 2),), ()}
    assert [call.probability for call in question.aggregates] == [
        Fraction(9, 10),
        Fraction(1, 2),
        Fraction(1, 2),
        None,
    ]


def test_other_methods_choose_one_by_one() -> None:
    question = ask(
        "SELECT QUANTILE(age, 0.9, method => 'smooth'), MEDIAN(age, method => 'smooth'),"
        " MEDIAN(age) FROM visits"
    )
    assert sorted(
        str(measure.quantiles)
        for measure in question.plan.measures
        if isinstance(measure, OrderStatistic)
    ) == sorted(map(str, [(Fraction(9, 10),), (Fraction(1, 2),), (Fraction(1, 2),)]))
