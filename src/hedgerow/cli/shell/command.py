"""The command ``hedgerow shell``: questions typed at a terminal, or read from a pipe."""

from __future__ import annotations

import sys
from collections.abc import Iterable
from typing import Annotated, Final

import typer

import hedgerow
from hedgerow.cli.options import (
    AnalystOption,
    CustodianOption,
    DebugOption,
    DeltaOption,
    EpsilonOption,
    PolicyFile,
    check_asker,
    parse_privacy,
)
from hedgerow.cli.shell.completion import NameCompleter
from hedgerow.cli.shell.line_editor import LineEditor, locate_history
from hedgerow.cli.shell.session import COMMANDS, ShellSession, ShellSettings
from hedgerow.cli.shell.statements import join_lines, split_statements
from hedgerow.cli.terminal import print_error, print_lines
from hedgerow.errors import HedgerowError

__all__ = ["run_shell"]

_LEAVING_WORDS: Final = ("exit", "quit")


def run_shell(
    policy: PolicyFile,
    epsilon: EpsilonOption = None,
    delta: DeltaOption = None,
    analyst: AnalystOption = None,
    custodian: CustodianOption = False,
    as_json: Annotated[
        bool, typer.Option("--json", help="Print each answer as one line of JSON.")
    ] = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Ask questions one after another, with completion, history and prices.

    At a terminal, the price of a question is shown before it is paid. Without one, each statement
    of standard input is paid and answered, and the first error ends the shell.

    Example: hedgerow shell clinic.toml
    """
    settings = ShellSettings(**parse_privacy(epsilon, delta))
    is_interactive = sys.stdin.isatty() and sys.stdout.isatty()
    with hedgerow.open(policy, analyst=analyst) as db:
        check_asker(analyst, custodian, [rule.name for rule in db.policy.analysts])
        session = ShellSession(
            db,
            policy,
            analyst=analyst,
            settings=settings,
            confirm=_confirm if is_interactive else None,
            as_json=as_json,
        )
        if not is_interactive:
            _run_lines(session, sys.stdin)
            return 0
        print_lines([repr(db), r"SQL ends with a semicolon; \help lists the commands."])
        completer = NameCompleter(db.catalog, COMMANDS)
        editor = LineEditor(completer.list_completions, locate_history())
        _converse(session, editor, db.policy.name)
    return 0


def _run_lines(session: ShellSession, lines: Iterable[str]) -> None:
    """Run the commands and statements of a file; the last statement needs no semicolon."""
    rest = ""
    for line in lines:
        if not rest and line.lstrip().startswith("\\"):
            if not session.run_command(line):
                return
            continue
        statements, rest = split_statements(rest + line)
        for statement in statements:
            session.run_statement(statement)
    statements, rest = split_statements(f"{rest}\n;")
    for statement in [*statements, *([rest] if rest else [])]:
        session.run_statement(statement)


def _converse(session: ShellSession, editor: LineEditor, name: str) -> None:
    """Read lines from a terminal and run them until the end of input."""
    rest = ""
    while True:
        try:
            line = editor.read_line("    … " if rest else f"{name}> ")
            if rest or not line.lstrip().startswith("\\"):
                if not rest and line.strip().casefold().rstrip("; ") in _LEAVING_WORDS:
                    return
                statements, rest = split_statements(f"{rest}{line}\n")
                for statement in statements:
                    editor.add_statement(f"{join_lines(statement)};")
                    session.run_statement(statement)
            elif not session.run_command(line):
                return
        except EOFError:
            print_lines([""])
            return
        except KeyboardInterrupt:
            print_lines([""])
            rest = ""
        except HedgerowError as error:
            print_error(str(error))


def _confirm(prompt: str) -> bool:
    """Ask at the terminal; anything but yes is no."""
    try:
        return input(prompt).strip().casefold() in ("y", "yes")
    except EOFError:
        return False
