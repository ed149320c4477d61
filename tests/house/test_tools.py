"""Format, lint and strict types are tests like any other, so that one summary line tells the
whole truth.
"""

from __future__ import annotations

import re
import subprocess
import sys
from pathlib import Path

import pytest

from house import rules

ROOT = Path(__file__).parents[2]


@pytest.mark.parametrize(
    "command",
    [
        ("ruff", "format", "--check", "--quiet", "."),
        ("ruff", "check", "--quiet", "."),
        ("mypy", "--no-error-summary"),
    ],
    ids=["format", "lint", "types"],
)
def test_tool_finds_nothing(command: tuple[str, ...]) -> None:
    run = subprocess.run(
        [sys.executable, "-m", *command], cwd=ROOT, capture_output=True, text=True, check=False
    )
    assert run.returncode == 0, run.stdout + run.stderr


def pins(file: Path) -> set[tuple[str, str]]:
    return set(
        re.findall(
            r"^([a-z0-9.-]+)==([^ ;]+)", file.read_text(encoding="utf-8"), flags=re.MULTILINE
        )
    )


@pytest.mark.parametrize("name", ["requirements.lock", "bench/requirements.lock"])
def test_the_installed_lock_is_an_export_of_the_resolved_one(name: str) -> None:
    resolved = set(
        re.findall(
            r'^name = "([^"]+)"\nversion = "([^"]+)"',
            (ROOT / "uv.lock").read_text(encoding="utf-8"),
            flags=re.MULTILINE,
        )
    )
    assert pins(ROOT / name)
    assert pins(ROOT / name) <= resolved


def test_locks_name_public_places_only() -> None:
    text = "".join(
        (ROOT / name).read_text(encoding="utf-8")
        for name in ("uv.lock", "requirements.lock", "bench/requirements.lock")
    )
    assert set(re.findall(r"\w+://[^/\"]+", text)) == {
        "https://pypi.org",
        "https://files.pythonhosted.org",
    }


def test_the_tests_of_the_whole_core_are_traced_and_nobody_else_is() -> None:
    """`make test` runs the short ones with coverage first, and with the rest of the suite only
    the long ones.
    """
    text = (ROOT / "Makefile").read_text(encoding="utf-8")
    traced = re.search(r"^CORE := \$\(addprefix tests/,(.*?)\)$", text, re.MULTILINE)
    names = traced[1].split() if traced else []
    assert {name.removeprefix("test_").removesuffix(".py") for name in names} == rules.CORE
    assert '-m "not slow and not long" $(CORE)' in text
    assert "$(addprefix --long-only=,$(CORE))" in text
    assert all((ROOT / "tests" / name).exists() for name in names)
