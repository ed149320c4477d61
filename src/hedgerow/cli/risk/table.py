"""``hedgerow risk table DATA``: how many people of a table are unique, and what makes them so."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.risk.output import check_report_folder, print_warning, write_report
from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    parse_number,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.formatting import list_first

if TYPE_CHECKING:
    from rich.console import Console

    from hedgerow.risk.table.equivalence_classes import SizeBand
    from hedgerow.risk.table.linkage import Linkage
    from hedgerow.risk.table.uniqueness import Uniqueness

__all__ = ["assess_table"]

_BAR_WIDTH = 30
_MAX_SHOWN = 10


def assess_table(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A .csv, .parquet or .arrow file.")],
    columns: Annotated[
        str | None,
        typer.Option(help="What an attacker may know, with commas between: age,sex. Default: all."),
    ] = None,
    size: Annotated[int, typer.Option(help="Search all sets of up to so many columns.")] = 3,
    greedy: Annotated[
        bool,
        typer.Option(
            "--greedy", help="Grow one set instead, a column at a time: for very many columns."
        ),
    ] = False,
    share: Annotated[
        str,
        typer.Option(
            help="A set identifies when it makes this fraction of the rows unique, such as 0.9."
        ),
    ] = "1",
    against: Annotated[
        Path | None, typer.Option(metavar="OTHER", help="A second file: who is in both?")
    ] = None,
    on: Annotated[
        str | None,
        typer.Option(help="The columns to link the two files on. Default: those that both have."),
    ] = None,
    report: Annotated[
        Path | None,
        typer.Option(metavar="FILE.html", help="Write a report with pictures. It is SENSITIVE."),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Measure how many rows are unique on some columns, which sets of columns identify people, and
    who could be linked. For the custodian only: what it prints is SENSITIVE."""
    from hedgerow.risk.report_page import SENSITIVE_WARNING
    from hedgerow.risk.table.linkage import linkage
    from hedgerow.risk.table.uniqueness import uniqueness

    check_report_folder(report)
    if on is not None and against is None:
        raise InvalidArgument(
            "on", "says how to link two files: name the other one with --against", on
        )
    part, search = parse_number(share, "share"), "greedy" if greedy else "all"
    with show_progress("counting", quiet=as_json) as moved:
        found = uniqueness(
            data,
            _split_names(columns),
            size=size,
            search=search,
            share=1 if part is None else part,
            progress=moved,
        )
        linked = None if against is None else linkage(data, against, _split_names(on))
    if report is not None:
        _write_table_report(report, data, found, linked, against)
    if as_json:
        more = {
            "linkage": None if linked is None else linked.to_dict(),
            "report": None if report is None else str(report),
        }
        print_json({"warning": SENSITIVE_WARNING} | found.to_dict() | more)
        return 0
    print_warning()
    console = make_output_console()
    _print_uniqueness(console, data, found)
    if linked is not None and against is not None:
        _print_linkage(console, linked, against.name)
    if report is not None:
        console.print(f"\nWritten to {report}.", markup=False, soft_wrap=True)
    return 0


def _split_names(columns: str | None) -> list[str] | None:
    return (
        None if columns is None else [name.strip() for name in columns.split(",") if name.strip()]
    )


def _write_table_report(
    report: Path, data: Path, found: Uniqueness, linked: Linkage | None, against: Path | None
) -> None:
    from hedgerow.risk.table.report import build_table_page

    write_report(
        report, build_table_page(data.name, found, linked, "" if against is None else against.name)
    )


def _print_uniqueness(console: Console, data: Path, found: Uniqueness) -> None:
    from hedgerow.risk.table.report import format_percent

    whole = found.classes
    said = (
        f"{whole.unique:,} of {found.rows:,} rows of {data.name} are unique on"
        f" {list_first(found.columns, _MAX_SHOWN)}: {format_percent(whole.unique_fraction)}."
    )
    console.print(said, style="bold", markup=False, soft_wrap=True)
    told = [
        (
            "Whoever knows these columns of somebody in the table guesses the row with a chance of"
            f" {format_percent(whole.mean_risk)} on average."
        ),
        (
            f"The table is {whole.smallest:,}-anonymous on them;"
            f" {format_percent(whole.fraction_below(5))} of the rows share them with fewer than"
            " four others."
        ),
        *found.notes,
    ]
    for line in told:
        console.print(line, markup=False, soft_wrap=True)
    _print_bands(
        console,
        "Rows that share these columns with others",
        "rows in a class",
        whole.count_bands(),
        found.rows,
    )
    _print_steps(console, found)
    _print_sets(console, found)
    _print_attackers(console, found)


def _draw_bar(part: float) -> str:
    """Of a fraction; what is not nothing is seen."""
    return "█" * max(round(part * _BAR_WIDTH), 1 if part > 0 else 0)


def _print_table(
    console: Console,
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    words: Sequence[str] = (),
) -> None:
    """Columns of numbers are set right; those of ``words`` left."""
    from rich.table import Table
    from rich.text import Text

    table = Table(
        header_style="dim", box=None, pad_edge=False, title_justify="left", title_style="bold green"
    )
    for name in columns:
        table.add_column(name, justify="left" if name in words else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    console.print(f"\n{title}", style="bold green", markup=False, soft_wrap=True)
    console.print(table)


def _print_bands(
    console: Console, title: str, name: str, bands: Sequence[SizeBand], rows: int
) -> None:
    from hedgerow.risk.table.report import format_percent

    lines = [
        (str(band), f"{band.rows:,}", format_percent(band.rows / rows), _draw_bar(band.rows / rows))
        for band in bands
    ]
    _print_table(console, title, (name, "rows", "of all", ""), lines, ("",))


def _print_steps(console: Console, found: Uniqueness) -> None:
    from hedgerow.risk.table.report import format_percent

    lines, before = [], 0
    for step in found.steps[:_MAX_SHOWN]:
        added = f"+{step.unique - before:,}"
        lines.append(
            (
                step.columns[-1],
                f"{step.unique:,}",
                added,
                format_percent(step.unique_fraction),
                _draw_bar(float(step.unique_fraction)),
            )
        )
        before = step.unique
    more = f" (the first {_MAX_SHOWN} of {len(found.steps):,})" if found.steps[_MAX_SHOWN:] else ""
    _print_table(
        console,
        f"What each column adds, in this order{more}",
        ("column", "unique", "added", "of all", ""),
        lines,
        ("column", ""),
    )


def _print_sets(console: Console, found: Uniqueness) -> None:
    from hedgerow.risk.table.report import format_percent

    least = (
        f"at least {format_percent(found.share)} of the rows" if found.share < 1 else "every row"
    )
    how = "a growing set" if found.searched == "greedy" else found.searched
    named = found.identifying
    some = f", {_MAX_SHOWN} of {len(named):,}" if len(named) > _MAX_SHOWN else ""
    title = (
        f"Smallest sets that make {least} unique{some} ({how})"
        if named
        else f"No set makes {least} unique ({how}); the worst of each size"
    )
    shown = named[:_MAX_SHOWN] or found.most_identifying
    lines = [
        (
            ", ".join(each.columns),
            f"{each.unique:,}",
            format_percent(each.unique / found.rows),
            _draw_bar(each.unique / found.rows),
        )
        for each in shown
    ]
    _print_table(console, title, ("columns", "unique", "of all", ""), lines, ("columns", ""))


def _print_attackers(console: Console, found: Uniqueness) -> None:
    from hedgerow.risk.table.report import format_percent

    if not found.attackers:
        return
    lines = [
        (
            f"any {each.knows}",
            *map(format_percent, (each.unique, each.worst_unique, each.risk, each.worst_risk)),
            ", ".join(each.worst),
        )
        for each in found.attackers
    ]
    titles = ("knows", "unique", "at worst", "risk", "at worst ", "the worst columns")
    _print_table(
        console,
        "An attacker who knows some of the columns: who is unique, and the chance to guess a row",
        titles,
        lines,
        titles[::5],
    )


def _print_linkage(console: Console, linked: Linkage, other: str) -> None:
    said = (
        f"\n{linked.certain_count:,} of {linked.rows[0]:,} rows are matched for certain with"
        f" {other}, on {list_first(linked.on, _MAX_SHOWN)}."
    )
    console.print(said, style="bold", markup=False, soft_wrap=True)
    told = (
        f"{linked.linked_count:,} rows have a possible match there. Of one-to-one guesses about"
        f" {linked.expected_correct:,.1f} are right, if everybody who can be in both files is."
    )
    console.print(told, markup=False, soft_wrap=True)
    if any(linked.incomplete):
        lacking = (
            f"Rows that lack one of the values are not linked: {linked.incomplete[0]:,} here,"
            f" {linked.incomplete[1]:,} there."
        )
        console.print(lacking, markup=False, soft_wrap=True)
    _print_bands(
        console, f"Possible matches in {other}", "matches", linked.match_bands, linked.rows[0]
    )
