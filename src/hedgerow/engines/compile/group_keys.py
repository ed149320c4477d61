"""Group keys: the filter to the groups of the domain, text keys as codes, and the bound on groups.

A code is the position of a text in its sorted list, so codes sort like the text and are grouped
faster. The rank of a group is computed from the text itself: statements with and without codes keep
the same groups of each unit.
"""

from __future__ import annotations

from collections.abc import Collection, Sequence
from dataclasses import dataclass

from sqlglot import exp

from hedgerow.engines.compile.column_lineage import MAX_ENCODED_WORDS, find_source_column
from hedgerow.engines.compile.compiled_relation import (
    UNIT_COLUMN,
    CompiledRelation,
    build_unit_partition,
    keep_first,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    NamedExpressions,
    cast_to_type,
    column,
    is_one_of,
    order_by,
    select,
)
from hedgerow.plan.nodes import Aggregate, RelationNode
from hedgerow.plan.values import Value

__all__ = ["KeyedRelation", "build_domain_filter", "encode_keys", "needs_group_bound"]


@dataclass(frozen=True, slots=True)
class KeyedRelation:
    """The rows of a plan with their group keys, some of them as codes.

    Rows that fail one of the ``conditions`` are in no group of the domain.
    """

    plan: Aggregate
    relation: CompiledRelation
    conditions: Sequence[exp.Expr]
    encoded_keys: frozenset[str]
    dialect: Dialect

    def name_keys(self) -> NamedExpressions:
        """Return the key columns under their names in statements: k0, k1, …"""
        return [
            (f"k{i}", self.relation.columns[key].copy())
            for i, key in enumerate(self.plan.bound.keys)
        ]

    def decode_key(self, key: exp.Expr) -> exp.Expr:
        """Return the value of a key column k0, k1, …"""
        return cast_to_type(key.copy(), "text") if key.name in self.encoded_keys else key.copy()

    def keep_first_groups(self, pairs: exp.Select, *, text_ids: bool) -> exp.Select:
        """Keep the first groups of each unit by (rank, group), as many as the plan allows.

        ``pairs`` has a row for each unit and group. The group itself breaks ties of the rank, so a
        unit never keeps one group too many.
        """
        keys = self._list_key_columns()
        rank = self.dialect.build_rank([column(UNIT_COLUMN), *map(self.decode_key, keys)])
        # Ordering by two terms also keeps DuckDB from a rewrite that is twice as slow.
        place = exp.Window(
            this=exp.RowNumber(),
            partition_by=build_unit_partition(self.dialect, text_ids=text_ids),
            order=order_by([rank, *keys]),
        )
        return keep_first(pairs, place, self.plan.bound.max_groups)

    def aggregate_by_key(self, numbers: NamedExpressions, pairs: exp.Select) -> exp.Select:
        """Aggregate rows with the columns k0, k1, … to one row for each group."""
        keys = self._list_key_columns()
        totals = select([*((key.name, self.decode_key(key)) for key in keys), *numbers], pairs)
        return totals.group_by(*keys, copy=False) if keys else totals

    def _list_key_columns(self) -> list[exp.Column]:
        return [column(f"k{i}") for i in range(len(self.plan.bound.keys))]


def needs_group_bound(plan: Aggregate) -> bool:
    """Return whether a unit can be in more groups than the plan lets it contribute to."""
    cells = plan.source.cells
    return bool(plan.bound.keys) and (cells is None or cells > plan.bound.max_groups)


def encode_keys(plan: Aggregate, found: CompiledRelation, dialect: Dialect) -> KeyedRelation:
    """Replace the keys that have a short list of texts by codes."""
    words = {
        name: values
        for name, values in _list_key_values(plan)
        if plan.bound.columns[name].type == "text" and len(values) <= MAX_ENCODED_WORDS
    }
    conditions = build_domain_filter(plan, found)
    if not words:
        return KeyedRelation(plan, found, conditions, frozenset(), dialect)
    # Rows outside the domain are dropped first: looking up a code that does not exist is slow.
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
    rows = CompiledRelation(select(outputs, found.query, conditions), found.columns)
    encoded = frozenset(f"k{i}" for i, key in enumerate(plan.bound.keys) if key in words)
    return KeyedRelation(plan, rows, [], encoded, dialect)


def build_domain_filter(plan: Aggregate, found: CompiledRelation) -> list[exp.Expr]:
    """Build the conditions on rows to be in a group of the domain, one for each key."""
    return [
        _build_key_condition(plan, found.columns[name], name, values)
        for name, values in _list_key_values(plan)
    ]


def _list_key_values(plan: Aggregate) -> list[tuple[str, tuple[Value, ...]]]:
    domain = plan.source.domain
    return [] if domain is None else list(zip(plan.bound.keys, domain, strict=True))


def _build_key_condition(
    plan: Aggregate, key: exp.Expr, name: str, values: Sequence[Value]
) -> exp.Expr:
    # Reading the column already made every unlisted value NULL; searching a long list once more
    # takes six times as long.
    if _is_listed_column(plan.bound.source, name, values):
        return exp.Not(this=exp.Is(this=key.copy(), expression=exp.Null()))
    return is_one_of(key.copy(), values, plan.bound.columns[name].type)


def _is_listed_column(rows: RelationNode, name: str, values: Collection[Value]) -> bool:
    """Return whether a key is an unchanged column whose declared values are all among these."""
    read = find_source_column(rows, name)
    return (
        read is not None
        and read.values is not None
        and read.type != "real"
        and set(read.values) <= set(values)
    )
