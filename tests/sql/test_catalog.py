"""Tables and their names."""

from __future__ import annotations

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.sql.catalog import Catalog, TableEntry, nearest
from sql.fixtures import CATALOG, ROWS, VISITS


def test_names_are_found_in_whatever_case_and_told_in_the_policys() -> None:
    found = CATALOG.table("VISITS")
    assert found is not None
    assert found[0] == "visits"
    column = found[1].column("COST")
    assert column is not None
    assert column.name == "Cost"
    assert CATALOG.table("nothing") is None


def test_hidden_columns_are_not_there() -> None:
    entry = TableEntry(VISITS, frozenset({"NOTE"}), 3, 5)
    assert entry.column("note") is None
    assert "note" not in [column.name for column in entry.columns]
    assert "city" in [column.name for column in entry.columns]


def test_the_unit_is_known_by_its_column() -> None:
    assert TableEntry(VISITS).is_unit("Patient_ID")
    assert not TableEntry(VISITS).is_unit("age")
    assert not TableEntry(ROWS).is_unit("row")


def test_caps_are_checked() -> None:
    with pytest.raises(InvalidArgument, match="max_groups"):
        TableEntry(VISITS, max_groups=0)
    with pytest.raises(InvalidArgument, match="every row is a unit of its own"):
        TableEntry(ROWS, max_groups=2)


def test_tables_that_differ_in_case_only_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="upper and lower case"):
        Catalog({"a": TableEntry(VISITS), "A": TableEntry(ROWS)})


def test_the_nearest_name_is_near() -> None:
    assert nearest("REGON", ["region", "age"]) == "region"
    assert nearest("zzz", ["region", "age"]) is None
