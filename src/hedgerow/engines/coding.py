"""Which rows are in a group of the domain; and keys that are text as codes, which are grouped and sorted faster than text.

A code is the place of a value among those that it may have, in the order of text: whoever sorts by codes sorts by text. The rank of a
group is made of the text itself, so that statements with codes and those without keep the same groups of each unit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.origin import FEW_WORDS, origin
from hedgerow.engines.rows import Selected
from hedgerow.engines.terms import as_type, column, one_of, select
from hedgerow.plan.nodes import Aggregate, Rows
from hedgerow.plan.values import Value

__all__ = ["Keyed", "asked", "keyed"]


@dataclass(frozen=True, slots=True)
class Keyed:
    """Rows with their keys, what must hold for them to be in a group, and which of the keys are codes."""

    rows: Selected
    where: Sequence[exp.Expr]
    codes: frozenset[str]

    def keys(self, plan: Aggregate) -> list[tuple[str, exp.Expr]]:
        """The keys by the names that statements give them."""
        return [(f"k{i}", self.rows.names[key].copy()) for i, key in enumerate(plan.bound.keys)]

    def as_told(self, key: exp.Expr) -> exp.Expr:
        """A key by one of those names, as the value that it stands for."""
        return as_type(key.copy(), "text") if key.name in self.codes else key.copy()


def keyed(plan: Aggregate, found: Selected, dialect: Dialect) -> Keyed:
    """Rows whose keys of few declared texts are codes."""
    words = {name: values for name, values in _domain(plan) if plan.bound.columns[name].type == "text" and len(values) <= FEW_WORDS}
    if not words:
        return Keyed(found, asked(plan, found), frozenset())
    # What is in no group goes first: an engine may take long to find that there is no code for it.
    coded = {found.names[name].name: dialect.coded(found.names[name].copy(), sorted(map(str, values))) for name, values in words.items()}
    outputs = [(output.alias, coded.get(output.alias, column(output.alias))) for output in found.sql.expressions]
    rows = Selected(select(outputs, found.sql, asked(plan, found)), found.names)
    return Keyed(rows, [], frozenset(f"k{i}" for i, key in enumerate(plan.bound.keys) if key in words))


def asked(plan: Aggregate, found: Selected) -> list[exp.Expr]:
    """Which rows are in a group of the domain."""
    return [_in_group(plan, found, name, values) for name, values in _domain(plan)]


def _domain(plan: Aggregate) -> list[tuple[str, tuple[Value, ...]]]:
    return [] if plan.source.domain is None else list(zip(plan.bound.keys, plan.source.domain, strict=True))


def _in_group(plan: Aggregate, found: Selected, name: str, values: Sequence[Value]) -> exp.Expr:
    # Reading has made NULL of all that is not in the list: to look through a long one again takes six times as long.
    key = found.names[name]
    return _there(key) if _reads_only(plan.bound.source, name, values) else one_of(key.copy(), values, plan.bound.columns[name].type)


def _there(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))


def _reads_only(rows: Rows, name: str, values: Collection[Value]) -> bool:
    """Whether a key is a column as it was read, with a list of its own, all of which are among these values."""
    read = origin(rows, name)
    return read is not None and read.values is not None and read.type != "real" and set(read.values) <= set(values)
