"""The public names are exact and few, and importing them is light."""

from __future__ import annotations

import json
import subprocess
import sys
import tomllib
from pathlib import Path
from types import ModuleType

import pytest

import hedgerow

PUBLIC = {
    "Budget",
    "BudgetExceeded",
    "EntropyError",
    "HedgerowError",
    "InvalidArgument",
    "LedgerError",
    "Loss",
    "Refused",
    "Sensitivity",
    "SourceError",
    "Unbounded",
    "Unit",
    "Unsupported",
    "__version__",
    "connect",
    "open",
    "protect",
}
HEAVY = (
    "scipy",
    "scipy.stats",
    "pandas",
    "polars",
    "pyarrow",
    "z3",
    "fastapi",
    "starlette",
    "duckdb",
    "sqlglot",
    "dp_accounting",
    "typer",
    "rich",
)


def test_the_public_names_are_exactly_these() -> None:
    assert set(hedgerow.__all__) == PUBLIC
    assert len(hedgerow.__all__) == len(PUBLIC) <= 40


def test_every_public_name_can_be_imported() -> None:
    space: dict[str, object] = {}
    exec("from hedgerow import *", space)
    assert set(space) >= PUBLIC


def test_nothing_else_looks_public() -> None:
    seen = {name for name, value in vars(hedgerow).items() if not name.startswith("_") and not isinstance(value, ModuleType)}
    assert seen - PUBLIC == {"annotations"}


def test_version_is_the_one_of_the_package() -> None:
    project = tomllib.loads((Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8"))["project"]
    assert hedgerow.__version__ == project["version"]


@pytest.fixture(scope="module")
def loaded() -> set[str]:
    """What a fresh interpreter holds after ``import hedgerow``."""
    code = "import json, sys, hedgerow; print(json.dumps(sorted(sys.modules)))"
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    return set(json.loads(run.stdout))


def test_import_is_light(loaded: set[str]) -> None:
    assert "hedgerow.errors" in loaded
    assert loaded.isdisjoint(HEAVY), sorted(loaded.intersection(HEAVY))
