"""Plans in one form, so that the same question asked twice in different words is one question.

    Aggregate(Group(Bound(Project(Filter(core)))))       core: a Table, or a Join, a Fold or a Union of rows in this form

Filters are merged into one below one Project; what nobody uses is gone; the keys are called k0, k1 … in their order and the values v0,
v1 … in the order of their spelling, those of combinations in their own; the measures and the lists of a domain are sorted, and so are rows
that stand beside each other. What a plan and its normal form give is the same, cell for cell, but for the order of the measures: ``places``
tells which measure has become which. One thing may differ: where two populations meet and several columns beside ``by`` tell bonds apart,
these are sorted too, and with them which bonds of a unit come first. What runs is always the normal form.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Final

from hedgerow.plan.contributions import caps_may_bite, groups_may_be_left_out
from hedgerow.plan.crossing import Cross
from hedgerow.plan.expressions import Call, Constant, Expression, Read, reads, replaced
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Fold, Folded, Group, Join, Measured, Project, Rows, Table, Union, tables_of
from hedgerow.plan.picks import Pick
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.simple import simple, spell

__all__ = ["key", "normal", "places"]

_NONE: Final = Constant(True, "boolean")
_NEVER: Final = Constant(False, "boolean")


@dataclass(frozen=True, slots=True)
class _Work:
    """Rows taken apart: where they come from, which of them are wanted, and what each column is in terms of the core."""

    core: Rows
    condition: Expression
    columns: Mapping[str, Expression]

    def rows(self, outputs: tuple[tuple[str, Expression], ...]) -> Rows:
        """Put together again, with these columns."""
        source: Rows = self.core if self.condition == _NONE else Filter(self.core, self.condition)
        return Project(source, outputs)


def _work(rows: Rows, used: frozenset[str]) -> _Work:
    """Only the columns that are used are looked at."""
    match rows:
        case Table():
            return _Work(rows, _NONE, {name: Read(name) for name in used})
        case Filter():
            work = _work(rows.source, used | set(reads(rows.condition)))
            both = Call("and", (work.condition, replaced(rows.condition, work.columns)))
            condition = simple(both, work.core.columns)
            # What is NULL does not hold either.
            return replace(work, condition=_NEVER if isinstance(condition, Constant) and condition.value is None else condition)
        case Project():
            outputs = {name: expression for name, expression in rows.outputs if name in used}
            work = _work(rows.source, frozenset(name for expression in outputs.values() for name in reads(expression)))
            known = work.core.columns
            return replace(work, columns={name: simple(replaced(e, work.columns), known) for name, e in outputs.items()})
        case Join():
            return _beside(rows, used) if rows.matches is None and not rows.keeps else _join(rows, used)
        case Fold():
            return _fold(rows, used)
        case _:  # a Union
            return _union(rows, used)


def _side(rows: Rows, used: frozenset[str], letter: str) -> tuple[Rows, dict[str, str]]:
    """Rows below a core with the columns that are used, and what those are called now."""
    work = _work(rows, used)
    columns = {name: work.columns[name] for name in used}
    names = _named(columns, letter)
    return work.rows(_outputs(names, columns)), names


def _outputs(names: Mapping[str, str], columns: Mapping[str, Expression]) -> tuple[tuple[str, Expression], ...]:
    return tuple(sorted({(new, columns[name]) for name, new in names.items()}, key=lambda pair: int(pair[0][1:])))


Place = tuple[int, str]  # one of the rows that stand beside each other, and a column of it


def _apart(rows: Rows, parts: list[Rows], ties: list[tuple[Place, Place]]) -> dict[str, Place]:
    """Where each column of rows is found that inner joins put beside each other: in which of the ``parts``; ``ties`` are what agrees."""
    if isinstance(rows, Project) and all(isinstance(value, Read) for _, value in rows.outputs):
        inner = _apart(rows.source, parts, ties)
        return {name: inner[column] for name, value in rows.outputs for column in reads(value)}
    if isinstance(rows, Join) and rows.matches is None and not rows.keeps:
        here, there = _apart(rows.source, parts, ties), _apart(rows.other, parts, ties)
        ties.extend((there[theirs], here[own]) for own, theirs in rows.on)
        return here | {name: there[column] for name, column in rows.adds}
    parts.append(rows)
    return {name: (len(parts) - 1, name) for name in rows.columns}


def _beside(join: Join, used: frozenset[str]) -> _Work:
    """Inner joins in one order, whichever they were written in: what they give is the bag of all combinations that agree, of one unit each.
    Protected rows come first, parents before what hangs on them, then by their spelling; public ones when something ties them. Names are
    as in ``_join``. Of two columns that agree and of which the same is known the first is read; but 0.0 agrees with -0.0.
    """
    parts, ties = list[Rows](), list[tuple[Place, Place]]()
    places = _apart(join, parts, ties)
    ties += [(there, here) for here, there in ties]
    shown = {places[name] for name in used}
    columns = [frozenset(name for at, name in shown.union(*ties) if at == i) for i in range(len(parts))]
    sides = [_side(rows, own, "d") for rows, own in zip(parts, columns, strict=True)]
    texts = [_text(rows) for rows, _ in sides]
    tied = [sorted((sides[i][1][name], texts[j], sides[j][1][its]) for (k, name), (j, its) in ties if k == i) for i in range(len(parts))]
    left = sorted(range(len(parts)), key=lambda i: (parts[i].unit is None, _links(parts[i]), texts[i], tied[i]))
    rows, names = _side(parts[left[0]], columns[left[0]], "c")
    now = {(left[0], name): new for name, new in names.items()}
    del left[0]
    added = 0
    while left:
        at = next(i for i in left if parts[i].unit is not None or any(here[0] == i and there in now for here, there in ties))
        left.remove(at)
        other, names = sides[at]
        on = sorted({(now[there], names[here[1]]) for here, there in ties if here[0] == at and there in now})
        known, theirs = rows.columns, other.columns
        fresh = {there: own for own, there in reversed(on) if known[own] == theirs[there] and known[own].type != "real"}
        more = {here for here, there in ties if there[0] in left} | shown
        adds = sorted({names[name] for i, name in more if i == at} - set(fresh))
        fresh |= {there: f"p{i}" for i, there in enumerate(adds, added)}
        added += len(adds)
        rows = Join(rows, other, tuple(on), tuple((fresh[there], there) for there in adds))
        now |= {(at, name): fresh[new] for name, new in names.items() if new in fresh}
    return _Work(rows, _NONE, {name: Read(now[places[name]]) for name in used})


def _links(rows: Rows) -> int:
    """How many links lead from the first of the tables to the ids."""
    schema, count = tables_of(rows)[0], 0
    while schema.link is not None:
        schema, count = schema.link.parent, count + 1
    return count


def _join(join: Join, used: frozenset[str]) -> _Work:
    """Own columns become c0 …, those there d0 …, and what is added p0 … With a limit of partners all of the latter stay, in their order,
    since they say which partners come first; without, each stays once."""
    added = [(name, there) for name, there in join.adds if name in used or join.matches is not None]
    met = () if join.others is None else (join.others.by, *join.others.also)
    source, names = _side(join.source, (used - {name for name, _ in join.adds}) | {own for own, _ in join.on} | set(met), "c")
    other, theirs = _side(join.other, frozenset(there for _, there in (*join.on, *added)), "d")
    order = [theirs[there] for _, there in added]
    if join.matches is None:
        order = sorted(set(order))
    adds = tuple((f"p{i}", there) for i, there in enumerate(order))
    on = tuple(sorted({(names[own], theirs[there]) for own, there in join.on}))
    # A column that is added twice is the same both times, so either will do.
    fresh = names | {name: f"p{order.index(theirs[there])}" for name, there in added}
    bond = [names[name] for name in met]
    others = join.others and replace(join.others, by=bond[0], also=tuple(sorted({*bond[1:]} - {bond[0]})))
    return _Work(Join(source, other, on, adds, join.matches, join.keeps, others), _NONE, {name: Read(fresh[name]) for name in used})


def _fold(fold: Fold, used: frozenset[str]) -> _Work:
    """Columns become c0 …, outputs f0 …; all keys stay, since they say how many rows there are."""
    outputs = {name: folded for name, folded in fold.outputs if name in used}
    columns = frozenset(folded.column for folded in outputs.values() if folded.column is not None)
    source, names = _side(fold.source, columns | set(fold.keys), "c")
    moved = {name: _renamed(folded, names) for name, folded in outputs.items()}
    order = sorted(set(moved.values()), key=lambda folded: json.dumps(_folded(folded)))
    keys = tuple(sorted({names[key] for key in fold.keys}))
    fresh = {key: names[key] for key in fold.keys} | {name: f"f{order.index(folded)}" for name, folded in moved.items()}
    core = Fold(source, keys, tuple((f"f{i}", folded) for i, folded in enumerate(order)))
    return _Work(core, _NONE, {name: Read(fresh[name]) for name in used})


def _renamed(folded: Folded, names: Mapping[str, str]) -> Folded:
    return folded if folded.column is None else replace(folded, column=names[folded.column])


def _union(union: Union, used: frozenset[str]) -> _Work:
    """Columns become u0 …, ordered by what they are in all the sources, and the sources are ordered too: it is a bag of rows."""
    works = [_work(source, used) for source in union.sources]
    order = sorted(used, key=lambda name: (sorted(spell(work.columns[name]) for work in works), len(name), name))
    names = {name: f"u{i}" for i, name in enumerate(order)}
    sources = [work.rows(tuple((names[name], work.columns[name]) for name in order)) for work in works]
    return _Work(Union(tuple(sorted(sources, key=_text))), _NONE, {name: Read(names[name]) for name in used})


def _named(columns: Mapping[str, Expression], letter: str) -> dict[str, str]:
    """A new name for each column: the same for the same expression, counted in the order of spelling."""
    order = sorted({spell(expression) for expression in columns.values()})
    return {name: f"{letter}{order.index(spell(expression))}" for name, expression in columns.items()}


def _moved(measure: Measured, names: Mapping[str, str]) -> Measured:
    """The same, of columns that have other names now."""
    if isinstance(measure, Cross):
        return Cross(tuple((names[name], size) for name, size in measure.attributes))
    if measure.column is None:
        return measure
    if isinstance(measure, Pick) or measure.second is None:
        return replace(measure, column=names[measure.column])
    return replace(measure, column=names[measure.column], second=(names[measure.second[0]], measure.second[1]))


def _once(plan: Aggregate) -> tuple[Aggregate, tuple[Measured, ...]]:
    """The plan rewritten, and what its measures have become."""
    columns = frozenset(name for measure in plan.measures for name in measure.columns)
    work = _work(plan.bound.source, columns | set(plan.bound.keys))
    names = _named({name: work.columns[name] for name in columns}, "v")
    if isinstance(cross := plan.measures[0], Cross):  # two attributes may be the same
        names = {name: f"v{i}" for i, name in enumerate(cross.columns)}
    moved = tuple(_moved(measure, names) for measure in plan.measures)

    keys = [(f"k{i}", work.columns[name]) for i, name in enumerate(plan.bound.keys)]
    domain, cells = plan.source.domain, plan.source.cells
    most = plan.bound.max_groups if cells is None else min(plan.bound.max_groups, cells)
    bound = Bound(work.rows((*keys, *_outputs(names, work.columns))), tuple(name for name, _ in keys), most, plan.bound.max_rows)
    # The values of one key are of one type, and so can be sorted.
    lists = None if domain is None else tuple(tuple(sorted(values)) for values in domain)  # type: ignore[type-var]
    measures = sorted(set(moved), key=lambda measure: json.dumps(_measure(measure)))
    return Aggregate(Group(bound, lists), tuple(measures)), moved


def _followed(plan: Aggregate) -> tuple[Aggregate, tuple[Measured, ...]]:
    """Again until nothing changes: an expression made simpler may no longer use a column further down."""
    before, found = plan, plan.measures
    while True:
        after, moved = _once(before)
        became = dict(zip(before.measures, moved, strict=True))
        found = tuple(became[measure] for measure in found)
        if after == before:
            return after, found
        before = after


def places(plan: Aggregate) -> tuple[Measure | Pick, ...]:
    """For each measure of the plan, the one of ``normal(plan)`` that it has become; combinations are alone, and need no telling."""
    return tuple(measure for measure in _followed(plan)[1] if not isinstance(measure, Cross))


def normal(plan: Aggregate) -> Aggregate:
    """The plan in its one form."""
    return _followed(plan)[0]


def key(plan: Aggregate) -> str:
    """SHA-256 of the meaning: tables and their versions, how the columns are read, conditions, keys, lists, caps, measures."""
    plan = normal(plan)
    domain = None if plan.source.domain is None else [[str(value) for value in values] for values in plan.source.domain]
    caps = [plan.bound.max_groups, plan.bound.max_rows]
    # Before "plan 3", what was scaled down was cut to whole steps, rare values of a unit were chosen as often as frequent ones, and some
    # values, groups and bonds were left out more often than others: such answers may be far off, and are not reused.
    capped = any(isinstance(one, Pick) or (isinstance(one, Measure) and (one.scaled or one.kind == "distinct")) for one in plan.measures)
    differs = (capped and caps_may_bite(plan)) or groups_may_be_left_out(plan) or plan.meeting is not None
    measures = [_measure(measure) for measure in plan.measures]
    spelled = ["plan 3" if differs else "plan 2", _rows(plan.bound.source), plan.bound.keys, domain, caps, measures]
    return hashlib.sha256(json.dumps(spelled).encode("ascii")).hexdigest()


def _measure(measure: Measured) -> list[object]:
    if isinstance(measure, Cross):
        return [measure.kind, measure.attributes]
    if isinstance(measure, Pick):
        values = None if measure.values is None else [str(value) for value in measure.values]
        shares = [str(share) for share in measure.at]
        return [measure.kind, measure.column, _snap(measure.snap), values, shares, measure.method, measure.bound]
    second = None if measure.second is None else [measure.second[0], _snap(measure.second[1])]
    return [measure.kind, measure.column, _snap(measure.snap), measure.limits, measure.degree, second, *(["rest"] * measure.rest)]


def _folded(folded: Folded) -> list[object]:
    return [folded.kind, folded.column, _snap(folded.snap)]


def _snap(snap: Snap | None) -> list[object] | None:
    return None if snap is None else [str(snap.step), snap.low, snap.high]


def _text(rows: Rows) -> str:
    return json.dumps(_rows(rows))


def _rows(rows: Rows, used: frozenset[str] = frozenset()) -> list[object]:
    """Rows of a normal plan, spelled out; of a table, those columns that are used, since the others do not matter."""
    match rows:
        case Table():
            return _table(rows.schema, used)
        case Filter():
            return ["filter", spell(rows.condition), _rows(rows.source, used | set(reads(rows.condition)))]
        case Project():
            inner = frozenset(name for _, expression in rows.outputs for name in reads(expression))
            return ["project", [[name, spell(expression)] for name, expression in rows.outputs], _rows(rows.source, inner)]
        case Join():
            met = [] if rows.others is None else [[rows.others.by, rows.others.also, rows.others.max_groups, rows.others.max_rows]]
            return ["join", rows.on, rows.adds, rows.matches, rows.keeps, *met, _rows(rows.other), _rows(rows.source)]
        case Fold():
            return ["fold", rows.keys, [[name, _folded(folded)] for name, folded in rows.outputs], _rows(rows.source)]
        case _:  # a Union
            return ["union", *map(_rows, rows.sources)]


def _table(schema: Schema, used: frozenset[str]) -> list[object]:
    columns = sorted((c for c in schema.columns if c.name in used), key=lambda column: column.name)
    part = schema.partition
    parts = None if part is None else [_read(schema, part.column), part.most]
    return ["table", *_owner(schema), [_column(column) for column in columns], parts]


def _owner(schema: Schema) -> list[object]:
    """Which table it is, and whose its rows are."""
    ids, link = schema.id, schema.link
    found = None if link is None else [_read(schema, link.column), _read(link.parent, link.key), _owner(link.parent)]
    return [schema.table, schema.version, schema.unit, None if ids is None else ids.type, found]


def _read(schema: Schema, name: str) -> list[list[object]]:
    return [_column(column) for column in schema.columns if column == schema.column(name)]


def _column(c: Column) -> list[object]:
    ends = [None if end is None else str(end) for end in (c.low, c.high)]
    return [c.name, c.type, *ends, None if c.values is None else sorted(map(str, c.values)), c.grain]
