"""The commands ``hedgerow query`` and ``hedgerow explain``."""

from __future__ import annotations

import sys
from enum import StrEnum
from typing import Annotated

import typer

import hedgerow
from hedgerow.answers.explanation import Explanation
from hedgerow.cli.answer_output import (
    list_warnings,
    print_answer,
    print_explanation,
    write_arrow,
    write_csv,
)
from hedgerow.cli.options import (
    AnalystOption,
    CustodianOption,
    DebugOption,
    DeltaOption,
    EpsilonOption,
    JsonOption,
    PolicyFile,
    check_asker,
    check_exclusive,
    parse_number,
    parse_privacy,
)
from hedgerow.cli.terminal import print_json, print_warning, show_progress
from hedgerow.errors import InvalidArgument

__all__ = ["explain_query", "run_query"]

SqlArgument = Annotated[
    str,
    typer.Argument(metavar="SQL", help="The question in SQL; - reads it from standard input."),
]


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
    privacy = parse_privacy(epsilon, delta)
    text = _read_sql(sql)
    with show_progress("asking", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        check_asker(analyst, custodian, [rule.name for rule in db.policy.analysts])
        answer = db.query(text, request=request, **privacy)
    if isinstance(answer, Explanation):
        print_explanation(answer, as_json)
    elif as_json:
        print_json(answer.to_dict())
    elif format is OutputFormat.table:
        print_answer(answer)
    else:
        # A file of numbers has no room for warnings.
        for warning in list_warnings(answer):
            print_warning(warning)
        write = write_csv if format is OutputFormat.csv else write_arrow
        write(answer)
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
    privacy, wanted = parse_privacy(epsilon, delta), parse_number(error, "error")
    text = _read_sql(sql)
    check_exclusive(analyst, custodian)
    with show_progress("reading", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        explanation = db.explain(text, error=wanted, **privacy)
    print_explanation(explanation, as_json)
    return 0


def _read_sql(sql: str) -> str:
    return sys.stdin.read() if sql == "-" else sql
