"""CAST over public tables and answers."""

from __future__ import annotations

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.schema import Column, Schema
from hedgerow.sql.catalog import Catalog, TableEntry
from hedgerow.sql.public_tables.phrases import write_fragment
from hedgerow.sql.public_tables.statement import read_public_query

CATALOG = Catalog({"t": TableEntry(Schema("t", (Column("n", "integer"),), None))})


def write(expression: str) -> str:
    found = read_public_query(f"SELECT {expression} FROM t", CATALOG)
    assert found is not None
    return write_fragment(found.fragment, found.names)


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("CAST(n AS DECIMAL(15, 4))", "AS DECIMAL ( 15 , 4 )"),
        ("CAST(n AS NUMERIC(7))", "AS DECIMAL ( 7 )"),
        ("TRY_CAST(n AS DECIMAL)", "AS DECIMAL"),
        ("n::SMALLINT", "AS INTEGER"),
        ("CAST(n AS VARCHAR)", "AS TEXT"),
    ],
)
def test_types_are_written_in_our_words(written: str, expected: str) -> None:
    assert expected in write(written)


@pytest.mark.parametrize("written", ["CAST(n AS DECIMAL(n, 2))", "CAST(n AS HUGEINT)"])
def test_other_types_are_refused(written: str) -> None:
    with pytest.raises(Unsupported):
        write(written)
