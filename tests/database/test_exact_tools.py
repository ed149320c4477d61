"""Exact numbers are right, recorded, and stored nowhere."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.database import Database
from hedgerow.database.exact_tools import (
    OUTSIDE_NOTE,
    CapEffect,
    ComparedValue,
    compare_answer,
    report_caps,
)
from hedgerow.errors import Refused, Unsupported

SIZES = [1, 2, 2, 7, 40]
IDS = [n for n, size in enumerate(SIZES) for _ in range(size)]
TABLE = pa.table(
    {
        "id": pa.array([*IDS, None]),
        "town": [*(("a", "b", "c")[n % 3] for n in range(len(IDS) - 1)), None, "a"],
        "x": [*(n % 5 for n in range(len(IDS))), 0],
    }
)


@pytest.fixture
def db() -> Iterator[Database]:
    with protect(
        TABLE,
        unit="id",
        neighbours="add-remove",
        columns={"town": ["a", "b", "c"], "x": (0, 4)},
        epsilon=50,
        max_groups=2,
        max_rows_per_group=7,
    ) as database:
        yield database


def effect(found: list[CapEffect], cap_name: str, key: str | None, cap: int) -> CapEffect:
    (one,) = [each for each in found if (each.cap_name, each.key, each.cap) == (cap_name, key, cap)]
    return one


def test_each_candidate_keeps_and_cuts_what_it_would(db: Database) -> None:
    found = report_caps(db)
    rows = effect(found, "max_rows_per_group", None, 7)
    assert (rows.kept, rows.total, rows.cut_units, rows.units) == (19, 52, 1, 5)
    assert rows.is_declared
    assert not effect(found, "max_rows_per_group", None, 6).is_declared
    whole = effect(found, "max_rows_per_group", None, 40)
    assert (whole.kept, whole.cut_units) == (52, 0)
    assert max(each.cap for each in found if each.key is None) == 40
    # the last row has no town, and so is in no group
    towns = effect(found, "max_rows_per_group", "town", 1)
    assert (towns.total, towns.kept, towns.units) == (51, towns.units, 1 + 2 + 2 + 3 + 3)
    groups = effect(found, "max_groups", "town", 2)
    assert (groups.total, groups.kept, groups.cut_units, groups.units) == (11, 9, 2, 5)
    assert groups.to_dict()["cut"] == 2
    (entry,) = [entry for entry in db.ledger.entries() if entry.kind == "exact"]
    assert entry.body["note"] == OUTSIDE_NOTE
    assert (entry.body["tool"], entry.body["digest"]) == ("caps", None)


@pytest.mark.parametrize(
    ("sql", "exact", "capped"),
    [
        ("SELECT COUNT(*) AS v FROM data", 52, 19),
        ("SELECT COUNT(DISTINCT id) AS v FROM data", 5, 5),
        ("SELECT MAX(x) AS v FROM data", 4, 4),
        ("SELECT COUNT(*) AS v FROM data WHERE town = 'a' HAVING v > 10000 LIMIT 1", 17, None),
    ],
)
def test_the_error_is_split_into_noise_and_clipping(
    db: Database, sql: str, exact: float, capped: float | None
) -> None:
    (value,) = compare_answer(db, sql, 40)
    assert value.exact == exact
    assert capped in (None, value.capped)
    assert value.noise is not None
    assert value.clipping is not None
    assert value.noisy == value.exact + value.clipping + value.noise


def test_averages_and_groups_are_compared_by_their_keys(db: Database) -> None:
    sql = "SELECT town, AVG(x) AS mean, 'note' AS text FROM data GROUP BY town"
    found = compare_answer(db, sql, 40)
    assert [dict(value.keys)["town"] for value in found] == ["a", "b", "c"]
    assert {value.column for value in found} == {"mean"}
    assert all(0 <= (value.exact or 0) <= 4 for value in found)
    assert set(found[0].to_dict()) >= {"keys", "exact", "noisy", "noise_error", "clipping_error"}


def test_nothing_is_charged_stored_or_used_again(db: Database) -> None:
    """Two looks draw different noise; a question asked later is charged and has its own."""
    sql, price = "SELECT SUM(x) AS s FROM data", 0.01
    drawn = {compare_answer(db, sql, price)[0].noisy for _ in range(6)}
    assert len(drawn) > 1  # equal by chance with less than 1 in 10^9
    assert {entry.kind for entry in db.ledger.entries()} == {"open", "policy", "exact"}
    assert db.budget.spent == 0  # type: ignore[union-attr]
    last = db.ledger.entries()[-1].body
    assert last["digest"] == hashlib.sha256(sql.encode()).hexdigest()
    assert set(last) == {"who", "tool", "digest", "note"}
    db.query(sql, epsilon=price)
    assert db.budget.spent > 0  # type: ignore[union-attr]
    rows = db.query("SELECT kind, note FROM hedgerow.ledger").rows  # type: ignore[union-attr]
    assert rows[2] == {"kind": "exact", "note": "An answer was compared with its exact value."}


@pytest.mark.parametrize(
    ("sql", "message"),
    [
        ("SELECT AVG(n) FROM (SELECT COUNT(*) AS n FROM data GROUP BY town)", "one question"),
        ("EXPLAIN PRIVACY SELECT COUNT(*) FROM data", "bounds are declared"),
    ],
)
def test_other_statements_are_refused_before_the_look(db: Database, sql: str, message: str) -> None:
    with pytest.raises((Refused, Unsupported), match=message):
        compare_answer(db, sql)
    assert all(entry.kind != "exact" for entry in db.ledger.entries())


def test_they_are_no_methods_and_no_service_reaches_them() -> None:
    """Only the command line imports the module."""
    package = Path(__file__).parents[2] / "src" / "hedgerow"
    users = {
        str(file.relative_to(package))
        for file in package.rglob("*.py")
        if "exact_tools" in file.read_text(encoding="utf-8")
    }
    assert users <= {"cli/exact_tools.py", "cli/app.py"}
    assert not {"report_caps", "compare_answer"} & set(dir(Database))


def test_a_number_that_is_hidden_has_no_error() -> None:
    value = ComparedValue({"town": b"x"}, "n", 3, 3, None)
    assert (value.noise, value.clipping) == (None, 0)
    assert value.to_dict()["keys"] == {"town": "b'x'"}
