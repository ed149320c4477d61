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
from hedgerow.privacy.budget import Budget
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
    "remote",
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
    seen = {
        name
        for name, value in vars(hedgerow).items()
        if not name.startswith("_") and not isinstance(value, ModuleType)
    }
    assert seen - PUBLIC == {"annotations"}


def test_version_is_the_one_of_the_package() -> None:
    project = tomllib.loads(
        (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert hedgerow.__version__ == project["version"]


def test_a_name_is_loaded_when_it_is_first_named_and_no_other_exists() -> None:
    assert set(dir(hedgerow)) >= PUBLIC
    assert hedgerow.Budget is vars(hedgerow)["Budget"] is Budget
    with pytest.raises(AttributeError, match="no attribute 'Nothing'"):
        _ = hedgerow.Nothing  # type: ignore[attr-defined]
    with pytest.raises(ImportError, match="Nothing"):
        exec("from hedgerow import Nothing")


def loaded(code: str, *arguments: str) -> set[str]:
    """What a fresh interpreter holds after this."""
    code = f"import json, sys\n{code}\nprint(json.dumps(sorted(sys.modules)))"
    run = subprocess.run(
        [sys.executable, "-c", code, *arguments], capture_output=True, text=True, check=True
    )
    return set(json.loads(run.stdout.splitlines()[-1]))


def test_import_is_light() -> None:
    found = loaded("import hedgerow")
    assert "hedgerow.errors" in found
    assert found.isdisjoint({*HEAVY, "numpy", "sqlglot", "cryptography", "apsw", "dataclasses"})


ASKED = """
import hedgerow
with hedgerow.open(sys.argv[1]) as opened:
    opened.query("SELECT COUNT(*) AS n FROM visits", epsilon=1)
"""
PAGE = """
[database]
name = "visits"
ledger = "visits.ledger"
[budget]
epsilon = 10
[tables.visits]
source = "visits.csv"
unit = "row"
neighbours = "add-remove"
max_rows = 1000
"""


def test_a_question_loads_neither_the_engine_nor_what_only_others_need(tmp_path: Path) -> None:
    (tmp_path / "visits.csv").write_text("age\n30\n", encoding="utf-8")
    (tmp_path / "visits.toml").write_text(PAGE, encoding="utf-8")
    found = loaded(ASKED, str(tmp_path / "visits.toml"))
    assert {"numpy", "sqlglot"} <= found
    assert found.isdisjoint({*HEAVY, "_duckdb"})


def test_constructors_take_plain_numbers_and_say_so() -> None:
    """That strict types agree is what the run of mypy over house/user.py says; here it runs, and
    everything in it is exact.
    """
    exact = [
        value
        for made in (*user.budgets(), *user.losses(), *user.sensitivities(), *user.mechanisms())
        for value in _numbers(made)
    ]
    assert len(exact) > 40
    assert all(type(value) in (Fraction, int) or value == math.inf for value in exact)
    assert Laplace(0.1).scale == Fraction(1, 10)


def _numbers(made: Any) -> list[Any]:
    values = [getattr(made, field.name) for field in dataclasses.fields(made)]
    return [
        value
        for value in values
        if isinstance(value, (int, float, Fraction)) and not isinstance(value, bool)
    ]


def test_types_are_shipped() -> None:
    assert resources.files(hedgerow).joinpath("py.typed").is_file()
