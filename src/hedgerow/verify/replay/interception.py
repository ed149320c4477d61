"""Interception: within ``intercept_calls(tape)``, calls of mechanisms in this thread go to the
tape.

The methods of the classes are replaced while any tape runs, and restored when the last one ends. A
replacement looks up the tape in a context variable, and calls the original if there is none:
another thread that draws noise meanwhile draws real noise. So does a thread that the glue code
starts itself; its noise is new in every run, which ``replay`` reports. The packages that release
data never import this module.
"""

from __future__ import annotations

import functools
import inspect
import threading
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from types import FunctionType
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import ALL
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.decorator import ProgramMechanism
from hedgerow.verify.replay.call import RecordedCall, bind_arguments, find_calling_line
from hedgerow.verify.replay.tape import Tape

__all__ = ["DRAW_METHODS", "intercept_calls"]

# The methods that draw, and those that calibrate for a sensitivity.
DRAW_METHODS: Final = ("sample", "sample_with_gap", "quantile")
_CALIBRATE_METHODS: Final = ("calibrate", "classical")
_SENSITIVITY_NAMES: Final = ("sensitivity", "rows", "group")  # arguments of these methods

_CURRENT_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)
_LOCK = threading.Lock()
_PATCH_COUNTS: dict[type, int] = {}
_ORIGINALS: dict[tuple[type, str], Any] = {}
# The calibrated instances, with their sensitivity. They are kept alive so that no id is reused.
_DECLARED: ContextVar[dict[int, tuple[Any, int | Sensitivity]] | None] = ContextVar(
    "declared", default=None
)


@contextmanager
def intercept_calls(tape: Tape, also: Sequence[type] = ()) -> Iterator[None]:
    """Send calls of the mechanisms in ``mechanisms.ALL``, and of the classes in ``also``, to the
    tape.
    """
    for one in also:
        if not isinstance(one, type) or not any(
            isinstance(vars(one).get(name), FunctionType) for name in DRAW_METHODS
        ):
            raise InvalidArgument("also", "must be classes that define a method sample", one)
    classes = (*ALL, ProgramMechanism, *(one for one in also if one not in ALL))
    with _LOCK:
        for one in classes:
            _PATCH_COUNTS[one] = _PATCH_COUNTS.get(one, 0) + 1
            if _PATCH_COUNTS[one] == 1:
                _patch(one)
    playing, declared = _CURRENT_TAPE.set(tape), _DECLARED.set({})
    try:
        yield
    finally:
        _CURRENT_TAPE.reset(playing)
        _DECLARED.reset(declared)
        with _LOCK:
            for one in classes:
                _PATCH_COUNTS[one] -= 1
                if _PATCH_COUNTS[one] == 0:
                    _unpatch(one)


def _patch(one: type) -> None:
    for name in (*DRAW_METHODS, *_CALIBRATE_METHODS):
        original = vars(one).get(name)
        if name in DRAW_METHODS and isinstance(original, FunctionType):
            _ORIGINALS[one, name] = original
            setattr(one, name, _wrap_draw(original, name))
        elif name in _CALIBRATE_METHODS and isinstance(original, classmethod):
            _ORIGINALS[one, name] = original
            setattr(one, name, _wrap_calibrate(original))
    if one is ProgramMechanism:
        _ORIGINALS[one, "__call__"] = ProgramMechanism.__call__
        setattr(one, "__call__", _wrap_program_call(ProgramMechanism.__call__))  # noqa: B010  (a method is not assigned to, say type checkers)


def _unpatch(one: type) -> None:
    for owner, name in [key for key in _ORIGINALS if key[0] is one]:
        setattr(owner, name, _ORIGINALS.pop((owner, name)))


def _wrap_draw(original: Callable[..., Any], method: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        tape = _CURRENT_TAPE.get()
        if tape is None:
            return original(self, *args, **kwargs)
        given = bind_arguments(original, self, args, kwargs)
        call = RecordedCall(self, method, given, _find_declared(self), find_calling_line())
        if "answers" in given:  # sparse vector: each verdict may decide the next query
            public = {name: value for name, value in given.items() if name != "answers"}
            answers = args[0] if args else kwargs["answers"]
            return tape.play_verdicts(call, answers, lambda heard: original(self, heard, **public))
        return tape.play(call, lambda: _call_without_tape(original, self, args, kwargs))

    return draw


def _wrap_program_call(original: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a call of a function with ``@mechanism``; its claim is its calibration."""

    @functools.wraps(original)
    def call(self: ProgramMechanism, *args: Any, **kwargs: Any) -> Any:
        tape = _CURRENT_TAPE.get()
        if tape is None:
            return original(self, *args, **kwargs)
        given = bind_arguments(inspect.unwrap(self), None, args, kwargs)
        return tape.play(
            RecordedCall(self, "__call__", given, 1, find_calling_line()),
            lambda: _call_without_tape(original, self, args, kwargs),
        )

    return call


def _call_without_tape(
    original: Callable[..., Any], self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]
) -> Any:
    """Call the original. A mechanism that uses another one counts as one call."""
    token = _CURRENT_TAPE.set(None)
    try:
        return original(self, *args, **kwargs)
    finally:
        _CURRENT_TAPE.reset(token)


def _wrap_calibrate(original: classmethod[Any, Any, Any]) -> classmethod[Any, Any, Any]:
    @functools.wraps(original.__func__)
    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        made = original.__func__(cls, *args, **kwargs)
        known = _DECLARED.get()
        if known is not None:
            given = next(
                (kwargs[name] for name in _SENSITIVITY_NAMES if kwargs.get(name) is not None), 1
            )
            declared = given if isinstance(given, int | Sensitivity) else Sensitivity.of(given)
            known[id(made)] = made, declared
        return made

    return classmethod(make)


def _find_declared(mechanism: Any) -> int | Sensitivity | None:
    known = (_DECLARED.get() or {}).get(id(mechanism))
    return None if known is None else known[1]
