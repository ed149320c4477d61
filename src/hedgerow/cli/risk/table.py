"""The command ``hedgerow risk table``: unique people in a table, and the columns that identify
them.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import typer
from rich.table import Table
from rich.text import Text

from hedgerow.charts.number_text import list_first
from hedgerow.cli.options import DebugOption, JsonOption, parse_number, split_names
from hedgerow.cli.risk.output import (
    ReportOption,
    check_report_folder,
    print_warning,
    write_report,
)
from hedgerow.cli.terminal import make_output_console, print_json, print_lines, show_progress
from hedgerow.errors import InvalidArgument
from hedgerow.risk.report_page import SENSITIVE_WARNING
from hedgerow.risk.table.equivalence_classes import SizeBand
from hedgerow.risk.table.linkage import Linkage, linkage
from hedgerow.risk.table.report import build_table_page, format_percent
from hedgerow.risk.table.uniqueness import Uniqueness, uniqueness

__all__ = ["assess_table"]
ColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="The columns an attacker may know, comma-separated: age,sex. Default: all.",
    ),
]
GreedyOption = Annotated[
    bool,
    typer.Option("--greedy", help="Grow a single set column by column instead; for many columns."),
]
ShareOption = Annotated[
    str,
    typer.Option(
        metavar="FRACTION",
        help="Columns count as identifying if they make this fraction of rows unique.",
    ),
]
AgainstOption = Annotated[
    Path | None,
    typer.Option(metavar="OTHER", help="A second file: find the people who are in both."),
]
LinkColumnsOption = Annotated[
    str | None,
    typer.Option(
        metavar="NAMES",
        help="The columns to link the two files on. Default: all that both have.",
    ),
]

_BAR_WIDTH = 30
_MAX_SHOWN = 10


def assess_table(
    data: Annotated[Path, typer.Argument(metavar="DATA", help="A .csv, .parquet or .arrow file.")],
    columns: ColumnsOption = None,
    size: Annotated[int, typer.Option(metavar="N", help="Search all sets of up to N columns.")] = 3,
    greedy: GreedyOption = False,
    share: ShareOption = "1",
    against: AgainstOption = None,
    on: LinkColumnsOption = None,
    report: ReportOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Measure how many people in a table are unique.

    Shows how many rows no other row agrees with, which sets of columns identify people, and who can
    be linked with a second file. For the custodian only: the output is SENSITIVE.

    Example: hedgerow risk table visits.csv --columns age,sex,region
    """
    check_report_folder(report)
    if on is not None and against is None:
        raise InvalidArgument("on", "needs a second file to link with: name it with --against", on)
    fraction = parse_number(share, "share")
    with show_progress("counting", quiet=as_json) as progress:
        found = uniqueness(
            data,
            None if columns is None else split_names(columns),
            size=size,
            search="greedy" if greedy else "all",
            share=1 if fraction is None else fraction,
            progress=progress,
        )
        shared = None if on is None else split_names(on)
        linked = None if against is None else linkage(data, against, shared)
    other = "" if against is None else against.name
    if report is not None:
        write_report(report, build_table_page(data.name, found, linked, other))
    if as_json:
        links = None if linked is None else linked.to_dict()
        written = None if report is None else str(report)
        document = found.to_dict() | {"linkage": links, "report": written}
        print_json({"warning": SENSITIVE_WARNING} | document)
        return 0
    print_warning()
    _print_uniqueness(data, found)
    if linked is not None:
        _print_linkage(linked, other)
    if report is not None:
        print_lines([f"\nReport written to {report}."])
    return 0


def _print_uniqueness(data: Path, found: Uniqueness) -> None:
    classes = found.classes
    headline = (
        f"{classes.unique:,} of {found.rows:,} rows of {data.name} are unique on"
        f" {list_first(found.columns, 10)}: {format_percent(classes.unique_fraction)}."
    )
    print_lines([headline], style="bold")
    risk = (
        "An attacker who knows these columns of somebody in the table picks the right row with a"
        f" probability of {format_percent(classes.mean_risk)} on average."
    )
    anonymity = (
        f"The table is {classes.smallest:,}-anonymous on them;"
        f" {format_percent(classes.fraction_below(5))} of the rows share them with fewer than four"
        " others."
    )
    print_lines([risk, anonymity, *found.notes])
    _print_bands(
        "Rows that share these columns with others",
        "rows in a class",
        classes.count_bands(),
        found.rows,
    )
    _print_steps(found)
    _print_sets(found)
    _print_attackers(found)


def _draw_bar(part: float) -> str:
    """Draw a fraction; anything above 0 is visible."""
    return "█" * max(round(part * _BAR_WIDTH), 1 if part > 0 else 0)


def _print_table(
    title: str,
    columns: Sequence[str],
    rows: Sequence[Sequence[str]],
    text_columns: Sequence[str] = (),
) -> None:
    table = Table(
        header_style="dim", box=None, pad_edge=False, title_justify="left", title_style="bold green"
    )
    for name in columns:
        table.add_column(name, justify="left" if name in text_columns else "right", overflow="fold")
    for row in rows:
        table.add_row(*map(Text, row))
    print_lines([f"\n{title}"], style="bold green")
    make_output_console().print(table)


def _print_bands(title: str, name: str, bands: Sequence[SizeBand], rows: int) -> None:
    lines = [
        (str(band), f"{band.rows:,}", format_percent(band.rows / rows), _draw_bar(band.rows / rows))
        for band in bands
    ]
    _print_table(title, (name, "rows", "of all", ""), lines, ("",))


def _print_steps(found: Uniqueness) -> None:
    lines, before = [], 0
    for step in found.steps[:_MAX_SHOWN]:
        share = step.unique_fraction
        counts = f"{step.unique:,}", f"+{step.unique - before:,}", format_percent(share)
        lines.append((step.columns[-1], *counts, _draw_bar(float(share))))
        before = step.unique
    more = f" (the first {_MAX_SHOWN} of {len(found.steps):,})" if found.steps[_MAX_SHOWN:] else ""
    _print_table(
        f"What each column adds, in this order{more}",
        ("column", "unique", "added", "of all", ""),
        lines,
        ("column", ""),
    )


def _print_sets(found: Uniqueness) -> None:
    goal = f"at least {format_percent(found.share)} of the rows" if found.share < 1 else "every row"
    search = "a growing set" if found.searched == "greedy" else found.searched
    minimal = found.identifying
    cut = f", {_MAX_SHOWN} of {len(minimal):,}" if len(minimal) > _MAX_SHOWN else ""
    title = (
        f"Smallest sets that make {goal} unique{cut} ({search})"
        if minimal
        else f"No set makes {goal} unique ({search}); the most identifying set of each size"
    )
    shown = minimal[:_MAX_SHOWN] or found.most_identifying
    lines = [
        (
            ", ".join(each.columns),
            f"{each.unique:,}",
            format_percent(each.unique / found.rows),
            _draw_bar(each.unique / found.rows),
        )
        for each in shown
    ]
    _print_table(title, ("columns", "unique", "of all", ""), lines, ("columns", ""))


def _print_attackers(found: Uniqueness) -> None:
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
        "An attacker who knows some of the columns: unique rows, and the risk of a right guess",
        titles,
        lines,
        titles[::5],
    )


def _print_linkage(linked: Linkage, other: str) -> None:
    headline = (
        f"\n{linked.certain_count:,} of {linked.rows[0]:,} rows match a row of {other} for certain,"
        f" on {list_first(linked.on, 10)}."
    )
    print_lines([headline], style="bold")
    lines = [
        f"{linked.linked_count:,} rows have a possible match there. Of one-to-one guesses about"
        f" {linked.expected_correct:,.1f} are right, if everybody who can be in both files is."
    ]
    if any(linked.incomplete):
        lines.append(
            f"Rows with a missing value are not linked: {linked.incomplete[0]:,} here,"
            f" {linked.incomplete[1]:,} there."
        )
    print_lines(lines)
    _print_bands(f"Possible matches in {other}", "matches", linked.match_bands, linked.rows[0])
