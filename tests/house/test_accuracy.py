"""The accuracy table of the bench asks what it says it asks. How accurate anything is, is never asserted here."""

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
            monkeypatch.setattr(module, "FOLDER", tmp_path)  # nothing is left behind, and nothing old is used
        return module

    return imported


def cell(part: Any, aggregate: str, shape: str) -> Any:
    return next(cell for cell in part("cells").CELLS if (cell.aggregate, cell.shape) == (aggregate, shape))


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
        who, key = (held[name].to_numpy().astype(np.int64) for name in ("who", "k" if one.error == "keys" else "g"))
        if one.groups or one.error == "keys":
            pairs, rows = np.unique(who * (int(key.max()) + 1) + key, return_counts=True)
            assert np.bincount(pairs // (int(key.max()) + 1)).max() <= one.max_groups
            assert rows.max() <= one.max_rows
        else:
            assert np.bincount(who).max() <= one.max_rows


@pytest.mark.parametrize(
    ("aggregate", "shape", "law"),
    [("COUNT by group", "3 of 10 groups each", "Laplace"), ("COUNT by group", "20 of 100 groups each", "Gaussian")],
)
def test_what_is_asked_for_spends_no_more_than_the_budget(part: Any, aggregate: str, shape: str, law: str) -> None:
    found = part("repeated").repeated(cell(part, aggregate, shape), 2, epsilon=EPSILON, delta=DELTA)
    assert found.first.cost.epsilon_at(DELTA) <= EPSILON
    assert found.told.lines[0].mechanism == law


@pytest.mark.parametrize(
    ("aggregate", "shape", "each"),
    [("COUNT", "uniform, 1,000", 1), ("COUNT by group", "3 of 10 groups each", 10), ("AVG", "uniform, 1,000", 1)],
)
def test_runs_are_independent_draws_of_the_answer_that_was_paid_for(part: Any, aggregate: str, shape: str, each: int) -> None:
    one = cell(part, aggregate, shape)
    found = part("repeated").repeated(one, 50, epsilon=EPSILON, delta=DELTA)
    assert len(found.first.rows) == each
    assert found.first.cost.epsilon == found.told.cost.epsilon == 1
    answers = part("accuracy")._answers(one, found)
    assert answers.shape == (50, each)
    assert len(np.unique(answers[:, 0])) > 2  # 50 equal draws of this noise are unheard of


@pytest.mark.slow
def test_runs_of_keys_are_told_apart(part: Any) -> None:
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
