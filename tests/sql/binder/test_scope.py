"""Names of columns."""

from __future__ import annotations

from dataclasses import replace

import pytest
from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.parser import parse_question
from hedgerow.sql.relations.table_scan import scan_table
from hedgerow.sql.syntax.source_text import tokenise
from sql.helpers_fixtures import CATALOG, VISITS

SCOPE = scan_table(
    tokenise("SELECT COUNT(*) FROM visits v"), exp.table_("visits", alias="v"), CATALOG
)


def refusal(sql: str, entry: TableEntry) -> str:
    with pytest.raises(Unsupported) as caught:
        parse_question(sql, Catalog({"visits": entry}))
    return str(caught.value)


def test_a_column_is_found_by_its_name_and_its_table() -> None:
    assert SCOPE.resolve_column(exp.column("AGE", table="V")).name == "age"
    assert SCOPE.find_column(exp.column("nothing")) is None
    with pytest.raises(Unsupported, match="is not a table of this question"):
        SCOPE.resolve_column(exp.column("age", table="visits"))


def test_hidden_and_unknown_columns_are_refused_in_the_same_words() -> None:
    entry = TableEntry(VISITS, frozenset({"note"}))
    hidden, unknown = (
        refusal(f"SELECT COUNT({name}) FROM visits", entry) for name in ("note", "nope")
    )
    assert hidden.replace("note", "nope") == unknown


def test_the_id_is_suggested_as_the_policy_spells_it() -> None:
    schema = replace(
        VISITS,
        columns=(replace(VISITS.columns[0], name="Patient ID"), *VISITS.columns[1:]),
        unit="Patient ID",
    )
    assert refusal("SELECT COUNT(DISTINCT patient_id) FROM visits", TableEntry(schema)).endswith(
        'Did you mean "Patient ID"?'
    )


def test_hidden_columns_are_never_suggested() -> None:
    entry = TableEntry(VISITS, frozenset({"note"}))
    assert "note" not in refusal("SELECT COUNT(notes) FROM visits", entry).replace("notes", "")
    assert "Did you mean note?" in refusal("SELECT COUNT(notes) FROM visits", TableEntry(VISITS))


def test_a_near_name_is_suggested_and_otherwise_all_are_listed() -> None:
    entry = TableEntry(VISITS)
    assert "Did you mean region?" in refusal("SELECT COUNT(regions) FROM visits", entry)
    assert "The columns are age, Cost" in refusal("SELECT COUNT(qqqq) FROM visits", entry)
    everything = frozenset(column.name for column in VISITS.columns)
    assert "Use COUNT(*): all its columns are hidden." in refusal(
        "SELECT COUNT(age) FROM visits", replace(entry, hidden=everything)
    )


def test_the_unit_column_that_is_not_declared_has_its_own_words() -> None:
    columns = tuple(column for column in VISITS.columns if column.name != "patient_id")
    entry = TableEntry(Schema("visits", columns, "patient_id"))
    assert "is the privacy id" in refusal("SELECT SUM(patient_id) FROM visits", entry)
