"""The release of an answer: charge, then read data, then add noise.

    sensitivities = plan.sensitivity(unit)   reads no data; raises Unbounded
    source.prepare(plan)                     reads no data; refuses what the engine cannot run
    entry = ledger.charge(noise.loss(…))     durable before it returns; raises BudgetExceeded
    cells = source.run(plan)                 the only line that reads data
    noise.sample(cells)                      the only way out

**Statement.** The result of ``release``, together with everything it stores, costs at most the loss
that was charged. Whatever the source does, nothing else about the data leaves, except that it
failed: one bit, charged, and limited for each analyst by the ledger.

**Proof.** The numbers of measure i move by at most ``sensitivities[i]`` between neighbours, all
groups together, and get independent noise from their own mechanism: the losses add up. With a
declared domain the set of groups is public. Without one, a group is published if its noisy count
reaches the threshold; the probability that this reveals a unit is at most the delta of the
threshold in either data set, and otherwise all published numbers are of groups that both data sets
have (``group_selection`` has the proof). Gaussian noise may be converted at ``gaussian_epsilon``,
all measures together, with its delta there (``privacy.gaussian_composition``, which also proves
that the two deltas need not be added: a group that only one data set has hides nothing else). []

A ``ReleaseNoise`` is not trusted. The delta of its threshold is computed again from its noise and
from the contribution bounds of the plan, a selection is compared with the one that its price buys
under these bounds, and counts are centred at the middle of the range that the plan gives
(``_check_noise``).

Where a plan joins two populations, each is charged the loss of its own sensitivities
(``plan.second_population_sensitivity``, docs/decisions/0011), both in one ledger entry. The
statement then holds for each population, the tables of the other one being fixed.

A charge is answered once. If two runs race for one charge (the same request sent twice), the ledger
keeps the first answer, and both return it: noise is never drawn twice for one payment.

``publication`` and ``custom_release`` charge and answer by the same two functions.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Protocol

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.ledger.entry import Entry
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import TableParts
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import (
    CentredCounts,
    ReleaseCells,
    ReleaseNoise,
    list_counting_steps,
)
from hedgerow.release.payload import Release, encode_payload

__all__ = [
    "SOURCE_FAILED",
    "Charge",
    "ChargedPopulation",
    "ReleaseLedger",
    "ReleaseSource",
    "answer_once",
    "charge_ledger",
    "charge_together",
    "release",
    "release_reserved",
]

SOURCE_FAILED = (
    "The data source failed while it ran this question. The question was charged, because the"
    " failure may depend on the data. Ask the custodian to look into it before you ask again."
)


class ReleaseSource(Protocol):
    """A data source. ``prepare`` reads no data, and refuses a plan that ``run`` cannot run."""

    def prepare(self, plan: Aggregate) -> None: ...
    def run(self, plan: Aggregate) -> ReleaseCells: ...


class ReleaseLedger(Protocol):
    """The operations of a ledger that a release needs."""

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
        parts: Mapping[str, TableParts] | None = None,
    ) -> Entry: ...
    def charge_together(
        self, charges: Sequence[Mapping[str, Any]], *, policy: str | None = None
    ) -> list[Entry]: ...
    def answer(self, entry: Entry, payload: str, *, question: str | None = None) -> Entry: ...
    def fail(self, entry: Entry) -> Entry: ...
    def outcome(self, entry: Entry) -> Entry | None: ...


@dataclass(frozen=True, slots=True)
class ChargedPopulation:
    """A population that pays for a question, and its privacy unit."""

    name: str
    unit: Unit


@dataclass(frozen=True, slots=True)
class Charge:
    """The terms of a charge: the population with its unit, the analyst with the epsilon that counts
    towards their quota, the question, and the digest of the policy under which it was priced.

    ``parts`` names the parts of a table if the question reads no others; ``second_population`` is
    set where the plan joins two populations.
    """

    population: str
    unit: Unit
    analyst: str
    epsilon: Fraction
    question: str
    version: str
    request: str | None
    about: Mapping[str, Any]
    policy: str | None = None
    parts: TableParts | None = None
    second_population: ChargedPopulation | None = None


def release(
    plan: Aggregate,
    source: ReleaseSource,
    ledger: ReleaseLedger,
    noise: ReleaseNoise,
    charge: Charge,
) -> Release:
    """Charge a plan, run it, add noise, store the answer, and return what is stored."""
    losses = check_release(plan, noise, charge)
    source.prepare(plan)
    entry = charge_ledger(ledger, losses, charge)
    run = _build_run(plan, source, noise)
    return Release.from_payload(entry, answer_once(ledger, entry, run))


def release_reserved(
    plan: Aggregate,
    source: ReleaseSource,
    ledger: ReleaseLedger,
    noise: ReleaseNoise,
    charge: Charge,
    reserved: Entry,
) -> Release:
    """Release a plan that a charge has paid for which was made before all of the plan was known:
    its constants are results that were released in the meantime.

    The reserved loss does not depend on them, and must be at least the loss of the plan. So the
    statement above holds, whatever the constants are. The reserved charge is answered once, too:
    for another question than the first it is refused.
    """
    losses, question = check_release(plan, noise, charge), charge.question
    _check_reserved(losses, charge, reserved)
    source.prepare(plan)
    run = _build_run(plan, source, noise)
    payload = answer_once(ledger, reserved, run, question=question)
    outcome = ledger.outcome(reserved)
    if outcome is None or outcome.body.get("question") != question:
        raise InvalidArgument("reserved", "must not have been used for another question", reserved)
    return Release.from_payload(reserved, payload)


def _build_run(plan: Aggregate, source: ReleaseSource, noise: ReleaseNoise) -> Callable[[], str]:
    """Build the run of a plan: read data, add noise, and encode the payload."""
    measures = [measure for measure in plan.measures if not isinstance(measure, Contingency)]
    stepped = replace(noise, counting_steps=list_counting_steps(plan))
    return lambda: encode_payload(*stepped.sample(source.run(plan), measures), stepped)


def _check_reserved(losses: Mapping[str, Loss], charge: Charge, reserved: Entry) -> None:
    """Refuse a reserved charge that does not cover the losses, on the terms of the charge."""
    body = reserved.body
    paid = {name: Loss.from_dict(loss) for name, loss in body["charges"].items()}
    terms = (body["analyst"], body["version"], body.get("parts"))
    if (
        terms != (charge.analyst, charge.version, None)
        or losses.keys() != paid.keys()
        or any(
            loss.epsilon > paid[name].epsilon
            or loss.delta > paid[name].delta
            or loss.rho > paid[name].rho
            for name, loss in losses.items()
        )
    ):
        raise InvalidArgument("reserved", "must cover the loss of the plan", reserved)


def check_release(plan: Aggregate, noise: ReleaseNoise, charge: Charge) -> dict[str, Loss]:
    """Refuse a plan and noise that do not belong together; return the loss of each population."""
    measures = [measure for measure in plan.measures if not isinstance(measure, Contingency)]
    if len(measures) < len(plan.measures):
        raise InvalidArgument(
            "plan", "must not have contingency tables; use release_publication for these"
        )
    selected = [isinstance(measure, OrderStatistic) for measure in measures]
    if [isinstance(one, CalibratedSelection) for one in noise.mechanisms] != selected or (
        plan.source.domain is None
    ) != (noise.threshold is not None):
        raise InvalidArgument(
            "noise",
            "must have one mechanism for each measure, and a threshold exactly if groups are not"
            " declared",
        )
    _check_noise(plan, noise, charge.unit)
    return _compute_losses(plan, noise, charge)


def charge_together(
    source: ReleaseSource,
    ledger: ReleaseLedger,
    releases: Sequence[tuple[Aggregate, ReleaseNoise, Charge]],
    reserved: Sequence[tuple[Mapping[str, Loss], Charge]] = (),
) -> list[Entry]:
    """Charge several releases and reserved losses or none, before any of them runs. Each charge
    must have a request key of its own, by which ``release`` finds that it is paid."""
    priced: list[tuple[Mapping[str, Loss], Charge]] = []
    for plan, noise, charge in releases:
        priced.append((check_release(plan, noise, charge), charge))
        source.prepare(plan)
    priced += reserved
    if any(charge.request is None for _, charge in priced):
        raise InvalidArgument("charge", "must have a request key to be charged with others")
    terms = [_list_terms(losses, charge) for losses, charge in priced]
    return ledger.charge_together(terms, policy=priced[0][1].policy)


def _check_noise(plan: Aggregate, noise: ReleaseNoise, unit: Unit) -> None:
    """Refuse noise whose parameters do not follow from the plan: prices are computed from them."""
    contributions = {
        index: measure.contribution(plan.bound.max_rows)
        for index, measure in enumerate(plan.measures)
        if isinstance(measure, Measure) and measure.width == 1
    }
    if noise.centre is not None:
        _check_centre(plan, noise.centre, contributions, unit)
    for mechanism, measure in zip(noise.mechanisms, plan.measures, strict=True):
        if (
            isinstance(mechanism, CalibratedSelection)
            and isinstance(measure, OrderStatistic)
            and mechanism != mechanism.recalibrate(measure, plan.reach(unit), unit.group)
        ):
            raise InvalidArgument(
                "noise", "must select what the plan asks for, under its bounds", mechanism
            )
    if noise.threshold is not None:
        _check_threshold(plan, noise, noise.threshold, contributions, unit)


def _check_centre(
    plan: Aggregate,
    centre: CentredCounts,
    contributions: Mapping[int, tuple[int, int]],
    unit: Unit,
) -> None:
    if unit.relation != "add-remove" or plan.population_join is not None:
        raise InvalidArgument(
            "noise", "must not be centred for change-one neighbours or two populations", centre
        )
    if dict(enumerate(plan.measures)).get(centre.units) != Measure("units") or any(
        contributions.get(index) != (0, bound) for index, bound in centre.bounds
    ):
        raise InvalidArgument(
            "noise",
            "must be centred with the count of units, at the contribution bounds of the plan",
            centre,
        )


def _check_threshold(
    plan: Aggregate,
    noise: ReleaseNoise,
    threshold: Threshold,
    contributions: Mapping[int, tuple[int, int]],
    unit: Unit,
) -> None:
    index = threshold.measure_index
    if unit.group > 1:
        raise InvalidArgument(
            "unit",
            "must have a group of 1 if groups are not declared: a threshold protects one unit",
            unit.group,
        )
    if index not in contributions or threshold.groups != plan.bound.max_groups:
        raise InvalidArgument(
            "noise",
            "must decide by a count of the plan, for all groups that a unit may contribute to",
            threshold,
        )
    mechanism = noise.mechanisms[index]
    if threshold.truncation is not None and not isinstance(mechanism, Laplace):
        raise InvalidArgument(
            "noise", "must be Laplace noise where it is truncated", threshold.truncation
        )
    if isinstance(mechanism, Laplace | Gaussian) and threshold.delta < (
        threshold.failure_probability(
            mechanism,
            max_count=contributions[index][1],
            touched=plan.sensitivity(unit)[index].l0,
        )
    ):
        raise InvalidArgument(
            "noise", "must have a threshold that states its full delta", threshold
        )


def _compute_losses(plan: Aggregate, noise: ReleaseNoise, charge: Charge) -> dict[str, Loss]:
    """Return the loss of each population; the second one must be named exactly if the plan has
    one, and must be another one, since a name can be charged once.
    """
    second = charge.second_population
    if (plan.population_join is None) != (second is None) or (
        second is not None and second.name == charge.population
    ):
        raise InvalidArgument(
            "charge",
            "must name another population as the second one exactly if the plan joins two",
            second,
        )
    losses = {charge.population: noise.loss(plan.sensitivity(charge.unit))}
    if second is not None:
        losses[second.name] = noise.loss(plan.second_population_sensitivity(second.unit))
    return losses


def charge_ledger(ledger: ReleaseLedger, losses: Mapping[str, Loss], charge: Charge) -> Entry:
    """Charge losses to the ledger on the terms of a charge; durable when it returns."""
    return ledger.charge(**_list_terms(losses, charge), policy=charge.policy)


def _list_terms(losses: Mapping[str, Loss], charge: Charge) -> dict[str, Any]:
    """Return the arguments of the ledger for a charge, but for the policy."""
    return {
        "charges": losses,
        "analyst": charge.analyst,
        "epsilon": charge.epsilon,
        "question": charge.question,
        "version": charge.version,
        "request": charge.request,
        "about": charge.about,
        "parts": {} if charge.parts is None else {charge.population: charge.parts},
    }


def answer_once(
    ledger: ReleaseLedger, entry: Entry, run: Callable[[], str], *, question: str | None = None
) -> str:
    """Return the payload that answers a charge, and run the question if it has no outcome yet.

    Whatever goes wrong may depend on the data, so all failures look alike.
    """
    outcome = ledger.outcome(entry)
    if outcome is None:
        try:
            payload = run()
        except Exception:
            outcome = ledger.fail(entry)
        else:
            outcome = ledger.answer(entry, payload, question=question)
    if outcome.kind != "answer":
        raise SourceError(SOURCE_FAILED)
    stored: str = outcome.body["payload"]
    return stored
