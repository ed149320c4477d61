"""What a page says: the answer, its error, the price; and what only a custodian sees is marked
as such.
"""

from __future__ import annotations

import io
from dataclasses import replace
from fractions import Fraction

from rich.console import Console, RenderableType

from demo.pages import ACCOUNT, COUNTS, FREE, MEANS, RECEIPT
from hedgerow.charts.text_bars import TextBar
from hedgerow.demo import render as draw
from hedgerow.demo.chapters import (
    Again,
    Attacked,
    Audited,
    Charge,
    Discovered,
    Explained,
    Filtered,
    Finding,
    Grouped,
    Kept,
    Protected,
    Refusal,
    Refused,
    Spent,
    Unpaid,
)
from hedgerow.demo.pager import THEME


def drawn(page: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=78, theme=THEME, color_system=None, highlight=False)
    console.print(page)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return "\n".join(line.rstrip() for line in text.splitlines())


def assert_paid(page: str) -> None:
    assert page.rstrip().endswith("budget  ████████████▒▒▒▒▒▒▒▒▒░░░░░░░░░  0.3 paid, 0.4 of 1 left")


def assert_left(page: str) -> None:
    assert page.rstrip().endswith("budget  ████████████░░░░░░░░░░░░░░░░░░  0.4 of 1 left")


def test_protected() -> None:
    page = drawn(
        draw.protected(
            Protected("demo/clinic.toml", "patient_id", "add-remove", 0.731, 1234, ACCOUNT), 78
        )
    )
    assert "protects patient_id under add-remove" in " ".join(page.split())
    assert "73 %" in page
    assert "◆ 1,234 patients" in page
    assert_left(page)


def test_explained() -> None:
    page = drawn(
        draw.explained(
            Explained("SELECT 1", "It would cost [much].", 5, Fraction(2, 10), ACCOUNT), 78
        )
    )
    assert "It would cost [much]." in page
    assert "epsilon 0.2" in page
    assert_left(page)


def test_grouped_and_filtered() -> None:
    for page in (
        drawn(draw.grouped(Grouped("SELECT 1", COUNTS, MEANS, RECEIPT), 78)),
        drawn(draw.filtered(Filtered("SELECT 1", COUNTS, MEANS, RECEIPT), 78)),
    ):
        assert "500 ± 60" in page
        rows = [
            line.split()
            for line in page.splitlines()
            if line.strip().startswith(("north", "south"))
        ]
        assert [row[-1] for row in rows] == ["510", "77", "51", "52"]
        assert_paid(page)


def test_what_was_paid_before_says_so() -> None:
    page = drawn(draw.grouped(Grouped("SELECT 1", COUNTS, MEANS, FREE), 78))
    assert "Paid for before, by ledger entry 3: free now." in page
    assert_left(page)


def test_again() -> None:
    page = drawn(draw.again(Again("select 1", True, FREE), 78))
    assert "the same numbers, from ledger entry 3" in page
    assert "other numbers" in drawn(draw.again(Again("select 1", False, FREE), 78))
    assert_left(page)


def test_discovered() -> None:
    it = Discovered("SELECT 1", 567, COUNTS, (("leprosy", 22), ("Fabry disease", 6)), RECEIPT)
    page = drawn(draw.discovered(it, 78))
    assert "count reaches 567" in page
    assert "◆ not shown: leprosy (22), Fabry disease (6)" in page
    assert_paid(page)
    assert "not shown" not in drawn(draw.discovered(replace(it, truth_hidden=()), 78))


def test_refused() -> None:
    page = drawn(
        draw.refused(
            Refused((Refusal("SELECT *", "No rows\n    SELECT *\n           ^"),), ACCOUNT), 78
        )
    )
    assert "    SELECT *\n           ^" in page
    assert_left(page)


def test_attacked() -> None:
    tries = (TextBar("1", 180, 150, 210, 190), TextBar("2", 195, 165, 225, 190))
    it = Attacked(
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
    page = drawn(draw.attacked(it, 78))
    assert "50 answers, 1 number" in page
    assert "average of 2 is 187.5, off by about 10.0" in page
    assert '"The quota is gone."' in page
    assert_left(page)
    assert "The quota is gone." in drawn(draw.attacked(replace(it, answers=()), 78))
    assert "quota" not in drawn(draw.attacked(replace(it, refused=""), 78))


def test_spent() -> None:
    page = drawn(draw.spent(Spent("SELECT 1", Fraction(1), "It asks for too much.", ACCOUNT), 78))
    assert '"It asks for too much."' in page
    assert_left(page)
    assert "nothing to refuse" in drawn(draw.spent(Spent("SELECT 1", Fraction(1), "", ACCOUNT), 78))


def test_kept() -> None:
    it = Kept(
        "demo/clinic.ledger",
        18,
        True,
        Fraction(3, 4),
        (Charge(3, "ana", "COUNT(*) of visits", Fraction(3, 4)),),
    )
    page = drawn(draw.kept(it, 78))
    assert "18 entries, recomputed: nothing is wrong; charges of epsilon 0.75 in all" in page
    assert "hedgerow ledger verify demo/clinic.toml" in page
    assert "something is wrong" in drawn(draw.kept(replace(it, sound=False), 78))


def test_unpaid() -> None:
    page = drawn(draw.unpaid(Unpaid("Title", "SELECT 1", "Nothing is left.", ACCOUNT), 78))
    assert '"Nothing is left."' in page
    assert "hedgerow demo --reset" in page
    assert_left(page)


def test_audited() -> None:
    findings = (
        Finding("ours", 1.0, 0.92, "output >= 1", False),
        Finding("theirs", 1.0, 6.5, "output is odd", True),
    )
    page = drawn(draw.audited(Audited(findings, 50_000, 0.999), 78))
    verdicts = [line.split()[-1] for line in page.splitlines() if "≥" in line]
    assert verdicts == ["stands", "refuted"]


def test_charts_of_nothing_and_of_one() -> None:
    assert "0 ± 0" in drawn(draw._chart(("a", "b"), (TextBar("x", 0, 0, 0, 0),), 78))
    assert drawn(draw._chart(("a", "b"), (), 78)).split()[:2] == ["a", "b"]
