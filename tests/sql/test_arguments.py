"""What an aggregate works on."""

from __future__ import annotations

import pytest
from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.explain import text
from hedgerow.sql.arguments import argument, unit_of
from hedgerow.sql.asked import Asked
from hedgerow.sql.readers import RowReader
from hedgerow.sql.source import read_table
from hedgerow.sql.text import tokenise
from sql.fixtures import CATALOG

READER = RowReader(read_table(tokenise("SELECT SUM(age) FROM visits"), exp.table_("visits"), CATALOG), "an aggregate")
NODE = exp.Sum(this=exp.column("age"))


def asked(*arguments: str, conditions: tuple[str, ...] = ()) -> Asked:
    return Asked(NODE, "SUM", "SUM", tuple(map(exp.column, arguments)), conditions=tuple(map(exp.column, conditions)))


def test_an_argument_is_null_where_the_conditions_do_not_hold() -> None:
    assert text(argument(READER, asked("age")).expression) == "age"
    assert text(argument(READER, asked("age", conditions=("smoker",))).expression) == "CASE WHEN smoker THEN age ELSE NULL END"
    both = argument(READER, asked("age", conditions=("smoker", "smoker")))
    assert text(both.expression) == "CASE WHEN smoker AND smoker THEN age ELSE NULL END"


def test_without_an_argument_it_is_one() -> None:
    assert text(argument(READER, asked()).expression) == "1"
    assert text(argument(READER, asked(conditions=("smoker",))).expression) == "CASE WHEN smoker THEN 1 ELSE NULL END"


def test_a_condition_is_one() -> None:
    with pytest.raises(Unsupported, match="FILTER wants a condition, and this is integer"):
        argument(READER, asked("age", conditions=("age",)))


def test_the_id_is_known() -> None:
    found = unit_of(READER, asked("Patient_ID"))
    assert found is not None
    assert found.name == "patient_id"
    assert unit_of(READER, asked("age")) is None
    assert unit_of(READER, asked()) is None
    assert unit_of(READER, asked("patient_id", "age")) is None
