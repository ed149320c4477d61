"""The program ``hedgerow``: the table of commands, exit codes and error output.

``COMMANDS`` names the function behind each command. Its module is imported when the command is
called, so ``hedgerow --help`` stays fast and command modules may import what they like. A command
raises the library's errors; this module alone turns them into messages and exit codes.
"""

from __future__ import annotations

import importlib
import inspect
import os
import sys
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated, Any

import typer

import hedgerow
from hedgerow.cli.terminal import print_error, print_json, tolerate_ascii
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused

__all__ = ["COMMANDS", "EXIT_CODES", "Command", "main"]


@dataclass(frozen=True, slots=True)
class Command:
    """A command of one or two words, the ``module:function`` that runs it, and its help line."""

    name: str
    target: str
    summary: str

    def load(self) -> Callable[..., int]:
        """Import the module of this command and return its function."""
        module, _, function = self.target.partition(":")
        loaded: Callable[..., int] = getattr(importlib.import_module(module), function)
        return loaded


# fmt: off
COMMANDS: tuple[Command, ...] = tuple(
    Command(name, f"hedgerow.cli.{target}", summary)
    for name, target, summary in (
        ("demo", "demo:run_demo", "Serve a made-up clinic in ./demo, or take a tour of it."),
        ("init", "init:init_policy", "Write a policy for your data files by answering questions."),
        ("check", "custodian:check_policy", "Check a policy, its data files and its ledger."),
        ("query", "query:run_query", "Ask a question in SQL and get a private answer."),
        ("shell", "shell.command:run_shell",
         "Ask questions one after another, with completion, history and prices."),
        ("explain", "query:explain_query", "Show the cost and accuracy of a question, for free."),
        ("budget", "custodian:show_budget", "Show how much budget is spent and left."),
        ("budget raise", "custodian:raise_budget", "Accept a policy with a larger budget."),
        ("policy accept", "custodian:accept_policy",
         "Accept a changed policy, even where it loosens protection."),
        ("caps", "exact_tools:show_caps",
         "Show exactly what each candidate for a cap keeps and cuts."),
        ("compare", "exact_tools:compare_with_exact",
         "Show an answer beside its exact value, and how much of the error is noise or clipping."),
        ("ledger verify", "ledger:verify_ledger", "Check the ledger for tampering."),
        ("ledger adopt", "ledger:adopt_ledger", "Accept a ledger that was moved or copied back."),
        ("ledger backup", "ledger:backup_ledger", "Copy the ledger to a new file."),
        ("ledger restore", "ledger:restore_ledger", "Replace a missing ledger with a backup."),
        ("ledger begin", "ledger:begin_ledger",
         "Start a new ledger after the old one and its backups were lost."),
        ("ledger move", "ledger:move_ledger", "Move the ledger to another file or server."),
        ("serve", "serve:serve_policy",
         "Serve a policy to analysts: web pages, HTTP and the PostgreSQL protocol."),
        ("account add", "account:add_account", "Add an account to the service of a policy."),
        ("account list", "account:list_accounts",
         "List the accounts and tokens of the service of a policy."),
        ("account password", "account:change_password",
         "Set the password of an account, and end its sessions."),
        ("account disable", "account:disable_account",
         "Disable an account: its sessions and tokens stop working at once."),
        ("account token", "account:add_token", "Create a token for an account, and print it once."),
        ("publish histogram", "publish:publish_histogram",
         "Publish the number of rows for each combination of values."),
        ("publish cdf", "publish:publish_cdf",
         "Publish cumulative counts, from which any range can be read."),
        ("publish marginals", "publish:publish_marginals",
         "Publish tables for all combinations of a few columns."),
        ("publish queries", "publish:publish_queries",
         "Publish a count for each condition in a file."),
        ("publish stream", "publish:publish_stream",
         "Publish running totals along a column, such as days."),
        ("publish synthetic", "publish:publish_synthetic",
         "Publish synthetic rows that resemble the real ones."),
        ("local plan", "local.commands:plan_metric",
         "Choose a local protocol and estimate how many clients it needs."),
        ("local simulate", "local.commands:simulate_clients",
         "Simulate clients and compare estimates with the truth."),
        ("local encode", "local.commands:encode_values",
         "Randomise values into a batch of reports."),
        ("local collect", "local.commands:collect_reports",
         "Run a server that collects reports over HTTP."),
        ("local decode", "local.decode:decode_reports",
         "Estimate which values clients hold, from their reports."),
        ("verify", "verify:verify_file",
         "Prove that the programs in a file are private, or find a counterexample."),
        ("audit", "audit:audit_mechanism",
         "Measure how much a mechanism leaks, from its outputs."),
        ("risk table", "risk.table:assess_table",
         "Measure how many people in a table are unique."),
        ("risk answers", "risk.answers:attack_answers",
         "Find people whom published answers give away."),
        ("risk attack", "risk.attack:attack_secret",
         "Attack a secret column, with and without Hedgerow."),
    )
)
# fmt: on

# The first match decides.
EXIT_CODES: tuple[tuple[type[BaseException], int], ...] = (
    (BudgetExceeded, 4),
    (Refused, 3),
    (InvalidArgument, 2),
    (Exception, 1),
)
_USAGE, _INTERRUPTED = 2, 130

# typer exports only BadParameter; its parent is click's class for all mistakes on a command line.
_UsageError: type[Exception] = typer.BadParameter.__mro__[1]


def main(arguments: Sequence[str] | None = None) -> int:
    """Run the program and return its exit code; raise nothing unless --debug is given."""
    given = list(sys.argv[1:] if arguments is None else arguments)
    tolerate_ascii()
    if "--debug" in given:
        os.environ["HEDGEROW_TRACEBACK"] = "full"
    try:
        given = _join_command_words(given)
        # Not standalone: typer then returns what the command returned, or the code of an Exit.
        return int(
            _build_program(given)(args=given, prog_name="hedgerow", standalone_mode=False) or 0
        )
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
        message = _format_error(error)
        if "--json" in given:
            print_json({"error": {"type": type(error).__name__, "message": message}})
        print_error(message)
        if isinstance(error, _UsageError):
            return _USAGE
        return next(code for kind, code in EXIT_CODES if isinstance(error, kind))


def _build_program(given: Sequence[str]) -> typer.Typer:
    """Build the program with the called command loaded and the others by their help line only."""
    program = typer.Typer(
        name="hedgerow",
        help="Differential privacy with exact noise.",
        epilog="Exit codes: 0 done, 1 failure, 2 wrong usage, 3 refused, 4 budget exhausted.",
        add_completion=False,
        pretty_exceptions_enable=False,
    )
    program.callback(invoke_without_command=True)(_show_help)
    called = next((word for word in given if not word.startswith("-")), None)
    for command in COMMANDS:
        if command.name == called:
            function = command.load()
            program.command(command.name, help=_format_help(function))(function)
        else:
            program.command(command.name, help=command.summary)(lambda: None)
    return program


def _format_help(function: Callable[..., int]) -> str:
    """Return the docstring of a command with one line for each paragraph, for typer to wrap."""
    paragraphs = (inspect.getdoc(function) or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs)


def _show_version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"hedgerow {hedgerow.__version__}")
        raise typer.Exit


def _show_help(
    context: typer.Context,
    version: Annotated[  # noqa: ARG001
        bool,
        typer.Option("--version", callback=_show_version, is_eager=True, help="Show the version."),
    ] = False,
) -> None:
    if context.invoked_subcommand is None:
        typer.echo(context.get_help())


def _join_command_words(given: list[str]) -> list[str]:
    """Return the arguments with the two words of a command joined into one; ``help`` in front
    becomes an option."""
    if given[:1] == ["help"]:
        given = [*given[1:], "--help"]
    names = [command.name for command in COMMANDS]
    if " ".join(given[:2]) in names:
        return [" ".join(given[:2]), *given[2:]]
    first = given[0] if given else ""
    longer = [f"'hedgerow {name}'" for name in names if name.startswith(f"{first} ")]
    if not longer or first in names:
        return given
    listed = " or ".join([", ".join(longer[:-1]), longer[-1]] if len(longer) > 1 else longer)
    if "--help" in given:
        typer.echo(f"'{first}' takes a second word: {listed}. Each has its own --help.")
        raise typer.Exit
    raise _UsageError(f"'{first}' takes a second word: {listed}")


def _close_output() -> int:
    """Silence standard output after its reader has gone, as ``head`` does, and return the code.

    Python flushes its streams on exit; without this it would print a second error then.
    """
    os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return EXIT_CODES[-1][1]


def _format_error(error: Any) -> str:
    if isinstance(error, _UsageError):
        context = getattr(error, "ctx", None)
        path = context.command_path if context else "hedgerow"
        message = error.format_message().rstrip(".")  # type: ignore[attr-defined]
        message = message.replace("Value error, ", "")
        if context and message.startswith("Missing argument"):
            usage = " ".join(context.get_usage().split())
            message += f". {usage.replace('{', '').replace('}', '')}"
        return f"{message}{'' if message.endswith('?') else '.'} See '{path} --help'."
    if isinstance(error, hedgerow.HedgerowError):
        return str(error)
    return f"{type(error).__name__}: {error}. Run again with --debug to see where."
