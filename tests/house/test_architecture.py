"""docs/architecture.md is true: its ways are those of real runs, its picture is that of the real
imports, and it leads a newcomer to the right folder.
"""

from __future__ import annotations

from itertools import pairwise
from pathlib import Path

import pytest
from bench import architecture

from house import rules
from house.helpers_traced_runs import RUNS, SRC, traced_modules

PAGE = architecture.PAGE.read_text(encoding="utf-8")
WAYS = architecture.read_ways(PAGE)


def test_the_page_has_the_four_ways() -> None:
    assert list(WAYS) == list(RUNS)


@pytest.mark.parametrize("name", RUNS)
def test_a_real_run_enters_the_modules_in_the_order_of_the_page(name: str, tmp_path: Path) -> None:
    run = RUNS[name](tmp_path)
    with traced_modules() as entered:
        run()
    missing = [module for module in WAYS[name] if module not in entered]
    assert not missing, f"not entered: {missing}; the run enters {entered}"
    order = [entered.index(module) for module in WAYS[name]]
    late = [WAYS[name][i + 1] for i, (a, b) in enumerate(pairwise(order)) if a > b]
    assert not late, f"entered earlier than the page says: {late}; the run enters {entered}"


def test_the_picture_is_drawn_from_the_imports_of_today() -> None:
    drawn = architecture.PICTURE.read_text(encoding="utf-8")
    assert drawn == architecture.draw_architecture(SRC, PAGE), "Run python -m bench.architecture."


def test_the_picture_colours_the_trusted_core() -> None:
    assert architecture.TRUSTED == rules.CORE


def test_every_room_is_described_on_the_page() -> None:
    rooms = {rules.room(module) for module in rules.modules(SRC)} - {""}
    assert not [room for room in sorted(rooms) if f"`{room}" not in PAGE]


def test_every_place_for_a_change_exists() -> None:
    table = PAGE.split("## Where to change what")[1]
    cells = [line.split("|")[2] for line in table.splitlines() if line.startswith("|")]
    places = [place for cell in cells for place in cell.split("`")[1::2] if "(" not in place]
    places = [place for place in places if "/" in place or place.endswith(".py")]
    assert len(places) >= 50
    assert not [place for place in places if not (SRC / place).exists()]
