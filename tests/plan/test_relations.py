"""Relation nodes: their columns, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.plan.measures import ClampedGrid, SecondPopulation, Truncation
from hedgerow.plan.nodes import (
    Bound,
    Filter,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.relations import find_owner_join
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Range
from plan import meetings

G, X = Column("g", "text"), Column("x", "integer", Fraction(-1), Fraction(2))


TABLE = Table(Schema("t", (G, X), "id"))


OTHER = Table(
    Schema("s", (Column("g", "text"), Column("x", "integer", Fraction(0), Fraction(5))), "who")
)


ROWS = Table(Schema("r", (G, X), "row"))


PUBLIC = Table(
    Schema("p", (Column("g", "text"), Column("size", "integer", Fraction(0), Fraction(9))), None)
)


POSITIVE: Expression = Call(">", (ColumnRef("x"), Constant(0, "integer")))


POSITIVE_COST: Expression = Call(">", (ColumnRef("cost"), Constant(0, "integer")))


def test_columns_follow_from_the_source() -> None:
    x = X.range
    assert Filter(TABLE, POSITIVE).columns == {"g": G.range, "x": x}
    twice = Project(TABLE, (("y", Call("+", (ColumnRef("x"), ColumnRef("x")))),))
    assert twice.columns == {"y": Range("integer", Fraction(-2), Fraction(4), Fraction(1))}
    join = Join(TABLE, PUBLIC, (("g", "g"),), (("size", "size"),))
    assert list(join.columns) == ["g", "x", "size"]
    assert Bound(join, ("g",), 1, 1).columns == join.columns
    assert {
        node.unit for node in (TABLE, Filter(TABLE, POSITIVE), twice, join, Union((TABLE, OTHER)))
    } == {"id"}


def test_a_union_has_the_properties_common_to_its_sources() -> None:
    assert Union((TABLE, OTHER)).columns["x"] == Range(
        "integer", Fraction(-1), Fraction(5), Fraction(1)
    )
    free = Table(Schema("f", (G, Column("x", "integer")), "id"))
    assert Union((TABLE, free)).columns["x"] == Range("integer", step=Fraction(1))
    fine, coarse = (
        Table(Schema("f", (Column("x", "real", Fraction(0), Fraction(1), Fraction(1, n)),), "id"))
        for n in (10, 2)
    )
    assert Union((fine, coarse)).columns["x"].step == Fraction(1, 10)
    listed, other = (
        Table(Schema("f", (Column("g", "text", values=values),), "id"))
        for values in (("a",), ("a", "b"))
    )
    assert Union((listed, other)).columns["g"].values == ("a", "b")
    assert Union((listed, listed)).columns["g"].values == ("a",)
    assert (
        Union((listed, Table(Schema("f", (Column("g", "text"),), "id")))).columns["g"].values
        is None
    )
    nothing = Project(TABLE, (("g", ColumnRef("g")), ("x", Constant(None, "integer"))))
    # what is always NULL has no say
    assert Union((TABLE, nothing)).columns["x"] == TABLE.columns["x"]


def test_invalid_relations_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="must be a boolean expression"):
        Filter(TABLE, ColumnRef("x"))
    with pytest.raises(InvalidArgument, match="different names"):
        Project(TABLE, (("y", ColumnRef("x")), ("y", ColumnRef("g"))))
    join_on = (("g", "g"),)
    for source, other, matches in [
        (PUBLIC, TABLE, None),
        (ROWS, TABLE, None),
        (TABLE, ROWS, None),
        (TABLE, OTHER, 1),
    ]:
        with pytest.raises(InvalidArgument, match="must be public, or joined unit by unit"):
            Join(source, other, join_on, (), matches)
    with pytest.raises(InvalidArgument, match="columns to join the public rows on"):
        Join(TABLE, PUBLIC, (), (("size", "size"),))
    for on, adds in [((("y", "g"),), ()), ((("g", "y"),), ()), (join_on, (("size", "y"),))]:
        with pytest.raises(InvalidArgument, match="columns of the two sides"):
            Join(TABLE, PUBLIC, on, adds)
    with pytest.raises(Unsupported, match="A join needs values of one type"):
        Join(TABLE, PUBLIC, (("x", "g"),), ())
    with pytest.raises(InvalidArgument, match="whole number of at least 1"):
        Join(TABLE, PUBLIC, (("g", "g"),), (), 0)
    for same in [(("x", "size"),), (("y", "size"), ("y", "g"))]:
        with pytest.raises(InvalidArgument, match="none that the source has"):
            Join(TABLE, PUBLIC, (("g", "g"),), same)
    with pytest.raises(InvalidArgument, match="two or more"):
        Union((TABLE,))
    with pytest.raises(InvalidArgument, match="same names and types"):
        Union((TABLE, Project(TABLE, (("x", ColumnRef("x")),))))
    with pytest.raises(InvalidArgument, match="same units"):
        Union((TABLE, ROWS))
    with pytest.raises(InvalidArgument, match="same units"):
        Union((TABLE, Table(Schema("p", (G, X), None))))


def test_invalid_unit_aggregations_are_refused() -> None:
    snap = ClampedGrid(Fraction(1), 0, 1)
    for keys, names in [(("g", "g"), ("n",)), (("g",), ("g",)), ((), ("n", "n"))]:
        with pytest.raises(InvalidArgument, match="must have different names"):
            UnitAggregation(TABLE, keys, tuple((name, UnitStatistic("rows")) for name in names))
    for source in (PUBLIC, ROWS):
        with pytest.raises(InvalidArgument, match="units with ids, of one population"):
            UnitAggregation(source, ("g",), ())
    for keys, folded in [(("y",), UnitStatistic("rows")), ((), UnitStatistic("values", "y"))]:
        with pytest.raises(
            InvalidArgument, match="must aggregate columns of the source, like the keys"
        ):
            UnitAggregation(TABLE, keys, (("n", folded),))
    for kind in ("total", "mean"):
        statistic = UnitStatistic(kind, "g", snap)  # type: ignore[arg-type]
        with pytest.raises(InvalidArgument, match="must sum numbers"):
            UnitAggregation(TABLE, (), (("n", statistic),))
    for step in (Fraction(1, 2), Fraction(2**63)):
        with pytest.raises(InvalidArgument, match="in whole steps"):
            UnitAggregation(
                TABLE, (), (("n", UnitStatistic("total", "x", ClampedGrid(step, 0, 1))),)
            )
    with pytest.raises(InvalidArgument, match="must compare numbers or dates"):
        UnitAggregation(TABLE, (), (("n", UnitStatistic("least", "g")),))


def test_ranges_of_per_unit_statistics() -> None:
    snap, half = ClampedGrid(Fraction(1), -1, 2), ClampedGrid(Fraction(1, 2), -2, 4)
    outputs = (
        ("n", UnitStatistic("rows")),
        ("d", UnitStatistic("distinct", "g")),
        ("s", UnitStatistic("total", "x", snap)),
        ("m", UnitStatistic("mean", "x", half)),
    )
    fold = UnitAggregation(TABLE, ("g",), (*outputs, ("top", UnitStatistic("greatest", "x"))))
    count = Range("integer", Fraction(0), step=Fraction(1), nullable=False)
    assert fold.columns == {
        "g": G.range,
        "n": count,
        "d": count,
        "s": Range("integer", step=Fraction(1)),
        "m": Range("real", Fraction(-1), Fraction(2)),
        "top": X.range,
    }
    assert fold.unit == "id"
    assert Bound(fold, ("g",), 1, 1).columns == fold.columns


def test_added_columns_of_unmatched_rows_are_nullable() -> None:
    there = Table(
        Schema(
            "p", (Column("g", "text"), Column("size", "integer", Fraction(0), Fraction(9))), None
        )
    )
    filled = Project(
        there,
        (
            ("g", ColumnRef("g")),
            ("size", Call("coalesce", (ColumnRef("size"), Constant(0, "integer")))),
        ),
    )
    plain, kept = (
        Join(TABLE, filled, (("g", "g"),), (("size", "size"),), keeps_unmatched=keeps)
        for keeps in (False, True)
    )
    assert not plain.columns["size"].nullable
    assert kept.columns == {
        **plain.columns,
        "size": plain.columns["size"].with_changes(nullable=True),
    }


MEETING = meetings.meeting()


@pytest.mark.parametrize(
    "changes",
    [
        {"max_matches": None},
        {"max_matches": 2},
        {"keeps_unmatched": True},
        {"on": (("month", "ward"),)},
        {"second_population": SecondPopulation("nobody", (), 1, 1)},
        {"second_population": SecondPopulation("doctor", ("nothing",), 1, 1)},
        {"source": Table(replace(meetings.VISITS, unit="row"))},
        {"source": Table(replace(meetings.VISITS, unit=None))},
        {"other": Table(replace(meetings.DOCTORS, unit="row"))},
        {"other": Table(replace(meetings.DOCTORS, unit=None)), "on": ()},
        {"source": MEETING, "added_columns": ()},
        {"source": Filter(MEETING, POSITIVE_COST), "added_columns": ()},
        {"other": MEETING, "added_columns": ()},
        {"other": Table(meetings.VISITS), "added_columns": ()},  # oneself is nobody else
        {"source": Join(MEETING.source, Table(meetings.DOCTORS), (), ())},
    ],
)
def test_invalid_joins_of_two_populations_are_refused(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        replace(MEETING, **changes)


def test_a_reference_by_reals_is_refused() -> None:
    visits = replace(
        meetings.VISITS, columns=(Column("doctor", "real"), *meetings.VISITS.columns[1:])
    )
    with pytest.raises(InvalidArgument, match="that are not real"):
        meetings.meeting((), source=Table(visits))


@pytest.mark.parametrize("cap", ["max_references", "max_rows"])
def test_bounds_of_a_second_population_are_positive_integers(cap: str) -> None:
    with pytest.raises(InvalidArgument, match=cap):
        replace(SecondPopulation("doctor", (), 1, 1), **{cap: 0})


def test_only_filters_and_projections_stand_above_a_population_join() -> None:
    cost = Project(MEETING, (("cost", ColumnRef("cost")),))
    for build in (
        lambda: UnitAggregation(cost, (), (("n", UnitStatistic("rows")),)),
        lambda: Union((cost, cost)),
        lambda: Join(MEETING, Table(meetings.VISITS), (), (("again", "cost"),)),
        lambda: Join(Table(meetings.VISITS), cost, (), (("again", "cost"),)),
        lambda: Join(MEETING, PUBLIC, (("ward", "g"),), ()),
    ):
        with pytest.raises(InvalidArgument):
            build()


CAPS = (Truncation(2, 3), Truncation(4, 5))
LABELLED = Table(
    Schema("s", (Column("who", "integer"), Column("w", "real"), Column("label", "text")), "who")
)


def across(
    source: RelationNode = TABLE,
    other: RelationNode = LABELLED,
    on: tuple[tuple[str, str], ...] = (("g", "label"),),
    added: tuple[tuple[str, str], ...] = (("label", "label"),),
    caps: tuple[Truncation, Truncation] = CAPS,
    **parts: Any,
) -> Join:
    return Join(source, other, on, added, truncations=caps, **parts)


def test_rows_of_a_join_across_units_belong_to_no_single_unit() -> None:
    join = across(on=(("g", "label"), ("x", "")))
    assert join.unit == "row"
    assert [*join.columns] == ["g", "x", "label"]
    assert find_owner_join(Filter(join, POSITIVE)) is join
    assert find_owner_join(TABLE) is None
    once = tuple(Truncation(1, caps.max_rows_per_key) for caps in CAPS)
    rows = Table(replace(LABELLED.schema, unit="row"))
    assert across(ROWS, rows, caps=once).unit == "row"  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "wrong",
    [
        {"on": ()},
        {"on": (("x", "w"),)},
        {"on": (("g", "label"), ("w", "w")), "source": LABELLED},
        {"other": PUBLIC, "on": (("g", "g"),), "added": ()},
        {"other": ROWS, "on": (("g", "g"),), "added": ()},
        {"source": ROWS, "other": ROWS, "on": (("g", "g"),), "added": ()},
        {"max_matches": 1},
        {"keeps_unmatched": True},
        {"second_population": SecondPopulation("x", (), 1, 1)},
        {"added": (("who", ""),)},
        {"on": (("g", ""),)},
        {"on": (("", "who"),)},
        {"source": across(added=(("m", "label"),))},
    ],
)
def test_invalid_joins_across_units_are_refused(wrong: dict[str, Any]) -> None:
    with pytest.raises((InvalidArgument, Unsupported)):
        across(**wrong)


def test_nothing_but_filters_and_projections_stands_above_a_join_across_units() -> None:
    join = across()
    with pytest.raises(InvalidArgument, match="rows of two units"):
        Union((join, join))
    with pytest.raises(InvalidArgument, match="units with ids"):
        UnitAggregation(join, (), (("n", UnitStatistic("rows")),))
    with pytest.raises(InvalidArgument, match="rows of different units"):
        Join(join, PUBLIC, (("g", "g"),), (("size", "size"),))
    for caps in [(0, 1), (1, 0)]:
        with pytest.raises(InvalidArgument, match="whole number of at least 1"):
            Truncation(*caps)
