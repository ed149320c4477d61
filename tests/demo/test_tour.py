"""The tour on the real database: what is paid, what is answered, what is refused; and the second
time it is free.

Alarm rate of each statistical check: 1e-9.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest

import hedgerow
from hedgerow.demo import clinic, tour
from hedgerow.demo.chapters import (
    Attacked,
    Chapter,
    Discovered,
    Explained,
    Filtered,
    Grouped,
    Kept,
    Protected,
    Refused,
    Spent,
    Unpaid,
)
from hedgerow.demo.sample_data import RARE

pytestmark = pytest.mark.long

RARELY = Fraction(1, 10**9)


@dataclass(frozen=True)
class Tours:
    """Both tours of one clinic."""

    policy: Path
    first: list[Chapter]
    second: list[Chapter]


@pytest.fixture(scope="module")
def tours(tmp_path_factory: pytest.TempPathFactory) -> Tours:
    policy, _ = clinic.prepare_clinic(tmp_path_factory.mktemp("clinic") / "demo")
    return Tours(policy, list(tour.tour(policy)), list(tour.tour(policy)))


def only(chapters: list[Chapter], kind: type[Chapter]) -> Chapter:
    (found,) = (chapter for chapter in chapters if isinstance(chapter, kind))
    return found


def test_the_budget_falls_and_runs_out(tours: Tours) -> None:
    accounts = [chapter.account for chapter in tours.first if hasattr(chapter, "account")]
    assert [float(account.left) for account in accounts] == [3, 3, 1.25, 0.75, 0.75]
    receipts = [chapter.receipt for chapter in tours.first if hasattr(chapter, "receipt")]
    assert [(float(receipt.cost), float(receipt.account.left)) for receipt in receipts] == [
        (0.5, 2.5),
        (0, 2.5),
        (0.75, 1.75),
        (0.5, 1.25),
    ]
    spent = only(tours.first, Spent)
    assert isinstance(spent, Spent)
    assert "asks for epsilon 1.000000000000 with 0.750000000000 left" in spent.message


def test_the_second_tour_is_free_and_the_same(tours: Tours) -> None:
    for one, other in zip(tours.first, tours.second, strict=True):
        assert type(one) is type(other)
        if isinstance(one, Grouped | Filtered) and isinstance(other, Grouped | Filtered):
            assert (one.counts, one.means) == (other.counts, other.means)
        if isinstance(one, Discovered) and isinstance(other, Discovered):
            assert one.counts == other.counts
        if hasattr(other, "receipt"):
            assert (other.receipt.cost, other.receipt.reused) == (0, True)
        if isinstance(one, Kept) and isinstance(other, Kept):
            assert (one.entries, one.spent) == (other.entries, other.spent)


def test_answers_are_near_the_truth(tours: Tours) -> None:
    with hedgerow.open(tours.policy, in_process=True) as db:
        for sql, columns, price in (
            (tour.BY_REGION, ("visits", "mean_cost"), 0.5),
            (tour.DIAGNOSES, ("visits",), 0.75),
        ):
            answer = db.query(sql, epsilon=price)
            assert isinstance(answer, tour.Answer)
            assert answer.receipt.reused
            truth = {
                row[0]: row[1:] for row in tour.ClinicSession(tours.policy, db).query_exact(sql)
            }
            for place, column in enumerate(columns):
                for row, (low, high) in zip(
                    answer.rows, answer.interval(column, 1 - RARELY / 100), strict=True
                ):
                    assert low <= truth[next(iter(row.values()))][place] <= high


def test_who_is_protected(tours: Tours) -> None:
    chapter = only(tours.first, Protected)
    assert isinstance(chapter, Protected)
    assert (chapter.unit, chapter.neighbours, chapter.truth) == (
        "patient_id",
        "add-remove",
        100_000,
    )
    assert chapter.guess == pytest.approx(0.9525741268)


def test_it_is_explained_before_it_is_asked(tours: Tours) -> None:
    first, second = only(tours.first, Explained), only(tours.second, Explained)
    assert isinstance(first, Explained)
    assert isinstance(second, Explained)
    assert "This question would cost epsilon 0.5" in first.words
    assert "asking again is free" in second.words
    assert 0.19 < first.epsilon < 0.21


def test_rare_diagnoses_stay_hidden(tours: Tours) -> None:
    chapter = only(tours.first, Discovered)
    assert isinstance(chapter, Discovered)
    assert {name for name, _ in chapter.truth_hidden} == set(RARE)
    assert all(bar.answer >= chapter.threshold for bar in chapter.counts)
    assert len(chapter.counts) == 12


def test_two_refusals_are_underlined(tours: Tours) -> None:
    chapter = only(tours.first, Refused)
    assert isinstance(chapter, Refused)
    assert [refusal.sql for refusal in chapter.refusals] == list(tour.REFUSED)
    assert all("^" in refusal.message for refusal in chapter.refusals)


def test_averaging_fails(tours: Tours) -> None:
    chapter = only(tours.first, Attacked)
    assert isinstance(chapter, Attacked)
    assert (len(chapter.answers), chapter.repeats, chapter.different) == (5, tour.REPEATS, 1)
    assert "quota of analyst 'mallory'" in chapter.refused
    assert chapter.spread > 2 * chapter.honest
    assert {bar.truth for bar in chapter.answers} == {chapter.truth}


def test_the_receipts(tours: Tours) -> None:
    chapter = only(tours.first, Kept)
    assert isinstance(chapter, Kept)
    assert chapter.sound
    assert chapter.spent == Fraction(9, 4)
    assert [charge.analyst for charge in chapter.charges] == ["ana"] * 3 + ["mallory"] * 5
    assert chapter.charges[0].about == "COUNT(*), AVG(cost) of visits"


@pytest.fixture
def other(tours: Tours, tmp_path: Path) -> Path:
    """A clinic with the same people and a ledger of its own."""
    for name in ("patients.parquet", "visits.parquet", "regions.csv"):
        (tmp_path / name).hardlink_to(tours.policy.parent / name)
    policy = tmp_path / clinic.POLICY_FILE
    policy.write_text(clinic._POLICY_TEXT, encoding="utf-8")
    return policy


def test_a_budget_that_others_spent_is_told_kindly(other: Path) -> None:
    with hedgerow.open(other, in_process=True) as db:
        for age in range(3):
            db.query(f"SELECT COUNT(*) FROM patients WHERE age > {age}", epsilon=1)
        visit = tour.ClinicSession(other, db)
        (chapter,) = tour._paid("Title", tour.BY_REGION, tour.grouped, visit)
        assert isinstance(chapter, Unpaid)
        assert (chapter.title, chapter.account.left) == ("Title", 0)
        attack = tour.attacked(visit)
        assert (attack.answers, attack.repeats) == ((), 0)
        assert attack.refused


def test_a_raised_budget_has_nothing_to_refuse(other: Path) -> None:
    with hedgerow.open(other, in_process=True) as db:
        chapter = tour.spent(tour.ClinicSession(other, db))
        assert (chapter.message, chapter.account.spent) == ("", 0)


def test_a_pure_budget_has_one_line(other: Path) -> None:
    page = clinic._POLICY_TEXT.replace("delta   = 1e-9", "").replace("default_delta   = 1e-12", "")
    other.write_text(page, encoding="utf-8")
    with hedgerow.open(other, in_process=True) as db:
        assert tour.ClinicSession(other, db).account.total == 3
