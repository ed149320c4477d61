"""The line editor of the shell: readline with completion and a history of statements."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable
from pathlib import Path
from types import ModuleType
from typing import Final

from hedgerow.cli.shell.completion import WORD_DELIMITERS

__all__ = ["LineEditor", "locate_history"]

_MAX_STATEMENTS: Final = 1000

ListCompletions = Callable[[str, str], list[str]]


def locate_history() -> Path:
    """Return the file of the user's history of statements."""
    state = os.environ.get("XDG_STATE_HOME") or Path.home() / ".local" / "state"
    return Path(state) / "hedgerow" / "shell_history"


class LineEditor:
    """Lines typed at a terminal. Without readline there is neither completion nor history."""

    def __init__(self, list_completions: ListCompletions, history: Path) -> None:
        self._list_completions, self._history = list_completions, history
        self._found: list[str] = []
        self._readline = _load_readline()
        if self._readline is not None:
            self._begin(self._readline)

    def read_line(self, prompt: str) -> str:
        """Read a line; raise EOFError at the end of input and KeyboardInterrupt after Ctrl-C."""
        return input(prompt)

    def add_statement(self, statement: str) -> None:
        """Add a statement, on one line, to the history and its file, which only the user reads."""
        if self._readline is None:
            return
        self._readline.add_history(statement)
        if "\n" in statement:
            return
        with contextlib.suppress(OSError):
            self._history.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
            with open(self._history, "a", encoding="utf-8", opener=_open_private) as file:
                file.write(f"{statement}\n")

    def _begin(self, readline: ModuleType) -> None:
        readline.set_auto_history(False)
        readline.set_completer_delims(WORD_DELIMITERS)
        readline.set_completer(self._complete_word)
        is_libedit = "libedit" in (readline.__doc__ or "")
        readline.parse_and_bind("bind ^I rl_complete" if is_libedit else "tab: complete")
        with contextlib.suppress(OSError, UnicodeError):
            statements = self._history.read_text(encoding="utf-8").splitlines()
            for statement in statements[-_MAX_STATEMENTS:]:
                readline.add_history(statement)
            if len(statements) > 2 * _MAX_STATEMENTS:
                kept = "\n".join(statements[-_MAX_STATEMENTS:])
                self._history.write_text(f"{kept}\n", encoding="utf-8")

    def _complete_word(self, word: str, place: int) -> str | None:
        """Return the completion at a place, as readline asks for them, one by one."""
        if place == 0 and self._readline is not None:
            before = self._readline.get_line_buffer()[: self._readline.get_begidx()]
            self._found = self._list_completions(before, word)
        return self._found[place] if place < len(self._found) else None


def _load_readline() -> ModuleType | None:
    try:
        import readline
    except ImportError:
        return None
    return readline


def _open_private(path: str, flags: int) -> int:
    return os.open(path, flags, mode=0o600)
