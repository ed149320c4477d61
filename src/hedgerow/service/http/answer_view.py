"""An answer as the pages show it: caveats, a table with intervals, a chart with error bars, and the
same question for other tools."""

from __future__ import annotations

import json
import math
import shlex
from dataclasses import dataclass
from typing import Any, Final

from hedgerow.answers.answer import Answer
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.render import build_answer_columns
from hedgerow.charts.plots import Bar, draw_bar_chart
from hedgerow.database.uncharged.exact_table import ExactTable

__all__ = ["AnswerPage", "build_answer_page", "list_snippets"]

_MAX_BARS: Final = 40


@dataclass(frozen=True, slots=True)
class AnswerPage:
    """The parts of an answer's page."""

    columns: tuple[str, ...]
    rows: list[list[tuple[str, str]]]  # value and interval
    hidden_rows: int
    notes: tuple[str, ...]
    cost: str
    receipt: int | None
    is_free: bool
    chart: str


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
        tuple(answer.columns),
        rows,
        len(answer.rows) - len(rows),
        tuple(answer.notes),
        str(answer.cost),
        None if receipt is None else receipt.entry,
        receipt is None or receipt.reused,
        draw_answer(answer),
    )


def draw_answer(answer: Answer | ExactTable | PostprocessedAnswer) -> str:
    """Draw the first column with intervals as bars, labelled by the keys; "" without one."""
    keys = [name for name in answer.columns if name in answer.keys]
    drawn = next((name for name in answer.columns if name not in answer.keys), None)
    if drawn is None or not keys or not answer.rows or isinstance(answer, ExactTable):
        return ""
    pairs = answer.interval(drawn, rows=_MAX_BARS)
    bars = [
        _build_bar(" · ".join(str(row[key]) for key in keys), row[drawn], pair)
        for row, pair in zip(answer.rows, pairs, strict=False)
        if isinstance(row[drawn], int | float) and math.isfinite(row[drawn])
    ]
    return draw_bar_chart(bars, f"{drawn} with 95 % intervals") if bars else ""


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
    first = f"    connection.execute({setting!r})\n" if epsilon else ""
    host = address.split("//")[1].rsplit(":", 1)[0]
    return [
        (
            "Python",
            f"import psycopg\n\nwith psycopg.connect(\n"
            f'    "host={host} port={pg_port} user={account} dbname={name}", password=TOKEN\n'
            f") as connection:\n{first}    rows = connection.execute({sql!r}).fetchall()",
        ),
        (
            "curl",
            f'curl -H "Authorization: Bearer $TOKEN" -H "Content-Type: application/json" \\\n'
            f"  -d {shlex.quote(json.dumps(body))} {address}/api/v1/query",
        ),
        (
            "psql",
            f"PGPASSWORD=$TOKEN psql -h {host} -p {pg_port} -U {account} {name} \\\n"
            f"  -c {shlex.quote('; '.join(filter(None, (setting, sql))))}",
        ),
    ]
