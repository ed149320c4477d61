"""Pages about answers: the answer, its error and its price; marks on what only a custodian sees."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

from demo.helpers_pages import (
    ACCOUNT,
    COUNTS,
    FREE,
    MEANS,
    RECEIPT,
    assert_left,
    assert_paid,
    draw_page,
)
from hedgerow.demo.answer_chapters import (
    DiscoveryChapter,
    FilterChapter,
    GroupsChapter,
    PriceChapter,
    ProtectionChapter,
    RepeatChapter,
)


def test_the_protection_page_names_unit_belief_and_truth() -> None:
    page = draw_page(
        ProtectionChapter(
            "demo/clinic.toml", "patient_id", "add-remove", 0.731, 1234, ACCOUNT
        ).render(78)
    )
    assert "protects patient_id under add-remove" in " ".join(page.split())
    assert "73 %" in page
    assert "◆ 1,234 patients" in page
    assert_left(page)


def test_the_price_page_shows_the_explanation_as_it_is() -> None:
    page = draw_page(
        PriceChapter("SELECT 1", "It would cost [much].", 5, Fraction(2, 10), ACCOUNT).render(78)
    )
    assert "It would cost [much]." in page
    assert "epsilon 0.2" in page
    assert_left(page)


def test_charts_of_groups_show_answer_error_and_truth() -> None:
    for page in (
        draw_page(GroupsChapter("SELECT 1", COUNTS, MEANS, RECEIPT).render(78)),
        draw_page(FilterChapter("SELECT 1", COUNTS, MEANS, RECEIPT).render(78)),
    ):
        assert "500 ± 60" in page
        rows = [
            line.split()
            for line in page.splitlines()
            if line.strip().startswith(("north", "south"))
        ]
        assert [row[-1] for row in rows] == ["510", "77", "51", "52"]
        assert_paid(page)


def test_a_page_says_that_it_was_paid_for_before() -> None:
    page = draw_page(GroupsChapter("SELECT 1", COUNTS, MEANS, FREE).render(78))
    assert "Paid for before, by ledger entry 3: free now." in page
    assert_left(page)


def test_the_repeat_page_compares_the_numbers() -> None:
    page = draw_page(RepeatChapter("select 1", True, FREE).render(78))
    assert "the same numbers, from ledger entry 3" in " ".join(page.split())
    assert "other numbers" in draw_page(RepeatChapter("select 1", False, FREE).render(78))
    assert_left(page)


def test_the_discovery_page_shows_the_threshold_and_hidden_groups() -> None:
    it = DiscoveryChapter("SELECT 1", 567, COUNTS, (("leprosy", 22), ("Fabry disease", 6)), RECEIPT)
    page = draw_page(it.render(78))
    assert "count reaches 567" in page
    assert "◆ not shown: leprosy (22), Fabry disease (6)" in page
    assert_paid(page)
    assert "not shown" not in draw_page(replace(it, truth_hidden=()).render(78))
