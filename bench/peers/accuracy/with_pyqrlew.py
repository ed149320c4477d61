"""pyqrlew: a question is rewritten once into SQL that adds noise by itself, and run by DuckDB
for each run.
"""

from __future__ import annotations

from importlib.metadata import version

import duckdb
import sqlalchemy
from pyqrlew import Dataset, Dialect

VERSION = version("pyqrlew")


def _described(size, cell):
    """A table of as many empty rows in SQLite tells it columns and size; ranges and keys are
    declared.
    """
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    counted = (
        f"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {size}) SELECT"
        " i, 0.0, 0, 0 FROM c"
    )
    with engine.begin() as connection:
        connection.execute(
            sqlalchemy.text("CREATE TABLE data (who INTEGER, x FLOAT, g INTEGER, k INTEGER)")
        )
        connection.execute(sqlalchemy.text(f"INSERT INTO data {counted}"))
    dataset = Dataset.from_database("data", engine).with_range(
        None, "data", "x", cell["low"], cell["high"]
    )
    if cell["groups"]:
        return dataset.with_possible_values(
            None, "data", "g", [str(i) for i in range(cell["groups"])]
        )
    return dataset.with_range(None, "data", "k", 0.0, 2000.0)


def _asked(expression, key=None):
    def task(path, cell, epsilon, delta, runs):
        connection = duckdb.connect()
        g = "CAST(g AS VARCHAR) AS g" if cell["groups"] else "g"
        connection.execute(
            f"CREATE TABLE data AS SELECT who, x, {g}, k FROM read_parquet('{path}')"
        )
        dataset = _described(connection.execute("SELECT count(*) FROM data").fetchone()[0], cell)
        name = key or ("g" if cell["groups"] else None)
        sql = (
            f"SELECT {name}, {expression} AS v FROM data GROUP BY {name}"
            if name
            else f"SELECT {expression} AS v FROM data"
        )
        rewritten = dataset.relation(sql, Dialect.PostgreSql).rewrite_with_differential_privacy(
            dataset,
            [("data", [], "who")],
            {"epsilon": epsilon, "delta": delta},
            max_multiplicity=float(cell["max_groups"] * cell["max_rows"]),
            max_multiplicity_share=1.0,
            max_privacy_unit_groups=cell["max_groups"],
        )
        query = rewritten.relation().to_query(Dialect.PostgreSql)

        def once():
            found = connection.execute(query).fetchall()
            if key:
                return [len(found)]
            rows = sorted(found, key=lambda row: int(row[0])) if name else found
            return [float(value) for row in rows for value in row[1 if name else 0 :]]

        return lambda: [once() for _ in range(runs)]

    return task


count = _asked("COUNT(*)")
people = _asked("COUNT(DISTINCT who)")
distinct = _asked("COUNT(DISTINCT k)")
sum = _asked("SUM(x)")
mean = _asked("AVG(x)")
together = _asked("COUNT(*) AS n, AVG(x)")
variance = _asked("VARIANCE(x)")
deviation = _asked("STDDEV(x)")
keys = _asked("COUNT(*)", "k")


def quantile(path, cell, epsilon, delta, runs):
    raise NotImplementedError("has no quantiles")


quantiles = quantile
maximum = _asked("MAX(x)")
