"""The rows of the system tables: what the policy and the ledger say, and of the ledger only what
is one's own.
"""

from __future__ import annotations

import math
import re
from datetime import date
from fractions import Fraction
from pathlib import Path
from typing import Any, ClassVar

import pyarrow as pa
import pytest

from database.clinic import POLICY, exactly, write
from hedgerow import protect
from hedgerow.database import Database, open
from hedgerow.database.uncharged.system_tables import SYSTEM_TABLES, list_system_rows
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.loss import Loss


def rows(db: Any, table: str, analyst: str | None = None) -> list[dict[str, Any]]:
    return list(list_system_rows(table, db, analyst))


def pay(db: Database, analyst: str, epsilon: str, answer: bool = True) -> None:
    about = {"table": "visits", "aggregates": ["COUNT(*)", "AVG(age)"]}
    charge = db.ledger.charge(
        {"people": Loss(Fraction(epsilon))},
        analyst=analyst,
        epsilon=Fraction(epsilon),
        question=f"q {analyst}",
        version="1",
        about=about,
    )
    if answer:
        db.ledger.answer(charge, "noisy")
    else:
        db.ledger.fail(charge)


def test_every_row_has_the_declared_columns(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        pay(db, "ana", "0.1")
        for table, columns in SYSTEM_TABLES.items():
            found = rows(db, table)
            assert found
            assert all(list(row) == list(columns) for row in found)


def test_the_budget_has_a_line_for_each_currency(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        pay(db, "ana", "0.1")
        found = {row["currency"]: row for row in rows(db, "budget")}
    assert list(found) == ["epsilon", "rho", "delta"]
    assert (found["epsilon"]["total"], found["epsilon"]["spent"], found["epsilon"]["left"]) == (
        3.0,
        0.1,
        2.9,
    )
    assert found["epsilon"]["population"] == "people"
    assert found["epsilon"]["part"] is None


def test_a_pure_budget_has_one_line() -> None:
    with exactly(delta=None) as db:
        (row,) = rows(db, "budget")
    assert row == {
        "population": "people",
        "part": None,
        "currency": "epsilon",
        "total": 10000.0,
        "spent": 0.0,
        "left": 10000.0,
        "note": None,
    }


class Parted:
    """A database whose budget has parts, one of them closed on one side."""

    budgets: ClassVar = {
        "people": DualBalance(
            Balance(Fraction(3), Fraction(1)),
            Balance(Fraction(2), Fraction(1)),
            Balance(Fraction(1), Fraction(0)),
            {"visits": {"2026-01": Balance(Fraction(3), math.inf)}},
        )
    }


def test_parts_of_a_budget_are_lines_of_their_own() -> None:
    found = rows(Parted(), "budget")
    assert [row["part"] for row in found] == [None, None, None, "visits 2026-01"]
    assert found[3]["spent"] is None
    assert found[3]["left"] == 0
    assert [row["note"] for row in found] == [
        None,
        None,
        None,
        (
            "spent includes questions about the whole table; closed by Gaussian noise, which has no"
            " pure epsilon; see rho"
        ),
    ]


def test_gaussian_noise_is_reported_as_epsilon() -> None:
    with exactly(epsilon=3, delta=1e-9, noise="gaussian") as db:
        db.query("SELECT COUNT(*) FROM data", epsilon=0.3)
        epsilon, rho, delta = rows(db, "budget")
    assert (epsilon["spent"], epsilon["left"]) == (None, 0)
    assert epsilon["note"] == "closed by Gaussian noise, which has no pure epsilon; see rho"
    assert re.fullmatch(r"spent converts to epsilon [0-9.]+ at delta 5e-10", rho["note"])
    assert delta["note"] is None


def test_a_database_describes_itself_without_disclosing_data(tmp_path: Path) -> None:
    path = write(tmp_path)
    with open(path) as db:
        assert (
            repr(db)
            == str(db)
            == "Database clinic: visits about people, with epsilon 3 or rho 0.116464 left; regions"
            " public"
        )
        pay(db, "ana", "0.1")
        assert "epsilon 2.9 or rho 0.11" in repr(db)
    assert repr(db).startswith("Database clinic: visits about people")
    with exactly(epsilon=3, delta=1e-9, noise="gaussian") as db:
        db.query("SELECT COUNT(*) FROM data", epsilon=0.1)
        assert re.fullmatch(r"Database data: data about people, with rho 0\.[0-9]+ left", repr(db))


def test_an_analyst_sees_their_own_entries_only(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        pay(db, "ana", "0.1")
        pay(db, "bob", "0.25", answer=False)
        everything, own = rows(db, "ledger"), rows(db, "ledger", "bob")
        assert rows(db, "ledger", "eve") == []
    assert [row["kind"] for row in everything] == [
        "open",
        "policy",
        "charge",
        "answer",
        "charge",
        "failure",
    ]
    assert [row["analyst"] for row in everything] == [None, None, "ana", "ana", "bob", "bob"]
    assert own == everything[4:]
    charge, failure = own
    assert charge["epsilon"] == 0.25
    assert charge["population"] == "people"
    assert charge["about"] == "aggregates: COUNT(*), AVG(age); table: visits"
    assert failure["charge"] == charge["entry"] == 5
    assert failure["epsilon"] is None
    assert len(charge["time"]) == len("2026-11-16T03:00:00")


def test_tables_show_their_protected_unit(tmp_path: Path) -> None:
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
    lone = POLICY.replace('unit = "patient_id"', 'unit = "row"\nmax_rows = 1000').replace(
        "max_groups = 2\nmax_rows_per_group = 3\n", ""
    )
    with open(write(tmp_path, lone)) as db:
        assert (rows(db, "tables")[0]["unit_kind"], rows(db, "tables")[0]["unit"]) == ("row", "row")


def test_columns_show_bounds_and_omit_hidden_ones(tmp_path: Path) -> None:
    with open(write(tmp_path)) as db:
        found = {(row["table"], row["name"]): row for row in rows(db, "columns")}
    assert ("visits", "note") not in found
    age, cost, region, city = (found["visits", name] for name in ("age", "cost", "region", "city"))
    assert (age["type"], age["min"], age["max"], age["step"], age["value_count"]) == (
        "integer",
        "0",
        "110",
        "1",
        None,
    )
    assert (cost["type"], cost["max"], cost["step"]) == ("real", "1000", "0.01")
    assert (region["type"], region["min"], region["value_count"]) == ("text", None, 4)
    assert (city["type"], city["min"], city["value_count"], city["is_unit"]) == (
        "text",
        None,
        None,
        False,
    )
    assert found["visits", "patient_id"]["is_unit"] is True
    assert ("regions", "country") in found


def test_bounds_of_dates_are_dates() -> None:
    table = pa.table({"patient_id": [1], "day": pa.array(["2026-01-05"]).cast(pa.date32())})
    with exactly(table, columns={"day": {"type": "date", "values": "2026-01 … 2026-03"}}) as db:
        day = next(row for row in rows(db, "columns") if row["name"] == "day")
    assert (day["min"], day["max"], day["step"], day["value_count"]) == (
        "2026-01-01",
        "2026-03-01",
        None,
        3,
    )


def test_the_names_are_plain_words() -> None:
    assert all(name.isidentifier() for columns in SYSTEM_TABLES.values() for name in columns)
    with pytest.raises(KeyError):
        _ = SYSTEM_TABLES["people"]


def test_declared_values_are_shown_as_written(tmp_path: Path) -> None:
    policy = write(tmp_path)
    policy.write_text(POLICY.replace('"west"]', '"o\'west"]'))
    with open(policy) as db:
        region = next(
            row
            for row in rows(db, "columns", "ana")
            if (row["table"], row["name"]) == ("visits", "region")
        )
        found = [
            row["value"]
            for row in rows(db, "column_values", "ana")
            if (row["table"], row["column"]) == ("visits", "region")
        ]
    assert region["value_list"] == "'north', 'south', 'east', 'o''west'"
    assert found == ["north", "south", "east", "o'west"]


def test_long_lists_are_cut_and_dates_and_truths_are_literals() -> None:
    frame = pa.table({"id": [1], "n": [1], "day": [date(2026, 1, 1)]})
    columns = {
        "n": {"values": list(range(30))},
        "day": {"type": "date", "values": "2026-01 … 2026-02"},
    }
    with protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns=columns,
        epsilon=1,
    ) as db:
        told = {row["name"]: row["value_list"] for row in rows(db, "columns")}
        assert len([row for row in rows(db, "column_values") if row["column"] == "n"]) == 30
    assert told["n"].endswith("18, 19, …")
    assert told["day"] == "'2026-01-01', '2026-02-01'"
    assert told["id"] is None


def test_analysts_see_their_own_quota_and_the_custodian_all(tmp_path: Path) -> None:
    policy = write(tmp_path)
    policy.write_text(POLICY + "\n[analysts.ben]\n")
    with open(policy) as db:
        pay(db, "ana", "0.1")
        pay(db, "ben", "0.2")
        assert rows(db, "quotas", "ana") == [
            {"analyst": "ana", "total": 0.5, "spent": 0.1, "left": 0.4}
        ]
        assert rows(db, "quotas", "ben") == [
            {"analyst": "ben", "total": None, "spent": 0.2, "left": None}
        ]
        assert [row["analyst"] for row in rows(db, "quotas")] == ["ana", "bob", "ben"]
