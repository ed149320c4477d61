"""Shared output of the risk commands: the warning, and report files for the owner alone."""

from __future__ import annotations

import os
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.terminal import print_lines
from hedgerow.errors import SourceError
from hedgerow.risk.report_page import SENSITIVE_WARNING

__all__ = ["ReportOption", "check_report_folder", "print_warning", "write_report"]

ReportOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE.html", help="Also write a report with charts. The report is SENSITIVE."
    ),
]


def print_warning() -> None:
    """Print the warning on standard output, so that it is in the file when output is redirected."""
    print_lines([SENSITIVE_WARNING.replace("report", "output")], style="bold yellow")


def check_report_folder(report: Path | None) -> None:
    """Refuse a report in a missing folder before the work is done, not after."""
    if report is not None and not report.parent.is_dir():
        raise SourceError(
            f"The folder '{report.parent}' for the report does not exist. Create it first."
        )


def write_report(file: Path, text: str) -> None:
    """Write a file that only its owner can read, even where a file of that name existed."""
    try:
        with open(
            os.open(file, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8"
        ) as opened:
            os.fchmod(opened.fileno(), 0o600)
            opened.write(text)
    except OSError as failure:
        raise SourceError(
            f"The file '{file}' cannot be written: {failure.strerror}. Name another one with"
            " --report."
        ) from None
