"""The shell's settings, its commands, and what is asked before a payment."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from decimal import Decimal
from pathlib import Path

import pytest

from database.clinic import exactly
from hedgerow.cli.shell.session import COMMANDS, ShellSession, ShellSettings
from hedgerow.database import Database
from hedgerow.errors import InvalidArgument, Unsupported

COUNT = "SELECT COUNT(*) AS n FROM data"


@pytest.fixture
def db() -> Iterator[Database]:
    with exactly(epsilon=500) as opened:
        yield opened


def start(
    db: Database, confirm: Callable[[str], bool] | None = None, *, as_json: bool = False
) -> ShellSession:
    settings = ShellSettings(epsilon=100)
    return ShellSession(
        db, Path("none.toml"), analyst=None, settings=settings, confirm=confirm, as_json=as_json
    )


def spend(db: Database) -> float:
    """Return the epsilon that is spent."""
    return float(db.budget.to_dict()["epsilon"]["spent"])


def test_a_price_is_shown_before_it_is_paid(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    prompts: list[str] = []
    answers = [False, True]

    def confirm(prompt: str) -> bool:
        prompts.append(prompt)
        return answers.pop(0)

    session = start(db, confirm)
    session.run_statement(COUNT)
    shown = capsys.readouterr().out
    assert "This question would cost epsilon 100" in shown
    assert "off by about" in shown
    assert "Nothing was charged." in shown
    assert spend(db) == 0
    session.run_statement(COUNT)
    assert "95 % interval" in capsys.readouterr().out
    assert spend(db) == 100
    assert [prompt.partition(",")[0] for prompt in prompts] == ["Pay epsilon 100"] * 2
    session.run_statement(COUNT)  # stored: free, and not asked
    assert "Answered before" in capsys.readouterr().out


def test_a_price_above_the_budget_is_not_asked_about(
    db: Database, capsys: pytest.CaptureFixture[str]
) -> None:
    session = start(db, lambda prompt: True)
    for threshold in range(6):
        session.run_statement(f"{COUNT} WHERE age > {threshold}")
    assert "does not cover it" in capsys.readouterr().out
    assert spend(db) == 500


def test_a_pipe_pays_without_being_asked(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    session = start(db, as_json=True)
    session.run_statement(COUNT)
    session.run_statement("SELECT name FROM hedgerow.tables")
    session.run_statement(f"EXPLAIN PRIVACY {COUNT}")
    session.run_command(r"\d data")
    lines = [json.loads(line) for line in capsys.readouterr().out.splitlines()]
    assert lines[0]["rows"] == [{"n": 800}]
    assert lines[1]["rows"] == [{"name": "data"}]
    assert lines[2]["free"]
    assert lines[3]["rows"][0]["name"]
    assert spend(db) == 100


def test_settings(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    session = start(db, lambda prompt: False)
    for line in (r"\epsilon 0.5", r"\delta 1e-9;", r"\intervals off", r"\pay always"):
        assert session.run_command(line)
    assert session.settings == ShellSettings(Decimal("0.5"), Decimal("1e-9"), False, False)
    session.run_command(r"\epsilon")
    assert "epsilon: 0.5" in capsys.readouterr().out
    session.run_command(r"\delta default")
    assert "the policy's default" in capsys.readouterr().out
    session.run_command(r"\epsilon 100")
    session.run_statement(COUNT)
    assert "95 % interval" not in capsys.readouterr().out
    assert spend(db) == 100
    assert not session.run_command(r"\q")


def test_commands_show_what_is_free(db: Database, capsys: pytest.CaptureFixture[str]) -> None:
    session = start(db, lambda prompt: False)
    session.run_command(r"\help")
    shown = capsys.readouterr().out
    assert all(name in shown for name in COMMANDS)
    session.run_command(r"\d")
    assert "data" in capsys.readouterr().out
    session.run_command(r"\d DATA")
    assert "region" in capsys.readouterr().out
    session.run_command(rf"\explain {COUNT}")
    assert "would cost epsilon 100" in capsys.readouterr().out
    assert spend(db) == 0


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (r"\foo", r"\\foo does not exist"),
        (r"\epsilon -1", "epsilon must be above 0"),
        (r"\epsilon much", "must be a number"),
        (r"\delta 2", "delta must"),
        (r"\intervals maybe", "must be on or off"),
        (r"\pay never", "must be ask or always"),
        (r"\d nothing", "must be one of data"),
    ],
)
def test_mistakes_in_commands_are_named(db: Database, line: str, problem: str) -> None:
    with pytest.raises(InvalidArgument, match=problem):
        start(db).run_command(line)


def test_a_question_that_was_interrupted_is_not_charged_twice(
    db: Database, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    session = start(db, lambda prompt: True)

    def interrupt(*arguments: object) -> object:
        raise KeyboardInterrupt

    monkeypatch.setattr(db.source, "run", interrupt)
    with pytest.raises(KeyboardInterrupt):
        session.run_statement(COUNT)
    assert spend(db) == 100
    assert "asking the same again is free" in capsys.readouterr().err
    monkeypatch.undo()
    session.run_statement(COUNT)
    assert spend(db) == 100
    assert "800" in capsys.readouterr().out


def test_a_refused_question_may_be_asked_anew(db: Database) -> None:
    session = start(db, lambda prompt: True)
    with pytest.raises(Unsupported):
        session.run_statement("SELECT * FROM data")
    assert spend(db) == 0
