"""The tour: questions to the sample clinic, asked as a user would ask them, under one budget in one
ledger.

The questions are the same every time, so that a second tour gets its answers from the ledger, free.
What only a custodian may know is looked up beside the database, straight in the files: that is fine
here, because nobody in them is real.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from math import exp
from pathlib import Path
from typing import Any

import duckdb

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.charts.text_bars import TextBar
from hedgerow.database import Database
from hedgerow.demo.audit_chapter import audit_noise
from hedgerow.demo.chapters import (
    Again,
    Attacked,
    Chapter,
    Charge,
    Discovered,
    Explained,
    Filtered,
    Grouped,
    Kept,
    Protected,
    Receipt,
    Refusal,
    Refused,
    Spent,
    Unpaid,
)
from hedgerow.errors import BudgetExceeded
from hedgerow.ledger import verify
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.budget_view import Balance

__all__ = ["ClinicSession", "tour"]

BY_REGION = "SELECT region, COUNT(*) AS visits, AVG(cost) AS mean_cost\nFROM visits GROUP BY region"
IN_OTHER_WORDS = (
    "select region, count(*) as n, avg(cost + 0) as money\nfrom visits where 1 = 1 group by 1"
)
DIAGNOSES = (
    "SELECT diagnosis, COUNT(*) AS visits\nFROM visits GROUP BY diagnosis ORDER BY visits DESC"
)
LUNGS = (
    "SELECT smoker, COUNT(*) AS visits, AVG(cost) AS mean_cost\nFROM visits WHERE diagnosis = 'lung"
    " cancer' AND age >= 40 GROUP BY smoker"
)
COUNTED = "SELECT COUNT(*) AS n FROM patients"
TARGET = f"{COUNTED} WHERE smoker AND age >= 90"
TOO_MUCH = f"{COUNTED} WHERE age >= 80"
REFUSED = (
    "SELECT * FROM patients",
    "SELECT region, SUM(length_of_stay) FROM visits GROUP BY region",
)

REPEATS = 50  # how often the attacker repeats one question
MAX_VARIANTS = 20  # and how many new ones there are to try
HALF, SMALL, WHOLE = Fraction(1, 2), Fraction(1, 10), Fraction(1)


class ClinicSession:
    """An open clinic, and the tour's way to ask it."""

    def __init__(self, policy: Path, db: Database) -> None:
        self.policy = policy
        self.db = db

    @property
    def account(self) -> Balance:
        """The epsilon of the patients."""
        view = self.db.budgets["patients"]
        return view if isinstance(view, Balance) else view.epsilon

    def ask(self, sql: str, epsilon: Fraction, analyst: str = "ana") -> Answer:
        """A question, paid for first."""
        answer = self.db.query(sql, epsilon=epsilon, analyst=analyst)
        assert isinstance(answer, Answer)
        return answer

    def receipt(self, answer: Answer) -> Receipt:
        """What an answer has cost just now."""
        return Receipt(
            answer.receipt.entry, Fraction(answer.cost.epsilon), answer.receipt.reused, self.account
        )

    def query_exact(self, sql: str) -> list[tuple[Any, ...]]:
        """The exact answer, for the custodian's eyes."""
        folder = self.policy.parent
        with duckdb.connect(":memory:") as files:
            for table in ("patients", "visits"):
                files.read_parquet(str(folder / f"{table}.parquet")).create_view(table)
            return files.execute(sql).fetchall()


def tour(policy: Path) -> Iterator[Chapter]:
    """The chapters, each made when it is asked for."""
    with hedgerow.open(policy) as db:
        visit = ClinicSession(policy, db)
        yield protected(visit)
        yield explained(visit)
        yield from _paid("What does a visit cost?", BY_REGION, grouped, visit)
        yield from _paid("The same question again", IN_OTHER_WORDS, again, visit)
        yield from _paid("Keys that nobody declared", DIAGNOSES, discovered, visit)
        yield from _paid("Some of the rows", LUNGS, filtered, visit)
        yield refused(visit)
        yield attacked(visit)
        yield spent(visit)
        yield kept(visit)
    yield audit_noise()


def _paid(
    title: str, sql: str, chapter: Callable[[ClinicSession], Chapter], visit: ClinicSession
) -> Iterator[Chapter]:
    """A chapter, or the kind word that somebody has spent what it takes."""
    try:
        yield chapter(visit)
    except BudgetExceeded as problem:
        yield Unpaid(title, sql, str(problem), visit.account)


def protected(visit: ClinicSession) -> Protected:
    """The unit, and what the whole budget means: from even odds, belief in presence rises to
    e^E/(1 + e^E) at most.
    """
    table = visit.db.policy.table("patients")
    assert table is not None
    ((people,),) = visit.query_exact("SELECT COUNT(*) FROM patients")
    account = visit.account
    guess = 1 / (1 + exp(-float(account.total)))
    return Protected(
        str(visit.policy), str(table.unit), str(table.neighbours), guess, people, account
    )


def explained(visit: ClinicSession) -> Explained:
    """The price of a question, and the question for a price."""
    words = repr(visit.db.explain(BY_REGION, epsilon=HALF))
    return Explained(BY_REGION, words, 5, visit.db.explain(COUNTED, error=5).epsilon, visit.account)


def _build_bars(answer: Answer, column: str, truth: Mapping[str, Any]) -> tuple[TextBar, ...]:
    key = answer.columns[0]
    found = []
    for row, pair in zip(answer.rows, answer.interval(column), strict=True):
        label = str(row[key]).lower() if isinstance(row[key], bool) else str(row[key])
        low, high = pair or (0, 0)
        found.append(TextBar(label, row[column] or 0, low, high, truth.get(row[key], 0)))
    return tuple(found)


def grouped(visit: ClinicSession) -> Grouped:
    """Counts and means, with their intervals."""
    answer = visit.ask(BY_REGION, HALF)
    truth = visit.query_exact(BY_REGION)
    counts, means = ({row[0]: row[place] for row in truth} for place in (1, 2))
    return Grouped(
        BY_REGION,
        _build_bars(answer, "visits", counts),
        _build_bars(answer, "mean_cost", means),
        visit.receipt(answer),
    )


def again(visit: ClinicSession) -> Again:
    """Other words, the same meaning: the stored answer."""
    first, second = visit.ask(BY_REGION, HALF), visit.ask(IN_OTHER_WORDS, HALF)
    same = [list(row.values()) for row in first.rows] == [list(row.values()) for row in second.rows]
    return Again(IN_OTHER_WORDS, same, visit.receipt(second))


def discovered(visit: ClinicSession) -> Discovered:
    """Groups that nobody listed come out when enough people share them."""
    price = Fraction(3, 4)
    answer = visit.ask(DIAGNOSES, price)
    threshold = visit.db.explain(DIAGNOSES, epsilon=price).threshold or 0
    truth = dict(visit.query_exact(DIAGNOSES))
    shown = {row["diagnosis"] for row in answer.rows}
    hidden = tuple((name, count) for name, count in truth.items() if name not in shown)
    return Discovered(
        DIAGNOSES, threshold, _build_bars(answer, "visits", truth), hidden, visit.receipt(answer)
    )


def filtered(visit: ClinicSession) -> Filtered:
    """A WHERE costs nothing more."""
    answer = visit.ask(LUNGS, HALF)
    truth = visit.query_exact(LUNGS)
    counts, means = ({row[0]: row[place] for row in truth} for place in (1, 2))
    return Filtered(
        LUNGS,
        _build_bars(answer, "visits", counts),
        _build_bars(answer, "mean_cost", means),
        visit.receipt(answer),
    )


def refused(visit: ClinicSession) -> Refused:
    """What no budget buys: rows, and sums of what has no bounds."""
    found = []
    for sql in REFUSED:
        try:
            visit.ask(sql, SMALL)
        except hedgerow.Refused as problem:
            found.append(Refusal(sql, str(problem)))
    return Refused(tuple(found), visit.account)


def attacked(visit: ClinicSession) -> Attacked:
    """Average the noise away: new questions that mean nearly the same, then one of them many times.

    k answers at epsilon e have a mean whose noise is sqrt(k) times narrower than that of one; a
    single honest question at k e would have had noise k times narrower.
    """
    ((truth,),) = visit.query_exact(TARGET)
    found, message = list[TextBar](), ""
    for number in range(MAX_VARIANTS):
        sql = f"{TARGET} AND bmi > {10 + number / 10:.1f}" if number else TARGET
        try:
            (bar,) = _build_bars(visit.ask(sql, SMALL, "mallory"), "n", {})
        except BudgetExceeded as problem:
            message = str(problem)
            break
        found.append(TextBar(str(number + 1), bar.answer, bar.low, bar.high, truth))
    paid = len(found)
    repeats = REPEATS if paid else 0
    different = len({visit.ask(TARGET, SMALL, "mallory").rows[0]["n"] for _ in range(repeats)})
    average = sum(bar.answer for bar in found) / max(paid, 1)
    wide, narrow = (_compute_deviation(SMALL * times) for times in (1, max(paid, 1)))
    spread = wide / max(paid, 1) ** 0.5
    return Attacked(
        repeats,
        different,
        TARGET,
        SMALL,
        tuple(found),
        average,
        spread,
        narrow,
        message,
        truth,
        visit.account,
    )


def _compute_deviation(epsilon: Fraction) -> float:
    """How far a count at this epsilon is off, as a standard deviation."""
    return float(Laplace.calibrate(sensitivity=1, epsilon=epsilon).scale) * 2**0.5


def spent(visit: ClinicSession) -> Spent:
    """One question that asks for more than is left. Where a custodian raised the budget it is
    not asked at all.
    """
    message = ""
    if not visit.db.explain(TOO_MUCH, epsilon=WHOLE).covered:
        try:
            visit.ask(TOO_MUCH, WHOLE)
        except BudgetExceeded as problem:
            message = str(problem)
    return Spent(TOO_MUCH, WHOLE, message, visit.account)


def kept(visit: ClinicSession) -> Kept:
    """The ledger, recomputed from its file alone."""
    path = visit.db.policy.ledger_path
    assert path is not None
    report = verify(path)
    charges = tuple(
        Charge(
            entry.seq,
            entry.body["analyst"],
            _describe_charge(entry.body["about"]),
            Fraction(entry.body["epsilon"]),
        )
        for entry in visit.db.ledger.entries()
        if entry.kind == "charge"
    )
    return Kept(
        str(path),
        report.entries,
        report.sound,
        sum((charge.epsilon for charge in charges), Fraction(0)),
        charges,
    )


def _describe_charge(told: Mapping[str, Any]) -> str:
    return f"{', '.join(told['aggregates'])} of {told['table']}"
