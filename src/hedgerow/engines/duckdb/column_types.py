"""The column types of DuckDB, mapped to the types of a plan."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Final

from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.plan.values import Type

__all__ = ["map_engine_types"]

_ENGINE_TYPES: Final[Mapping[str, Type]] = {
    "BOOLEAN": "boolean",
    **dict.fromkeys(("TINYINT", "SMALLINT", "INTEGER", "BIGINT", "HUGEINT"), "integer"),
    **dict.fromkeys(("UTINYINT", "USMALLINT", "UINTEGER", "UBIGINT", "UHUGEINT"), "integer"),
    **dict.fromkeys(("FLOAT", "DOUBLE"), "real"),
    **dict.fromkeys(("VARCHAR", "UUID"), "text"),
    **dict.fromkeys(("DATE", "TIMESTAMP", "TIMESTAMP_S", "TIMESTAMP_MS", "TIMESTAMP_NS"), "date"),
    **dict.fromkeys(("TIMESTAMP WITH TIME ZONE", "TIMESTAMPTZ_NS"), "date"),
}
_WIDE_TYPES: Final = re.compile("UBIGINT|HUGEINT|UHUGEINT|DECIMAL")
_INCOMPARABLE_TYPES: Final = re.compile(r"UHUGEINT|DECIMAL\([0-9]+,\s*[1-9].*")


def map_engine_types(columns: Sequence[tuple[str, str]]) -> tuple[PhysicalColumn, ...]:
    """Map DuckDB's column types to the types of a plan, None where a type cannot be read."""
    return tuple(
        PhysicalColumn(
            name,
            _map_engine_type(engine_type),
            bool(_WIDE_TYPES.match(engine_type)),
            engine_type.startswith("TIMESTAMP"),
            engine_type if _INCOMPARABLE_TYPES.fullmatch(engine_type) else "",
        )
        for name, engine_type in columns
    )


def _map_engine_type(engine_type: str) -> Type | None:
    if engine_type.startswith("ENUM(") and engine_type.endswith(")"):
        return "text"
    decimal = re.fullmatch(r"DECIMAL\([0-9]+,\s*([0-9]+)\)", engine_type)
    if decimal:
        return "integer" if decimal[1] == "0" else "real"
    return _ENGINE_TYPES.get(engine_type)
