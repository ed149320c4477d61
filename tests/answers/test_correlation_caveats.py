"""A correlation that says nothing says why; one that says something has no note."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest

from hedgerow import protect

TABLE = pa.table(
    {
        "id": [n // 20 for n in range(8_000)],
        "x": [n * 7 % 60 for n in range(8_000)],
        "y": [n * 7 % 60 + n % 3 for n in range(8_000)],
        "k": [n // 20 % 2 for n in range(8_000)],
    }
)
TERMS: dict[str, Any] = {"columns": {"x": (0, 60), "y": (0, 62), "k": [0, 1]}, "epsilon": 9_000}


@pytest.mark.parametrize(
    ("sql", "epsilon", "words"),
    [
        # At the smaller price the interval is the whole range but with a probability below e^-30.
        ("SELECT CORR(x, y) FROM data", 0.001, ["of which the caps let 4 of each count"]),
        ("SELECT CORR(x, y) FROM data", 0.001, ["smaller max_rows_per_group", "larger epsilon"]),
        ("SELECT k, CORR(x, y) FROM data GROUP BY k", 0.001, ["in 2 of 2 groups", "fewer groups"]),
        ("SELECT REGR_R2(x, y) FROM data", 0.001, ["REGR_R2(x, y) says little:"]),
        ("SELECT CORR(x, y) FROM data", 1_000, []),
        ("SELECT REGR_SLOPE(x, y), COUNT(*) FROM data", 0.001, []),
    ],
)
def test_a_wide_interval_is_explained(sql: str, epsilon: float, words: list[str]) -> None:
    caps = {"max_groups": 1, "max_rows_per_group": 4}
    with protect(TABLE, unit="id", neighbours="add-remove", **TERMS, **caps) as db:
        answer = db.query(sql, epsilon=epsilon)
    notes = [note for note in answer.notes if "says little" in note]  # type: ignore[union-attr]
    assert len(notes) == bool(words)
    assert all(word in notes[0] for word in words)


def test_rows_that_are_units_have_no_caps_to_blame() -> None:
    with protect(TABLE, unit="row", neighbours="add-remove", **TERMS) as db:
        answer = db.query("SELECT CORR(x, y) FROM data", epsilon=0.001)
    (note,) = [note for note in answer.notes if "says little" in note]  # type: ignore[union-attr]
    assert "caps" not in note
    assert "max_rows_per_group" not in note
