"""Statements that are split: neighbours at the seam, and planted mistakes."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from database.attacks.neighbours import ID, World
from database.attacks.seam import Versions, versions
from database.attacks.statements import STATEMENTS, look, seek_statements
from database.attacks.test_sensitivity import _rows
from hedgerow.database.query import postprocessing, question_clipping
from hedgerow.ledger import MemoryLedger
from hedgerow.release.payload import Release

CONSTANT = "SELECT COUNT(*) FROM data WHERE age > (SELECT 0 * COUNT(*) + 1 FROM data)"


@pytest.mark.long
def test_no_neighbour_moves_a_piece_further_than_declared() -> None:
    pairs, problems = seek_statements("statements", 50)
    assert problems == []
    assert pairs >= 50


def open_one() -> Any:
    world = World(ID, "add-remove", 2, 3, "laplace", "integer")
    rows = _rows(1) + _rows(2, 5, age=40) + _rows(3, 2, region="south", age=80)
    return versions(world, [rows, rows[1:]], asked=1)


def find_problems(opened: Versions, sql: str) -> list[str]:
    pairs, problems = look(opened, sql)
    assert pairs
    return problems


@pytest.mark.parametrize("sql", [STATEMENTS[1], CONSTANT])
def test_statements_without_a_mistake_pass(sql: str) -> None:
    with open_one() as opened:
        assert find_problems(opened, sql) == []


def test_an_exact_value_above_the_pieces_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = postprocessing.AnswerTables.add_rows

    def add_exact(tables: Any, name: str, types: Any, rows: Any) -> None:
        real(tables, name, types, [dict.fromkeys(row, 8) for row in rows])

    monkeypatch.setattr(postprocessing.AnswerTables, "add_rows", add_exact)
    with open_one() as opened:
        assert any("other values" in one for one in find_problems(opened, STATEMENTS[5]))


def test_a_second_release_for_one_charge_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    real = postprocessing.release_reserved

    def release_twice(plan: Any, source: Any, *more: Any) -> Release:
        source.run(plan)
        return real(plan, source, *more)

    monkeypatch.setattr(postprocessing, "release_reserved", release_twice)
    with open_one() as opened:
        problems = find_problems(opened, CONSTANT)
    assert "3 releases for 2 charges" in problems


@pytest.mark.parametrize(
    ("module", "sql"),
    [
        (postprocessing, "SELECT region, COUNT(*) FROM data GROUP BY CUBE (region)"),
        (question_clipping, "SELECT region, COUNT(*, clipped => TRUE) FROM data GROUP BY region"),
    ],
)
def test_a_statement_that_is_charged_once_but_measured_twice_is_found(
    monkeypatch: pytest.MonkeyPatch, module: Any, sql: str
) -> None:
    charge, real, free = module.charge_together, module.release, MemoryLedger()
    budget = {"epsilon": 9, "delta": None, "unit": "id", "neighbours": "add-remove"}
    free.accept_policy(digest="d", text="t", budgets={"people": budget})

    def charge_first(source: Any, ledger: Any, releases: Any, *more: Any) -> Any:
        return charge(source, ledger, releases[:1], *more)

    def release_free(plan: Any, source: Any, ledger: Any, noise: Any, one: Any) -> Release:
        paid = ledger.find_request(one.analyst, one.request) is not None
        terms = one if paid else replace(one, policy=None)
        return real(plan, source, ledger if paid else free, noise, terms)

    monkeypatch.setattr(module, "charge_together", charge_first)
    monkeypatch.setattr(module, "release", release_free)
    with open_one() as opened:
        problems = find_problems(opened, sql)
    assert "2 releases for 1 charges" in problems
