"""The release of a custom mechanism: exact numbers go to a program that was proved private.

The proof holds for inputs whose sensitivity is at most ``max_sensitivity``. The sensitivities of
all plans together are compared with it, so that a run costs the loss that was proved.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from hedgerow.errors import InvalidArgument
from hedgerow.ledger.entry import Entry
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.release.noise import ReleaseCells, list_keys
from hedgerow.release.release import (
    Charge,
    ReleaseLedger,
    ReleaseSource,
    answer_once,
    charge_ledger,
)

__all__ = ["CustomMechanism", "release_custom"]


@dataclass(frozen=True, slots=True)
class CustomMechanism:
    """A custom mechanism: ``run`` takes whole numbers and returns the text to publish.

    It costs ``loss`` where one unit moves the numbers by at most ``max_sensitivity``. The caller
    has proved that (``database.custom_mechanisms``); it is not checked again here.
    """

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
    """Charge the loss of the mechanism, run it on the numbers of the plans, and return what is
    stored.

    The numbers of each plan come in the order of its declared groups.
    """
    measures = [measure for plan in plans for measure in plan.measures]
    if (
        not plans
        or len(measures) != len(plans)
        or not all(isinstance(one, Measure) and one.width == 1 for one in measures)
        or any(plan.source.domain is None or plan.population_join for plan in plans)
    ):
        raise InvalidArgument(
            "plans",
            "must each have one measure of one number, over declared groups of one population",
        )
    each = [moved for plan in plans for moved in plan.sensitivity(charge.unit)]
    together, bound = sum(each[1:], each[0]), custom.max_sensitivity
    if (
        together.l0 > bound.l0
        or together.linf > bound.linf
        or together.l1 > bound.l1
        or together.l2_squared > bound.l2_squared
    ):
        raise InvalidArgument(
            "plans", f"must stay within the sensitivity that was proved, {bound}", together
        )
    for plan in plans:
        source.prepare(plan)
    entry = charge_ledger(ledger, {charge.population: custom.loss}, charge)

    def run() -> str:
        return custom.run(
            [number for plan in plans for number in _order_by_domain(plan, source.run(plan))]
        )

    return answer_once(ledger, entry, run), entry


def _order_by_domain(plan: Aggregate, cells: ReleaseCells) -> list[int]:
    """Return the numbers of a plan in the order of its declared groups; only that is public."""
    numbers = dict(zip(list_keys(cells), cells.numbers[0], strict=True))
    return [int(numbers[key]) for key in itertools.product(*(plan.source.domain or ()))]
