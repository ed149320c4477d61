"""The accuracy table of the bench asks what it says it asks. How accurate anything is, is never
asserted here.
"""

from __future__ import annotations

import importlib
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

import numpy as np
import pytest

ROOT = Path(__file__).parents[2]
EPSILON, DELTA = Fraction(1), Fraction(1, 10**6)


@pytest.fixture
def part(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Any:
    monkeypatch.syspath_prepend(str(ROOT))

    def imported(name: str) -> ModuleType:
        module = importlib.import_module(f"bench.{name}")
        if name == "cells":
            # nothing is left behind, and nothing old is used
            monkeypatch.setattr(module, "FOLDER", tmp_path)
        return module

    return imported


def cell(part: Any, aggregate: str, shape: str) -> Any:
    return next(
        cell for cell in part("cells").CELLS if (cell.aggregate, cell.shape) == (aggregate, shape)
    )


def test_there_are_twenty_cells_and_two_for_keys(part: Any) -> None:
    cells = part("cells").CELLS
    assert len({(cell.aggregate, cell.shape) for cell in cells}) == len(cells) == 22
    assert [cell.error for cell in cells].count("keys") == 2


@pytest.mark.slow
def test_people_stay_within_the_caps_of_their_cells(part: Any) -> None:
    cells = part("cells")
    tables = {shape: cells.table(shape) for shape in {one.shape for one in cells.CELLS}}
    for one in cells.CELLS:
        held = tables[one.shape]
        who, key = (
            held[name].to_numpy().astype(np.int64)
            for name in ("who", "k" if one.error == "keys" else "g")
        )
        if one.groups or one.error == "keys":
            pairs, rows = np.unique(who * (int(key.max()) + 1) + key, return_counts=True)
            assert np.bincount(pairs // (int(key.max()) + 1)).max() <= one.max_groups
            assert rows.max() <= one.max_rows
        else:
            assert np.bincount(who).max() <= one.max_rows


# Person 1 has three rows in group 0 and one in group 1, person 2 one in group 0.
TINY = [(1, 0, 5), (1, 0, 1), (1, 0, 3), (1, 1, 4), (2, 0, 2)]


@pytest.mark.parametrize(
    ("task", "groups", "caps", "meant"),
    [
        # Without groups person 1 has four rows, of which two count: each weighs a half.
        ("count", 0, (1, 2), [3]),
        ("sum", 0, (1, 2), [Fraction(13, 2) + 2]),
        ("mean", 0, (1, 2), [Fraction(17, 6)]),
        ("together", 0, (1, 2), [3, Fraction(17, 6)]),
        ("variance", 0, (1, 2), [Fraction(59, 6) - Fraction(17, 6) ** 2]),
        # In one of two groups, and there with one row of three: 1/2 and 1/3.
        ("count", 2, (1, 1), [Fraction(3, 2), Fraction(1, 2)]),
        ("sum", 2, (1, 1), [Fraction(9, 6) + 2, 2]),
        ("mean", 2, (2, 1), [Fraction(3 + 2, 2), 4]),
        # Nobody has more than counts.
        ("sum", 2, (2, 3), [11, 4]),
    ],
)
def test_the_truth_under_binding_caps_is_the_capped_one(
    part: Any, task: str, groups: int, caps: tuple[int, int], meant: list[Fraction]
) -> None:
    asked = part("cells").Cell(
        "", "", task, "", groups=groups, max_groups=caps[0], max_rows=caps[1]
    )
    rows = TINY if groups else [(who, 0, value) for who, _, value in TINY]
    assert part("meaning").compute_meaning(asked, rows) == meant


def test_plain_answers_count_every_row_once(part: Any) -> None:
    asked = part("cells").Cell("", "", "mean", "", groups=2)
    assert part("meaning").compute_plain(asked, TINY) == [Fraction(11, 4), 4]


@pytest.mark.parametrize("place", range(14))
def test_ours_is_the_meaning_that_all_are_measured_against(
    part: Any, monkeypatch: pytest.MonkeyPatch, place: int
) -> None:
    """With hardly any noise, of 350 rows; of 10^12 answers one is outside."""
    cells, meaning, repeated = part("cells"), part("meaning"), part("repeated")
    asked = cells.CAPPED[place]
    few = cells.table(asked.shape).slice(9_500, 350)
    monkeypatch.setattr(repeated, "table", lambda shape: few)
    found = repeated.repeated(asked, 1, epsilon=Fraction(1000), delta=DELTA)
    rows = meaning.read_rows(few)
    meant = meaning.compute_meaning(
        asked, meaning.choose_groups(rows, asked.max_groups) if asked.groups else rows
    )
    level, names = 1 - Fraction(1, 10**12), [name for name in found.first.columns if name != "g"]
    told = [pair for name in names for pair in found.first.interval(name, level)]
    assert len(told) == len(meant)
    for (low, high), value in zip(told, meant, strict=True):
        assert low <= value <= high
        # counts are whole
        assert high - low < 0.1 * value + (2 if "COUNT" in asked.aggregate else 0)


def test_most_people_are_capped_where_caps_bite(part: Any) -> None:
    cells = part("cells")
    assert len({(one.aggregate, one.shape) for one in cells.CAPPED}) == len(cells.CAPPED) == 14
    for shape, caps in {one.shape: (one.max_groups, one.max_rows) for one in cells.CAPPED}.items():
        held = cells.table(shape)
        pairs, rows = np.unique(
            np.stack([held["who"].to_numpy(), held["g"].to_numpy()]), axis=1, return_counts=True
        )
        groups = np.unique(pairs[0], return_counts=True)[1]
        assert max((groups > caps[0]).mean(), (rows > caps[1]).mean()) > 0.6


def test_bias_is_reported_beside_squares_and_for_the_farthest_group(part: Any) -> None:
    aim = part("capped").Aim("", slice(1, 2), [np.array([0.0, 10.0])])
    errors, squares = aim.measure([np.array([[9.0, 11.0], [9.0, 13.0]])])
    assert (errors.mean, squares.mean) == (2.0, 5.0)
    aim = part("capped").Aim("", slice(None), [np.array([0.0, 10.0]), np.array([1.0, 11.0])])
    errors, squares = aim.measure(
        [np.array([[1.0, 8.0], [1.0, 6.0]]), np.array([[1.0, 10.0], [3.0, 10.0]])]
    )
    assert (errors.mean, squares.mean) == (-2.0, (2.5 + 8.5 + 0.5 + 2.5) / 4)


@pytest.mark.parametrize(
    ("aggregate", "shape", "law"),
    [
        ("COUNT by group", "3 of 10 groups each", "Laplace"),
        ("COUNT by group", "20 of 100 groups each", "Gaussian"),
    ],
)
def test_repeated_questions_spend_no_more_than_the_budget(
    part: Any, aggregate: str, shape: str, law: str
) -> None:
    found = part("repeated").repeated(cell(part, aggregate, shape), 2, epsilon=EPSILON, delta=DELTA)
    assert found.first.cost.epsilon_at(DELTA) <= EPSILON
    assert found.told.lines[0].mechanism == law


@pytest.mark.parametrize(
    ("aggregate", "shape", "each"),
    [
        ("COUNT", "uniform, 1,000", 1),
        ("COUNT by group", "3 of 10 groups each", 10),
        ("AVG", "uniform, 1,000", 1),
    ],
)
def test_runs_are_independent_draws_of_the_answer_that_was_paid_for(
    part: Any, aggregate: str, shape: str, each: int
) -> None:
    one = cell(part, aggregate, shape)
    found = part("repeated").repeated(one, 50, epsilon=EPSILON, delta=DELTA)
    assert len(found.first.rows) == each
    assert found.first.cost.epsilon == found.told.cost.epsilon == 1
    answers = part("accuracy")._answers(one, found)
    assert answers.shape == (50, each)
    assert len(np.unique(answers[:, 0])) > 2  # 50 equal draws of this noise are unheard of


@pytest.mark.slow
def test_runs_of_keys_are_distinguished(part: Any) -> None:
    one = cell(part, "keys shown", "one key each")
    found = part("repeated").repeated(one, 3, epsilon=EPSILON, delta=DELTA)
    shown = part("accuracy")._answers(one, found)
    assert shown.shape == (3, 1)
    assert shown.sum() == len(found.many.rows)


def test_ranks_are_counted_to_the_nearer_end_of_equal_values(part: Any) -> None:
    values, answers = np.array([1.0, 2, 2, 2, 3, 4, 5, 6]), np.array([[1.5, 2.0, 3.5, 9.0]])
    ranks = part("accuracy")._ranks(values, answers, (Fraction(1, 2),) * 4)
    assert ranks.tolist() == [[3.0, 0.0, 1.0, 4.0]]


def test_errors_are_squares_of_what_answers_are_off(part: Any) -> None:
    one = cell(part, "COUNT by group", "uniform, 1,000")
    errors = part("accuracy")._errors(one, np.array([1.0, 2.0]), np.array([[1.0, 4.0], [4.0, 2.0]]))
    assert errors.tolist() == [2.0, 4.5]
