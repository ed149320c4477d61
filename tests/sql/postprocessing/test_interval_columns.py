"""Intervals of SQL over answers: they hold whenever those of the answers do."""

from __future__ import annotations

import math
from collections.abc import Iterator
from random import Random
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from sqlglot import exp, parse_one

from hedgerow.sql.postprocessing.bounded_relations import (
    BoundedColumn,
    BoundedRelation,
    NoIntervalsError,
)
from hedgerow.sql.postprocessing.interval_columns import add_interval_columns

KEYS = [(place, half) for place in "abcd" for half in (1, 2)]
COLUMNS = (
    BoundedColumn("k", True),
    BoundedColumn("h", True),
    BoundedColumn("n", False, True),
    BoundedColumn("m", False, True),
    BoundedColumn("z", False, True),
)
TABLES = {
    "t": BoundedRelation(COLUMNS),
    "part": BoundedRelation(COLUMNS, has_all_rows=False),
    "u": BoundedRelation((BoundedColumn("k", True), BoundedColumn("w", True))),
}
BOUNDED = [
    "SELECT k, h, n FROM t",
    "SELECT * FROM t",
    "SELECT x.*, n - m AS d FROM t AS x",
    "SELECT k, h, n + 2 * m - 3 AS v, -n AS w, n * m AS p, (n - m) * 1.5 AS q FROM t",
    "SELECT k, h, n / m AS r, n / 4 AS q, 100.0 * n / SUM(n) OVER () AS share FROM t",
    "SELECT k, SUM(n) AS s, AVG(n) AS a, MIN(m) AS lo, MAX(m) AS hi, COUNT(*) AS c FROM t"
    " GROUP BY k",
    "SELECT SUM(n) AS s, SUM(n) / SUM(m) AS r, MAX(n) - MIN(n) AS gap FROM t",
    "SELECT k, SUM(CASE WHEN h = 1 THEN n ELSE 0 END) AS one FROM t GROUP BY 1",
    "SELECT k, SUM(n) FILTER (WHERE h = 1) AS one FROM t GROUP BY ALL",
    "SELECT k AS key, SUM(n) AS s FROM t GROUP BY key",
    "SELECT k, h, SUM(n) OVER (PARTITION BY k ORDER BY h) AS run, n - LAG(n) OVER (ORDER BY k, h)"
    " AS step FROM t",
    "SELECT k, SUM(n) AS s, SUM(SUM(n)) OVER (ORDER BY k) AS run FROM t GROUP BY k",
    "SELECT k, h, ROUND(n, 1) AS r, CAST(n AS INTEGER) AS i, COALESCE(n, 0) AS c, NULLIF(m, 0) AS z"
    " FROM t",
    "WITH s AS (SELECT k, SUM(n) AS n FROM t GROUP BY k) SELECT k, n / (SELECT SUM(n) FROM s) AS"
    " share FROM s WHERE n > (SELECT AVG(n) FROM s) - 1000",
    "SELECT a.k, a.h, a.n - b.n AS d FROM t a JOIN t b ON a.k = b.k AND a.h = b.h + 1",
    "SELECT a.k, a.h, a.n / b.total AS share FROM t a CROSS JOIN (SELECT SUM(n) AS total FROM t) b",
    "SELECT u.k, SUM(t.n * u.w) AS s FROM t JOIN u ON u.k = t.k GROUP BY u.k",
    "SELECT k, SUM(n) AS n FROM t GROUP BY k UNION ALL SELECT 'all', SUM(n) FROM t UNION ALL"
    " SELECT 'zero', 0 ORDER BY k",
    "SELECT k, SUM(v) AS v FROM (SELECT k, n AS v FROM t UNION ALL SELECT k, m FROM t) x"
    " GROUP BY k",
    "SELECT (SELECT SUM(n) FROM t) / (SELECT SUM(m) FROM t) AS r",
    "SELECT k, h, n FROM t WHERE n < ALL (SELECT n + 99 FROM t)",
    "SELECT k, AVG(NULLIF(z, 0)) AS a, MIN(NULLIF(z, 0)) AS lo, SUM(COALESCE(n / z, 1)) AS r,"
    " AVG(n / z) AS q, SUM(n) AS s, SUM(COALESCE(CAST(n / NULLIF(z, 0) AS INTEGER), 1)) AS i FROM"
    " t GROUP BY k",
    "SELECT k, h, LAG(n, 1, 0) OVER (ORDER BY k, h) AS l, COALESCE(NULLIF(z, 0), 100) AS c, n FROM"
    " t",
    "SELECT k, h, n FROM part",
    "SELECT a.k, a.h, a.n FROM t a JOIN t b ON a.k = b.k AND a.h = b.h WHERE a.n > -99",
]
UNBOUNDED = [
    "SELECT RANK() OVER (ORDER BY n) AS r FROM t",
    "SELECT SUM(n) AS s FROM t WHERE n > 5",
    "SELECT SUM(n) AS s FROM part",
    "SELECT COUNT(*) AS c FROM part",
    "SELECT SUM(n) AS s FROM (SELECT * FROM t ORDER BY n LIMIT 2) x",
    "SELECT DISTINCT n FROM t",
    "SELECT n > 5 AS big, SUM(m) AS s FROM t GROUP BY n > 5",
    "SELECT COUNT(n) AS c FROM t GROUP BY n > 5",
    "SELECT SUM(s) AS s FROM (SELECT k, SUM(n) AS s FROM t GROUP BY k HAVING SUM(n) > 9) x",
    "SELECT SUM(n) OVER (ORDER BY m) AS s FROM t",
    "SELECT CASE WHEN n > 5 THEN m END AS c FROM t",
    "SELECT SQRT(n) AS r, n % 2 AS e, MEDIAN(n) OVER () AS md FROM t",
    "SELECT SUM(DISTINCT n) AS s FROM t",
    "SELECT LAG(m, 1, n) OVER (ORDER BY k, h) AS l FROM t",
    "SELECT n, SUM(m) AS s FROM t GROUP BY ROLLUP (n)",
    "SELECT (SELECT SUM(x.n) FROM t x WHERE x.n > t.n) AS s FROM t",
]
STRANGE = [
    "SELECT k, n FROM t UNION SELECT k, m FROM t",
    "SELECT * FROM t JOIN u USING (k)",
    "SELECT * EXCLUDE (k) FROM t",
    "SELECT SUM(a.m) AS s FROM t a JOIN t b USING (k, n)",
    "SELECT SUM(a.m) AS s FROM t a NATURAL JOIN t b",
    'SELECT n, m AS "N low" FROM t',
    "SELECT y FROM t AS x(a, b, y, z)",
    "WITH s(a) AS (SELECT n FROM t) SELECT a FROM s",
    "SELECT n FROM t WHERE EXISTS (SELECT * FROM unknown)",
    "SELECT n FROM t SEMI JOIN u ON u.k = t.k",
]


def extend(sql: str) -> tuple[exp.Query, tuple[BoundedColumn, ...]]:
    tree = parse_one(sql, dialect="duckdb")
    assert isinstance(tree, exp.Query)
    return add_interval_columns(tree, TABLES)


def build_tables(random: Random) -> tuple[pa.Table, pa.Table, pa.Table]:
    """Exact cells, noisy cells with their ends, and a public table."""
    exact: dict[str, list[Any]] = {"k": [k for k, _ in KEYS], "h": [h for _, h in KEYS]}
    noisy = dict(exact)
    for name in ("n", "m"):
        exact[name] = [random.uniform(-5, 20) for _ in KEYS]
        noisy[name] = [value + random.uniform(-4, 4) for value in exact[name]]
        pairs = list(zip(exact[name], noisy[name], strict=True))
        noisy[f"{name} low"] = [min(pair) - random.random() for pair in pairs]
        noisy[f"{name} high"] = [max(pair) + random.random() for pair in pairs]
    exact["z"] = [float(random.choice([0, 1, 2])) for _ in KEYS]
    noisy["z"] = [float(random.choice([0, 1, 2])) for _ in KEYS]
    noisy["z low"], noisy["z high"] = [0.0 for _ in KEYS], [2.0 for _ in KEYS]
    for place in range(0, len(KEYS), 3):  # a value that cannot be 0
        exact["z"][place] = noisy["z"][place] = noisy["z low"][place] = 2.0
    if random.random() < 0.5:  # an interval that is not known
        noisy["m low"][0], noisy["m high"][0] = -math.inf, math.inf
    public = {"k": ["a", "b", "c", "d"], "w": [2.0, -1.0, 0.0, 0.5]}
    return pa.table(exact), pa.table(noisy), pa.table(public)


@pytest.fixture(scope="module")
def rounds() -> Iterator[list[tuple[Any, Any]]]:
    """Engines with exact and with noisy cells."""
    random, opened = Random("intervals"), []
    with duckdb.connect(config={"threads": 1, "default_null_order": "nulls_last"}) as db:
        for _ in range(4):
            exact, noisy, public = build_tables(random)
            both = (db.cursor(), db.cursor())
            for cursor, cells in zip(both, (exact, noisy), strict=True):
                for name, table in (("t", cells), ("part", cells), ("u", public)):
                    cursor.register(name, table)
            opened.append(both)
        yield opened


@pytest.mark.parametrize("sql", BOUNDED)
def test_exact_values_are_between_the_ends(sql: str, rounds: list[tuple[Any, Any]]) -> None:
    checked = 0
    extended, columns = extend(sql)
    keys = [place for place, column in enumerate(columns) if column.is_exact]
    bounded = [place for place, column in enumerate(columns) if column.has_ends]
    assert bounded
    for exact, noisy in rounds:
        found = {
            tuple(row[place] for place in keys): row[len(columns) :]
            for row in noisy.execute(extended.sql(dialect="duckdb")).fetchall()
        }
        for truth in exact.execute(sql).fetchall():
            ends = found[tuple(truth[place] for place in keys)]
            for low, high, place in zip(ends[::2], ends[1::2], bounded, strict=True):
                if truth[place] is not None and low is not None and high is not None:
                    assert low - 1e-9 <= truth[place] <= high + 1e-9
                    checked += math.isfinite(low) and math.isfinite(high)
    assert checked


@pytest.mark.parametrize("sql", UNBOUNDED)
def test_other_dependence_on_noise_has_no_ends(sql: str) -> None:
    _, columns = extend(sql)
    assert not any(column.has_ends or column.is_exact for column in columns)


@pytest.mark.parametrize("sql", STRANGE)
def test_forms_that_are_not_known_have_no_intervals(sql: str) -> None:
    with pytest.raises(NoIntervalsError):
        extend(sql)
