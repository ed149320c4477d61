"""Calls and where they stand."""

from __future__ import annotations

import threading

from hedgerow.mechanisms import Laplace
from hedgerow.verify.replay.call import CodeLine, bind_arguments, copy_value, find_calling_line


def test_the_line_outside_the_room() -> None:
    place = find_calling_line()
    assert place.file == __file__
    assert place.text == "place = find_calling_line()"
    assert str(CodeLine("/a/glue.py", 3)) == "glue.py, line 3"
    assert CodeLine("/nowhere/glue.py", 3).text == ""


def test_arguments_get_their_names_and_are_copied() -> None:
    rows = [1, 2]
    given = bind_arguments(Laplace.sample, Laplace(1), (rows,), {})  # type: ignore[arg-type]
    rows.append(3)
    assert given == {"exact": [1, 2]}


def test_what_cannot_be_copied_stays() -> None:
    lock = threading.Lock()
    assert copy_value(lock) is lock
