"""Several sources in FROM become one: each row beside rows of the same person, or beside public
ones.

The order in which they are written does not matter, so they are put together one by one, beginning
with the first protected one, each with an equality that ties it to those already there. Rows of two
people never meet: two protected sources need an equality of their ids, or of a declared foreign key
and the key it leads to. What is about another population comes last, joined by its id
(``meeting``).
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.plan.measures import SecondPopulation
from hedgerow.plan.nodes import Join
from hedgerow.plan.values import Range
from hedgerow.sql.binder.row_expressions import RowBinder
from hedgerow.sql.binder.scope import ColumnReference, Scope
from hedgerow.sql.binder.typed_expression import TypedExpression, align_types
from hedgerow.sql.catalog import PRIVACY_ID
from hedgerow.sql.relations.join_conditions import JoinCondition, JoinConditions, JoinInput
from hedgerow.sql.relations.second_population import find_second_population, is_reference
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["JoinedRows", "join_inputs"]

MAX_INPUTS: Final = 30
_ONE_BY_ONE: Final = "Join public tables to the protected one, one by one."
_SAME_IDS: Final = "Compare ids with ids: a.patient_id = b.patient_id."


@dataclass(frozen=True, slots=True)
class JoinedRows:
    """All sources as one, and the conditions that still have to hold."""

    scope: Scope
    conditions: tuple[TypedExpression, ...]


def join_inputs(text: SourceText, parts: Sequence[JoinInput], where: exp.Expr | None) -> JoinedRows:
    """The sources put together, and the conditions of ON and WHERE that are no ties."""
    if len(parts) > MAX_INPUTS:
        raise text.refusal(
            Unsupported,
            f"FROM has more than {MAX_INPUTS} sources",
            parts[MAX_INPUTS].node,
            "Ask several shorter questions.",
        )
    return _JoinBuilder(text, JoinConditions(text, parts, where)).build()


class _JoinBuilder:
    def __init__(self, text: SourceText, read: JoinConditions) -> None:
        self._text, self._inputs, self._join_conditions, self._filters = (
            text,
            read.inputs,
            read.conditions,
            read.filters,
        )
        self._scope = self._inputs[0].scope
        self._second_population = find_second_population(text, self._inputs, self._join_conditions)
        self._capping_tables = frozenset(
            name
            for i in self._find_multiplying_inputs()
            for name in self._inputs[i].scope.capping_table_names
        )

    def build(self) -> JoinedRows:
        """Everything, or the first refusal."""
        self._join_all()
        return JoinedRows(self._scope, tuple(self._bind_conditions()))

    def _join_all(self) -> None:
        first = next(
            (
                i
                for i, part in enumerate(self._inputs)
                if part.scope.tables and not part.is_left_join and i != self._second_population
            ),
            None,
        )
        if first is None:
            self._refuse(
                self._inputs[-1].node,
                "Here public tables are joined before a protected one",
                _ONE_BY_ONE,
            )
        self._scope, placed = self._inputs[first].scope, {first}
        while left := [
            i for i in range(len(self._inputs)) if i not in placed and i != self._second_population
        ]:
            chosen = next((i for i in left if self._find_problem(i, placed) is None), None)
            if chosen is None:
                what, instead, node = self._find_problem(left[0], placed) or ("", "", None)
                self._refuse(node or self._inputs[left[0]].node, what, instead)
            self._add_input(chosen, placed)
            placed.add(chosen)
        if self._second_population is not None:
            self._join_second_population(self._second_population, placed)
        order = [alias for part in self._inputs for alias, _ in part.scope.sources]
        columns = sorted(self._scope.columns, key=lambda one: order.index(one.alias))
        sources = tuple(part.scope.sources[0] for part in self._inputs)
        self._scope = replace(
            self._scope,
            columns=tuple(columns),
            sources=sources,
            capping_tables=self._capping_tables,
        )

    def _find_multiplying_inputs(self) -> list[int]:
        """The protected parts of which a row of the others may meet several rows: the caps of these
        count. The rest has one for each person and value of columns that are tied to the others,
        like what IN (SELECT …) asks for. The order in which they are written is no matter."""
        parts, alone = self._inputs, set[int]()
        for i in sorted(
            range(len(parts)),
            key=lambda i: (sorted(parts[i].scope.capping_table_names), parts[i].alias),
        ):
            once, others = (
                parts[i].scope.key_within_unit,
                {j for j in range(len(parts)) if j != i} - alone,
            )
            ends = [
                found
                for tie in self._join_conditions
                if tie.left_join in (None, i) and (found := tie.find_ends(i)) is not None
            ]
            tied = {here.plan_column for here, other, _ in ends if other in others}
            if (
                once is not None
                and once <= tied
                and any(parts[j].scope.population == parts[i].scope.population for j in others)
            ):
                alone.add(i)
        return [i for i, part in enumerate(parts) if part.scope.tables and i not in alone]

    def _list_usable_conditions(
        self, place: int, placed: set[int]
    ) -> Iterator[tuple[JoinCondition, ColumnReference, ColumnReference]]:
        """The ties of a part to those that are there: own column, and column there as it is
        called now.
        """
        for tie in self._join_conditions:
            ends = tie.find_ends(place)
            if (
                ends is not None
                and ends[1] in placed
                and (tie.left_join == place or not self._inputs[place].is_left_join)
            ):
                here, other, there = ends
                alias, name = self._inputs[other].alias, there.name
                now = next(
                    one for one in self._scope.columns if (one.alias, one.name) == (alias, name)
                )
                yield tie, here, now

    def _find_problem(
        self, place: int, placed: set[int]
    ) -> tuple[str, str, exp.Expr | None] | None:
        """Why a part cannot be joined to what is there; None where it can."""
        part, ties = self._inputs[place], list(self._list_usable_conditions(place, placed))
        label = part.scope.sources[0][1]
        waits = [
            tie
            for tie in self._join_conditions
            if tie.left_join == place
            and (ends := tie.find_ends(place)) is not None
            and ends[1] not in placed
        ]
        if waits:
            return (
                "What stands left of this LEFT JOIN is not joined to a protected table",
                _ONE_BY_ONE,
                None,
            )
        for tie, here, there in ties:
            if here.may_be_missing or there.may_be_missing:
                name = (here if here.may_be_missing else there).name
                return (
                    f"{name} may be missing here, behind a LEFT JOIN",
                    f"Use the {name} of the table on the left.",
                    tie.node,
                )
            if here.is_privacy_id != there.is_privacy_id:
                name = (here if here.is_privacy_id else there).name
                return (
                    (
                        f"{name} says whose rows these are, and is equal to nothing but the same of"
                        " another table"
                    ),
                    _SAME_IDS,
                    tie.node,
                )
        if not part.scope.tables:
            return self._find_public_problem(part, label, ties)
        if "row" in (part.scope.rows.unit, self._scope.rows.unit):
            return (
                "Where every row is somebody of their own, rows of two people would meet",
                "Join such a table with public ones only.",
                None,
            )
        if not any(here.owner is not None and here.owner == there.owner for _, here, there in ties):
            return (
                (
                    f"Nothing says that a row of {label} belongs to the same person as the row"
                    " beside it"
                ),
                self._suggest_condition(part, ties),
                None,
            )
        return None

    def _find_public_problem(
        self,
        part: JoinInput,
        label: str,
        ties: Sequence[tuple[JoinCondition, ColumnReference, ColumnReference]],
    ) -> tuple[str, str, None] | None:
        if not ties:
            return (
                f"Nothing joins {label} to the others",
                f"Add an equality, such as ON {self._inputs[0].alias}.x = {part.alias}.x.",
                None,
            )
        if self._scope.rows.unit == "row" and not _has_unique_key(
            part.scope, [here for _, here, _ in ties]
        ):
            what = f"A row may meet several rows of {label}, and every row is somebody of their own"
            return what, f"Join on columns that the policy declares as unique in {label}.", None
        return None

    def _suggest_condition(
        self,
        part: JoinInput,
        ties: Sequence[tuple[JoinCondition, ColumnReference, ColumnReference]],
    ) -> str:
        mine = next((one for one in part.scope.columns if one.owner is not None), None)
        if mine is not None:
            theirs = next((one for one in self._scope.columns if one.owner == mine.owner), None)
            if theirs is not None:
                added = (
                    f"Add {quote_name(theirs.alias)}.{quote_name(theirs.name)} ="
                    f" {quote_name(mine.alias)}.{quote_name(mine.name)}"
                )
                shared = [
                    quote_name(here.name) for _, here, there in ties if here.name == there.name
                ]
                if not shared or part.scope.tables != self._scope.tables:
                    return f"{added}."
                return (
                    f"{added}, for rows of one person; what people share is counted alone: SELECT"
                    f" COUNT(*) … GROUP BY {', '.join(shared)}."
                )
        return (
            "Join on the id of the unit, or on a declared foreign key; a subquery has to select it,"
            " under its own name."
        )

    def _add_input(self, place: int, placed: set[int]) -> None:
        part, source = self._inputs[place], self._scope
        ties = list(self._list_usable_conditions(place, placed))
        pairs = [
            (there.plan_column, here.plan_column)
            for tie, here, there in ties
            if self._check_types(tie, here, there) and here.owner != PRIVACY_ID
        ]
        names = _choose_plan_names(part.scope, source)
        adds = tuple(
            (names[one.plan_column], one.plan_column)
            for one in part.scope.columns
            if one.plan_column
        )
        public = not part.scope.tables
        unique = public and _has_unique_key(part.scope, [here for _, here, _ in ties])
        matches = 1 if source.rows.unit == "row" else None
        rows = Join(
            source.rows,
            part.scope.rows,
            tuple(dict.fromkeys(pairs)),
            adds,
            matches,
            part.is_left_join,
        )
        known = rows.columns
        added = tuple(_add_column(one, names, part.is_left_join) for one in part.scope.columns)
        columns = tuple(
            replace(one, range=known[one.plan_column]) if one.plan_column else one for one in added
        )
        everything = _merge_equal_columns(
            (*source.columns, *columns),
            [] if part.is_left_join else [(own, names[there]) for own, there in pairs],
        )
        there_once = frozenset[str]() if unique else part.scope.key_within_unit
        once = None
        if source.key_within_unit is not None and there_once is not None:
            once = source.key_within_unit | {
                names[column]
                for column in there_once
                if column not in {there for _, there in pairs}
            }
        tables = tuple(dict((*source.tables, *part.scope.tables)).items())
        leaves, work = source.source_count + part.scope.source_count, source.work + part.scope.work
        self._scope = Scope(
            self._text, rows, everything, source.sources, tables, once, leaves, work
        ).check_limits()
        self._join_conditions = [
            tie for tie in self._join_conditions if tie not in [used for used, _, _ in ties]
        ]

    def _join_second_population(self, place: int, placed: set[int]) -> None:
        """Each row beside one of the person of another population whom it names; further equalities
        with that one are conditions, where that person has no other row for which they might hold.
        """
        part, source = self._inputs[place], self._scope
        tie, here, there = next(
            found
            for found in self._list_usable_conditions(place, placed)
            if is_reference(found[0], place)
        )
        further = [
            other
            for other in self._join_conditions
            if other is not tie and other.find_ends(place) is not None
        ]
        if further and part.scope.key_within_unit != frozenset():
            what = (
                f"Whom a row names has one row to meet, the first, and {part.scope.tables[0][0]}"
                " may have others for which this holds"
            )
            self._refuse(
                further[0].node,
                what,
                f"Join a subquery with one row for each: SELECT {quote_name(here.name)}, MAX(x) AS"
                f" x … GROUP BY {quote_name(here.name)}.",
            )
        if there.value.type == "real":
            self._refuse(
                tie.node,
                f"{there.name} is declared as real, which names nobody exactly",
                "Declare both columns as integer, or as text.",
            )
        names = _choose_plan_names(part.scope, source)
        adds = tuple(
            (names[one.plan_column], one.plan_column)
            for one in part.scope.columns
            if one.plan_column
        )
        others = SecondPopulation(there.plan_column, (), source.max_groups, part.scope.max_rows)
        rows = Join(source.rows, part.scope.rows, (), adds, 1, second_population=others)
        columns = (*source.columns, *(_add_column(one, names, False) for one in part.scope.columns))
        leaves, work = source.source_count + part.scope.source_count, source.work + part.scope.work
        tables = (*source.tables, *part.scope.tables)
        self._scope = Scope(
            self._text, rows, columns, source.sources, tables, source.key_within_unit, leaves, work
        ).check_limits()
        self._join_conditions = [other for other in self._join_conditions if other is not tie]

    def _check_types(
        self, tie: JoinCondition, here: ColumnReference, there: ColumnReference
    ) -> bool:
        """Always True; refuses where the types do not go together."""
        if not here.is_privacy_id:
            RowBinder(self._scope).apply(tie.node, "=", there.value, here.value)
        return True

    def _bind_conditions(self) -> Iterator[TypedExpression]:
        leftover = [(tie.node, len(self._inputs) - 1) for tie in self._join_conditions]
        for node, last in (*self._filters, *leftover):
            aliases = {part.alias.casefold() for part in self._inputs[: last + 1]}
            scope = self._scope.restrict_to(aliases)
            (value,) = align_types([RowBinder(scope).bind(node)], "boolean")
            if value.type != "boolean":
                self._refuse(
                    node,
                    f"A condition is wanted here, and this is {value.type}",
                    "Write a comparison, such as x > 0 or x = 'a'.",
                )
            yield value

    def _refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        raise self._text.refusal(Unsupported, what, node, instead)


def _has_unique_key(scope: Scope, columns: Sequence[ColumnReference]) -> bool:
    """Whether these columns cover a declared key of a public table."""
    names = {one.origin[1].name.casefold() for one in columns if one.origin is not None}
    return any({name.casefold() for name in key} <= names for key in scope.unique)


def _choose_plan_names(scope: Scope, source: Scope) -> dict[str, str]:
    """New names for the columns of a source: its own where that is free, else with the alias
    before it.
    """
    taken = set(source.rows.columns)
    names: dict[str, str] = {}
    for one in scope.columns:
        wanted = one.plan_column if one.plan_column not in taken else f"{one.alias}.{one.name}"
        while wanted in taken:
            wanted += "_"
        if one.plan_column and one.plan_column not in names:
            names[one.plan_column] = wanted
            taken.add(wanted)
    return names


def _merge_equal_columns(
    columns: Sequence[ColumnReference], pairs: Sequence[tuple[str, str]]
) -> tuple[ColumnReference, ...]:
    """Where two columns are equal in every row, both are read from the one of which more is
    known. Reals are not: 0.0 equals -0.0.
    """
    by_name = {one.plan_column: one for one in columns}
    better: dict[str, ColumnReference] = {}
    for own, there in pairs:
        mine, theirs = by_name[own].range, by_name[there].range
        if mine.type == theirs.type != "real" and _rank_knowledge(mine) != _rank_knowledge(theirs):
            more, less = (
                (own, there) if _rank_knowledge(mine) > _rank_knowledge(theirs) else (there, own)
            )
            better[less] = by_name[more]
    return tuple(
        (
            replace(one, plan_column=other.plan_column, range=other.range)
            if (other := better.get(one.plan_column))
            else one
        )
        for one in columns
    )


def _rank_knowledge(range_: Range) -> tuple[bool, bool]:
    return range_.values is not None, range_.is_bounded


def _add_column(one: ColumnReference, names: dict[str, str], keeps: bool) -> ColumnReference:
    """A column of the right side: behind a LEFT JOIN an id may be missing, and so says no more
    whose row it is.
    """
    if not one.plan_column:
        return replace(one, owner=None, may_be_missing=True) if keeps else one
    return replace(one, plan_column=names[one.plan_column], size=1, work=1)
