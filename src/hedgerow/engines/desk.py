"""What engines are asked through, in this process or in another. Nothing heavy is loaded here: the process that asks needs no engine."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Protocol, TypeVar

from hedgerow.engines.decode import Columns, Statement
from hedgerow.errors import HedgerowError, SourceError
from hedgerow.numeric.number import whole

if TYPE_CHECKING:
    import pyarrow as pa

__all__ = ["Attached", "Desk", "Limits", "tried"]

T = TypeVar("T")


@dataclass(frozen=True, slots=True)
class Limits:
    """``threads`` and ``memory`` (bytes) of the engine; None leaves them to it."""

    threads: int | None = None
    memory: int | None = None

    def __post_init__(self) -> None:
        for name in ("threads", "memory"):
            if getattr(self, name) is not None:
                object.__setattr__(self, name, whole(getattr(self, name), name))


@dataclass(frozen=True, slots=True)
class Attached:
    """A relation and its columns: name and the engine's word for the type."""

    relation: str
    columns: tuple[tuple[str, str], ...]


def tried(action: Callable[[], T], words: str) -> T:
    """The result, or a SourceError that carries nothing of the engine's own message, which may quote data."""
    try:
        return action()
    except HedgerowError:
        raise
    except Exception:
        pass
    raise SourceError(words)


class Desk(Protocol):
    """What a catalogue needs of a session, in this process or in another."""

    def attach_object(self, relation: str, table: pa.Table) -> Attached:
        """A relation over an Arrow table."""

    def attach_file(self, relation: str, path: Path) -> Attached:
        """A relation over a file."""

    def store(self, relation: str, query: str) -> Attached:
        """A relation that keeps the result of a query."""

    def answer(self, statement: Statement) -> Columns:
        """Keys and numbers of a statement."""
