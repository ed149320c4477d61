"""Quantiles between two that were paid for."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.answers.estimates.bracketed_quantile import (
    BracketedQuantile,
    count_rows_needed,
    estimate_bracketed,
)
from hedgerow.answers.estimates.estimate import LinearEstimate
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace
from hedgerow.plan.measures import ClampedGrid, UnitReach
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.sql.question import AggregateCall, QuantileBracket

SHARES = (Fraction(4, 10), Fraction(1, 2), Fraction(6, 10))
PICK = OrderStatistic("quantiles", "v0", ClampedGrid(Fraction(1, 2), 0, 2000), quantiles=SHARES)
LAW = CalibratedSelection.calibrate(PICK, UnitReach(1, 1, 1, False), epsilon=Fraction(1))
NOISE = Laplace(Fraction(2))
CALL = AggregateCall("a0", "QUANTILE", PICK, "real", "MEDIAN(x)", Fraction(1, 2))


def made(numbers: list[Any], rows: list[int]) -> BracketedQuantile:
    count = LinearEstimate([rows], (Fraction(1),), NOISE, True)
    return estimate_bracketed(
        CALL, QuantileBracket("a1", SHARES[0], SHARES[2]), numbers, LAW, {"a1": count}
    )


@pytest.mark.parametrize("shape", ["even", "spike", "clumps"])
def test_brackets_hold_every_quantile(shape: str) -> None:
    """200 draws at 80 %: fewer than 125 would be six standard errors. (The bound on ranks is a
    safe one: nearly all hold.)
    """
    rows = 3000
    values = {
        "even": np.linspace(0, 2000, rows).astype(int),
        "spike": np.where(np.arange(rows) < 2000, 700, np.arange(rows) % 2000),
        "clumps": np.repeat([100, 900, 901, 1900], rows // 4),
    }[shape]
    values = np.sort(values)
    drawn = [LAW.sample(values) for _ in range(200)]
    numbers = [list(column) for column in zip(*drawn, strict=True)]
    answer = made(numbers, [rows + int(NOISE.sample(0)) for _ in drawn])
    lowest, highest = values[(rows - 1) // 2] / 2, values[rows // 2] / 2  # all medians
    pairs: Any = answer.intervals(Fraction(8, 10))
    assert sum(low <= lowest and highest <= high for low, high in pairs) >= 125
    assert sum((low, high) != (0, 1000) for low, high in pairs) == 200
    assert answer.values == [number / 2 for number in numbers[1]]


def test_possibly_too_few_rows_give_the_whole_range() -> None:
    beta = Fraction(1, 40)
    least = int(count_rows_needed(LAW, Fraction(1, 10), beta, 1000))
    far = NOISE.error(beta)
    answer = made([[200] * 4, [210] * 4, [220] * 4], [least + far, least + far + 1, 3, -50])
    whole = (0.0, 1000.0)
    assert answer.intervals(0.95) == [whole, (100.0, 110.0), whole, whole]
    assert answer.intervals(0.99)[1] == whole  # a higher level takes more rows
    with pytest.raises(InvalidArgument):
        answer.intervals(0)


def test_more_rows_are_needed_when_they_outnumber_the_tie_breakers() -> None:
    assert count_rows_needed(LAW, Fraction(1, 10), Fraction(1, 40), 10**10) > count_rows_needed(
        LAW, Fraction(1, 10), Fraction(1, 40), 1
    )
    assert count_rows_needed(LAW, Fraction(1, 20), Fraction(1, 40), 1) == 2 * count_rows_needed(
        LAW, Fraction(1, 10), Fraction(1, 40), 1
    )


def test_a_database_brackets_a_median() -> None:
    """Three visits each of which two count; some without a value. The count is of the values
    that are chosen from.
    """
    table = pa.table(
        {
            "who": [i // 3 for i in range(3000)],
            "x": [None if i % 3 == 0 else i % 101 for i in range(3000)],
        }
    )
    with protect(
        table,
        unit="who",
        neighbours="add-remove",
        columns={"x": (0, 100)},
        epsilon=10_000,
        max_groups=1,
        max_rows_per_group=2,
    ) as db:
        sql = (
            "SELECT MEDIAN(x, bracket => 0.1) AS m, DP_INTERVAL_LOW(m) AS l, MEDIAN(x) AS again"
            " FROM data"
        )
        told = db.explain(sql, epsilon=9000)
        answer = db.query(sql, epsilon=9000)
        few = db.query("SELECT MEDIAN(x, bracket => 0.1) AS m FROM data WHERE x < 3", epsilon=0.01)
    assert isinstance(answer, Answer)
    assert isinstance(few, Answer)
    ((low, high),) = answer.interval("m")  # type: ignore[misc]
    assert 38 <= low <= 42
    assert 58 <= high <= 62
    assert low <= answer.rows[0]["m"] <= high
    assert answer.rows[0]["l"] == low
    assert answer.interval("again") == [None]
    assert few.interval("m") == [(0, 100)]
    assert any("from the quantile at 0.4 to the one at 0.6" in note for note in answer.notes)
    assert "else the whole range" in told.lines[0].note
    assert [line.aggregate for line in told.lines][
        1
    ] == "the count of values in MEDIAN(x, bracket => 0.1)"
    assert answer._estimates["a1"].values == [2000]
