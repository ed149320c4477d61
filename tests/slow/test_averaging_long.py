"""Ten thousand repeats of the same mean: through a real database one answer, paid once; through
naive noise a hundredth of the error.
"""

from __future__ import annotations

from fractions import Fraction

import pandas as pd
import pytest

import hedgerow as hr
from hedgerow.risk.answers.averaging import averaging

PEOPLE, REPEATS = 2_000, 10_000


def test_ten_thousand_repeats_return_one_answer() -> None:
    frame = pd.DataFrame({"id": range(PEOPLE), "age": [i % 100 for i in range(PEOPLE)]})
    database = hr.protect(
        frame,
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={"age": (0, 100)},
        epsilon=1,
    )
    exact = frame["age"].mean()
    sql = "SELECT AVG(age) AS mean FROM data"
    found = averaging(
        database,
        sql,
        exact,
        sensitivity=Fraction(100, PEOPLE),
        epsilon=Fraction(1, 2),
        repeats=REPEATS,
        runs=64,
    )
    assert (found.distinct_answers, found.charge_count, found.epsilon) == (1, 1, Fraction(1, 2))
    assert found.protected == pytest.approx([found.protected[0]] * 5)
    assert database.budget.spent == Fraction(1, 2)
    # 64 near-normal means: chi-square with 64 degrees leaves (0.4², 1.8²) times 64 with a
    # probability below 1e-9.
    assert 0.4 < found.naive[-1] / found.expected[-1] < 1.8
    assert found.expected[-1] == pytest.approx(found.expected[0] / 100)
