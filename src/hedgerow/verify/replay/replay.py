"""Replay: record a function's calls on some data, play their outputs on a neighbour, and compare.

**What is checked.** Run the function on D and record the calls and outputs of its mechanisms. Run
it on D' and let every mechanism return the recorded output. If

1. the same mechanisms are called, in the same order, with the same parameters and public arguments,
and 2. the function returns the same value,

then the function post-processes the outputs of its mechanisms, as far as this pair and these
outputs show, and the probability of this outcome differs between D and D' by no more than the
mechanisms' own distributions do: by the sum of the losses at the distances of their inputs. In
addition, 3. no input may change more than its mechanism was calibrated for, and 4. all calls
together may not cost more than is claimed.

**What is not checked.** Other data, other outputs and the branches that they lead to. A function
that passes is TESTED; only a proof covers all of them.

The function runs three times: on D, on D again (a difference there is randomness that no mechanism
drew), and on D'. It gets a copy of the data each time. Its duration, its files and its printed
output are not examined.
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
    ZERO_LOSS,
    compute_declared_loss,
    compute_loss,
    find_public_difference,
    measure_move,
)
from hedgerow.verify.replay.equality import find_difference, realise_iterator
from hedgerow.verify.replay.interception import intercept_calls
from hedgerow.verify.replay.tape import PlaybackTape, RecordingTape, RunDiverged, Tape

__all__ = ["Replay", "ReplayFinding", "ReplayStep", "replay"]

_NO_CALLS_NOTE = (
    "No mechanism was called: the result does not depend on the data, or not on this pair."
)


@dataclass(frozen=True, slots=True)
class ReplayFinding:
    """A problem, with the line of the glue code if it is one line."""

    problem: str
    place: CodeLine | None = None

    def __str__(self) -> str:
        return self.problem if self.place is None else f"{self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class ReplayStep:
    """A call: the distance of its inputs (None if equal), its loss at that distance, and the loss
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
            f"{self.place}: the input of {self.name} changed by"
            f" {_format_move(self.move or 0)}, {calibrated};"
            f" charged {self.charged}"
        )


@dataclass(frozen=True, slots=True)
class Replay:
    """The result of a replay. ``charged`` is the loss of its calls as calibrated, ``cost`` their
    loss on this pair.
    """

    findings: tuple[ReplayFinding, ...]
    steps: tuple[ReplayStep, ...]
    charged: Loss
    cost: Loss
    notes: tuple[str, ...] = field(default=())

    @property
    def verdict(self) -> str:
        """``TESTED`` or ``FAILED``."""
        return "FAILED" if self.findings else "TESTED"

    def __bool__(self) -> bool:
        return not self.findings

    def __str__(self) -> str:
        if self.findings:
            plural = "" if len(self.findings) == 1 else "s"
            lines = [f"FAILED: {len(self.findings)} problem{plural}", *map(str, self.findings)]
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
    """Run ``function`` on ``data``, then on ``neighbour`` with the same noisy outputs, and report
    differences.

    ``epsilon`` and ``delta`` are the claimed loss of the function. Calls about parts of the data
    that share no unit cost as much as the most expensive of them: ``disjoint=True`` compares the
    claim with the loss on this pair, instead of the loss charged for all calls. ``also`` lists
    custom mechanism classes, each with a ``shape``.
    """
    claim = None if epsilon is None else (parse_positive(epsilon, "epsilon"), _parse_delta(delta))
    first = RecordingTape()
    result = _run_on_tape(function, data, first, also)
    again = PlaybackTape(first.calls)
    unsteady = _find_nondeterminism(again, result, _run_on_tape(function, data, again, also))
    if unsteady is not None:
        return Replay((unsteady,), (), ZERO_LOSS, ZERO_LOSS)
    second = PlaybackTape(first.calls)
    other = _run_on_tape(function, neighbour, second, also)
    if (
        isinstance(result, Exception)
        and second.problem is None
        and find_difference(result, other) is None
    ):
        raise result  # the same error on both data sets: nothing was tested
    findings, steps = _compare_calls(second)
    findings += _compare_results(first, second, result, other)
    charged, cost = (
        sum((getattr(step, name) for step in steps), ZERO_LOSS) for name in ("charged", "cost")
    )
    if claim is not None and not findings:
        findings += _check_claim(claim, cost if disjoint else charged, cost)
    notes = () if first.calls else (_NO_CALLS_NOTE,)
    return Replay(tuple(findings), tuple(steps), charged, cost, notes)


def _parse_delta(delta: Number) -> Fraction:
    parsed = parse_exact(delta, "delta")
    if not 0 <= parsed < 1:
        raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
    return parsed


def _run_on_tape(
    function: Callable[[Any], Any], data: Any, tape: Tape, also: Sequence[type]
) -> Any:
    """Return the result of the function, or the error it raises; None if the tape stopped it."""
    try:
        mine = copy.deepcopy(data)
    except Exception as problem:
        raise InvalidArgument(
            "data", "must be copyable, such as lists, arrays or data frames"
        ) from problem
    with intercept_calls(tape, also):
        try:
            return realise_iterator(function(mine))
        except RunDiverged:
            return None
        except Exception as problem:
            return problem


def _find_nondeterminism(again: PlaybackTape, result: Any, twice: Any) -> ReplayFinding | None:
    """Return a finding if a second run on the same data, with the same noisy outputs, differs."""
    reason = (
        "the function draws its own randomness, starts threads that do, keeps state between runs,"
        " or reads the clock; draw with mechanisms only"
    )
    if again.problem is not None:
        call, problem = again.problem
        return ReplayFinding(
            f"a second run on the same data makes other calls ({problem}): {reason}", call.place
        )
    if len(again.calls) < len(again.recorded_calls):
        return ReplayFinding(
            f"a second run on the same data makes fewer calls: {reason}",
            again.recorded_calls[len(again.calls)].place,
        )
    found = find_difference(result, twice)
    if found is None:
        return None
    return ReplayFinding(
        f"the same data and the same noisy outputs give another result ({found}): {reason}"
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
                    f"{other.name}: the public argument '{name}' depends on the data; pass a"
                    " constant",
                    other.place,
                )
            )
            continue
        step = _compare_call(one, other)
        if isinstance(step, ReplayFinding):
            findings.append(step)
            continue
        steps.append(step)
        if step.declared_sensitivity is not None and _exceeds(step.cost, step.charged):
            moved, declared = map(_format_move, (step.move or 0, step.declared_sensitivity))
            problem = (
                f"{other.name}: its input changed by {moved}, more than the {declared} it was"
                f" calibrated for; that costs {step.cost} instead of {step.charged}"
            )
            findings.append(ReplayFinding(problem, other.place))
    return findings, steps


def _compare_call(one: RecordedCall, other: RecordedCall) -> ReplayStep | ReplayFinding:
    move = measure_move(one, other)
    if isinstance(move, str):
        return ReplayFinding(f"{other.name}: {move}", other.place)
    declared = one.declared_sensitivity
    if declared is None:
        declared = other.declared_sensitivity
    cost = compute_loss(one, move)
    charged = cost if declared is None else compute_declared_loss(one, declared)
    return ReplayStep(other.name, other.place, move or None, declared, cost, charged)


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
        problem = f"it raises an error on one data set only, or different errors ({found})"
        return [] if found is None else [ReplayFinding(problem)]
    findings = []
    if len(second.calls) < len(first.calls):
        missing = first.calls[len(second.calls)]
        counts = f"{len(second.calls)} calls on the neighbour, {len(first.calls)} on the data"
        findings.append(
            ReplayFinding(
                f"the number of calls depends on the data: {counts}; {missing.name} is missing",
                missing.place,
            )
        )
    for one, twin in zip(first.calls, second.calls, strict=False):
        if len(twin.verdicts) < len(one.verdicts):
            findings.append(
                ReplayFinding(
                    f"{twin.name}: fewer of its verdicts are read on the neighbour", twin.place
                )
            )
    gap = find_difference(result, other)
    if gap is not None:
        findings.append(
            ReplayFinding(
                f"the result depends on the data beyond the outputs of the mechanisms ({gap})"
            )
        )
    return findings


def _check_claim(claim: tuple[Fraction, Fraction], total: Loss, cost: Loss) -> list[ReplayFinding]:
    epsilon, delta = claim
    if total.epsilon_at(delta) <= epsilon:
        return []
    claimed = f"epsilon {float(epsilon):g}" + (f", delta {float(delta):g}" if delta else "")
    hint = ""
    if cost.epsilon_at(delta) <= epsilon:
        hint = (
            f"; this pair costs {cost}: if the calls are about parts that share no unit, pass"
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
