"""What engines are asked through, in this process or in another. Nothing heavy is loaded here: the
process that asks needs no engine.

What both processes know are named tuples: dataclasses would take a tenth of the time in which a
child starts.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple, Protocol, Self, TypeVar

from hedgerow.errors import HedgerowError, SourceError

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.engines.process.statement import Statement
    from hedgerow.engines.result_columns import ResultColumns

__all__ = [
    "AttachedRelation",
    "EngineLimits",
    "SandboxLayer",
    "SessionProtocol",
    "hide_engine_errors",
]

T = TypeVar("T")


class _EngineLimits(NamedTuple):
    threads: int | None
    memory: int | None


class EngineLimits(_EngineLimits):
    """``threads`` and ``memory`` (bytes) of the engine; None leaves them to it."""

    __slots__ = ()

    def __new__(cls, threads: int | None = None, memory: int | None = None) -> Self:
        """Each is a whole number of at least 1, or None."""
        return super().__new__(
            cls, _check_positive(threads, "threads"), _check_positive(memory, "memory")
        )

    @property
    def max_bytes(self) -> int:
        """The bytes that the engine may take: all there are, where nobody says how many."""
        return self.memory or os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")


def _check_positive(value: int | None, name: str) -> int | None:
    if value is None or (type(value) is int and value >= 1):
        return value
    # knows numpy's numbers too, which the child must not load to hear a plain one
    from hedgerow.numeric.exact_number import parse_whole

    return parse_whole(value, name)


class AttachedRelation(NamedTuple):
    """A relation and its columns: name and the engine's word for the type."""

    relation: str
    columns: tuple[tuple[str, str], ...]


class SandboxLayer(NamedTuple):
    """A layer of the sandbox of an engine process, whether it is active, and what it does or why
    not.
    """

    name: str
    active: bool
    detail: str


def hide_engine_errors(action: Callable[[], T], words: str) -> T:
    """The result, or a SourceError that carries nothing of the engine's own message, which may
    quote data.
    """
    try:
        return action()
    except HedgerowError:
        raise
    except Exception:
        pass
    raise SourceError(words)


class SessionProtocol(Protocol):
    """What a catalogue needs of a session, in this process or in another."""

    def attach_object(self, relation: str, table: pa.Table) -> AttachedRelation:
        """A relation over an Arrow table."""

    def attach_file(self, relation: str, path: Path) -> AttachedRelation:
        """A relation over a file."""

    def store_query(self, relation: str, query: str) -> AttachedRelation:
        """A relation that keeps the result of a query."""

    def verify_statistics(self, relation: str, names: Sequence[str]) -> bool:
        """Whether these columns hold what the engine takes for granted about them."""

    def run_statement(self, statement: Statement) -> ResultColumns:
        """Keys and numbers of a statement."""
