"""Clipping is measured once for each data version, paid by the population, and never twice."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from engines.helpers_comparison import agreed
from hedgerow.answers.answer import Answer
from hedgerow.answers.clipping_bounds import CAP_GRID
from hedgerow.answers.clipping_caveats import NOT_MEASURED
from hedgerow.database import Database, open
from hedgerow.database.measured_clipping import (
    build_clipping_plan,
    find_measured_clipping,
    list_measurements,
    measure_clipping,
)
from hedgerow.database.open_database import open_dry_run
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.errors import SourceError
from hedgerow.ledger import verify
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import Unit

PAGE = """
[database]
name = "flights"
[budget]
epsilon = 3.0
clipping_epsilon = 0.5
[tables.flights]
source = "flights.parquet"
unit = "aircraft"
neighbours = "add-remove"
population = "aircrafts"
max_units = 10_000
max_groups = 2
max_rows_per_group = 30
columns.month = { type = "integer", values = "1 … 12" }
"""
COUNT = "SELECT COUNT(*) AS n FROM flights"


def write(folder: Path, sizes: Sequence[int], page: str = PAGE, name: str = "flights") -> Path:
    ids = np.repeat(np.arange(len(sizes)), sizes)
    table = pa.table({"aircraft": ids, "month": np.arange(len(ids)) % 12 + 1})
    pq.write_table(table, folder / f"{name}.parquet")
    (folder / "flights.toml").write_text(page)
    return folder / "flights.toml"


@contextmanager
def opened(path: Path) -> Iterator[Database]:
    with open(path, in_process=True) as db:
        yield db


def charges(db: Database) -> list[dict[str, Any]]:
    return [entry.body for entry in db.ledger.entries() if entry.kind == "charge"]


def notes(db: Database, sql: str = COUNT) -> tuple[str, ...]:
    answer = db.query(sql, epsilon=0.1)
    assert isinstance(answer, Answer)
    return answer.notes


SCHEMA = Schema("t", (Column("id", "integer"),), "id", "1")
PLAN = build_clipping_plan(SCHEMA)


def rows(sizes: Sequence[int]) -> dict[str, list[dict[str, object]]]:
    """A table whose units have these numbers of rows, and rows of nobody."""
    return {"t": [{"id": n} for n, size in enumerate(sizes) for _ in range(size)] + [{"id": None}]}


def count(sizes: Sequence[int]) -> list[int]:
    found = interpret_plan(PLAN, rows(sizes), lambda *_: 0)
    return [int(found[key][0]) for key in sorted(found)]  # type: ignore[arg-type]


def test_each_unit_is_counted_in_the_bucket_of_its_rows() -> None:
    sizes = [1, 2, 3, 30, 31, 40, 41, 9_999, 10_000, 10_001]
    expected = [0] * (len(CAP_GRID) + 1)
    for size in sizes:
        expected[sum(cap < size for cap in CAP_GRID)] += 1
    assert count(sizes) == expected


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_no_neighbour_moves_the_measurement_further_than_declared(relation: str) -> None:
    """50 pairs; many reach the sensitivity. Under change-one two buckets move, which the price of
    one would not cover."""
    random, reached = Random(f"clipping {relation}"), 0
    (declared,) = PLAN.sensitivity(Unit(relation, "id"))  # type: ignore[arg-type]
    for _ in range(50):
        sizes = [random.choice((1, 2, 3, 5, 9, 13)) for _ in range(4)]
        other = [0 if relation == "add-remove" else random.choice((1, 4, 11, 31)), *sizes[1:]]
        moved = sum(abs(a - b) for a, b in zip(count(sizes), count(other), strict=True))
        assert moved <= declared.l1
        reached += moved == declared.l1
    assert reached > 25
    assert declared.l1 == (1 if relation == "add-remove" else 2)


def test_engine_and_reference_agree_about_the_buckets() -> None:
    assert len(agreed(PLAN, rows([1, 1, 5, 7, 45, 200]))) == len(CAP_GRID) + 1


def test_it_is_charged_once_to_the_population_and_to_no_analyst(tmp_path: Path) -> None:
    path = write(tmp_path, [3] * 400)
    for _ in range(2):
        with opened(path) as db:
            (body,) = charges(db)
            assert list(body["charges"]) == ["aircrafts"]
            assert (body["analyst"], Fraction(body["epsilon"])) == ("custodian", Fraction(1, 2))
            assert db.budget.spent == Fraction(1, 2)  # type: ignore[union-attr]
            kinds = [entry.kind for entry in db.ledger.entries()]
            assert kinds == ["open", "policy", "charge", "answer"]
    verify(tmp_path / "flights.ledger")
    path.write_text(PAGE.replace("max_units", 'version = "2"\nmax_units'))
    with opened(path) as db:
        assert [body["version"] for body in charges(db)] == ["1", "2"]
        assert db.budget.spent == 1  # type: ignore[union-attr]


def test_tables_that_are_measured_together_share_the_price(tmp_path: Path) -> None:
    write(tmp_path, [2] * 50, name="legs")
    legs = PAGE.partition("[tables.flights]")[2].replace("flights.parquet", "legs.parquet")
    path = write(tmp_path, [3] * 50, f"{PAGE}[tables.legs]{legs}")
    with opened(path) as db:
        assert [Fraction(body["epsilon"]) for body in charges(db)] == [Fraction(1, 4)] * 2
        assert db.budget.spent == Fraction(1, 2)  # type: ignore[union-attr]


class Crash(BaseException):
    """The process ends here."""


def test_a_crash_before_the_release_is_made_good_without_a_charge(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The charge is durable before data are read; what it paid for is released once."""
    path = write(tmp_path, [3] * 400)

    def crash(*_: Any) -> None:
        raise Crash

    with monkeypatch.context() as patched:
        patched.setattr("hedgerow.engines.duckdb.engine.DuckDB.run", crash)
        with pytest.raises(Crash), opened(path):
            pass
    with opened(path) as db:
        assert [entry.kind for entry in db.ledger.entries()][2:] == ["charge", "answer"]
        stored = db.ledger.entries()[-1]
    with opened(path) as db:
        assert db.ledger.entries()[-1] == stored
        measure_clipping(db, "custodian")
        assert db.ledger.entries()[-1] == stored


def test_a_failed_measurement_stays_paid_and_is_not_repeated(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = write(tmp_path, [3] * 400)

    def fail(*_: Any) -> None:
        raise SourceError("lost")

    with monkeypatch.context() as patched:
        patched.setattr("hedgerow.engines.duckdb.engine.DuckDB.run", fail)
        with opened(path) as db:
            assert [entry.kind for entry in db.ledger.entries()][2:] == ["charge", "failure"]
    with opened(path) as db:
        assert len(db.ledger.entries()) == 4
        assert NOT_MEASURED in notes(db)


def test_without_budget_or_key_it_is_not_measured(tmp_path: Path) -> None:
    path = write(tmp_path, [3] * 400, PAGE.replace("clipping_epsilon = 0.5\n", ""))
    with opened(path) as db:
        assert charges(db) == []
        assert db.query(COUNT, epsilon=2.8).notes[-1] == NOT_MEASURED  # type: ignore[union-attr]
    path.write_text(PAGE)
    with opened(path) as db:
        assert len(charges(db)) == 1
        assert find_measured_clipping(db, "flights") is None
    with open_dry_run(path) as db:
        assert len(charges(db)) == 1


def test_heavy_clipping_is_a_warning_above_the_table(tmp_path: Path) -> None:
    """336,776 flights of 4,044 aircraft, at most 30 of each: the answer is 98,883 or so, and says
    loudly that most flights do not count."""
    random = np.random.default_rng(7)
    shares = random.lognormal(0, 1.0, 4044)
    sizes = np.maximum(1, (shares * 336_776 / shares.sum()).astype(int))
    sizes[0] += 336_776 - sizes.sum()
    path = write(tmp_path, sizes.tolist(), PAGE.replace("epsilon = 0.5", "epsilon = 0.05"))
    with opened(path) as db:
        answer = db.query(COUNT, epsilon=0.5)
        assert isinstance(answer, Answer)
        kept = int(np.minimum(sizes, 30).sum())
        assert kept < 115_000
        assert abs(answer.rows[0]["n"] - kept) < 2_000  # e^-16
        first, *_ = repr(answer).splitlines()
        assert first.startswith("Warning: the caps cut off much. At least ")
        assert "aircrafts have more than 30 rows" in first
        assert "<p><b>Warning: the caps" in answer._repr_html_()
        assert NOT_MEASURED not in answer.notes
        assert "Warning" not in repr(answer).partition("Cost:")[2]
        grouped = notes(db, "SELECT month, COUNT(*) AS n FROM flights GROUP BY month")
        assert any("more than 60 rows" in note for note in grouped)
        assert not any(
            "caps cut" in note for note in notes(db, "SELECT COUNT(DISTINCT aircraft) FROM flights")
        )


def test_light_clipping_is_a_note_below(tmp_path: Path) -> None:
    path = write(tmp_path, [3] * 400 + [31])
    with opened(path) as db:
        (note,) = [note for note in notes(db) if note.startswith("Clipping is measured")]
        assert "(ledger entry 3): at most " in note
        assert " aircrafts have more than 30 rows" in note
        joined = "SELECT COUNT(*) FROM flights a JOIN flights b USING (aircraft)"
        (note,) = [note for note in notes(db, joined) if note.startswith("Clipping is measured")]
        assert " aircrafts have more than 5 rows in the whole table flights, so" in note


def test_notes_follow_the_measurement_and_no_exact_number(tmp_path: Path) -> None:
    """Under a ledger that holds the measurement, other data give the same words."""
    path = write(tmp_path, [3] * 400)
    with opened(path) as db:
        before = notes(db)
    write(tmp_path, [90] * 400)
    with opened(path) as db:
        sql = "SELECT COUNT(*) AS n FROM flights WHERE month < 13"
        assert notes(db, sql) == before
        assert find_measured_clipping(db, "nothing") is None
        (one,) = list_measurements(db)
        assert replace(one, key="other") != one
