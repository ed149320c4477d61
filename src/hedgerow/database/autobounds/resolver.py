"""Questions that need what the policy leaves open and lets be found (``auto_bounds``): bounds of
columns, caps of tables.

Such a question is read as ever. Where a bound or a cap is missing, what was found on this version
of the data takes its place, and from there on it is as if it had been declared: it is part of what
the question means. Where nothing was found yet, a stand-in does, so that the question can be
priced; then it is found first (``bounds``, ``caps``), by a release of its own that all use from
then on.

What was found first stands. A question costs what it says: a share of its epsilon pays for the
search, the rest for the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from hedgerow.answers.explanation import ExplainedAggregate, Explanation, count_questions_left
from hedgerow.database.autobounds.column_bounds import (
    SEARCH_SHARE,
    ColumnBounds,
    compute_search_epsilon,
)
from hedgerow.database.autobounds.contribution_caps import NO_CAP, find_table_keys
from hedgerow.database.autobounds.search import (
    BoundsSearch,
    FoundBounds,
    build_bounds_search,
    build_caps_search,
    build_request_key,
)
from hedgerow.errors import BudgetExceeded, Refused, Unbounded
from hedgerow.ledger.interface import LedgerBase
from hedgerow.policy import Policy
from hedgerow.privacy.budget import Budget, TableParts
from hedgerow.privacy.budget_view import format_decimals
from hedgerow.privacy.loss import Loss
from hedgerow.release.payload import Release
from hedgerow.sql.catalog import Catalog, ColumnName, TableCaps, UndeclaredBounds
from hedgerow.sql.parser import parse_question
from hedgerow.sql.question import Question

__all__ = [
    "STAND_INS",
    "BoundsResolver",
    "ResolvedQuestion",
    "add_search_cost",
    "build_too_few_refusal",
    "read_asked_epsilon",
]

# What differs between a question under the one and under the other is not known yet.
STAND_INS: Final[tuple[tuple[ColumnBounds, int], ...]] = (
    ((Fraction(-1), Fraction(1)), 1),
    ((Fraction(-4), Fraction(4)), 4),
)


@dataclass(frozen=True, slots=True)
class ResolvedQuestion:
    """A question with what was found for it; a stand-in has the place of what is ``missing``."""

    question: Question
    found_bounds: tuple[FoundBounds, ...] = ()
    missing_searches: tuple[BoundsSearch, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found."""
        return tuple(found.note for found in self.found_bounds)


class BoundsResolver:
    """What the ledger knows of bounds and caps, and how questions are read under them."""

    def __init__(self, policy: Policy, catalog: Catalog, ledger: LedgerBase) -> None:
        self._policy, self._catalog, self._ledger = policy, catalog, ledger
        # the same words mean the same thing
        self._parse_cached = lru_cache(maxsize=64)(self._parse)
        self._searches: dict[tuple[object, ...], BoundsSearch] = {}
        self._results: dict[BoundsSearch, FoundBounds] = {}
        self._uncapped: TableCaps = {
            name: (NO_CAP, NO_CAP)
            for name, entry in catalog.tables.items()
            if entry.undeclared_caps
        }

    def resolve(self, sql: str, stand_in: int = 0) -> ResolvedQuestion:
        """The question, with what is known and what is not. Touches no data."""
        ends, cap = STAND_INS[stand_in]
        sought: dict[BoundsSearch, FoundBounds | None] = {}
        question = self._read_with_bounds(sql, ends, self._uncapped, sought)
        if any(name in self._uncapped for name in question.tables):
            table, search = self._find_caps_search(question)
            found = None
            if search is not None:
                found = sought[search] = self.find_result(search)
            question = self._read_with_bounds(
                sql, ends, {table: _fill_caps(question, search, found, cap)}, sought
            )
        known = tuple(found for found in sought.values() if found is not None)
        return ResolvedQuestion(
            question, known, tuple(search for search, found in sought.items() if found is None)
        )

    def _read_with_bounds(
        self,
        sql: str,
        stand_in: ColumnBounds,
        caps: TableCaps,
        sought: dict[BoundsSearch, FoundBounds | None],
    ) -> Question:
        """Read under the bounds that it needs; what was ``sought`` for it is noted."""
        ends: dict[ColumnName, ColumnBounds] = {}
        while not isinstance(
            got := self._parse_cached(sql, tuple(sorted(ends.items())), tuple(caps.items())),
            Question,
        ):
            for name in got:
                search = self.find_bounds_search(name)
                found = sought[search] = self.find_result(search)
                ends[name] = stand_in if found is None else (found.values[0], found.values[1])
        return got

    def _parse(
        self,
        sql: str,
        ends: tuple[tuple[ColumnName, ColumnBounds], ...],
        caps: tuple[tuple[str, tuple[int, int]], ...],
    ) -> Question | tuple[ColumnName, ...]:
        """The question, or the columns whose bounds it needs as well."""
        try:
            return parse_question(sql, self._catalog.with_bounds(dict(ends)).with_caps(dict(caps)))
        except UndeclaredBounds as missing:
            return missing.columns

    def _find_caps_search(self, question: Question) -> tuple[str, BoundsSearch | None]:
        """The table of a question whose caps are open, and the search for those that it needs:
        read with no limits, it shows which.
        """
        table = next(name for name in question.tables if name in self._uncapped)
        wanted = tuple(
            name
            for name in self._catalog.tables[table].undeclared_caps
            if _needs_cap(question, name)
        )
        if not wanted:
            return table, None
        keys = find_table_keys(question.plan)
        made = self._searches.get((table, keys, wanted))
        if made is None:
            try:
                made = self._searches.setdefault(
                    (table, keys, wanted),
                    build_caps_search(self._policy, self._catalog, table, keys, wanted),
                )
            except Unbounded:
                raise Refused(
                    f"The caps of {table} are not declared. They are found for questions about that"
                    " table alone, not joined or folded, whose keys need no bounds that are found"
                    f" as well. Declare {' and '.join(wanted)} under [tables.{table}]."
                ) from None
        return table, made

    def find_bounds_search(self, name: ColumnName) -> BoundsSearch:
        """The search for the bounds of a column."""
        made = self._searches.get(name)
        # Of two threads that make one, both take the first.
        return (
            made
            if made is not None
            else self._searches.setdefault(
                name, build_bounds_search(self._policy, self._catalog, name)
            )
        )

    def find_result(self, search: BoundsSearch) -> FoundBounds | None:
        """What was found first; nothing can change it."""
        if search not in self._results:
            for release in self._list_attempts(search):
                values = search.decode_result(release.numbers)
                if values is not None:
                    self._results[search] = FoundBounds(search, values, release.entry.seq)
                    break
        return self._results.get(search)

    def _list_attempts(self, search: BoundsSearch) -> list[Release]:
        """In the order of their answers, not of their charges: one that still runs may have been
        charged before the one that stands.
        """
        return [
            Release.from_payload(charge, payload)
            for charge, payload in self._ledger.answers(search.key, search.table.version)
        ]

    def list_paid_searches(
        self, reading: ResolvedQuestion, analyst: str, request: str | None
    ) -> tuple[BoundsSearch, ...]:
        """The searches for which this question pays: for what is missing, and for what it found
        when it was sent before, under the same request."""
        if request is None:
            return reading.missing_searches
        book, known = self._ledger.state, [found.search for found in reading.found_bounds]
        return (
            *(
                search
                for search in known
                if book.find_request(analyst, build_request_key(request, search)) is not None
            ),
            *reading.missing_searches,
        )

    def check_affordable(
        self,
        reading: ResolvedQuestion,
        analyst: str,
        asked: Fraction,
        part: Fraction,
        rest: Loss,
        at: TableParts | None,
    ) -> None:
        """Refuses where not all of it can be paid for, before any of it is: what is found for a
        question that is refused would be wasted. Also where a search at this price has failed,
        since it would again."""
        for search in reading.missing_searches:
            if any(release.epsilon >= part for release in self._list_attempts(search)):
                raise build_too_few_refusal([search])
        book = self._ledger.state
        quota, spent = book.quota(analyst), book.asked_epsilon(analyst)
        if quota is not None and spent + asked > quota:
            left = format_decimals(max(quota - spent, Fraction(0)))
            asks = f"it asks for epsilon {format_decimals(asked, up=True)} with {left} left."
            raise BudgetExceeded(
                f"The quota of analyst '{analyst}' does not cover this question: {asks}"
            )
        population = reading.missing_searches[0].budget_rule.population
        try:
            _charge_all(
                book.budget(population),
                [search.loss(part) for search in reading.missing_searches],
                rest,
                at,
            )
        except BudgetExceeded as problem:
            raise BudgetExceeded(
                f"{problem} This is the budget of the population '{population}'."
            ) from None

    def explain_before_search(
        self,
        one: Explanation,
        other: Explanation,
        missing: Sequence[BoundsSearch],
        asked: Fraction,
        at: TableParts | None,
    ) -> Explanation:
        """An explanation before all is found, from those under two stand-ins: what differs
        cannot be told yet.
        """
        part, budget = (
            compute_search_epsilon(asked, len(missing)),
            self._ledger.state.budget(missing[0].budget_rule.population),
        )
        cost = add_search_cost(missing, asked, one.cost)
        lines = tuple(
            (
                line
                if line == twin
                else ExplainedAggregate(
                    line.aggregate,
                    line.mechanism,
                    None,
                    None,
                    None,
                    "its error can be told when all is found",
                )
            )
            for line, twin in zip(one.lines, other.lines, strict=True)
        )
        share = f"{float(SEARCH_SHARE * 100):g} % of its epsilon ({float(part * len(missing)):g})"
        first = (
            f"To be found first, privately, for {share}, and for all questions:"
            f" {_format_searches(missing)}."
        )
        try:
            _charge_all(budget, [search.loss(part) for search in missing], one.cost, at)
            covered = True
        except BudgetExceeded:
            covered = False
        return replace(
            one,
            epsilon=asked,
            cost=cost,
            lines=lines,
            threshold=one.threshold if one.threshold == other.threshold else None,
            steps=(first, *(step for step in one.steps if step in other.steps)),
            notes=(*(note for note in one.notes if note in other.notes), first),
            covered=covered,
            questions_left=count_questions_left(budget, cost) if covered else 0,
        )


def _needs_cap(question: Question, cap: str) -> bool:
    """Whether a cap decides anything: of groups, where there are some and neither the question
    limits them itself nor another table; of rows, where a unit may have several and what is added
    up is not limited otherwise."""
    bound, cells = question.plan.bound, question.plan.source.cells
    if cap == "max_groups":
        return (
            bool(bound.keys)
            and question.options.max_groups is None
            and bound.max_groups >= min(NO_CAP, cells or NO_CAP)
        )
    free = (
        measure
        for measure in question.plan.measures
        if measure.kind != "units" and getattr(measure, "sum_bounds", None) is None
    )
    return bound.max_rows == NO_CAP and next(free, None) is not None


def _fill_caps(
    question: Question, search: BoundsSearch | None, found: FoundBounds | None, stand_in: int
) -> tuple[int, int]:
    """Groups and rows: found, or a stand-in; what is not sought does not matter, or is limited
    by the question itself.
    """
    wanted = () if search is None else search.caps
    values = dict(
        zip(
            wanted,
            [stand_in] * len(wanted) if found is None else map(int, found.values),
            strict=True,
        )
    )
    return values.get("max_groups", NO_CAP if question.plan.bound.keys else 1), values.get(
        "max_rows_per_group", 1
    )


def _charge_all(budget: Budget, first: Iterable[Loss], rest: Loss, at: TableParts | None) -> Budget:
    """Searches are charged to the whole, the question to its parts."""
    for loss in first:
        budget = budget.charge(loss)
    return budget.charge(rest, at)


def add_search_cost(first: Sequence[BoundsSearch], asked: Fraction, rest: Loss) -> Loss:
    """What a question costs together with these searches, which get their part of what was
    ``asked`` for.
    """
    return sum((search.loss(compute_search_epsilon(asked, len(first))) for search in first), rest)


def read_asked_epsilon(release: Release) -> Fraction:
    """The epsilon that an analyst named for this: with what was found first, where something
    was.
    """
    about: Mapping[str, str] = release.entry.body["about"]
    return max(release.epsilon, Fraction(about.get("asked", 0)))


def build_too_few_refusal(
    searches: Sequence[BoundsSearch], paid: Fraction | None = None
) -> Refused:
    """When nothing was found: the one refusal that may come after something was ``paid``, since the
    data had to be looked at. None where an earlier question paid for it."""
    spent = (
        "Nothing is charged: an earlier question sought it for as much"
        if paid is None
        else f"The search cost epsilon {float(paid):g}"
    )
    which = "a larger one" if paid is None else "a larger one, which pays for another search"
    return Refused(
        f"Not found: {_format_searches(searches)}. There are too few people with a value for so"
        f" small an epsilon. {spent}. Ask with {which}, or declare it in the policy."
    )


def _format_searches(searches: Sequence[BoundsSearch]) -> str:
    return "; ".join(search.label for search in searches)
