"""Options and arguments that several commands share, and the parsing of their values."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.errors import InvalidArgument

__all__ = [
    "DebugOption",
    "JsonOption",
    "NoteOption",
    "PolicyFile",
    "parse_number",
    "split_names",
]

# ``app`` looks for --json and --debug itself as well: a command line with a mistake has no command.
JsonOption = Annotated[
    bool,
    typer.Option("--json", help="Print one JSON document on standard output, and nothing else."),
]
DebugOption = Annotated[
    bool, typer.Option("--debug", help="Show the full traceback when an error occurs.")
]
PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file (.toml).")]
NoteOption = Annotated[
    str, typer.Option(metavar="TEXT", help="The reason; it is kept in the ledger.")
]


def parse_number(text: str | None, argument: str) -> Decimal | None:
    """Return the number exactly as typed: 0.1 is one tenth, not the nearest double."""
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        raise InvalidArgument(argument, "must be a number, such as 0.5", text) from None


def split_names(text: str) -> list[str]:
    """Return the names in a comma-separated list."""
    return [name.strip() for name in text.split(",") if name.strip()]
