"""Several sources in FROM become one: each row beside rows of the same person, or beside public ones.

The order in which they are written does not matter, so they are put together one by one, beginning with the first protected one, each
with an equality that ties it to those already there. Rows of two people never meet: two protected sources need an equality of their ids,
or of a declared foreign key and the key it leads to. What is about another population comes last, joined by its id (``meeting``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.measures import Others
from hedgerow.plan.nodes import Join
from hedgerow.plan.values import Range
from hedgerow.sql.catalog import UNIT
from hedgerow.sql.meeting import names_unit, other_place
from hedgerow.sql.quoting import quoted
from hedgerow.sql.readers import RowReader
from hedgerow.sql.scope import Scope, Visible
from hedgerow.sql.text import Text
from hedgerow.sql.ties import Part, Tie, Ties
from hedgerow.sql.typed import Typed, aligned

__all__ = ["Joined", "joined"]

MAX_PARTS: Final = 30
_ONE_BY_ONE: Final = "Join public tables to the protected one, one by one."
_SAME_IDS: Final = "Compare ids with ids: a.patient_id = b.patient_id."


@dataclass(frozen=True, slots=True)
class Joined:
    """All sources as one, and the conditions that still have to hold."""

    scope: Scope
    conditions: tuple[Typed, ...]


def joined(text: Text, parts: Sequence[Part], where: exp.Expr | None) -> Joined:
    """The sources put together, and the conditions of ON and WHERE that are no ties."""
    if len(parts) > MAX_PARTS:
        raise text.refusal(Unsupported, f"FROM has more than {MAX_PARTS} sources", parts[MAX_PARTS].node, "Ask several shorter questions.")
    return _Joining(text, Ties(text, parts, where)).run()


class _Joining:
    def __init__(self, text: Text, read: Ties) -> None:
        self._text, self._parts, self._ties, self._rest = text, read.parts, read.ties, read.rest
        self._scope = self._parts[0].scope
        self._other = other_place(text, self._parts, self._ties)
        self._capping = frozenset(name for i in self._several() for name in self._parts[i].scope.capped)

    def run(self) -> Joined:
        """Everything, or the first refusal."""
        self._place()
        return Joined(self._scope, tuple(self._conditions()))

    def _place(self) -> None:
        first = next((i for i, part in enumerate(self._parts) if part.scope.tables and not part.keeps and i != self._other), None)
        if first is None:
            self._refuse(self._parts[-1].node, "Here public tables are joined before a protected one", _ONE_BY_ONE)
        self._scope, placed = self._parts[first].scope, {first}
        while left := [i for i in range(len(self._parts)) if i not in placed and i != self._other]:
            chosen = next((i for i in left if self._problem(i, placed) is None), None)
            if chosen is None:
                what, instead, node = self._problem(left[0], placed) or ("", "", None)
                self._refuse(node or self._parts[left[0]].node, what, instead)
            self._add(chosen, placed)
            placed.add(chosen)
        if self._other is not None:
            self._meet(self._other, placed)
        order = [alias for part in self._parts for alias, _ in part.scope.sources]
        columns = sorted(self._scope.columns, key=lambda one: order.index(one.alias))
        sources = tuple(part.scope.sources[0] for part in self._parts)
        self._scope = replace(self._scope, columns=tuple(columns), sources=sources, capping=self._capping)

    def _several(self) -> list[int]:
        """The protected parts of which a row of the others may meet several rows: the caps of these count. The rest has one for each person
        and value of columns that are tied to the others, like what IN (SELECT …) asks for. The order in which they are written is no
        matter."""
        parts, alone = self._parts, set[int]()
        for i in sorted(range(len(parts)), key=lambda i: (sorted(parts[i].scope.capped), parts[i].alias)):
            once, others = parts[i].scope.once, {j for j in range(len(parts)) if j != i} - alone
            ends = [found for tie in self._ties if tie.of in (None, i) and (found := tie.ends(i)) is not None]
            tied = {here.column for here, other, _ in ends if other in others}
            if once is not None and once <= tied and any(parts[j].scope.population == parts[i].scope.population for j in others):
                alone.add(i)
        return [i for i, part in enumerate(parts) if part.scope.tables and i not in alone]

    def _usable(self, place: int, placed: set[int]) -> Iterator[tuple[Tie, Visible, Visible]]:
        """The ties of a part to those that are there: own column, and column there as it is called now."""
        for tie in self._ties:
            ends = tie.ends(place)
            if ends is not None and ends[1] in placed and (tie.of == place or not self._parts[place].keeps):
                here, other, there = ends
                alias, name = self._parts[other].alias, there.name
                now = next(one for one in self._scope.columns if (one.alias, one.name) == (alias, name))
                yield tie, here, now

    def _problem(self, place: int, placed: set[int]) -> tuple[str, str, exp.Expr | None] | None:
        """Why a part cannot be joined to what is there; None where it can."""
        part, ties = self._parts[place], list(self._usable(place, placed))
        label = part.scope.sources[0][1]
        waits = [tie for tie in self._ties if tie.of == place and (ends := tie.ends(place)) is not None and ends[1] not in placed]
        if waits:
            return "What stands left of this LEFT JOIN is not joined to a protected table", _ONE_BY_ONE, None
        for tie, here, there in ties:
            if here.lost or there.lost:
                name = (here if here.lost else there).name
                return f"{name} may be missing here, behind a LEFT JOIN", f"Use the {name} of the table on the left.", tie.node
            if here.is_unit != there.is_unit:
                name = (here if here.is_unit else there).name
                return f"{name} says whose rows these are, and is equal to nothing but the same of another table", _SAME_IDS, tie.node
        if not part.scope.tables:
            return self._public_problem(part, label, ties)
        if "row" in (part.scope.rows.unit, self._scope.rows.unit):
            return (
                "Where every row is somebody of their own, rows of two people would meet",
                "Join such a table with public ones only.",
                None,
            )
        if not any(here.whose is not None and here.whose == there.whose for _, here, there in ties):
            return f"Nothing says that a row of {label} belongs to the same person as the row beside it", self._advice(part, ties), None
        return None

    def _public_problem(self, part: Part, label: str, ties: Sequence[tuple[Tie, Visible, Visible]]) -> tuple[str, str, None] | None:
        if not ties:
            return f"Nothing joins {label} to the others", f"Add an equality, such as ON {self._parts[0].alias}.x = {part.alias}.x.", None
        if self._scope.rows.unit == "row" and not _is_unique(part.scope, [here for _, here, _ in ties]):
            what = f"A row may meet several rows of {label}, and every row is somebody of their own"
            return what, f"Join on columns that the policy declares as unique in {label}.", None
        return None

    def _advice(self, part: Part, ties: Sequence[tuple[Tie, Visible, Visible]]) -> str:
        mine = next((one for one in part.scope.columns if one.whose is not None), None)
        if mine is not None:
            theirs = next((one for one in self._scope.columns if one.whose == mine.whose), None)
            if theirs is not None:
                added = f"Add {quoted(theirs.alias)}.{quoted(theirs.name)} = {quoted(mine.alias)}.{quoted(mine.name)}"
                shared = [quoted(here.name) for _, here, there in ties if here.name == there.name]
                if not shared or part.scope.tables != self._scope.tables:
                    return f"{added}."
                return (
                    f"{added}, for rows of one person; what people share is counted alone: SELECT COUNT(*) … GROUP BY {', '.join(shared)}."
                )
        return "Join on the id of the unit, or on a declared foreign key; a subquery has to select it, under its own name."

    def _add(self, place: int, placed: set[int]) -> None:
        part, source = self._parts[place], self._scope
        ties = list(self._usable(place, placed))
        pairs = [(there.column, here.column) for tie, here, there in ties if self._compared(tie, here, there) and here.whose != UNIT]
        names = _fresh(part.scope, source)
        adds = tuple((names[one.column], one.column) for one in part.scope.columns if one.column)
        public = not part.scope.tables
        unique = public and _is_unique(part.scope, [here for _, here, _ in ties])
        matches = 1 if source.rows.unit == "row" else None
        rows = Join(source.rows, part.scope.rows, tuple(dict.fromkeys(pairs)), adds, matches, part.keeps)
        known = rows.columns
        added = tuple(_added(one, names, part.keeps) for one in part.scope.columns)
        columns = tuple(replace(one, range=known[one.column]) if one.column else one for one in added)
        everything = _agreeing((*source.columns, *columns), [] if part.keeps else [(own, names[there]) for own, there in pairs])
        there_once = frozenset[str]() if unique else part.scope.once
        once = None
        if source.once is not None and there_once is not None:
            once = source.once | {names[column] for column in there_once if column not in {there for _, there in pairs}}
        tables = tuple(dict((*source.tables, *part.scope.tables)).items())
        leaves, work = source.leaves + part.scope.leaves, source.work + part.scope.work
        self._scope = Scope(self._text, rows, everything, source.sources, tables, once, leaves, work).within_limits()
        self._ties = [tie for tie in self._ties if tie not in [used for used, _, _ in ties]]

    def _meet(self, place: int, placed: set[int]) -> None:
        """Each row beside one of the person of another population whom it names; further equalities with that one are conditions, where
        that person has no other row for which they might hold."""
        part, source = self._parts[place], self._scope
        tie, here, there = next(found for found in self._usable(place, placed) if names_unit(found[0], place))
        further = [other for other in self._ties if other is not tie and other.ends(place) is not None]
        if further and part.scope.once != frozenset():
            what = f"Whom a row names has one row to meet, the first, and {part.scope.tables[0][0]} may have others for which this holds"
            self._refuse(
                further[0].node,
                what,
                f"Join a subquery with one row for each: SELECT {quoted(here.name)}, MAX(x) AS x … GROUP BY {quoted(here.name)}.",
            )
        if there.value.type == "real":
            self._refuse(
                tie.node, f"{there.name} is declared as real, which names nobody exactly", "Declare both columns as integer, or as text."
            )
        names = _fresh(part.scope, source)
        adds = tuple((names[one.column], one.column) for one in part.scope.columns if one.column)
        others = Others(there.column, (), source.max_groups, part.scope.max_rows)
        rows = Join(source.rows, part.scope.rows, (), adds, 1, others=others)
        columns = (*source.columns, *(_added(one, names, False) for one in part.scope.columns))
        leaves, work = source.leaves + part.scope.leaves, source.work + part.scope.work
        tables = (*source.tables, *part.scope.tables)
        self._scope = Scope(self._text, rows, columns, source.sources, tables, source.once, leaves, work).within_limits()
        self._ties = [other for other in self._ties if other is not tie]

    def _compared(self, tie: Tie, here: Visible, there: Visible) -> bool:
        """Always True; refuses where the types do not go together."""
        if not here.is_unit:
            RowReader(self._scope).call(tie.node, "=", there.value, here.value)
        return True

    def _conditions(self) -> Iterator[Typed]:
        leftover = [(tie.node, len(self._parts) - 1) for tie in self._ties]
        for node, last in (*self._rest, *leftover):
            aliases = {part.alias.casefold() for part in self._parts[: last + 1]}
            scope = self._scope.seen(aliases)
            (value,) = aligned([RowReader(scope).read(node)], "boolean")
            if value.type != "boolean":
                self._refuse(node, f"A condition is wanted here, and this is {value.type}", "Write a comparison, such as x > 0 or x = 'a'.")
            yield value

    def _refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        raise self._text.refusal(Unsupported, what, node, instead)


def _is_unique(scope: Scope, columns: Sequence[Visible]) -> bool:
    """Whether these columns cover a declared key of a public table."""
    names = {one.origin[1].name.casefold() for one in columns if one.origin is not None}
    return any({name.casefold() for name in key} <= names for key in scope.unique)


def _fresh(scope: Scope, source: Scope) -> dict[str, str]:
    """New names for the columns of a source: its own where that is free, else with the alias before it."""
    taken = set(source.rows.columns)
    names: dict[str, str] = {}
    for one in scope.columns:
        wanted = one.column if one.column not in taken else f"{one.alias}.{one.name}"
        while wanted in taken:
            wanted += "_"
        if one.column and one.column not in names:
            names[one.column] = wanted
            taken.add(wanted)
    return names


def _agreeing(columns: Sequence[Visible], pairs: Sequence[tuple[str, str]]) -> tuple[Visible, ...]:
    """Where two columns are equal in every row, both are read from the one of which more is known. Reals are not: 0.0 equals -0.0."""
    by_name = {one.column: one for one in columns}
    better: dict[str, Visible] = {}
    for own, there in pairs:
        mine, theirs = by_name[own].range, by_name[there].range
        if mine.type == theirs.type != "real" and _known(mine) != _known(theirs):
            more, less = (own, there) if _known(mine) > _known(theirs) else (there, own)
            better[less] = by_name[more]
    return tuple(replace(one, column=other.column, range=other.range) if (other := better.get(one.column)) else one for one in columns)


def _known(range_: Range) -> tuple[bool, bool]:
    return range_.values is not None, range_.bounded


def _added(one: Visible, names: dict[str, str], keeps: bool) -> Visible:
    """A column of the right side: behind a LEFT JOIN an id may be missing, and so says no more whose row it is."""
    if not one.column:
        return replace(one, whose=None, lost=True) if keeps else one
    return replace(one, column=names[one.column], size=1, work=1)
