"""Exact numbers for the custodian: what each cap would keep, and an answer beside its exact value.

These functions read data without noise and without a charge. They are no methods of a database and
are reached by the command line alone, in a process of whoever can read the source anyway; the
services have no way to them. Each records itself in the ledger before it reads: who, when, and a
digest of the SQL, and no result. The noise that ``compare_answer`` draws is neither stored nor used
again.
"""

from __future__ import annotations

import getpass
import hashlib
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, Final

from hedgerow.answers.answer import Answer, build_answer
from hedgerow.answers.clipping_bounds import CAP_GRID
from hedgerow.database.autobounds.contribution_caps import NO_CAP
from hedgerow.database.database import CUSTODIAN, Database
from hedgerow.database.query.pricing import QueryRequest, price_question
from hedgerow.errors import Refused, Unsupported
from hedgerow.ledger.entry import Entry, format_now
from hedgerow.ledger.exact_access import record_exact_access
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.exact_number import MAX_EPSILON, Number
from hedgerow.plan.measures import Measure, UnitReach
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Project,
    RelationNode,
    Table,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef
from hedgerow.plan.schema import Schema
from hedgerow.policy import TableRule
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import ReleaseNoise, list_counting_steps
from hedgerow.release.payload import Release
from hedgerow.sql.question import Question

__all__ = ["OUTSIDE_NOTE", "CapEffect", "ComparedValue", "compare_answer", "report_caps"]

OUTSIDE_NOTE: Final = (
    "A cap that is chosen after an exact report is outside the guarantee: it is a fact about these"
    " data that nobody has paid for."
)
_COMPARED_NOTE: Final = "An answer was compared with its exact value."
_NO_NOISE: Final = Fraction(1, 1000)  # the scale of noise that is 0, but for one draw in e^1000
_LONE_ROW: Final = UnitReach(1, 1, None, False)


@dataclass(frozen=True, slots=True)
class CapEffect:
    """The effect of one candidate for a cap: of ``total`` rows of a table, or groups that units are
    in, it keeps some; ``key`` is the key of the groups, or None."""

    table: str
    cap_name: str
    key: str | None
    cap: int
    is_declared: bool
    kept: int
    total: int
    cut_units: int
    units: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        return {name: getattr(self, name) for name in self.__slots__} | {
            "cut": self.total - self.kept
        }


@dataclass(frozen=True, slots=True)
class ComparedValue:
    """A number of an answer: exact without caps, exact under caps, and noisy."""

    keys: Mapping[str, object]
    column: str
    exact: float | None
    capped: float | None
    noisy: float | None

    @property
    def clipping(self) -> float | None:
        """The part of the error that caps make."""
        return _subtract(self.capped, self.exact)

    @property
    def noise(self) -> float | None:
        """The part of the error that noise makes."""
        return _subtract(self.noisy, self.capped)

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON."""
        values = {name: getattr(self, name) for name in ("exact", "capped", "noisy")}
        keys = {
            name: value if _is_plain(value) else str(value) for name, value in self.keys.items()
        }
        errors = {"noise_error": self.noise, "clipping_error": self.clipping}
        return {"keys": keys, "column": self.column, **values, **errors}


def report_caps(database: Database) -> list[CapEffect]:
    """Report what each candidate for a cap would keep and cut, exactly."""
    _record(database, "caps", None, OUTSIDE_NOTE)
    return [
        effect
        for table in database.policy.tables
        if table.population is not None and table.unit != "row"
        for effect in _report_table(database, table)
    ]


def compare_answer(
    database: Database, sql: str, epsilon: Number | None = None
) -> list[ComparedValue]:
    """Compare a noisy answer with the exact one, with and without the caps of the policy."""
    question = _read_question(database, sql)
    priced = price_question(database, question, QueryRequest(sql, CUSTODIAN, epsilon))
    if priced.payers.second is not None:
        raise Refused(
            "This question is about two populations, whose caps have no common part of an error."
            " Compare a question about one of them."
        )
    digest = hashlib.sha256(sql.encode()).hexdigest()
    _record(database, "compare", digest, _COMPARED_NOTE)
    noisy = _draw(database, priced.question, priced.noise)
    delta = priced.payers.first.budget_rule.default_delta
    capped = _draw_exactly(database, question, delta)
    exact = _draw_exactly(database, _lift_caps(question), delta)
    return list(_compare(exact, capped, noisy))


def _record(database: Database, tool: str, digest: str | None, note: str) -> None:
    """Start the engine, and record the look before it."""
    _ = database.source
    record_exact_access(database.ledger, who=getpass.getuser(), tool=tool, digest=digest, note=note)


def _report_table(database: Database, table: TableRule) -> Iterator[CapEffect]:
    schema = database.catalog.tables[table.name].schema
    yield from _list_effects(database, table, None, "max_rows_per_group", _count_rows(schema, None))
    for column in schema.columns:
        if column.values is not None:
            rows, groups = _count_rows(schema, column.name), _count_groups(schema, column.name)
            yield from _list_effects(database, table, column.name, "max_rows_per_group", rows)
            yield from _list_effects(database, table, column.name, "max_groups", groups)


def _list_effects(
    database: Database, table: TableRule, key: str | None, cap_name: str, plan: Aggregate
) -> Iterator[CapEffect]:
    """List the effects of the candidates: those of the public grid up to the largest number in the
    data, and the declared cap."""
    cells = database.source.run(plan)
    (sizes,), (many,) = cells.keys, cells.numbers
    counts = {int(str(size)): int(number) for size, number in zip(sizes, many, strict=True)}
    declared, most = table.cap(cap_name), max(counts, default=0)
    last = next((cap for cap in CAP_GRID if cap >= most), CAP_GRID[-1])
    caps = {cap for cap in CAP_GRID if cap <= last}
    for cap in sorted(caps | ({declared} if isinstance(declared, int) else set())):
        yield CapEffect(
            table.name,
            cap_name,
            key,
            cap,
            cap == declared,
            sum(min(size, cap) * number for size, number in counts.items()),
            sum(size * number for size, number in counts.items()),
            sum(number for size, number in counts.items() if size > cap),
            sum(counts.values()),
        )


def _count_rows(schema: Schema, key: str | None) -> Aggregate:
    """Build the plan that counts units (with a key: pairs of unit and group) by their rows."""
    return _count_by_size(_aggregate_units(schema, key))


def _count_groups(schema: Schema, key: str) -> Aggregate:
    """Build the plan that counts units by the number of their groups."""
    return _count_by_size(
        UnitAggregation(_aggregate_units(schema, key), (), (("size", UnitStatistic("rows")),))
    )


def _aggregate_units(schema: Schema, key: str | None) -> RelationNode:
    rows: RelationNode = Table(schema)
    if key is not None:
        known = Call("not", (Call("is null", (ColumnRef(key),)),))
        rows = Filter(rows, known)  # rows without the key are in no group
    keys = () if key is None else (key,)
    return UnitAggregation(rows, keys, (("size", UnitStatistic("rows")),))


def _count_by_size(rows: RelationNode) -> Aggregate:
    sizes = Project(rows, (("size", ColumnRef("size")),))
    return Aggregate(Group(Bound(sizes, ("size",), NO_CAP, NO_CAP), None), (Measure("rows"),))


def _read_question(database: Database, sql: str) -> Question:
    try:
        resolved = database.resolver.resolve(sql)
    except Unsupported as refusal:
        raise Unsupported(
            f"{refusal}\nIf this is SQL over several answers: compare takes one question, such as"
            " one of its innermost aggregates."
        ) from None
    question = resolved.question
    if question.explain or resolved.missing_searches:
        raise Refused(
            "compare takes a question whose bounds are declared or found before. Ask it once first,"
            " and leave EXPLAIN PRIVACY out."
        )
    # What HAVING and LIMIT leave depends on the noise.
    return replace(question, having=None, limit=None, offset=0)


def _lift_caps(question: Question) -> Question:
    """Return the question without a limit on groups and rows; values stay clamped."""
    bound = question.plan.bound
    if bound.source.unit == "row":
        return question
    groups = NO_CAP if question.plan.source.cells is None else question.plan.source.cells
    lifted = replace(bound, max_groups=groups if bound.keys else 1, max_rows=NO_CAP)
    plan = replace(question.plan, source=replace(question.plan.source, source=lifted))
    return question.with_plan(plan)


def _draw(database: Database, question: Question, noise: ReleaseNoise) -> Answer:
    """Run a question and draw its noise, outside of every release."""
    noise = replace(noise, counting_steps=list_counting_steps(question.plan))
    measures = [one for one in question.plan.measures if isinstance(one, Measure | OrderStatistic)]
    keys, numbers = noise.sample(database.source.run(question.plan), measures)
    body = {"charges": {}, "epsilon": "1", "about": {}}
    entry = Entry.build("", 1, "charge", body, "", format_now())  # of no ledger
    release = Release(tuple(keys), tuple(map(tuple, numbers)), noise, entry)
    return build_answer(question, [release], reused=True, notes=())


def _draw_exactly(database: Database, question: Question, delta: Fraction | None) -> Answer:
    """Run a question with noise so small that it is 0, and show all of its groups. What is
    selected is selected at the largest epsilon there is."""
    mechanisms = tuple(
        CalibratedSelection.calibrate(
            measure, _LONE_ROW, members=1, epsilon=MAX_EPSILON, delta=delta
        )
        if isinstance(measure, OrderStatistic)
        else Laplace(_NO_NOISE)
        for measure in question.plan.measures
    )
    return _draw(database, question, ReleaseNoise(mechanisms))


def _compare(exact: Answer, capped: Answer, noisy: Answer) -> Iterator[ComparedValue]:
    keys = [name for name in exact.columns if name in exact.keys]
    tables = [
        {tuple(row[name] for name in keys): row for row in answer.rows}
        for answer in (exact, capped, noisy)
    ]
    for group in dict.fromkeys(key for table in tables for key in table):
        for name in exact.columns:
            values = [table.get(group, {}).get(name) for table in tables]
            if name not in keys and all(_is_number(value) for value in values):
                yield ComparedValue(dict(zip(keys, group, strict=True)), name, *values)


def _is_number(value: object) -> bool:
    return value is None or (isinstance(value, int | float) and not isinstance(value, bool))


def _is_plain(value: object) -> bool:
    return value is None or isinstance(value, str | int | float | bool)


def _subtract(first: float | None, second: float | None) -> float | None:
    return None if first is None or second is None else first - second
