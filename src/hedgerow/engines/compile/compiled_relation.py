"""Compiled relations: SELECT statements with numbered columns, and the pieces to join them.

Names of tables and columns never appear in a statement as an analyst wrote them; only stored
columns do, quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.sql_builders import NamedExpressions, binary, column, select

__all__ = [
    "SECOND_UNIT_COLUMN",
    "UNIT_COLUMN",
    "CompiledRelation",
    "alias_partner",
    "build_same_unit",
    "merge_names",
    "select_numbered",
]

UNIT_COLUMN: Final = "u"
SECOND_UNIT_COLUMN: Final = "w"  # the unit of the second population of a join


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
