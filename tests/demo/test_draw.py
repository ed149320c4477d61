"""What a page says: the answer, its error, the price; and what only a custodian sees is marked as such."""

from __future__ import annotations

import io
from fractions import Fraction

from rich.console import Console, RenderableType

from hedgerow.demo import draw
from hedgerow.demo.chapters import Audited, Averaged, Bar, Chosen, Counted, Finding, Histogram, Led, Payment, Protected, Refusal, Survey
from hedgerow.demo.show import THEME
from hedgerow.privacy.account import Account

PAYMENT = Payment("ages", Fraction(3, 10), Account(Fraction(1), Fraction(6, 10)))


def drawn(page: RenderableType) -> str:
    console = Console(file=io.StringIO(), width=78, theme=THEME, color_system=None, highlight=False)
    console.print(page)
    text = console.file.getvalue()  # type: ignore[attr-defined]
    assert isinstance(text, str)
    return text


def assert_paid(page: str) -> None:
    assert page.rstrip().endswith("budget  ████████████▒▒▒▒▒▒▒▒▒░░░░░░░░░  0.3 paid, 0.4 of 1 left")


def test_protected() -> None:
    page = drawn(draw.protected(Protected("add-remove", "patient_id", 1, 0.731, Account(Fraction(1), Fraction(0))), 78))
    assert 'Unit("add-remove", owner="patient_id")' in page
    assert "73 %" in page
    assert page.rstrip().endswith("1 of 1 left")


def test_counted() -> None:
    page = drawn(draw.counted(Counted(1187, 30, 10.0, 1200, PAYMENT), 78))
    assert "1,187 ± 30" in page
    assert page.count("◆ 1,200") == page.count("1,200") == 1
    assert_paid(page)


def test_averaged() -> None:
    page = drawn(draw.averaged(Averaged(47.04, 45.9, 48.1, 0, 110, 47.71, PAYMENT), 78))
    assert "47.0  between 45.9 and 48.1 with 95 %" in page
    assert "◆ 47.7" in page
    assert "sensitivity=55" in page
    assert_paid(page)


def test_histogram() -> None:
    page = drawn(draw.histogram(Histogram((Bar("0–9", 50, 40, 60, 45), Bar("10–19", 0, 0, 9, 0)), 10, PAYMENT), 78))
    rows = [line.split() for line in page.splitlines() if "±" in line]
    assert [row[0] for row in rows] == ["0–9", "10–19"]
    assert [row[-1] for row in rows] == ["45", "0"]
    assert "2 bars cost as much as one" in page
    assert_paid(page)


def test_a_histogram_of_nobody() -> None:
    assert "0 ± 0" in drawn(draw.histogram(Histogram((Bar("0–9", 0, 0, 0, 0),), 0, PAYMENT), 78))


def test_chosen() -> None:
    page = drawn(draw.chosen(Chosen(("flu", "asthma"), "flu", 24.45, "asthma", PAYMENT), 78))
    assert "▶ flu ◀ · asthma" in page
    assert "◆ asthma" in page
    assert "24 patients fewer" in page
    assert_paid(page)


def test_led() -> None:
    page = drawn(draw.led(Led("flu", 48, "asthma", 41, PAYMENT), 78))
    assert "by about 48 patients" in page
    assert "◆ asthma, by 41" in page
    assert_paid(page)


def test_survey() -> None:
    page = drawn(draw.survey(Survey(2000, 1.0986, 0.415, 0.33, 0.287, 0.374, 0.0015, 0.316), 78))
    assert "41.5 %" in page
    assert "33.0 %  between 28.7 % and 37.4 % with 95 %" in page
    assert "± 0.15 %" in page
    assert "◆ 31.6 %" in page


def test_refusal() -> None:
    page = drawn(draw.refusal(Refusal((PAYMENT,), "patients again", Fraction(1, 10), "The budget does not cover it.", PAYMENT.account), 78))
    assert "████████████▒▒▒▒▒▒▒▒▒░░░░░░░░░  answered" in page
    assert "refused" in page
    assert '"The budget does not cover it."' in page


def test_audited() -> None:
    findings = Finding("ours", 1.0, 0.92, "output >= 1", False), Finding("theirs", 1.0, 6.5, "output is odd", True)
    page = drawn(draw.audited(Audited(findings, 50_000, 0.999), 78))
    verdicts = [line.split()[-1] for line in page.splitlines() if "≥" in line]
    assert verdicts == ["stands", "refuted"]
