"""Exit codes, messages, JSON: what a shell script sees."""

from __future__ import annotations

import json
import re
import subprocess
import sys
import tomllib
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

import hedgerow
from hedgerow import errors
from hedgerow.cli import app
from hedgerow.cli.app import Command
from hedgerow.cli.options import DebugOption, JsonOption

NAMES = [command.name for command in app.COMMANDS]


def plant_function(
    monkeypatch: pytest.MonkeyPatch, function: Callable[..., int], summary: str = ""
) -> None:
    """Add a command ``planted`` that runs a function."""
    module = ModuleType("planted_commands")
    module.planted = function  # type: ignore[attr-defined]
    monkeypatch.setitem(sys.modules, module.__name__, module)
    command = Command("planted", "planted_commands:planted", summary)
    monkeypatch.setattr(app, "COMMANDS", (*app.COMMANDS, command))


def plant(monkeypatch: pytest.MonkeyPatch, failure: BaseException | None, code: int = 0) -> None:
    """Add a command ``planted`` that fails, or returns a code."""

    def planted(as_json: JsonOption = False, debug: DebugOption = False) -> int:
        if failure is not None:
            raise failure
        return code

    plant_function(monkeypatch, planted)


def test_the_installed_program_is_this_one() -> None:
    project = tomllib.loads(
        (Path(__file__).parents[2] / "pyproject.toml").read_text(encoding="utf-8")
    )["project"]
    assert project["scripts"] == {"hedgerow": "hedgerow.cli:main"}
    assert hedgerow.cli.main is app.main


def test_commands_are_listed() -> None:
    assert NAMES == [
        "demo", "init", "check", "query", "shell", "explain", "budget", "budget raise",
        "policy accept", "caps", "compare",
        "ledger verify", "ledger adopt", "ledger backup", "ledger restore", "ledger begin",
        "ledger move",
        "serve", "account add", "account list", "account password", "account disable",
        "account token", "publish histogram", "publish cdf", "publish marginals", "publish queries",
        "publish stream", "publish synthetic",
        "local plan", "local simulate", "local encode", "local collect", "local decode",
        "verify", "audit", "risk table", "risk answers", "risk attack",
    ]  # fmt: skip


def test_version(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(["--version"]) == 0
    assert capsys.readouterr() == (f"hedgerow {hedgerow.__version__}\n", "")


@pytest.mark.parametrize("arguments", [[], ["--help"], ["help"]])
def test_help_names_commands_and_exit_codes(
    arguments: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(arguments) == 0
    shown = capsys.readouterr().out
    assert all(word in shown for word in ("demo", "audit", "--version", "4 budget exhausted"))


def test_arguments_come_from_the_shell(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(sys, "argv", ["hedgerow", "--version"])
    assert app.main() == 0
    assert capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (["nonsense"], "No such command 'nonsense'. See 'hedgerow --help'."),
        (
            ["query", "SELECT COUNT(*) FROM visits"],
            "Missing argument 'SQL'. Usage: hedgerow query [OPTIONS] POLICY SQL. See 'hedgerow",
        ),
        (["query", "--format", "xml", "x", "y"], "'--format': 'xml' is not one of 'table', 'csv',"),
        (["audit"], "Missing argument 'FILE:FUNCTION'. Usage: hedgerow audit [OPTIONS]"),
        (["audit", "--no-such-option"], "--no-such-option. See 'hedgerow audit --help'."),
        (["audit", "x.py:f", "--samples", "many"], "See 'hedgerow audit --help'."),
        (
            ["ledger"],
            (
                "'ledger' takes a second word: 'hedgerow ledger verify', 'hedgerow ledger adopt',"
                " 'hedgerow ledger backup', "
            ),
        ),
        (
            ["ledger"],
            "'hedgerow ledger begin' or 'hedgerow ledger move'. See 'hedgerow --help'.",
        ),
        (["ledger", "verfy", "x.toml"], "'hedgerow ledger verify'"),
        (["policy"], "'policy' takes a second word: 'hedgerow policy accept'."),
        (["budget"], "POLICY. See 'hedgerow budget --help'."),
        (["budget", "raise"], "POLICY. See 'hedgerow budget raise --help'."),
    ],
)
def test_wrong_usage_is_2_and_says_where_help_is(
    arguments: list[str], told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert app.main(arguments) == 2
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Error: ")
    assert told in err
    assert err.count("\n") == 1


@pytest.mark.parametrize(
    ("failure", "code", "told"),
    [
        (
            errors.BudgetExceeded("It asks for 0.2 with 0.1 left."),
            4,
            "It asks for 0.2 with 0.1 left.",
        ),
        (errors.Refused("Not like this."), 3, "Not like this."),
        (errors.Unbounded("No bound."), 3, "No bound."),
        (errors.Unsupported("No such thing [yet]."), 3, "No such thing [yet]."),
        (
            errors.InvalidArgument("epsilon", "must be above 0", -1),
            2,
            "epsilon must be above 0; got -1.",
        ),
        (errors.SourceError("The file is gone."), 1, "The file is gone."),
        (errors.LedgerError("The chain is broken."), 1, "The chain is broken."),
        (errors.EntropyError("No bits."), 1, "No bits."),
        (KeyError("x"), 1, "KeyError: 'x'. Run again with --debug to see where."),
    ],
)
def test_every_error_has_its_code_and_one_line(
    failure: Exception,
    code: int,
    told: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
) -> None:
    plant(monkeypatch, failure)
    assert app.main(["planted"]) == code
    assert capsys.readouterr() == ("", f"Error: {told}\n")

    assert app.main(["planted", "--json"]) == code
    out, err = capsys.readouterr()
    assert json.loads(out) == {"error": {"type": type(failure).__name__, "message": told}}
    assert err == f"Error: {told}\n"


def test_debug_lets_the_error_through(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, errors.SourceError("The file is gone."))
    with pytest.raises(errors.SourceError):
        app.main(["planted", "--debug"])


def test_wrong_usage_answers_in_json_too(capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main(["nonsense", "--json"]) == 2
    document: dict[str, Any] = json.loads(capsys.readouterr().out)
    assert "No such command" in document["error"]["message"]


def test_interruption(monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, KeyboardInterrupt())
    assert app.main(["planted"]) == 130


@pytest.mark.parametrize("code", [0, 1])
def test_a_command_chooses_its_code(code: int, monkeypatch: pytest.MonkeyPatch) -> None:
    plant(monkeypatch, None, code)
    assert app.main(["planted"]) == code


@pytest.mark.parametrize("first", ["ledger", "policy"])
def test_help_about_a_first_word(first: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert app.main([first, "--help"]) == 0
    assert "takes a second word" in capsys.readouterr().out


def test_help_breaks_lines_where_the_terminal_does(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    def planted() -> int:
        """One line, which
        goes on.

        Another paragraph."""
        return 0

    plant_function(monkeypatch, planted, "A summary in the list.")
    assert app.main(["--help"]) == 0
    assert "A summary in the list." in capsys.readouterr().out
    assert app.main(["planted", "--help"]) == 0
    out = capsys.readouterr().out
    assert "One line, which goes on.\n" in re.sub(" +\n", "\n", out)
    assert "Another paragraph." in out


def test_help_of_every_command(capsys: pytest.CaptureFixture[str]) -> None:
    for command in app.COMMANDS:
        assert app.main([*command.name.split(), "--help"]) == 0
        out = capsys.readouterr().out
        assert "--json" in out
        assert "--debug" in out
        first, _, _ = app._format_help(command.load()).partition("\n\n")
        assert first.startswith(command.summary), command.name


def test_listing_commands_imports_none_of_them() -> None:
    code = (
        "import sys; from hedgerow.cli import main; main(['--help']); print([name for name in"
        " sys.modules if name.startswith(('hedgerow.cli.', 'duckdb', 'numpy', 'pyarrow'))])"
    )
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert run.stdout.splitlines()[-1] == "['hedgerow.cli.terminal', 'hedgerow.cli.app']"


@pytest.mark.long
def test_a_reader_that_goes_away_is_no_mistake() -> None:
    code = (
        "import sys; from hedgerow.cli import app; app.much = lambda: print('x' * 10**7) or 0;"
        " app.COMMANDS = (app.Command('much', 'hedgerow.cli.app:much', ''),);"
        " sys.exit(app.main(['much']))"
    )
    with subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as process:
        assert process.stdout is not None
        assert process.stdout.read(1) == b"x"
        process.stdout.close()
        assert process.stderr is not None
        assert process.stderr.read() == b""
    assert process.returncode == 1
