"""Tapes: the calls of mechanisms and their outputs, in order. One tape records, the other plays the
recorded outputs again.

A playback tape stops the run (``RunDiverged``, which no ``except Exception`` catches) when a call
has no counterpart on the first tape, since there is no output to return. Other differences are
found afterwards, by ``call_loss``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass, field
from typing import Any

from hedgerow.verify.replay.call import RecordedCall, copy_value
from hedgerow.verify.replay.equality import find_difference

__all__ = ["PlaybackTape", "RecordingTape", "RunDiverged", "Tape", "describe_change"]


class RunDiverged(BaseException):
    """The signal that the second run made a call that the first did not."""


@dataclass
class RecordingTape:
    """A tape that draws and records."""

    calls: list[RecordedCall] = field(default_factory=list)

    def play(self, call: RecordedCall, draw: Callable[[], Any]) -> Any:
        """Draw the output of the call and record it."""
        self.calls.append(call)
        call.output = draw()
        return copy_value(call.output)

    def play_verdicts(
        self,
        call: RecordedCall,
        answers: Iterable[Any],
        draw: Callable[[Iterable[Any]], Iterator[Any]],
    ) -> Iterator[Any]:
        """Draw the verdicts of a sparse vector as they are requested."""
        self.calls.append(call)
        call.arguments["answers"] = []
        run = draw(_record_answers(call, answers))
        return self._record_verdicts(call, run)

    @staticmethod
    def _record_verdicts(call: RecordedCall, run: Iterator[Any]) -> Iterator[Any]:
        for verdict in run:
            call.verdicts.append(verdict)
            yield verdict
        call.is_ended = True


@dataclass
class PlaybackTape:
    """A tape that plays the outputs of another."""

    recorded_calls: list[RecordedCall]
    calls: list[RecordedCall] = field(default_factory=list)
    problem: tuple[RecordedCall, str] | None = None

    def play(self, call: RecordedCall, draw: Callable[[], Any]) -> Any:
        """Return the recorded output of the same call. A fresh output is drawn and discarded, since
        the mechanism may refuse its input.
        """
        twin = self._find_counterpart(call)
        draw()
        return copy_value(twin.output)

    def play_verdicts(
        self,
        call: RecordedCall,
        answers: Iterable[Any],
        _: Callable[[Iterable[Any]], Iterator[Any]],
    ) -> Iterator[Any]:
        """Return the recorded verdicts of the same call."""
        twin = self._find_counterpart(call)
        call.arguments["answers"] = []
        return self._replay_verdicts(call, twin, _record_answers(call, answers))

    def _replay_verdicts(
        self, call: RecordedCall, twin: RecordedCall, heard: Iterator[Any]
    ) -> Iterator[Any]:
        for verdict in twin.verdicts:
            if not _has_another(heard):
                self._stop(call, "it receives fewer answers on the neighbour")
            call.verdicts.append(verdict)
            yield verdict
        if not twin.is_ended:
            self._stop(call, "more of its verdicts are read on the neighbour")
        if twin.is_exhausted and _has_another(heard):
            self._stop(call, "it receives more answers on the neighbour")
        call.is_ended = True

    def _find_counterpart(self, call: RecordedCall) -> RecordedCall:
        if len(self.calls) == len(self.recorded_calls):
            self._stop(
                call,
                f"this call comes after the {len(self.recorded_calls)} calls of the first run",
            )
        twin = self.recorded_calls[len(self.calls)]
        self.calls.append(call)
        problem = describe_change(twin, call)
        if problem is not None:
            self._stop(call, problem)
        return twin

    def _stop(self, call: RecordedCall, problem: str) -> None:
        self.problem = (call, problem)
        raise RunDiverged(problem)


Tape = RecordingTape | PlaybackTape


def describe_change(one: RecordedCall, other: RecordedCall) -> str | None:
    """Return the difference between two calls at the same position, or None if mechanism and
    parameters are equal.
    """
    if (type(one.mechanism), one.method) != (type(other.mechanism), other.method):
        return f"the first run called {one.name} here"
    found = find_difference(one.mechanism, other.mechanism)
    if found is None:
        return None
    return f"the parameters of the mechanism depend on the data ({found})"


def _record_answers(call: RecordedCall, answers: Iterable[Any]) -> Iterator[Any]:
    """Yield the answers and record each when it is taken."""
    for answer in answers:
        call.arguments["answers"].append(copy_value(answer))
        yield answer
    call.is_exhausted = True


def _has_another(answers: Iterator[Any]) -> bool:
    nothing = object()
    return next(answers, nothing) is not nothing
