"""Window functions that number the rows of each unit, and the filters on those positions."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import UNIT_COLUMN
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import binary, column, integer_literal, select

__all__ = ["PLACE_COLUMN", "build_place_limit", "build_unit_partition", "keep_first"]

PLACE_COLUMN: Final = "place"
_MAX_PLACE: Final = 2**62  # no row comes later; larger limits would not fit into 64 bits


def build_unit_partition(dialect: Dialect, *, text_ids: bool) -> list[exp.Expr]:
    """Build the PARTITION BY list of a window over the rows of one unit."""
    # DuckDB partitions text faster by its hash first.
    rank = [dialect.build_rank([column(UNIT_COLUMN)])] if text_ids else []
    return [*rank, column(UNIT_COLUMN)]


def build_place_limit(limit: int, of: str | None = None) -> exp.Expr:
    """Build the condition that a row's position is at most ``limit``."""
    return binary(column(PLACE_COLUMN, of), exp.LTE, integer_literal(min(limit, _MAX_PLACE)))


def keep_first(
    rows: exp.Select, place: exp.Expr, limit: int, names: Sequence[str] | None = None
) -> exp.Select:
    """Select the rows whose position, by the window ``place``, is at most ``limit``.

    ``names`` are the columns to keep; without them, all.
    """
    kept = [output.alias for output in rows.expressions] if names is None else names
    numbered = select([*((name, column(name)) for name in kept), (PLACE_COLUMN, place)], rows)
    return select([(name, column(name)) for name in kept], numbered, [build_place_limit(limit)])
