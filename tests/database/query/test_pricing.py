"""What a question would cost, and which noise it gets where the best cannot be paid for any
more.
"""

from __future__ import annotations

import math
from fractions import Fraction
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from database.clinic import exactly, write
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.database import Database, open
from hedgerow.database.query import run
from hedgerow.errors import BudgetExceeded, InvalidArgument, Unsupported


def by_groups(**more: Any) -> Database:
    """30 groups a unit, so that Gaussian noise is the best; the delta of one such question, and
    a little more, is there for noise.
    """
    many = pa.table({"who": [n for n in range(200) for _ in range(30)], "g": list(range(30)) * 200})
    terms: dict[str, Any] = {
        "epsilon": 8,
        "delta": Fraction(25, 10**8),
        "noise": "best",
        "max_groups": 30,
    } | more
    return protect(
        many,
        unit="who",
        neighbours="add-remove",
        columns={"g": list(range(30))},
        max_rows_per_group=30,
        max_units=1000,
        **terms,
    )


PEOPLE, ROWS = (
    "SELECT g, COUNT(DISTINCT who) AS n FROM data GROUP BY g",
    "SELECT g, COUNT(*) AS n FROM data GROUP BY g",
)
TIGHT: dict[str, Any] = {"epsilon": 1, "delta": 1e-7}


def test_where_no_delta_is_left_for_the_best_noise_there_is_laplace_noise() -> None:
    with by_groups() as db:
        paid = db.query(PEOPLE, **TIGHT)
        assert isinstance(paid, Answer)
        assert paid.cost.delta > 0
        told = db.explain(ROWS, **TIGHT)
        assert told.covered
        assert told.lines[0].mechanism == "Laplace"
        assert any("the delta that is left does not cover" in note for note in told.notes)
        aim = db.explain(ROWS, error=4000, delta=1e-7)
        assert aim.lines[0].mechanism == "Laplace"
        assert 0.998 * 4000 <= (aim.lines[0].expected_error or 0) <= 4000
        answer = db.query(ROWS, **TIGHT)
        assert isinstance(answer, Answer)
        assert answer.cost.epsilon == 1
        assert answer.cost.delta == 0
        assert any("the delta that is left does not cover" in note for note in answer.notes)
        spent = db.budget.epsilon.spent  # type: ignore[union-attr]
        assert spent == 2
        # what was paid for is there, of either kind
        for sql, first in ((PEOPLE, paid), (ROWS, answer)):
            again = db.query(sql, **TIGHT)
            assert isinstance(again, Answer)
            assert again.rows == first.rows
            assert again.cost.epsilon == 0
        # there would be as much; but it is the same question, and was answered
        less = db.query(ROWS, epsilon=1, delta=1e-8)
        assert isinstance(less, Answer)
        assert less.rows == answer.rows
        assert db.budget.epsilon.spent == spent  # type: ignore[union-attr]
        stored = db.explain(ROWS, error=4000, delta=1e-7)
        assert stored.epsilon == aim.epsilon
        assert stored.lines == told.lines  # for so little it is free, and better


def test_who_comes_too_late_for_the_delta_gets_laplace_noise(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Between price and charge somebody else spends it; and where nothing is left for either
    noise, that is what is said.
    """
    with by_groups() as db:

        def late(*arguments: Any) -> Any:
            monkeypatch.undo()
            db.query(PEOPLE, **TIGHT)
            return run.release(*arguments)

        monkeypatch.setattr(run, "release", late)
        answer = db.query(ROWS, **TIGHT)
        assert isinstance(answer, Answer)
        assert answer.cost.delta == 0
        assert any("the delta that is left does not cover" in note for note in answer.notes)
        assert db.budget.epsilon.spent == 2  # type: ignore[union-attr]
    monkeypatch.setattr(run, "release", late)
    with by_groups(epsilon=1) as db, pytest.raises(BudgetExceeded):
        db.query(ROWS, **TIGHT)


def test_where_neither_noise_can_be_paid_for_the_question_is_refused() -> None:
    with by_groups(epsilon=1) as db:
        db.query(PEOPLE, **TIGHT)
        with pytest.raises(BudgetExceeded, match=r"it asks for delta .* with .* left"):
            db.query(ROWS, **TIGHT)
        assert not db.explain(ROWS, **TIGHT).covered


def test_a_request_that_was_cut_off_keeps_the_noise_that_it_paid_for() -> None:
    """Its own charge has used up the delta; sent again it is no reason for another kind of
    noise.
    """
    with by_groups() as db:
        source = db.source

        def cut_off(_: object) -> None:
            raise KeyboardInterrupt

        db._engine = SimpleNamespace(prepare=source.prepare, run=cut_off)
        with pytest.raises(KeyboardInterrupt):
            db.query(PEOPLE, request="one", **TIGHT)
        db._engine = source
        answer = db.query(PEOPLE, request="one", **TIGHT)
        assert isinstance(answer, Answer)
        assert answer.cost.delta > 0
        assert db.budget.epsilon.spent == 1  # type: ignore[union-attr]


def test_noise_far_wider_than_one_over_delta_is_drawn_as_soon_as_any() -> None:
    """At an epsilon far below delta the cut that delta asks for would keep hardly any draw."""
    many = pa.table({"who": range(400), "g": [n % 200 for n in range(400)]})
    with protect(
        many,
        unit="who",
        neighbours="add-remove",
        columns={},
        epsilon=1,
        delta=1e-5,
        max_groups=1,
        max_units=1000,
    ) as db:
        answer = db.query(
            "SELECT g, COUNT(*) AS n FROM data GROUP BY g", epsilon=Fraction(1, 10**11), delta=1e-6
        )
        assert isinstance(answer, Answer)
        assert any("a noisy count of 25,000,000,001 on" in note for note in answer.notes)


def test_an_answer_that_is_given_again_tells_what_decided_it() -> None:
    many = pa.table({"who": range(400), "g": [n % 3 for n in range(400)]})
    with protect(
        many,
        unit="who",
        neighbours="add-remove",
        columns={},
        epsilon=2,
        delta=1e-5,
        max_groups=1,
        max_units=1000,
    ) as db:
        sql = "SELECT g, COUNT(*) AS n FROM data GROUP BY g"
        first, again = db.query(sql, epsilon=1, delta=1e-6), db.query(sql, epsilon=0.1, delta=1e-6)
        assert isinstance(first, Answer)
        assert isinstance(again, Answer)
        assert again.cost.epsilon == 0
        assert again.rows == first.rows
        assert again.notes == first.notes
        assert any("a noisy count of 15 on" in note for note in again.notes)
        told = db.explain(sql, epsilon=0.1, delta=1e-6)
        assert (told.threshold, told.notes, told.free) == (15, again.notes, True)
        assert (
            db.explain(
                "SELECT g, COUNT(*) AS n FROM data WHERE g < 2 GROUP BY g", epsilon=0.1, delta=1e-6
            ).threshold
            == 110
        )


def test_explain_costs_nothing_and_tells_the_price() -> None:
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


def test_explain_counts_with_the_quota_of_whoever_asks(tmp_path: Path) -> None:
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
        with pytest.raises(BudgetExceeded, match="Even epsilon"):
            db.explain("SELECT COUNT(*) FROM data", error=Fraction(1, 10**9))
        with pytest.raises(Unsupported, match="anything but COUNT and SUM"):
            db.explain("SELECT AVG(age) FROM data", error=5)
        with pytest.raises(InvalidArgument, match="cannot both"):
            db.explain("SELECT COUNT(*) FROM data", error=5, epsilon=1)
