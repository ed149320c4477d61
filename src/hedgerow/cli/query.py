"""``hedgerow query`` and ``hedgerow explain``: ask, or hear what asking would cost."""

from __future__ import annotations

import csv
import sys
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    parse_number,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.answers.answer import Answer
    from hedgerow.answers.explanation import Explanation
    from hedgerow.database.uncharged.exact_table import ExactTable

__all__ = ["explain_query", "run_query"]

PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file.")]
SqlArgument = Annotated[
    str, typer.Argument(metavar="SQL", help="The question; - reads it from standard input.")
]
EpsilonOption = Annotated[
    str | None, typer.Option(help="What the question may cost; the policy has a default.")
]
AnalystOption = Annotated[str | None, typer.Option(help="Who asks; their quota pays as well.")]
CustodianOption = Annotated[
    bool, typer.Option("--custodian", help="The custodian asks, without a quota.")
]
DeltaOption = Annotated[
    str | None, typer.Option(help="For keys that are not declared; the policy has a default.")
]

_MAX_WIDTH = 10_000  # columns; more than any table has


class OutputFormat(StrEnum):
    """How an answer is printed."""

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
        str | None, typer.Option(help="A key of your own: the same key again is charged once.")
    ] = None,
    format: Annotated[
        OutputFormat, typer.Option(help="How to print the answer.")
    ] = OutputFormat.table,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Ask a question of a protected database. Every answer is paid for before the data are
    touched.
    """
    import hedgerow
    from hedgerow.answers.explanation import Explanation

    if format is OutputFormat.arrow and not as_json and sys.stdout.isatty():
        raise InvalidArgument(
            "format", "must not be arrow in a terminal: it is binary. Add > answer.arrow"
        )
    text, price, chance = (
        _read_sql(sql),
        parse_number(epsilon, "epsilon"),
        parse_number(delta, "delta"),
    )
    with show_progress("asking", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        _check_asker(analyst, custodian, [rule.name for rule in db.policy.analysts])
        answer = db.query(text, epsilon=price, delta=chance, request=request)
    if isinstance(answer, Explanation):
        _print_explanation(answer, as_json)
    elif as_json:
        print_json(answer.to_dict())
    elif format is OutputFormat.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows(
            [_format_csv_cell(row[name]) for name in answer.columns] for row in answer.rows
        )
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
        str | None, typer.Option(help="The expected error you want: says which epsilon that takes.")
    ] = None,
    analyst: Annotated[
        str | None,
        typer.Option(help="Who would ask, as for query: a quota may cover less than the budget."),
    ] = None,
    custodian: Annotated[
        bool, typer.Option("--custodian", help="The custodian would ask, as for query.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Say what a question would cost and how good its answer would be. Touches no data and costs
    nothing.
    """
    import hedgerow

    text, price, chance, off = (
        _read_sql(sql),
        parse_number(epsilon, "epsilon"),
        parse_number(delta, "delta"),
        parse_number(error, "error"),
    )
    _check_exclusive(analyst, custodian)
    with show_progress("reading", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        explanation = db.explain(text, epsilon=price, delta=chance, error=off)
    _print_explanation(explanation, as_json)
    return 0


def _check_exclusive(analyst: str | None, custodian: bool) -> None:
    if custodian and analyst is not None:
        raise InvalidArgument("analyst", "and --custodian cannot both be given", analyst)


def _check_asker(analyst: str | None, custodian: bool, declared: list[str]) -> None:
    """Where analysts are declared, nobody becomes the custodian by saying nothing."""
    _check_exclusive(analyst, custodian)
    if declared and analyst is None and not custodian:
        raise InvalidArgument(
            "analyst",
            f"is missing: say who asks, --analyst {' or '.join(declared)}, or --custodian without a"
            " quota",
        )


def _print_explanation(explanation: Explanation, as_json: bool) -> None:
    if as_json:
        print_json(explanation.to_dict())
    else:
        console = make_output_console()
        console.print(repr(explanation), markup=False, soft_wrap=True)
        console.print("Step by step:", style="bold")
        for place, step in enumerate(explanation.steps, 1):
            console.print(f"  {place}. {step}", markup=False, soft_wrap=True)


def _print_table(answer: Answer | ExactTable) -> None:
    """As wide as the terminal if it fits; else, and in a pipe, as wide as it is: a number that
    is cut off is a wrong number.
    """
    from hedgerow.answers.answer import Answer
    from hedgerow.answers.render import build_answer_table, format_answer_notes

    if not isinstance(answer, Answer):
        make_output_console().print(repr(answer), markup=False, soft_wrap=True)
        return
    console, table = make_output_console(), build_answer_table(answer)
    whole = console.measure(table, options=console.options.update(width=_MAX_WIDTH)).maximum
    if not console.is_terminal or whole > console.width:
        console.print(repr(answer), markup=False, soft_wrap=True)
        return
    console.print(table)
    for line in format_answer_notes(answer):
        console.print(line, markup=False, soft_wrap=True, style="dim")


def _read_sql(sql: str) -> str:
    return sys.stdin.read() if sql == "-" else sql


def _format_csv_cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else value


def _write_arrow(answer: Answer | ExactTable) -> None:
    import pyarrow as pa

    table = answer.to_arrow()
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)
