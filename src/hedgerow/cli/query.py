"""The commands ``hedgerow query`` and ``hedgerow explain``."""

from __future__ import annotations

import csv
import sys
from datetime import date
from enum import StrEnum
from typing import Annotated, Any

import pyarrow as pa
import typer

import hedgerow
from hedgerow.answers.answer import Answer
from hedgerow.answers.explanation import Explanation
from hedgerow.answers.postprocessed_answer import PostprocessedAnswer
from hedgerow.answers.render import build_answer_table, format_answer_notes
from hedgerow.cli.options import DebugOption, JsonOption, PolicyFile, parse_number
from hedgerow.cli.terminal import make_output_console, print_json, print_lines, show_progress
from hedgerow.database.uncharged.exact_table import ExactTable
from hedgerow.errors import InvalidArgument

__all__ = ["explain_query", "run_query"]

SqlArgument = Annotated[
    str,
    typer.Argument(metavar="SQL", help="The question in SQL; - reads it from standard input."),
]
EpsilonOption = Annotated[
    str | None,
    typer.Option(metavar="E", help="The epsilon to spend. Default: default_epsilon of the policy."),
]
AnalystOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Who asks. The cost also counts against their quota."),
]
CustodianOption = Annotated[
    bool, typer.Option("--custodian", help="Ask as the custodian, who has no quota.")
]
DeltaOption = Annotated[
    str | None,
    typer.Option(
        metavar="D",
        help="The delta to spend, for groups whose values the policy does not list."
        " Default: default_delta of the policy.",
    ),
]

_MAX_WIDTH = 10_000  # columns; more than any table has


class OutputFormat(StrEnum):
    """The formats in which ``hedgerow query`` prints an answer."""

    table = "table"
    csv = "csv"
    arrow = "arrow"


def run_query(
    policy: PolicyFile,
    sql: SqlArgument,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    analyst: AnalystOption = None,
    custodian: CustodianOption = False,
    request: Annotated[
        str | None,
        typer.Option(
            metavar="KEY", help="A key of your choice. Repeating it never charges a second time."
        ),
    ] = None,
    format: Annotated[
        OutputFormat, typer.Option(help="The format of the answer.")
    ] = OutputFormat.table,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Ask a question in SQL and get a private answer.

    The cost is charged before any data are read. A question that was answered before is free.

    Example: hedgerow query clinic.toml "SELECT region, COUNT(*) FROM visits GROUP BY region"
    """
    if format is OutputFormat.arrow and not as_json and sys.stdout.isatty():
        raise InvalidArgument(
            "format", "must not be arrow in a terminal: it is binary. Add > answer.arrow"
        )
    privacy = _parse_privacy(epsilon, delta)
    text = _read_sql(sql)
    with show_progress("asking", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        _check_asker(analyst, custodian, [rule.name for rule in db.policy.analysts])
        answer = db.query(text, request=request, **privacy)
    if isinstance(answer, Explanation):
        _print_explanation(answer, as_json)
    elif as_json:
        print_json(answer.to_dict())
    elif format is OutputFormat.csv:
        _write_csv(answer)
    elif format is OutputFormat.arrow:
        _write_arrow(answer)
    else:
        _print_table(answer)
    return 0


def explain_query(
    policy: PolicyFile,
    sql: SqlArgument,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    error: Annotated[
        str | None,
        typer.Option(
            metavar="X", help="Find the epsilon that brings the expected error down to X."
        ),
    ] = None,
    analyst: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="Who would ask: a quota may be smaller than the budget."),
    ] = None,
    custodian: Annotated[
        bool, typer.Option("--custodian", help="The custodian would ask, who has no quota.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Show the cost and accuracy of a question, for free.

    No data are read and nothing is charged.

    Example: hedgerow explain clinic.toml "SELECT COUNT(*) FROM visits" --error 5
    """
    privacy, wanted = _parse_privacy(epsilon, delta), parse_number(error, "error")
    text = _read_sql(sql)
    _check_exclusive(analyst, custodian)
    with show_progress("reading", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        explanation = db.explain(text, error=wanted, **privacy)
    _print_explanation(explanation, as_json)
    return 0


def _parse_privacy(epsilon: str | None, delta: str | None) -> dict[str, Any]:
    return {
        "epsilon": parse_number(epsilon, "epsilon"),
        "delta": parse_number(delta, "delta"),
    }


def _check_exclusive(analyst: str | None, custodian: bool) -> None:
    if custodian and analyst is not None:
        raise InvalidArgument(
            "analyst", "cannot be combined with --custodian: leave one of them out", analyst
        )


def _check_asker(analyst: str | None, custodian: bool, declared: list[str]) -> None:
    """Refuse a question by nobody in particular where the policy declares analysts.

    Otherwise an analyst would become the custodian by leaving the option out.
    """
    _check_exclusive(analyst, custodian)
    if declared and analyst is None and not custodian:
        raise InvalidArgument(
            "analyst",
            f"is missing: say who asks with --analyst {' or '.join(declared)}, or with --custodian",
        )


def _print_explanation(explanation: Explanation, as_json: bool) -> None:
    if as_json:
        print_json(explanation.to_dict())
        return
    print_lines([repr(explanation)])
    print_lines(["Step by step:"], style="bold")
    print_lines(f"  {place}. {step}" for place, step in enumerate(explanation.steps, 1))


def _print_table(answer: Answer | ExactTable | PostprocessedAnswer) -> None:
    """Print a table that fits the terminal, or plain text.

    In a pipe or a narrow terminal a table would cut numbers off, and a cut number is a wrong one.
    """
    console = make_output_console()
    if isinstance(answer, Answer) and console.is_terminal:
        table = build_answer_table(answer)
        width = console.measure(table, options=console.options.update(width=_MAX_WIDTH)).maximum
        if width <= console.width:
            console.print(table)
            for line in format_answer_notes(answer):
                console.print(line, markup=False, soft_wrap=True, style="dim")
            return
    console.print(repr(answer), markup=False, soft_wrap=True)


def _read_sql(sql: str) -> str:
    return sys.stdin.read() if sql == "-" else sql


def _write_csv(answer: Answer | ExactTable | PostprocessedAnswer) -> None:
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


def _write_arrow(answer: Answer | ExactTable | PostprocessedAnswer) -> None:
    table = answer.to_arrow()
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)
