"""Searches for bounds that are repeated, overtaken or broken off."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import pytest

from database.searching import SUM, SURE, ask, charges, finding
from hedgerow.database import Database
from hedgerow.database.autobounds.resolver import BoundsResolver
from hedgerow.engines.data_source import Cells
from hedgerow.errors import (
    LedgerError,
    Refused,
    SourceError,
)
from hedgerow.ledger import Entry
from hedgerow.plan.nodes import Aggregate
from hedgerow.release.payload import encode_payload


def keep(db: Database, place: int, epsilon: int) -> Entry:
    """A search that found this place, and cost so much, as an entry of the ledger."""
    entry = begin(db, epsilon)
    end(db, entry, place)
    return entry


def begin(db: Database, epsilon: int) -> Entry:
    """The charge of a search that goes on."""
    search = db.resolver.find_bounds_search(("data", "income"))
    charge, about = {"people": search.loss(Fraction(epsilon))}, {"aggregates": ["earlier"]}
    return db.ledger.charge(
        charge,
        analyst="x",
        epsilon=epsilon,
        question=search.key,
        version=search.table.version,
        about=about,
    )


def end(db: Database, entry: Entry, place: int) -> None:
    """That search found this place."""
    noise = db.resolver.find_bounds_search(("data", "income")).noise(
        Fraction(entry.body["epsilon"])
    )
    db.ledger.answer(entry, encode_payload([()], [[place], [1]], noise))


def test_a_failed_search_is_repeated_only_at_a_larger_epsilon() -> None:
    with finding() as db:
        keep(db, -5, SURE // 4)
        with pytest.raises(
            Refused,
            match=(
                r"Too few people .* Nothing is charged: an earlier search with this epsilon failed"
                r" as well\. Ask with"
            ),
        ):
            db.query(SUM, epsilon=SURE)
        assert len(charges(db)) == 1
        ask(db, SUM, SURE + 4)
        assert charges(db)[1:] == [
            ("bounds of data.income", Fraction(SURE, 4) + 1),
            ("SUM(income)", Fraction(3 * SURE, 4) + 3),
        ]


def test_the_bounds_that_were_found_first_stand() -> None:
    with finding() as db:
        keep(db, -5, 1)
        first = keep(db, 36, 1)
        keep(db, 40, 100)
        assert f"0 to 64 (ledger entry {first.seq})" in ask(db, SUM).notes[-1]
        keep(db, 41, 500)
        assert (
            f"0 to 64 (ledger entry {first.seq})"
            in ask(db, "SELECT AVG(income) FROM data").notes[-1]
        )


def test_a_search_that_began_earlier_and_ends_later_changes_no_bounds() -> None:
    with finding() as db:
        slow, first = begin(db, 1), keep(db, 36, 1)
        assert f"0 to 64 (ledger entry {first.seq})" in ask(db, SUM).notes[-1]
        end(db, slow, 40)
        # as in another process, which remembers nothing
        db.resolver = BoundsResolver(db.policy, db.catalog, db.ledger)
        again = ask(db, SUM)
        assert f"0 to 64 (ledger entry {first.seq})" in again.notes[-1]
        assert again.receipt.reused


class Broken:
    """A source that breaks at some of its runs."""

    def __init__(self, source: Any, breaks: dict[int, BaseException]) -> None:
        self._source, self._breaks, self.runs = source, breaks, 0

    def prepare(self, plan: Aggregate) -> None:
        self._source.prepare(plan)

    def run(self, plan: Aggregate) -> Cells:
        self.runs += 1
        if self.runs in self._breaks:
            raise self._breaks[self.runs]
        found: Cells = self._source.run(plan)
        return found

    def close(self) -> None:
        self._source.close()


def breaking(db: Database, breaks: dict[int, BaseException]) -> Broken:
    start: Callable[[], Any] = db._start_engine
    broken = Broken(start(), breaks)
    db._start_engine = lambda: broken  # type: ignore[assignment, return-value]
    return broken


def test_bounds_that_fail_are_charged_and_found_anew() -> None:
    with finding() as db:
        breaking(db, {1: ValueError("of the engine")})
        with pytest.raises(SourceError, match="The question was charged"):
            db.query(SUM, epsilon=SURE)
        assert charges(db) == [("bounds of data.income", Fraction(SURE, 4))]
        assert db.ledger.state.count_failures("custodian") == 1
        ask(db, SUM)
        assert db.budget.spent == SURE * Fraction(5, 4)  # type: ignore[union-attr]


@pytest.mark.parametrize("crash", [1, 2, 3])
def test_a_request_that_is_sent_again_is_charged_once(crash: int) -> None:
    """Whether it was cut off while the bounds were found, between, or after."""
    with finding() as db:
        breaking(db, {crash: KeyboardInterrupt()})
        sql = "SELECT SUM(income) AS s, SUM(change) AS c FROM data"
        with pytest.raises(KeyboardInterrupt):
            db.query(sql, epsilon=SURE, request="one", analyst="ana")
        answer = ask(db, sql, request="one", analyst="ana")
        assert db.budget.spent == SURE  # type: ignore[union-attr]
        assert answer.cost.epsilon == SURE
        assert sorted(charges(db)) == sorted(
            [
                ("bounds of data.income", Fraction(SURE, 8)),
                ("bounds of data.change", Fraction(SURE, 8)),
                ("SUM(income), SUM(change)", Fraction(3 * SURE, 4)),
            ]
        )
        again = ask(db, sql, request="one", analyst="ana")
        assert again.rows == answer.rows
        assert db.budget.spent == SURE  # type: ignore[union-attr]


def test_a_request_belongs_to_one_question() -> None:
    with finding() as db:
        ask(db, SUM, request="one")
        with pytest.raises(
            LedgerError, match="The request 'one' was charged already, for another question"
        ):
            ask(db, "SELECT SUM(change) FROM data", request="one")
