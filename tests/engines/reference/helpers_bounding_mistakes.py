"""Mistakes in the bounds of two populations, and the tables that show them."""

from __future__ import annotations

from fractions import Fraction
from math import nan
from typing import Any

import pytest

from hedgerow.engines.reference import interpreter as reference
from hedgerow.engines.reference.accumulate import Rank
from hedgerow.plan.measures import ClampedGrid, Measure, SecondPopulation
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Group,
    Join,
    RelationNode,
    Table,
)
from hedgerow.plan.schema import Column, Link, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import Relation
from plan import meetings

COLUMNS = (
    Column("g", "text", values=("a", "b", "c")),
    Column("x", "integer", Fraction(0), Fraction(10)),
)


TABLE = Table(Schema("t", COLUMNS, "id"))


SNAP = ClampedGrid(Fraction(1), 0, 10)


ALL = (
    Measure("units"),
    Measure("rows"),
    Measure("values", "x"),
    Measure("total", "x", SNAP),
    Measure("moments", "x", SNAP),
)


def line(who: object, g: object, x: object) -> dict[str, object]:
    return {"id": who, "g": g, "x": x}


def flat(unit: Value, group: tuple[Value, ...]) -> int:
    return 0


def plan(
    source: RelationNode = TABLE,
    max_groups: int = 3,
    max_rows: int = 3,
    domain: tuple[tuple[Value, ...], ...] | None = (("a", "b"),),
) -> Aggregate:
    return Aggregate(Group(Bound(source, ("g",), max_groups, max_rows), domain), ALL)


def _kept(public: RelationNode, matches: int | None) -> Join:
    return Join(TABLE, public, (("g", "k"),), (("w", "w"),), matches, keeps_unmatched=True)


ORDERS = Schema("orders", (Column("number", "integer"), Column("g", "text")), "who")


ITEMS = Schema(
    "items",
    (Column("Order", "integer", Fraction(0), Fraction(9)), Column("code", "text")),
    "who",
    link=Link("ORDER", ORDERS, "Number"),
)


PARTS = Schema("parts", (Column("item", "text"),), "who", link=Link("item", ITEMS, "code"))


LINKED: dict[str, list[dict[str, object]]] = {
    # Order 2 belongs to two units, and to one of them twice; 3 has no owner, and a missing number
    # is no number.
    "orders": [
        {"who": who, "number": n, "g": "x"}
        for who, n in [("u", 1), ("u", 2), ("u", 2), ("v", "2"), (None, 3), ("w", None)]
    ],
    "items": [
        {"Order": n, "code": code}
        for n, code in [("1", "a"), (2, "b"), (3, "c"), (None, "d"), (7, "e"), (2, None), (1, "b")]
    ],
    "parts": [{"item": code} for code in ("a", "b", "c", None)],
}


IDS: dict[str, tuple[Column | None, list[object], list[object]]] = {
    "written": (Column("id", "integer"), ["1", " 1", "01", "1.0", "+1", "x", "", None], [1] * 5),
    # strangers stay two
    "bounded": (Column("ID", "integer", Fraction(0), Fraction(1)), ["2", "3"], [2, 3]),
    "long": (Column("id", "integer"), [2**70, 2**70 + 1], [2**70, 2**70 + 1]),
    "real": (
        Column("id", "real"),
        [0.0, -0.0, nan, 2**53 + 1, 2**53],
        [0.0, 0.0, 2.0**53, 2.0**53],
    ),
    "text": (Column("id", "text"), [7, "7", "", " \t\u3000"], ["7", "7"]),
    "nothing": (None, ["1", "01", "", " ", nan, None, 3], ["1", "01", 3]),
}


PATIENTS: dict[str, list[dict[str, Any]]] = {
    "visits": [
        *(
            {"id": 1, "doctor": doctor, "month": "may", "cost": 5}
            for doctor in (1, 1, 1, 2, 4, None)
        ),
        {"id": 2, "doctor": 1, "month": "june", "cost": -2},
        {"id": 3, "doctor": 1, "month": "june", "cost": 4},
        {"id": None, "doctor": 1, "month": "june", "cost": 4},
    ],
    "doctors": [
        {"id": 1, "ward": "b", "fee": 1},
        {"id": 1, "ward": "a", "fee": 3},
        {"id": 2, "ward": "b", "fee": None},
    ],
}


def no_clamp(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reference,
        "_clamp_second_population",
        lambda plan, measure, put, exact: [numbers for _, numbers in put],
    )


def cut_not_clamped(monkeypatch: pytest.MonkeyPatch) -> None:
    """Of those who come to one of the others the first count, and no more."""

    def clamped(
        plan: Aggregate, measure: Measure, put: list[tuple[Any, Any]], *, exact: bool
    ) -> list[Any]:
        assert plan.population_join is not None
        got: dict[Any, list[Any]] = {}
        for (unit, other), numbers in put:
            got.setdefault(other, []).append((meetings.rank(unit, ()), unit, numbers))
        return [
            numbers
            for each in got.values()
            for _, _, numbers in sorted(each, key=lambda one: one[:2])[
                : plan.population_join.population.max_rows
            ]
        ]

    monkeypatch.setattr(reference, "_clamp_second_population", clamped)


def no_cap_on_bonds(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        reference,
        "_keep_first_references",
        lambda found, others, rank: (one for one in found if one[1][others.id_column] is not None),
    )


def bonds_after_the_meeting(monkeypatch: pytest.MonkeyPatch) -> None:
    """Only doctors who are there use up bonds."""
    plain, first = reference._evaluate_join, reference._keep_first_references

    def join(node: Join, tables: reference.RawTables, rank: Rank) -> Any:
        there = {row["id"] for row in tables["doctors"]}

        def present(found: Any, others: SecondPopulation, rank: Rank) -> Any:
            return first((one for one in found if one[1][others.id_column] in there), others, rank)

        monkeypatch.setattr(reference, "_keep_first_references", present)
        yield from plain(node, tables, rank)

    monkeypatch.setattr(reference, "_evaluate_join", join)


def all_rows_of_the_others(monkeypatch: pytest.MonkeyPatch) -> None:
    plain = reference._evaluate_join

    def join(node: Join, tables: reference.RawTables, rank: Rank) -> Any:
        object.__setattr__(node, "max_matches", None)
        yield from plain(node, tables, rank)

    monkeypatch.setattr(reference, "_evaluate_join", join)


MISTAKES: dict[Any, tuple[str, Relation]] = {
    no_clamp: ("doctors", "add-remove"),
    cut_not_clamped: ("visits", "add-remove"),
    no_cap_on_bonds: ("visits", "add-remove"),
    bonds_after_the_meeting: ("doctors", "add-remove"),
    all_rows_of_the_others: ("doctors", "add-remove"),
}
