"""The public names are exact and few, and importing them is light."""

from __future__ import annotations

import dataclasses
import json
import math
import subprocess
import sys
import tomllib
from fractions import Fraction
from importlib import resources
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hedgerow
from hedgerow.mechanisms import Laplace
from house import user

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


def test_constructors_take_plain_numbers_and_say_so() -> None:
    """That strict types agree is what the run of mypy over house/user.py says; here it runs, and everything in it is exact."""
    exact = [value for made in (*user.budgets(), *user.losses(), *user.sensitivities(), *user.mechanisms()) for value in _numbers(made)]
    assert len(exact) > 40
    assert all(type(value) in (Fraction, int) or value == math.inf for value in exact)
    assert Laplace(0.1).scale == Fraction(1, 10)


def _numbers(made: Any) -> list[Any]:
    values = [getattr(made, field.name) for field in dataclasses.fields(made)]
    return [value for value in values if isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)]


def test_types_are_shipped() -> None:
    assert resources.files(hedgerow).joinpath("py.typed").is_file()
