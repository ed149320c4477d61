"""What stands around the door in its tests: the obvious interpreter as a source, a real ledger
in memory, a plan and its noise.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.engines.reference import interpreter as reference
from hedgerow.ledger import MemoryLedger
from hedgerow.mechanisms import Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Project, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.custom_release import CustomMechanism
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.release import Charge

UNIT = Unit("add-remove", "who")
DAYS = ((date(2026, 1, 1), date(2026, 1, 2)),)
ROWS = [{"who": n % 40, "day": date(2026, 1, 1 + n % 2), "x": n % 7} for n in range(200)]


@dataclass
class Cells:
    keys: list[list[Any]]
    numbers: list[Any]


class Plain:
    """Runs plans on the rows of a list."""

    def __init__(self, rows: Sequence[Mapping[str, object]] = ROWS, dtype: Any = np.int64) -> None:
        self.rows, self.dtype, self.runs = rows, dtype, 0

    def prepare(self, plan: Aggregate) -> None:
        pass

    def run(self, plan: Aggregate) -> Cells:
        self.runs += 1
        found = reference.interpret_plan(
            plan, {"visits": self.rows}, lambda unit, group: hash((unit, group))
        )
        keys = sorted(found)
        width = sum(measure.width for measure in plan.measures)
        columns = [[key[i] for key in keys] for i in range(len(plan.source.keys))]
        return Cells(
            columns,
            [np.array([found[key][i] for key in keys], dtype=self.dtype) for i in range(width)],
        )


class Broken(Plain):
    def run(self, plan: Aggregate) -> Cells:
        raise RuntimeError("the secret is 42")


def plan(
    *measures: Measure | OrderStatistic, domain: Any = None, keys: tuple[str, ...] = ("k0",)
) -> Aggregate:
    schema = Schema(
        "visits", (Column("day", "date"), Column("x", "integer", Fraction(0), Fraction(6))), "who"
    )
    rows = Project(Table(schema), (("k0", ColumnRef("day")), ("v0", ColumnRef("x"))))
    return Aggregate(Group(Bound(rows, keys, 2, 3), domain), measures or (Measure("rows"),))


def ledger(
    epsilon: Fraction | int = 10, delta: Fraction | None = Fraction(1, 10**6)
) -> MemoryLedger:
    made = MemoryLedger()
    made.accept_policy(
        digest="d",
        text="t",
        budgets={
            "people": {"epsilon": epsilon, "delta": delta, "unit": "id", "neighbours": "add-remove"}
        },
        sources={},
    )
    return made


def charge(request: str | None = None) -> Charge:
    return Charge("people", UNIT, "ana", Fraction(1), "q", "1", request, {"table": "visits"})


def noise_of(
    asked: Aggregate, epsilon: Fraction = Fraction(1), delta: Fraction | None = Fraction(1, 10**7)
) -> ReleaseNoise:
    laws = tuple(
        Laplace.calibrate(sensitivity=move, epsilon=epsilon / len(asked.measures))
        for move in asked.sensitivity(UNIT)
    )
    if asked.source.domain is not None:
        return ReleaseNoise(laws)
    return ReleaseNoise(
        laws, Threshold.calibrate(0, laws[0], max_count=3, groups=2, delta=Fraction(delta))
    )


def custom(
    run: Any = lambda numbers: json.dumps(list(numbers)), reach: Sensitivity | None = None
) -> CustomMechanism:
    return CustomMechanism(Loss(Fraction(1, 2)), reach or Sensitivity.each(3, 1), run)


MEDIANS = OrderStatistic(
    "quantiles",
    "v0",
    ClampedGrid(Fraction(1), 0, 6),
    quantiles=(Fraction(1, 4), Fraction(1, 2)),
    method="exponential",
)


def picking(pick: OrderStatistic, asked: Aggregate) -> CalibratedSelection:
    return CalibratedSelection.calibrate(
        pick, asked.reach(UNIT), epsilon=Fraction(1, 2), delta=Fraction(1, 10**8)
    )


class Sampled(Plain):
    """A day of many people, and one of a single person: whatever is done with the sample of that
    day but keep it fails.
    """

    def run(self, plan: Aggregate) -> Cells:
        samples = np.empty(2, dtype=object)
        samples[:] = [np.repeat(np.arange(7), 100), "nobody may look"]
        return Cells([list(DAYS[0])], [samples, np.array([700, 1])])
