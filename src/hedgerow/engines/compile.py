"""A plan as one SQL statement that cannot fail on any data.

    rows -> one line for each (unit, group): how many rows, the sums -> the groups that count -> cut to ``max_rows`` -> added up by group

Names of tables and columns never stand in the statement as somebody wrote them, except those of stored columns, quoted; inside, columns
are numbered. Constants are typed literals.
"""

from __future__ import annotations

import functools
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Final

from sqlglot import exp

from hedgerow.engines.decode import Statement
from hedgerow.engines.dialect import Dialect
from hedgerow.engines.reading import Stored, read, read_unit
from hedgerow.engines.scalars import scalar, weight
from hedgerow.engines.sums import Sums
from hedgerow.engines.terms import as_type, both, column, null, one_of, select, test, whole
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.expressions import Expression, reads
from hedgerow.plan.nodes import Aggregate, Filter, Join, Project, Rows, Table, Union
from hedgerow.plan.values import Range, Type

__all__ = ["Shelf", "compile_plan", "compiling"]

UNIT: Final = "u"
_HEAVY: Final = 20_000
MOST: Final = 2**62  # no place comes after this one


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a table lies in the engine: its relation there, its columns by their declared names, and the id of the unit."""

    relation: str
    columns: Mapping[str, Stored]
    unit: Stored | None


@dataclass(frozen=True, slots=True)
class _Selected:
    """A SELECT whose columns are numbered: the unit (if there is one) and those that are needed."""

    sql: exp.Select
    names: Mapping[str, exp.Expr]


@dataclass(frozen=True, slots=True)
class _Compiler:
    shelves: Mapping[str, Shelf]
    dialect: Dialect
    units: bool

    def rows(self, node: Rows, needed: Sequence[str]) -> _Selected:
        """The columns that are needed of the rows of a node."""
        match node:
            case Table():
                return self._table(node, needed)
            case Filter():
                inner = self.rows(node.source, _merged(needed, reads(node.condition)))
                condition = scalar(node.condition, node.columns, inner.names, self.dialect)
                return self._on_top(inner, {name: inner.names[name] for name in needed}, [condition])
            case Project():
                return self._project(node, needed)
            case Join():
                return self._join(node, needed)
            case Union():
                return self._union(node, needed)

    def _on_top(self, inner: _Selected, outputs: Mapping[str, exp.Expr], where: Sequence[exp.Expr] = ()) -> _Selected:
        unit = [(UNIT, column(UNIT))] if self.units else []
        return _Selected(select([*unit, *_numbered(outputs)], inner.sql, where), _names(outputs))

    def _table(self, node: Table, needed: Sequence[str]) -> _Selected:
        shelf = self._shelf(node)
        outputs = {}
        for name in needed:
            declared, stored = node.schema.column(name), shelf.columns.get(name)
            if declared is None or stored is None:
                raise SourceError(f"The column {name} of {node.schema.table} is not in the data.")
            outputs[name] = read(declared, stored, self.dialect)
        relation = exp.Table(this=exp.to_identifier(shelf.relation, quoted=True))
        if node.unit in (None, "row"):
            return _Selected(select(_numbered(outputs), relation), _names(outputs))
        unit, there = read_unit(self._unit(node), node.schema.id, self.dialect)
        return _Selected(select([(UNIT, unit), *_numbered(outputs)], relation, there), _names(outputs))

    def ids(self, node: Rows) -> Type:
        """The type of the ids of the units."""
        types = {self._unit(table).type if table.schema.id is None else table.schema.id.type for table in _tables(node)}
        if len(types) > 1:
            raise Unsupported("The ids of these tables differ in type, so they cannot be about the same units: store them alike.")
        return types.pop()

    def _unit(self, node: Table) -> Stored:
        unit = self._shelf(node).unit
        if unit is None:
            raise SourceError(f"The id column {node.unit} of {node.schema.table} is not in the data.")
        return unit

    def _shelf(self, node: Table) -> Shelf:
        shelf = self.shelves.get(node.schema.table)
        if shelf is None:
            raise SourceError(f"There is no table {node.schema.table} in the data.")
        return shelf

    def _project(self, node: Project, needed: Sequence[str]) -> _Selected:
        outputs = {name: expression for name, expression in node.outputs if name in needed}
        inner = self.rows(node.source, _merged([], (name for expression in outputs.values() for name in reads(expression))))
        known, made = node.source.columns, node.columns
        values = {
            name: null(made[name].type) if made[name].values == () else scalar(expression, known, inner.names, self.dialect)
            for name, expression in outputs.items()
        }
        return self._on_top(inner, values)

    def _join(self, node: Join, needed: Sequence[str]) -> _Selected:
        """The public side is cut to ``matches`` partners, whatever it holds."""
        added = dict(node.adds)
        own = self.rows(node.source, _merged([name for name in needed if name not in added], (a for a, _ in node.on)))
        on, adds = [b for _, b in node.on], [b for _, b in node.adds]
        public = _Compiler(self.shelves, self.dialect, units=False).rows(node.public, _merged(on, adds))
        place = exp.Window(
            this=exp.RowNumber(),
            partition_by=[public.names[name].copy() for name in on],
            order=_ordered([public.names[name] for name in adds]),
        )
        cut = select([*((ref.name, ref) for ref in public.names.values()), ("place", place)], public.sql)
        here = {name: column(ref.name, "s") for name, ref in own.names.items()}
        there = {name: column(ref.name, "p") for name, ref in public.names.items()}
        outputs = {name: there[added[name]] if name in added else here[name] for name in needed}
        return self._joined(node, own, cut, here, there, outputs)

    def _joined(
        self,
        node: Join,
        own: _Selected,
        cut: exp.Select,
        here: Mapping[str, exp.Expr],
        there: Mapping[str, exp.Expr],
        outputs: Mapping[str, exp.Expr],
    ) -> _Selected:
        known, public = node.source.columns, node.public.columns
        agree = [test(_beside(here[a], known[a], public[b]), exp.EQ, _beside(there[b], public[b], known[a])) for a, b in node.on]
        agree.append(test(column("place", "p"), exp.LTE, whole(min(node.matches, MOST))))
        unit = [(UNIT, column(UNIT, "s"))] if self.units else []
        found = select([*unit, *_numbered(outputs)], own.sql)
        table = exp.Subquery(this=cut, alias=exp.TableAlias(this=exp.to_identifier("p", quoted=True)))
        return _Selected(found.join(table, on=both(agree), join_type="inner", copy=False), _names(outputs))

    def _union(self, node: Union, needed: Sequence[str]) -> _Selected:
        each = [self.rows(source, needed) for source in node.sources]
        together: exp.Expr = each[0].sql
        for other in each[1:]:
            together = exp.Union(this=together, expression=other.sql, distinct=False)
        unit = [(UNIT, column(UNIT))] if self.units else []
        table = exp.Subquery(this=together, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True)))
        return _Selected(select([*unit, *((ref.name, ref) for ref in each[0].names.values())], table), each[0].names)


def compile_plan(plan: Aggregate, shelves: Mapping[str, Shelf], dialect: Dialect) -> Statement:
    """The statement of a plan over these tables. Unsupported where it would grow beyond all measure."""
    if sum(map(weight, _expressions(plan.bound.source))) > _HEAVY:
        raise Unsupported("This question nests SQRT, LN, %, NULLIF, LEAST or GREATEST too deeply: ask for its parts.")
    bound, known = plan.bound, plan.bound.columns
    units = bound.source.unit != "row"
    needed = _merged(bound.keys, (measure.column for measure in plan.measures if measure.column is not None))
    compiler = _Compiler(shelves, dialect, units)
    found = compiler.rows(bound.source, needed)
    keys = [(f"k{i}", found.names[key].copy()) for i, key in enumerate(bound.keys)]
    sums = Sums(plan.measures, bound.max_rows, found.names, known, dialect)
    where = _asked(plan, [value for _, value in keys])
    if units:
        text_ids = compiler.ids(bound.source) == "text"
        pairs = select([(UNIT, column(UNIT)), *keys, *sums.parts()], found.sql, where)
        pairs = pairs.group_by(column(UNIT), *(value.copy() for _, value in keys), copy=False)
        final = _by_unit(plan, pairs, sums, dialect, text_ids=text_ids)
    else:
        final = _by_row(found, keys, where, sums)
    if keys:
        final = final.order_by(*_ordered([column(name) for name, _ in keys]).expressions, copy=False)
    elif plan.source.domain is None:
        final = final.having(test(exp.Count(this=exp.Star()), exp.GT, whole(0)), copy=False)
    return Statement(final.sql(dialect=dialect.name, comments=False, copy=False), tuple(known[key].type for key in bound.keys), sums.wide)


def compiling(shelves: Mapping[str, Shelf], dialect: Dialect) -> Callable[[Aggregate], Statement]:
    """``compile_plan`` for these tables, which remembers the last few plans: what was prepared is not compiled again to be run."""

    @functools.lru_cache(maxsize=16)
    def compiled(plan: Aggregate) -> Statement:
        try:
            return compile_plan(plan, shelves, dialect)
        except RecursionError:  # how deep is too deep depends on who asks
            raise Unsupported("This question is nested too deeply: ask for its parts.") from None

    return compiled


Named = Sequence[tuple[str, exp.Expr]]


def _by_row(found: _Selected, keys: Named, where: Sequence[exp.Expr], sums: Sums) -> exp.Select:
    """Every row is a unit of its own, in one group: there is nothing to bound."""
    final = select([*keys, *sums.of_rows()], found.sql, where)
    return final.group_by(*(value.copy() for _, value in keys), copy=False) if keys else final


def _by_unit(plan: Aggregate, pairs: exp.Select, sums: Sums, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """From a line for each unit and group to one for each group."""
    keys = [column(f"k{i}") for i in range(len(plan.bound.keys))]
    cells, most = plan.source.cells, plan.bound.max_groups
    if keys and (cells is None or cells > most):
        pairs = _first(pairs, keys, most, dialect, text_ids=text_ids)
    final = select([*((key.name, key) for key in keys), *sums.of_pairs()], pairs)
    return final.group_by(*(key.copy() for key in keys), copy=False) if keys else final


def _first(pairs: exp.Select, keys: Sequence[exp.Expr], most: int, dialect: Dialect, *, text_ids: bool) -> exp.Select:
    """The groups of each unit that come first by (rank, group). The group itself settles ties, so never one more than ``most``."""
    # Two things to order by are also what keeps DuckDB from rewriting this into something twice as slow; and text is partitioned faster
    # by its hash first.
    rank = dialect.rank([column(UNIT), *(key.copy() for key in keys)])
    unit = [dialect.rank([column(UNIT)]), column(UNIT)] if text_ids else [column(UNIT)]
    place = exp.Window(this=exp.RowNumber(), partition_by=unit, order=_ordered([rank, *keys]))
    outputs = [(output.alias, column(output.alias)) for output in pairs.expressions]
    numbered = select([*outputs, ("place", place)], pairs)
    return select([(name, value.copy()) for name, value in outputs], numbered, [test(column("place"), exp.LTE, whole(min(most, MOST)))])


def _asked(plan: Aggregate, keys: Sequence[exp.Expr]) -> list[exp.Expr]:
    """Which rows are in a group of the domain."""
    known, domain = plan.bound.columns, plan.source.domain or ()
    return [one_of(key.copy(), values, known[name].type) for name, key, values in zip(plan.bound.keys, keys, domain, strict=bool(domain))]


def _ordered(values: Sequence[exp.Expr]) -> exp.Order:
    return exp.Order(expressions=[exp.Ordered(this=value.copy(), desc=False, nulls_first=True) for value in values])


def _numbered(outputs: Mapping[str, exp.Expr]) -> list[tuple[str, exp.Expr]]:
    return [(f"c{i}", value.copy()) for i, value in enumerate(outputs.values())]


def _names(outputs: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    return {name: column(f"c{i}") for i, name in enumerate(outputs)}


def _merged(first: Iterable[str], more: Iterable[str]) -> list[str]:
    return list(dict.fromkeys([*first, *more]))


def _beside(value: exp.Expr, own: Range, other: Range) -> exp.Expr:
    """A whole number beside a real is compared as one."""
    return as_type(value.copy(), "real") if own.type == "integer" and other.type == "real" else value.copy()


def _tables(rows: Rows) -> list[Table]:
    """The tables whose units a node hands on."""
    if isinstance(rows, Table):
        return [rows]
    if isinstance(rows, Union):
        return [table for source in rows.sources for table in _tables(source)]
    return _tables(rows.source)


def _expressions(rows: Rows) -> Iterator[Expression]:
    """All expressions of a node and those below it."""
    if isinstance(rows, Union):
        for source in rows.sources:
            yield from _expressions(source)
    elif not isinstance(rows, Table):
        yield from _expressions(rows.source)
        if isinstance(rows, Filter):
            yield rows.condition
        elif isinstance(rows, Project):
            yield from (expression for _, expression in rows.outputs)
