from __future__ import annotations

import pytest

from hedgerow.engines.duckdb.column_types import map_engine_types

TYPES = {
    "BOOLEAN": "boolean",
    "TINYINT": "integer",
    "BIGINT": "integer",
    "HUGEINT": "integer",
    "UBIGINT": "integer",
    "UHUGEINT": "integer",
    "UINTEGER": "integer",
    "DECIMAL(18,0)": "integer",
    "DECIMAL(18,3)": "real",
    "FLOAT": "real",
    "DOUBLE": "real",
    "VARCHAR": "text",
    "UUID": "text",
    "ENUM('a', 'b')": "text",
    "DATE": "date",
    "TIMESTAMP": "date",
    "TIMESTAMP_NS": "date",
    "TIMESTAMP WITH TIME ZONE": "date",
    "TIMESTAMPTZ_NS": "date",
    "BLOB": None,
    "INTEGER[]": None,
    "STRUCT(a INTEGER)": None,
    "ENUM('a')[]": None,
    "TIME": None,
    "INTERVAL": None,
}


@pytest.mark.parametrize("engine_type", TYPES)
def test_types_of_the_engine_in_our_words(engine_type: str) -> None:
    (found,) = map_engine_types([("c", engine_type)])
    assert (found.name, found.type) == ("c", TYPES[engine_type])
    assert found.is_wide == (
        engine_type in ("HUGEINT", "UHUGEINT", "UBIGINT", "DECIMAL(18,0)", "DECIMAL(18,3)")
    )
    assert found.has_time == engine_type.startswith("TIMESTAMP")
