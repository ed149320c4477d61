"""One call of a mechanism, as it was made."""

from __future__ import annotations

import copy
import inspect
import linecache
import sys
from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["Call", "Place", "bound", "here"]

_ROOM = str(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class Place:
    """A line of the glue code."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The line as it is written, where it can be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}"


@dataclass(slots=True)
class Call:
    """``mechanism.method(**given)``. ``declared`` is the sensitivity (or rows, or group) that the mechanism was calibrated for, where
    that could be seen. The call of a run of verdicts grows while it is read: ``ended`` says that it came to its own end."""

    mechanism: Any
    method: str
    given: dict[str, Any]
    declared: int | Sensitivity | None
    place: Place
    output: Any = None
    verdicts: list[Any] = field(default_factory=list)
    ended: bool = False
    exhausted: bool = False

    @property
    def name(self) -> str:
        """As messages call it."""
        if self.method == "__call__":
            return str(self.mechanism.name)
        return f"{type(self.mechanism).__name__}.{self.method}"


def bound(function: Callable[..., Any], mechanism: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> dict[str, Any]:
    """The arguments by name, those left out included, copied: glue code may change its arrays afterwards. Without ``self``, if there is
    one."""
    found = inspect.signature(function).bind(*(() if mechanism is None else (mechanism,)), *args, **kwargs)
    found.apply_defaults()
    return {name: kept(value) for name, value in found.arguments.items() if value is not mechanism}


def kept(value: Any) -> Any:
    """A copy, where one can be made: of an iterator none can, and none is needed."""
    try:
        return copy.deepcopy(value)
    except (TypeError, NotImplementedError):
        return value


def here() -> Place:
    """The innermost line on the stack that is not of this room."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_ROOM):
        frame = frame.f_back
    return Place(frame.f_code.co_filename, frame.f_lineno)
