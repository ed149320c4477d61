"""The tour on the real database and on paper: answers, prices, refusals, and a free second tour.

Alarm rate of each statistical check: 1e-9.
"""

from __future__ import annotations

import io
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

import pytest
from rich.console import Console
from rich.text import Text

import hedgerow
from demo.helpers_pages import ACCOUNT, COUNTS, FREE, MEANS, RECEIPT
from hedgerow.answers.answer import Answer
from hedgerow.charts.text_bars import TextBar
from hedgerow.demo import clinic, tour
from hedgerow.demo.answer_chapters import (
    BY_REGION,
    DiscoveryChapter,
    FilterChapter,
    GroupsChapter,
    PriceChapter,
    ProtectionChapter,
    RepeatChapter,
)
from hedgerow.demo.audit_chapter import AuditChapter, AuditFinding
from hedgerow.demo.chapter import Chapter, ClinicSession
from hedgerow.demo.limit_chapters import (
    REFUSED_QUESTIONS,
    REPEATS,
    AveragingChapter,
    ExhaustedBudgetChapter,
    LedgerChapter,
    LedgerCharge,
    RefusalChapter,
    RefusedQuestion,
    UnpaidChapter,
)
from hedgerow.demo.sample_data import RARE

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
    return Tours(policy, list(tour.run_tour(policy)), list(tour.run_tour(policy)))


def only(chapters: list[Chapter], kind: type[Chapter]) -> Chapter:
    (found,) = (chapter for chapter in chapters if isinstance(chapter, kind))
    return found


@pytest.mark.long
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
    spent = only(tours.first, ExhaustedBudgetChapter)
    assert isinstance(spent, ExhaustedBudgetChapter)
    assert "asks for epsilon 1 with 0.75 left" in spent.message


@pytest.mark.long
def test_the_second_tour_is_free_and_the_same(tours: Tours) -> None:
    for first, second in zip(tours.first, tours.second, strict=True):
        assert type(first) is type(second)
        if isinstance(first, GroupsChapter | FilterChapter) and isinstance(
            second, GroupsChapter | FilterChapter
        ):
            assert (first.counts, first.means) == (second.counts, second.means)
        if isinstance(first, DiscoveryChapter) and isinstance(second, DiscoveryChapter):
            assert first.counts == second.counts
        if hasattr(second, "receipt"):
            assert (second.receipt.cost, second.receipt.reused) == (0, True)
        if isinstance(first, LedgerChapter) and isinstance(second, LedgerChapter):
            assert (first.entries, first.spent) == (second.entries, second.spent)


@pytest.mark.long
def test_answers_are_near_the_truth(tours: Tours) -> None:
    with hedgerow.open(tours.policy, in_process=True) as db:
        for sql, columns, price in (
            (BY_REGION, ("visits", "mean_cost"), 0.5),
            (DiscoveryChapter.question, ("visits",), 0.75),
        ):
            answer = db.query(sql, epsilon=price)
            assert isinstance(answer, Answer)
            assert answer.receipt.reused
            truth = {row[0]: row[1:] for row in ClinicSession(tours.policy, db).query_exact(sql)}
            for place, column in enumerate(columns):
                for row, (low, high) in zip(
                    answer.rows, answer.interval(column, 1 - RARELY / 100), strict=True
                ):
                    assert low <= truth[next(iter(row.values()))][place] <= high


@pytest.mark.long
def test_the_first_page_names_the_unit_and_the_belief(tours: Tours) -> None:
    chapter = only(tours.first, ProtectionChapter)
    assert isinstance(chapter, ProtectionChapter)
    assert (chapter.unit, chapter.neighbours, chapter.truth) == (
        "patient_id",
        "add-remove",
        100_000,
    )
    assert chapter.guess == pytest.approx(0.9525741268)


@pytest.mark.long
def test_it_is_explained_before_it_is_asked(tours: Tours) -> None:
    first, second = only(tours.first, PriceChapter), only(tours.second, PriceChapter)
    assert isinstance(first, PriceChapter)
    assert isinstance(second, PriceChapter)
    assert "This question would cost epsilon 0.5" in first.words
    assert "asking again is free" in second.words
    assert 0.19 < first.epsilon < 0.21


@pytest.mark.long
def test_rare_diagnoses_stay_hidden(tours: Tours) -> None:
    chapter = only(tours.first, DiscoveryChapter)
    assert isinstance(chapter, DiscoveryChapter)
    assert {name for name, _ in chapter.truth_hidden} == set(RARE)
    assert all(bar.answer >= chapter.threshold for bar in chapter.counts)
    assert len(chapter.counts) == 12


@pytest.mark.long
def test_two_refusals_are_underlined(tours: Tours) -> None:
    chapter = only(tours.first, RefusalChapter)
    assert isinstance(chapter, RefusalChapter)
    assert [refusal.sql for refusal in chapter.refusals] == list(REFUSED_QUESTIONS)
    assert all("^" in refusal.message for refusal in chapter.refusals)


@pytest.mark.long
def test_averaging_fails(tours: Tours) -> None:
    chapter = only(tours.first, AveragingChapter)
    assert isinstance(chapter, AveragingChapter)
    assert (len(chapter.answers), chapter.repeats, chapter.different) == (5, REPEATS, 1)
    assert "quota of analyst 'mallory'" in chapter.refused
    assert chapter.spread > 2 * chapter.honest
    assert {bar.truth for bar in chapter.answers} == {chapter.truth}


@pytest.mark.long
def test_the_ledger_page_lists_every_charge(tours: Tours) -> None:
    chapter = only(tours.first, LedgerChapter)
    assert isinstance(chapter, LedgerChapter)
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


@pytest.mark.long
def test_a_budget_spent_elsewhere_is_explained(other: Path) -> None:
    with hedgerow.open(other, in_process=True) as db:
        for age in range(3):
            db.query(f"SELECT COUNT(*) FROM patients WHERE age > {age}", epsilon=1)
        visit = ClinicSession(other, db)
        chapter = tour.ask_chapter(GroupsChapter, visit)
        assert isinstance(chapter, UnpaidChapter)
        assert (chapter.title, chapter.account.left) == ("What does a visit cost?", 0)
        attack = AveragingChapter.ask(visit)
        assert (attack.answers, attack.repeats) == ((), 0)
        assert attack.refused


@pytest.mark.long
def test_a_raised_budget_has_nothing_to_refuse(other: Path) -> None:
    with hedgerow.open(other, in_process=True) as db:
        chapter = ExhaustedBudgetChapter.ask(ClinicSession(other, db))
        assert (chapter.message, chapter.account.spent) == ("", 0)


@pytest.mark.long
def test_a_pure_budget_has_one_line(other: Path) -> None:
    page = clinic._POLICY_TEXT.replace("delta   = 1e-9", "").replace("default_delta   = 1e-12", "")
    other.write_text(page, encoding="utf-8")
    with hedgerow.open(other, in_process=True) as db:
        assert ClinicSession(other, db).account.total == 3


SQL = (
    "SELECT region, COUNT(*) AS visits, AVG(cost) AS mean_cost\nFROM visits WHERE diagnosis = 'lung"
    " cancer' AND age >= 40 GROUP BY region"
)
LONG = "word " * 60
CHAPTERS: list[Chapter] = [
    ProtectionChapter("demo/clinic.toml", "patient_id", "add-remove", 0.95, 100_000, ACCOUNT),
    PriceChapter(SQL, LONG, 5, Fraction(2, 10), ACCOUNT),
    GroupsChapter(SQL, COUNTS, MEANS, RECEIPT),
    RepeatChapter(SQL, True, FREE),
    DiscoveryChapter(
        SQL,
        567,
        (TextBar("a very long diagnosis", 31_000, 30_000, 32_000, 31_500),),
        (("x", 3),),
        RECEIPT,
    ),
    FilterChapter(SQL, COUNTS, MEANS, RECEIPT),
    RefusalChapter((RefusedQuestion(SQL, LONG),), ACCOUNT),
    AveragingChapter(50, 1, SQL, Fraction(1, 10), COUNTS, 5.0, 2.0, 1.0, LONG, 6, ACCOUNT),
    ExhaustedBudgetChapter(SQL, Fraction(1), LONG, ACCOUNT),
    LedgerChapter(
        "demo/clinic.ledger",
        18,
        True,
        Fraction(1),
        (LedgerCharge(3, "ana", "COUNT(*), AVG(cost) of visits", Fraction(1)),),
    ),
    UnpaidChapter("A title of its own", SQL, LONG, ACCOUNT),
    AuditChapter((AuditFinding("ours", 1.0, 0.9, "output >= 1", False),), 50_000, 0.95),
]


def printed(width: int, *, colour: bool = False, made: bool = False) -> str:
    console = Console(
        file=io.StringIO(),
        width=width,
        force_terminal=colour,
        color_system="standard" if colour else None,
    )
    shown = tour.TourPrinter(console)
    shown.print_opening(Path("demo/clinic.toml"), created=made)
    for chapter in CHAPTERS:
        shown.print_chapter(chapter)
    shown.print_closing(Path("demo/clinic.toml"))
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def test_every_chapter_has_a_page() -> None:
    assert {*tour.CHAPTERS, UnpaidChapter} == {type(chapter) for chapter in CHAPTERS}


@pytest.mark.parametrize("width", [60, 80, 120])
def test_it_keeps_to_the_width(width: int) -> None:
    assert max(map(len, printed(width).splitlines())) <= min(width, 100)


def test_pages_are_numbered_in_order() -> None:
    text = printed(80)
    headings = [chapter.heading for chapter in CHAPTERS]
    assert headings[-2:] == ["A title of its own", "Why not just numpy?"]
    titles = [f"{number}  {heading}" for number, heading in enumerate(headings, 1)]
    places = [text.index(title) for title in titles]
    assert places == sorted(places)


def test_the_opening_says_what_is_new_and_what_is_free() -> None:
    assert "made just now" in printed(80, made=True)
    assert "free" in " ".join(printed(80).split("1  Who")[0].split())


def test_colour_adds_nothing_but_colour() -> None:
    plain, coloured = printed(80), printed(80, colour=True)
    assert "\x1b" not in plain
    assert "\x1b" in coloured
    assert Text.from_ansi(coloured).plain.rstrip() == plain.rstrip()
