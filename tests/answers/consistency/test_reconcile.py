"""Answers made to add up, end to end: real questions, stored answers, and what is refused."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow import protect
from hedgerow.accuracy.noise_variance import compute_variance
from hedgerow.answers.answer import Answer
from hedgerow.answers.estimates.estimate import ConsistentEstimate, LinearEstimate
from hedgerow.database import Database
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.privacy.loss import Loss

KNOWN = "region IS NOT NULL AND sex IS NOT NULL"
PICKED = "COUNT(*) AS n, SUM(cost) AS s, SUM(age) AS a"
TOTAL = f"SELECT {PICKED}, AVG(age) AS mean FROM data WHERE {KNOWN}"
BY_REGION = f"SELECT region, {PICKED} FROM data WHERE sex IS NOT NULL GROUP BY region"
BY_BOTH = f"SELECT sex, region, {PICKED} FROM data GROUP BY sex, region"


def people(many: int = 600) -> pa.Table:
    return pa.table(
        {
            "id": list(range(many)),
            "age": [20 + n % 60 for n in range(many)],
            "cost": [n % 90 + 0.25 for n in range(many)],
            "region": [["north", "south", "east", None][n % 4] for n in range(many)],
            "sex": ["f" if n % 5 else "m" for n in range(many)],
        }
    )


def guarded(table: pa.Table | None = None, **changes: Any) -> Database:
    columns = {
        "age": (0, 110),
        "cost": (0.0, 100.0),
        "region": ["north", "south", "east"],
        "sex": ["f", "m"],
    }
    arguments: dict[str, Any] = {
        "unit": "row",
        "neighbours": "add-remove",
        "columns": columns,
        "epsilon": 1000,
        "delta": 1e-9,
    }
    return protect(people() if table is None else table, **(arguments | changes))


def ask(db: Database, *asked: str, epsilon: Any = 1) -> list[Answer]:
    found = [db.query(sql, epsilon=epsilon) for sql in asked]
    assert all(isinstance(answer, Answer) for answer in found)
    return found  # type: ignore[return-value]


def sums(rows: Sequence[dict[str, Any]], name: str, by: str | None = None) -> dict[Any, float]:
    found: dict[Any, float] = {}
    for row in rows:
        key = row[by] if by else None
        found[key] = found.get(key, 0) + row[name]
    return found


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_parts_add_up_to_the_last_bit(noise: str) -> None:
    with guarded(noise=noise) as db:
        before = ask(db, BY_BOTH, TOTAL, BY_REGION)
        spent, entries = db.budget, len(db.ledger.entries())
        both, total, region = db.reconcile(*before)
        assert (db.budget, len(db.ledger.entries())) == (spent, entries)
        for name in ("n", "s", "a"):
            assert sums(both.rows, name) == sums(region.rows, name) == sums(total.rows, name)
            assert sums(both.rows, name, "region") == sums(region.rows, name, "region")
        assert total.rows[0]["mean"] == before[1].rows[0]["mean"]
        assert [answer.columns for answer in (both, total, region)] == [
            answer.columns for answer in before
        ]
        assert region.cost == Loss(Fraction(0))
        assert region.receipt.reused
        assert region.receipt.hash == before[2].receipt.hash
        assert "Reconciled with ledger entries 3 and 5 at no cost" in str(region)
        assert "Not reconciled: AVG(age), because this aggregate is not additive." in total.notes
        for old, new in zip(before, (both, total, region), strict=True):
            for name in ("a0", "a1", "a2"):
                assert _variance(new, name) < _variance(old, name)
            for name in ("n", "s", "a"):
                for row, ends in zip(new.rows, new.interval(name), strict=True):
                    assert ends is not None
                    assert ends[0] <= row[name] <= ends[1]


def _variance(answer: Answer, name: str) -> float:
    from hedgerow.answers.consistency.reconcile import _SumColumn

    known = answer._estimates[name]
    call = next(call for call in answer._question.aggregates if call.name == name)
    if isinstance(known, ConsistentEstimate):
        return compute_variance(known.linear.noise)  # type: ignore[arg-type]
    assert isinstance(known, LinearEstimate)
    return compute_variance(_SumColumn(answer, call).build_level(()).noise)


def test_stored_answers_do_as_well(tmp_path: Path) -> None:
    with guarded(ledger=tmp_path / "ledger.db") as db:
        first = db.reconcile(*ask(db, TOTAL, BY_REGION))
    with guarded(ledger=tmp_path / "ledger.db") as db:
        again = ask(db, TOTAL, BY_REGION)
        assert all(answer.receipt.reused for answer in again)
        assert [answer.rows for answer in db.reconcile(*again)] == [answer.rows for answer in first]


def test_averaged_answers_do_as_well() -> None:
    """A total that was asked twice has less noise, and counts for more."""
    with guarded() as db:
        once, parts = ask(db, TOTAL, BY_REGION)
        (twice,) = ask(db, TOTAL, epsilon=2)
        plain, averaged = db.reconcile(once, parts)[0], db.reconcile(twice, parts)[0]
        assert _variance(averaged, "a0") < min(_variance(plain, "a0"), _variance(twice, "a0"))
        with pytest.raises(InvalidArgument, match=r"different numbers of keys.*got \[0, 0\]"):
            db.reconcile(once, twice)


def test_having_order_and_limit_use_the_reconciled_values() -> None:
    by = (
        "SELECT region, COUNT(*) AS n, 2 * COUNT(*) AS twice, DP_INTERVAL_LOW(n) AS low FROM data"
        " GROUP BY region ORDER BY n DESC LIMIT 2"
    )
    with guarded() as db:
        total, parts = db.reconcile(
            *ask(db, "SELECT COUNT(*) AS n FROM data WHERE region IS NOT NULL", by)
        )
    values = parts._estimates["a0"].values
    assert sum(values) == total.rows[0]["n"]
    assert [row["n"] for row in parts.rows] == sorted(values, reverse=True)[:2]
    for row, ends in zip(parts.rows, parts.interval("n"), strict=True):
        assert row["twice"] == 2 * row["n"]
        assert ends is not None
        assert row["low"] == ends[0]
        assert isinstance(row["twice"], int)
    assert parts.to_arrow().schema.names == ["region", "n", "twice", "low"]
    assert parts.to_dict()["rows"] == parts.rows


def test_people_with_one_group_and_one_row_count_once() -> None:
    """COUNT(*) adds up under caps of one, also where people have more; sums do not, and say so."""
    twice = pa.concat_tables([people(), people().set_column(3, "region", pa.array(["east"] * 600))])
    with guarded(twice, unit="id", max_groups=1, max_rows_per_group=1, epsilon=10_000) as db:
        picked = "COUNT(*) AS n, SUM(age) AS a"
        asked = ask(
            db,
            f"SELECT {picked} FROM data WHERE region IS NOT NULL",
            f"SELECT region, {picked} FROM data GROUP BY region",
            epsilon=4900,
        )
        total, parts = db.reconcile(*asked)
    assert sums(parts.rows, "n")[None] == total.rows[0]["n"] == 600
    assert [row["a"] for row in parts.rows] == [row["a"] for row in asked[1].rows]
    assert any(
        note.startswith("Not reconciled: SUM(age), because contribution bounds apply to each group")
        for note in parts.notes
    )


def test_one_row_for_each_person_adds_up() -> None:
    made = (
        "(SELECT patient_id, COUNT(*) > 1 AS often, SUM(cost) AS spent FROM data GROUP BY"
        " patient_id) AS t"
    )
    with exactly(epsilon=100) as db:
        picked = "COUNT(*) AS n, SUM(LEAST(spent, 500)) AS s"
        asked = ask(
            db, f"SELECT {picked} FROM {made}", f"SELECT often, {picked} FROM {made} GROUP BY often"
        )
        total, parts = db.reconcile(*asked)
    assert [sums(parts.rows, name)[None] for name in ("n", "s")] == [
        total.rows[0]["n"],
        total.rows[0]["s"],
    ]


def test_units_in_several_groups_are_refused_and_would_be_biased() -> None:
    """Everybody is in two regions, and one row counts: the exact total is 300, its exact parts
    add up to 600.
    """
    rows = pa.table(
        {
            "patient_id": [n // 2 for n in range(600)],
            "region": [["north", "south"][n % 2] for n in range(600)],
        }
    )
    with exactly(
        rows, columns={"region": ["north", "south"]}, max_rows_per_group=1, epsilon=10_000
    ) as db:
        asked = (
            "SELECT COUNT(*) AS n FROM data WHERE region IS NOT NULL",
            "SELECT region, COUNT(*) AS n FROM data GROUP BY region",
        )
        total, parts = ask(db, *asked, epsilon=4500)
        assert (total.rows[0]["n"], sums(parts.rows, "n")[None]) == (300, 600)
        with pytest.raises(
            Refused,
            match=(
                r"COUNT\(\*\), because contribution bounds apply to each group.*2 groups to the"
                r" parts, and up to 1 row to the total"
            ),
        ):
            db.reconcile(total, parts)


def test_answers_that_cannot_be_reconciled_are_refused() -> None:
    with guarded() as db, guarded() as other:
        total, parts = ask(db, TOTAL, BY_REGION)
        (strange,) = ask(other, TOTAL)
        with pytest.raises(InvalidArgument, match=r"two or more.*got 1"):
            db.reconcile(total)
        with pytest.raises(InvalidArgument, match=r"must be answers of query.*Explanation"):
            db.reconcile(total, db.explain(BY_REGION))  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="whose ledger has no such entry"):
            db.reconcile(strange, parts)
        with pytest.raises(InvalidArgument, match="reconciled already"):
            db.reconcile(total, db.reconcile(total, parts)[1])
        with pytest.raises(Refused, match=r"COUNT\(\*\), because not every answer has this"):
            db.reconcile(
                ask(db, f"SELECT COUNT(*) AS n FROM data WHERE {KNOWN}")[0],
                ask(db, f"SELECT sex, SUM(age) FROM data WHERE {KNOWN} GROUP BY sex")[0],
            )


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_measured_variance_and_coverage_match_the_stated_ones(noise: str) -> None:
    """4,500 totals of two parts each, of which one is looked at, so that all are independent. Their
    mean squares are within seven standard errors, sqrt(5/4500) each, of what is told; and of as
    many intervals at 90 % at most 591 are wrong, which is seven of them too."""
    table = pa.table(
        {"code": [n // 4 for n in range(3600)], "sex": ["ffmf"[n % 4] for n in range(3600)]}
    )
    off: dict[str, list[float]] = {"total": [], "part": []}
    alone, told, wrong = {}, {}, {"total": 0, "part": 0}
    with guarded(
        table, noise=noise, columns={"code": (0, 899), "sex": ["f", "m"]}, epsilon=1000
    ) as db:
        for number in range(5):
            where = f"sex IS NOT NULL AND code > {-1 - number}"
            by = (
                f"SELECT {keys}, COUNT(*) AS n FROM data WHERE {where} GROUP BY {keys}"
                for keys in ("code", "sex, code")
            )
            before = ask(db, *by, epsilon=0.2)
            for name, old, new, exact in zip(
                off, before, db.reconcile(*before), (4, 3), strict=True
            ):
                rows = new.rows[:900]  # of the parts those with the first sex
                off[name] += [row["n"] - exact for row in rows]
                alone[name], told[name] = _variance(old, "a0"), _variance(new, "a0")
                wrong[name] += sum(
                    not ends[0] <= exact <= ends[1] for ends in new.interval("n", 0.9)[:900]
                )  # type: ignore[index]
    for name, errors in off.items():
        assert len(errors) == 4500
        assert np.mean(np.square(errors)) == pytest.approx(told[name], rel=7 * (5 / 4500) ** 0.5)
        assert told[name] == pytest.approx(2 / 3 * alone[name], rel=1e-6)
        assert wrong[name] <= 591
