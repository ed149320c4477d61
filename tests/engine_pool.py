"""Engines in this process that tests hand on to each other: opening one takes 11 ms, and the suite
opens thousands.

A session of frames gets two cursors of an idle engine, if there is one. Nothing of the session
before is left in it: its configuration is locked, frames are views of the cursors, which end with
the session, and an engine with a table is not handed on. Tests of sessions open their own.
"""

from __future__ import annotations

import threading
import weakref
from collections import defaultdict
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from hedgerow.engines.duckdb.session import DuckDBSession
from hedgerow.engines.duckdb.session_protocol import EngineLimits

MOST_ROWS = 10_000  # up to which the settings of a session do not depend on its data

_idle = defaultdict[EngineLimits, list[Any]](list)
_open, _close = DuckDBSession.__init__, DuckDBSession.close


def share_engines(patch: pytest.MonkeyPatch) -> None:
    """Let sessions of frames take idle engines."""
    patch.setattr(DuckDBSession, "__init__", _open_shared)
    patch.setattr(DuckDBSession, "close", _close_shared)


def _open_shared(
    session: DuckDBSession, paths: Sequence[Path], limits: EngineLimits, rows: int = 0
) -> None:
    engine = None if paths or rows > MOST_ROWS else _take_idle(limits)
    if engine is None:
        _open(session, paths, limits, rows)
        if paths or rows > MOST_ROWS:
            return
        engine = session._connection
        session._array_cursor.close()
    else:
        session._lock, session._array_lock = threading.Lock(), threading.Lock()
        session._objects = {}
    session._connection, session._array_cursor = engine.cursor(), engine.cursor()
    # also of a session that nobody closes
    vars(session)["give_back"] = weakref.finalize(session, _idle[limits].append, engine)


def _take_idle(limits: EngineLimits) -> Any:
    """Take an idle engine without tables, or None; the threads of a service take theirs at once."""
    while True:
        try:
            engine = _idle[limits].pop()
        except IndexError:
            return None
        if engine.execute("SELECT count(*) FROM duckdb_tables()").fetchall() == [(0,)]:
            return engine
        engine.close()


def _close_shared(session: DuckDBSession) -> None:
    _close(session)
    if "give_back" in vars(session):
        vars(session)["give_back"]()
