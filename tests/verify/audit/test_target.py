"""FILE:FUNCTION: the conventions of the file, and a plain sentence for each way to get it wrong."""

from __future__ import annotations

import sys
from pathlib import Path

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.audit.blackbox import Audit
from hedgerow.verify.audit.one_run import OneRunAudit
from hedgerow.verify.audit.target import audit_target, load

RESPONSE = """
from __future__ import annotations
from dataclasses import dataclass
import random

NEIGHBOURS = (0, 1)

@dataclass
class Settings:
    keep: float = 0.75

def respond(data):
    return data if random.random() < Settings().keep else 1 - data

def respond_many(data, n):
    return [respond(data) for _ in range(n)]

respond_many.batch = True
respond_many.neighbours = [1, 0]

def reveal(included):
    return included

reveal.cells = 400
not_a_function = 7

def needs_more(data, epsilon):
    return data
"""


@pytest.fixture
def file(tmp_path: Path) -> Path:
    path = tmp_path / "mechanism.py"
    path.write_text(RESPONSE, encoding="utf-8")
    return path


def test_load_gives_the_function(file: Path) -> None:
    assert load(f"{file}:respond")(1) in (0, 1)


def test_neighbours_of_the_file(file: Path) -> None:
    result = audit_target(f"{file}:respond", samples=2_000, confidence=1 - 1e-9)
    assert isinstance(result, Audit)
    assert 0 < result.epsilon < 1.0986123
    assert result.samples == 2_000


def test_attributes_of_the_function_win(file: Path) -> None:
    seen: list[tuple[int, int]] = []
    result = audit_target(
        f"{file}:respond_many",
        samples=1_000,
        delta=0.01,
        progress=lambda done, total: seen.append((done, total)),
    )
    assert isinstance(result, Audit)
    assert result.delta == 0.01
    assert seen[-1] == (2_000, 2_000)


def test_cells_mean_one_run(file: Path) -> None:
    result = audit_target(f"{file}:reveal")
    assert isinstance(result, OneRunAudit)
    assert (result.cells, result.correct) == (400, 200)


def test_the_file_may_import_what_lies_beside_it(tmp_path: Path) -> None:
    (tmp_path / "beside_the_audited_file.py").write_text("PAIR = (0, 1)\n", encoding="utf-8")
    path = tmp_path / "main.py"
    path.write_text(
        "from beside_the_audited_file import PAIR as NEIGHBOURS\ndef f(data):\n    import"
        " beside_the_audited_file\n    return data\n",
        encoding="utf-8",
    )
    before = list(sys.path)
    assert audit_target(f"{path}:f", samples=100).refutes(1)
    assert sys.path == before


@pytest.mark.parametrize(
    ("function", "words"),
    [
        ("missing", "mechanism.py has no missing"),
        ("not_a_function", "not_a_function in mechanism.py is not callable"),
        ("needs_more", r"called with 1 argument; needs_more takes \(data, epsilon\)"),
    ],
)
def test_wrong_function(file: Path, function: str, words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        audit_target(f"{file}:{function}")


@pytest.mark.parametrize("target", ["mechanism.py", ":respond", "mechanism.py:", ""])
def test_wrong_form(target: str) -> None:
    with pytest.raises(InvalidArgument, match="target must have the form FILE:FUNCTION"):
        load(target)


def test_no_such_file(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match=r".*gone\.py"):
        load(f"{tmp_path / 'gone.py'}:f")


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("def f(data): return data", r"write NEIGHBOURS = \(one, other\) in case.py"),
        (
            "NEIGHBOURS = (1, 2, 3)\ndef f(data): return data",
            "NEIGHBOURS in case.py must be a pair",
        ),
        ("NEIGHBOURS = 5\ndef f(data): return data", "NEIGHBOURS in case.py must be a pair"),
        ("def f(:", "case.py raised SyntaxError"),
        ("raise RuntimeError('no database')", "case.py raised RuntimeError: no database"),
        ("import sys; sys.exit(3)", "case.py raised SystemExit: 3"),
        ("CELLS = 'many'\ndef f(included): return included", "cells must be an integer"),
    ],
)
def test_wrong_file(tmp_path: Path, text: str, words: str) -> None:
    path = tmp_path / "case.py"
    path.write_text(text, encoding="utf-8")
    with pytest.raises(InvalidArgument, match=words):
        audit_target(f"{path}:f")


def test_not_python(tmp_path: Path) -> None:
    path = tmp_path / "data.csv"
    path.write_text("a,b\n", encoding="utf-8")
    with pytest.raises(InvalidArgument, match=r"data.csv is not one"):
        load(f"{path}:f")


def test_a_callable_without_signature_is_tried(tmp_path: Path) -> None:
    path = tmp_path / "builtin.py"
    path.write_text("NEIGHBOURS = (0, 1)\nf = int\n", encoding="utf-8")
    assert audit_target(f"{path}:f", samples=100).refutes(1)
