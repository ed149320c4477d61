"""Worlds of two populations: visits are the patients', and name a doctor; doctors are others.
Plans in which they meet, and neighbours.
"""

from __future__ import annotations

import zlib
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from fractions import Fraction
from random import Random
from typing import Any

from hedgerow.plan.measures import ClampedGrid, Measure, SecondPopulation
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Join, Project, RelationNode, Table
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Relation, Unit

Tables = Mapping[str, list[dict[str, Any]]]

VISITS = Schema(
    "visits",
    (
        Column("doctor", "integer"),
        Column("month", "text", values=("may", "june", "july")),
        Column("cost", "integer", Fraction(-2), Fraction(5)),
    ),
    "id",
)
DOCTORS = Schema(
    "doctors",
    (
        Column("ward", "text", values=("a", "b")),
        Column("fee", "integer", Fraction(-1), Fraction(3)),
    ),
    "id",
)
ADDS = (("ward", "ward"), ("fee", "fee"))
MONTHS, WARDS = ("may", "june", "july"), ("a", "b")
COST, FEE = ClampedGrid(Fraction(1), -2, 5), ClampedGrid(Fraction(1), -1, 3)
MEASURES = (
    Measure("units"),
    Measure("rows"),
    Measure("values", "cost"),
    Measure("total", "cost", COST),
    Measure("total", "both", ClampedGrid(Fraction(1), -3, 8)),
    Measure("moments", "cost", COST),
    Measure("moments", "cost", COST, degree=2),
    Measure("moments", "cost", COST, second=("fee", FEE)),
)
DOMAINS: Mapping[str, tuple[Value, ...]] = {
    "month": MONTHS,
    "ward": WARDS,
    "late": (False, True),
    "doctor": (1, 2, 3),
}


def meeting(
    also: tuple[str, ...] = ("month",),
    bonds: int = 2,
    most: int = 2,
    source: RelationNode | None = None,
    other: RelationNode | None = None,
) -> Join:
    """Patients meet doctors: so many bonds of a patient count, and so many rows of a doctor."""
    own, theirs = source or Table(VISITS), other or Table(DOCTORS)
    return Join(
        own, theirs, (), ADDS, 1, second_population=SecondPopulation("doctor", also, bonds, most)
    )


def asked(
    keys: tuple[str, ...] = (),
    measures: Sequence[Measure] = (Measure("rows"),),
    *,
    bonds: int = 2,
    rows: int = 2,
    most: int = 2,
    condition: Expression | None = None,
) -> Aggregate:
    """A plan by these keys: "month" is the patients', "ward" and "doctor" the doctors', "late"
    is made of a month.
    """
    join = meeting(("month",) if {"month", "late"} & set(keys) else (), bonds, most)
    late = Call("=", (ColumnRef("month"), Constant("july", "text")))
    both = Call("+", (ColumnRef("cost"), ColumnRef("fee")))
    outputs: dict[str, Expression] = {
        "month": ColumnRef("month"),
        "ward": ColumnRef("ward"),
        "late": late,
        "doctor": ColumnRef("doctor"),
    }
    source: RelationNode = join if condition is None else Filter(join, condition)
    wanted = {name: outputs[name] for name in keys} | {
        "cost": ColumnRef("cost"),
        "fee": ColumnRef("fee"),
        "both": both,
    }
    bound = Bound(Project(source, tuple(wanted.items())), keys, bonds, rows)
    return Aggregate(Group(bound, tuple(DOMAINS[key] for key in keys)), tuple(measures))


def plan(random: Random) -> Aggregate:
    """One of them."""
    keys = tuple(random.sample(sorted(DOMAINS), random.randint(0, 2)))
    measures = random.sample(MEASURES, random.randint(1, 4))
    conditions: list[Expression | None] = [
        None,
        Call("<", (ColumnRef("cost"), ColumnRef("fee"))),
        Call("=", (ColumnRef("ward"), Constant("a", "text"))),
        Call(
            "or",
            (
                Call("is null", (ColumnRef("fee"),)),
                Call(">", (ColumnRef("cost"), Constant(1, "integer"))),
            ),
        ),
    ]
    caps = {name: random.randint(1, 3) for name in ("bonds", "rows", "most")}
    return asked(keys, measures, condition=random.choice(conditions), **caps)


def visit(random: Random, who: Any, doctors: Sequence[Any] = (1, 2, 3, 4, None)) -> dict[str, Any]:
    """Doctor 4 is in no table."""
    month = random.choice((*MONTHS, None, "unheard of"))
    return {
        "id": who,
        "doctor": random.choice(doctors),
        "month": month,
        "cost": random.choice((-2, 0, 1, 5, 9, None)),
    }


def doctor(random: Random, who: Any) -> dict[str, Any]:
    return {
        "id": who,
        "ward": random.choice((*WARDS, None)),
        "fee": random.choice((-1, 0, 3, None)),
    }


def world(random: Random) -> Tables:
    """Few patients or many, with up to six visits; doctors have up to two rows."""
    patients = range(1, random.choice((4, 11)))
    visits = [visit(random, who) for who in (*patients, None) for _ in range(random.randint(0, 6))]
    return {
        "visits": visits,
        "doctors": [
            doctor(random, who) for who in (1, 2, 3) for _ in range(random.choice((0, 1, 1, 2)))
        ],
    }


def others(random: Random, tables: Tables, table: str, relation: str) -> Iterator[Tables]:
    """The neighbours: each unit of a table gone, or with other rows instead. The other table
    stays as it is.
    """
    for who in sorted({row["id"] for row in tables[table] if row["id"] is not None}):
        left = [row for row in tables[table] if row["id"] != who]
        if relation == "add-remove":
            yield {**tables, table: left}
            continue
        for _ in range(3):
            make, new = (
                visit if table == "visits" else doctor,
                random.choice((who, 4 if table == "doctors" else 9)),
            )
            yield {
                **tables,
                table: (
                    left
                    + [
                        make(random, new)
                        for _ in range(random.randint(0, 6 if table == "visits" else 2))
                    ]
                ),
            }


def rank(unit: Any, group: Sequence[Value]) -> int:
    """An order as good as any, with ties."""
    return zlib.crc32(repr((unit, group)).encode()) % 8


Run = Callable[[Aggregate, Tables, Callable[..., int]], Mapping[Any, tuple[Any, ...]]]


def breaches(
    asked: Aggregate,
    tables: Tables,
    neighbours: Iterable[Tables],
    claims: Sequence[Sensitivity],
    run: Run,
) -> list[str]:
    """Which measures move further on one of the neighbours than they are said to: the norm, how
    far, and the claim.
    """
    before, found = run(asked, tables, rank), []
    for other in neighbours:
        after, start = run(asked, other, rank), 0
        for measure, claim in zip(asked.measures, claims, strict=True):
            places = range(start, start + measure.width)
            start += measure.width
            moves = [abs(before[group][i] - after[group][i]) for group in before for i in places]
            real = (sum(map(bool, moves)), max(moves), sum(moves), sum(move**2 for move in moves))
            bounds = (claim.l0, claim.linf, claim.l1, claim.l2_squared)
            names = ("l0", "linf", "l1", "l2")
            found += [
                f"{n} {a} > {b} of {measure.kind}"
                for n, a, b in zip(names, real, bounds, strict=True)
                if a > b
            ]
    return found


def searched(table: str, relation: Relation, examples: Iterable[int], run: Run) -> Iterator[str]:
    """What is found on random worlds and their neighbours in one of the two populations."""
    for number in examples:
        random = Random(f"{table} {relation} {number}")
        tables, made = world(random), plan(random)
        unit = Unit(relation, "id")
        claims = (
            made.sensitivity(unit)
            if table == "visits"
            else made.second_population_sensitivity(unit)
        )
        yield from breaches(made, tables, others(random, tables, table, relation), claims, run)
