"""Prices and errors before anything is asked."""

from __future__ import annotations

import json
from fractions import Fraction

import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow import protect
from hedgerow.answers.explanation import questions_left
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.budget import Budget


def test_questions_left_is_exact() -> None:
    tenth = Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 10)).loss(1)
    assert questions_left(Budget(1), tenth) == 10
    assert questions_left(Budget(Fraction(99, 100)), tenth) == 9
    assert questions_left(Budget(Fraction(1, 100)), tenth) == 0
    many = questions_left(Budget(1, Fraction(1, 10**6)), Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 1000)).loss(1))
    assert many > 1000
    budget, small = Budget(1, Fraction(1, 10**6)), Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 1000)).loss(1)
    assert budget.covers(many * small)
    assert not budget.covers((many + 1) * small)


def test_it_reads_well_and_is_json() -> None:
    with exactly(epsilon=3) as db:
        told = db.explain("SELECT city, COUNT(*) AS n, AVG(cost) FROM data GROUP BY city", epsilon=1)
        text = repr(told)
        assert "epsilon 1" in text
        assert f"{told.threshold:,}" in text
        assert "Laplace" in text
        held = json.loads(json.dumps(told.to_dict()))
        assert held["threshold"] == told.threshold
        assert held["aggregates"][1]["expected_error"] is None
        assert "/n" in held["aggregates"][1]["note"]
        over = db.explain("SELECT COUNT(*) FROM data", epsilon=3)
        db.query("SELECT COUNT(*) FROM data", epsilon=3)
        assert "does not cover" in repr(db.explain("SELECT SUM(age) FROM data", epsilon=3))
        assert "free" in repr(db.explain("SELECT COUNT(*) FROM data", epsilon=3))
        assert over.covered


@pytest.mark.parametrize("error", [1, 20, Fraction(1, 2), 1000])
def test_the_epsilon_for_an_error_is_the_least(error: Fraction | int) -> None:
    with exactly(epsilon=50) as db:
        told = db.explain("SELECT COUNT(*), SUM(age) FROM data" if error == 1000 else "SELECT COUNT(*) FROM data", error=error)
        worst = max(line.expected_error or 0 for line in told.lines)
        assert 0.998 * error <= worst <= error


def test_the_scale_of_a_mean_is_told_in_units_of_the_answer() -> None:
    """Whatever the steps are in which it is counted."""
    columns = {"id": [1], "x": [1.0]}
    scales = []
    for step in (1, Fraction(1, 100)):
        bounds = {"x": {"type": "real", "min": 0, "max": 50, "step": step}}
        with protect(pa.table(columns), unit="id", neighbours="add-remove", columns=bounds, epsilon=3) as db:
            told = db.explain("SELECT AVG(x), SUM(x), CORR(x, x) FROM data", epsilon=1)
        scales.append([line.scale for line in told.lines])
        assert "/n)" in repr(told)
    for coarse, fine in zip(*scales, strict=True):
        assert coarse == pytest.approx(fine, rel=0.01) if coarse is not None else fine is None
    assert scales[0][0] is not None
    assert scales[0][2] is None
