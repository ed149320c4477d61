"""smartnoise-sql on DuckDB. It caps the rows of a person, not the groups, and spends epsilon
anew on each of four inner columns.
"""

from __future__ import annotations

from importlib.metadata import version

import duckdb
from snsql import Privacy
from snsql.sql.private_reader import PrivateReader
from snsql.sql.reader.postgres import PostgresReader

VERSION = version("smartnoise-sql")
QUESTION = (
    "SELECT grp, COUNT(*) AS n, SUM(value) AS total, AVG(value) AS mean FROM main.events GROUP"
    " BY grp"
)


class DuckReader(PostgresReader):
    """Its reader for PostgreSQL, which has nearly the same SQL; DuckDB has nothing to commit and
    does not sort by random().
    """

    def execute(self, query, **options):  # noqa: ARG002 - it passes accuracy=False
        done = self.conn.execute(str(query).replace("RANDOM ( )", "hash ( grp , value )"))
        return [tuple(column[0] for column in done.description), *done.fetchall()]


def grouped(path, groups, rows, epsilon, delta):
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW events AS SELECT * FROM read_parquet('{path}')")
    columns = {
        "user_id": {"type": "int", "private_id": True},
        "grp": {"type": "int", "lower": 1, "upper": 1000},
        "value": {"type": "float", "lower": 0.0, "upper": 100.0},
    }
    table = {"max_ids": groups * rows, "sample_max_ids": True, "censor_dims": True, **columns}
    privacy = Privacy(epsilon=epsilon / 4, delta=delta)
    reader = PrivateReader(
        DuckReader(conn=connection), {"": {"main": {"events": table}}}, privacy=privacy
    )

    def work():
        answer = reader.execute(QUESTION)
        return {"groups": len(answer) - 1}

    return work
