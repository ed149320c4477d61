"""``hedgerow query`` and ``hedgerow explain``: ask, or hear what asking would cost."""

from __future__ import annotations

import csv
import sys
from datetime import date
from enum import StrEnum
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.terminal import Debug, Json, number, output, print_json, working
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.answers.answer import Answer
    from hedgerow.answers.explanation import Explanation
    from hedgerow.database.listing import Listing

__all__ = ["explain", "query"]

Policy = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file.")]
Sql = Annotated[str, typer.Argument(metavar="SQL", help="The question; - reads it from standard input.")]
Epsilon = Annotated[str | None, typer.Option(help="What the question may cost; the policy has a default.")]
Analyst = Annotated[str | None, typer.Option(help="Who asks; their quota pays as well.")]
Custodian = Annotated[bool, typer.Option("--custodian", help="The custodian asks, without a quota.")]
Delta = Annotated[str | None, typer.Option(help="For keys that are not declared; the policy has a default.")]

_WIDEST = 10_000  # columns; more than any table has


class Format(StrEnum):
    """How an answer is printed."""

    table = "table"
    csv = "csv"
    arrow = "arrow"


def query(
    policy: Policy,
    sql: Sql,
    epsilon: Epsilon = None,
    delta: Delta = None,
    analyst: Analyst = None,
    custodian: Custodian = False,
    request: Annotated[str | None, typer.Option(help="A key of your own: the same key again is charged once.")] = None,
    format: Annotated[Format, typer.Option(help="How to print the answer.")] = Format.table,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Ask a question of a protected database. Every answer is paid for before the data are touched."""
    import hedgerow
    from hedgerow.answers.explanation import Explanation

    if format is Format.arrow and not as_json and sys.stdout.isatty():
        raise InvalidArgument("format", "must not be arrow in a terminal: it is binary. Add > answer.arrow")
    text, price, chance = _text(sql), number(epsilon, "epsilon"), number(delta, "delta")
    with working("asking", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        _check_who(analyst, custodian, [rule.name for rule in db.policy.analysts])
        answer = db.query(text, epsilon=price, delta=chance, request=request)
    if isinstance(answer, Explanation):
        _explained(answer, as_json)
    elif as_json:
        print_json(answer.to_dict())
    elif format is Format.csv:
        writer = csv.writer(sys.stdout, lineterminator="\n")
        writer.writerow(answer.columns)
        writer.writerows([_cell(row[name]) for name in answer.columns] for row in answer.rows)
    elif format is Format.arrow:
        _arrow(answer)
    else:
        _table(answer)
    return 0


def explain(
    policy: Policy,
    sql: Sql,
    epsilon: Epsilon = None,
    delta: Delta = None,
    error: Annotated[str | None, typer.Option(help="The expected error you want: says which epsilon that takes.")] = None,
    analyst: Annotated[str | None, typer.Option(help="Who would ask, as for query: a quota may cover less than the budget.")] = None,
    custodian: Annotated[bool, typer.Option("--custodian", help="The custodian would ask, as for query.")] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Say what a question would cost and how good its answer would be. Touches no data and costs nothing."""
    import hedgerow

    text, price, chance, off = _text(sql), number(epsilon, "epsilon"), number(delta, "delta"), number(error, "error")
    _check_one(analyst, custodian)
    with working("reading", quiet=as_json), hedgerow.open(policy, analyst=analyst) as db:
        explanation = db.explain(text, epsilon=price, delta=chance, error=off)
    _explained(explanation, as_json)
    return 0


def _check_one(analyst: str | None, custodian: bool) -> None:
    if custodian and analyst is not None:
        raise InvalidArgument("analyst", "and --custodian cannot both be given", analyst)


def _check_who(analyst: str | None, custodian: bool, declared: list[str]) -> None:
    """Where analysts are declared, nobody becomes the custodian by saying nothing."""
    _check_one(analyst, custodian)
    if declared and analyst is None and not custodian:
        raise InvalidArgument("analyst", f"is missing: say who asks, --analyst {' or '.join(declared)}, or --custodian without a quota")


def _explained(explanation: Explanation, as_json: bool) -> None:
    if as_json:
        print_json(explanation.to_dict())
    else:
        console = output()
        console.print(repr(explanation), markup=False, soft_wrap=True)
        console.print("Step by step:", style="bold")
        for place, step in enumerate(explanation.steps, 1):
            console.print(f"  {place}. {step}", markup=False, soft_wrap=True)


def _table(answer: Answer | Listing) -> None:
    """As wide as the terminal if it fits; else, and in a pipe, as wide as it is: a number that is cut off is a wrong number."""
    from hedgerow.answers.answer import Answer
    from hedgerow.answers.show import answer_notes, answer_table

    if not isinstance(answer, Answer):
        output().print(repr(answer), markup=False, soft_wrap=True)
        return
    console, table = output(), answer_table(answer)
    whole = console.measure(table, options=console.options.update(width=_WIDEST)).maximum
    if not console.is_terminal or whole > console.width:
        console.print(repr(answer), markup=False, soft_wrap=True)
        return
    console.print(table)
    for line in answer_notes(answer):
        console.print(line, markup=False, soft_wrap=True, style="dim")


def _text(sql: str) -> str:
    return sys.stdin.read() if sql == "-" else sql


def _cell(value: Any) -> Any:
    if value is None:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    return value.isoformat() if isinstance(value, date) else value


def _arrow(answer: Answer | Listing) -> None:
    import pyarrow as pa

    table = answer.to_arrow()
    with pa.ipc.new_stream(sys.stdout.buffer, table.schema) as stream:
        stream.write_table(table)
