"""The matrix of clients in docs/serve.md: each cell is a test, and each test has its cell."""

from __future__ import annotations

import ast
from pathlib import Path

import pytest

HERE = Path(__file__).parent
PAGE = HERE.parents[2] / "docs" / "serve.md"


@pytest.fixture(autouse=True)
def _nothing_is_charged() -> None:
    """Replace the fixture of the other tests here: no service is needed."""


def read_matrix() -> dict[tuple[str, str], bool]:
    """Return each cell of the table by its row and column: True for yes, False for a dash."""
    lines = PAGE.read_text(encoding="utf-8").splitlines()
    start = next(place for place, line in enumerate(lines) if line.startswith("| client |"))
    columns = [cell.strip() for cell in lines[start].strip("|").split("|")][1:]
    found = {}
    for line in lines[start + 2 :]:
        if not line.startswith("|"):
            break
        client, *cells = [cell.strip() for cell in line.strip("|").split("|")]
        for column, cell in zip(columns, cells, strict=True):
            assert cell in ("yes", "–"), (client, column, cell)
            found[client, column] = cell == "yes"
    return found


def list_shown() -> dict[tuple[str, str], str]:
    """Return the tests by the cells that they show."""
    found = {}
    for path in sorted(HERE.glob("test_*.py")):
        for node in ast.parse(path.read_text(encoding="utf-8")).body:
            if not isinstance(node, ast.FunctionDef) or not node.name.startswith("test_"):
                continue
            for call in node.decorator_list:
                if isinstance(call, ast.Call) and getattr(call.func, "id", "") == "shows":
                    client, *columns = [ast.literal_eval(one) for one in call.args]
                    for column in columns:
                        found[client, column] = f"{path.name}::{node.name}"
    return found


def test_each_yes_is_a_test_and_each_test_is_a_yes() -> None:
    matrix, shown = read_matrix(), list_shown()
    assert {cell for cell, is_yes in matrix.items() if is_yes} == set(shown)
    assert len({client for client, _ in matrix}) == 14
