"""The compiler from the relations of a plan (tables, filters, joins, …) to SELECT statements."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

from sqlglot import exp

from hedgerow.engines.compile.column_casts import StoredColumn, compile_read
from hedgerow.engines.compile.compiled_relation import (
    SECOND_UNIT_COLUMN,
    UNIT_COLUMN,
    CompiledRelation,
    alias_partner,
    keep_first,
    merge_names,
    select_numbered,
)
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.expressions import compile_expression
from hedgerow.engines.compile.join_elimination import joins_through_link
from hedgerow.engines.compile.joins import (
    build_equality,
    join_relations,
    join_second_population,
    join_truncated_relations,
    list_added_columns,
)
from hedgerow.engines.compile.per_unit_bounding import compile_unit_statistic
from hedgerow.engines.compile.sql_builders import (
    column,
    null_literal,
    select,
)
from hedgerow.engines.compile.stored_tables import (
    StoredTable,
    compile_unit_id,
    is_read_as_stored,
)
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.measures import SecondPopulation, Truncation
from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, Union, UnitAggregation
from hedgerow.plan.scalar.expressions import Expression, find_columns
from hedgerow.plan.values import Type

__all__ = ["RelationCompiler", "iter_expressions"]


@dataclass(frozen=True, slots=True)
class RelationCompiler:
    """A compiler of relations over stored tables.

    ``with_units`` selects the unit id, ``with_links`` looks it up through foreign keys, and
    ``with_second_units`` also selects the unit of the second population.
    """

    stored_tables: Mapping[str, StoredTable]
    dialect: Dialect
    with_units: bool
    with_links: bool = True
    with_second_units: bool = False

    def compile(self, node: RelationNode, needed: Sequence[str]) -> CompiledRelation:
        """Compile a node to a SELECT of the needed columns."""
        match node:
            case Table():
                return self._compile_table(node, needed)
            case Filter():
                inner = self.compile(node.source, merge_names(needed, find_columns(node.condition)))
                condition = compile_expression(
                    node.condition, node.columns, inner.columns, self.dialect
                )
                return self._select_from(
                    inner, {name: inner.columns[name] for name in needed}, [condition]
                )
            case Project():
                return self._compile_project(node, needed)
            case Join(second_population=SecondPopulation() as second):
                return self._compile_population_join(node, second, needed)
            case Join(truncations=tuple() as truncations):
                return self._compile_truncated_join(node, truncations, needed)
            case Join():
                return self._compile_join(node, needed)
            case UnitAggregation():
                return self._compile_unit_aggregation(node, needed)
            case Union():
                return self._compile_union(node, needed)

    def find_id_type(self, node: RelationNode) -> Type:
        """Return the type of the unit ids of a node; refuse ids of different types."""
        types = self._collect_id_types(node)
        if len(types) > 1:
            raise Unsupported(
                "The unit ids of these tables have different types, so rows of the same unit"
                " cannot be matched. Declare the same type for the id columns in the policy (write"
                ' type = "integer" for both if one of them is text, as in a .csv file), or store'
                " them with the same type."
            )
        return types.pop()[0]

    def _collect_id_types(self, node: RelationNode) -> set[tuple[Type, str]]:
        """Collect the types of the unit ids, each with the engine's own type where that matters.

        It does where the engine would round or overflow when it compares the id with one of another
        type, and several people could then share one id.
        """
        found = set()
        for table in _list_owner_tables(node):
            unit, declared = self._find_unit(_find_owner_table(table)), table.schema.id_column
            found.add(
                (
                    unit.type if declared is None else declared.type,
                    unit.exact_type if is_read_as_stored(unit, declared) else "",
                )
            )
        return found

    def _select_from(
        self,
        inner: CompiledRelation,
        outputs: Mapping[str, exp.Expr],
        where: Sequence[exp.Expr] = (),
    ) -> CompiledRelation:
        ids = [
            *([UNIT_COLUMN] if self.with_units else []),
            *([SECOND_UNIT_COLUMN] if self.with_second_units else []),
        ]
        return select_numbered([(name, column(name)) for name in ids], outputs, inner.query, where)

    def _compile_table(self, node: Table, needed: Sequence[str]) -> CompiledRelation:
        if node.schema.partition is not None:
            return self._compile_first_parts(node, needed)
        if node.schema.link is not None and self.with_links:
            return self._compile_linked_table(node, needed)
        outputs, relation = self._compile_columns(node, needed)
        if node.unit in (None, "row") or not self.with_links:
            return select_numbered([], outputs, relation)
        unit, has_unit = compile_unit_id(self._find_unit(node), node.schema.id_column, self.dialect)
        return select_numbered([(UNIT_COLUMN, unit)], outputs, relation, has_unit)

    def _compile_columns(
        self, node: Table, needed: Sequence[str]
    ) -> tuple[dict[str, exp.Expr], exp.Table]:
        table, outputs = self._find_table(node), {}
        for name in needed:
            declared, stored = node.schema.column(name), table.columns.get(name)
            if declared is None or stored is None:
                raise SourceError(
                    f"The data of {node.schema.table} have no column {name}. Add it to the data, or"
                    " remove it from the policy."
                )
            outputs[name] = compile_read(declared, stored, self.dialect)
        return outputs, exp.Table(this=exp.to_identifier(table.relation, quoted=True))

    def _compile_linked_table(self, node: Table, needed: Sequence[str]) -> CompiledRelation:
        """Compile a table with a foreign key: a row for each distinct unit that owns a parent."""
        link = node.schema.link
        assert link is not None
        own, key = node.schema.column(link.column), link.parent.column(link.key)
        assert own is not None
        assert key is not None
        outputs, relation = self._compile_columns(node, merge_names(needed, [own.name]))
        here = select_numbered([], outputs, relation)
        parents = self._compile_table(Table(replace(link.parent, partition=None)), [key.name])
        owner = (UNIT_COLUMN, column(UNIT_COLUMN))
        owners = select([owner, ("k", parents.columns[key.name].copy())], parents.query)
        condition = build_equality(
            column(here.columns[own.name].name, "s"),
            own.range,
            column("k", "p"),
            key.range,
            f"{node.schema.table}.{own.name}",
        )
        kept: dict[str, exp.Expr] = {name: column(here.columns[name].name, "s") for name in needed}
        joined = select_numbered([(UNIT_COLUMN, column(UNIT_COLUMN, "p"))], kept, here.query)
        joined.query.join(
            alias_partner(owners.distinct(copy=False)), on=condition, join_type="inner", copy=False
        )
        return joined

    def _compile_first_parts(self, node: Table, needed: Sequence[str]) -> CompiledRelation:
        partition = node.schema.partition
        assert partition is not None
        by = node.schema.column(partition.column)
        assert by is not None
        inner = self._compile_table(
            Table(replace(node.schema, partition=None)), merge_names(needed, [by.name])
        )
        part = exp.Ordered(this=inner.columns[by.name].copy(), nulls_first=False)
        place = exp.Window(
            this=exp.DenseRank(),
            partition_by=[column(UNIT_COLUMN)],
            order=exp.Order(expressions=[part]),
        )
        kept = {name: inner.columns[name] for name in needed}
        names = [UNIT_COLUMN, *(ref.name for ref in kept.values())]
        return CompiledRelation(keep_first(inner.query, place, partition.max_parts, names), kept)

    def _find_unit(self, node: Table) -> StoredColumn:
        unit = self._find_table(node).unit
        if unit is None:
            raise SourceError(
                f"The data of {node.schema.table} have no id column {node.unit}. Add it to the"
                " data, or correct the unit in the policy."
            )
        return unit

    def _find_table(self, node: Table) -> StoredTable:
        table = self.stored_tables.get(node.schema.table)
        if table is None:
            raise SourceError(
                f"The data have no table {node.schema.table}. Add its source, or remove it from the"
                " policy."
            )
        return table

    def _compile_project(self, node: Project, needed: Sequence[str]) -> CompiledRelation:
        outputs = {name: expression for name, expression in node.outputs if name in needed}
        used = (name for expression in outputs.values() for name in find_columns(expression))
        inner = self.compile(node.source, merge_names([], used))
        known, made = node.source.columns, node.columns
        values = {
            name: (
                null_literal(made[name].type)
                if made[name].values == ()
                else compile_expression(expression, known, inner.columns, self.dialect)
            )
            for name, expression in outputs.items()
        }
        return self._select_from(inner, values)

    def _compile_unit_aggregation(
        self, node: UnitAggregation, needed: Sequence[str]
    ) -> CompiledRelation:
        """Compile an aggregation per unit, grouped by all keys, since they decide its number of
        rows.
        """
        outputs = {name: statistic for name, statistic in node.outputs if name in needed}
        used = (statistic.column for statistic in outputs.values() if statistic.column is not None)
        inner = self.compile(node.source, merge_names(node.keys, used))
        known = node.source.columns
        values = {
            name: (
                compile_unit_statistic(outputs[name], inner.columns, known, self.dialect)
                if name in outputs
                else inner.columns[name]
            )
            for name in needed
        }
        grouped = self._select_from(inner, values)
        keys = [
            *([column(UNIT_COLUMN)] if self.with_units else []),
            *(inner.columns[key].copy() for key in node.keys),
        ]
        return replace(grouped, query=grouped.query.group_by(*keys, copy=False))

    def _compile_join(self, node: Join, needed: Sequence[str]) -> CompiledRelation:
        added = {name for name, _ in node.added_columns}
        own = self.compile(
            node.source,
            merge_names([name for name in needed if name not in added], (a for a, _ in node.on)),
        )
        # The join key already leads to the owner: no need to look the owner up again.
        through_link = node.other.unit is not None and joins_through_link(node)
        on_unit = node.other.unit is not None and not through_link
        other = RelationCompiler(
            self.stored_tables, self.dialect, on_unit, with_links=not through_link
        ).compile(
            node.other, merge_names((b for _, b in node.on), list_added_columns(node, needed))
        )
        return join_relations(
            node, needed, own, other, self.dialect, with_units=self.with_units, on_unit=on_unit
        )

    def _compile_population_join(
        self, node: Join, second: SecondPopulation, needed: Sequence[str]
    ) -> CompiledRelation:
        added, alone = dict(node.added_columns), replace(self, with_second_units=False)
        if alone._collect_id_types(node.other) != {
            (node.source.columns[second.id_column].type, "")
        }:
            raise Unsupported(
                f"{second.id_column} and the unit ids of the population it refers to have different"
                " types. Declare the same type for both in the policy."
            )
        reference = [second.id_column, *second.other_columns]
        own = alone.compile(
            node.source, merge_names([name for name in needed if name not in added], reference)
        )
        other = alone.compile(node.other, merge_names([], added.values()))
        return join_second_population(node, second, needed, own, other, self.dialect)

    def _compile_truncated_join(
        self, node: Join, truncations: tuple[Truncation, Truncation], needed: Sequence[str]
    ) -> CompiledRelation:
        """Compile a join across units, with all columns of both sides: they decide which rows come
        first.
        """
        sides = (node.source, node.other)
        for side in sides:
            if side.unit != "row":
                self.find_id_type(side)
        for pair in node.on:
            types = [
                {(side.columns[key].type, "")} if key else self._collect_id_types(side)
                for side, key in zip(sides, pair, strict=True)
            ]
            if "" in pair and types[0] != types[1]:
                raise Unsupported(
                    f"{' and '.join(filter(None, pair)) or 'These ids'} and the unit ids that they"
                    " are joined with have different types. Declare the same type for both in the"
                    " policy."
                )
        alone = replace(self, with_units=node.source.unit != "row")
        own, other = (alone.compile(side, list(side.columns)) for side in sides)
        return join_truncated_relations(node, truncations, needed, own, other, self.dialect)

    def _compile_union(self, node: Union, needed: Sequence[str]) -> CompiledRelation:
        first, *others = [self.compile(source, needed) for source in node.sources]
        together: exp.Expr = first.query
        for other in others:
            together = exp.Union(this=together, expression=other.query, distinct=False)
        table = exp.Subquery(
            this=together, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True))
        )
        unit = [(UNIT_COLUMN, column(UNIT_COLUMN))] if self.with_units else []
        columns = [(ref.name, ref) for ref in first.columns.values()]
        return CompiledRelation(select([*unit, *columns], table), first.columns)


def _find_owner_table(table: Table) -> Table:
    schema = table.schema
    while schema.link is not None:
        schema = schema.link.parent
    return Table(schema)


def _list_owner_tables(rows: RelationNode) -> list[Table]:
    if isinstance(rows, Table):
        return [rows]
    if isinstance(rows, Union):
        return [table for source in rows.sources for table in _list_owner_tables(source)]
    compared = (
        _list_owner_tables(rows.other)
        if isinstance(rows, Join) and rows.other.unit is not None and rows.second_population is None
        else []
    )
    return _list_owner_tables(rows.source) + compared


def iter_expressions(rows: RelationNode) -> Iterator[Expression]:
    """Iterate over all expressions of a node and of the nodes below it."""
    if isinstance(rows, Union):
        for source in rows.sources:
            yield from iter_expressions(source)
    elif not isinstance(rows, Table):
        yield from iter_expressions(rows.source)
        if isinstance(rows, Join):
            yield from iter_expressions(rows.other)
        elif isinstance(rows, Filter):
            yield rows.condition
        elif isinstance(rows, Project):
            yield from (expression for _, expression in rows.outputs)
