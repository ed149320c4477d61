"""Questions that need what the policy leaves open and lets be found (``auto_bounds``): bounds of columns, caps of tables.

Such a question is read as ever. Where a bound or a cap is missing, what was found on this version of the data takes its place, and from
there on it is as if it had been declared: it is part of what the question means. Where nothing was found yet, a stand-in does, so that the
question can be priced; then it is found first (``bounds``, ``caps``), by a release of its own that all use from then on.

What was found first stands. A question costs what it says: a share of its epsilon pays for the search, the rest for the answer.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import lru_cache
from typing import Final

from hedgerow.answers.explanation import Explanation, Line, questions_left
from hedgerow.database.bounds import SHARE, Ends, part_of
from hedgerow.database.caps import ANY, keys_of
from hedgerow.database.search import Found, Search, bounds_search, caps_search, request_for
from hedgerow.errors import BudgetExceeded, Refused, Unbounded
from hedgerow.ledger.store import Store
from hedgerow.policy import Policy
from hedgerow.privacy.account import decimals
from hedgerow.privacy.budget import At, Budget
from hedgerow.privacy.loss import Loss
from hedgerow.release import Release
from hedgerow.sql.catalog import Caps, Catalog, Name, Unfound
from hedgerow.sql.question import Question
from hedgerow.sql.reading import parse

__all__ = ["STAND_INS", "Finding", "Reading", "asked_for", "cost_with", "too_few"]

# What differs between a question under the one and under the other is not known yet.
STAND_INS: Final[tuple[tuple[Ends, int], ...]] = (((Fraction(-1), Fraction(1)), 1), ((Fraction(-4), Fraction(4)), 4))


@dataclass(frozen=True, slots=True)
class Reading:
    """A question with what was found for it; a stand-in has the place of what is ``missing``."""

    question: Question
    found: tuple[Found, ...] = ()
    missing: tuple[Search, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """What was found."""
        return tuple(found.note for found in self.found)


class Finding:
    """What the ledger knows of bounds and caps, and how questions are read under them."""

    def __init__(self, policy: Policy, catalog: Catalog, ledger: Store) -> None:
        self._policy, self._catalog, self._ledger = policy, catalog, ledger
        self._parsed = lru_cache(maxsize=64)(self._parse)  # the same words mean the same thing
        self._made: dict[tuple[object, ...], Search] = {}
        self._known: dict[Search, Found] = {}
        self._any: Caps = {name: (ANY, ANY) for name, entry in catalog.tables.items() if entry.open_caps}

    def read(self, sql: str, stand_in: int = 0) -> Reading:
        """The question, with what is known and what is not. Touches no data."""
        ends, cap = STAND_INS[stand_in]
        sought: dict[Search, Found | None] = {}
        question = self._bounded(sql, ends, self._any, sought)
        if any(name in self._any for name in question.tables):
            table, search = self._caps(question)
            found = None
            if search is not None:
                found = sought[search] = self.found(search)
            question = self._bounded(sql, ends, {table: _filled(question, search, found, cap)}, sought)
        known = tuple(found for found in sought.values() if found is not None)
        return Reading(question, known, tuple(search for search, found in sought.items() if found is None))

    def _bounded(self, sql: str, stand_in: Ends, caps: Caps, sought: dict[Search, Found | None]) -> Question:
        """Read under the bounds that it needs; what was ``sought`` for it is noted."""
        ends: dict[Name, Ends] = {}
        while not isinstance(got := self._parsed(sql, tuple(sorted(ends.items())), tuple(caps.items())), Question):
            for name in got:
                search = self.search(name)
                found = sought[search] = self.found(search)
                ends[name] = stand_in if found is None else (found.values[0], found.values[1])
        return got

    def _parse(
        self, sql: str, ends: tuple[tuple[Name, Ends], ...], caps: tuple[tuple[str, tuple[int, int]], ...]
    ) -> Question | tuple[Name, ...]:
        """The question, or the columns whose bounds it needs as well."""
        try:
            return parse(sql, self._catalog.bounded(dict(ends)).capped(dict(caps)))
        except Unfound as missing:
            return missing.columns

    def _caps(self, question: Question) -> tuple[str, Search | None]:
        """The table of a question whose caps are open, and the search for those that it needs: read with no limits, it shows which."""
        table = next(name for name in question.tables if name in self._any)
        wanted = tuple(name for name in self._catalog.tables[table].open_caps if _needs(question, name))
        if not wanted:
            return table, None
        keys = keys_of(question.plan)
        made = self._made.get((table, keys, wanted))
        if made is None:
            try:
                made = self._made.setdefault((table, keys, wanted), caps_search(self._policy, self._catalog, table, keys, wanted))
            except Unbounded:
                raise Refused(
                    f"The caps of {table} are not declared. They are found for questions about that table alone, not joined or folded, "
                    f"whose keys need no bounds that are found as well. Declare {' and '.join(wanted)} under [tables.{table}]."
                ) from None
        return table, made

    def search(self, name: Name) -> Search:
        """The search for the bounds of a column."""
        made = self._made.get(name)
        # Of two threads that make one, both take the first.
        return made if made is not None else self._made.setdefault(name, bounds_search(self._policy, self._catalog, name))

    def found(self, search: Search) -> Found | None:
        """What was found first; nothing can change it."""
        if search not in self._known:
            for release in self._tries(search):
                values = search.meant(release.numbers)
                if values is not None:
                    self._known[search] = Found(search, values, release.entry.seq)
                    break
        return self._known.get(search)

    def _tries(self, search: Search) -> list[Release]:
        """In the order of their answers, not of their charges: one that still runs may have been charged before the one that stands."""
        return [Release.stored(charge, payload) for charge, payload in self._ledger.answers(search.key, search.table.version)]

    def paid_first(self, reading: Reading, analyst: str, request: str | None) -> tuple[Search, ...]:
        """The searches for which this question pays: for what is missing, and for what it found when it was sent before, under the same
        request."""
        if request is None:
            return reading.missing
        book, known = self._ledger.book, [found.search for found in reading.found]
        return (*(search for search in known if book.requested(analyst, request_for(request, search)) is not None), *reading.missing)

    def check(self, reading: Reading, analyst: str, asked: Fraction, part: Fraction, rest: Loss, at: At | None) -> None:
        """Refuses where not all of it can be paid for, before any of it is: what is found for a question that is refused would be wasted.
        Also where a search at this price has failed, since it would again."""
        for search in reading.missing:
            if any(release.epsilon >= part for release in self._tries(search)):
                raise too_few([search])
        book = self._ledger.book
        quota, spent = book.quota(analyst), book.spent_by(analyst)
        if quota is not None and spent + asked > quota:
            left = decimals(max(quota - spent, Fraction(0)))
            asks = f"it asks for epsilon {decimals(asked, up=True)} with {left} left."
            raise BudgetExceeded(f"The quota of analyst '{analyst}' does not cover this question: {asks}")
        population = reading.missing[0].rule.population
        try:
            _charged(book.budget(population), [search.loss(part) for search in reading.missing], rest, at)
        except BudgetExceeded as problem:
            raise BudgetExceeded(f"{problem} This is the budget of the population '{population}'.") from None

    def foretold(self, one: Explanation, other: Explanation, missing: Sequence[Search], asked: Fraction, at: At | None) -> Explanation:
        """An explanation before all is found, from those under two stand-ins: what differs cannot be told yet."""
        part, budget = part_of(asked, len(missing)), self._ledger.book.budget(missing[0].rule.population)
        cost = cost_with(missing, asked, one.cost)
        lines = tuple(
            line if line == twin else Line(line.aggregate, line.mechanism, None, None, None, "its error can be told when all is found")
            for line, twin in zip(one.lines, other.lines, strict=True)
        )
        share = f"{float(SHARE * 100):g} % of its epsilon ({float(part * len(missing)):g})"
        first = f"To be found first, privately, for {share}, and for all questions: {_listed(missing)}."
        try:
            _charged(budget, [search.loss(part) for search in missing], one.cost, at)
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
            questions_left=questions_left(budget, cost) if covered else 0,
        )


def _needs(question: Question, cap: str) -> bool:
    """Whether a cap decides anything: of groups, where there are some and neither the question limits them itself nor another table; of
    rows, where a unit may have several and what is added up is not limited otherwise."""
    bound, cells = question.plan.bound, question.plan.source.cells
    if cap == "max_groups":
        return bool(bound.keys) and question.options.max_groups is None and bound.max_groups >= min(ANY, cells or ANY)
    free = (measure for measure in question.plan.measures if measure.kind != "units" and getattr(measure, "limits", None) is None)
    return bound.max_rows == ANY and next(free, None) is not None


def _filled(question: Question, search: Search | None, found: Found | None, stand_in: int) -> tuple[int, int]:
    """Groups and rows: found, or a stand-in; what is not sought does not matter, or is limited by the question itself."""
    wanted = () if search is None else search.wanted
    values = dict(zip(wanted, [stand_in] * len(wanted) if found is None else map(int, found.values), strict=True))
    return values.get("max_groups", ANY if question.plan.bound.keys else 1), values.get("max_rows_per_group", 1)


def _charged(budget: Budget, first: Iterable[Loss], rest: Loss, at: At | None) -> Budget:
    """Searches are charged to the whole, the question to its parts."""
    for loss in first:
        budget = budget.after(loss)
    return budget.after(rest, at)


def cost_with(first: Sequence[Search], asked: Fraction, rest: Loss) -> Loss:
    """What a question costs together with these searches, which get their part of what was ``asked`` for."""
    return sum((search.loss(part_of(asked, len(first))) for search in first), rest)


def asked_for(release: Release) -> Fraction:
    """The epsilon that an analyst named for this: with what was found first, where something was."""
    about: Mapping[str, str] = release.entry.body["about"]
    return max(release.epsilon, Fraction(about.get("asked", 0)))


def too_few(searches: Sequence[Search], paid: Fraction | None = None) -> Refused:
    """When nothing was found: the one refusal that may come after something was ``paid``, since the data had to be looked at. None where an
    earlier question paid for it."""
    spent = "Nothing is charged: an earlier question sought it for as much" if paid is None else f"The search cost epsilon {float(paid):g}"
    which = "a larger one" if paid is None else "a larger one, which pays for another search"
    return Refused(
        f"Not found: {_listed(searches)}. There are too few people with a value for so small an epsilon. {spent}. Ask with {which}, or "
        "declare it in the policy."
    )


def _listed(searches: Sequence[Search]) -> str:
    return "; ".join(search.what for search in searches)
