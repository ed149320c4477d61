"""Answers and explanations on standard output: tables, CSV and Arrow."""

from __future__ import annotations

import csv
import sys
from datetime import date
from typing import Any

import pyarrow as pa
from rich.console import Console
from rich.table import Table

from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.render import (
    build_answer_table,
    format_answer_notes,
    format_answer_warnings,
    render_answer_text,
)
from hedgerow.cli.terminal import make_output_console, print_json, print_lines
from hedgerow.database.uncharged.exact_table import ExactTable

__all__ = ["list_warnings", "print_answer", "print_explanation", "write_arrow", "write_csv"]

_MAX_WIDTH = 10_000  # columns; more than any table has


def print_explanation(explanation: Explanation, as_json: bool) -> None:
    """Print an explanation with its steps, or as JSON."""
    if as_json:
        print_json(explanation.to_dict())
        return
    print_lines([repr(explanation)])
    print_lines(["Step by step:"], style="bold")
    print_lines(f"  {place}. {step}" for place, step in enumerate(explanation.steps, 1))


def print_answer(
    answer: Answer | ExactTable | PostprocessedAnswer, *, intervals: bool = True
) -> None:
    """Print a table that fits the terminal, or several, each with the keys; in a pipe, plain text.

    A table that is too wide would cut numbers off, and a cut number is a wrong one.
    """
    console = make_output_console()
    if isinstance(answer, ExactTable):
        console.print(repr(answer), markup=False, soft_wrap=True)
        return
    tables = _build_tables(console, answer, intervals) if console.is_terminal else []
    if tables:
        print_lines(format_answer_warnings(answer), style="bold yellow")
        for table in tables:
            console.print(table)
        print_lines(format_answer_notes(answer), style="dim")
        return
    text = render_answer_text(answer, intervals=intervals)
    console.print(text, markup=False, soft_wrap=True)


def _build_tables(
    console: Console, answer: Answer | PostprocessedAnswer, intervals: bool
) -> list[Table]:
    """Build as few tables as fit the terminal; none where a single column does not."""
    unlimited = console.options.update(width=_MAX_WIDTH)
    keys = [name for name in answer.columns if name in answer.keys]
    rest = [name for name in answer.columns if name not in answer.keys]
    tables: list[Table] = []
    while rest or not tables:
        for count in range(max(len(rest), 1), 0, -1):
            names = [*keys, *rest[:count]]
            table = build_answer_table(answer, intervals=intervals, names=names)
            if console.measure(table, options=unlimited).maximum <= console.width:
                break
        else:
            return []
        tables.append(table)
        rest = rest[count:]
    return tables


def list_warnings(answer: Answer | ExactTable | PostprocessedAnswer) -> list[str]:
    """List the warnings of an answer; an exact table has none."""
    return [] if isinstance(answer, ExactTable) else format_answer_warnings(answer)


def write_csv(answer: Answer | ExactTable | PostprocessedAnswer) -> None:
    """Write the rows of an answer as CSV."""
    writer = csv.writer(sys.stdout, lineterminator="\n")
    writer.writerow(answer.columns)
    writer.writerows(
        [_format_csv_cell(row[name]) for name in answer.columns] for row in answer.rows
    )


def _format_csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else value


def write_arrow(answer: Answer | ExactTable | PostprocessedAnswer) -> None:
    """Write the rows of an answer as an Arrow stream."""
    table = answer.to_arrow()
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)
