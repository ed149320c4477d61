"""The one door: pay, then look, then add noise.

    moves = plan.sensitivity(unit)          never looks at data; raises Unbounded
    source.prepare(plan)                    nor does this; refuses what the engine cannot run
    entry = ledger.charge(noise.loss(…))    durable before it returns; raises BudgetExceeded
    cells = source.run(plan)                the only line where data move
    noise.sample(cells)                     the only way out

**Statement.** What ``release`` returns, together with everything it stores, costs at most the loss
that was charged; whatever the source does, nothing else about the data leaves, except that it
failed (one bit, charged, and capped for each analyst by the ledger).

**Proof.** The numbers of measure i move by at most ``moves[i]`` between neighbours, all groups
together, and get independent noise of their own mechanism: the losses add up. Which groups are
there is public with a declared domain. Without one, a group is published if a noisy count of it
passes the threshold; what a unit gives away by that has probability at most the delta of the
threshold in either world, and outside of it all published numbers are of groups that both worlds
have (``threshold`` has the proof). Gaussian noise may be read ``at`` an epsilon, all measures
together, with the delta that it has there (``privacy.gaussian``, which also says why the two deltas
need not be added: in the groups that only one has, there is nothing else to hide).

What noise says of itself is believed nowhere: the delta of a threshold is computed again from its
noise and from what the plan lets one unit put into the count, a choice is compared with the one
that its price buys for the caps of the plan, and counts are measured from the middle of what the
plan lets a unit put in (``_check_noise``).

Where a plan is about two populations, each is charged the loss of its own moves
(``plan.others_sensitivity``, docs/decisions/0011), both in one entry of the ledger. That is the
statement for each of them, the tables of the other being what they are.

``release_custom`` hands exact numbers to a mechanism that was proved beforehand, for inputs that
move no further than its ``reach``. They do not (``plan.sensitivity``, all plans together, is
compared with it), so the run costs what was proved.

A charge is answered once. If two runs race for one charge (the same request sent twice), the ledger
keeps the first answer, and both return that one: noise is never drawn twice for one payment.
"""

from __future__ import annotations

import itertools
import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from fractions import Fraction
from typing import Any, Protocol

import numpy as np

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.ledger.entry import Entry
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.contribution_limits import compute_rounding_loss
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.values import Value
from hedgerow.privacy.gaussian_composition import bound_lone_group_deltas, compute_gaussian_loss
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.private_table import PrivateTable

__all__ = [
    "AdditiveNoise",
    "CentredCounts",
    "Charge",
    "CountingStep",
    "CustomMechanism",
    "NoiseMechanism",
    "Release",
    "ReleaseCells",
    "ReleaseNoise",
    "ReleaseSource",
    "list_counting_steps",
    "release_custom",
    "release_publication",
]
__all__ += ["release"]

AdditiveNoise = Laplace | Gaussian
NoiseMechanism = AdditiveNoise | CalibratedSelection


class ReleaseCells(Protocol):
    """What a source hands over: one column for each key, one column of whole numbers for each
    number of each measure, and one column of sorted samples for each pick."""

    @property
    def keys(self) -> Sequence[Sequence[Value]]: ...
    @property
    def numbers(self) -> Sequence[Any]: ...


class ReleaseSource(Protocol):
    """Where the data are. What it cannot run it refuses in ``prepare``, which looks at no data."""

    def prepare(self, plan: Aggregate) -> None: ...
    def run(self, plan: Aggregate) -> ReleaseCells: ...


class ReleaseLedger(Protocol):
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
        parts: Mapping[str, tuple[str, Sequence[str]]] | None = None,
    ) -> Entry: ...
    def answer(self, entry: Entry, payload: str) -> Entry: ...
    def fail(self, entry: Entry) -> Entry: ...
    def outcome(self, entry: Entry) -> Entry | None: ...


@dataclass(frozen=True, slots=True)
class CentredCounts:
    """Counts measured from the middle: where a unit puts between 0 and b into a number, 2 x - b p
    is noised instead of x, p being the count of units, the measure at ``units``. ``bounds`` has the
    places of such measures, and their b.

    A unit in a group moves that by 2 x - b, at most b either way, as it moves x. And x = (2 x - b p
    + b p)/2: the noise of p is shared by all of them, that of the rest is halved (Lebeda, SOSA
    2025). It holds where a unit comes or goes, not where it is replaced.
    """

    units: int
    bounds: tuple[tuple[int, int], ...]


@dataclass(frozen=True, slots=True)
class CountingStep:
    """The unit in which the numbers of a measure are counted: parts of 1/``factor`` step, of
    which each number lacks at most ``lost``.
    """

    parts_per_step: int = 1
    lost_parts: int = 0


@dataclass(frozen=True, slots=True)
class ReleaseNoise:
    """The mechanism of each measure, in order, and the threshold where groups are not declared.
    Gaussian measures cost their rho, or, read ``at`` an epsilon, that with its delta and their rho.
    ``fine`` says in what parts each measure is counted; empty, all in whole steps."""

    mechanisms: tuple[NoiseMechanism, ...]
    threshold: Threshold | None = None
    centre: CentredCounts | None = None
    gaussian_epsilon: Fraction | None = None
    counting_steps: tuple[CountingStep, ...] = ()

    def loss(self, moves: Sequence[Sensitivity]) -> Loss:
        """What one release costs when one unit moves the measures so far."""
        each = list(zip(self.mechanisms, moves, strict=True))
        parts = [law.cells(move) for law, move in each if isinstance(law, Gaussian)]
        others = [
            law.loss() if isinstance(law, CalibratedSelection) else law.loss(move)
            for law, move in each
            if not isinstance(law, Gaussian)
        ]
        rest = sum(others, Loss(Fraction(0)))
        total, chosen = (
            rest + compute_gaussian_loss(parts, self.gaussian_epsilon) if parts else rest,
            self.threshold,
        )
        if chosen is None:
            return total
        if self.gaussian_epsilon is None or not parts or chosen.truncation is not None:
            return Loss(total.epsilon, total.delta + chosen.delta, total.rho)
        alone = bound_lone_group_deltas(
            parts, self.gaussian_epsilon, chosen.groups, moves[chosen.measure_index].l0
        )
        return Loss(
            total.epsilon,
            rest.delta + max(delta + chosen.delta * j / chosen.groups for j, delta in alone),
            total.rho,
        )

    def sample(
        self, cells: ReleaseCells, measures: Sequence[Measure | OrderStatistic]
    ) -> tuple[list[tuple[Value, ...]], list[list[int | None]]]:
        """Published keys, sorted as the source sorts them, and their noisy numbers; every number
        has noise of its own.

        Picks are made in the groups that are published, and in no others: which these are is known
        by then.
        """
        starts = [
            sum(
                1 if isinstance(other, OrderStatistic) else other.width
                for other in measures[:index]
            )
            for index in range(len(measures))
        ]
        keys: list[tuple[Value, ...]] = list(zip(*cells.keys, strict=True)) if cells.keys else [()]
        shown, decisive = list(range(len(keys))), None
        if self.threshold is not None:
            decisive = self.threshold.measure_index
            counts = _add_noise(
                self.mechanisms[decisive],
                cells.numbers[starts[decisive]],
                self.threshold.truncation,
            )
            shown = [place for place, count in enumerate(counts) if self.threshold.admits(count)]
            decided = [counts[place] for place in shown]
        noisy: list[list[int | None]] = []
        for index, (law, measure) in enumerate(zip(self.mechanisms, measures, strict=True)):
            if index == decisive:
                noisy.append(list(decided))
            else:
                noisy.extend(
                    _release_measure(
                        law, measure, self._centre_columns(index, starts, cells), shown
                    )
                )
        return [keys[place] for place in shown], noisy

    def _centre_columns(
        self, index: int, starts: Sequence[int], cells: ReleaseCells
    ) -> Sequence[Any]:
        """The columns from that of a measure on, the first measured from the middle where it
        should be.
        """
        columns = cells.numbers[starts[index] :]
        bound = None if self.centre is None else dict(self.centre.bounds).get(index)
        if self.centre is None or bound is None:
            return columns
        # In Python's whole numbers: beyond 64 bits a product would wrap round, farther than any
        # noise hides.
        return [
            2 * columns[0].astype(object)
            - bound * cells.numbers[starts[self.centre.units]].astype(object)
        ]


def _release_measure(
    law: NoiseMechanism,
    measure: Measure | OrderStatistic,
    columns: Sequence[Any],
    shown: Sequence[int],
) -> list[list[int | None]]:
    """The numbers of a measure in the groups that are shown."""
    if isinstance(law, CalibratedSelection):
        picked = [law.sample(columns[0][place]) for place in shown]
        return [[values[i] for values in picked] for i in range(law.values_per_group)]
    return [list(_add_noise(law, columns[i][list(shown)])) for i in range(measure.width)]


def _add_noise(law: NoiseMechanism, exact: Any, cut: int | None = None) -> list[int]:
    """Each number with noise of its own, drawn again while it is larger than the cut: how often
    does not depend on the numbers.
    """
    # `release` checks that picks have pickings, and nothing else has
    assert not isinstance(law, CalibratedSelection)
    if len(exact) == 0:
        return []
    # Sums beyond 64 bits are Python's whole numbers.
    noisy = (
        [law.sample(int(number)) for number in exact]
        if exact.dtype == np.object_
        else law.sample(exact).tolist()
    )
    far = (
        []
        if cut is None
        else [
            place for place, number in enumerate(exact.tolist()) if abs(noisy[place] - number) > cut
        ]
    )
    for place, again in zip(far, _add_noise(law, exact[far], cut), strict=True):
        noisy[place] = again
    return noisy


@dataclass(frozen=True, slots=True)
class Charge:
    """Who pays for what: the population and its unit, the analyst with the epsilon that counts
    towards their quota, the question, the digest of the policy that it was understood under, and
    the table and its parts if it is about some parts alone. Where the question is about two
    populations, ``others`` is the second and its unit."""

    population: str
    unit: Unit
    analyst: str
    epsilon: Fraction
    question: str
    version: str
    request: str | None
    about: Mapping[str, Any]
    policy: str | None = None
    parts: tuple[str, tuple[str, ...]] | None = None
    second_population: tuple[str, Unit] | None = None


@dataclass(frozen=True, slots=True)
class Release:
    """Noisy numbers and what they cost: a plain value, stored in the ledger and read back from
    there.
    """

    keys: tuple[tuple[Value, ...], ...]
    numbers: tuple[tuple[Any, ...], ...]
    noise: ReleaseNoise
    entry: Entry

    @property
    def loss(self) -> Loss:
        """What was charged for it; where two populations paid, the least that bounds both."""
        each = list(self.losses.values())
        return Loss(
            max(one.epsilon for one in each),
            max(one.delta for one in each),
            max(one.rho for one in each),
        )

    @property
    def losses(self) -> dict[str, Loss]:
        """What was charged to each population."""
        return {name: Loss.from_dict(loss) for name, loss in self.entry.body["charges"].items()}

    @property
    def epsilon(self) -> Fraction:
        """What was asked for."""
        return Fraction(self.entry.body["epsilon"])

    @classmethod
    def from_payload(cls, entry: Entry, payload: str) -> Release:
        """The release that an answer in the ledger holds."""
        held = json.loads(payload)
        laws = tuple(
            (
                CalibratedSelection.from_dict(said)
                if law == "pick"
                else _STORED_MECHANISMS[law](Fraction(said))
            )
            for law, said in held["laws"]
        )
        threshold = held["threshold"] and Threshold(
            *held["threshold"][:2], *map(Fraction, held["threshold"][2:4]), *held["threshold"][4:]
        )
        keys = tuple(tuple(_decode_key(value) for value in key) for key in held["keys"])
        units, bounds = held.get("centre", (None, ()))
        centre = None if units is None else CentredCounts(units, tuple(map(tuple, bounds)))
        at, fine = held.get("at"), tuple(CountingStep(*said) for said in held.get("fine", ()))
        return cls(
            keys,
            tuple(map(tuple, held["numbers"])),
            ReleaseNoise(laws, threshold, centre, at and Fraction(at), fine),
            entry,
        )


_STORED_MECHANISMS: Mapping[str, type[AdditiveNoise]] = {"laplace": Laplace, "gaussian": Gaussian}


def list_counting_steps(plan: Aggregate) -> tuple[CountingStep, ...]:
    """Return in what parts the measures of a plan are counted; empty where all are whole steps."""
    each = [
        CountingStep(getattr(measure, "resolution", 1), lost)
        for measure, lost in zip(plan.measures, compute_rounding_loss(plan), strict=True)
    ]
    return tuple(each) if any(one != CountingStep() for one in each) else ()


def _encode_payload(
    keys: Sequence[tuple[Value, ...]], numbers: Sequence[Sequence[int | None]], noise: ReleaseNoise
) -> str:
    held: dict[str, Any] = {
        "laws": [
            (
                ["pick", law.to_dict()]
                if isinstance(law, CalibratedSelection)
                else [type(law).__name__.lower(), str(law.scale)]
            )
            for law in noise.mechanisms
        ],
        "threshold": (
            (at := noise.threshold)
            and [
                at.measure_index,
                at.minimum_count,
                str(at.delta),
                str(at.edge_probability),
                at.groups,
                at.truncation,
            ]
        ),
        "keys": [[_encode_key(value) for value in key] for key in keys],
        "numbers": numbers,
    }
    if noise.centre is not None:
        held["centre"] = [noise.centre.units, noise.centre.bounds]
    if noise.gaussian_epsilon is not None:
        held["at"] = str(noise.gaussian_epsilon)
    if noise.counting_steps:
        held["fine"] = [[one.parts_per_step, one.lost_parts] for one in noise.counting_steps]
    return json.dumps(held, ensure_ascii=False, separators=(",", ":"))


def _encode_key(value: Value) -> Any:
    return {"date": value.isoformat()} if isinstance(value, date) else value


def _decode_key(held: Any) -> Value:
    return date.fromisoformat(held["date"]) if isinstance(held, dict) else held


def release(
    plan: Aggregate,
    source: ReleaseSource,
    ledger: ReleaseLedger,
    noise: ReleaseNoise,
    charge: Charge,
) -> Release:
    """Charge the question, run it, add noise, store the answer, return what was stored."""
    measures = [measure for measure in plan.measures if not isinstance(measure, Contingency)]
    if len(measures) < len(plan.measures):
        raise InvalidArgument(
            "plan", "must add up or choose: what crosses attributes is for publish"
        )
    picks = [isinstance(measure, OrderStatistic) for measure in measures]
    if [isinstance(law, CalibratedSelection) for law in noise.mechanisms] != picks or (
        plan.source.domain is None
    ) != (noise.threshold is not None):
        raise InvalidArgument(
            "noise",
            "must have one mechanism for each measure, and a threshold just where groups are not"
            " declared",
        )
    _check_noise(plan, noise, charge.unit)
    losses, noise = (
        _compute_losses(plan, noise, charge),
        replace(noise, counting_steps=list_counting_steps(plan)),
    )
    source.prepare(plan)
    entry = _charge_ledger(ledger, losses, charge)
    return Release.from_payload(
        entry,
        _answer_once(
            ledger, entry, lambda: _encode_payload(*noise.sample(source.run(plan), measures), noise)
        ),
    )


def _check_noise(plan: Aggregate, noise: ReleaseNoise, unit: Unit) -> None:
    """Refuse noise that says of itself what does not follow from the plan: prices are computed
    from what it says.
    """
    measures, centre, at = dict(enumerate(plan.measures)), noise.centre, noise.threshold
    puts = {
        i: one.contribution(plan.bound.max_rows)
        for i, one in measures.items()
        if isinstance(one, Measure) and one.width == 1
    }
    if centre is not None and (unit.relation != "add-remove" or plan.population_join is not None):
        raise InvalidArgument(
            "noise",
            "must not be centred where a unit may be replaced by another, or meets others",
            centre,
        )
    if centre is not None and (
        measures.get(centre.units) != Measure("units")
        or any(puts.get(i) != (0, b) for i, b in centre.bounds)
    ):
        raise InvalidArgument(
            "noise",
            "must be centred by the count of units, between what one of them can put in",
            centre,
        )
    for law, one in zip(noise.mechanisms, plan.measures, strict=True):
        if (
            isinstance(law, CalibratedSelection)
            and isinstance(one, OrderStatistic)
            and law != law.recalibrate(one, plan.reach(unit), unit.group)
        ):
            raise InvalidArgument(
                "noise", "must choose what the plan asks for, within its caps", law
            )
    if at is None:
        return
    if unit.group > 1:
        raise InvalidArgument(
            "unit",
            "must be one person where groups are not declared: thresholds speak of one",
            unit.group,
        )
    if at.measure_index not in puts or at.groups != plan.bound.max_groups:
        raise InvalidArgument(
            "noise", "must decide by a count of the plan, for all groups that a unit may be in", at
        )
    decisive = noise.mechanisms[at.measure_index]
    if at.truncation is not None and not isinstance(decisive, Laplace):
        raise InvalidArgument("noise", "must be Laplace noise where it is cut", at.truncation)
    moved = plan.sensitivity(unit)[at.measure_index].l0
    if isinstance(decisive, Laplace | Gaussian) and at.delta < at.failure_probability(
        decisive, most=puts[at.measure_index][1], moved=moved
    ):
        raise InvalidArgument("noise", "must have a threshold that states all of its delta", at)


def _compute_losses(plan: Aggregate, noise: ReleaseNoise, charge: Charge) -> dict[str, Loss]:
    """What each population loses. The other one is named just where the plan meets it, and is
    another one: a name can be charged once.
    """
    if (plan.population_join is None) != (charge.second_population is None) or (
        charge.second_population is not None and charge.second_population[0] == charge.population
    ):
        raise InvalidArgument(
            "charge",
            "must name another population as the others just where the plan is about two",
            charge.second_population,
        )
    found = {charge.population: noise.loss(plan.sensitivity(charge.unit))}
    if charge.second_population is not None:
        found[charge.second_population[0]] = noise.loss(
            plan.second_population_sensitivity(charge.second_population[1])
        )
    return found


def release_publication(
    plan: Aggregate,
    source: ReleaseSource,
    ledger: ReleaseLedger,
    total: Loss,
    program: Callable[[PrivateTable, Entry], str],
    charge: Charge,
) -> tuple[str, Entry]:
    """Charge ``total``, tabulate the data, let the program spend that on them, store what it
    returns, return what was stored.

    The program sees the data through a purse, which costs at most the total. It writes what it
    makes where it is not yet seen, and returns what there is to say about it. It is told which
    charge that is for: what it left when it died is to be used, not made again.
    """
    plan.sensitivity(charge.unit)
    if len(plan.measures) != 1 or not isinstance(cross := plan.measures[0], Contingency):
        raise InvalidArgument("plan", "must cross attributes, and measure nothing else")
    source.prepare(plan)
    entry = _charge_ledger(ledger, {charge.population: total}, charge)

    def run() -> str:
        table = source.run(plan).numbers[0][0]
        terms: dict[str, Any] = {
            "rows": plan.bound.max_rows,
            "relation": charge.unit.relation,
            "group": charge.unit.group,
            "parts_per_row": cross.resolution,
        }
        return program(PrivateTable(table, total, **terms), entry)

    return _answer_once(ledger, entry, run), entry


@dataclass(frozen=True, slots=True)
class CustomMechanism:
    """A mechanism of somebody's own: ``run`` takes whole numbers and says what may be published. It
    costs ``loss`` where one unit moves these numbers no further than ``reach``: that was proved by
    whoever makes this (``database.custom``), and is not looked at again."""

    loss: Loss
    max_sensitivity: Sensitivity
    run: Callable[[Sequence[int]], str]


def release_custom(
    plans: Sequence[Aggregate],
    source: ReleaseSource,
    ledger: ReleaseLedger,
    custom: CustomMechanism,
    charge: Charge,
) -> tuple[str, Entry]:
    """Charge what the mechanism costs, hand it the numbers of the plans in the order of their
    declared groups, store what it says, return what was stored."""
    single = [
        isinstance(measure, Measure) and measure.width == 1
        for plan in plans
        for measure in plan.measures
    ]
    if (
        not plans
        or len(single) != len(plans)
        or not all(single)
        or any(plan.source.domain is None or plan.population_join for plan in plans)
    ):
        raise InvalidArgument(
            "plans",
            "must each add up one number in every declared group, of one population, and be at"
            " least one",
        )
    moves = [move for plan in plans for move in plan.sensitivity(charge.unit)]
    together, most = sum(moves[1:], moves[0]), custom.max_sensitivity
    if (
        together.l0 > most.l0
        or together.linf > most.linf
        or together.l1 > most.l1
        or together.l2_squared > most.l2_squared
    ):
        raise InvalidArgument(
            "plans", f"must move no further than the mechanism was proved for, {most}", together
        )
    for plan in plans:
        source.prepare(plan)
    entry = _charge_ledger(ledger, {charge.population: custom.loss}, charge)
    return (
        _answer_once(
            ledger,
            entry,
            lambda: custom.run(
                [number for plan in plans for number in _order_by_domain(plan, source.run(plan))]
            ),
        ),
        entry,
    )


def _order_by_domain(plan: Aggregate, cells: ReleaseCells) -> list[int]:
    """The numbers of a plan, in the order in which its groups were declared: no other order is
    public.
    """
    keys: list[tuple[Value, ...]] = list(zip(*cells.keys, strict=True)) if cells.keys else [()]
    found = dict(zip(keys, cells.numbers[0], strict=True))
    return [int(found[key]) for key in itertools.product(*(plan.source.domain or ()))]


def _charge_ledger(ledger: ReleaseLedger, losses: Mapping[str, Loss], charge: Charge) -> Entry:
    return ledger.charge(
        losses,
        analyst=charge.analyst,
        epsilon=charge.epsilon,
        question=charge.question,
        version=charge.version,
        request=charge.request,
        about=charge.about,
        policy=charge.policy,
        parts=None if charge.parts is None else {charge.population: charge.parts},
    )


SOURCE_FAILED = (
    "The data source failed while it answered. The question was charged, because even this failure"
    " may depend on the data."
)


def _answer_once(ledger: ReleaseLedger, entry: Entry, run: Callable[[], str]) -> str:
    """How the charge ended, or ends now: with an answer, or with a failure. Whatever went wrong may
    depend on the data, so all failures look alike."""
    done = ledger.outcome(entry)
    if done is None:
        try:
            payload = run()
        except Exception:
            done = ledger.fail(entry)
        else:
            done = ledger.answer(entry, payload)
    if done.kind != "answer":
        raise SourceError(SOURCE_FAILED)
    found: str = done.body["payload"]
    return found
