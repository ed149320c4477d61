"""The custodian's exact tools: ``hedgerow caps`` and ``hedgerow compare``. Their output is
sensitive."""

from __future__ import annotations

import sys
from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import Annotated, Final

import typer

from hedgerow import database
from hedgerow.answers.unit_noun import name_unit
from hedgerow.charts.number_text import format_size
from hedgerow.cli.options import DebugOption, EpsilonOption, JsonOption, PolicyFile, parse_number
from hedgerow.cli.terminal import print_json, print_lines, show_progress
from hedgerow.database import Database
from hedgerow.database.exact_tools import (
    OUTSIDE_NOTE,
    CapEffect,
    ComparedValue,
    compare_answer,
    report_caps,
)
from hedgerow.errors import InvalidArgument

__all__ = ["compare_with_exact", "show_caps"]

SensitiveOption = Annotated[
    bool,
    typer.Option("--yes-sensitive", help="Write exact numbers to a file or a pipe, too."),
]
SENSITIVE: Final = (
    "SENSITIVE: exact numbers about the data, with no protection. Do not pass them on."
)


def show_caps(
    policy: PolicyFile,
    yes_sensitive: SensitiveOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Show exactly what each candidate for a cap keeps and cuts.

    For the custodian: the numbers are exact and protected by nothing. The ledger records that they
    were looked at. A cap that is chosen by them is outside the guarantee.
    """
    _check_output(yes_sensitive)
    with show_progress("counting", quiet=as_json), database.open(policy) as db:
        effects = report_caps(db)
        if as_json:
            report = [effect.to_dict() for effect in effects]
            print_json({"sensitive": SENSITIVE, "note": OUTSIDE_NOTE, "caps": report})
            return 0
        lines = list(_format_effects(db, effects))
    print_lines([SENSITIVE], style="bold red")
    print_lines([OUTSIDE_NOTE, *lines])
    return 0


def compare_with_exact(
    policy: PolicyFile,
    sql: Annotated[str, typer.Argument(metavar="SQL", help="The question in SQL.")],
    epsilon: EpsilonOption = None,
    yes_sensitive: SensitiveOption = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Show an answer beside its exact value, and how much of the error is noise or clipping.

    For the custodian: the numbers are exact and protected by nothing. Nothing is charged, and the
    noise is drawn for this look alone. The ledger records who looked, and a digest of the SQL.
    """
    _check_output(yes_sensitive)
    with show_progress("comparing", quiet=as_json), database.open(policy) as db:
        values = compare_answer(db, sql, parse_number(epsilon, "epsilon"))
    if as_json:
        print_json({"sensitive": SENSITIVE, "values": [value.to_dict() for value in values]})
        return 0
    print_lines([SENSITIVE], style="bold red")
    print_lines(_format_values(values))
    return 0


def _check_output(yes_sensitive: bool) -> None:
    """Refuse to write exact numbers where they would be kept, before they are read."""
    if not yes_sensitive and not sys.stdout.isatty():
        raise InvalidArgument(
            "output",
            "must be a terminal: these numbers are exact. Add --yes-sensitive to write them to a"
            " file or a pipe",
        )


def _format_effects(db: Database, effects: Sequence[CapEffect]) -> Iterator[str]:
    for (name, cap_name, key), some in groupby(
        effects, key=lambda effect: (effect.table, effect.cap_name, effect.key)
    ):
        rule = db.policy.table(name)
        assert rule is not None
        assert rule.privacy_unit is not None
        noun = name_unit(str(rule.population), rule.privacy_unit).plural
        counted = "rows" if cap_name == "max_rows_per_group" else "groups"
        owners = f"{noun} by {key}" if key is not None and counted == "rows" else noun
        where = "no GROUP BY" if key is None else f"GROUP BY {key}"
        each = list(some)
        size = f"{each[0].total:,} {counted} of {each[0].units:,} {owners}"
        yield ""
        yield f"{name}, {cap_name}, {where}: {size}"
        yield f"  {'cap':>9}  {counted + ' kept':>22}  {counted + ' cut':>14}  {noun + ' cut':>14}"
        for effect in each:
            share = 100 * effect.kept / effect.total if effect.total else 100.0
            kept = f"{effect.kept:,} ({share:.1f} %)"
            mark = "  <- declared" if effect.is_declared else ""
            yield (
                f"  {effect.cap:>9,}  {kept:>22}  {effect.total - effect.kept:>14,} "
                f" {effect.cut_units:>14,}{mark}"
            )


def _format_values(values: Sequence[ComparedValue]) -> Iterator[str]:
    header = ("exact", "noisy", "error", "noise", "clipping")
    yield "  ".join(f"{name:>12}" for name in header) + "  column"
    for value in values:
        error = None
        if value.exact is not None and value.noisy is not None:
            error = value.noisy - value.exact
        numbers = (value.exact, value.noisy, error, value.noise, value.clipping)
        where = ", ".join(f"{name} = {key}" for name, key in value.keys.items())
        row = "  ".join(f"{_format_number(number):>12}" for number in numbers)
        yield f"{row}  {value.column}{f' where {where}' if where else ''}"
    yield ""
    yield (
        "error = noise + clipping. Exact values know no max_groups and no max_rows_per_group."
        " Values stay clamped to their bounds, and caps inside joins and subqueries stay. NULL:"
        " hidden, or not there."
    )


def _format_number(number: float | None) -> str:
    if number is None:
        return "NULL"
    if isinstance(number, int):
        return f"{number:,}"
    return f"-{format_size(-number)}" if number < 0 else format_size(number)
