"""Measured clipping: how many units of a table have more rows than a cap, released once for each
data version, out of the budget's ``clipping_epsilon``.

| symbol | meaning |
|---|---|
| c(1) < … < c(K) | the fixed, public grid of caps, ``CAP_GRID`` |
| n(i) | the number of units with more than c(i-1) and at most c(i) rows; the last one has no end |
| N(i) | the number of units with more than c(i) rows, n(i+1) + … + n(K+1) |

**Statement.** One measurement costs the epsilon that is charged for it. It releases n(1) … n(K+1)
with Laplace noise; all else (each N(i), and how many rows a cap removes) is computed from these.

**Proof.** A unit has one number of rows and so is in one bucket. Without it, one n(i) falls by 1:
the vector moves by 1 in L1. If it is replaced by another, two n(i) move by 1: by 2. The plan says
the same, as a count of units in declared groups with at most one group of each unit, and
``release`` takes the price from the plan. Noise on the tails N(1) … N(K) themselves would have to
cover a move of K in L1; as sums of buckets they have the noise of at most K draws, whose standard
deviation is only sqrt(K) that of one. []

A measurement is charged to the population, to no analyst, and durable before data are read. Its
request key is that of its plan and version: a second opening finds the charge. If a crash came
between the charge and the release, the next opening releases what was paid for, once; a failed run
stays paid for and is not repeated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Final, Protocol

from hedgerow.answers.clipping_bounds import CAP_GRID, ClippingHistogram
from hedgerow.calibration.noise_choice import calibrate_noise
from hedgerow.database.autobounds.column_bounds import encode_magnitude, round_epsilon_down
from hedgerow.engines.data_source import Source
from hedgerow.errors import Refused, SourceError
from hedgerow.ledger.entry import Entry
from hedgerow.ledger.interface import LedgerBase
from hedgerow.plan.canonical_plans import compute_plan_key
from hedgerow.plan.measures import Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Group,
    Project,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.scalar.expressions import ColumnRef
from hedgerow.plan.schema import Schema
from hedgerow.policy import BudgetRule, Policy, TableRule
from hedgerow.privacy.unit import Unit
from hedgerow.release.noise import ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.release.release import Charge, charge_together, release
from hedgerow.sql.catalog import Catalog

__all__ = [
    "ClippingMeasurement",
    "MeasuredDatabase",
    "build_clipping_plan",
    "find_measured_clipping",
    "list_measurements",
    "measure_clipping",
]

_FORM: Final = "clipping 1"  # part of the key: another way of measuring is another question
_BEYOND: Final = Fraction(2**62)  # above any number of rows


class MeasuredDatabase(Protocol):
    """The parts of a database that a measurement needs."""

    @property
    def policy(self) -> Policy: ...
    @property
    def policy_digest(self) -> str: ...
    @property
    def catalog(self) -> Catalog: ...
    @property
    def ledger(self) -> LedgerBase: ...
    @property
    def source(self) -> Source: ...


@dataclass(frozen=True, slots=True)
class ClippingMeasurement:
    """The measurement of one table at its data version; ``key`` is that of its stored answer."""

    table: TableRule
    unit: Unit
    plan: Aggregate
    key: str

    @property
    def request(self) -> str:
        """The request key, by which the ledger finds the charge."""
        return f"{_FORM} {self.key} {self.table.version}"

    def calibrate(self, epsilon: Fraction) -> ReleaseNoise:
        """Calibrate the noise that costs ``epsilon``."""
        return calibrate_noise(self.plan, self.unit, epsilon=epsilon, delta=None, kind="laplace")

    def charge(self, epsilon: Fraction, analyst: str, policy: str) -> Charge:
        """Build the charge, to the population as a whole."""
        about = {
            "table": self.table.name,
            "aggregates": [f"units of {self.table.name} beyond each cap"],
        }
        return Charge(
            str(self.table.population),
            self.unit,
            analyst,
            epsilon,
            self.key,
            self.table.version,
            self.request,
            about,
            policy,
        )


def build_clipping_plan(schema: Schema) -> Aggregate:
    """Build the plan that counts the units of a table by their number of rows."""
    units = UnitAggregation(Table(schema), (), (("rows", UnitStatistic("rows")),))
    sizes = (*map(Fraction, CAP_GRID), _BEYOND)
    bucket = encode_magnitude(ColumnRef("rows"), "integer", sizes)
    places = tuple(range(1, len(sizes) + 1))
    rows = Project(units, (("bucket", bucket),))
    return Aggregate(Group(Bound(rows, ("bucket",), 1, 1), (places,)), (Measure("units"),))


@lru_cache(maxsize=64)
def _build_measurement(table: TableRule, unit: Unit, schema: Schema) -> ClippingMeasurement:
    plan = build_clipping_plan(schema)
    meaning = [_FORM, compute_plan_key(plan), str(table.population), unit.relation]
    key = hashlib.sha256("\n".join(meaning).encode()).hexdigest()
    return ClippingMeasurement(table, unit, plan, key)


def list_measurements(database: MeasuredDatabase) -> Iterator[ClippingMeasurement]:
    """List the measurements of all tables whose units have ids."""
    for table in database.policy.tables:
        unit = table.privacy_unit
        if unit is not None and unit.owner != "row":
            yield _build_measurement(table, unit, database.catalog.tables[table.name].schema)


def find_measured_clipping(database: MeasuredDatabase, table: str) -> ClippingHistogram | None:
    """Return the stored measurement of a table at its data version; None without one."""
    for each in list_measurements(database):
        if each.table.name == table:
            stored = database.ledger.answers(each.key, each.table.version)
            return ClippingHistogram(Release.from_payload(*stored[0])) if stored else None
    return None


def measure_clipping(database: MeasuredDatabase, analyst: str) -> None:
    """Measure the tables whose data version has no measurement yet, where the policy pays for it.

    An opening never fails by it: where the budget or the source does not allow a measurement,
    answers say that clipping is not measured.
    """
    for rule in database.policy.budgets:
        if rule.clipping_epsilon is not None:
            with suppress(Refused, SourceError):
                _measure_population(database, rule, rule.clipping_epsilon, analyst)


def _measure_population(
    database: MeasuredDatabase, rule: BudgetRule, price: Fraction, analyst: str
) -> None:
    """Measure the tables of a population: new ones are charged together or not at all, with equal
    shares of the price; those whose charge has no outcome are released at the price of it."""
    ledger = database.ledger
    paid: list[tuple[ClippingMeasurement, Entry]] = []
    fresh: list[ClippingMeasurement] = []
    for each in list_measurements(database):
        if each.table.population != rule.population:
            continue
        charge = ledger.find_request(analyst, each.request)
        if charge is None:
            fresh.append(each)
        elif ledger.outcome(charge) is None:
            paid.append((each, charge))
    due = [(each, Fraction(charge.body["epsilon"])) for each, charge in paid]
    if fresh:
        share = round_epsilon_down(price / len(fresh))
        due += [(each, share) for each in fresh]
    releases = [
        (each.plan, each.calibrate(epsilon), each.charge(epsilon, analyst, database.policy_digest))
        for each, epsilon in due
    ]
    if not releases:
        return
    source = database.source
    if fresh:
        charge_together(source, ledger, releases)
    for plan, noise, terms in releases:
        release(plan, source, ledger, noise, terms)
