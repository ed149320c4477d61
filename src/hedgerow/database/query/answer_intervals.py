"""The intervals of SQL over noisy answers: the same SQL on the answers with the ends of their
intervals, all of which hold together."""

from __future__ import annotations

import math
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any, Final

from sqlglot import exp

from hedgerow.answers.answer import Answer
from hedgerow.answers.estimates.estimate import Interval
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.database.query.answer_tables import AnswerTables
from hedgerow.errors import Refused, SourceError
from hedgerow.plan.values import Type
from hedgerow.sql.postprocessing.bounded_relations import (
    BoundedColumn,
    BoundedRelation,
    NoIntervalsError,
)
from hedgerow.sql.postprocessing.interval_columns import add_interval_columns
from hedgerow.sql.public_tables.statement import PublicQuery, read_public_tree

__all__ = ["answer_with_intervals"]

_OUTSIDE: Final = Fraction(1, 20)  # the failures that all cells share


def answer_with_intervals(
    tables: AnswerTables, tree: exp.Query, query: PublicQuery, answers: Mapping[str, Answer]
) -> PostprocessedAnswer:
    """Run SQL over answers, given by the names of their tables, and over the ends of their
    intervals, where that has a meaning."""
    found = None
    try:
        extended, columns = add_interval_columns(tree, _list_relations(tables, answers))
        if any(column.has_ends for column in columns):
            wide = _add_ends(tables, answers)
            table = wide.run_query(read_public_tree(tables.heading, extended, wide.catalog))
            found = _build_answer(table.types, table.rows, columns, tuple(answers.values()))
    except (NoIntervalsError, Refused, SourceError):
        pass  # only the intervals are in question
    if found is not None:
        return found
    plain = tables.run_query(query)
    return PostprocessedAnswer(plain.types, plain.rows, tuple(answers.values()))


def _list_relations(
    tables: AnswerTables, answers: Mapping[str, Answer]
) -> dict[str, BoundedRelation]:
    """Return what is known of the columns of each table. Of undeclared groups, noise has chosen
    those that are shown."""
    found: dict[str, BoundedRelation] = {}
    for name, entry in tables.catalog.tables.items():
        answer = answers.get(name)
        columns = tuple(
            BoundedColumn(
                column.name,
                answer is None or column.name in answer.keys,
                answer is not None and column.name not in answer.keys,
            )
            for column in entry.columns
        )
        found[name.casefold()] = BoundedRelation(columns, answer is None or answer.has_all_groups)
    return found


def _add_ends(tables: AnswerTables, answers: Mapping[str, Answer]) -> AnswerTables:
    """Return the tables with the ends of each noisy column; all intervals hold together."""
    noisy = [
        (name, column, answer)
        for name, answer in answers.items()
        for column in answer.columns
        if column not in answer.keys
    ]
    cells = sum(len(answer.rows) for _, _, answer in noisy)
    level = 1 - _OUTSIDE / max(cells, 1)
    wide = replace(tables, frames=dict(tables.frames))
    for name, answer in answers.items():
        called = {column.casefold() for column in answer.columns}
        if any(f"{column} {end}" in called for column in called for end in ("low", "high")):
            raise NoIntervalsError
        types: dict[str, Type] = {
            column.name: column.type for column in tables.catalog.tables[name].columns
        }
        rows = [dict(row) for row in answer.rows]
        for _, column, _ in (one for one in noisy if one[0] == name):
            types |= {f"{column} low": "real", f"{column} high": "real"}
            pairs = zip(rows, answer.interval(column, level), strict=True)
            for row, interval in pairs:
                # Noise may be the reason why a value is missing, so its ends are not NULL.
                low, high = -math.inf, math.inf
                if interval is not None and row[column] is not None:
                    low, high = _round_out(interval)
                row[f"{column} low"], row[f"{column} high"] = low, high
        wide.add_rows(name, types, rows)
    return wide


def _round_out(interval: tuple[Any, Any]) -> tuple[float, float]:
    """Return an interval of doubles that holds another one; ends that are no numbers are far."""
    if not all(isinstance(end, int | float | Fraction) for end in interval):
        return -math.inf, math.inf
    low, high = map(float, interval)
    return (
        low if low <= interval[0] else math.nextafter(low, -math.inf),
        high if high >= interval[1] else math.nextafter(high, math.inf),
    )


def _build_answer(
    types: Mapping[str, Type],
    rows: list[dict[str, Any]],
    columns: tuple[BoundedColumn, ...],
    pieces: tuple[Answer, ...],
) -> PostprocessedAnswer:
    """Build the answer from a table with two columns behind the others for each with ends."""
    names = list(types)
    shown, added = names[: len(columns)], iter(names[len(columns) :])
    intervals: dict[str, list[Interval]] = {}
    for name, column in zip(shown, columns, strict=True):
        if column.has_ends:
            low, high = next(added), next(added)
            intervals[name] = [
                _read_interval(row[name], row[low], row[high], types[name]) for row in rows
            ]
    exact = frozenset(name for name, one in zip(shown, columns, strict=True) if one.is_exact)
    plain = [{name: row[name] for name in shown} for row in rows]
    return PostprocessedAnswer(
        {name: types[name] for name in shown}, plain, pieces, intervals, exact
    )


def _read_interval(value: Any, low: Any, high: Any, type_: Type) -> Interval:
    """Return the interval around a value; None unless its ends are finite."""
    numbers = (value, low, high)
    if not all(isinstance(one, int | float) and math.isfinite(one) for one in numbers):
        return None
    ends = (math.floor(low), math.ceil(high)) if type_ == "integer" else (float(low), float(high))
    return min(ends[0], value), max(ends[1], value)
