"""The length of a run's slot, from public parameters: the class of the plan, and the largest number
of rows that the policy declares for its tables.

Epsilon decides how much noise is drawn, which takes no longer for a small one, so it is left out.
The figures below are what an engine does on a loaded machine, several times slower than a quiet
one.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from typing import Final

from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import Aggregate, list_schemas
from hedgerow.policy import Policy, TableRule
from hedgerow.service.departures import Departures, TimingPromise

__all__ = ["PlanClass", "RunSchedule"]

_LEAST_SECONDS: Final = 2.0
_LADDER: Final = (2, 3, 5, 8, 12, 20, 30, 50, 80, 120, 200, 300, 500, 800, 1200, 2000, 3000)
_UNDECLARED_ROWS: Final = 10_000_000


class PlanClass(StrEnum):
    """The classes of plans, by the work that they are for an engine."""

    sums = "counts, sums and averages"
    ordered = "medians, quantiles and distinct counts"
    joins = "joins and unions"


_ROWS_PER_SECOND: Final[Mapping[PlanClass, float]] = {
    PlanClass.sums: 3_000_000,
    PlanClass.ordered: 1_500_000,
    PlanClass.joins: 1_500_000,
}


@dataclass(frozen=True, slots=True)
class RunSchedule:
    """The slots of all plans over a policy, with the largest number of rows of each table."""

    departures: Departures
    max_rows: Mapping[str, int]

    @classmethod
    def from_policy(cls, departures: Departures, policy: Policy) -> RunSchedule:
        """Build the schedule of a policy."""
        rows = {
            table.name: table.max_rows or _estimate_rows(table)
            for table in policy.tables
            if not table.public  # these are small beside the others
        }
        return cls(departures, rows)

    def find_seconds(self, plan: Aggregate) -> float:
        """Return the length of the slot of a plan."""
        tables = [schema.table for schema in list_schemas(plan.bound.source)]
        return self._compute_seconds(_classify(plan), tables)

    def list_seconds(self, table: str) -> dict[str, float]:
        """Return the length of the slot of questions about a table by their class; a join is one
        with itself."""
        return {
            one.value: self._compute_seconds(one, [table] * (1 + (one is PlanClass.joins)))
            for one in PlanClass
        }

    @property
    def longest(self) -> float:
        """The longest slot of a question about one table."""
        return max(one for table in self.max_rows for one in self.list_seconds(table).values())

    def describe(self) -> list[str]:
        """Return a line for each table with the seconds until its answers leave."""
        names = [] if self.departures.promise is TimingPromise.none else sorted(self.max_rows)
        return [
            f"{name}: "
            + ", ".join(f"{one} {seconds:g} s" for one, seconds in self.list_seconds(name).items())
            for name in names
        ]

    def _compute_seconds(self, kind: PlanClass, tables: Sequence[str]) -> float:
        if self.departures.run_seconds is not None:
            return self.departures.run_seconds
        rows = sum(self.max_rows.get(table, 0) for table in tables)
        wanted = _LEAST_SECONDS + rows / _ROWS_PER_SECOND[kind]
        return next((step for step in _LADDER if step >= wanted), _LADDER[-1])


def _estimate_rows(table: TableRule) -> int:
    """Estimate the rows of a table that declares no max_rows by its other bounds."""
    each = table.max_rows_per_group
    if table.max_units is None or not isinstance(each, int):
        return _UNDECLARED_ROWS
    return table.max_units * each


def _classify(plan: Aggregate) -> PlanClass:
    if len(list_schemas(plan.bound.source)) > 1:
        return PlanClass.joins
    is_plain = all(
        isinstance(measure, Measure) and measure.kind != "distinct" for measure in plan.measures
    )
    return PlanClass.sums if is_plain else PlanClass.ordered
