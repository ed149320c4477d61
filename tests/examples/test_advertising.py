"""The month of clicks: run in small, its answers held against the truth, its budget counted
again, its pictures read.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from xml.etree import ElementTree

import pytest
from scipy import special

from examples.running import ran

ROOT = Path(__file__).parents[2]
FOLDER = ROOT / "examples" / "advertising"
PAGE = ROOT / "docs" / "examples" / "advertising.md"
SURE = 1 - Fraction(1, 10**12)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def month(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    with ran(
        "advertising/month.py", tmp_path_factory.mktemp("campaign"), ("campaign", "campaign_charts")
    ) as names:
        yield names


def daily(month: SimpleNamespace) -> Iterator[tuple[Any, list[tuple[Any, ...]]]]:
    """Every dashboard with the exact rows of it."""
    for keys, answers in (("region", month.regions), ("age_group, gender", month.audiences)):
        for day, answer in zip(month.days, answers, strict=True):
            yield (
                answer,
                month.engine.sql(month.dashboard(day, keys) + f" ORDER BY {keys}").fetchall(),
            )


def held(answer: Any, column: str, exact: list[float], level: Any) -> list[bool]:
    return [
        low <= value <= high
        for value, (low, high) in zip(exact, answer.interval(column, level), strict=True)
    ]


def test_days_hold_the_truth(month: SimpleNamespace) -> None:
    ordinary = []
    for answer, exact in daily(month):
        for place, column in ((-3, "rate"), (-2, "clicks"), (-1, "shown")):
            assert all(held(answer, column, [row[place] for row in exact], SURE))
        ordinary += held(answer, "rate", [row[-3] for row in exact], Fraction(95, 100))
    assert len(ordinary) == 160
    # no fewer than a 95 % interval allows in a billion runs
    assert special.bdtr(sum(ordinary), 160, 0.95) > 1e-9
    # and they say something
    assert all(
        high - low < 0.1 for answer in month.regions for low, high in answer.interval("rate")
    )


def test_the_frequency_cap_holds_in_the_data(month: SimpleNamespace) -> None:
    """So that nothing is cut off, and the truth above is that of all rows."""
    by_day = "SELECT user_id, day, COUNT(*) AS n FROM impressions GROUP BY ALL"
    by_user = f"SELECT COUNT(*) AS days, MAX(n) AS n FROM ({by_day}) GROUP BY user_id"
    assert month.engine.sql(f"SELECT MAX(days), MAX(n) FROM ({by_user})").fetchall() == [(3, 2)]


def test_the_whole_month_holds_the_truth(month: SimpleNamespace) -> None:
    exact = month.engine.sql(
        "SELECT region, SUM(clicked), COUNT(*), AVG(clicked) FROM impressions GROUP BY region ORDER"
        " BY region"
    ).fetchall()
    for place, column in enumerate(("clicks", "shown", "rate"), 1):
        assert all(held(month.month, column, [row[place] for row in exact], SURE))


def test_the_fault_is_found(month: SimpleNamespace) -> None:
    """On one of its three days at least: each is missed about once in five thousand runs, and a
    false alarm is as rare.
    """
    real = [day for day, region in month.wrong if region == "lakes" and day in month.campaign.FAULT]
    assert real
    assert len(month.wrong) - len(real) <= 2
    assert list(month.closer) == [day for day, _ in month.wrong]
    assert f"{real[0]}: the lakes had a rate between" in month.told


def test_days_add_up(month: SimpleNamespace) -> None:
    sums = month.added(month.regions, "shown")
    assert [total for total, _ in sums] == [
        sum(answer.rows[place]["shown"] for answer in month.regions) for place in range(6)
    ]
    one = (lambda ends: (ends[1] - ends[0]) / 2)(month.regions[0].interval("shown")[0])
    # the same noise every day
    assert sums[0][1] == pytest.approx(one * len(month.days) ** 0.5, rel=0.02)
    assert all(low < rate < high for rate, low, high in month.rates(month.audiences))


def test_the_new_film_pleases_people_over_fifty(month: SimpleNamespace) -> None:
    place = month.groups.index(("50 to 64", "female"))
    assert month.after[place][0] > month.before[place][0]


def test_the_budget_of_every_part_is_what_was_spent(month: SimpleNamespace) -> None:
    """Counted again from the receipts: the whole, the part, and the two dearest others."""
    asked = dict.fromkeys(month.campaign.DAYS, Fraction(0))
    for day, *answers in zip(month.days, month.regions, month.audiences, strict=True):
        asked[day] += sum(answer.receipt.epsilon for answer in answers)
    for day, answer in month.closer.items():
        asked[day] += answer.receipt.epsilon
    whole = month.month.receipt.epsilon
    rows = {row["part"]: row for row in month.view.rows}
    assert len(rows) == 31
    for day, own in asked.items():
        others = sorted(amount for other, amount in asked.items() if other != day)[-2:]
        row = rows[f"impressions {day}"]
        assert row["spent"] == pytest.approx(float(whole + own + sum(others)))
        assert row["left"] == pytest.approx(float(3 - whole - own - sum(others)))
    dearest = whole + sum(sorted(asked.values())[-3:])
    assert rows[None]["spent"] == pytest.approx(float(dearest))
    assert month.spent.spent == dearest <= 3
    assert month.asked == whole + sum(asked.values())


def test_without_parts_the_sixth_day_is_refused(month: SimpleNamespace) -> None:
    assert month.dark == month.days[5]
    assert month.plain.balance.spent == 3
    assert f"would have refused the dashboard of {month.dark}" in month.told


def labels(file: Path) -> list[str]:
    """All text of a picture, which must be well-formed."""
    space = "{http://www.w3.org/2000/svg}"
    tree = ElementTree.parse(file).getroot()
    assert tree.tag == f"{space}svg"
    return [node.text or "" for node in tree.iter(f"{space}text")]


def test_pictures_have_their_labels(month: SimpleNamespace) -> None:
    assert {*month.campaign.REGIONS, "from here on, the new film", "15 %"} <= set(
        labels(month.out / "month.svg")
    )
    assert {f"{age}, {gender}" for age, gender in month.groups} <= set(
        labels(month.out / "audience.svg")
    )
    shown = labels(month.out / "budget.svg")
    assert {"with parts", "without parts", f"{float(month.asked):.1f}", "the budget: 3"} <= set(
        shown
    )
    assert {str(day.day) for day in month.days} <= set(shown)


def test_the_page_shows_what_the_script_says() -> None:
    script, page = (
        (FOLDER / "month.py").read_text(encoding="utf-8"),
        PAGE.read_text(encoding="utf-8"),
    )
    blocks = re.findall(r"^```toml\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert blocks
    plain = (
        script.replace("{campaign.MOST_A_DAY}", "2")
        .replace("{campaign.MOST_DAYS}", "3")
        .replace("{{", "{")
        .replace("}}", "}")
    )
    assert not [
        line
        for block in blocks
        for line in block.splitlines()
        if line.strip() and line.strip() not in plain
    ]
