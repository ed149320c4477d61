"""Terminal output: results on standard output, progress and errors on standard error."""

from __future__ import annotations

import codecs
import json
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from typing import Any

from rich.console import Console
from rich.progress import BarColumn, Progress, ProgressColumn, SpinnerColumn, Task, TextColumn
from rich.text import Text

__all__ = [
    "format_count",
    "make_error_console",
    "make_output_console",
    "print_error",
    "print_json",
    "print_lines",
    "print_warning",
    "show_progress",
    "tolerate_ascii",
]

_PROGRESS_DELAY = 1.0  # seconds before a progress bar appears
_ASCII_SUBSTITUTES = str.maketrans("█▒░├─┤┼◆▶◀·–±≥…│└●", "#:.|-|+*><.-~>.|+*")


def make_output_console() -> Console:
    """Return a console on standard output."""
    return Console(highlight=False)


def make_error_console() -> Console:
    """Return a console on standard error."""
    return Console(stderr=True, highlight=False)


def print_json(document: Any, *, indent: int | None = 2) -> None:
    """Print one JSON document on standard output; on one line if ``indent`` is None."""
    text = json.dumps(document, indent=indent, ensure_ascii=False, allow_nan=False)
    sys.stdout.write(f"{text}\n")


def print_lines(
    lines: Iterable[str], style: str | None = None, console: Console | None = None
) -> None:
    """Print lines as they are, on standard output unless there is another console: brackets are no
    markup, and only for a terminal long lines are broken, between words."""
    console = make_output_console() if console is None else console
    for line in lines:
        shown = _wrap_lines(line, console.width) if console.is_terminal else line
        console.print(shown, style=style, markup=False, soft_wrap=True)


def _wrap_lines(text: str, width: int) -> str:
    """Wrap long lines between words; what is indented stays so, and a little more."""
    wrapped = []
    for line in text.split("\n"):
        indent = len(line) - len(line.lstrip())
        pieces = textwrap.wrap(
            line,
            width,
            subsequent_indent=" " * (indent + 2 if indent else 0),
            break_long_words=False,
            break_on_hyphens=False,
        )
        wrapped += pieces if len(line) > width else [line]
    return "\n".join(wrapped)


def print_error(message: str) -> None:
    """Print an error message on standard error."""
    console = make_error_console()
    console.print("Error: ", style="bold red", end="")
    print_lines([message], console=console)


def print_warning(message: str) -> None:
    """Print a warning on standard error."""
    make_error_console().print(message, style="bold yellow", markup=False, soft_wrap=True)


def format_count(count: int, noun: str) -> str:
    """Return ``1 run`` or ``2 runs``."""
    return f"{count:,} {noun}" if count == 1 else f"{count:,} {noun}s"


class ElapsedTime(ProgressColumn):
    """The time since the start, and the rest where it can be estimated."""

    def render(self, task: Task) -> Text:
        rest = "" if task.time_remaining is None else f", {_format_time(task.time_remaining)} left"
        return Text(f"{_format_time(task.elapsed or 0.0)}{rest}")


def _format_time(seconds: float) -> str:
    """Format a time as 7 s, or as 2:07."""
    whole = int(seconds)
    return f"{whole} s" if whole < 60 else f"{whole // 60}:{whole % 60:02}"


@contextmanager
def show_progress(task_name: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """Show the elapsed time, with a bar, while the block runs longer than a second.

    Yield the function that moves it, called with (done, total); None without a terminal.
    """
    console = make_error_console()
    if quiet or not console.is_terminal:
        yield None
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), ElapsedTime()
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(task_name, total=None)
    delay = threading.Timer(_PROGRESS_DELAY, bar.start)
    delay.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        delay.cancel()
        delay.join()
        bar.stop()


def tolerate_ascii() -> None:
    """Print the nearest ASCII character where the terminal's encoding has no other."""

    def substitute(error: UnicodeError) -> tuple[str | bytes, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        part = error.object[error.start : error.end].translate(_ASCII_SUBSTITUTES)
        return part.encode("ascii", "replace"), error.end

    codecs.register_error("nearest", substitute)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="nearest")
