"""A question holds together."""

from __future__ import annotations

from dataclasses import replace

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.plan.measures import Measure
from sql.fixtures import ask


def test_what_a_question_carries() -> None:
    question = ask("SELECT region, COUNT(*) AS n FROM Visits GROUP BY region ORDER BY n DESC")
    assert question.tables == ("visits",)
    assert question.private
    assert not question.explain
    assert [call.text for call in question.aggregates] == ["COUNT(*)"]
    assert [key.text for key in question.keys] == ["region"]
    ((expression, descending, nulls_last),) = question.order
    assert (expression, descending, nulls_last) == (question.outputs[1].expression, True, True)


def test_an_aggregate_that_nobody_measures_is_refused() -> None:
    question = ask("SELECT COUNT(*) FROM visits")
    with pytest.raises(InvalidArgument, match="measured by the plan"):
        replace(question, aggregates=(replace(question.aggregates[0], measure=Measure("units")),))


def test_keys_that_the_plan_does_not_have_are_refused() -> None:
    question = ask("SELECT region, COUNT(*) FROM visits GROUP BY region")
    with pytest.raises(InvalidArgument, match="those of the plan"):
        replace(question, keys=())
