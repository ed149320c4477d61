"""Resolution of bounds that the policy leaves open (``auto_bounds``): bounds of columns, and
contribution bounds ("caps") of tables.

A missing bound is replaced by the one that was found privately on this version of the data. From
then on it works like a declared bound, and it is part of the key of the question. If none was found
yet, a stand-in takes its place, so that the question can be priced. Then a release of its own finds
the bound (``column_bounds``, ``contribution_caps``), and all later questions use it.

The first bound that is found stays. A question costs the epsilon that it names: a share of it pays
for the search, the rest for the answer.
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
from hedgerow.database.autobounds.contribution_caps import (
    NO_CAP,
    build_missing_caps_refusal,
    find_table_keys,
)
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
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.budget_view import format_decimals
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts
from hedgerow.release.payload import Release
from hedgerow.sql.catalog import Catalog, ColumnName, TableCaps, UndeclaredBounds
from hedgerow.sql.parser import parse_question
from hedgerow.sql.postprocessing.pieces import Piece
from hedgerow.sql.question import Question

__all__ = [
    "STAND_INS",
    "BoundsResolver",
    "ResolvedQuestion",
    "add_search_cost",
    "build_too_few_refusal",
    "read_asked_epsilon",
]

# An explanation that differs between the two stand-ins is not known before the search.
STAND_INS: Final[tuple[tuple[ColumnBounds, int], ...]] = (
    ((Fraction(-1), Fraction(1)), 1),
    ((Fraction(-4), Fraction(4)), 4),
)


@dataclass(frozen=True, slots=True)
class ResolvedQuestion:
    """A question with the bounds that were found for it, and with stand-ins for those that are
    missing."""

    question: Question
    found_bounds: tuple[FoundBounds, ...] = ()
    missing_searches: tuple[BoundsSearch, ...] = ()

    @property
    def notes(self) -> tuple[str, ...]:
        """A note for each bound that was found."""
        return tuple(found.note for found in self.found_bounds)


class BoundsResolver:
    """The bounds that the ledger holds, and the reading of questions under them."""

    def __init__(self, policy: Policy, catalog: Catalog, ledger: LedgerBase) -> None:
        self._policy, self._catalog, self._ledger = policy, catalog, ledger
        # The same text has the same meaning while the policy stands.
        self._parse_cached = lru_cache(maxsize=64)(self._parse)
        self._searches: dict[tuple[object, ...], BoundsSearch] = {}
        self._results: dict[BoundsSearch, FoundBounds] = {}
        self._uncapped: TableCaps = {
            name: (NO_CAP, NO_CAP)
            for name, entry in catalog.tables.items()
            if entry.undeclared_caps
        }

    def resolve(self, sql: str | Piece, stand_in: int = 0) -> ResolvedQuestion:
        """Read a question under its bounds, without data; refuse a search for two populations."""
        ends, cap = STAND_INS[stand_in]
        searches: dict[BoundsSearch, FoundBounds | None] = {}
        question = self._read_with_bounds(sql, ends, self._uncapped, searches)
        uncapped = any(name in self._uncapped for name in question.tables)
        if uncapped and question.plan.truncations is None:  # joins across units have their own caps
            self._check_missing_caps(sql, question, ends)
            table, search = self._find_caps_search(question)
            found = None
            if search is not None:
                found = searches[search] = self.find_result(search)
            caps = {table: _fill_caps(question, search, found, cap)}
            question = self._read_with_bounds(sql, ends, caps, searches)
        known = tuple(found for found in searches.values() if found is not None)
        missing = tuple(search for search, found in searches.items() if found is None)
        if missing and question.plan.population_join is not None:
            raise Refused(
                f"Not declared: {_format_searches(missing)}. Declare this in the policy, or first"
                " ask a question that needs it about that population alone, which finds it."
            )
        return ResolvedQuestion(question, known, missing)

    def _read_with_bounds(
        self,
        sql: str | Piece,
        stand_in: ColumnBounds,
        caps: TableCaps,
        searches: dict[BoundsSearch, FoundBounds | None],
    ) -> Question:
        """Read a question under the bounds that it needs, and add each to ``searches``."""
        ends: dict[ColumnName, ColumnBounds] = {}
        while True:
            parsed = self._parse_cached(sql, tuple(sorted(ends.items())), tuple(caps.items()))
            if isinstance(parsed, Question):
                return parsed
            for name in parsed:
                search = self.find_bounds_search(name)
                found = searches[search] = self.find_result(search)
                ends[name] = stand_in if found is None else (found.values[0], found.values[1])

    def _parse(
        self,
        sql: str | Piece,
        ends: tuple[tuple[ColumnName, ColumnBounds], ...],
        caps: tuple[tuple[str, tuple[int, int]], ...],
    ) -> Question | tuple[ColumnName, ...]:
        """Parse a question, or return the columns whose bounds it needs as well."""
        try:
            catalog = self._catalog.with_bounds(dict(ends)).with_caps(dict(caps))
            if isinstance(sql, Piece):
                return sql.build_question(catalog)
            return parse_question(sql, catalog)
        except UndeclaredBounds as missing:
            return missing.columns

    def _check_missing_caps(self, sql: str | Piece, question: Question, ends: ColumnBounds) -> None:
        """Refuse a question that needs a cap which is neither declared nor to be found; it was read
        without limits."""
        tables = [name for name in question.tables if name in self._uncapped]
        for name in dict.fromkeys(tables):
            entry, alone = self._catalog.tables[name], question
            if len(set(tables)) > 1:  # does the cap of this one matter?
                caps = {name: self._uncapped[name]}
                alone = self._read_with_bounds(sql, ends, caps, {})
            wanted = [cap for cap in entry.missing_caps if _needs_cap(alone, cap)]
            if wanted:
                table = self._policy.table(name)
                assert table is not None
                raise build_missing_caps_refusal(table, wanted)

    def _find_caps_search(self, question: Question) -> tuple[str, BoundsSearch | None]:
        """Return the table with undeclared caps, and the search for those that the question needs;
        the question was read without limits, which shows them."""
        table = next(name for name in question.tables if name in self._uncapped)
        wanted = tuple(
            name
            for name in self._catalog.tables[table].undeclared_caps
            if _needs_cap(question, name)
        )
        if not wanted:
            return table, None
        keys = find_table_keys(question.plan)
        search = self._searches.get((table, keys, wanted))
        if search is None:
            try:
                search = build_caps_search(self._policy, self._catalog, table, keys, wanted)
            except Unbounded:
                raise Refused(
                    f"The contribution bounds of {table} are not declared. They can be found only"
                    " for questions about this table alone, without joins or per-unit subqueries,"
                    f" whose keys are declared. Declare {' and '.join(wanted)} under"
                    f" [tables.{table}]."
                ) from None
        # Of two threads that build the same search, both use the first.
        return table, self._searches.setdefault((table, keys, wanted), search)

    def find_bounds_search(self, name: ColumnName) -> BoundsSearch:
        """Return the search for the bounds of a column."""
        if name not in self._searches:
            search = build_bounds_search(self._policy, self._catalog, name)
            self._searches.setdefault(name, search)
        return self._searches[name]

    def find_result(self, search: BoundsSearch) -> FoundBounds | None:
        """Return the bounds that a search found first, which never change; None before that."""
        if search not in self._results:
            for release in self._list_attempts(search):
                values = search.decode_result(release.numbers)
                if values is not None:
                    self._results[search] = FoundBounds(search, values, release.entry.seq)
                    break
        return self._results.get(search)

    def _list_attempts(self, search: BoundsSearch) -> list[Release]:
        """List the answers of a search in the order of the answers, not of the charges: a search
        that still runs may have been charged first."""
        return [
            Release.from_payload(charge, payload)
            for charge, payload in self._ledger.answers(search.key, search.table.version)
        ]

    def list_paid_searches(
        self, reading: ResolvedQuestion, analyst: str, request: str | None
    ) -> tuple[BoundsSearch, ...]:
        """List the searches that a question pays for: those that are missing, and those that an
        earlier run of the same request paid for."""
        if request is None:
            return reading.missing_searches
        state = self._ledger.state
        paid = [
            found.search
            for found in reading.found_bounds
            if state.questions.find_request(analyst, build_request_key(request, found.search))
            is not None
        ]
        return (*paid, *reading.missing_searches)

    def check_affordable(
        self,
        reading: ResolvedQuestion,
        analyst: str,
        asked: Fraction,
        epsilon: Fraction,
        rest: Loss,
        at: TableParts | None,
    ) -> None:
        """Refuse a question unless its searches, at this ``epsilon`` each, and the ``rest`` can all
        be paid for. Refuse it as well if a search at this epsilon has failed before: it would fail
        again."""
        missing = reading.missing_searches
        for search in missing:
            if any(release.epsilon >= epsilon for release in self._list_attempts(search)):
                raise build_too_few_refusal([search])
        state = self._ledger.state
        quota, spent = state.quota(analyst), state.asked_epsilon(analyst)
        if quota is not None and spent + asked > quota:
            left = format_decimals(max(quota - spent, Fraction(0)))
            asks = f"it asks for epsilon {format_decimals(asked, up=True)} with {left} left."
            raise BudgetExceeded(
                f"The quota of analyst '{analyst}' does not cover this question: {asks}"
            )
        population = missing[0].budget_rule.population
        try:
            losses = [search.loss(epsilon) for search in missing]
            _charge_all(state.budget(population), losses, rest, at)
        except BudgetExceeded as problem:
            raise BudgetExceeded(
                f"{problem} This is the budget of the population '{population}'."
            ) from None

    def explain_before_search(
        self,
        first: Explanation,
        second: Explanation,
        missing: Sequence[BoundsSearch],
        asked: Fraction,
        at: TableParts | None,
    ) -> Explanation:
        """Explain a question before its bounds are found, from explanations under two stand-ins:
        only what both share is known."""
        epsilon = compute_search_epsilon(asked, len(missing))
        budget = self._ledger.state.budget(missing[0].budget_rule.population)
        cost = add_search_cost(missing, asked, first.cost)
        unknown = "its error is unknown until the bounds are found"
        lines = tuple(
            line
            if line == twin
            else ExplainedAggregate(line.aggregate, line.mechanism, None, None, None, unknown)
            for line, twin in zip(first.lines, second.lines, strict=True)
        )
        share = f"{float(SEARCH_SHARE * 100):g} % of epsilon ({float(epsilon * len(missing)):g})"
        note = f"Found privately first, once for all questions, for {share}:"
        note += f" {_format_searches(missing)}."
        try:
            _charge_all(budget, [search.loss(epsilon) for search in missing], first.cost, at)
            covered = True
        except BudgetExceeded:
            covered = False
        return replace(
            first,
            epsilon=asked,
            cost=cost,
            lines=lines,
            threshold=first.threshold if first.threshold == second.threshold else None,
            steps=(note, *(step for step in first.steps if step in second.steps)),
            notes=(*(shared for shared in first.notes if shared in second.notes), note),
            covered=covered,
            questions_left=count_questions_left(budget, cost) if covered else 0,
        )


def _needs_cap(question: Question, cap: str) -> bool:
    """Return whether a cap matters: for groups, where there are keys and neither the question nor
    another table limits them; for rows, where a unit may have several and no measure limits what it
    adds up."""
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
    """Return the caps of groups and rows: found, or a stand-in. A cap that is not searched for
    does not matter, or the question limits it itself."""
    wanted = () if search is None else search.caps
    values = [stand_in] * len(wanted) if found is None else map(int, found.values)
    caps = dict(zip(wanted, values, strict=True))
    groups = caps.get("max_groups", NO_CAP if question.plan.bound.keys else 1)
    return groups, caps.get("max_rows_per_group", 1)


def _charge_all(budget: Budget, first: Iterable[Loss], rest: Loss, at: TableParts | None) -> Budget:
    """Charge the searches to the whole table and the question to its parts."""
    for loss in first:
        budget = budget.charge(loss)
    return budget.charge(rest, at)


def add_search_cost(first: Sequence[BoundsSearch], asked: Fraction, rest: Loss) -> Loss:
    """Return the cost of a question with its searches, which get their share of the ``asked``
    epsilon."""
    return sum((search.loss(compute_search_epsilon(asked, len(first))) for search in first), rest)


def read_asked_epsilon(release: Release) -> Fraction:
    """Return the epsilon that the analyst named for a release, including the share of its
    searches."""
    about: Mapping[str, str] = release.entry.body["about"]
    return max(release.epsilon, Fraction(about.get("asked", 0)))


def build_too_few_refusal(
    searches: Sequence[BoundsSearch], paid: Fraction | None = None
) -> Refused:
    """Build the refusal for a search that found nothing; ``paid`` is its cost, or None where an
    earlier question paid for it.

    It is the only refusal that may follow a charge, because the search has to read the data.
    """
    if paid is None:
        spent = "Nothing is charged: an earlier search with this epsilon failed as well"
    else:
        spent = f"The search cost epsilon {float(paid):g}"
    noun = searches[0].noun
    return Refused(
        f"Not found: {_format_searches(searches)}. Too few {noun.plural} have a value for this"
        f" epsilon. {spent}. Ask with a larger epsilon, or declare the bounds in the policy."
    )


def _format_searches(searches: Sequence[BoundsSearch]) -> str:
    return "; ".join(search.label for search in searches)
