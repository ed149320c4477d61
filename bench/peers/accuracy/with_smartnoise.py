"""smartnoise-sql on DuckDB: exact numbers are taken once and handed to it again for each run, as it
offers; where caps bite, all is done anew, since it samples rows. It caps the rows of a person, not
the groups. Its epsilon is for each column; it gets what makes the price that it names itself the
one that was asked for."""

from __future__ import annotations

from importlib.metadata import version

import duckdb
from snsql import Privacy
from snsql.sql.private_reader import PrivateReader
from snsql.sql.reader.postgres import PostgresReader

VERSION = version("smartnoise-sql")


class DuckReader(PostgresReader):
    """Its reader for PostgreSQL, which has nearly the same SQL; DuckDB has nothing to commit and
    sorts by random numbers in a column only."""

    def execute(self, query, **options):  # noqa: ARG002 - it passes accuracy=False
        dealt = str(query).replace("SELECT who AS who", "SELECT random() AS dice, who AS who", 1)
        done = self.conn.execute(dealt.replace("RANDOM ( )", "dice"))
        return [tuple(column[0] for column in done.description), *done.fetchall()]


def _reader(path, cell, epsilon, delta, censor):
    connection = duckdb.connect()
    connection.execute(f"CREATE VIEW data AS SELECT * FROM read_parquet('{path}')")
    columns = {
        "who": {"type": "int", "private_id": True},
        "g": {"type": "int"},
        "k": {"type": "int"},
        "x": {"type": "float", "lower": cell["low"], "upper": cell["high"]},
    }
    table = {
        "max_ids": cell["max_groups"] * cell["max_rows"],
        "sample_max_ids": True,
        "censor_dims": censor,
        "clamp_counts": False,
        **columns,
    }
    return PrivateReader(
        DuckReader(conn=connection),
        {"": {"main": {"data": table}}},
        privacy=Privacy(epsilon=epsilon, delta=delta),
    )


def _ask(expression, key=None):
    def task(path, cell, epsilon, delta, runs):
        name = key or ("g" if cell["groups"] else None)
        sql = (
            f"SELECT {name}, {expression} AS v FROM main.data GROUP BY {name}"
            if name
            else f"SELECT {expression} AS v FROM main.data"
        )
        first = _reader(path, cell, epsilon, delta, key is not None)
        asked = first.get_privacy_cost(sql)[0]
        reader = _reader(path, cell, epsilon * epsilon / asked, delta, key is not None)
        if cell["biting"]:
            skipped = 1 if name else 0
            return lambda: [_numbers(reader.execute(sql), skipped) for _ in range(runs)]
        subquery, _ = reader._rewrite(sql)
        names, *rows = reader.reader.execute(subquery)
        rows.sort()

        def work():
            found = list(reader.execute(sql, pre_aggregated=[names, *rows * runs]))[1:]
            if key:
                return [[len(found) / runs]] * runs
            values = [float(row[-1]) for row in found]
            return (
                [values[i::runs] for i in range(runs)]
                if name is None
                else [values[i : i + len(rows)] for i in range(0, len(values), len(rows))]
            )

        return work

    return task


def _numbers(answer, skipped):
    """The rows by group, without the group."""
    return [float(value) for row in sorted(list(answer)[1:]) for value in row[skipped:]]


count = _ask("COUNT(*)")
people = _ask("COUNT(DISTINCT who)")
sum = _ask("SUM(x)")
mean = _ask("AVG(x)")
together = _ask("COUNT(*) AS n, AVG(x)")
variance = _ask("VAR(x)")
deviation = _ask("STDDEV(x)")
keys = _ask("COUNT(*)", "k")


def _cannot(reason):
    def task(path, cell, epsilon, delta, runs):
        raise NotImplementedError(reason)

    return task


distinct = _ask("COUNT(DISTINCT k)")
quantile = quantiles = _cannot("has no quantiles")
maximum = _ask("MAX(x)")
