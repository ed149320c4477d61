"""Answers as values: intervals of expressions, order, other libraries."""

from __future__ import annotations

import json
from datetime import date
from fractions import Fraction

import polars
import pyarrow as pa
import pytest

from database.clinic import exactly
from hedgerow import protect
from hedgerow.answers.answer import Answer
from hedgerow.database import Database
from hedgerow.errors import InvalidArgument


def ask(db: Database, sql: str, epsilon: object = 1) -> Answer:
    answer = db.query(sql, epsilon=epsilon)  # type: ignore[arg-type]
    assert isinstance(answer, Answer)
    return answer


def test_intervals_belong_to_aggregates_and_expressions_of_them() -> None:
    picked = (
        "region, COUNT(*) AS n, 2 * COUNT(*) - 1 AS m, SUM(cost) / COUNT(*) AS q,"
        " DP_INTERVAL_LOW(n) AS low"
    )
    with exactly(epsilon=100) as db:
        answer = ask(db, f"SELECT {picked} FROM data GROUP BY region")
    assert answer.interval("region") == [None] * 4
    assert answer.interval("low") == [None] * 4
    told = zip(
        answer.rows,
        *(answer.interval(name) for name in ("n", "m", "q")),
        answer.interval("n", 0.999),
        strict=True,
    )
    for row, n, m, q, wide in told:
        assert n is not None
        assert wide is not None
        assert n[0] < row["n"] < n[1]
        assert row["low"] == n[0]
        assert m == (2 * n[0] - 1, 2 * n[1] - 1)
        if n[0] <= 0 <= n[1]:  # nothing is divided by what may be 0
            assert q is None
        elif wide[0] > 0 or wide[1] < 0:  # a ratio looks further than n alone, but not that far
            assert q is not None
            assert q[0] <= row["q"] <= q[1]
    wider = answer.interval("n", 0.999)[0]
    assert wider is not None
    assert wider[0] < answer.interval("n")[0][0]  # type: ignore[index]
    with pytest.raises(InvalidArgument, match="region, n, m, q, low"):
        answer.interval("nothing")


def test_frames_have_the_ends_of_intervals_where_they_are_asked_for() -> None:
    sql = "SELECT region, COUNT(*) AS n, AVG(age) AS a, MEDIAN(age) AS m FROM data GROUP BY region"
    with exactly(epsilon=100) as db:
        answer = ask(db, sql)
    frame = answer.to_pandas(intervals=True)
    # a key has no interval, and that of a median is private
    assert list(frame) == ["region", "n", "n_low", "n_high", "a", "a_low", "a_high", "m"]
    for name in ("n", "a"):
        ends = zip(frame[f"{name}_low"], frame[f"{name}_high"], strict=True)
        assert list(ends) == answer.interval(name)
    assert answer.to_polars(intervals=True).columns == list(frame)
    assert answer.to_arrow().column_names == ["region", "n", "a", "m"]


def test_computed_columns_have_the_ends_of_their_intervals_in_sql() -> None:
    sql = (
        "SELECT region, SUM(age) / COUNT(*) AS m, DP_INTERVAL_LOW(m) AS low, DP_INTERVAL_HIGH(m) AS"
        " high, DP_INTERVAL_LOW(2 * MEDIAN(age)) AS none FROM data GROUP BY region"
        " HAVING DP_INTERVAL_HIGH(SUM(age) / COUNT(*)) > -1 ORDER BY DP_INTERVAL_LOW(m) DESC"
    )
    with exactly(epsilon=100) as db:
        answer = ask(db, sql)
    ends = [(row["low"], row["high"]) for row in answer.rows]
    assert ends == answer.interval("m")
    assert [low for low, _ in ends] == sorted((low for low, _ in ends), reverse=True)
    assert {row["none"] for row in answer.rows} == {None}
    assert answer.keys == {"region"}
    assert answer.interval("low") == [None] * len(ends)


def test_the_end_of_an_interval_replaces_no_column() -> None:
    with exactly(epsilon=100) as db:
        answer = ask(db, "SELECT COUNT(*) AS n, DP_INTERVAL_LOW(n) AS n_low FROM data")
    assert answer.to_arrow().column_names == ["n", "n_low"]
    with pytest.raises(InvalidArgument, match="adds a column n_low") as refused:
        answer.to_arrow(intervals=True)
    assert refused.value.argument == "intervals"


def test_intervals_of_two_aggregates_hold_together() -> None:
    with exactly(epsilon=100) as db:
        answer = ask(
            db,
            "SELECT COUNT(*) + COUNT(age) AS both, COUNT(*) AS n, COUNT(age) AS a FROM data WHERE"
            " age > 30",
        )
    pair = answer.interval("both", Fraction(9, 10))[0]
    parts = [answer.interval(name, Fraction(95, 100))[0] for name in ("n", "a")]
    # two measures, so each gets half of what may go wrong
    if answer.rows[0]["n"] != answer.rows[0]["a"]:
        assert pair == (
            sum(part[0] for part in parts),  # type: ignore[index]
            sum(part[1] for part in parts),  # type: ignore[index]
        )


def test_a_date_selected_among_months_is_a_month() -> None:
    """Also where it is shown again, from what was stored."""
    days = [date(2026, 1 + place % 12, 1 + place % 28) for place in range(240)]
    table = pa.table({"patient_id": list(range(240)), "month": days, "year": days, "day": days})
    columns = {
        "month": "2026-01 … 2026-12",
        "year": "2020 … 2030",
        "day": "2026-01-01 … 2026-12-31",
    }
    aggregates = (
        "MEDIAN(month) AS m, MIN(month) AS first, MAX(year) AS last, QUANTILE(DATE_TRUNC('quarter',"
        " day), 0.4) AS q, MEDIAN(day) AS d"
    )
    declared = {name: {"type": "date", "values": values} for name, values in columns.items()}
    with exactly(table, columns=declared, epsilon=10_000) as db:
        for epsilon in (1, 10, 100, 1):  # little enough for other days to be chosen
            answer = ask(
                db, f"SELECT {aggregates} FROM data HAVING last > DATE '2019-01-01'", epsilon
            )
            (row,) = answer.rows
            assert [row[name].day for name in ("m", "first", "last", "q")] == [1] * 4
            assert row["last"].month == 1
        assert answer.receipt.reused


@pytest.mark.parametrize("sql", ["2 * MEDIAN(age)", "MAX(age) - MIN(age)", "COUNT(*) / MAX(age)"])
def test_an_expression_of_a_selected_value_has_no_interval(sql: str) -> None:
    with exactly() as db:
        assert ask(db, f"SELECT {sql} AS x FROM data").interval("x") == [None]


def test_rows_are_sorted_by_key_unless_asked_otherwise() -> None:
    counts = "SELECT region, COUNT(*) FROM data GROUP BY region"
    means = "SELECT region, AVG(age) AS a FROM data WHERE age > 79 GROUP BY region"
    with exactly(epsilon=10_000) as db:
        assert [row["region"] for row in ask(db, counts, 9000).rows] == [
            "east",
            "north",
            "south",
            "west",
        ]
        last = ask(db, f"{means} ORDER BY a DESC NULLS LAST, region", 900).rows
        known = [row["a"] for row in last if row["a"] is not None]
        assert known == sorted(known, reverse=True)
        assert all(row["a"] is None for row in last[len(known) :])
        first = ask(db, f"{means} ORDER BY a NULLS FIRST", 900).rows
        assert [row["a"] for row in first[len(first) - len(known) :]] == sorted(known)
        assert [
            row["region"]
            for row in ask(db, f"{counts} ORDER BY region LIMIT 2 OFFSET 1", 9000).rows
        ] == ["north", "south"]


def test_other_libraries_can_read_it() -> None:
    with exactly(epsilon=10_000) as db:
        answer = ask(db, "SELECT region, COUNT(*) AS n FROM data GROUP BY region", 9000)
    assert answer.to_arrow().to_pylist() == answer.rows
    assert list(answer.to_pandas()["n"]) == [row["n"] for row in answer.rows]
    assert answer.to_polars()["n"].to_list() == [row["n"] for row in answer.rows]
    assert pa.table(answer).num_rows == 4
    assert polars.DataFrame(answer).height == 4


def test_plain_data_are_json() -> None:
    days = [date(2026, 1, 1), date(2026, 1, 2)]
    table = pa.table({"patient_id": [1, 2], "day": days, "age": [1, 2]})
    columns = {"day": {"type": "date", "values": "2026-01-01 … 2026-01-02"}, "age": (0, 9)}
    with exactly(table, columns=columns) as db:
        answer = ask(
            db, "SELECT day, COUNT(*) AS n, SUM(age) > 1 AS more FROM data GROUP BY day", 9000
        )
    held = json.loads(json.dumps(answer.to_dict()))
    assert held["columns"] == ["day", "n", "more"]
    assert held["rows"] == [
        {"day": "2026-01-01", "n": 1, "more": False},
        {"day": "2026-01-02", "n": 1, "more": True},
    ]
    # Read off moments, a count is off by less than 1, and so is its interval.
    assert all(
        type(low) is int and type(high) is int and 0 <= low <= 1 <= high <= 2
        for low, high in held["intervals"]["n"]
    )
    assert held["cost"] == answer.cost.to_dict()
    assert held["receipt"] == {
        "entry": 3,
        "hash": answer.receipt.hash,
        "time": answer.receipt.time,
        "epsilon": "9000",
        "reused": False,
    }


@pytest.mark.parametrize(
    ("expression", "value"),
    [
        ("FLOOR(SUM(age) * 1e200 * 1e200)", [None]),
        ("SUM(age) * 1e308 * 10", [None]),
        ("SQRT(COUNT(*) - 10000)", [None]),
        ("COUNT(*) / (COUNT(*) - COUNT(*))", [None]),
        ("-COUNT(*) % 2", [0, -1]),
        ("FLOOR(COUNT(*) * 1e308 * 1e308 - COUNT(*) * 1e308 * 1e308)", [None]),
        ("CASE WHEN COUNT(*) > 5 THEN DATE '2026-01-02' END", [date(2026, 1, 2)]),
        ("CASE WHEN COUNT(*) > 5 THEN 'many' ELSE 'few' END", ["many"]),
    ],
)
def test_an_answer_that_was_paid_for_is_always_shown(expression: str, value: list[object]) -> None:
    with exactly(epsilon=100) as db:
        answer = ask(db, f"SELECT {expression} AS odd FROM data")
    assert answer.rows[0]["odd"] in value
    assert len(answer.interval("odd")) == 1
    assert "odd" in repr(answer)


def test_whole_numbers_beyond_64_bits_become_doubles_for_other_libraries() -> None:
    with exactly(epsilon=100) as db:
        answer = ask(
            db,
            "SELECT COUNT(*) * COUNT(*) * COUNT(*) * COUNT(*) * COUNT(*) * COUNT(*) * COUNT(*) AS n"
            " FROM data",
        )
    assert answer.rows[0]["n"] > 2**64
    assert answer.to_arrow().to_pylist() == [{"n": float(answer.rows[0]["n"])}]


def test_text_from_the_data_cannot_steer_a_terminal() -> None:
    table = pa.table(
        {"patient_id": list(range(3000)), "town": ["a\x1b]0;pwned\x07\u202e\0"] * 3000}
    )
    with exactly(table, columns={}) as db:
        answer = ask(db, "SELECT town, COUNT(*) AS n FROM data GROUP BY town", 900)
    assert answer.rows[0]["town"].startswith("a\x1b")
    for shown in (repr(answer), answer._repr_html_()):
        assert "pwned" in shown
        assert not set(shown) & {"\x1b", "\x07", "\u202e", "\0"}


EVERY = (
    *(
        f"{name}(x)"
        for name in (
            "COUNT",
            "SUM",
            "AVG",
            "VAR_POP",
            "VAR_SAMP",
            "STDDEV_POP",
            "STDDEV_SAMP",
            "MEDIAN",
            "MIN",
            "MAX",
        )
    ),
    *(f"{name}(x, y)" for name in ("COVAR_POP", "COVAR_SAMP", "CORR")),
    *(
        "COUNT(*)",
        "COUNT(DISTINCT x)",
        "MODE(k)",
        "QUANTILE(x, 0.3)",
        "MEDIAN(x, bracket => 0.1)",
        "MEDIAN(d)",
    ),
    *(
        "COUNT(*) FILTER (WHERE x > 1)",
        "SUM(x) / COUNT(*)",
        "SQRT(VAR_POP(x))",
        "DP_INTERVAL_LOW(VAR_POP(x))",
    ),
)


@pytest.mark.parametrize("noise", ["laplace", "gaussian", "best"])
def test_an_answer_of_no_groups_is_an_answer(noise: str) -> None:
    """Nobody shares a group with others, so none is shown. It was paid for, and every way to
    look at it works.
    """
    days = [date(2026, 1, 1), date(2026, 1, 2)]
    table = pa.table({"g": ["a", "b"], "x": [1, 2], "y": [0.1, 0.2], "k": ["u", "v"], "d": days})
    columns = {
        "x": (0, 9),
        "y": (0.0, 1.0),
        "k": ["u", "v"],
        "d": (date(2025, 1, 1), date(2027, 1, 1)),
    }
    terms = {
        "unit": "row",
        "neighbours": "add-remove",
        "epsilon": 1000,
        "delta": 1e-9,
        "max_units": 1000,
        "noise": noise,
    }
    with protect(table, columns=columns, **terms) as db:
        for aggregate in EVERY:
            sql = f"SELECT g, {aggregate} AS v FROM data GROUP BY g HAVING v IS NOT NULL ORDER BY v"
            answer = ask(db, sql)
            assert answer.rows == answer.interval("v") == answer.interval("v", 0.5) == []
            assert answer.to_dict()["intervals"] == {"g": [], "v": []}
            assert "Every group is hidden" in str(answer)
            assert "Every group is hidden" in answer._repr_html_()
            assert (
                answer.to_arrow().column_names
                == list(answer.to_pandas().columns)
                == answer.to_polars().columns
                == ["g", "v"]
            )
            assert "asking again is free" in str(db.explain(sql, epsilon=1))
            assert ask(db, sql, 2).interval("v") == []  # made of two answers, or of the larger one
