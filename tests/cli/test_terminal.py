"""Output, errors, progress."""

from __future__ import annotations

import io
import sys
import time

import pytest
from rich.console import Console
from rich.progress import Progress

from hedgerow.cli import terminal


def test_json_is_written_as_it_is(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_json({"share": 0.5, "label": "0–9"})
    assert capsys.readouterr() == ('{\n  "share": 0.5,\n  "label": "0–9"\n}\n', "")


def test_json_has_no_infinity() -> None:
    with pytest.raises(ValueError, match="JSON"):
        terminal.print_json(float("inf"))


def test_a_long_message_stays_on_one_line(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "40")
    terminal.print_error("word " * 40 + "[end]")
    out, err = capsys.readouterr()
    assert out == ""
    assert err.startswith("Error: word word")
    assert err.endswith("[end]\n")
    assert err.count("\n") == 1


@pytest.fixture
def screen(monkeypatch: pytest.MonkeyPatch) -> io.StringIO:
    """A terminal that remembers."""
    shown = io.StringIO()
    monkeypatch.setattr(
        terminal,
        "make_error_console",
        lambda: Console(file=shown, force_terminal=True, width=80, highlight=False),
    )
    return shown


def test_progress_shows_after_a_moment(
    screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(terminal, "_PROGRESS_DELAY", 0.0)
    with terminal.show_progress("counting", quiet=False) as moved:
        assert moved is not None
        moved(5, 10)
        deadline = time.monotonic() + 30
        while "counting" not in screen.getvalue() and time.monotonic() < deadline:
            time.sleep(0.01)
    assert "counting" in screen.getvalue()


def test_progress_tells_the_time() -> None:
    clock = [0.0]
    bar = Progress(get_time=lambda: clock[0])
    number = bar.add_task("counting", total=None)
    (task,) = bar.tasks

    def show(seconds: float) -> str:
        clock[0] = seconds
        return terminal.ElapsedTime().render(task).plain

    assert show(7.9) == "7 s"
    assert show(127.0) == "2:07"
    bar.update(number, total=10, completed=1)
    clock[0] = 137.0
    bar.update(number, completed=2)
    assert show(137.0) == "2:17, 1:20 left"


def test_quick_work_shows_no_progress(screen: io.StringIO, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(terminal, "_PROGRESS_DELAY", 3600.0)
    with terminal.show_progress("counting", quiet=False) as moved:
        assert moved is not None
        moved(5, 10)
    assert "counting" not in screen.getvalue()


def test_progress_is_kept_from_scripts(
    screen: io.StringIO, monkeypatch: pytest.MonkeyPatch
) -> None:
    with terminal.show_progress("counting", quiet=True) as moved:
        assert moved is None
    monkeypatch.setattr(terminal, "make_error_console", lambda: Console(file=screen))
    with terminal.show_progress("counting", quiet=False) as moved:
        assert moved is None
    assert screen.getvalue() == ""


def test_plain_characters_stand_in(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    terminal.tolerate_ascii()
    print("0–9 ██├┼◆┤ ± é")
    sys.stdout.flush()
    assert raw.getvalue() == b"0-9 ##|+*| ~ ?\n"


def test_streams_that_cannot_be_changed_are_left(monkeypatch: pytest.MonkeyPatch) -> None:
    stream = io.StringIO()
    monkeypatch.setattr(sys, "stdout", stream)
    terminal.tolerate_ascii()
    print("◆")
    assert stream.getvalue() == "◆\n"


def test_lines_are_printed_as_they_are(capsys: pytest.CaptureFixture[str]) -> None:
    terminal.print_lines(["[bold]x[/]", "word " * 60], style="bold")
    assert capsys.readouterr().out.splitlines() == ["[bold]x[/]", ("word " * 60)]


def test_a_terminal_breaks_lines_between_words(monkeypatch: pytest.MonkeyPatch) -> None:
    shown = io.StringIO()
    console = Console(file=shown, force_terminal=True, width=20, highlight=False)
    monkeypatch.setattr(terminal, "make_output_console", lambda: console)
    terminal.print_lines(["one two  three four five six", "  1. one two three four\n\nend"])
    assert shown.getvalue().splitlines() == [
        "one two  three four", "five six", "  1. one two three", "    four", "", "end",
    ]  # fmt: skip


@pytest.mark.parametrize(("count", "text"), [(0, "0 runs"), (1, "1 run"), (2000, "2,000 runs")])
def test_a_count_has_its_noun(count: int, text: str) -> None:
    assert terminal.format_count(count, "run") == text
