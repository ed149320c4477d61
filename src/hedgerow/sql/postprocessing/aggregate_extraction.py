"""The extraction of aggregates from a SELECT that is more than one question: outputs with window
functions or subqueries over aggregates, and GROUP BY with several grouping sets."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations, product
from typing import Final

from sqlglot import exp

from hedgerow.sql.postprocessing.syntax_trees import (
    build_column,
    copy_value,
    map_children,
    replace_args,
)
from hedgerow.sql.rules.aggregates import find_aggregate_name

__all__ = ["ExtractedAggregates", "extract_aggregates"]

_ROW_CLAUSES: Final = ("from_", "joins", "where")
_ANSWER_CLAUSES: Final = ("qualify", "order", "limit", "offset", "distinct")
_AGGREGATES: Final = (exp.AggFunc, exp.Filter, exp.WithinGroup)
_WINDOW_FUNCTIONS: Final = (
    *(exp.RowNumber, exp.Rank, exp.DenseRank, exp.PercentRank, exp.CumeDist),
    *(exp.Ntile, exp.Lag, exp.Lead, exp.FirstValue, exp.LastValue, exp.NthValue),
)
_MAX_GROUPING_SETS: Final = 16

GroupingSet = tuple[exp.Expr, ...]


@dataclass(frozen=True, slots=True)
class ExtractedAggregates:
    """The keys and aggregates of a SELECT by name, its grouping sets, and the ``outer`` SELECT over
    them, which has no FROM yet. The ``count`` decides which keys are shown; with
    ``has_keys_alone``, it is the only aggregate."""

    select: exp.Select
    keys: Mapping[str, exp.Expr]
    aggregates: Mapping[str, exp.Expr]
    groupings: Mapping[str, exp.Expr]
    grouping_sets: tuple[GroupingSet, ...]
    outer: exp.Select
    count: exp.Expr
    has_keys_alone: bool = False

    def build_piece(self, grouping_set: GroupingSet) -> exp.Select:
        """Build the SELECT of the aggregates for the groups of one grouping set."""
        keys = {name: key for name, key in self.keys.items() if key in grouping_set}
        outputs = [
            exp.alias_(value.copy(), name, quoted=True)
            for name, value in (*keys.items(), *self.aggregates.items())
        ]
        clauses = {
            name: copy_value(self.select.args[name])
            for name in _ROW_CLAUSES
            if self.select.args.get(name)
        }
        if keys:
            clauses["group"] = exp.Group(expressions=[key.copy() for key in keys.values()])
        return exp.Select(expressions=outputs, **clauses)

    @property
    def finest(self) -> GroupingSet | None:
        """The grouping set that has all keys, if there are others to add up from its answer: every
        aggregate of a coarser group must be the sum of those of its finer groups."""
        wanted = set(self.keys.values())
        finest = next((keys for keys in self.grouping_sets if wanted <= set(keys)), None)
        is_additive = not self.has_keys_alone and all(map(_is_additive, self.aggregates.values()))
        return finest if is_additive and len(self.grouping_sets) > 1 else None

    def list_dropped_keys(self) -> set[str]:
        """List the keys that some grouping set leaves out."""
        return {
            name
            for name, key in self.keys.items()
            if any(key not in keys for keys in self.grouping_sets)
        }

    def build_sum(self, grouping_set: GroupingSet, source: exp.Expr) -> exp.Select:
        """Build the answer of a grouping set from the answer of the finest one."""
        keys = [build_column(name) for name, key in self.keys.items() if key in grouping_set]
        sums = [
            exp.alias_(exp.Sum(this=build_column(name)), name, quoted=True)
            for name in self.aggregates
        ]
        clauses = {"group": exp.Group(expressions=copy_value(keys))} if keys else {}
        return exp.Select(expressions=[*keys, *sums], from_=exp.From(this=source), **clauses)

    def build_branch(self, grouping_set: GroupingSet, source: exp.Expr) -> exp.Select:
        """Build the SELECT over the answer of one grouping set, with NULL for all other keys."""
        values: dict[str, exp.Expr] = {
            name: build_column(name) if key in grouping_set else exp.Null()
            for name, key in self.keys.items()
        }
        if not self.has_keys_alone:
            values |= {name: build_column(name) for name in self.aggregates}
        for name, key in self.groupings.items():
            values[name] = exp.Literal.number(int(key not in grouping_set))
        items = [exp.alias_(value, name, quoted=True) for name, value in values.items()]
        return exp.Select(expressions=items, from_=exp.From(this=source))


def extract_aggregates(
    select: exp.Select, columns: Collection[str], count: exp.Expr
) -> ExtractedAggregates | None:
    """Extract the keys and aggregates of a SELECT; None if it has neither, or ungrouped columns.

    ``columns`` are the names of the columns of its rows, in lower case. Keys without an aggregate
    get a ``count``.
    """
    grouping_sets = _list_grouping_sets(_resolve_aliases(select, columns))
    if grouping_sets is None:
        return None
    if _has_distinct_values(select):  # SELECT DISTINCT a, b means GROUP BY a, b
        grouping_sets = (tuple(item.unalias() for item in select.expressions),)
    keys = list(dict.fromkeys(key for keys in grouping_sets for key in keys))
    reader = _OutputReader(select, keys)
    items = [reader.read_item(*item) for item in enumerate(select.expressions, 1)]
    clauses = {
        name: reader.read_part(select.args[name])
        for name in _ANSWER_CLAUSES
        if select.args.get(name) is not None
    }
    if select.args.get("having") is not None:
        clauses["where"] = exp.Where(this=reader.read_part(select.args["having"].this))
    if not (reader.aggregates or reader.keys) or reader.has_ungrouped_column:
        return None
    return ExtractedAggregates(
        select,
        reader.keys,
        reader.aggregates or {"aggregate 0": count},
        reader.groupings,
        grouping_sets,
        exp.Select(expressions=items, **clauses),
        count,
        not reader.aggregates,
    )


def _is_additive(aggregate: exp.Expr) -> bool:
    """Return whether an aggregate of some rows is the sum of those of their parts."""
    function = aggregate.this if isinstance(aggregate, exp.Filter) else aggregate
    return (
        type(function) in (exp.Count, exp.Sum)
        and function.find(exp.Distinct, exp.Anonymous) is None
        and not function.expressions
    )


def _has_distinct_values(select: exp.Select) -> bool:
    """Return whether a SELECT DISTINCT lists values of rows, without GROUP BY and aggregates."""
    return (
        select.args.get("distinct") is not None
        and select.args.get("group") is None
        and not any(item.find(exp.Star, exp.AggFunc, exp.Query) for item in select.expressions)
    )


def _resolve_aliases(select: exp.Select, columns: Collection[str]) -> exp.Select:
    """Return a SELECT with the aliases in GROUP BY replaced by their outputs. In SQL, the name of
    a column of the rows comes first there."""
    outputs = {
        item.alias.casefold(): item.unalias()
        for item in select.expressions
        if isinstance(item, exp.Alias) and item.alias.casefold() not in columns
    }

    def resolve(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Column) and not node.table:
            return outputs.get(node.name.casefold(), node)
        return map_children(node, resolve)

    group = select.args.get("group")
    return select if group is None else replace_args(select, group=resolve(group))


def _list_grouping_sets(select: exp.Select) -> tuple[GroupingSet, ...] | None:
    """List the grouping sets of GROUP BY, a plain list of keys being one of them."""
    group = select.args.get("group")
    if group is None:
        return ((),)
    if any(group.args.get(name) for name in ("all", "totals")):
        return None
    parts = [*group.expressions]
    for name in ("rollup", "cube", "grouping_sets"):  # where some dialects put them
        parts += group.args.get(name) or []
    expanded = [_expand_grouping(part, select) for part in parts]
    if any(sets is None for sets in expanded):
        return None
    combined = [sum(sets, ()) for sets in product(*(sets or () for sets in expanded))]
    unique = tuple(dict.fromkeys(tuple(dict.fromkeys(keys)) for keys in combined))
    return unique if len(unique) <= _MAX_GROUPING_SETS else None


def _expand_grouping(part: exp.Expr, select: exp.Select) -> list[GroupingSet] | None:
    """Return the grouping sets of one element of GROUP BY; None for a position out of range."""
    if isinstance(part, exp.Rollup):
        parts = list(_list_elements(part, select))
        return [sum(parts[:size], ()) for size in range(len(parts), -1, -1)]
    if isinstance(part, exp.Cube):
        parts = list(_list_elements(part, select))
        sizes = range(len(parts), -1, -1)
        return [sum(chosen, ()) for size in sizes for chosen in combinations(parts, size)]
    if isinstance(part, exp.GroupingSets):
        return list(_list_elements(part, select))
    key = _resolve_key(part, select)
    return None if key is None else [(key,)]


def _list_elements(part: exp.Expr, select: exp.Select) -> Iterator[GroupingSet]:
    for element in part.expressions:
        inner = element.expressions if isinstance(element, exp.Tuple) else [element.unnest()]
        keys = [_resolve_key(key, select) for key in inner]
        yield tuple(key for key in keys if key is not None)


def _resolve_key(written: exp.Expr, select: exp.Select) -> exp.Expr | None:
    """Return a key of GROUP BY, with the position of an output resolved."""
    if isinstance(written, exp.Literal) and written.is_int:
        place = int(written.this)
        return (
            select.expressions[place - 1].unalias()
            if 1 <= place <= len(select.expressions)
            else None
        )
    return written


class _OutputReader:
    """A reader of outputs that replaces keys and aggregates by columns of the pieces."""

    def __init__(self, select: exp.Select, keys: Sequence[exp.Expr]) -> None:
        self._outputs = {
            item.alias.casefold(): item.this
            for item in select.expressions
            if isinstance(item, exp.Alias)
        }
        self.keys = {_name_key(select, key, place): key for place, key in enumerate(keys)}
        self.aggregates: dict[str, exp.Expr] = {}
        self.groupings: dict[str, exp.Expr] = {}  # GROUPING(key)
        self.has_ungrouped_column = False

    def read_item(self, place: int, item: exp.Expr) -> exp.Expr:
        """Return an output over the pieces, with the name that a question would give it."""
        if isinstance(item, exp.Alias):
            return exp.Alias(this=self.read_part(item.this), alias=item.args["alias"].copy())
        aggregate = find_aggregate_name(item.unnest())
        name = item.output_name or (aggregate or f"column{place}").lower()
        return exp.Alias(this=self.read_part(item), alias=exp.to_identifier(name, quoted=True))

    def read_part(self, node: exp.Expr) -> exp.Expr:
        """Return an expression with its keys and aggregates replaced."""
        for name, key in self.keys.items():
            if node == key:
                return build_column(name)
        if isinstance(node, exp.Window):
            return self._read_window(node)
        if isinstance(node, exp.Grouping | exp.GroupingId) and node.expressions:
            return self._read_grouping(node)
        if _is_named_call(node) or (
            isinstance(node, _AGGREGATES) and not isinstance(node, _WINDOW_FUNCTIONS)
        ):
            return _name_expression(self.aggregates, "aggregate", node)
        if isinstance(node, exp.Query):
            return node.copy()  # a subquery has keys and aggregates of its own
        if isinstance(node, exp.Column) and (
            node.table or node.name.casefold() not in self._outputs
        ):
            self.has_ungrouped_column = True
        return self._read_children(node)

    def _read_grouping(self, node: exp.Expr) -> exp.Expr:
        """Read GROUPING(a, b), whose bits tell which of the keys a level leaves out."""
        found: exp.Expr | None = None
        for written in node.expressions:
            key = self._outputs.get(written.name.casefold(), written)
            key = written if written in self.keys.values() else key
            if key not in self.keys.values():
                self.has_ungrouped_column = True
            bit = _name_expression(self.groupings, "grouping", key)
            found = bit if found is None else exp.Paren(this=_add_bit(found, bit))
        assert found is not None
        return found

    def _read_window(self, node: exp.Window) -> exp.Expr:
        """Read SUM(COUNT(*)) OVER (…): SUM stays above the piece, COUNT(*) belongs to it."""
        parts = {
            name: self._read_value(value) for name, value in node.args.items() if name != "this"
        }
        return exp.Window(this=self._read_children(node.this), **parts)

    def _read_children(self, node: exp.Expr) -> exp.Expr:
        return type(node)(**{name: self._read_value(value) for name, value in node.args.items()})

    def _read_value(self, value: object) -> object:
        if isinstance(value, list):
            return [self._read_value(part) for part in value]
        return self.read_part(value) if isinstance(value, exp.Expr) else value


def _is_named_call(node: exp.Expr) -> bool:
    """Return whether a node is an aggregate with named arguments, which belong to its piece."""
    return type(node) is exp.Anonymous and find_aggregate_name(node) is not None


def _add_bit(bits: exp.Expr, bit: exp.Expr) -> exp.Expr:
    return exp.Add(this=exp.Mul(this=bits, expression=exp.Literal.number(2)), expression=bit)


def _name_expression(known: dict[str, exp.Expr], word: str, node: exp.Expr) -> exp.Column:
    """Return the column of an expression; equal expressions have one column."""
    name = next((name for name, value in known.items() if value == node), f"{word} {len(known)}")
    known[name] = node
    return build_column(name)


def _name_key(select: exp.Select, key: exp.Expr, place: int) -> str:
    """Return the name of a key: its own, unless the statement gives that name to another output."""
    if isinstance(key, exp.Column):
        same_name = (
            item
            for item in select.expressions
            if isinstance(item, exp.Alias) and item.alias.casefold() == key.name.casefold()
        )
        if all(item.this == key for item in same_name):
            return str(key.name)
    return f"key {place}"
