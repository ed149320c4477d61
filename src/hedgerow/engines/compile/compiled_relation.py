"""Compiled relations: SELECT statements with numbered columns, joined or bounded per unit.

Names of tables and columns never appear in a statement as an analyst wrote them; only stored
columns do, quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    NamedExpressions,
    binary,
    column,
    integer_literal,
    select,
)

__all__ = [
    "PLACE_COLUMN",
    "SECOND_UNIT_COLUMN",
    "UNIT_COLUMN",
    "CompiledRelation",
    "alias_partner",
    "build_place_limit",
    "build_same_unit",
    "build_unit_partition",
    "keep_first",
    "merge_names",
    "select_numbered",
]

UNIT_COLUMN: Final = "u"
SECOND_UNIT_COLUMN: Final = "w"  # the unit of the second population of a join
PLACE_COLUMN: Final = "place"  # the position of a row in a window
_MAX_PLACE: Final = 2**62  # no row comes later; larger limits would not fit into 64 bits


@dataclass(frozen=True, slots=True)
class CompiledRelation:
    """A SELECT with the unit id, if it has one, and the needed columns under numbered names."""

    query: exp.Select
    columns: Mapping[str, exp.Expr]


def select_numbered(
    ids: NamedExpressions,
    outputs: Mapping[str, exp.Expr],
    source: exp.Expr,
    where: Sequence[exp.Expr] = (),
) -> CompiledRelation:
    """Select ids under their names and outputs under the names c0, c1, … from a source."""
    numbered = [(f"c{i}", value.copy()) for i, value in enumerate(outputs.values())]
    return CompiledRelation(
        select([*ids, *numbered], source, where),
        {name: column(f"c{i}") for i, name in enumerate(outputs)},
    )


def build_same_unit() -> exp.Expr:
    """Build the join condition that both rows belong to the same unit."""
    return binary(column(UNIT_COLUMN, "s"), exp.EQ, column(UNIT_COLUMN, "p"))


def alias_partner(rows: exp.Select) -> exp.Subquery:
    """Wrap the right side of a join in a subquery named "p"."""
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("p", quoted=True)))


def merge_names(first: Iterable[str], more: Iterable[str]) -> list[str]:
    """Merge two lists of names in order, without duplicates."""
    return list(dict.fromkeys([*first, *more]))


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
