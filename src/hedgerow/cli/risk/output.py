"""What the commands of risk share: the warning above all they print, and the report as a file
that nobody but its owner reads.
"""

from __future__ import annotations

import os
from pathlib import Path

from hedgerow.cli.terminal import make_output_console
from hedgerow.errors import SourceError

__all__ = ["check_report_folder", "print_warning", "write_report"]


def print_warning() -> None:
    """On standard output, so that it stands also in a file that the output goes into."""
    from hedgerow.risk.report_page import SENSITIVE_WARNING

    make_output_console().print(
        SENSITIVE_WARNING.replace("report", "output"),
        style="bold yellow",
        markup=False,
        soft_wrap=True,
    )


def check_report_folder(report: Path | None) -> None:
    """Said before the work is done, not after."""
    if report is not None and not report.parent.is_dir():
        raise SourceError(
            f"The folder '{report.parent}' for the report does not exist. Make it first."
        )


def write_report(file: Path, text: str) -> None:
    """With no rights for others, also where a file of that name was there before."""
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
