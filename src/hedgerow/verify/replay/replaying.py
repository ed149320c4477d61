"""Record on some data, play again on a neighbour, compare.

**What is checked.** Run the function on D and keep what its mechanisms were asked and said. Run it on D' and let every mechanism say
the same again. If then

1. the same mechanisms were asked, in the same order, with the same parameters and public arguments,
2. the same came back,

the function is post-processing of what the mechanisms said, as far as this pair and these outputs show, and the probability of
this outcome differs between D and D' by no more than the mechanisms' own laws do: by the losses of the moves that their inputs made,
added up. 3. None of them may move further than it was calibrated for, 4. nor all together cost more than is claimed.

**What is not.** Other data, other outputs and the branches that they lead to. Whoever passes is TESTED; only a proof covers all of them.

The function runs three times: on D, on D once more (what changes there is randomness that no mechanism drew), and on D'. It gets
a copy of the data each time. Its time, its files and what it prints are not looked at.
"""

from __future__ import annotations

import copy
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.number import Number, exact, positive
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.replay.calls import Call, Place
from hedgerow.verify.replay.intercepting import taped
from hedgerow.verify.replay.moves import declared_loss, loss_of, moved, public_difference
from hedgerow.verify.replay.tape import Diverged, Playing, Recording, Tape
from hedgerow.verify.replay.values import difference, settled

__all__ = ["Finding", "Replay", "Step", "replay"]

_NOTHING = Loss(Fraction(0), rho=Fraction(0))


@dataclass(frozen=True, slots=True)
class Finding:
    """What is wrong, and at which line of the glue code, where it is one line."""

    problem: str
    place: Place | None = None

    def __str__(self) -> str:
        return self.problem if self.place is None else f"{self.place}: {self.problem}"


@dataclass(frozen=True, slots=True)
class Step:
    """One call: how far its inputs moved (None: not at all), what that costs, and what is charged for it."""

    name: str
    place: Place
    move: int | Sensitivity | None
    declared: int | Sensitivity | None
    cost: Loss
    charged: Loss

    def __str__(self) -> str:
        calibrated = "calibrated elsewhere" if self.declared is None else f"calibrated for {_far(self.declared)}"
        return f"{self.place}: {self.name} moved by {_far(self.move or 0)}, {calibrated}; charged {self.charged}"


@dataclass(frozen=True, slots=True)
class Replay:
    """How a replay went. ``charged`` is what its calls cost as they were calibrated, ``cost`` what they cost on this pair."""

    findings: tuple[Finding, ...]
    steps: tuple[Step, ...]
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
            lines = [f"FAILED: {len(self.findings)} {'problem' if len(self.findings) == 1 else 'problems'}", *map(str, self.findings)]
        else:
            lines = [f"TESTED on one pair (not proved): {len(self.steps)} calls, charged {self.charged}, {self.cost} on this pair"]
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
    """Run ``function`` on ``data``, then on ``neighbour`` with the same noisy outputs, and say what differs that must not.

    ``epsilon`` and ``delta`` are what the function claims to cost in all. Calls about parts of the data that share no unit cost as much as
    the dearest of them: ``disjoint=True`` holds the claim against what this pair costs, instead of what all calls are charged.
    ``also``: mechanism classes of your own, with a ``shape``.
    """
    claim = None if epsilon is None else (positive(epsilon, "epsilon"), _chance(delta))
    first = Recording()
    result = _run(function, data, first, also)
    again = Playing(first.calls)
    unsteady = _unsteady(again, result, _run(function, data, again, also))
    if unsteady is not None:
        return Replay((unsteady,), (), _NOTHING, _NOTHING)
    second = Playing(first.calls)
    other = _run(function, neighbour, second, also)
    if isinstance(result, Exception) and second.problem is None and difference(result, other) is None:
        raise result  # the same on both: nothing was tested
    findings, steps = _compared(second)
    findings += _ended(first, second, result, other)
    charged, cost = (sum((getattr(step, name) for step in steps), _NOTHING) for name in ("charged", "cost"))
    if claim is not None and not findings:
        findings += _over(claim, cost if disjoint else charged, cost)
    notes = () if first.calls else ("No mechanism was called: what comes back does not depend on the data, or not on this pair.",)
    return Replay(tuple(findings), tuple(steps), charged, cost, notes)


def _chance(delta: Number) -> Fraction:
    chance = exact(delta, "delta")
    if not 0 <= chance < 1:
        raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
    return chance


def _run(function: Callable[[Any], Any], data: Any, tape: Tape, also: Sequence[type]) -> Any:
    """What the function returns, or the error that it raises; None where the tape stopped it."""
    try:
        mine = copy.deepcopy(data)
    except Exception as problem:
        raise InvalidArgument("data", "must be something that can be copied, such as lists, arrays or data frames") from problem
    with taped(tape, also):
        try:
            return settled(function(mine))
        except Diverged:
            return None
        except Exception as problem:
            return problem


def _unsteady(again: Playing, result: Any, twice: Any) -> Finding | None:
    """Whether a second run on the same data, with the same noisy outputs, is another one."""
    reason = "it draws randomness of its own, starts threads that do, remembers earlier runs, or reads the clock"
    if again.problem is not None:
        call, problem = again.problem
        return Finding(f"the same data give other calls the second time ({problem}): {reason}", call.place)
    if len(again.calls) < len(again.first):
        return Finding(f"the same data give fewer calls the second time: {reason}", again.first[len(again.calls)].place)
    found = difference(result, twice)
    return None if found is None else Finding(f"the same data and the same noisy outputs give another result ({found}): {reason}")


def _compared(second: Playing) -> tuple[list[Finding], list[Step]]:
    findings: list[Finding] = []
    steps: list[Step] = []
    for one, other in zip(second.first, second.calls, strict=False):
        if second.problem is not None and other is second.problem[0]:
            break
        name = public_difference(one, other)
        if name is not None:
            findings.append(Finding(f"{other.name}: the public argument '{name}' depends on the data", other.place))
            continue
        step = _step(one, other)
        if isinstance(step, Finding):
            findings.append(step)
            continue
        steps.append(step)
        if step.declared is not None and _more(step.cost, step.charged):
            far, made = _far(step.move or 0), _far(step.declared)
            problem = f"{other.name}: its input moved by {far}, more than the {made} that it was calibrated for"
            findings.append(Finding(f"{problem}; that costs {step.cost} instead of {step.charged}", other.place))
    return findings, steps


def _step(one: Call, other: Call) -> Step | Finding:
    move = moved(one, other)
    if isinstance(move, str):
        return Finding(f"{other.name}: {move}", other.place)
    declared = one.declared if one.declared is not None else other.declared
    cost = loss_of(one, move)
    return Step(other.name, other.place, move or None, declared, cost, cost if declared is None else declared_loss(one, declared))


def _more(one: Loss, other: Loss) -> bool:
    return one.epsilon > other.epsilon or one.delta > other.delta or one.rho > other.rho


def _ended(first: Recording, second: Playing, result: Any, other: Any) -> list[Finding]:
    if second.problem is not None:
        call, problem = second.problem
        return [Finding(f"{call.name}: {problem}", call.place)]
    if isinstance(result, Exception) or isinstance(other, Exception):
        found = difference(result, other)
        return [] if found is None else [Finding(f"it raises an error on one of the two data sets, or another one ({found})")]
    found_ = []
    if len(second.calls) < len(first.calls):
        missing = first.calls[len(second.calls)]
        many = f"{len(second.calls)} calls on the neighbour, {len(first.calls)} on the data"
        found_.append(Finding(f"the number of calls depends on the data: {many}; {missing.name} is missing", missing.place))
    for one, twin in zip(first.calls, second.calls, strict=False):
        if len(twin.verdicts) < len(one.verdicts):
            found_.append(Finding(f"{twin.name}: fewer of its verdicts are read on the neighbour", twin.place))
    gap = difference(result, other)
    if gap is not None:
        found_.append(Finding(f"what is returned depends on the data beyond what the mechanisms said ({gap})"))
    return found_


def _over(claim: tuple[Fraction, Fraction], total: Loss, cost: Loss) -> list[Finding]:
    epsilon, delta = claim
    if total.epsilon_at(delta) <= epsilon:
        return []
    claimed = f"epsilon {float(epsilon):g}" + (f", delta {float(delta):g}" if delta else "")
    hint = ""
    if cost.epsilon_at(delta) <= epsilon:
        hint = f"; this pair costs {cost}: if the calls are about parts that share no unit, say disjoint=True"
    return [Finding(f"all calls together cost {total}, more than the {claimed} claimed{hint}")]


def _far(move: int | Sensitivity) -> str:
    if not isinstance(move, Sensitivity):
        return str(move)
    if move.l0 == 1:
        return f"{float(move.linf):g}"
    return (
        f"{float(move.linf):g} in each of {move.l0} cells" if move.l1 == move.l0 * move.linf else f"{float(move.l1):g} in {move.l0} cells"
    )
