"""What a question would cost, and which noise it gets where the best cannot be paid for any
more.
"""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.database import Database
from hedgerow.database.query import run
from hedgerow.errors import BudgetExceeded


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


def test_laplace_noise_is_used_when_no_delta_is_left() -> None:
    with by_groups() as db:
        paid = db.query(PEOPLE, **TIGHT)
        assert isinstance(paid, Answer)
        assert paid.cost.delta > 0
        told = db.explain(ROWS, **TIGHT)
        assert told.covered
        assert told.lines[0].mechanism == "Laplace"
        assert any("the remaining delta does not cover" in note for note in told.notes)
        aim = db.explain(ROWS, error=4000, delta=1e-7)
        assert aim.lines[0].mechanism == "Laplace"
        assert 0.998 * 4000 <= (aim.lines[0].expected_error or 0) <= 4000
        answer = db.query(ROWS, **TIGHT)
        assert isinstance(answer, Answer)
        assert answer.cost.epsilon == 1
        assert answer.cost.delta == 0
        assert any("the remaining delta does not cover" in note for note in answer.notes)
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


def test_a_question_after_the_delta_is_spent_gets_laplace_noise(
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
        assert any("the remaining delta does not cover" in note for note in answer.notes)
        assert db.budget.epsilon.spent == 2  # type: ignore[union-attr]
    monkeypatch.setattr(run, "release", late)
    with by_groups(epsilon=1) as db, pytest.raises(BudgetExceeded):
        db.query(ROWS, **TIGHT)


def test_a_question_is_refused_when_neither_noise_is_affordable() -> None:
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
        max_rows_per_group=1,
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
        assert any("a noisy count below 25,000,000,001 " in note for note in answer.notes)


def test_a_repeated_answer_reports_how_its_noise_was_chosen() -> None:
    many = pa.table({"who": range(400), "g": [n % 3 for n in range(400)]})
    with protect(
        many,
        unit="who",
        max_rows_per_group=1,
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
        assert any("a noisy count below 15 " in note for note in again.notes)
        told = db.explain(sql, epsilon=0.1, delta=1e-6)
        assert (told.threshold, told.notes, told.free) == (15, again.notes, True)
        assert (
            db.explain(
                "SELECT g, COUNT(*) AS n FROM data WHERE g < 2 GROUP BY g", epsilon=0.1, delta=1e-6
            ).threshold
            == 110
        )
