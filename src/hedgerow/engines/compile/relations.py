"""The rows of a plan as a SELECT whose columns are numbered: the unit, and those that are needed.

Names of tables and columns never stand in the statement as somebody wrote them, except those of
stored columns, quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from hedgerow.engines.compile.column_casts import (
    StoredColumn,
    compile_read,
    compile_unit_id,
    is_read_as_stored,
)
from hedgerow.engines.compile.column_lineage import list_words
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.expressions import compile_expression
from hedgerow.engines.compile.join_elimination import joins_through_link
from hedgerow.engines.compile.per_unit_bounding import compile_unit_statistic
from hedgerow.engines.compile.sql_builders import (
    all_of,
    binary,
    call_function,
    cast_to_type,
    column,
    integer_literal,
    null_literal,
    order_by,
    select,
)
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.measures import SecondPopulation
from hedgerow.plan.nodes import Filter, Join, Project, RelationNode, Table, Union, UnitAggregation
from hedgerow.plan.scalar.expressions import Expression, find_columns
from hedgerow.plan.values import Range, Type

__all__ = [
    "MAX_PLACE",
    "SECOND_UNIT_COLUMN",
    "UNIT_COLUMN",
    "CompiledRelation",
    "RelationCompiler",
    "StoredTable",
    "alias_partner",
    "build_same_unit",
    "iter_expressions",
    "merge_names",
]

UNIT_COLUMN: Final = "u"
SECOND_UNIT_COLUMN: Final = "w"  # the unit of the other population, where two meet
MAX_PLACE: Final = 2**62  # no place comes after this one


@dataclass(frozen=True, slots=True)
class StoredTable:
    """Where a table lies in the engine: its relation there, its columns by their declared names,
    and the id of the unit.
    """

    relation: str
    columns: Mapping[str, StoredColumn]
    unit: StoredColumn | None


@dataclass(frozen=True, slots=True)
class CompiledRelation:
    """A SELECT whose columns are numbered: the unit (if there is one) and those that are needed."""

    query: exp.Select
    columns: Mapping[str, exp.Expr]


@dataclass(frozen=True, slots=True)
class RelationCompiler:
    """Compiles rows; ``units`` says whether their ids are told, ``linked`` whether those of other
    tables are looked up, ``others`` whether those are told whom the units met."""

    stored_tables: Mapping[str, StoredTable]
    dialect: Dialect
    with_units: bool
    with_links: bool = True
    with_second_units: bool = False

    def compile(self, node: RelationNode, needed: Sequence[str]) -> CompiledRelation:
        """The columns that are needed of the rows of a node."""
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
            case Join():
                return (
                    self._compile_join(node, needed)
                    if node.second_population is None
                    else self._compile_population_join(node, node.second_population, needed)
                )
            case UnitAggregation():
                return self._compile_unit_aggregation(node, needed)
            case Union():
                return self._compile_union(node, needed)

    def find_id_type(self, node: RelationNode) -> Type:
        """The type of the ids of the units."""
        kinds = self._collect_id_types(node)
        if len(kinds) > 1:
            raise Unsupported(
                "The ids of these tables differ in type, so they cannot be about the same units."
                " Declare them alike in the policy: where one is stored as a number and the other"
                ' is text, as in a .csv file, write type = "integer" for both; or store them alike.'
            )
        return kinds.pop()[0]

    def _collect_id_types(self, node: RelationNode) -> set[tuple[Type, str]]:
        """The types of the ids, and the engine's own where ids of another would be rounded beside
        them, so that several people agree with one, or would not fit."""
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
        return CompiledRelation(
            select(
                [*((name, column(name)) for name in ids), *_number_columns(outputs)],
                inner.query,
                where,
            ),
            _name_columns(outputs),
        )

    def _compile_table(self, node: Table, needed: Sequence[str]) -> CompiledRelation:
        if node.schema.partition is not None:
            return self._compile_first_parts(node, needed)
        if node.schema.link is not None and self.with_links:
            return self._compile_linked_table(node, needed)
        outputs, relation = self._compile_columns(node, needed)
        if node.unit in (None, "row") or not self.with_links:
            return CompiledRelation(
                select(_number_columns(outputs), relation), _name_columns(outputs)
            )
        unit, there = compile_unit_id(self._find_unit(node), node.schema.id_column, self.dialect)
        return CompiledRelation(
            select([(UNIT_COLUMN, unit), *_number_columns(outputs)], relation, there),
            _name_columns(outputs),
        )

    def _compile_columns(
        self, node: Table, needed: Sequence[str]
    ) -> tuple[dict[str, exp.Expr], exp.Table]:
        shelf, outputs = self._find_table(node), {}
        for name in needed:
            declared, stored = node.schema.column(name), shelf.columns.get(name)
            if declared is None or stored is None:
                raise SourceError(f"The column {name} of {node.schema.table} is not in the data.")
            outputs[name] = compile_read(declared, stored, self.dialect)
        return outputs, exp.Table(this=exp.to_identifier(shelf.relation, quoted=True))

    def _compile_linked_table(self, node: Table, needed: Sequence[str]) -> CompiledRelation:
        """Each row beside the units that its parents belong to, each of them once."""
        link = node.schema.link
        assert link is not None
        own, key = node.schema.column(link.column), link.parent.column(link.key)
        assert own is not None
        assert key is not None
        outputs, relation = self._compile_columns(node, merge_names(needed, [own.name]))
        here = select(_number_columns(outputs), relation)
        parents = self._compile_table(Table(replace(link.parent, partition=None)), [key.name])
        owners = select(
            [(UNIT_COLUMN, column(UNIT_COLUMN)), ("k", parents.columns[key.name].copy())],
            parents.query,
        )
        owners = owners.distinct(copy=False)
        names = _name_columns(outputs)
        agree = _build_equality(
            column(names[own.name].name, "s"),
            own.range,
            column("k", "p"),
            key.range,
            f"{node.schema.table}.{own.name}",
        )
        kept = {name: column(names[name].name, "s") for name in needed}
        found = select(
            [(UNIT_COLUMN, column(UNIT_COLUMN, "p")), *_number_columns(kept)], here
        ).join(alias_partner(owners), on=agree, join_type="inner", copy=False)
        return CompiledRelation(found, _name_columns(kept))

    def _compile_first_parts(self, node: Table, needed: Sequence[str]) -> CompiledRelation:
        partition = node.schema.partition
        assert partition is not None
        by = node.schema.column(partition.column)
        assert by is not None
        inner = self._compile_table(
            Table(replace(node.schema, partition=None)), merge_names(needed, [by.name])
        )
        part = inner.columns[by.name]
        place = exp.Window(
            this=exp.DenseRank(),
            partition_by=[column(UNIT_COLUMN)],
            order=exp.Order(expressions=[exp.Ordered(this=part.copy(), nulls_first=False)]),
        )
        kept = {name: inner.columns[name] for name in needed}
        numbered = select(
            [
                (UNIT_COLUMN, column(UNIT_COLUMN)),
                *((ref.name, ref.copy()) for ref in kept.values()),
                ("place", place),
            ],
            inner.query,
        )
        first = [
            binary(column("place"), exp.LTE, integer_literal(min(partition.max_parts, MAX_PLACE)))
        ]
        return CompiledRelation(
            select([(UNIT_COLUMN, column(UNIT_COLUMN)), *_number_columns(kept)], numbered, first),
            _name_columns(kept),
        )

    def _find_unit(self, node: Table) -> StoredColumn:
        unit = self._find_table(node).unit
        if unit is None:
            raise SourceError(
                f"The id column {node.unit} of {node.schema.table} is not in the data."
            )
        return unit

    def _find_table(self, node: Table) -> StoredTable:
        shelf = self.stored_tables.get(node.schema.table)
        if shelf is None:
            raise SourceError(f"There is no table {node.schema.table} in the data.")
        return shelf

    def _compile_project(self, node: Project, needed: Sequence[str]) -> CompiledRelation:
        outputs = {name: expression for name, expression in node.outputs if name in needed}
        inner = self.compile(
            node.source,
            merge_names(
                [], (name for expression in outputs.values() for name in find_columns(expression))
            ),
        )
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
        """All keys are grouped by, needed or not: they say how many rows there are."""
        outputs = {name: one for name, one in node.outputs if name in needed}
        inner = self.compile(
            node.source,
            merge_names(
                node.keys, (one.column for one in outputs.values() if one.column is not None)
            ),
        )
        known = node.source.columns
        values: dict[str, exp.Expr] = {
            key: inner.columns[key] for key in node.keys if key in needed
        }
        values |= {
            name: compile_unit_statistic(one, inner.columns, known, self.dialect)
            for name, one in outputs.items()
        }
        found = self._select_from(inner, {name: values[name] for name in needed})
        keys = [
            *([column(UNIT_COLUMN)] if self.with_units else []),
            *(inner.columns[key].copy() for key in node.keys),
        ]
        return CompiledRelation(found.query.group_by(*keys, copy=False), found.columns)

    def _compile_join(self, node: Join, needed: Sequence[str]) -> CompiledRelation:
        added = dict(node.added_columns)
        own = self.compile(
            node.source,
            merge_names([name for name in needed if name not in added], (a for a, _ in node.on)),
        )
        on, adds = (
            [b for _, b in node.on],
            [b for name, b in node.added_columns if name in needed or node.max_matches is not None],
        )
        known_kin = node.other.unit is not None and joins_through_link(node)
        private = node.other.unit is not None and not known_kin
        other = RelationCompiler(
            self.stored_tables, self.dialect, private, with_links=not known_kin
        ).compile(node.other, merge_names(on, adds))
        here = {name: column(ref.name, "s") for name, ref in own.columns.items()}
        there = {name: column(ref.name, "p") for name, ref in other.columns.items()}
        known, known_there = node.source.columns, node.other.columns
        agree = [
            _build_equality(here[a], known[a], there[b], known_there[b], a) for a, b in node.on
        ]
        if private:
            agree.append(build_same_unit())
        alike, beside = (
            [_cast_for_comparison(other.columns[b], known_there[b], known[a]) for a, b in node.on],
            other.query,
        )
        # in which rows may differ that it meets
        if node.max_matches == 1 and len({b for b in adds if other.columns[b] not in alike}) < 2:
            beside = _keep_first_match(
                other,
                alike,
                {name: list_words(node.other, name) for name in other.columns},
                self.dialect,
            )
        elif node.max_matches is not None:
            beside = _number_matches(other, alike, adds)
            agree.append(
                binary(
                    column("place", "p"), exp.LTE, integer_literal(min(node.max_matches, MAX_PLACE))
                )
            )
        outputs = {name: there[added[name]] if name in added else here[name] for name in needed}
        unit = [(UNIT_COLUMN, column(UNIT_COLUMN, "s"))] if self.with_units else []
        found = select([*unit, *_number_columns(outputs)], own.query)
        joined = found.join(
            alias_partner(beside),
            on=all_of(agree),
            join_type="left" if node.keeps_unmatched else "inner",
            copy=False,
        )
        return CompiledRelation(joined, _name_columns(outputs))

    def _compile_population_join(
        self, node: Join, others: SecondPopulation, needed: Sequence[str]
    ) -> CompiledRelation:
        """Of each unit the rows of its first bonds, each beside the first row of the one whom it
        names.
        """
        added, alone = dict(node.added_columns), replace(self, with_second_units=False)
        if alone._collect_id_types(node.other) != {
            (node.source.columns[others.id_column].type, "")
        }:
            raise Unsupported(
                "The ids of a population, and the column that should hold them, differ in type:"
                " declare both alike in the policy."
            )
        bond = [others.id_column, *others.other_columns]
        own = alone.compile(
            node.source, merge_names([name for name in needed if name not in added], bond)
        )
        other = alone.compile(node.other, merge_names([], added.values()))
        named = [
            exp.Not(this=exp.Is(this=own.columns[others.id_column].copy(), expression=exp.Null()))
        ]
        first = _number_references(
            select([(UNIT_COLUMN, column(UNIT_COLUMN)), *_pass_columns(own)], own.query, named),
            [own.columns[name] for name in bond],
            self.dialect,
        )
        one = exp.Window(
            this=exp.RowNumber(),
            partition_by=[column(UNIT_COLUMN)],
            order=_order_by_columns(other, [there for _, there in node.added_columns]),
        )
        beside = select(
            [(UNIT_COLUMN, column(UNIT_COLUMN)), *_pass_columns(other), ("place", one)], other.query
        )
        agree = [
            binary(
                column(own.columns[others.id_column].name, "s"), exp.EQ, column(UNIT_COLUMN, "p")
            ),
            binary(column("place", "p"), exp.EQ, integer_literal(1)),
            binary(
                column("place", "s"),
                exp.LTE,
                integer_literal(min(others.max_references, MAX_PLACE)),
            ),
        ]
        outputs = {
            name: (
                column(other.columns[added[name]].name, "p")
                if name in added
                else column(own.columns[name].name, "s")
            )
            for name in needed
        }
        ids = [
            (UNIT_COLUMN, column(UNIT_COLUMN, "s")),
            (SECOND_UNIT_COLUMN, column(UNIT_COLUMN, "p")),
        ]
        found = select([*ids, *_number_columns(outputs)], first).join(
            alias_partner(beside), on=all_of(agree), join_type="inner", copy=False
        )
        return CompiledRelation(found, _name_columns(outputs))

    def _compile_union(self, node: Union, needed: Sequence[str]) -> CompiledRelation:
        each = [self.compile(source, needed) for source in node.sources]
        together: exp.Expr = each[0].query
        for other in each[1:]:
            together = exp.Union(this=together, expression=other.query, distinct=False)
        unit = [(UNIT_COLUMN, column(UNIT_COLUMN))] if self.with_units else []
        table = exp.Subquery(
            this=together, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True))
        )
        return CompiledRelation(
            select([*unit, *((ref.name, ref) for ref in each[0].columns.values())], table),
            each[0].columns,
        )


def _pass_columns(rows: CompiledRelation) -> list[tuple[str, exp.Expr]]:
    return [(ref.name, ref.copy()) for ref in rows.columns.values()]


def _order_by_columns(rows: CompiledRelation, names: Sequence[str]) -> exp.Order | None:
    return order_by([rows.columns[name] for name in names], null_last=True) if names else None


def _number_references(rows: exp.Select, bond: Sequence[exp.Expr], dialect: Dialect) -> exp.Select:
    """The rows with the place of their bond among those of their unit, by (rank, bond). It looks
    at this unit's rows alone.
    """
    rank = dialect.build_rank([column(UNIT_COLUMN), *(part.copy() for part in bond)])
    place = exp.Window(
        this=exp.DenseRank(), partition_by=[column(UNIT_COLUMN)], order=order_by([rank, *bond])
    )
    names = [output.alias for output in rows.expressions]
    return select([*((name, column(name)) for name in names), ("place", place)], rows)


def _number_matches(
    public: CompiledRelation, alike: Sequence[exp.Expr], adds: Sequence[str]
) -> exp.Select:
    """Public rows with their place among those that the same row meets, by what they add. ``alike``
    is what they are compared by: several whole numbers are the same real."""
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=list(alike),
        order=_order_by_columns(public, adds),
    )
    return select([*_pass_columns(public), ("place", place)], public.query)


def _keep_first_match(
    public: CompiledRelation,
    alike: Sequence[exp.Expr],
    listed: Mapping[str, list[str] | None],
    dialect: Dialect,
) -> exp.Select:
    """Of public rows that the same row meets the first, where they differ in one column at most: as
    ``_number_matches`` has it, and faster. Text of a short list is compared by its codes, which are
    in the same order."""
    first = []
    for name, ref in public.columns.items():
        words = listed[name]
        least = (
            call_function("min", ref.copy())
            if words is None
            else cast_to_type(call_function("min", dialect.encode_text(ref.copy(), words)), "text")
        )
        first.append((ref.name, ref.copy() if ref in alike else least))
    return select(first, public.query).group_by(*(value.copy() for value in alike), copy=False)


def build_same_unit() -> exp.Expr:
    """That two rows are of the same unit."""
    return binary(column(UNIT_COLUMN, "s"), exp.EQ, column(UNIT_COLUMN, "p"))


def alias_partner(rows: exp.Select) -> exp.Subquery:
    """Rows to be joined, as "p"."""
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("p", quoted=True)))


def _build_equality(
    here: exp.Expr, known: Range, there: exp.Expr, known_there: Range, name: str
) -> exp.Expr:
    """A whole number beside a real is compared as one; other types must be the same."""
    if known.type != known_there.type and {known.type, known_there.type} != {"integer", "real"}:
        raise Unsupported(
            f"{name} is {known.type}, and what it should agree with is {known_there.type}: declare"
            " them alike in the policy."
        )
    return binary(
        _cast_for_comparison(here, known, known_there),
        exp.EQ,
        _cast_for_comparison(there, known_there, known),
    )


def _cast_for_comparison(value: exp.Expr, own: Range, other: Range) -> exp.Expr:
    return (
        cast_to_type(value.copy(), "real")
        if own.type == "integer" and other.type == "real"
        else value.copy()
    )


def _number_columns(outputs: Mapping[str, exp.Expr]) -> list[tuple[str, exp.Expr]]:
    return [(f"c{i}", value.copy()) for i, value in enumerate(outputs.values())]


def _name_columns(outputs: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    return {name: column(f"c{i}") for i, name in enumerate(outputs)}


def merge_names(first: Iterable[str], more: Iterable[str]) -> list[str]:
    """All of them, each once."""
    return list(dict.fromkeys([*first, *more]))


def _find_owner_table(table: Table) -> Table:
    """The table whose id column says whose the rows are."""
    schema = table.schema
    while schema.link is not None:
        schema = schema.link.parent
    return Table(schema)


def _list_owner_tables(rows: RelationNode) -> list[Table]:
    """The tables whose units a node hands on, or agrees with."""
    if isinstance(rows, Table):
        return [rows]
    if isinstance(rows, Union):
        return [table for source in rows.sources for table in _list_owner_tables(source)]
    beside = (
        _list_owner_tables(rows.other)
        if isinstance(rows, Join) and rows.other.unit is not None and rows.second_population is None
        else []
    )
    return _list_owner_tables(rows.source) + beside


def iter_expressions(rows: RelationNode) -> Iterator[Expression]:
    """All expressions of a node and those below it."""
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
