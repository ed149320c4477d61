"""Interception: within ``intercept_calls(tape)``, calls of mechanisms in this thread go to the
tape.

The methods of the classes are replaced while any tape runs, and put back when the last one ends.
What replaces them asks a context variable for the tape, and without one calls the original: another
thread that draws noise meanwhile draws real noise, and is on no tape. So is a thread that the glue
code starts itself; its noise is then new in every run, which ``replay`` reports. Nothing here is
reachable from the rooms that release data: they never import it.
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

# Every method that draws, and every one that says for which sensitivity a mechanism is made.
DRAW_METHODS: Final = ("sample", "sample_with_gap", "quantile")
_CALIBRATE_METHODS: Final = ("calibrate", "classical")
_SENSITIVITY_NAMES: Final = ("sensitivity", "rows", "group")  # what the sensitivity is called there

_CURRENT_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)
_LOCK = threading.Lock()
_PATCH_COUNTS: dict[type, int] = {}
_ORIGINALS: dict[tuple[type, str], Any] = {}
# The instances that were calibrated on some tape, held so that their ids stay theirs, and for what.
_DECLARED: ContextVar[dict[int, tuple[Any, int | Sensitivity]] | None] = ContextVar(
    "declared", default=None
)


@contextmanager
def intercept_calls(tape: Tape, also: Sequence[type] = ()) -> Iterator[None]:
    """Calls of the mechanisms in ``mechanisms.ALL``, and of the classes ``also`` named, go to
    the tape.
    """
    for one in also:
        if not isinstance(one, type) or not any(
            isinstance(vars(one).get(name), FunctionType) for name in DRAW_METHODS
        ):
            raise InvalidArgument("also", "must be classes with a method sample of their own", one)
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
        if "answers" in given:  # a run of verdicts, of which each may decide what is asked next
            public = {name: value for name, value in given.items() if name != "answers"}
            answers = args[0] if args else kwargs["answers"]
            return tape.play_verdicts(call, answers, lambda heard: original(self, heard, **public))
        return tape.play(call, lambda: _call_without_tape(original, self, args, kwargs))

    return draw


def _wrap_program_call(original: Callable[..., Any]) -> Callable[..., Any]:
    """A program with ``@mechanism``, called by its name: its claim is what it is calibrated for."""

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
    """The call itself. A mechanism that uses another inside is one call, not two."""
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
            said = next(
                (kwargs[name] for name in _SENSITIVITY_NAMES if kwargs.get(name) is not None), 1
            )
            known[id(made)] = (
                made,
                said if isinstance(said, int | Sensitivity) else Sensitivity.of(said),
            )
        return made

    return classmethod(make)


def _find_declared(mechanism: Any) -> int | Sensitivity | None:
    known = (_DECLARED.get() or {}).get(id(mechanism))
    return None if known is None else known[1]
