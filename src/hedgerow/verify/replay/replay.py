"""Record on some data, play again on a neighbour, compare.

**What is checked.** Run the function on D and keep what its mechanisms were asked and said. Run it
on D' and let every mechanism say the same again. If then

1. the same mechanisms were asked, in the same order, with the same parameters and public arguments,
2. the same came back,

the function is post-processing of what the mechanisms said, as far as this pair and these outputs
show, and the probability of this outcome differs between D and D' by no more than the mechanisms'
own laws do: by the losses of the moves that their inputs made, added up. 3. None of them may move
further than it was calibrated for, 4. nor all together cost more than is claimed.

**What is not.** Other data, other outputs and the branches that they lead to. Whoever passes is
TESTED; only a proof covers all of them.

The function runs three times: on D, on D once more (what changes there is randomness that no
mechanism drew), and on D'. It gets a copy of the data each time. Its time, its files and what it
prints are not looked at.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact, parse_positive
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.replay.call import CodeLine, RecordedCall
from hedgerow.verify.replay.call_loss import (
    compute_declared_loss,
    compute_loss,
    find_public_difference,
    measure_move,
)
from hedgerow.verify.replay.equality import find_difference, realise_iterator
from hedgerow.verify.replay.interception import intercept_calls
from hedgerow.verify.replay.tape import PlaybackTape, RecordingTape, RunDiverged, Tape

__all__ = ["Replay", "ReplayFinding", "ReplayStep", "replay"]

_ZERO_LOSS = Loss(Fraction(0), rho=Fraction(0))


@dataclass(frozen=True, slots=True)
class ReplayFinding:
    """What is wrong, and at which line of the glue code, where it is one line."""

    problem: str
    place: CodeLine | None = None

    def __str__(self) -> str:
        return self.problem if self.place is None else f"{self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """One call: how far its inputs moved (None: not at all), what that costs, and what is
    charged for it.
    """

    name: str
    place: CodeLine
    move: int | Sensitivity | None
    declared_sensitivity: int | Sensitivity | None
    cost: Loss
    charged: Loss

    def __str__(self) -> str:
        calibrated = (
            "calibrated elsewhere"
            if self.declared_sensitivity is None
            else f"calibrated for {_format_move(self.declared_sensitivity)}"
        )
        return (
            f"{self.place}: {self.name} moved by {_format_move(self.move or 0)}, {calibrated};"
            f" charged {self.charged}"
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """How a replay went. ``charged`` is what its calls cost as they were calibrated, ``cost``
    what they cost on this pair.
    """

    findings: tuple[ReplayFinding, ...]
    steps: tuple[ReplayStep, ...]
    charged: Loss
    cost: Loss
    notes: tuple[str, ...] = field(default=())

    @property
    def verdict(self) -> str:
        """``TESTED`` or ``FAILED``; never more than that."""
        return "FAILED" if self.findings else "TESTED"

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        if self.findings:
            lines = [
                (
                    f"FAILED: {len(self.findings)}"
                    f" {'problem' if len(self.findings) == 1 else 'problems'}"
                ),
                *map(str, self.findings),
            ]
        else:
            lines = [
                f"TESTED on one pair (not proved): {len(self.steps)} calls, charged {self.charged},"
                f" {self.cost} on this pair"
            ]
        return "\n  ".join([*lines, *map(str, self.steps), *self.notes])


def replay(
    function: Callable[[Any], Any],
    data: Any,
    neighbour: Any,
    *,
    epsilon: Number | None = None,
    delta: Number = 0,
    disjoint: bool = False,
    also: Sequence[type] = (),
) -> Replay:
    """Run ``function`` on ``data``, then on ``neighbour`` with the same noisy outputs, and say what
    differs that must not.

    ``epsilon`` and ``delta`` are what the function claims to cost in all. Calls about parts of the
    data that share no unit cost as much as the dearest of them: ``disjoint=True`` holds the claim
    against what this pair costs, instead of what all calls are charged. ``also``: mechanism classes
    of your own, with a ``shape``.
    """
    claim = None if epsilon is None else (parse_positive(epsilon, "epsilon"), _parse_delta(delta))
    first = RecordingTape()
    result = _run_on_tape(function, data, first, also)
    again = PlaybackTape(first.calls)
    unsteady = _find_nondeterminism(again, result, _run_on_tape(function, data, again, also))
    if unsteady is not None:
        return Replay((unsteady,), (), _ZERO_LOSS, _ZERO_LOSS)
    second = PlaybackTape(first.calls)
    other = _run_on_tape(function, neighbour, second, also)
    if (
        isinstance(result, Exception)
        and second.problem is None
        and find_difference(result, other) is None
    ):
        raise result  # the same on both: nothing was tested
    findings, steps = _compare_calls(second)
    findings += _compare_results(first, second, result, other)
    charged, cost = (
        sum((getattr(step, name) for step in steps), _ZERO_LOSS) for name in ("charged", "cost")
    )
    if claim is not None and not findings:
        findings += _check_claim(claim, cost if disjoint else charged, cost)
    notes = (
        ()
        if first.calls
        else (
            (
                "No mechanism was called: what comes back does not depend on the data, or not on"
                " this pair."
            ),
        )
    )
    return Replay(tuple(findings), tuple(steps), charged, cost, notes)


def _parse_delta(delta: Number) -> Fraction:
    chance = parse_exact(delta, "delta")
    if not 0 <= chance < 1:
        raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
    return chance


def _run_on_tape(
    function: Callable[[Any], Any], data: Any, tape: Tape, also: Sequence[type]
) -> Any:
    """What the function returns, or the error that it raises; None where the tape stopped it."""
    try:
        mine = copy.deepcopy(data)
    except Exception as problem:
        raise InvalidArgument(
            "data", "must be something that can be copied, such as lists, arrays or data frames"
        ) from problem
    with intercept_calls(tape, also):
        try:
            return realise_iterator(function(mine))
        except RunDiverged:
            return None
        except Exception as problem:
            return problem


def _find_nondeterminism(again: PlaybackTape, result: Any, twice: Any) -> ReplayFinding | None:
    """Whether a second run on the same data, with the same noisy outputs, is another one."""
    reason = (
        "it draws randomness of its own, starts threads that do, remembers earlier runs, or reads"
        " the clock"
    )
    if again.problem is not None:
        call, problem = again.problem
        return ReplayFinding(
            f"the same data give other calls the second time ({problem}): {reason}", call.place
        )
    if len(again.calls) < len(again.recorded_calls):
        return ReplayFinding(
            f"the same data give fewer calls the second time: {reason}",
            again.recorded_calls[len(again.calls)].place,
        )
    found = find_difference(result, twice)
    return (
        None
        if found is None
        else ReplayFinding(
            f"the same data and the same noisy outputs give another result ({found}): {reason}"
        )
    )


def _compare_calls(second: PlaybackTape) -> tuple[list[ReplayFinding], list[ReplayStep]]:
    findings: list[ReplayFinding] = []
    steps: list[ReplayStep] = []
    for one, other in zip(second.recorded_calls, second.calls, strict=False):
        if second.problem is not None and other is second.problem[0]:
            break
        name = find_public_difference(one, other)
        if name is not None:
            findings.append(
                ReplayFinding(
                    f"{other.name}: the public argument '{name}' depends on the data", other.place
                )
            )
            continue
        step = _compare_call(one, other)
        if isinstance(step, ReplayFinding):
            findings.append(step)
            continue
        steps.append(step)
        if step.declared_sensitivity is not None and _exceeds(step.cost, step.charged):
            far, made = _format_move(step.move or 0), _format_move(step.declared_sensitivity)
            problem = (
                f"{other.name}: its input moved by {far}, more than the {made} that it was"
                " calibrated for"
            )
            findings.append(
                ReplayFinding(
                    f"{problem}; that costs {step.cost} instead of {step.charged}", other.place
                )
            )
    return findings, steps


def _compare_call(one: RecordedCall, other: RecordedCall) -> ReplayStep | ReplayFinding:
    move = measure_move(one, other)
    if isinstance(move, str):
        return ReplayFinding(f"{other.name}: {move}", other.place)
    declared = (
        one.declared_sensitivity
        if one.declared_sensitivity is not None
        else other.declared_sensitivity
    )
    cost = compute_loss(one, move)
    return ReplayStep(
        other.name,
        other.place,
        move or None,
        declared,
        cost,
        cost if declared is None else compute_declared_loss(one, declared),
    )


def _exceeds(one: Loss, other: Loss) -> bool:
    return one.epsilon > other.epsilon or one.delta > other.delta or one.rho > other.rho


def _compare_results(
    first: RecordingTape, second: PlaybackTape, result: Any, other: Any
) -> list[ReplayFinding]:
    if second.problem is not None:
        call, problem = second.problem
        return [ReplayFinding(f"{call.name}: {problem}", call.place)]
    if isinstance(result, Exception) or isinstance(other, Exception):
        found = find_difference(result, other)
        return (
            []
            if found is None
            else [
                ReplayFinding(
                    f"it raises an error on one of the two data sets, or another one ({found})"
                )
            ]
        )
    found_ = []
    if len(second.calls) < len(first.calls):
        missing = first.calls[len(second.calls)]
        many = f"{len(second.calls)} calls on the neighbour, {len(first.calls)} on the data"
        found_.append(
            ReplayFinding(
                f"the number of calls depends on the data: {many}; {missing.name} is missing",
                missing.place,
            )
        )
    for one, twin in zip(first.calls, second.calls, strict=False):
        if len(twin.verdicts) < len(one.verdicts):
            found_.append(
                ReplayFinding(
                    f"{twin.name}: fewer of its verdicts are read on the neighbour", twin.place
                )
            )
    gap = find_difference(result, other)
    if gap is not None:
        found_.append(
            ReplayFinding(
                f"what is returned depends on the data beyond what the mechanisms said ({gap})"
            )
        )
    return found_


def _check_claim(claim: tuple[Fraction, Fraction], total: Loss, cost: Loss) -> list[ReplayFinding]:
    epsilon, delta = claim
    if total.epsilon_at(delta) <= epsilon:
        return []
    claimed = f"epsilon {float(epsilon):g}" + (f", delta {float(delta):g}" if delta else "")
    hint = ""
    if cost.epsilon_at(delta) <= epsilon:
        hint = (
            f"; this pair costs {cost}: if the calls are about parts that share no unit, say"
            " disjoint=True"
        )
    return [
        ReplayFinding(f"all calls together cost {total}, more than the {claimed} claimed{hint}")
    ]


def _format_move(move: int | Sensitivity) -> str:
    if not isinstance(move, Sensitivity):
        return str(move)
    if move.l0 == 1:
        return f"{float(move.linf):g}"
    return (
        f"{float(move.linf):g} in each of {move.l0} cells"
        if move.l1 == move.l0 * move.linf
        else f"{float(move.l1):g} in {move.l0} cells"
    )
