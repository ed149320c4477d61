"""Completion: what is offered where."""

from __future__ import annotations

from collections.abc import Iterator

import pytest

from database.clinic import exactly
from hedgerow.cli.shell.completion import NameCompleter


@pytest.fixture(scope="module")
def completer() -> Iterator[NameCompleter]:
    with exactly() as db:
        yield NameCompleter(db.catalog, (r"\d", r"\budget", r"\q"))


@pytest.mark.parametrize(
    ("before", "word", "offered"),
    [
        ("SELECT ", "regi", ["region"]),
        ("SELECT ", "REGI", ["region"]),
        ("SELECT ", "regr_s", ["regr_slope("]),
        ("SELECT ", "med", ["median("]),
        ("SELECT ", "MED", ["MEDIAN("]),
        ("SELECT COUNT(*) ", "whe", ["where", "when"]),
        ("SELECT COUNT(*) FROM ", "da", ["data"]),
        ("SELECT COUNT(*) from ", "hedgerow.b", ["hedgerow.budget"]),
        ("SELECT ", "data.reg", ["data.region"]),
        ("SELECT ", "d.reg", ["d.region"]),
        ("", "\\b", [r"\budget"]),
        ("\\d ", "d", ["data"]),
        ("SELECT ", "zzz", []),
        ("SELECT ", "\\b", []),
    ],
)
def test_names_are_completed(
    before: str, word: str, offered: list[str], completer: NameCompleter
) -> None:
    assert completer.list_completions(before, word) == offered
