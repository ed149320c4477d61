"""The files of ``hedgerow local``: metrics, values, names, batches and charts."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.local.decode.chart import draw_estimates
from hedgerow.local.decode.value_estimates import ValueEstimate
from hedgerow.local.metric import Metric

__all__ = [
    "MAX_DRAWN",
    "PictureOption",
    "draw_findings",
    "read_codes",
    "read_metric",
    "read_names",
    "refuse_repeated_files",
    "write_file",
]

PictureOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE.svg", help="Draw the estimates with their intervals."),
]

MAX_DRAWN = 40  # lines of a chart


def read_metric(file: Path) -> Metric:
    """Return the metric in a file."""
    try:
        return Metric.from_json(file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "METRIC", "must be a metric file that exists and can be read", str(file)
        ) from None
    except InvalidArgument as error:
        if error.argument != "metric":
            raise
    # A file of values may have been named by mistake, so nothing of it is shown: this is raised
    # outside the handler, to keep the first error out of the traceback as well.
    raise InvalidArgument(
        "METRIC", "must be a metric file, as 'hedgerow local plan --to' writes it", str(file)
    )


def read_names(file: Path | None) -> list[str] | None:
    """Return the texts of a file, one per line; refuse repeated ones, which would be two values."""
    if file is None:
        return None
    first: dict[str, int] = {}
    for place, line in enumerate(_read_text(file).splitlines(), 1):
        if name := line.strip():
            if name in first:
                raise InvalidArgument(
                    "names", f"must all differ; line {place:,} repeats line {first[name]:,}"
                )
            first[name] = place
    if not first:
        raise InvalidArgument("names", "must hold at least one line of text", str(file))
    return list(first)


def read_codes(file: Path | None, domain: int) -> list[int]:
    """Return the codes of a file or of standard input, one per line.

    An error names the line and never shows it: the codes are people's values.
    """
    text = sys.stdin.read() if file is None else _read_text(file)
    codes = []
    for place, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if word:
            if not (word.isascii() and word.isdecimal() and len(word) < 10 and int(word) < domain):
                raise InvalidArgument(
                    "values",
                    f"must be codes from 0 to {domain - 1:,}, one per line; line {place:,} is not",
                )
            codes.append(int(word))
    if not codes:
        raise InvalidArgument("values", "must hold at least one code")
    return codes


def refuse_repeated_files(files: Sequence[Path]) -> None:
    """Refuse a file given twice, under whatever name: its reports would count twice."""
    seen: dict[tuple[int, int], Path] = {}
    for file in files:
        try:
            status = file.stat()
        except OSError:
            raise SourceError(
                f"The file '{file}' cannot be read. Check its name and permissions."
            ) from None
        identity = status.st_dev, status.st_ino
        if identity in seen:
            both = f"{seen[identity]} and {file}"
            raise InvalidArgument(
                "reports", "must name each file once, or its reports would count twice", both
            )
        seen[identity] = file


def write_file(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError:
        raise SourceError(
            f"The file '{file}' cannot be written. Check its folder, or name another file."
        ) from None


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "FILE", "must be a text file in UTF-8 that can be read", str(file)
        ) from None


def draw_findings(
    file: Path, estimates: Sequence[ValueEstimate], title: str, truths: Mapping[Any, float] | None
) -> None:
    """Write a chart of estimates, with the true values where they are known."""
    unit = "clients" if estimates[0].p_value is not None else "from 0 to 1"
    write_file(file, draw_estimates(estimates, title, truths, unit=unit).encode("utf-8"))
