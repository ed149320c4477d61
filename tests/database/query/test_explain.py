"""Explanations of questions: their price, the quota, and the epsilon of an error."""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path

import pytest

from database.clinic import exactly, write
from hedgerow.answers.explanation import Explanation
from hedgerow.database import open
from hedgerow.errors import BudgetExceeded, InvalidArgument, Unsupported


def test_explain_costs_nothing_and_shows_the_price() -> None:
    with exactly(epsilon=10) as db:
        told = db.explain(
            "SELECT region, COUNT(*) AS n, AVG(age) FROM data GROUP BY region", epsilon=1
        )
        assert told.cost.epsilon == 1
        assert told.covered
        assert not told.free
        assert told.questions_left >= 10
        assert [line.aggregate.upper() for line in told.lines] == ["COUNT(*)", "AVG(AGE)"]
        # two groups of three rows, as three sums
        assert told.lines[0].scale == pytest.approx(6 * math.sqrt(3))
        assert isinstance(
            db.query("EXPLAIN PRIVACY SELECT COUNT(*) FROM data", epsilon=1), Explanation
        )
        assert db.budget.epsilon.spent == 0  # type: ignore[union-attr]
        db.query("SELECT COUNT(*) FROM data", epsilon=1)
        assert db.explain("SELECT COUNT(*) FROM data", epsilon=1).free
        assert not db.explain("SELECT SUM(age) FROM data", epsilon=10).covered


def test_explain_applies_the_quota_of_the_analyst(tmp_path: Path) -> None:
    sql = "SELECT COUNT(*) AS n FROM visits"
    path = write(tmp_path)
    with open(path, in_process=True) as db, open(path, in_process=True, analyst="ana") as hers:
        assert (
            db.explain(sql, epsilon=0.2).questions_left,
            hers.explain(sql, epsilon=0.2).questions_left,
        ) == (15, 2)
        assert "The budget covers 15 such questions." in str(db.explain(sql, epsilon=0.2))
        assert "The quota covers 2 such questions." in str(hers.explain(sql, epsilon=0.2))
        told = db.query(f"EXPLAIN PRIVACY {sql}", epsilon=0.6, analyst="ana")
        assert isinstance(told, Explanation)
        assert not told.covered
        assert "The quota does not cover it." in str(told)
        with pytest.raises(BudgetExceeded, match="quota of analyst 'ana'"):
            hers.query(sql, epsilon=0.6)
        db.query(sql, epsilon=0.6)
        assert hers.explain(sql, epsilon=0.6).covered  # what was answered is free, also for her


def test_explain_finds_the_epsilon_for_an_error() -> None:
    with exactly(epsilon=10) as db:
        told = db.explain("SELECT COUNT(*) FROM data", error=5)
        assert told.lines[0].expected_error == pytest.approx(5, rel=1e-3)
        assert told.lines[0].expected_error <= 5
        cheaper = db.explain("SELECT COUNT(*) FROM data", error=50)
        assert cheaper.epsilon < told.epsilon / 9
        with pytest.raises(BudgetExceeded, match="Even at epsilon"):
            db.explain("SELECT COUNT(*) FROM data", error=Fraction(1, 10**9))
        with pytest.raises(Unsupported, match="Only COUNT and SUM"):
            db.explain("SELECT AVG(age) FROM data", error=5)
        with pytest.raises(InvalidArgument, match="cannot be given together with epsilon"):
            db.explain("SELECT COUNT(*) FROM data", error=5, epsilon=1)
