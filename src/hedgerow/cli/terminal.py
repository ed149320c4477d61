"""Standard output is for the answer, standard error for everything else."""

from __future__ import annotations

import codecs
import json
import sys
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal, InvalidOperation
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, SpinnerColumn, TextColumn, TimeRemainingColumn

from hedgerow.errors import InvalidArgument

__all__ = [
    "DebugOption",
    "JsonOption",
    "make_error_console",
    "make_output_console",
    "parse_number",
    "print_error",
    "print_json",
    "show_progress",
    "tolerate_ascii",
]

# Every command takes these two. ``app`` looks for --debug itself, because it must know before a
# command line is understood.
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document, and nothing else, on standard output."),
]
DebugOption = Annotated[bool, typer.Option("--debug", help="Show the traceback of an error.")]

_PROGRESS_DELAY = 0.5  # seconds before a progress bar appears
_ASCII_SUBSTITUTES = str.maketrans("█▒░├─┤┼◆▶◀·–±≥…│└●", "#:.|-|+*><.-~>.|+*")


def parse_number(text: str | None, argument: str) -> Decimal | None:
    """A number as it was typed: 0.1 is one tenth, not the double next to it."""
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        raise InvalidArgument(argument, "must be a number", text) from None


def make_output_console() -> Console:
    """For the answer."""
    return Console(highlight=False)


def make_error_console() -> Console:
    """For progress and mistakes."""
    return Console(stderr=True, highlight=False)


def print_json(document: Any) -> None:
    """One JSON document on standard output."""
    sys.stdout.write(json.dumps(document, indent=2, ensure_ascii=False, allow_nan=False) + "\n")


def print_error(message: str) -> None:
    """A mistake, in one or two sentences."""
    console = make_error_console()
    console.print("Error: ", style="bold red", end="")
    console.print(message, markup=False, soft_wrap=True)


@contextmanager
def show_progress(doing: str, *, quiet: bool) -> Iterator[Callable[[int, int], None] | None]:
    """A progress bar for what takes longer than a moment; gives the function that moves it, or
    None where nobody would see it.
    """
    console = make_error_console()
    if quiet or not console.is_terminal:
        yield None
        return
    columns = SpinnerColumn(), TextColumn("{task.description}"), BarColumn(), TimeRemainingColumn()
    bar = Progress(*columns, console=console, transient=True)
    task = bar.add_task(doing, total=None)
    patience = threading.Timer(_PROGRESS_DELAY, bar.start)
    patience.start()
    try:
        yield lambda done, total: bar.update(task, completed=done, total=total)
    finally:
        patience.cancel()
        patience.join()
        bar.stop()


def tolerate_ascii() -> None:
    """Let a terminal that knows ASCII only show the nearest thing instead of failing."""

    def nearest(error: UnicodeError) -> tuple[str | bytes, int]:
        if not isinstance(error, UnicodeEncodeError):
            raise error
        part = error.object[error.start : error.end].translate(_ASCII_SUBSTITUTES)
        return part.encode("ascii", "replace"), error.end

    codecs.register_error("nearest", nearest)
    for stream in (sys.stdout, sys.stderr):
        reconfigure = getattr(stream, "reconfigure", None)
        if reconfigure is not None:
            reconfigure(errors="nearest")
