"""Interception: within ``taped(tape)``, calls of mechanisms in this thread go to the tape.

The methods of the classes are replaced while any tape runs, and put back when the last one ends. What replaces them asks a context
variable for the tape, and without one calls the original: another thread that draws noise meanwhile draws real noise, and is on no tape. So
is a thread that the glue code starts itself; its noise is then new in every run, which ``replay`` reports. Nothing here is reachable from
the rooms that release data: they never import it.
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
from hedgerow.verify.mechanism import Mechanism
from hedgerow.verify.replay.calls import Call, bound, here
from hedgerow.verify.replay.tape import Tape

__all__ = ["DRAWS", "taped"]

# Every method that draws, and every one that says for which sensitivity a mechanism is made.
DRAWS: Final = ("sample", "sample_with_gap", "quantile")
_MAKES: Final = ("calibrate", "classical")
_MOVED: Final = ("sensitivity", "rows", "group")  # what the sensitivity is called there

_TAPE: ContextVar[Tape | None] = ContextVar("tape", default=None)
_LOCK = threading.Lock()
_OPEN: dict[type, int] = {}
_ORIGINALS: dict[tuple[type, str], Any] = {}
# The instances that were calibrated on some tape, held so that their ids stay theirs, and for what.
_DECLARED: ContextVar[dict[int, tuple[Any, int | Sensitivity]] | None] = ContextVar("declared", default=None)


@contextmanager
def taped(tape: Tape, also: Sequence[type] = ()) -> Iterator[None]:
    """Calls of the mechanisms in ``mechanisms.ALL``, and of the classes ``also`` named, go to the tape."""
    for one in also:
        if not isinstance(one, type) or not any(isinstance(vars(one).get(name), FunctionType) for name in DRAWS):
            raise InvalidArgument("also", "must be classes with a method sample of their own", one)
    classes = (*ALL, Mechanism, *(one for one in also if one not in ALL))
    with _LOCK:
        for one in classes:
            _OPEN[one] = _OPEN.get(one, 0) + 1
            if _OPEN[one] == 1:
                _replace(one)
    playing, declared = _TAPE.set(tape), _DECLARED.set({})
    try:
        yield
    finally:
        _TAPE.reset(playing)
        _DECLARED.reset(declared)
        with _LOCK:
            for one in classes:
                _OPEN[one] -= 1
                if _OPEN[one] == 0:
                    _put_back(one)


def _replace(one: type) -> None:
    for name in (*DRAWS, *_MAKES):
        original = vars(one).get(name)
        if name in DRAWS and isinstance(original, FunctionType):
            _ORIGINALS[one, name] = original
            setattr(one, name, _drawing(original, name))
        elif name in _MAKES and isinstance(original, classmethod):
            _ORIGINALS[one, name] = original
            setattr(one, name, _making(original))
    if one is Mechanism:
        _ORIGINALS[one, "__call__"] = Mechanism.__call__
        setattr(one, "__call__", _calling(Mechanism.__call__))  # noqa: B010  (a method is not assigned to, say type checkers)


def _put_back(one: type) -> None:
    for owner, name in [key for key in _ORIGINALS if key[0] is one]:
        setattr(owner, name, _ORIGINALS.pop((owner, name)))


def _drawing(original: Callable[..., Any], method: str) -> Callable[..., Any]:
    @functools.wraps(original)
    def draw(self: Any, *args: Any, **kwargs: Any) -> Any:
        tape = _TAPE.get()
        if tape is None:
            return original(self, *args, **kwargs)
        given = bound(original, self, args, kwargs)
        call = Call(self, method, given, _declared(self), here())
        if "answers" in given:  # a run of verdicts, of which each may decide what is asked next
            public = {name: value for name, value in given.items() if name != "answers"}
            answers = args[0] if args else kwargs["answers"]
            return tape.verdicts(call, answers, lambda heard: original(self, heard, **public))
        return tape.play(call, lambda: _untaped(original, self, args, kwargs))

    return draw


def _calling(original: Callable[..., Any]) -> Callable[..., Any]:
    """A program with ``@mechanism``, called by its name: its claim is what it is calibrated for."""

    @functools.wraps(original)
    def call(self: Mechanism, *args: Any, **kwargs: Any) -> Any:
        tape = _TAPE.get()
        if tape is None:
            return original(self, *args, **kwargs)
        given = bound(inspect.unwrap(self), None, args, kwargs)
        return tape.play(Call(self, "__call__", given, 1, here()), lambda: _untaped(original, self, args, kwargs))

    return call


def _untaped(original: Callable[..., Any], self: Any, args: tuple[Any, ...], kwargs: dict[str, Any]) -> Any:
    """The call itself. A mechanism that uses another inside is one call, not two."""
    token = _TAPE.set(None)
    try:
        return original(self, *args, **kwargs)
    finally:
        _TAPE.reset(token)


def _making(original: classmethod[Any, Any, Any]) -> classmethod[Any, Any, Any]:
    @functools.wraps(original.__func__)
    def make(cls: type, *args: Any, **kwargs: Any) -> Any:
        made = original.__func__(cls, *args, **kwargs)
        known = _DECLARED.get()
        if known is not None:
            said = next((kwargs[name] for name in _MOVED if kwargs.get(name) is not None), 1)
            known[id(made)] = (made, said if isinstance(said, int | Sensitivity) else Sensitivity.of(said))
        return made

    return classmethod(make)


def _declared(mechanism: Any) -> int | Sensitivity | None:
    known = (_DECLARED.get() or {}).get(id(mechanism))
    return None if known is None else known[1]
