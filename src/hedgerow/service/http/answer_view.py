"""An answer as the pages show it: caveats, a table with intervals, a chart with error bars, and the
same question for other tools."""

from __future__ import annotations

import json
import math
import shlex
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date
from functools import partial
from typing import Any, Final
from urllib.parse import urlsplit

from hedgerow.answers.answer import Answer
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.render import AnswerColumn, build_answer_columns
from hedgerow.charts.plots import Bar, draw_bar_chart, draw_line_chart
from hedgerow.charts.svg import draw_for_screens
from hedgerow.database.uncharged.exact_table import ExactTable

__all__ = ["AnswerPage", "build_answer_page", "list_snippets"]

_MAX_CHARTS: Final = 3
_MAX_BARS: Final = 40
_LEAST_POINTS: Final = 8
_MAX_POINTS: Final = 400


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """The parts of an answer's page: caveats and price, charts, and the first rows as text."""

    columns: tuple[AnswerColumn, ...]
    rows: list[list[tuple[str, str]]]  # value and interval
    hidden_rows: int
    notes: tuple[str, ...]
    cost: str
    receipt: int | None
    is_free: bool
    charts: tuple[tuple[str, str], ...]  # caption and drawing


def build_answer_page(answer: Answer | ExactTable | PostprocessedAnswer) -> AnswerPage:
    """Build the parts of an answer's page."""
    columns = build_answer_columns(answer)
    cells = [
        list(zip(one.cells, one.interval_texts or [""] * len(one.cells), strict=True))
        for one in columns
    ]
    rows = [list(row) for row in zip(*cells, strict=True)]
    receipt = answer.receipt
    return AnswerPage(
        tuple(columns),
        rows,
        len(answer.rows) - len(rows),
        tuple(answer.notes),
        str(answer.cost),
        None if receipt is None else receipt.entry,
        receipt is None or receipt.reused,
        tuple(list_charts(answer)),
    )


def list_charts(
    answer: Answer | ExactTable | PostprocessedAnswer,
) -> Iterator[tuple[str, str]]:
    """Draw the first columns that have intervals, each against the keys: as a line where they are
    dates or many numbers, else as bars."""
    keys = [name for name in answer.columns if name in answer.keys]
    noisy = [name for name in answer.columns if name not in answer.keys]
    if isinstance(answer, ExactTable) or not answer.rows or (not keys and len(noisy) > 1):
        return
    is_line = len(keys) == 1 and _has_order([row[keys[0]] for row in answer.rows])
    most = _MAX_POINTS if is_line else _MAX_BARS
    drawn = 0
    for name in noisy:
        pairs = answer.interval(name, rows=most)
        bars = [
            (row, _build_bar(" · ".join(_format_key(row[key]) for key in keys), row[name], pair))
            for row, pair in zip(answer.rows, pairs, strict=False)
            if _is_number(row[name])
        ]
        if drawn == _MAX_CHARTS or not any(bar.low is not None for _, bar in bars):
            continue
        drawn += 1
        by = f" by {', '.join(keys)}" if keys else ""
        part = f" (the first {most} of {len(answer.rows):,} rows)" * (len(answer.rows) > most)
        caption = f"{name}{by}, with 95 % intervals{part}"
        if is_line:
            bars.sort(key=lambda pair: pair[0][keys[0]])
            few = len(bars) <= _MAX_BARS
            draw = partial(draw_line_chart, has_whiskers=few)
        else:
            draw = partial(draw_bar_chart)
        yield caption, draw_for_screens(partial(draw, [bar for _, bar in bars], caption))


def _has_order(values: Sequence[object]) -> bool:
    """Return whether the values of a key are dates, or many numbers."""
    if any(value is None for value in values) or len(values) < _LEAST_POINTS:
        return False
    return all(isinstance(value, date) or _is_number(value) for value in values)


def _is_number(value: object) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _format_key(value: object) -> str:
    if value is None:
        return "NULL"
    return str(value).lower() if isinstance(value, bool) else str(value)


def _build_bar(label: str, value: float, pair: Any) -> Bar:
    ends = [float(end) for end in pair] if pair is not None else []
    if len(ends) != 2 or not all(map(math.isfinite, ends)):
        return Bar(label, float(value))
    return Bar(label, float(value), ends[0], ends[1])


def list_snippets(
    address: str, pg_port: int, name: str, account: str, sql: str, epsilon: str
) -> list[tuple[str, str]]:
    """List the same question in Python, curl and psql."""
    body = {"sql": sql} | ({"epsilon": epsilon} if epsilon else {})
    setting = f"SET hedgerow.epsilon = {epsilon}" if epsilon else ""
    price = f", epsilon={epsilon!r}" if epsilon else ""
    host = urlsplit(address).hostname or ""
    return [
        (
            "Python",
            "import hedgerow as hr\n\n"
            f"db = hr.remote({address!r}, token=TOKEN)\n"
            f"db.query({sql!r}{price})",
        ),
        (
            "curl",
            'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n'
            f"  -d {shlex.quote(json.dumps(body))} {address}/api/v1/query",
        ),
        (
            "psql",
            f"PGPASSWORD=$TOKEN psql -h {host} -p {pg_port} -U {account} {name} \\\n"
            f"  -c {shlex.quote('; '.join(filter(None, (setting, sql))))}",
        ),
    ]
