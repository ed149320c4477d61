"""CAST and INTERVAL over public tables and answers."""

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
        ("DATE '2026-01-31' - INTERVAL '30' day", "- to_days ( 30 )"),
        ("DATE '2026-01-31' + INTERVAL 2 WEEKS", "+ to_weeks ( 2 )"),
        ("DATE '2026-01-31' + INTERVAL '3 months'", "+ to_months ( 3 )"),
        ("DATE '2026-01-31' + INTERVAL 1 YEAR", "+ to_years ( 1 )"),
    ],
)
def test_types_are_written_in_our_words(written: str, expected: str) -> None:
    assert expected in write(written)


@pytest.mark.parametrize(
    "written",
    [
        "CAST(n AS DECIMAL(n, 2))",
        "CAST(n AS HUGEINT)",
        "DATE '2026-01-31' + INTERVAL (n) DAY",
        "DATE '2026-01-31' + INTERVAL '1.5' DAY",
        "DATE '2026-01-31' + INTERVAL '1' DECADE",
        "DATE '2026-01-31' + INTERVAL 1000000 DAY",
        "INTERVAL '1 day 2 hours'",
    ],
)
def test_other_types_are_refused(written: str) -> None:
    with pytest.raises(Unsupported):
        write(written)
