"""The rows of a plan as a SELECT whose columns are numbered: the unit, and those that are needed.

Names of tables and columns never stand in the statement as somebody wrote them, except those of stored columns, quoted.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Final

from sqlglot import exp

from hedgerow.engines.dialect import Dialect
from hedgerow.engines.folds import folded
from hedgerow.engines.kin import meets_parents
from hedgerow.engines.origin import words
from hedgerow.engines.reading import Stored, as_stored, read, read_unit
from hedgerow.engines.scalars import scalar
from hedgerow.engines.terms import as_type, both, call, column, null, ordered, select, test, whole
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.expressions import Expression, reads
from hedgerow.plan.measures import Others
from hedgerow.plan.nodes import Filter, Fold, Join, Project, Rows, Table, Union
from hedgerow.plan.values import Range, Type

__all__ = ["MOST", "OTHER", "UNIT", "RowCompiler", "Selected", "Shelf", "as_partners", "expressions", "merged", "same_unit"]

UNIT: Final = "u"
OTHER: Final = "w"  # the unit of the other population, where two meet
MOST: Final = 2**62  # no place comes after this one


@dataclass(frozen=True, slots=True)
class Shelf:
    """Where a table lies in the engine: its relation there, its columns by their declared names, and the id of the unit."""

    relation: str
    columns: Mapping[str, Stored]
    unit: Stored | None


@dataclass(frozen=True, slots=True)
class Selected:
    """A SELECT whose columns are numbered: the unit (if there is one) and those that are needed."""

    sql: exp.Select
    names: Mapping[str, exp.Expr]


@dataclass(frozen=True, slots=True)
class RowCompiler:
    """Compiles rows; ``units`` says whether their ids are told, ``linked`` whether those of other tables are looked up, ``others`` whether
    those are told whom the units met."""

    shelves: Mapping[str, Shelf]
    dialect: Dialect
    units: bool
    linked: bool = True
    others: bool = False

    def rows(self, node: Rows, needed: Sequence[str]) -> Selected:
        """The columns that are needed of the rows of a node."""
        match node:
            case Table():
                return self._table(node, needed)
            case Filter():
                inner = self.rows(node.source, merged(needed, reads(node.condition)))
                condition = scalar(node.condition, node.columns, inner.names, self.dialect)
                return self._on_top(inner, {name: inner.names[name] for name in needed}, [condition])
            case Project():
                return self._project(node, needed)
            case Join():
                return self._join(node, needed) if node.others is None else self._meeting(node, node.others, needed)
            case Fold():
                return self._fold(node, needed)
            case Union():
                return self._union(node, needed)

    def ids(self, node: Rows) -> Type:
        """The type of the ids of the units."""
        kinds = self._kinds(node)
        if len(kinds) > 1:
            raise Unsupported(
                "The ids of these tables differ in type, so they cannot be about the same units. Declare them alike in the policy: where "
                'one is stored as a number and the other is text, as in a .csv file, write type = "integer" for both; or store them alike.'
            )
        return kinds.pop()[0]

    def _kinds(self, node: Rows) -> set[tuple[Type, str]]:
        """The types of the ids, and the engine's own where ids of another would be rounded beside them, so that several people agree with
        one, or would not fit."""
        found = set()
        for table in _owners(node):
            unit, declared = self._unit(_last(table)), table.schema.id
            found.add((unit.type if declared is None else declared.type, unit.alone if as_stored(unit, declared) else ""))
        return found

    def _on_top(self, inner: Selected, outputs: Mapping[str, exp.Expr], where: Sequence[exp.Expr] = ()) -> Selected:
        ids = [*([UNIT] if self.units else []), *([OTHER] if self.others else [])]
        return Selected(select([*((name, column(name)) for name in ids), *_numbered(outputs)], inner.sql, where), _names(outputs))

    def _table(self, node: Table, needed: Sequence[str]) -> Selected:
        if node.schema.partition is not None:
            return self._first_parts(node, needed)
        if node.schema.link is not None and self.linked:
            return self._linked(node, needed)
        outputs, relation = self._read(node, needed)
        if node.unit in (None, "row") or not self.linked:
            return Selected(select(_numbered(outputs), relation), _names(outputs))
        unit, there = read_unit(self._unit(node), node.schema.id, self.dialect)
        return Selected(select([(UNIT, unit), *_numbered(outputs)], relation, there), _names(outputs))

    def _read(self, node: Table, needed: Sequence[str]) -> tuple[dict[str, exp.Expr], exp.Table]:
        shelf, outputs = self._shelf(node), {}
        for name in needed:
            declared, stored = node.schema.column(name), shelf.columns.get(name)
            if declared is None or stored is None:
                raise SourceError(f"The column {name} of {node.schema.table} is not in the data.")
            outputs[name] = read(declared, stored, self.dialect)
        return outputs, exp.Table(this=exp.to_identifier(shelf.relation, quoted=True))

    def _linked(self, node: Table, needed: Sequence[str]) -> Selected:
        """Each row beside the units that its parents belong to, each of them once."""
        link = node.schema.link
        assert link is not None
        own, key = node.schema.column(link.column), link.parent.column(link.key)
        assert own is not None
        assert key is not None
        outputs, relation = self._read(node, merged(needed, [own.name]))
        here = select(_numbered(outputs), relation)
        parents = self._table(Table(replace(link.parent, partition=None)), [key.name])
        owners = select([(UNIT, column(UNIT)), ("k", parents.names[key.name].copy())], parents.sql)
        owners = owners.distinct(copy=False)
        names = _names(outputs)
        agree = _agree(column(names[own.name].name, "s"), own.range, column("k", "p"), key.range, f"{node.schema.table}.{own.name}")
        kept = {name: column(names[name].name, "s") for name in needed}
        found = select([(UNIT, column(UNIT, "p")), *_numbered(kept)], here).join(
            as_partners(owners), on=agree, join_type="inner", copy=False
        )
        return Selected(found, _names(kept))

    def _first_parts(self, node: Table, needed: Sequence[str]) -> Selected:
        partition = node.schema.partition
        assert partition is not None
        by = node.schema.column(partition.column)
        assert by is not None
        inner = self._table(Table(replace(node.schema, partition=None)), merged(needed, [by.name]))
        part = inner.names[by.name]
        place = exp.Window(
            this=exp.DenseRank(),
            partition_by=[column(UNIT)],
            order=exp.Order(expressions=[exp.Ordered(this=part.copy(), nulls_first=False)]),
        )
        kept = {name: inner.names[name] for name in needed}
        numbered = select([(UNIT, column(UNIT)), *((ref.name, ref.copy()) for ref in kept.values()), ("place", place)], inner.sql)
        first = [test(column("place"), exp.LTE, whole(min(partition.most, MOST)))]
        return Selected(select([(UNIT, column(UNIT)), *_numbered(kept)], numbered, first), _names(kept))

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

    def _project(self, node: Project, needed: Sequence[str]) -> Selected:
        outputs = {name: expression for name, expression in node.outputs if name in needed}
        inner = self.rows(node.source, merged([], (name for expression in outputs.values() for name in reads(expression))))
        known, made = node.source.columns, node.columns
        values = {
            name: null(made[name].type) if made[name].values == () else scalar(expression, known, inner.names, self.dialect)
            for name, expression in outputs.items()
        }
        return self._on_top(inner, values)

    def _fold(self, node: Fold, needed: Sequence[str]) -> Selected:
        """All keys are grouped by, needed or not: they say how many rows there are."""
        outputs = {name: one for name, one in node.outputs if name in needed}
        inner = self.rows(node.source, merged(node.keys, (one.column for one in outputs.values() if one.column is not None)))
        known = node.source.columns
        values: dict[str, exp.Expr] = {key: inner.names[key] for key in node.keys if key in needed}
        values |= {name: folded(one, inner.names, known, self.dialect) for name, one in outputs.items()}
        found = self._on_top(inner, {name: values[name] for name in needed})
        keys = [*([column(UNIT)] if self.units else []), *(inner.names[key].copy() for key in node.keys)]
        return Selected(found.sql.group_by(*keys, copy=False), found.names)

    def _join(self, node: Join, needed: Sequence[str]) -> Selected:
        added = dict(node.adds)
        own = self.rows(node.source, merged([name for name in needed if name not in added], (a for a, _ in node.on)))
        on, adds = [b for _, b in node.on], [b for name, b in node.adds if name in needed or node.matches is not None]
        known_kin = node.other.unit is not None and meets_parents(node)
        private = node.other.unit is not None and not known_kin
        other = RowCompiler(self.shelves, self.dialect, private, linked=not known_kin).rows(node.other, merged(on, adds))
        here = {name: column(ref.name, "s") for name, ref in own.names.items()}
        there = {name: column(ref.name, "p") for name, ref in other.names.items()}
        known, known_there = node.source.columns, node.other.columns
        agree = [_agree(here[a], known[a], there[b], known_there[b], a) for a, b in node.on]
        if private:
            agree.append(same_unit())
        alike, beside = [_compared(other.names[b], known_there[b], known[a]) for a, b in node.on], other.sql
        if node.matches == 1 and len({b for b in adds if other.names[b] not in alike}) < 2:  # in which rows may differ that it meets
            beside = _alone(other, alike, {name: words(node.other, name) for name in other.names}, self.dialect)
        elif node.matches is not None:
            beside = _placed(other, alike, adds)
            agree.append(test(column("place", "p"), exp.LTE, whole(min(node.matches, MOST))))
        outputs = {name: there[added[name]] if name in added else here[name] for name in needed}
        unit = [(UNIT, column(UNIT, "s"))] if self.units else []
        found = select([*unit, *_numbered(outputs)], own.sql)
        joined = found.join(as_partners(beside), on=both(agree), join_type="left" if node.keeps else "inner", copy=False)
        return Selected(joined, _names(outputs))

    def _meeting(self, node: Join, others: Others, needed: Sequence[str]) -> Selected:
        """Of each unit the rows of its first bonds, each beside the first row of the one whom it names."""
        added, alone = dict(node.adds), replace(self, others=False)
        if alone._kinds(node.other) != {(node.source.columns[others.by].type, "")}:
            raise Unsupported(
                "The ids of a population, and the column that should hold them, differ in type: declare both alike in the policy."
            )
        bond = [others.by, *others.also]
        own = alone.rows(node.source, merged([name for name in needed if name not in added], bond))
        other = alone.rows(node.other, merged([], added.values()))
        named = [exp.Not(this=exp.Is(this=own.names[others.by].copy(), expression=exp.Null()))]
        first = _first_bonds(select([(UNIT, column(UNIT)), *_same(own)], own.sql, named), [own.names[name] for name in bond], self.dialect)
        one = exp.Window(this=exp.RowNumber(), partition_by=[column(UNIT)], order=_by(other, [there for _, there in node.adds]))
        beside = select([(UNIT, column(UNIT)), *_same(other), ("place", one)], other.sql)
        agree = [
            test(column(own.names[others.by].name, "s"), exp.EQ, column(UNIT, "p")),
            test(column("place", "p"), exp.EQ, whole(1)),
            test(column("place", "s"), exp.LTE, whole(min(others.max_groups, MOST))),
        ]
        outputs = {
            name: column(other.names[added[name]].name, "p") if name in added else column(own.names[name].name, "s") for name in needed
        }
        ids = [(UNIT, column(UNIT, "s")), (OTHER, column(UNIT, "p"))]
        found = select([*ids, *_numbered(outputs)], first).join(as_partners(beside), on=both(agree), join_type="inner", copy=False)
        return Selected(found, _names(outputs))

    def _union(self, node: Union, needed: Sequence[str]) -> Selected:
        each = [self.rows(source, needed) for source in node.sources]
        together: exp.Expr = each[0].sql
        for other in each[1:]:
            together = exp.Union(this=together, expression=other.sql, distinct=False)
        unit = [(UNIT, column(UNIT))] if self.units else []
        table = exp.Subquery(this=together, alias=exp.TableAlias(this=exp.to_identifier("s", quoted=True)))
        return Selected(select([*unit, *((ref.name, ref) for ref in each[0].names.values())], table), each[0].names)


def _same(rows: Selected) -> list[tuple[str, exp.Expr]]:
    return [(ref.name, ref.copy()) for ref in rows.names.values()]


def _by(rows: Selected, names: Sequence[str]) -> exp.Order | None:
    return ordered([rows.names[name] for name in names], null_last=True) if names else None


def _first_bonds(rows: exp.Select, bond: Sequence[exp.Expr], dialect: Dialect) -> exp.Select:
    """The rows with the place of their bond among those of their unit, by (rank, bond). It looks at this unit's rows alone."""
    rank = dialect.rank([column(UNIT), *(part.copy() for part in bond)])
    place = exp.Window(this=exp.DenseRank(), partition_by=[column(UNIT)], order=ordered([rank, *bond]))
    names = [output.alias for output in rows.expressions]
    return select([*((name, column(name)) for name in names), ("place", place)], rows)


def _placed(public: Selected, alike: Sequence[exp.Expr], adds: Sequence[str]) -> exp.Select:
    """Public rows with their place among those that the same row meets, by what they add. ``alike`` is what they are compared by: several
    whole numbers are the same real."""
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=list(alike),
        order=_by(public, adds),
    )
    return select([*_same(public), ("place", place)], public.sql)


def _alone(public: Selected, alike: Sequence[exp.Expr], listed: Mapping[str, list[str] | None], dialect: Dialect) -> exp.Select:
    """Of public rows that the same row meets the first, where they differ in one column at most: as ``_placed`` has it, and faster. Text
    of a short list is compared by its codes, which are in the same order."""
    first = []
    for name, ref in public.names.items():
        words = listed[name]
        least = call("min", ref.copy()) if words is None else as_type(call("min", dialect.coded(ref.copy(), words)), "text")
        first.append((ref.name, ref.copy() if ref in alike else least))
    return select(first, public.sql).group_by(*(value.copy() for value in alike), copy=False)


def same_unit() -> exp.Expr:
    """That two rows are of the same unit."""
    return test(column(UNIT, "s"), exp.EQ, column(UNIT, "p"))


def as_partners(rows: exp.Select) -> exp.Subquery:
    """Rows to be joined, as "p"."""
    return exp.Subquery(this=rows, alias=exp.TableAlias(this=exp.to_identifier("p", quoted=True)))


def _agree(here: exp.Expr, known: Range, there: exp.Expr, known_there: Range, name: str) -> exp.Expr:
    """A whole number beside a real is compared as one; other types must be the same."""
    if known.type != known_there.type and {known.type, known_there.type} != {"integer", "real"}:
        raise Unsupported(f"{name} is {known.type}, and what it should agree with is {known_there.type}: declare them alike in the policy.")
    return test(_compared(here, known, known_there), exp.EQ, _compared(there, known_there, known))


def _compared(value: exp.Expr, own: Range, other: Range) -> exp.Expr:
    return as_type(value.copy(), "real") if own.type == "integer" and other.type == "real" else value.copy()


def _numbered(outputs: Mapping[str, exp.Expr]) -> list[tuple[str, exp.Expr]]:
    return [(f"c{i}", value.copy()) for i, value in enumerate(outputs.values())]


def _names(outputs: Mapping[str, exp.Expr]) -> dict[str, exp.Expr]:
    return {name: column(f"c{i}") for i, name in enumerate(outputs)}


def merged(first: Iterable[str], more: Iterable[str]) -> list[str]:
    """All of them, each once."""
    return list(dict.fromkeys([*first, *more]))


def _last(table: Table) -> Table:
    """The table whose id column says whose the rows are."""
    schema = table.schema
    while schema.link is not None:
        schema = schema.link.parent
    return Table(schema)


def _owners(rows: Rows) -> list[Table]:
    """The tables whose units a node hands on, or agrees with."""
    if isinstance(rows, Table):
        return [rows]
    if isinstance(rows, Union):
        return [table for source in rows.sources for table in _owners(source)]
    beside = _owners(rows.other) if isinstance(rows, Join) and rows.other.unit is not None and rows.others is None else []
    return _owners(rows.source) + beside


def expressions(rows: Rows) -> Iterator[Expression]:
    """All expressions of a node and those below it."""
    if isinstance(rows, Union):
        for source in rows.sources:
            yield from expressions(source)
    elif not isinstance(rows, Table):
        yield from expressions(rows.source)
        if isinstance(rows, Join):
            yield from expressions(rows.other)
        elif isinstance(rows, Filter):
            yield rows.condition
        elif isinstance(rows, Project):
            yield from (expression for _, expression in rows.outputs)
