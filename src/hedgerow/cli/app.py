"""The program ``hedgerow``: its commands, its exit codes, its manners about errors.

A command is a function in a module of its own that returns an exit code, and one entry in
``COMMANDS``. It raises what the library raises; how that is told, and with which code, is decided
here once.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

import hedgerow
from hedgerow.cli.audit import audit_mechanism
from hedgerow.cli.custodian import accept_policy, check_policy, raise_budget, show_budget
from hedgerow.cli.demo import run_demo
from hedgerow.cli.init import init_policy
from hedgerow.cli.ledger import (
    adopt_ledger,
    backup_ledger,
    begin_ledger,
    restore_ledger,
    verify_ledger,
)
from hedgerow.cli.local.commands import (
    collect_reports,
    decode_reports,
    encode_values,
    plan_metric,
    simulate_clients,
)
from hedgerow.cli.publish import (
    publish_cdf,
    publish_histogram,
    publish_marginals,
    publish_queries,
    publish_stream,
    publish_synthetic,
)
from hedgerow.cli.query import explain_query, run_query
from hedgerow.cli.risk.answers import attack_answers
from hedgerow.cli.risk.attack import attack_secret
from hedgerow.cli.risk.table import assess_table
from hedgerow.cli.terminal import print_error, print_json, tolerate_ascii
from hedgerow.cli.verify import verify_file
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.numeric.formatting import join_words

__all__ = ["COMMANDS", "EXIT_CODES", "main"]

# Some names are two words; ``main`` joins them before typer sees them.
COMMANDS: Mapping[str, Callable[..., int]] = {
    "demo": run_demo,
    "init": init_policy,
    "check": check_policy,
    "query": run_query,
    "explain": explain_query,
    "budget": show_budget,
    "budget raise": raise_budget,
    "policy accept": accept_policy,
    "ledger verify": verify_ledger,
    "ledger adopt": adopt_ledger,
    "ledger backup": backup_ledger,
    "ledger restore": restore_ledger,
    "ledger begin": begin_ledger,
    "publish histogram": publish_histogram,
    "publish cdf": publish_cdf,
    "publish marginals": publish_marginals,
    "publish queries": publish_queries,
    "publish stream": publish_stream,
    "publish synthetic": publish_synthetic,
    "local plan": plan_metric,
    "local simulate": simulate_clients,
    "local encode": encode_values,
    "local collect": collect_reports,
    "local decode": decode_reports,
    "verify": verify_file,
    "audit": audit_mechanism,
    "risk table": assess_table,
    "risk answers": attack_answers,
    "risk attack": attack_secret,
}

# The first that fits counts.
EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (BudgetExceeded, 4),
    (Refused, 3),
    (InvalidArgument, 2),
    (Exception, 1),
)
_USAGE, _INTERRUPTED = 2, 130

# typer shows one of click's errors in public; the one above it is the mistake on a command line.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def _build_program() -> typer.Typer:
    program = typer.Typer(
        name="hedgerow",
        help="Differential privacy with exact noise.",
        epilog="Exit codes: 0 done, 1 failure, 2 wrong usage, 3 refused, 4 budget exhausted.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    program.callback(invoke_without_command=True)(_show_help)
    for name, command in COMMANDS.items():
        program.command(name, help=_format_help(command))(command)
    return program


def _format_help(command: Callable[..., int]) -> str:
    """Its docstring; where a line of that ends is no matter, only where a paragraph does."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgerow {hedgerow.__version__}")
        raise typer.Exit


def _show_help(
    context: typer.Context,
    version: Annotated[
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,  # noqa: ARG001
) -> None:
    """Differential privacy with exact noise."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit code is returned, and nothing is raised unless --debug asks for
    it.
    """
    given = list(sys.argv[1:] if arguments is None else arguments)
    tolerate_ascii()
    try:
        given = _join_command_words(given)
        # Not standalone: typer then returns what the command returned, or the code of an Exit.
        return int(_build_program()(args=given, prog_name="hedgerow", standalone_mode=False) or 0)
    except typer.Exit as done:
        return done.exit_code
    except (typer.Abort, KeyboardInterrupt):
        print_error("Interrupted.")
        return _INTERRUPTED
    except Exception as error:
        if "--debug" in given:
            raise
        if isinstance(error, BrokenPipeError):
            return _close_output()
        code = (
            _USAGE
            if isinstance(error, _UsageError)
            else next(code for kind, code in EXIT_CODES if isinstance(error, kind))
        )
        message = _format_error(error)
        if "--json" in given:
            print_json({"error": {"type": type(error).__name__, "message": message}})
        print_error(message)
        return code


def _join_command_words(given: list[str]) -> list[str]:
    """The arguments with a command of two words as one."""
    if " ".join(given[:2]) in COMMANDS:
        return [" ".join(given[:2]), *given[2:]]
    first = given[0] if given else ""
    whole = [name for name in COMMANDS if name.startswith(f"{first} ")]
    if not whole or first in COMMANDS:
        return given
    names = [f"'hedgerow {name}'" for name in whole]
    listed = join_words(names, "or")
    if "--help" in given:
        typer.echo(f"'{first}' takes a second word: {listed}. Each has its own --help.")
        raise typer.Exit
    raise _UsageError(f"'{first}' takes a second word: {listed}")


def _close_output() -> int:
    """Whoever read the output has gone, as ``head`` does: nothing more is said, also not when
    Python closes its streams.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_CODES[-1][1]


def _format_error(error: Any) -> str:
    if isinstance(error, _UsageError):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "hedgerow"
        message = error.format_message().rstrip(".")  # type: ignore[attr-defined]
        return f"{message}{'' if message.endswith('?') else '.'} See '{path} --help'."
    if isinstance(error, hedgerow.HedgerowError):
        return str(error)
    return f"{type(error).__name__}: {error}. Run again with --debug to see where."
