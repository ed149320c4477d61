"""The one door: pay, then look, then add noise.

    moves = plan.sensitivity(unit)          never looks at data; raises Unbounded
    source.prepare(plan)                    nor does this; refuses what the engine cannot run
    entry = ledger.charge(noise.loss(…))    durable before it returns; raises BudgetExceeded
    cells = source.run(plan)                the only line where data move
    noise.sample(cells)                     the only way out

**Statement.** What ``release`` returns, together with everything it stores, costs at most the loss that was charged; whatever the source
does, nothing else about the data leaves, except that it failed (one bit, charged, and capped for each analyst by the ledger).

**Proof.** The numbers of measure i move by at most ``moves[i]`` between neighbours, all groups together, and get independent noise of
their own mechanism: the losses add up. Which groups are there is public with a declared domain. Without one, a group is published if
a noisy count of it reaches the threshold. Groups that only one of two neighbours has are at most g on either side, g the
groups a unit may be in, and hold at most m in that count: one of them comes through with probability at most
g Pr[m + Z >= threshold] <= delta. Outside that event, the same in both worlds, all published numbers are of groups that both
have (Korolova et al. 2009; ``mechanisms.stability_histogram`` has it in full). Under change-one each side still has at most g
such groups, and the count moves in 2g of them, which its sensitivity says.

A charge is answered once. If two runs race for one charge (the same request sent twice), the ledger keeps the first answer, and both
return that one: noise is never drawn twice for one payment.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.ledger import Entry
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.laplace_tail import laplace_tail, laplace_threshold
from hedgerow.numeric.tail import gaussian_radius
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.values import Value
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = ["Cells", "Charge", "Noise", "Release", "Source", "Threshold", "release"]

Law = Laplace | Gaussian


class Cells(Protocol):
    """What a source hands over: one column for each key, one column of whole numbers for each number of each measure."""

    @property
    def keys(self) -> Sequence[Sequence[Value]]: ...
    @property
    def numbers(self) -> Sequence[Any]: ...


class Source(Protocol):
    """Where the data are. What it cannot run it refuses in ``prepare``, which looks at no data."""

    def prepare(self, plan: Aggregate) -> None: ...
    def run(self, plan: Aggregate) -> Cells: ...


class Ledger(Protocol):
    """What the door needs of a ledger."""

    def charge(
        self,
        charges: Mapping[str, Loss],
        *,
        analyst: str,
        epsilon: Fraction,
        question: str,
        version: str,
        request: str | None = None,
        about: Mapping[str, Any],
        policy: str | None = None,
    ) -> Entry: ...
    def answer(self, entry: Entry, payload: str) -> Entry: ...
    def fail(self, entry: Entry) -> Entry: ...
    def outcome(self, entry: Entry) -> Entry | None: ...


@dataclass(frozen=True, slots=True)
class Threshold:
    """Groups are published from ``least`` on in the noisy numbers of the measure at ``index``."""

    index: int
    least: int
    delta: Fraction

    @classmethod
    def calibrate(cls, index: int, law: Law, *, most: int, groups: int, delta: Fraction) -> Threshold:
        """The lowest threshold such that, of ``groups`` groups that hold at most ``most``, one comes through with at most ``delta``."""
        share = delta / groups
        if isinstance(law, Laplace):
            above = laplace_threshold(law.scale, share)
            return cls(index, most + above, groups * laplace_tail(law.scale, above))
        # Pr[Z >= r + 1] is half of Pr[|Z| > r].
        return cls(index, most + gaussian_radius(float(law.scale), float(2 * share)) + 1, delta)


@dataclass(frozen=True, slots=True)
class Noise:
    """The mechanism of each measure, in order, and the threshold where groups are not declared."""

    laws: tuple[Law, ...]
    threshold: Threshold | None = None

    def loss(self, moves: Sequence[Sensitivity]) -> Loss:
        """What one release costs when one unit moves the measures so far."""
        total = self.laws[0].loss(moves[0])
        for law, move in zip(self.laws[1:], moves[1:], strict=True):
            total = total + law.loss(move)
        return total if self.threshold is None else Loss(total.epsilon, total.delta + self.threshold.delta, total.rho)

    def sample(self, cells: Cells, measures: Sequence[Measure]) -> tuple[list[tuple[Value, ...]], list[list[int]]]:
        """Published keys, sorted as the source sorts them, and their noisy numbers; every number has noise of its own."""
        owners = [index for index, measure in enumerate(measures) for _ in range(measure.width)]
        noisy = [_noisy(self.laws[index], numbers) for index, numbers in zip(owners, cells.numbers, strict=True)]
        keys: list[tuple[Value, ...]] = list(zip(*cells.keys, strict=True)) if cells.keys else [()]
        if self.threshold is None:
            return keys, noisy
        decisive = noisy[owners.index(self.threshold.index)]
        shown = [place for place, count in enumerate(decisive) if count >= self.threshold.least]
        return [keys[place] for place in shown], [[numbers[place] for place in shown] for numbers in noisy]


def _noisy(law: Law, exact: Any) -> list[int]:
    if len(exact) == 0:
        return []
    if exact.dtype == np.object_:  # sums beyond 64 bits are Python's whole numbers
        return [law.sample(int(number)) for number in exact]
    noisy: list[int] = law.sample(exact).tolist()
    return noisy


@dataclass(frozen=True, slots=True)
class Charge:
    """Who pays for what: the population and its unit, the analyst with the epsilon that counts towards their quota, the
    question, and the digest of the policy that it was understood under."""

    population: str
    unit: Unit
    analyst: str
    epsilon: Fraction
    question: str
    version: str
    request: str | None
    about: Mapping[str, Any]
    policy: str | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """Noisy numbers and what they cost: a plain value, stored in the ledger and read back from there."""

    keys: tuple[tuple[Value, ...], ...]
    numbers: tuple[tuple[int, ...], ...]
    noise: Noise
    entry: Entry

    @property
    def loss(self) -> Loss:
        """What was charged for it."""
        (loss,) = self.entry.body["charges"].values()
        return Loss.from_dict(loss)

    @classmethod
    def stored(cls, entry: Entry, payload: str) -> Release:
        """The release that an answer in the ledger holds."""
        held = json.loads(payload)
        laws = tuple(_LAWS[law](Fraction(scale)) for law, scale in held["laws"])
        threshold = held["threshold"] and Threshold(held["threshold"][0], held["threshold"][1], Fraction(held["threshold"][2]))
        keys = tuple(tuple(_value(value) for value in key) for key in held["keys"])
        return cls(keys, tuple(map(tuple, held["numbers"])), Noise(laws, threshold), entry)


_LAWS: Mapping[str, type[Law]] = {"laplace": Laplace, "gaussian": Gaussian}


def _payload(keys: Sequence[tuple[Value, ...]], numbers: Sequence[Sequence[int]], noise: Noise) -> str:
    threshold = noise.threshold
    held = {
        "laws": [[type(law).__name__.lower(), str(law.scale)] for law in noise.laws],
        "threshold": threshold and [threshold.index, threshold.least, str(threshold.delta)],
        "keys": [[_plain(value) for value in key] for key in keys],
        "numbers": numbers,
    }
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def _plain(value: Value) -> Any:
    return {"date": value.isoformat()} if isinstance(value, date) else value


def _value(held: Any) -> Value:
    return date.fromisoformat(held["date"]) if isinstance(held, dict) else held


def release(plan: Aggregate, source: Source, ledger: Ledger, noise: Noise, charge: Charge) -> Release:
    """Charge the question, run it, add noise, store the answer, return what was stored."""
    moves = plan.sensitivity(charge.unit)
    if len(noise.laws) != len(moves) or (plan.source.domain is None) != (noise.threshold is not None):
        raise InvalidArgument("noise", "must have one mechanism for each measure, and a threshold just where groups are not declared")
    source.prepare(plan)
    entry = ledger.charge(
        {charge.population: noise.loss(moves)},
        analyst=charge.analyst,
        epsilon=charge.epsilon,
        question=charge.question,
        version=charge.version,
        request=charge.request,
        about=charge.about,
        policy=charge.policy,
    )
    done = ledger.outcome(entry)
    if done is None:
        done = _run(plan, source, ledger, noise, entry)
    if done.kind != "answer":
        raise SourceError(FAILED)
    return Release.stored(entry, done.body["payload"])


FAILED = "The data source failed while it answered. The question was charged, because even this failure may depend on the data."


def _run(plan: Aggregate, source: Source, ledger: Ledger, noise: Noise, entry: Entry) -> Entry:
    """How the charge ended: with an answer, or with a failure. Whatever went wrong may depend on the data, so all failures look alike."""
    try:
        cells = source.run(plan)
        payload = _payload(*noise.sample(cells, plan.measures), noise)
    except Exception:
        return ledger.fail(entry)
    return ledger.answer(entry, payload)
