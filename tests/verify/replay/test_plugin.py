"""The plug-in, in a pytest of its own."""

from __future__ import annotations

import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

from hedgerow.verify.replay import plugin

TESTS = """
from hedgerow.mechanisms import Laplace
from hedgerow.verify.replay import without_each_row


def count(rows):
    return Laplace.calibrate(sensitivity=1, epsilon=1).sample(len(rows))


def total(rows):
    return Laplace.calibrate(sensitivity=1, epsilon=1).sample(sum(rows))


def test_count(private):
    found = private(count, without_each_row([3, 4]), epsilon=1)
    assert {one.verdict for one in found} == {"TESTED"}


def test_total(private):
    private(total, without_each_row([3, 4]), epsilon=1)
"""


@pytest.mark.long
def test_the_fixture_passes_and_fails_tests(tmp_path: Path) -> None:
    (tmp_path / "test_glue.py").write_text(TESTS)
    command = [
        sys.executable,
        "-m",
        "pytest",
        "-q",
        "-p",
        "no:hedgerow",
        "-p",
        plugin.__name__,
        "-p",
        "no:cacheprovider",
        "--color=no",
    ]
    run = subprocess.run(
        [*command, str(tmp_path)], capture_output=True, text=True, cwd=tmp_path, check=False
    )
    assert run.returncode == 1
    assert "1 failed, 1 passed" in run.stdout
    assert "AssertionError: total is not private. Pair 1: FAILED" in run.stdout
    assert "changed by 3, more than the 1 it was calibrated for" in run.stdout


def test_pytest_finds_it() -> None:
    project = tomllib.loads(
        (Path(__file__).parents[3] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert project["entry-points"]["pytest11"] == {"hedgerow": plugin.__name__}
