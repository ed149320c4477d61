"""Pages about limits: refusals, an attack, the exhausted budget and the ledger."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from demo.helpers_pages import ACCOUNT, assert_left, draw_page
from hedgerow.charts.text_bars import TextBar
from hedgerow.demo.limit_chapters import (
    AveragingChapter,
    ExhaustedBudgetChapter,
    LedgerChapter,
    LedgerCharge,
    RefusalChapter,
    RefusedQuestion,
    UnpaidChapter,
)


def test_the_refusal_page_keeps_the_underlined_place() -> None:
    page = draw_page(
        RefusalChapter(
            (RefusedQuestion("SELECT *", "No rows\n    SELECT *\n           ^"),), ACCOUNT
        ).render(78)
    )
    assert "    SELECT *\n           ^" in page
    assert_left(page)


def test_the_averaging_page_compares_both_errors() -> None:
    tries = (TextBar("1", 180, 150, 210, 190), TextBar("2", 195, 165, 225, 190))
    it = AveragingChapter(
        50,
        1,
        "SELECT 1",
        Fraction(1, 10),
        tries,
        187.5,
        10.0,
        7.07,
        "The quota is gone.",
        190,
        ACCOUNT,
    )
    page = draw_page(it.render(78))
    assert "50 answers, 1 number" in page
    assert "average of 2 is 187.5, off by about 10.0" in page
    assert '"The quota is gone."' in page
    assert_left(page)
    assert "The quota is gone." in draw_page(replace(it, answers=()).render(78))
    assert "quota" not in draw_page(replace(it, refused="").render(78))


def test_the_budget_page_quotes_the_refusal() -> None:
    page = draw_page(
        ExhaustedBudgetChapter("SELECT 1", Fraction(1), "It asks for too much.", ACCOUNT).render(78)
    )
    assert '"It asks for too much."' in page
    assert_left(page)
    assert "nothing to refuse" in draw_page(
        ExhaustedBudgetChapter("SELECT 1", Fraction(1), "", ACCOUNT).render(78)
    )


def test_the_ledger_page_lists_charges_and_verdict() -> None:
    it = LedgerChapter(
        "demo/clinic.ledger",
        18,
        True,
        Fraction(3, 4),
        (LedgerCharge(3, "ana", "COUNT(*) of visits", Fraction(3, 4)),),
    )
    page = draw_page(it.render(78))
    assert "18 entries, recomputed: nothing is wrong; charges of epsilon 0.75 in total" in page
    assert "hedgerow ledger verify demo/clinic.toml" in page
    assert "something is wrong" in draw_page(replace(it, sound=False).render(78))


def test_an_unpaid_page_says_how_to_start_over() -> None:
    page = draw_page(UnpaidChapter("Title", "SELECT 1", "Nothing is left.", ACCOUNT).render(78))
    assert '"Nothing is left."' in page
    assert "hedgerow demo --reset" in page
    assert_left(page)
