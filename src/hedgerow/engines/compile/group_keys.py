"""Which rows are in a group of the domain; and keys that are text as codes, which are grouped and
sorted faster than text.

A code is the place of a value among those that it may have, in the order of text: whoever sorts by
codes sorts by text. The rank of a group is made of the text itself, so that statements with codes
and those without keep the same groups of each unit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

from hedgerow.engines.compile.column_lineage import MAX_ENCODED_WORDS, find_source_column
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.relations import CompiledRelation
from hedgerow.engines.compile.sql_builders import cast_to_type, column, is_one_of, select
from hedgerow.plan.nodes import Aggregate, RelationNode
from hedgerow.plan.values import Value

__all__ = ["KeyedRelation", "build_domain_filter", "encode_keys"]


@dataclass(frozen=True, slots=True)
class KeyedRelation:
    """Rows with their keys, what must hold for them to be in a group, and which of the keys are
    codes.
    """

    relation: CompiledRelation
    conditions: Sequence[exp.Expr]
    encoded_keys: frozenset[str]

    def name_keys(self, plan: Aggregate) -> list[tuple[str, exp.Expr]]:
        """The keys by the names that statements give them."""
        return [
            (f"k{i}", self.relation.columns[key].copy()) for i, key in enumerate(plan.bound.keys)
        ]

    def decode_key(self, key: exp.Expr) -> exp.Expr:
        """A key by one of those names, as the value that it stands for."""
        return cast_to_type(key.copy(), "text") if key.name in self.encoded_keys else key.copy()


def encode_keys(plan: Aggregate, found: CompiledRelation, dialect: Dialect) -> KeyedRelation:
    """Rows whose keys of few declared texts are codes."""
    words = {
        name: values
        for name, values in _list_key_values(plan)
        if plan.bound.columns[name].type == "text" and len(values) <= MAX_ENCODED_WORDS
    }
    if not words:
        return KeyedRelation(found, build_domain_filter(plan, found), frozenset())
    # What is in no group goes first: an engine may take long to find that there is no code for it.
    coded = {
        found.columns[name].name: dialect.encode_text(
            found.columns[name].copy(), sorted(map(str, values))
        )
        for name, values in words.items()
    }
    outputs = [
        (output.alias, coded.get(output.alias, column(output.alias)))
        for output in found.query.expressions
    ]
    rows = CompiledRelation(
        select(outputs, found.query, build_domain_filter(plan, found)), found.columns
    )
    return KeyedRelation(
        rows, [], frozenset(f"k{i}" for i, key in enumerate(plan.bound.keys) if key in words)
    )


def build_domain_filter(plan: Aggregate, found: CompiledRelation) -> list[exp.Expr]:
    """Which rows are in a group of the domain."""
    return [
        _build_key_condition(plan, found, name, values) for name, values in _list_key_values(plan)
    ]


def _list_key_values(plan: Aggregate) -> list[tuple[str, tuple[Value, ...]]]:
    return (
        []
        if plan.source.domain is None
        else list(zip(plan.bound.keys, plan.source.domain, strict=True))
    )


def _build_key_condition(
    plan: Aggregate, found: CompiledRelation, name: str, values: Sequence[Value]
) -> exp.Expr:
    # Reading has made NULL of all that is not in the list: to look through a long one again takes
    # six times as long.
    key = found.columns[name]
    return (
        _build_not_null(key)
        if _is_listed_column(plan.bound.source, name, values)
        else is_one_of(key.copy(), values, plan.bound.columns[name].type)
    )


def _build_not_null(value: exp.Expr) -> exp.Expr:
    return exp.Not(this=exp.Is(this=value.copy(), expression=exp.Null()))


def _is_listed_column(rows: RelationNode, name: str, values: Collection[Value]) -> bool:
    """Whether a key is a column as it was read, with a list of its own, all of which are among
    these values.
    """
    read = find_source_column(rows, name)
    return (
        read is not None
        and read.values is not None
        and read.type != "real"
        and set(read.values) <= set(values)
    )
