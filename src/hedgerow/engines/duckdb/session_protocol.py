"""The interface of an engine session, in this process or in another.

Nothing heavy is imported here: the asking process needs no engine. Types that the engine process
also loads are named tuples, since importing dataclasses would take a tenth of its start.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Final, NamedTuple, Protocol, Self, TypeVar

from hedgerow.errors import HedgerowError, SourceError

if TYPE_CHECKING:
    import pyarrow as pa

    from hedgerow.engines.result_columns import ResultColumns
    from hedgerow.engines.statement import Statement

__all__ = [
    "AttachedRelation",
    "EngineLimits",
    "SessionProtocol",
    "hide_engine_errors",
]

T = TypeVar("T")
_CONTROL_GROUP_LIMITS: Final = (
    "/sys/fs/cgroup/memory.max",
    "/sys/fs/cgroup/memory/memory.limit_in_bytes",
)


class _EngineLimits(NamedTuple):
    threads: int | None
    memory: int | None


class EngineLimits(_EngineLimits):
    """The limits of an engine: ``threads``, which None leaves to the engine, and ``memory`` in
    bytes.
    """

    __slots__ = ()

    def __new__(cls, threads: int | None = None, memory: int | None = None) -> Self:
        """Check that each limit is an integer of at least 1, or None."""
        return super().__new__(
            cls, _check_positive(threads, "threads"), _check_positive(memory, "memory")
        )

    @property
    def max_bytes(self) -> int:
        """The most bytes that the engine may use: half of the memory of the machine, or of its
        control group, unless a limit is set. A join can multiply the rows of one person beyond any
        memory, and whatever else runs on the machine must survive that.
        """
        return self.memory or min(_list_memory_sizes()) // 2


def _list_memory_sizes() -> Iterator[int]:
    yield os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    for file in _CONTROL_GROUP_LIMITS:
        with contextlib.suppress(OSError, ValueError):  # no such group, or "max"
            yield int(Path(file).read_text(encoding="ascii"))


def _check_positive(value: int | None, name: str) -> int | None:
    if value is None or (type(value) is int and value >= 1):
        return value
    # imported here: it accepts numpy integers, and the engine process must not load numpy
    from hedgerow.numeric.exact_number import parse_whole

    return parse_whole(value, name)


class AttachedRelation(NamedTuple):
    """A relation and its columns, as pairs of a name and the engine's type."""

    relation: str
    columns: tuple[tuple[str, str], ...]


def hide_engine_errors(action: Callable[[], T], message: str) -> T:
    """Run an action; replace any engine error, which may quote data, by a SourceError with
    ``message``.
    """
    try:
        return action()
    except HedgerowError:
        raise
    except Exception:
        pass
    raise SourceError(message)


class SessionProtocol(Protocol):
    """The methods of a session that attaching tables needs."""

    def attach_object(self, relation: str, table: pa.Table) -> AttachedRelation:
        """Attach an Arrow table as a relation."""

    def attach_file(self, relation: str, path: Path) -> AttachedRelation:
        """Attach a file as a relation."""

    def store_query(self, relation: str, query: str) -> AttachedRelation:
        """Store the result of a query as a relation."""

    def verify_statistics(self, relation: str, names: Sequence[str]) -> bool:
        """Return whether the statistics that the engine trusts are true of these columns."""

    def run_statement(self, statement: Statement) -> ResultColumns:
        """Run a statement and return its keys and numbers."""
