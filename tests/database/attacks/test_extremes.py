"""Bounds at the ends of what can be declared: each question is answered, or refused before
anything is charged.

Some of them here; all of them, under every noise, in ``tests/slow``."""

from __future__ import annotations

from datetime import date
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.errors import Refused

WORD = 2**63
COLUMNS: dict[str, dict[str, Any]] = {
    "all of 64 bits": {"type": "integer", "min": -WORD, "max": WORD - 1, "step": 2**24},
    "2^62": {"type": "integer", "min": -(2**62), "max": 2**62, "step": 2**23},
    "2^53": {"type": "integer", "min": -(2**53), "max": 2**53, "step": 2**14},
    "half a line": {"type": "integer", "min": 0, "max": 2**40},
    "beyond all numbers": {"type": "integer", "min": -(2**200), "max": 2**200, "step": 2**161},
    "listed": {"type": "integer", "values": [-WORD, 0, WORD - 1]},
    "no bounds": {"type": "integer"},
    "huge": {"type": "real", "min": -1e200, "max": 1e200, "step": 1e190},
    "large": {"type": "real", "min": -1e120, "max": 1e120},
    "tiny": {"type": "real", "min": 0, "max": 1e-200},
    "small": {"type": "real", "min": 0, "max": 1e-110},
}
ENDS = {"integer": [-WORD, WORD - 1, 0, 1], "real": [-1e200, 1e200, 0.0, 1e-200]}
AGGREGATES = (
    *(
        f"{name}(x)"
        for name in (
            "COUNT",
            "SUM",
            "AVG",
            "VAR_POP",
            "STDDEV_SAMP",
            "MEDIAN",
            "MIN",
            "MAX",
            "MODE",
        )
    ),
    *(
        "COUNT(DISTINCT x)",
        "COVAR_SAMP(x, x)",
        "CORR(x, y)",
        "SUM(x * x)",
        "SUM(-x)",
        "AVG(ABS(x))",
        "MEDIAN(x + 1)",
    ),
    *(
        "SUM(x, contribution_bounds_per_group => (-5, 5))",
        "COUNT(*) FILTER (WHERE x > 3)",
        "MEDIAN(x, bracket => 0.1)",
    ),
)
KEYS = ("x", "x % 3", "-x", "x + 1", "ABS(x)", "FLOOR(x)", "ROUND(x, -1)")
FOLDS = tuple(
    f"SELECT {of}(s) FROM (SELECT id, {one}(x) AS s FROM data GROUP BY id)"
    for of in ("VAR_POP", "MEDIAN")
    for one in ("SUM", "MAX")
)
QUESTIONS = (
    *(f"SELECT {aggregate} AS v FROM data" for aggregate in AGGREGATES),
    *(f"SELECT g, {aggregate} AS v FROM data GROUP BY g" for aggregate in AGGREGATES[:7]),
    *(
        f"SELECT {key} AS k, COUNT(*) AS v, MEDIAN(x) AS m FROM data GROUP BY {key} ORDER BY v"
        " LIMIT 3"
        for key in KEYS
    ),
    "SELECT COUNT(*) AS n, SUM(x) AS s, AVG(x) AS m, VAR_POP(x) AS v FROM data",
    *FOLDS,
)
DATES: dict[str, dict[str, Any]] = {
    "no bounds": {"type": "date"},
    "all years": {"type": "date", "values": "0001 … 9999"},
    "the first days": {"type": "date", "values": "0001-01-01 … 0001-01-31"},
    "the last days": {"type": "date", "values": "9999-12-01 … 9999-12-31"},
}
OF_DATES = (
    *(f"{name}(x)" for name in ("COUNT", "MEDIAN", "MIN", "MAX", "MODE")),
    *(
        "SUM(EXTRACT(YEAR FROM x))",
        "MAX(x + INTERVAL 1 DAY)",
        "MIN(x - INTERVAL 1 YEAR)",
        "MIN(DATE_TRUNC('week', x))",
    ),
)
BY_DATES = (
    "x",
    "DATE_TRUNC('month', x)",
    "DATE_TRUNC('week', x)",
    "EXTRACT(YEAR FROM x)",
    "x + INTERVAL 1 DAY",
    "x - INTERVAL 1 MONTH",
)
ABOUT_DATES = (
    *(f"SELECT {aggregate} AS v FROM data" for aggregate in OF_DATES),
    *(f"SELECT {key} AS k, COUNT(*) AS v FROM data GROUP BY {key}" for key in BY_DATES),
)


def ask_all(
    column: dict[str, Any], values: list[Any], questions: tuple[str, ...], **terms: Any
) -> dict[str, bool]:
    """Which questions are answered, having looked at each answer in every way; the others are
    refused for nothing.
    """
    frame = pa.table({"id": [1, 1, 2, 3], "g": ["a", "b", "a", "b"], "x": values, "y": [0.5] * 4})
    caps = {
        "unit": "id",
        "max_groups": 3,
        "max_rows_per_group": 5,
        "max_units": 1000,
        "epsilon": 10_000,
        "delta": 1e-6,
    }
    found = {}
    with protect(frame, columns={"x": column, "y": (0.0, 1.0)}, **caps, **terms) as db:
        for sql in questions:
            before = len(db.ledger.entries())
            try:
                answer = db.query(sql, epsilon=1)
            except Refused:
                assert len(db.ledger.entries()) == before, sql
                found[sql] = False
                continue
            assert (
                len(answer.to_pandas())
                == len(answer.to_dict()["rows"])
                == len(answer.interval(answer.columns[-1]))
            )
            assert all(
                (
                    str(answer),
                    answer._repr_html_(),
                    str(db.explain(sql, epsilon=1)),
                    str(db.explain(sql, epsilon=2)),
                )
            )
            found[sql] = True
    return found


@pytest.mark.long
@pytest.mark.parametrize(
    "named", ["all of 64 bits", "beyond all numbers", "no bounds", "huge", "tiny"]
)
def test_numbers_at_the_ends_are_answered_or_refused_for_nothing(named: str) -> None:
    column = COLUMNS[named]
    found = ask_all(column, ENDS[column["type"]], QUESTIONS, neighbours="add-remove", noise="best")
    assert found["SELECT COUNT(x) AS v FROM data"]
    assert found[
        "SELECT x AS k, COUNT(*) AS v, MEDIAN(x) AS m FROM data GROUP BY x ORDER BY v LIMIT 3"
    ] == (
        # a median needs bounds, and reals are no keys
        column["type"] == "integer" and named != "no bounds"
    )
    assert found["SELECT VAR_POP(x) AS v FROM data"] == (named not in ("no bounds", "huge", "tiny"))


@pytest.mark.parametrize("named", ["no bounds", "the last days"])
def test_dates_at_the_ends_are_answered_or_refused_for_nothing(named: str) -> None:
    ends = [date(1, 1, 1), date(9999, 12, 31), date(2000, 1, 1), date(2000, 1, 1)]
    found = ask_all(DATES[named], ends, ABOUT_DATES, neighbours="add-remove", noise="best")
    assert found["SELECT x AS k, COUNT(*) AS v FROM data GROUP BY x"]
    assert found["SELECT MIN(x) AS v FROM data"] == (named != "no bounds")
