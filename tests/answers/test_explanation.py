"""Prices and errors before anything is asked."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation, count_questions_left
from hedgerow.database import Database
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss


def test_questions_left_is_exact() -> None:
    tenth = Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 10)).loss(1)
    assert count_questions_left(Budget(1), tenth) == 10
    assert count_questions_left(Budget(Fraction(99, 100)), tenth) == 9
    assert count_questions_left(Budget(Fraction(1, 100)), tenth) == 0
    many = count_questions_left(
        Budget(1, Fraction(1, 10**6)),
        Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 1000)).loss(1),
    )
    assert many > 1000
    budget, small = (
        Budget(1, Fraction(1, 10**6)),
        Laplace.calibrate(sensitivity=1, epsilon=Fraction(1, 1000)).loss(1),
    )
    assert budget.covers(many * small)
    assert not budget.covers((many + 1) * small)


def test_an_explanation_is_readable_and_json() -> None:
    with exactly(epsilon=3) as db:
        told = db.explain(
            "SELECT city, COUNT(*) AS n, AVG(cost) FROM data GROUP BY city", epsilon=1
        )
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


BY_CITY = "SELECT city, COUNT(*) AS n, AVG(cost), MEDIAN(age) FROM data GROUP BY city"


@pytest.mark.parametrize(
    "explain",
    [Database.explain, lambda db, sql, **price: db.query(f"EXPLAIN PRIVACY {sql}", **price)],
)
def test_a_stored_answer_is_explained_by_its_own_figures(
    explain: Callable[..., Explanation],
) -> None:
    """A threshold and noise of epsilon 2, asked at a tenth of it: told is what the answer has,
    and it is free when nothing is left.
    """
    with exactly(epsilon=2, delta=1e-6, max_units=1000) as db:
        before, small = explain(db, BY_CITY, epsilon=2), explain(db, BY_CITY, epsilon=0.2)
        assert (before.receipt, before.free, before.cost.epsilon) == (None, False, 2)
        assert before.threshold is not None
        assert small.threshold is not None
        assert before.threshold < small.threshold / 4
        answer = db.query(BY_CITY, epsilon=2)
        assert isinstance(answer, Answer)
        told = explain(db, BY_CITY, epsilon=0.2)
        assert (told.threshold, told.lines, told.steps) == (
            before.threshold,
            before.lines,
            before.steps,
        )
        assert told.notes == answer.notes
        assert told.cost == Loss(Fraction(0))
        assert (told.free, told.covered, told.questions_left) == (True, True, 0)
        assert told.receipt == replace(answer.receipt, reused=True)
        assert (
            "This question was answered before, at epsilon 2 (ledger entry 3): asking again is"
            " free." in repr(told)
        )
        assert "This question was answered before, at epsilon 2" in told._repr_html_()
        held = json.loads(json.dumps(told.to_dict()))
        assert (held["free"], held["threshold"], held["receipt"]["entry"]) == (
            True,
            before.threshold,
            3,
        )
        assert json.loads(json.dumps(before.to_dict()))["receipt"] is None


@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
def test_an_averaged_answer_is_explained_by_its_averaged_error(noise: str) -> None:
    """Counts and sums alone, a count measured from the middle, and a mean."""
    sql = "SELECT COUNT(*) AS n, SUM(age) AS s, AVG(cost) AS a FROM data"
    with exactly(epsilon=20, delta=1e-6, noise=noise, max_units=1000) as db:
        alone = db.explain(sql, epsilon=1)
        for epsilon in (Fraction(1, 2), 1):
            answer = db.query(sql, epsilon=epsilon)
            assert isinstance(answer, Answer)
        told = db.explain(sql, epsilon=1)
        assert any("Sums are averaged with an earlier answer" in note for note in told.notes)
        assert told.notes == tuple(note for note in answer.notes if "charged in rho" not in note)
        for line, was, column in zip(told.lines[:2], alone.lines[:2], ("n", "s"), strict=True):
            ((low, high),) = answer.interval(column)  # type: ignore[misc]
            assert line.error_95 == pytest.approx((high - low) / 2, abs=1)  # ends are whole numbers
            ratio = line.expected_error / was.expected_error  # type: ignore[operator]
            assert 0.8 < ratio < 0.95
        most = alone.lines[2].per_row.most  # type: ignore[union-attr]
        assert told.lines[2].per_row.most < 0.95 * most  # type: ignore[union-attr]
        assert {line.mechanism.lower() for line in told.lines} == {noise}
        assert not db.explain(sql, epsilon=Fraction(11, 10)).free


@pytest.mark.parametrize("error", [1, 20, Fraction(1, 2), 1000])
def test_the_epsilon_for_an_error_is_the_least(error: Fraction | int) -> None:
    with exactly(epsilon=50) as db:
        told = db.explain(
            "SELECT COUNT(*), SUM(age) FROM data" if error == 1000 else "SELECT COUNT(*) FROM data",
            error=error,
        )
        worst = max(line.expected_error or 0 for line in told.lines)
        assert 0.998 * error <= worst <= error


ASKED = (
    "COUNT(*) AS n, COUNT(x) AS m",
    "COUNT(*) AS n, SUM(x) AS s",
    "COUNT(*) AS n, COUNT(x) AS m, SUM(x) AS s",
)


@pytest.mark.parametrize("declared", [True, False])
@pytest.mark.parametrize(("groups", "error"), [(1, 300), (9, 3000)])
def test_the_epsilon_for_an_error_is_that_of_the_best_noise(
    declared: bool, groups: int, error: int
) -> None:
    """Also where that is Gaussian and takes a count of units more, and where it is another at
    another epsilon.
    """
    columns: dict[str, object] = {"x": (0, 49)} | ({"g": list(range(30))} if declared else {})
    with grouped(30, groups, 10, columns) as db:
        for asked in ASKED:
            told = db.explain(f"SELECT g, {asked} FROM data GROUP BY g", error=error, delta=5e-8)
            assert 0.998 * error <= max(line.expected_error or 0 for line in told.lines) <= error


def grouped(groups: int, each: int, rows: int, columns: dict[str, object]) -> Database:
    """Groups of so many rows each, the values of which are 0 to 49 in turn; each unit is in
    ``each`` of them with one row.
    """
    places = np.arange(groups * rows)
    table = pa.table({"who": places // each, "g": places % groups, "x": places // groups % 50})
    return protect(
        table,
        unit="who",
        neighbours="add-remove",
        columns=columns,
        epsilon=100,
        delta=1e-6,
        noise="best",
        max_groups=each,
        max_rows_per_group=1,
        max_units=400_000,
    )


EXACT: dict[str, Callable[[Any], float]] = {
    "COUNT": len,
    "SUM": np.sum,
    "AVG": np.mean,
    "VAR_POP": np.var,
    "STDDEV_POP": np.std,
}


@pytest.mark.long
@pytest.mark.parametrize(("each", "epsilon", "law"), [(1, 2, "Laplace"), (20, 8, "Gaussian")])
def test_explained_errors_with_the_best_noise_match_measured_errors(
    each: int, epsilon: int, law: str
) -> None:
    """3,000 groups with the same rows: the mean of their errors is within 7 standard errors of what
    is told (1e-11, and the skewness of 3,000 Laplace sizes does not bring it to 1e-9), of which one
    is 1.3 to 2.5 %. Of medians, at most one in twenty is off by more."""
    groups, rows = 3_000, 100
    x, seen = np.arange(rows) % 50, set()
    with grouped(groups, each, rows, {"g": list(range(groups)), "x": (0, 49)}) as db:
        for asked in (
            *ASKED,
            "AVG(x) AS a",
            "VAR_POP(x) AS v",
            "STDDEV_POP(x) AS d",
            "COUNT(*) AS n, AVG(x) AS a",
        ):
            sql = f"SELECT g, {asked} FROM data GROUP BY g"
            told = db.explain(sql, epsilon=epsilon, delta=5e-8)
            answer = db.query(sql, epsilon=epsilon, delta=5e-8)
            assert isinstance(answer, Answer)
            for line, name in zip(told.lines, answer.columns[1:], strict=True):
                function = line.aggregate.split("(")[0].upper()
                exact = float(EXACT[function](x))
                off = np.abs(np.array([row[name] for row in answer.rows], dtype=float) - exact)
                expected = line.expected_error
                if expected is None:
                    assert line.per_row is not None
                    expected = line.per_row.at(
                        rows, float(x.mean()), None if function == "AVG" else exact
                    )
                seen.add(line.mechanism)
                assert abs(off.mean() - expected) < 7 * off.std(ddof=1) / math.sqrt(groups)
        assert law in seen
        median = "SELECT g, MEDIAN(x) AS m FROM data GROUP BY g"
        note = db.explain(median, epsilon=epsilon, delta=5e-8).lines[0].note
        most = float(re.search(r"at most ([\d.]+) ranks", note)[1])  # type: ignore[index]
        answer = db.query(median, epsilon=epsilon, delta=5e-8)
        assert isinstance(answer, Answer)
        found, values = np.array([row["m"] for row in answer.rows], dtype=float), np.sort(x)
        below, up_to = (
            np.searchsorted(values, found, "left"),
            np.searchsorted(values, found, "right"),
        )
        assert np.mean(
            np.maximum(below - rows / 2, rows / 2 - up_to) <= most
        ) >= 0.95 - 7 * math.sqrt(0.05 * 0.95 / groups)


def test_the_scale_of_a_mean_is_in_units_of_the_answer() -> None:
    """Whatever the steps are in which it is counted."""
    columns = {"id": [1], "x": [1.0]}
    scales = []
    for step in (1, Fraction(1, 100)):
        bounds = {"x": {"type": "real", "min": 0, "max": 50, "step": step}}
        with protect(
            pa.table(columns),
            unit="id",
            max_groups=3,
            max_rows_per_group=1,
            neighbours="add-remove",
            columns=bounds,
            epsilon=3,
        ) as db:
            told = db.explain("SELECT AVG(x), SUM(x), CORR(x, x) FROM data", epsilon=1)
        scales.append([line.scale for line in told.lines])
        assert re.search(r"noise, scale [^ ]+/n$", repr(told), re.MULTILINE)
    for coarse, fine in zip(*scales, strict=True):
        assert coarse == pytest.approx(fine, rel=0.01) if coarse is not None else fine is None
    assert scales[0][0] is not None
    assert scales[0][2] is None
