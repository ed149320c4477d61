"""Expressions computed by a real server, over a row that the optimizer cannot fold."""

from __future__ import annotations

from typing import Any

import psycopg
from sqlglot import exp

from hedgerow.engines.compile.sql_builders import select
from hedgerow.engines.compile.sql_writer import render_sql
from hedgerow.engines.postgresql.dialect import POSTGRESQL


def given_values(*values: exp.Expr) -> exp.Select:
    """A row of values that the optimizer cannot fold."""
    return select(
        [(f"x{place}", value) for place, value in enumerate(values)],
        exp.Table(this=exp.to_identifier("pg_am", quoted=True)),
    ).limit(1)


def compute(connection: psycopg.Connection[Any], value: exp.Expr, *given: exp.Expr) -> Any:
    """The value of an expression over the columns x0, x1, … of one row."""
    tree = select([("v", value)], given_values(*given))
    row = connection.execute(render_sql(tree, POSTGRESQL)).fetchone()
    assert row is not None
    return row[0]


def x(place: int = 0) -> exp.Expr:
    return exp.Column(this=exp.to_identifier(f"x{place}", quoted=True))
