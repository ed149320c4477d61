"""Tapes: what mechanisms are asked and what they say, in order. One is recorded, the other plays the answers of the first again.

A tape that plays stops the run (``Diverged``, which no ``except Exception`` catches) when a call has no counterpart on the first, for then
there is no answer to give. What else is wrong is for ``moves`` to say, afterwards.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

from hedgerow.verify.replay.calls import Call, kept
from hedgerow.verify.replay.values import difference

__all__ = ["Diverged", "Playing", "Recording", "Tape", "changed"]


class Diverged(BaseException):
    """The second run asked for something that the first did not."""


class Recording:
    """Draws, and writes down."""

    def __init__(self) -> None:
        self.calls: list[Call] = []

    def play(self, call: Call, draw: Callable[[], Any]) -> Any:
        """The output of the call, drawn now."""
        self.calls.append(call)
        call.output = draw()
        return kept(call.output)

    def verdicts(self, call: Call, answers: Iterable[Any], draw: Callable[[Iterable[Any]], Iterator[Any]]) -> Iterator[Any]:
        """The verdicts of a run, drawn as they are asked for."""
        self.calls.append(call)
        call.given["answers"] = []
        run = draw(_heard(call, answers))
        return self._run(call, run)

    @staticmethod
    def _run(call: Call, run: Iterator[Any]) -> Iterator[Any]:
        for verdict in run:
            call.verdicts.append(verdict)
            yield verdict
        call.ended = True


class Playing:
    """Plays what another tape has recorded."""

    def __init__(self, first: list[Call]) -> None:
        self.first = first
        self.calls: list[Call] = []
        self.problem: tuple[Call, str] | None = None

    def play(self, call: Call, draw: Callable[[], Any]) -> Any:
        """The output that the same call had on the first tape. It is drawn and thrown away here: the mechanism may refuse its input."""
        twin = self._twin(call)
        draw()
        return kept(twin.output)

    def verdicts(self, call: Call, answers: Iterable[Any], _: Callable[[Iterable[Any]], Iterator[Any]]) -> Iterator[Any]:
        """The verdicts of the same run on the first tape."""
        twin = self._twin(call)
        call.given["answers"] = []
        return self._run(call, twin, _heard(call, answers))

    def _run(self, call: Call, twin: Call, heard: Iterator[Any]) -> Iterator[Any]:
        for verdict in twin.verdicts:
            if not _another(heard):
                self._stop(call, "it gets fewer answers on the neighbour")
            call.verdicts.append(verdict)
            yield verdict
        if not twin.ended:
            self._stop(call, "more of its verdicts are read on the neighbour")
        if twin.exhausted and _another(heard):
            self._stop(call, "it gets more answers on the neighbour")
        call.ended = True

    def _twin(self, call: Call) -> Call:
        if len(self.calls) == len(self.first):
            self._stop(call, f"it is one call more than the {len(self.first)} that the first run made")
        twin = self.first[len(self.calls)]
        self.calls.append(call)
        problem = changed(twin, call)
        if problem is not None:
            self._stop(call, problem)
        return twin

    def _stop(self, call: Call, problem: str) -> None:
        self.problem = (call, problem)
        raise Diverged(problem)


Tape = Recording | Playing


def changed(one: Call, other: Call) -> str | None:
    """Why two calls in the same place of their tapes are not one call; None where mechanism and parameters are the same."""
    if (type(one.mechanism), one.method) != (type(other.mechanism), other.method):
        return f"the first run called {one.name} here"
    found = difference(one.mechanism, other.mechanism)
    return None if found is None else f"the parameters of the mechanism depend on the data ({found})"


def _heard(call: Call, answers: Iterable[Any]) -> Iterator[Any]:
    """The answers, each written down when it is taken."""
    for answer in answers:
        call.given["answers"].append(kept(answer))
        yield answer
    call.exhausted = True


def _another(answers: Iterator[Any]) -> bool:
    nothing = object()
    return next(answers, nothing) is not nothing
