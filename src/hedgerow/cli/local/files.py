"""What the commands of ``hedgerow local`` read and write: metric files, values, names, batches."""

from __future__ import annotations

import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.errors import InvalidArgument, SourceError

if TYPE_CHECKING:
    from hedgerow.local.decode.value_estimates import ValueEstimate
    from hedgerow.local.metric import Metric

__all__ = [
    "MAX_DRAWN",
    "draw_findings",
    "read_codes",
    "read_metric",
    "read_names",
    "refuse_repeated_files",
    "write_file",
]

MAX_DRAWN = 40  # lines of a picture


def read_metric(file: Path) -> Metric:
    """A metric file."""
    from hedgerow.local.metric import Metric

    try:
        return Metric.from_json(file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "METRIC", "must be a metric file that can be read", str(file)
        ) from None
    except InvalidArgument as error:
        if error.argument != "metric":
            raise
    # Another file may have been named by mistake, one of values: nothing of it is shown, not even
    # in a traceback.
    raise InvalidArgument(
        "METRIC", "must be a metric file, such as hedgerow local plan --to writes", str(file)
    )


def read_names(file: Path | None) -> list[str] | None:
    """A text on each line, without the empty ones. One that stands twice would be two values."""
    if file is None:
        return None
    first: dict[str, int] = {}
    for place, line in enumerate(_read_text(file).splitlines(), 1):
        if name := line.strip():
            if name in first:
                raise InvalidArgument(
                    "names", f"must be different; line {place:,} repeats line {first[name]:,}"
                )
            first[name] = place
    if not first:
        raise InvalidArgument("names", "must be at least one", str(file))
    return list(first)


def read_codes(file: Path | None, domain: int) -> list[int]:
    """The codes, a line each; of standard input without a file. Which line is wrong is told, and
    never what it says.
    """
    text = sys.stdin.read() if file is None else _read_text(file)
    codes = []
    for place, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if word:
            if not (word.isascii() and word.isdecimal() and len(word) < 10 and int(word) < domain):
                raise InvalidArgument(
                    "values",
                    f"must be codes from 0 to {domain - 1:,}, one on each line; line {place:,}"
                    " is not",
                )
            codes.append(int(word))
    if not codes:
        raise InvalidArgument("values", "must be at least one")
    return codes


def refuse_repeated_files(files: Sequence[Path]) -> None:
    """Refuse a file that is named twice, under whatever name: its reports would be counted
    twice.
    """
    seen: dict[tuple[int, int], Path] = {}
    for file in files:
        try:
            told = file.stat()
        except OSError:
            raise SourceError(f"There is no file '{file}' that can be read.") from None
        place = told.st_dev, told.st_ino
        if place in seen:
            both = f"{seen[place]} and {file}"
            raise InvalidArgument(
                "reports", "must name each file once: its reports would be counted twice", both
            )
        seen[place] = file


def write_file(file: Path, content: bytes) -> None:
    """A whole file."""
    try:
        file.write_bytes(content)
    except OSError:
        raise SourceError(f"The file '{file}' cannot be written.") from None


def _read_text(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "FILE", "must be a file of text that can be read", str(file)
        ) from None


def draw_findings(
    file: Path, found: Sequence[ValueEstimate], title: str, truths: Mapping[Any, float] | None
) -> None:
    """A picture of findings, with the truth where it is known."""
    from hedgerow.local.decode.chart import draw_estimates

    unit = "clients" if found[0].p_value is not None else "from 0 to 1"
    write_file(file, draw_estimates(found, title, truths, unit=unit).encode("utf-8"))
