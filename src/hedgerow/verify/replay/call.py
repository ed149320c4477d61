"""Recorded calls of mechanisms, and the source lines they come from."""

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

__all__ = ["CodeLine", "RecordedCall", "bind_arguments", "find_calling_line"]

_PACKAGE_FOLDER = str(Path(__file__).parent)


@dataclass(frozen=True, slots=True)
class CodeLine:
    """A line of the glue code."""

    file: str
    line: int

    @property
    def text(self) -> str:
        """The text of the line, or "" if the file cannot be read."""
        return linecache.getline(self.file, self.line).strip()

    def __str__(self) -> str:
        return f"{Path(self.file).name}, line {self.line}"


@dataclass(slots=True)
class RecordedCall:
    """A call ``mechanism.method(**arguments)``. ``declared_sensitivity`` is the sensitivity (or
    rows, or group) that the mechanism was calibrated for, if known. The call of a sparse vector
    grows while its verdicts are read: ``is_ended`` says that it came to its own end.
    """

    mechanism: Any
    method: str
    arguments: dict[str, Any]
    declared_sensitivity: int | Sensitivity | None
    place: CodeLine
    output: Any = None
    verdicts: list[Any] = field(default_factory=list)
    is_ended: bool = False
    is_exhausted: bool = False

    @property
    def name(self) -> str:
        """The name for messages."""
        if self.method == "__call__":
            return str(self.mechanism.name)
        return f"{type(self.mechanism).__name__}.{self.method}"


def bind_arguments(
    function: Callable[..., Any], mechanism: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> dict[str, Any]:
    """Return the arguments by name, with defaults and without ``self``. They are copied, since glue
    code may change its arrays afterwards.
    """
    found = inspect.signature(function).bind(
        *(() if mechanism is None else (mechanism,)), *args, **kwargs
    )
    found.apply_defaults()
    return {
        name: copy_value(value) for name, value in found.arguments.items() if value is not mechanism
    }


def copy_value(value: Any) -> Any:
    """Return a copy if the value can be copied, and otherwise the value, such as an iterator."""
    try:
        return copy.deepcopy(value)
    except (TypeError, NotImplementedError):
        return value


def find_calling_line() -> CodeLine:
    """Return the innermost line on the stack outside this package."""
    frame = sys._getframe(1)
    while frame.f_back is not None and frame.f_code.co_filename.startswith(_PACKAGE_FOLDER):
        frame = frame.f_back
    return CodeLine(frame.f_code.co_filename, frame.f_lineno)
