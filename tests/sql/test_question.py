"""Consistency of bound questions."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import Measure
from sql.helpers_fixtures import ask


def test_a_question_has_its_tables_options_and_limits() -> None:
    question = ask("SELECT region, COUNT(*) AS n FROM Visits GROUP BY region ORDER BY n DESC")
    assert question.tables == ("visits",)
    assert question.private
    assert not question.explain
    assert [call.text for call in question.aggregates] == ["COUNT(*)"]
    assert [key.text for key in question.keys] == ["region"]
    ((expression, descending, nulls_last),) = question.order
    assert (expression, descending, nulls_last) == (question.outputs[1].expression, True, True)


def test_an_aggregate_without_a_measure_in_the_plan_is_refused() -> None:
    question = ask("SELECT COUNT(*) FROM visits")
    with pytest.raises(InvalidArgument, match="must use measures of the plan"):
        replace(question, aggregates=(replace(question.aggregates[0], measure=Measure("units")),))


def test_keys_that_the_plan_does_not_have_are_refused() -> None:
    question = ask("SELECT region, COUNT(*) FROM visits GROUP BY region")
    with pytest.raises(InvalidArgument, match="must match the keys of the plan"):
        replace(question, keys=())


def test_keys_of_a_plan_have_an_order_of_their_own() -> None:
    """Outputs name keys by their position in GROUP BY, and the plan can have that order."""
    one, other = (
        ask(f"SELECT {keys}, COUNT(*) FROM visits GROUP BY {keys}")
        for keys in ("region, age", "age, region")
    )
    assert one.plan == other.plan
    assert [key.text for key in one.keys] == [key.text for key in other.keys] == ["age", "region"]
    assert [key.name for key in one.keys] == ["k1", "k0"]
    assert [str(order.expression) for order in one.order] == [
        "ColumnRef(column='k0')",
        "ColumnRef(column='k1')",
    ]
    assert other.order == ()
    assert other.restore_key_order() == other
    asked = one.restore_key_order()
    assert [key.text for key in asked.keys] == ["region", "age"]
    assert asked.plan.bound.keys == ("k1", "k0")
    assert [len(values) for values in asked.plan.source.domain or ()] == [4, 111]
    occurring = ask(
        "SELECT region, city, COUNT(*) FROM visits GROUP BY region, city"
    ).restore_key_order()
    assert occurring.plan.source.domain is None
    assert [key.text for key in occurring.keys] == ["region", "city"]
