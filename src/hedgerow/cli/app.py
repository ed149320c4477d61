"""The program ``hedgerow``: its commands, its exit codes, its manners about errors.

A command is a function in a module of its own that returns an exit code, and one entry in ``COMMANDS``. It raises what the library
raises; how that is told, and with which code, is decided here once.
"""

from __future__ import annotations

import inspect
import os
import sys
from collections.abc import Callable, Mapping, Sequence
from typing import Annotated, Any

import typer

import hedgerow
from hedgerow.cli.audit import audit
from hedgerow.cli.custody import budget, check, policy_accept, raise_budget
from hedgerow.cli.demo import demo
from hedgerow.cli.init import init
from hedgerow.cli.ledgers import adopt, backup_ledger, begin_ledger, restore_ledger, verify_ledger
from hedgerow.cli.local import local_collect, local_decode, local_encode, local_plan, local_simulate
from hedgerow.cli.publish import publish_cdf, publish_histogram, publish_marginals, publish_queries, publish_stream, publish_synthetic
from hedgerow.cli.query import explain, query
from hedgerow.cli.risk_answers import risk_answers
from hedgerow.cli.risk_attack import risk_attack
from hedgerow.cli.risk_table import risk_table
from hedgerow.cli.terminal import failed, print_json, tolerant
from hedgerow.cli.verify import verify
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused

__all__ = ["COMMANDS", "EXITS", "main"]

# Some names are two words; ``main`` joins them before typer sees them.
COMMANDS: Mapping[str, Callable[..., int]] = {
    "demo": demo,
    "init": init,
    "check": check,
    "query": query,
    "explain": explain,
    "budget": budget,
    "budget raise": raise_budget,
    "policy accept": policy_accept,
    "ledger verify": verify_ledger,
    "ledger adopt": adopt,
    "ledger backup": backup_ledger,
    "ledger restore": restore_ledger,
    "ledger begin": begin_ledger,
    "publish histogram": publish_histogram,
    "publish cdf": publish_cdf,
    "publish marginals": publish_marginals,
    "publish queries": publish_queries,
    "publish stream": publish_stream,
    "publish synthetic": publish_synthetic,
    "local plan": local_plan,
    "local simulate": local_simulate,
    "local encode": local_encode,
    "local collect": local_collect,
    "local decode": local_decode,
    "verify": verify,
    "audit": audit,
    "risk table": risk_table,
    "risk answers": risk_answers,
    "risk attack": risk_attack,
}

# The first that fits counts.
EXITS: tuple[tuple[type[BaseException], int], ...] = ((BudgetExceeded, 4), (Refused, 3), (InvalidArgument, 2), (Exception, 1))
_USAGE, _INTERRUPTED = 2, 130

# typer shows one of click's errors in public; the one above it is the mistake on a command line.
_WrongUsage: type[Exception] = typer.BadParameter.__mro__[1]


def _program() -> typer.Typer:
    program = typer.Typer(
        name="hedgerow",
        help="Differential privacy with exact noise.",
        epilog="Exit codes: 0 done, 1 failure, 2 wrong usage, 3 refused, 4 budget exhausted.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    program.callback(invoke_without_command=True)(_top)
    for name, command in COMMANDS.items():
        program.command(name, help=_help(command))(command)
    return program


def _help(command: Callable[..., int]) -> str:
    """Its docstring; where a line of that ends is no matter, only where a paragraph does."""
    paragraphs = (inspect.getdoc(command) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgerow {hedgerow.__version__}")
        raise typer.Exit


def _top(
    context: typer.Context,
    version: Annotated[bool, typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version.")] = False,  # noqa: ARG001
) -> None:
    """Differential privacy with exact noise."""
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program; the exit code is returned, and nothing is raised unless --debug asks for it."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    tolerant()
    try:
        given = _joined(given)
        # Not standalone: typer then returns what the command returned, or the code of an Exit.
        return int(_program()(args=given, prog_name="hedgerow", standalone_mode=False) or 0)
    except typer.Exit as done:
        return done.exit_code
    except (typer.Abort, KeyboardInterrupt):
        failed("Interrupted.")
        return _INTERRUPTED
    except Exception as error:
        if "--debug" in given:
            raise
        if isinstance(error, BrokenPipeError):
            return _unread()
        code = _USAGE if isinstance(error, _WrongUsage) else next(code for kind, code in EXITS if isinstance(error, kind))
        message = _in_words(error)
        if "--json" in given:
            print_json({"error": {"type": type(error).__name__, "message": message}})
        failed(message)
        return code


def _joined(given: list[str]) -> list[str]:
    """The arguments with a command of two words as one."""
    if " ".join(given[:2]) in COMMANDS:
        return [" ".join(given[:2]), *given[2:]]
    first = given[0] if given else ""
    whole = [name for name in COMMANDS if name.startswith(f"{first} ")]
    if not whole or first in COMMANDS:
        return given
    names = [f"'hedgerow {name}'" for name in whole]
    listed = " or ".join([", ".join(names[:-1]), names[-1]] if len(names) > 1 else names)
    if "--help" in given:
        typer.echo(f"'{first}' takes a second word: {listed}. Each has its own --help.")
        raise typer.Exit
    raise _WrongUsage(f"'{first}' takes a second word: {listed}")


def _unread() -> int:
    """Whoever read the output has gone, as ``head`` does: nothing more is said, also not when Python closes its streams."""
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXITS[-1][1]


def _in_words(error: Any) -> str:
    if isinstance(error, _WrongUsage):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "hedgerow"
        message = error.format_message().rstrip(".")  # type: ignore[attr-defined]
        return f"{message}{'' if message.endswith('?') else '.'} See '{path} --help'."
    if isinstance(error, hedgerow.HedgerowError):
        return str(error)
    return f"{type(error).__name__}: {error}. Run again with --debug to see where."
