"""The rows of the system tables: what the policy and the ledger say, and of the ledger only what is one's own."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from database.clinic import POLICY, exactly, write
from hedgerow.database import Database, open
from hedgerow.database.facts import TABLES, rows_of
from hedgerow.privacy.account import Account, DualAccount
from hedgerow.privacy.loss import Loss


def rows(db: Any, table: str, analyst: str | None = None) -> list[dict[str, Any]]:
    return list(rows_of(table, db, analyst))


def pay(db: Database, analyst: str, epsilon: str, answer: bool = True) -> None:
    about = {"table": "visits", "aggregates": ["COUNT(*)", "AVG(age)"]}
    charge = db.ledger.charge(
        {"people": Loss(Fraction(epsilon))}, analyst=analyst, epsilon=Fraction(epsilon), question=f"q {analyst}", version="1", about=about
    )
    if answer:
        db.ledger.answer(charge, "noisy")
    else:
        db.ledger.fail(charge)


def test_every_row_has_the_declared_columns(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        pay(db, "ana", "0.1")
        for table, columns in TABLES.items():
            found = rows(db, table)
            assert found
            assert all(list(row) == list(columns) for row in found)


def test_the_budget_has_a_line_for_each_currency(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        pay(db, "ana", "0.1")
        found = {row["currency"]: row for row in rows(db, "budget")}
    assert list(found) == ["epsilon", "rho", "delta"]
    assert (found["epsilon"]["total"], found["epsilon"]["spent"], found["epsilon"]["left"]) == (3.0, 0.1, 2.9)
    assert found["epsilon"]["population"] == "people"
    assert found["epsilon"]["part"] is None


def test_a_pure_budget_has_one_line() -> None:
    with exactly(delta=None) as db:
        (row,) = rows(db, "budget")
    assert row == {"population": "people", "part": None, "currency": "epsilon", "total": 10000.0, "spent": 0.0, "left": 10000.0}


class Parted:
    """A database whose budget has parts, one of them closed on one side."""

    budgets: ClassVar = {
        "people": DualAccount(
            Account(Fraction(3), Fraction(1)),
            Account(Fraction(2), Fraction(1)),
            Account(Fraction(1), Fraction(0)),
            {"visits": {"2026-01": Account(Fraction(3), math.inf)}},
        )
    }


def test_parts_of_a_budget_are_lines_of_their_own() -> None:
    found = rows(Parted(), "budget")
    assert [row["part"] for row in found] == [None, None, None, "visits 2026-01"]
    assert found[3]["spent"] == math.inf
    assert found[3]["left"] == 0


def test_an_analyst_sees_their_own_entries_only(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        pay(db, "ana", "0.1")
        pay(db, "bob", "0.25", answer=False)
        everything, own = rows(db, "ledger"), rows(db, "ledger", "bob")
        assert rows(db, "ledger", "eve") == []
    assert [row["kind"] for row in everything] == ["open", "policy", "charge", "answer", "charge", "failure"]
    assert [row["analyst"] for row in everything] == [None, None, "ana", "ana", "bob", "bob"]
    assert own == everything[4:]
    charge, failure = own
    assert charge["epsilon"] == 0.25
    assert charge["population"] == "people"
    assert charge["about"] == "aggregates: COUNT(*), AVG(age); table: visits"
    assert failure["charge"] == charge["entry"] == 5
    assert failure["epsilon"] is None
    assert len(charge["time"]) == len("2026-11-16T03:00:00")


def test_tables_tell_whom_they_protect(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        visits, regions = rows(db, "tables")
    assert visits == {
        "name": "visits",
        "population": "people",
        "unit_kind": "id",
        "unit": "patient_id",
        "neighbours": "add-remove",
        "public": False,
        "version": "1",
        "max_groups": 2,
        "max_rows_per_group": 3,
    }
    assert regions["public"] is True
    assert regions["unit_kind"] is regions["unit"] is regions["population"] is None


def test_rows_may_be_units(tmp_path: Path) -> None:
    lone = POLICY.replace('unit = "patient_id"', 'unit = "row"\nmax_rows = 1000').replace("max_groups = 2\nmax_rows_per_group = 3\n", "")
    with open(write(tmp_path, lone)) as db:
        assert (rows(db, "tables")[0]["unit_kind"], rows(db, "tables")[0]["unit"]) == ("row", "row")


def test_columns_tell_bounds_and_hide_what_is_hidden(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        found = {(row["table"], row["name"]): row for row in rows(db, "columns")}
    assert ("visits", "note") not in found
    age, cost, region, city = (found["visits", name] for name in ("age", "cost", "region", "city"))
    assert (age["type"], age["min"], age["max"], age["step"], age["value_count"]) == ("integer", "0", "110", "1", None)
    assert (cost["type"], cost["max"], cost["step"]) == ("real", "1000", "0.01")
    assert (region["type"], region["min"], region["value_count"]) == ("text", None, 4)
    assert (city["type"], city["min"], city["value_count"], city["is_unit"]) == ("text", None, None, False)
    assert found["visits", "patient_id"]["is_unit"] is True
    assert ("regions", "country") in found


def test_bounds_of_dates_are_dates() -> None:
    table = pa.table({"patient_id": [1], "day": pa.array(["2026-01-05"]).cast(pa.date32())})
    with exactly(table, columns={"day": {"type": "date", "values": "2026-01 … 2026-03"}}) as db:
        day = next(row for row in rows(db, "columns") if row["name"] == "day")
    assert (day["min"], day["max"], day["step"], day["value_count"]) == ("2026-01-01", "2026-03-01", None, 3)


def test_the_names_are_plain_words() -> None:
    assert all(name.isidentifier() for columns in TABLES.values() for name in columns)
    with pytest.raises(KeyError):
        _ = TABLES["people"]
