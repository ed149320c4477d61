"""The history of statements: whose it is, what is in it, how long it grows."""

from __future__ import annotations

import stat
from pathlib import Path

import pytest

from hedgerow.cli.shell import line_editor
from hedgerow.cli.shell.line_editor import LineEditor, locate_history

readline = pytest.importorskip("readline")


@pytest.fixture(autouse=True)
def clean_readline() -> None:
    readline.clear_history()


def list_completions(before: str, word: str) -> list[str]:
    """Offer two words that show what was asked."""
    return [f"{before}|{word}|{place}" for place in range(2)]


def read_history() -> list[str]:
    """Return what the arrow keys would show."""
    return [
        readline.get_history_item(place + 1)
        for place in range(readline.get_current_history_length())
    ]


def test_only_the_user_reads_the_history(tmp_path: Path) -> None:
    path = tmp_path / "state" / "hedgerow" / "shell_history"
    editor = LineEditor(list_completions, path)
    editor.add_statement("SELECT 1")
    editor.add_statement("SELECT 'a\nb'")
    assert path.read_text(encoding="utf-8") == "SELECT 1\n"
    assert stat.S_IMODE(path.stat().st_mode) == 0o600
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert read_history() == ["SELECT 1", "SELECT 'a\nb'"]
    readline.clear_history()
    LineEditor(list_completions, path)
    assert read_history() == ["SELECT 1"]


def test_a_long_history_is_cut(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_editor, "_MAX_STATEMENTS", 2)
    path = tmp_path / "shell_history"
    path.write_text("".join(f"SELECT {place}\n" for place in range(5)), encoding="utf-8")
    LineEditor(list_completions, path)
    assert read_history() == ["SELECT 3", "SELECT 4"]
    assert path.read_text(encoding="utf-8") == "SELECT 3\nSELECT 4\n"


def test_a_history_that_cannot_be_written_is_no_mistake(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("", encoding="utf-8")
    LineEditor(list_completions, tmp_path / "file" / "shell_history").add_statement("SELECT 1")
    assert read_history() == ["SELECT 1"]


def test_completions_are_given_one_by_one(tmp_path: Path) -> None:
    editor = LineEditor(list_completions, tmp_path / "shell_history")
    assert [editor._complete_word("x", place) for place in range(3)] == ["|x|0", "|x|1", None]


def test_a_python_without_readline_will_do(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(line_editor, "_load_readline", lambda: None)
    editor = LineEditor(list_completions, tmp_path / "shell_history")
    editor.add_statement("SELECT 1")
    monkeypatch.setattr("builtins.input", lambda prompt: f"{prompt}typed")
    assert editor.read_line("> ") == "> typed"
    assert not (tmp_path / "shell_history").exists()


def test_the_history_is_in_the_state_of_the_user(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    assert locate_history() == tmp_path / "hedgerow" / "shell_history"
    monkeypatch.delenv("XDG_STATE_HOME")
    assert locate_history() == Path.home() / ".local" / "state" / "hedgerow" / "shell_history"
