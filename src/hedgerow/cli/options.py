"""Options and arguments that several commands share, and the parsing of their values."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow.errors import InvalidArgument

__all__ = [
    "AnalystOption",
    "CustodianOption",
    "DebugOption",
    "DeltaOption",
    "EpsilonOption",
    "JsonOption",
    "NoteOption",
    "PolicyFile",
    "check_asker",
    "check_exclusive",
    "parse_number",
    "parse_privacy",
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
EpsilonOption = Annotated[
    str | None,
    typer.Option(metavar="E", help="The epsilon to spend. Default: default_epsilon of the policy."),
]
AnalystOption = Annotated[
    str | None,
    typer.Option(metavar="NAME", help="Who asks. The cost also counts against their quota."),
]
CustodianOption = Annotated[
    bool, typer.Option("--custodian", help="Ask as the custodian, who has no quota.")
]
DeltaOption = Annotated[
    str | None,
    typer.Option(
        metavar="D",
        help="The delta to spend, for groups whose values the policy does not list."
        " Default: default_delta of the policy.",
    ),
]
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


def parse_privacy(epsilon: str | None, delta: str | None) -> dict[str, Any]:
    """Return the epsilon and delta that were typed, for ``query`` and ``explain``."""
    return {
        "epsilon": parse_number(epsilon, "epsilon"),
        "delta": parse_number(delta, "delta"),
    }


def check_exclusive(analyst: str | None, custodian: bool) -> None:
    """Refuse an analyst who is also the custodian."""
    if custodian and analyst is not None:
        raise InvalidArgument(
            "analyst", "cannot be combined with --custodian: leave one of them out", analyst
        )


def check_asker(analyst: str | None, custodian: bool, declared: list[str]) -> None:
    """Refuse a question by nobody in particular where the policy declares analysts.

    Otherwise an analyst would become the custodian by leaving the option out.
    """
    check_exclusive(analyst, custodian)
    if declared and analyst is None and not custodian:
        raise InvalidArgument(
            "analyst",
            f"is missing: say who asks with --analyst {' or '.join(declared)}, or with --custodian",
        )
