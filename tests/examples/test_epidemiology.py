"""The study of dust and bronchitis: run in small, its answers held against the truth, its
pictures and its page read.
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
FOLDER = ROOT / "examples" / "epidemiology"
PAGE = ROOT / "docs" / "examples" / "epidemiology.md"
SURE = 1 - Fraction(1, 10**12)

pytestmark = pytest.mark.long


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Iterator[SimpleNamespace]:
    with ran(
        "epidemiology/study.py", tmp_path_factory.mktemp("county"), ("county", "county_maps")
    ) as names:
        yield names


def fewest_held(many: int) -> int:
    """Of so many 95 % intervals, as many hold at least, but for one run in ten billion: four
    columns are looked at.
    """
    return next(
        least for least in range(many, -1, -1) if special.bdtr(least - 1, many, 0.95) < 1e-10
    )


def held(answer: Any, column: str, exact: list[float], level: Any) -> int:
    return sum(
        low <= value <= high
        for value, (low, high) in zip(exact, answer.interval(column, level), strict=True)
    )


def exact_rows(
    study: SimpleNamespace, sql: str, keys: int
) -> dict[tuple[Any, ...], tuple[Any, ...]]:
    return {row[:keys]: row[keys:] for row in study.engine.sql(sql).fetchall()}


def test_districts_hold_the_truth(study: SimpleNamespace) -> None:
    names = [row["district"] for row in study.by_district.rows]
    assert len(names) == 40
    for place, column in enumerate(("rate", "cases", "expected", "ratio"), 1):
        exact = [study.exact[name][place] for name in names]
        assert held(study.by_district, column, exact, SURE) == 40
        assert held(study.by_district, column, exact, Fraction(95, 100)) >= fewest_held(40)
    # and they say something
    assert all(high - low < 0.05 for low, high in study.by_district.interval("rate"))


def test_ages_zones_and_correlations_hold_the_truth(study: SimpleNamespace) -> None:
    for answer, sql, keys in (
        (study.by_age, study.by_age_sql, ("age_group",)),
        (study.by_zone, study.by_zone_sql, ("age_group", "zone")),
        (study.correlation, study.correlation_sql, ()),
    ):
        truth = exact_rows(study, sql, len(keys))
        assert len(answer.rows) == len(truth)
        for place, column in enumerate(name for name in answer.columns if name not in keys):
            exact = [truth[tuple(row[key] for key in keys)][place] for row in answer.rows]
            assert held(answer, column, exact, SURE) == len(exact)


def test_the_worst_districts_are_found(study: SimpleNamespace) -> None:
    high = {name for name, verdict in study.found.items() if verdict == "high"}
    worst = sorted(study.planted, key=study.planted.__getitem__)[-3:]
    assert {study.exact[name][4] > 1.5 for name in worst} == {True}
    assert high & set(worst)
    assert sum(study.planted[name] < 1 for name in high) <= 2
    assert all(name in study.told for name in high)


def test_age_moves_the_map_from_the_hills_to_the_works(study: SimpleNamespace) -> None:
    """What the story is about, in the exact data: the hills have high rates and low ratios."""
    hills, works = ("Stonely", "Kirkby", "Cragend", "Ravensby"), ("Furness", "Eastry", "Holme")
    assert min(study.exact[name][1] for name in hills) > min(study.exact[name][1] for name in works)
    assert (
        max(study.exact[name][4] for name in hills)
        < 1.2
        < 1.5
        < min(study.exact[name][4] for name in works)
    )


@pytest.mark.parametrize("cases", [40, 100, 400])
def test_limits_for_chance_are_those_of_poisson(study: SimpleNamespace, cases: int) -> None:
    low, high = study.both_chances((cases, cases), (100, 100))
    assert low == pytest.approx(special.gammaincinv(cases, 0.005) / 100, rel=0.01)
    assert high == pytest.approx(special.gammaincinv(cases + 1, 0.995) / 100, rel=0.01)


def test_limits_widen_with_noise_and_survive_nothing(study: SimpleNamespace) -> None:
    sharp, blurred = (
        study.both_chances((100, 100), (90, 90)),
        study.both_chances((90, 110), (85, 95)),
    )
    assert blurred[0] < sharp[0] < sharp[1] < blurred[1]
    low, high = study.both_chances((-9, 3), (-1, 1))
    assert 0 <= low < high


def test_the_budget_is_what_was_asked(study: SimpleNamespace) -> None:
    asked = (study.by_age, study.by_district, study.correlation, study.by_zone)
    assert study.spent.spent == sum(answer.receipt.epsilon for answer in asked) == Fraction("1.9")
    assert study.again.receipt.reused
    assert study.again.rows == study.by_zone.rows
    assert "spent 1.9," in study.told


def labels(file: Path) -> list[str]:
    """All text of a picture, which must be well-formed."""
    space = "{http://www.w3.org/2000/svg}"
    tree = ElementTree.parse(file).getroot()
    assert tree.tag == f"{space}svg"
    return [node.text or "" for node in tree.iter(f"{space}text")]


def test_pictures_have_their_labels(study: SimpleNamespace) -> None:
    shown = labels(study.out / "map.svg")
    assert all(shown.count(name) == 2 for name in study.county.DISTRICTS)
    assert {f"{row['ratio']:.2f}" for row in study.by_district.rows} | {"copper works"} <= set(
        shown
    )
    assert {*study.county.AGES, "under 6 km", "6 to 12 km", "over 12 km"} <= set(
        labels(study.out / "ages.svg")
    )
    assert "noise and chance, 99 % each" in labels(study.out / "custodian.svg")


def test_published_pictures_hold_nothing_exact(study: SimpleNamespace) -> None:
    """The truth is in the custodian's picture alone."""
    assert "exact" in labels(study.out / "custodian.svg")
    assert not {"exact"} & {*labels(study.out / "map.svg"), *labels(study.out / "ages.svg")}


def test_the_page_shows_what_the_script_says() -> None:
    script, page = (
        (FOLDER / "study.py").read_text(encoding="utf-8"),
        PAGE.read_text(encoding="utf-8"),
    )
    blocks = re.findall(r"^```(?:sql|toml)\n(.*?)^```", page, flags=re.MULTILINE | re.DOTALL)
    assert len(blocks) >= 3
    plain = script.replace("{{", "{").replace("}}", "}")
    missing = [
        line
        for block in blocks
        for line in block.splitlines()
        if line.strip() and line.strip() not in plain
    ]
    assert not missing
