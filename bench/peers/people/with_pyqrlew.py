"""pyqrlew: rewrites a question into SQL that bounds and adds noise by itself, here run by
DuckDB.
"""

from __future__ import annotations

from importlib.metadata import version

import duckdb
import sqlalchemy
from pyqrlew import Dataset, Dialect

VERSION = version("pyqrlew")
QUESTION = (
    "SELECT grp, COUNT(*) AS n, SUM(value) AS total, AVG(value) AS mean FROM events GROUP BY grp"
)


def _described(size):
    """A table of as many empty rows in SQLite tells it columns and size (told no size, it clips
    everything to 0); ranges are declared.
    """
    engine = sqlalchemy.create_engine("sqlite://", poolclass=sqlalchemy.pool.StaticPool)
    counted = (
        f"WITH RECURSIVE c(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM c WHERE i < {size}) SELECT"
        " i, 1, 0.0 FROM c"
    )
    with engine.begin() as connection:
        connection.execute(
            sqlalchemy.text("CREATE TABLE events (user_id INTEGER, grp INTEGER, value FLOAT)")
        )
        connection.execute(sqlalchemy.text(f"INSERT INTO events {counted}"))
    dataset = Dataset.from_database("events", engine)
    dataset = dataset.with_range(None, "events", "value", 0.0, 100.0)
    return dataset.with_range(None, "events", "grp", 1.0, 1000.0)


def grouped(path, groups, rows, epsilon, delta):
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW events AS SELECT * FROM read_parquet('{path}')")
    dataset = _described(connection.execute("SELECT count(*) FROM events").fetchone()[0])

    def work():
        rewritten = dataset.relation(
            QUESTION, Dialect.PostgreSql
        ).rewrite_with_differential_privacy(
            dataset,
            [("events", [], "user_id")],
            {"epsilon": epsilon, "delta": delta},
            max_multiplicity=float(groups * rows),
            max_multiplicity_share=1.0,
            max_privacy_unit_groups=groups,
        )
        answer = connection.execute(rewritten.relation().to_query(Dialect.PostgreSql)).fetchall()
        return {"groups": len(answer)}

    return work
