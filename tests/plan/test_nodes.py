"""The nodes: what they refuse to be built from, and that no plan lets one unit move more than it
says.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from hedgerow.errors import InvalidArgument, Unbounded, Unsupported
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure, SecondPopulation, UnitReach
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Range
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute, meetings

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
TOTAL = Measure("total", "x", ClampedGrid(Fraction(1), -1, 2))
ALL = [
    Measure("units"),
    Measure("rows"),
    Measure("values", "x"),
    TOTAL,
    Measure("moments", "x", ClampedGrid(Fraction(1), -1, 2)),
]


def grouped(source: RelationNode, max_groups: int = 1, max_rows: int = 1) -> Group:
    return Group(Bound(source, ("g",), max_groups, max_rows), (("a", "b"),))


@pytest.mark.parametrize("relation", RELATIONS)
def test_filters_projections_and_unions_move_nothing_further(relation: Relation) -> None:
    """Whatever happens below Bound: all measures together stay within the sum of what each
    declares.
    """
    table = brute.world(ALL, 2, 2, 1).bound.source
    doubled = Project(
        table,
        (("g", ColumnRef("g")), ("x", Call("coalesce", (ColumnRef("x"), Constant(-5, "integer"))))),
    )
    never_null = Filter(table, Call("not", (Call("is null", (ColumnRef("x"),)),)))
    for source in (table, doubled, never_null, Union((table, doubled))):
        plan = Aggregate(Group(Bound(source, ("g",), 2, 2), (("a", "b", "c"),)), tuple(ALL))
        found = brute.answers(plan, brute.bags(("a", "b", "z"), (-2, 1, 3, None), 2))
        first, *rest = plan.sensitivity(Unit(relation, "id"))
        for sensitivity in rest:
            first = first + sensitivity
        real = brute.largest(brute.differences(found, relation))
        assert all(a <= b for a, b in zip(real, brute.declared(first), strict=True))


@pytest.mark.parametrize("relation", RELATIONS)
def test_every_row_a_unit(relation: Relation) -> None:
    plan = brute.world([TOTAL], 3, 1, 1, unit="row")
    found = brute.answers(plan, brute.bags((*brute.GROUPS[:3], "z"), (-2, 0, 2, None), 1), ids=(1,))
    (sensitivity,) = plan.sensitivity(Unit(relation))
    assert brute.largest(brute.differences(found, relation)) == brute.declared(sensitivity)


def test_two_units_move_together() -> None:
    plan = brute.world([TOTAL], 3, 1, 1)
    found = brute.answers(plan, brute.bags(brute.GROUPS[:3], (-1, 2), 1))
    both = found[1][:, None, :] + found[2][None, :, :] - 2 * found[1][0]
    real = brute.largest(iter([both.reshape(-1, both.shape[-1])]))
    (sensitivity,) = plan.sensitivity(Unit("add-remove", "id", 2))
    assert real == brute.declared(sensitivity) == (2, 4, 4, 16)


def test_reach() -> None:
    plan = Aggregate(grouped(TABLE, 3, 4), (Measure("rows"),))
    assert plan.reach(Unit("add-remove", "id")) == UnitReach(3, 4, 2, is_change_one=False)
    assert plan.reach(Unit("change-one", "id")) == UnitReach(3, 4, 2, is_change_one=True)
    with pytest.raises(InvalidArgument, match="tables of the plan declare"):
        plan.reach(Unit("add-remove"))
    with pytest.raises(InvalidArgument, match="tables of the plan declare"):
        Aggregate(grouped(ROWS), (Measure("rows"),)).reach(Unit("add-remove", "id"))


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


def test_a_union_knows_what_all_its_sources_know() -> None:
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


def test_cells() -> None:
    assert grouped(TABLE).cells == 2
    assert grouped(TABLE).keys == ("g",)
    assert Group(Bound(TABLE, ("g", "x"), 1, 1), (("a", "b"), (0, 1, 2))).cells == 6
    assert Group(Bound(TABLE, (), 1, 1)).cells == 1
    assert Group(Bound(TABLE, ("g",), 1, 1), None).cells is None


def test_row_nodes_refuse() -> None:
    with pytest.raises(InvalidArgument, match="must be a condition"):
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
        with pytest.raises(InvalidArgument, match="must be public, or be joined unit by unit"):
            Join(source, other, join_on, (), matches)
    with pytest.raises(InvalidArgument, match="columns that agree with the public rows"):
        Join(TABLE, PUBLIC, (), (("size", "size"),))
    for on, adds in [((("y", "g"),), ()), ((("g", "y"),), ()), (join_on, (("size", "y"),))]:
        with pytest.raises(InvalidArgument, match="columns of the two sides"):
            Join(TABLE, PUBLIC, on, adds)
    with pytest.raises(Unsupported, match="A join needs values of one type"):
        Join(TABLE, PUBLIC, (("x", "g"),), ())
    with pytest.raises(InvalidArgument, match="whole number of at least 1"):
        Join(TABLE, PUBLIC, (("g", "g"),), (), 0)
    for same in [(("x", "size"),), (("y", "size"), ("y", "g"))]:
        with pytest.raises(InvalidArgument, match="such that the source does not have"):
            Join(TABLE, PUBLIC, (("g", "g"),), same)
    with pytest.raises(InvalidArgument, match="two or more"):
        Union((TABLE,))
    with pytest.raises(InvalidArgument, match="same names and types"):
        Union((TABLE, Project(TABLE, (("x", ColumnRef("x")),))))
    with pytest.raises(InvalidArgument, match="same units"):
        Union((TABLE, ROWS))
    with pytest.raises(InvalidArgument, match="same units"):
        Union((TABLE, Table(Schema("p", (G, X), None))))


def test_folds_refuse() -> None:
    snap = ClampedGrid(Fraction(1), 0, 1)
    for wrong in [("rows", "x"), ("values", None), ("total", "x"), ("least", "x", snap)]:
        with pytest.raises(InvalidArgument, match="must have a column for values"):
            UnitStatistic(*wrong)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="parts doubles can hold"):
        UnitStatistic("total", "x", ClampedGrid(Fraction(2**901 + 1, 2**901), 0, 1))
    for keys, names in [(("g", "g"), ("n",)), (("g",), ("g",)), ((), ("n", "n"))]:
        with pytest.raises(InvalidArgument, match="must have different names"):
            UnitAggregation(TABLE, keys, tuple((name, UnitStatistic("rows")) for name in names))
    for source in (PUBLIC, ROWS):
        with pytest.raises(InvalidArgument, match="nothing to fold otherwise"):
            UnitAggregation(source, ("g",), ())
    for keys, folded in [(("y",), UnitStatistic("rows")), ((), UnitStatistic("values", "y"))]:
        with pytest.raises(
            InvalidArgument, match="must be of columns of the source, like the keys"
        ):
            UnitAggregation(TABLE, keys, (("n", folded),))
    for kind in ("total", "mean"):
        with pytest.raises(InvalidArgument, match="must add up numbers"):
            UnitAggregation(TABLE, (), (("n", UnitStatistic(kind, "g", snap)),))  # type: ignore[arg-type]
    for step in (Fraction(1, 2), Fraction(2**63)):
        with pytest.raises(InvalidArgument, match="in whole steps"):
            UnitAggregation(
                TABLE, (), (("n", UnitStatistic("total", "x", ClampedGrid(step, 0, 1))),)
            )
    with pytest.raises(InvalidArgument, match="must compare numbers or dates"):
        UnitAggregation(TABLE, (), (("n", UnitStatistic("least", "g")),))


def test_what_is_known_of_a_fold() -> None:
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


def test_what_is_kept_without_a_partner_may_be_null() -> None:
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


def test_bound_refuses() -> None:
    for caps in [(0, 1), (1, 0), (1.5, 1)]:
        with pytest.raises(InvalidArgument, match="whole number of at least 1"):
            Bound(TABLE, (), *caps)  # type: ignore[arg-type]
    for keys in [("g", "g"), ("y",)]:
        with pytest.raises(InvalidArgument, match="different columns of the source"):
            Bound(TABLE, keys, 1, 1)
    with pytest.raises(InvalidArgument, match="must be about somebody"):
        Bound(PUBLIC, (), 1, 1)
    for groups, rows in [(2, 1), (1, 2)]:
        with pytest.raises(InvalidArgument, match="must be 1, like max_rows"):
            Bound(ROWS, (), groups, rows)


def test_a_row_that_is_a_unit_meets_one_public_row() -> None:
    once = Join(ROWS, PUBLIC, (("g", "g"),), (("size", "size"),), 1)
    several = Join(ROWS, PUBLIC, (("g", "g"),), (("size", "size"),), 2)
    unlimited = Join(ROWS, PUBLIC, (("g", "g"),), (("size", "size"),), keeps_unmatched=True)
    more = Table(Schema("more rows", ROWS.schema.columns, "row"))
    for source in (once, Filter(once, POSITIVE), Union((ROWS, more))):
        assert Bound(source, ("g",), 1, 1).source == source
    for twice in (Union((ROWS, ROWS)), Union((Filter(ROWS, POSITIVE), more, ROWS))):
        with pytest.raises(Unbounded, match="count several times"):
            Bound(twice, ("g",), 1, 1)
    for bad in (several, unlimited, Filter(several, POSITIVE), Union((once, several))):
        with pytest.raises(Unbounded, match="unique there"):
            Bound(bad, ("g",), 1, 1)
    # an id bounds whatever comes
    assert Bound(Join(TABLE, PUBLIC, (("g", "g"),), (), 2), ("g",), 1, 1).max_rows == 1


def test_group_and_aggregate_refuse() -> None:
    bound = Bound(TABLE, ("g",), 1, 1)
    with pytest.raises(InvalidArgument, match="values of every key"):
        Group(bound, ())
    for values in [(), ("a", "a"), ("a", None)]:
        with pytest.raises(InvalidArgument, match="different values for every key"):
            Group(bound, (values,))
    for measures in [(), (TOTAL, TOTAL)]:
        with pytest.raises(InvalidArgument, match="different, and at least one"):
            Aggregate(grouped(TABLE), measures)
    with pytest.raises(InvalidArgument, match="columns of the source"):
        Aggregate(grouped(TABLE), (Measure("values", "y"),))
    snap = ClampedGrid(Fraction(1), 0, 1)
    dated = grouped(Table(Schema("t", (G, Column("day", "date")), "id")))
    wrong = [
        Measure("total", "g", snap),
        Measure("moments", "x", snap, second=("g", snap)),
        OrderStatistic("least", "g", snap),
    ]
    for source, measure in [
        *((grouped(TABLE), measure) for measure in wrong),
        (dated, Measure("total", "day", snap)),
    ]:
        with pytest.raises(InvalidArgument, match="must be of numbers"):
            Aggregate(source, (measure,))
    assert Aggregate(
        dated,
        (OrderStatistic("least", "day", snap), OrderStatistic("mode", "g", values=("a", "b"))),
    ).measures[0].columns == ("day",)


def test_combinations_stand_alone_over_all_rows() -> None:
    cross = Contingency((("x", 3),))
    alone = Aggregate(Group(Bound(TABLE, (), 1, 2)), (cross,))
    assert alone.sensitivity(Unit("add-remove", "id")) == (
        cross.sensitivity(UnitReach(1, 2, 1, is_change_one=False)),
    )
    others = [
        (Group(Bound(TABLE, (), 1, 2)), (cross, Measure("rows"))),
        (Group(Bound(TABLE, (), 1, 2)), (Measure("rows"), cross)),
        (Group(Bound(TABLE, (), 1, 2)), (cross, Contingency((("x", 4),)))),
        (Group(Bound(TABLE, (), 1, 2), None), (cross,)),
        (Group(Bound(TABLE, ("g",), 1, 2), (("a",),)), (cross,)),
    ]
    for source, measures in others:
        with pytest.raises(InvalidArgument, match="combinations alone, of all rows"):
            Aggregate(source, measures)
    with pytest.raises(InvalidArgument, match="columns of the source"):
        Aggregate(Group(Bound(TABLE, (), 1, 2)), (Contingency((("x", 3), ("y", 3))),))
    with pytest.raises(InvalidArgument, match="whole ones where they are codes"):
        Aggregate(Group(Bound(TABLE, (), 1, 2)), (Contingency((("x", 3), ("g", 3))),))


def test_combinations_in_parts_are_of_units_that_may_have_several_rows() -> None:
    fine = Contingency((("x", 3),), resolution=4)
    assert (
        Aggregate(Group(Bound(TABLE, (), 1, 2)), (fine,))
        .sensitivity(Unit("add-remove", "id"))[0]
        .l1
        == 8
    )
    with pytest.raises(InvalidArgument, match="where every row is a unit"):
        Aggregate(Group(Bound(Table(replace(TABLE.schema, unit="row")), (), 1, 1)), (fine,))
    assert Aggregate(Group(Bound(TABLE, (), 1, 2**60)), (fine,)).bound.max_rows == 2**60
    with pytest.raises(InvalidArgument, match=r"no unit has more than 2\^62"):
        Aggregate(Group(Bound(TABLE, (), 1, 2**60 + 1)), (fine,))
    assert (
        Aggregate(Group(Bound(TABLE, (), 1, 2**70)), (Contingency((("x", 3),)),)).bound.max_rows
        == 2**70
    )


MEETING = meetings.meeting()
COUNTED = Bound(MEETING, (), 2, 2)


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
def test_others_are_met_once_by_ids_and_by_nothing_else(changes: dict[str, Any]) -> None:
    with pytest.raises(InvalidArgument):
        replace(MEETING, **changes)


def test_ids_that_name_others_are_no_reals() -> None:
    visits = replace(
        meetings.VISITS, columns=(Column("doctor", "real"), *meetings.VISITS.columns[1:])
    )
    with pytest.raises(InvalidArgument, match="that are no reals"):
        meetings.meeting((), source=Table(visits))


@pytest.mark.parametrize("cap", ["max_references", "max_rows"])
def test_caps_of_others_are_whole_and_positive(cap: str) -> None:
    with pytest.raises(InvalidArgument, match=cap):
        replace(SecondPopulation("doctor", (), 1, 1), **{cap: 0})


def test_where_two_populations_met_rows_are_filtered_and_computed_only() -> None:
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


@pytest.mark.parametrize(
    "measure",
    [
        Measure("distinct", "cost"),
        Measure("total", "cost", meetings.COST, sum_bounds=(0, 1)),
        OrderStatistic("greatest", "cost", meetings.COST),
        Contingency((("cost", 3),)),
    ],
)
def test_two_populations_have_counts_sums_and_moments(
    measure: Measure | OrderStatistic | Contingency,
) -> None:
    with pytest.raises(InvalidArgument, match="counts, sums and moments of all declared groups"):
        Aggregate(Group(COUNTED), (measure,))


def test_the_keys_of_two_populations_are_declared_and_all_count() -> None:
    by_ward = Bound(MEETING, ("ward",), 2, 2)
    rows = (Measure("rows"),)
    assert Aggregate(Group(by_ward, (meetings.WARDS,)), rows).population_join == (
        MEETING.second_population,
        [True],
    )
    with pytest.raises(InvalidArgument, match="declared groups"):
        Aggregate(Group(by_ward, None), rows)
    with pytest.raises(InvalidArgument, match="all declared groups"):
        Aggregate(Group(replace(by_ward, max_groups=1), (meetings.WARDS,)), rows)
    assert Aggregate(Group(replace(by_ward, max_groups=1), (("a",),)), rows).source.cells == 1


def test_a_key_has_one_value_in_each_bond() -> None:
    """The month tells bonds apart where it is one of them; the cost never does, not even beside
    what the others add.
    """
    rows = (Measure("rows"),)
    months = Bound(meetings.meeting(()), ("month",), 2, 2)
    mixed = Project(MEETING, (("k", Call("=", (ColumnRef("cost"), ColumnRef("fee")))),))
    for bound, domain in ((months, meetings.MONTHS), (Bound(mixed, ("k",), 2, 2), (True, False))):
        with pytest.raises(
            InvalidArgument, match="must be made of what tells the bonds of a unit apart"
        ):
            Aggregate(Group(bound, (domain,)), rows)
    both = Project(
        Filter(MEETING, POSITIVE_COST),
        (
            ("k", Call("concat", (ColumnRef("month"), ColumnRef("ward")))),
            ("d", ColumnRef("doctor")),
        ),
    )
    plan = Aggregate(
        Group(
            Bound(Project(both, (("k", ColumnRef("k")), ("d", ColumnRef("d")))), ("k", "d"), 4, 2),
            (("maya", "mayb"), (1, 2)),
        ),
        rows,
    )
    assert plan.population_join == (MEETING.second_population, [False, True])


@pytest.mark.parametrize(
    ("keys", "groups"),
    [((), 1), (("ward",), 1), (("doctor", "ward"), 1), (("month",), 3), (("late", "ward"), 2)],
)
def test_others_move_the_groups_that_they_do_not_decide(keys: tuple[str, ...], groups: int) -> None:
    plan = meetings.asked(
        keys, (Measure("rows"), Measure("moments", "cost", meetings.COST)), most=5
    )
    rows, moments = plan.second_population_sensitivity(Unit("add-remove", "id"))
    assert rows == Sensitivity.each(groups, 5)
    # the two numbers of a mean are clamped each by itself
    assert moments == Sensitivity.each(2 * groups, 35)
    assert plan.second_population_sensitivity(Unit("add-remove", "id", 2))[0] == rows.group(2)


def test_a_unit_moves_what_its_bonds_move_together() -> None:
    plan = meetings.asked(("ward",), (Measure("total", "cost", meetings.COST),), bonds=3, rows=2)
    assert plan.sensitivity(Unit("add-remove", "id")) == (
        Sensitivity(3, Fraction(30), Fraction(30), Fraction(900)),
    )
    assert plan.sensitivity(Unit("add-remove", "id", 2)) == (
        Sensitivity(6, Fraction(60), Fraction(60), Fraction(3600)),
    )


def test_others_are_those_whom_the_plan_meets() -> None:
    with pytest.raises(InvalidArgument, match="must be that of others with ids"):
        meetings.asked().second_population_sensitivity(Unit("add-remove"))
    with pytest.raises(InvalidArgument, match="must be that of others with ids"):
        brute.world([TOTAL], 3, 1, 1).second_population_sensitivity(Unit("add-remove", "id"))
