"""The nodes: what they refuse to be built from, and that no plan lets one unit move more than it
says.
"""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.errors import InvalidArgument, Unbounded
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure, Truncation, UnitReach
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
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.relations import PopulationJoin
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS, Relation, Unit
from plan import brute, meetings

G, X = Column("g", "text"), Column("x", "integer", Fraction(-1), Fraction(2))
TABLE = Table(Schema("t", (G, X), "id"))
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


@pytest.mark.long
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


def test_the_reach_of_a_unit() -> None:
    plan = Aggregate(grouped(TABLE, 3, 4), (Measure("rows"),))
    assert plan.reach(Unit("add-remove", "id")) == UnitReach(3, 4, 2, is_change_one=False)
    assert plan.reach(Unit("change-one", "id")) == UnitReach(3, 4, 2, is_change_one=True)
    with pytest.raises(InvalidArgument, match="tables of the plan declare"):
        plan.reach(Unit("add-remove"))
    with pytest.raises(InvalidArgument, match="tables of the plan declare"):
        Aggregate(grouped(ROWS), (Measure("rows"),)).reach(Unit("add-remove", "id"))


def test_the_number_of_groups() -> None:
    assert grouped(TABLE).cells == 2
    assert grouped(TABLE).keys == ("g",)
    assert Group(Bound(TABLE, ("g", "x"), 1, 1), (("a", "b"), (0, 1, 2))).cells == 6
    assert Group(Bound(TABLE, (), 1, 1)).cells == 1
    assert Group(Bound(TABLE, ("g",), 1, 1), None).cells is None


def test_bound_refuses() -> None:
    for caps in [(0, 1), (1, 0), (1.5, 1)]:
        with pytest.raises(InvalidArgument, match="whole number of at least 1"):
            Bound(TABLE, (), *caps)  # type: ignore[arg-type]
    for keys in [("g", "g"), ("y",)]:
        with pytest.raises(InvalidArgument, match="different columns of the source"):
            Bound(TABLE, keys, 1, 1)
    with pytest.raises(InvalidArgument, match="must have units"):
        Bound(PUBLIC, (), 1, 1)
    for groups, rows in [(2, 1), (1, 2)]:
        with pytest.raises(InvalidArgument, match="must be 1, like max_rows"):
            Bound(ROWS, (), groups, rows)


def test_a_row_that_is_a_unit_joins_one_public_row() -> None:
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


def test_a_contingency_table_is_alone_and_without_keys() -> None:
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
        with pytest.raises(InvalidArgument, match="a contingency table alone, and without keys"):
            Aggregate(source, measures)
    with pytest.raises(InvalidArgument, match="columns of the source"):
        Aggregate(Group(Bound(TABLE, (), 1, 2)), (Contingency((("x", 3), ("y", 3))),))
    with pytest.raises(InvalidArgument, match="of integers where they are codes"):
        Aggregate(Group(Bound(TABLE, (), 1, 2)), (Contingency((("x", 3), ("g", 3))),))


def test_combinations_in_parts_are_of_units_that_may_have_several_rows() -> None:
    fine = Contingency((("x", 3),), resolution=4)
    assert (
        Aggregate(Group(Bound(TABLE, (), 1, 2)), (fine,))
        .sensitivity(Unit("add-remove", "id"))[0]
        .l1
        == 8
    )
    with pytest.raises(InvalidArgument, match="if every row is a unit"):
        Aggregate(Group(Bound(Table(replace(TABLE.schema, unit="row")), (), 1, 1)), (fine,))
    assert Aggregate(Group(Bound(TABLE, (), 1, 2**60)), (fine,)).bound.max_rows == 2**60
    with pytest.raises(InvalidArgument, match=r"at most 2\^62 parts for each unit"):
        Aggregate(Group(Bound(TABLE, (), 1, 2**60 + 1)), (fine,))
    assert (
        Aggregate(Group(Bound(TABLE, (), 1, 2**70)), (Contingency((("x", 3),)),)).bound.max_rows
        == 2**70
    )


MEETING = meetings.meeting()
COUNTED = Bound(MEETING, (), 2, 2)


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
    assert Aggregate(Group(by_ward, (meetings.WARDS,)), rows).population_join == PopulationJoin(
        meetings.meeting().second_population, (True,)
    )
    with pytest.raises(InvalidArgument, match="declared groups"):
        Aggregate(Group(by_ward, None), rows)
    with pytest.raises(InvalidArgument, match="all declared groups"):
        Aggregate(Group(replace(by_ward, max_groups=1), (meetings.WARDS,)), rows)
    assert Aggregate(Group(replace(by_ward, max_groups=1), (("a",),)), rows).source.cells == 1


def test_a_key_is_determined_by_the_reference() -> None:
    """The month tells bonds apart where it is one of them; the cost never does, not even beside
    what the others add.
    """
    rows = (Measure("rows"),)
    months = Bound(meetings.meeting(()), ("month",), 2, 2)
    mixed = Project(MEETING, (("k", Call("=", (ColumnRef("cost"), ColumnRef("fee")))),))
    for bound, domain in ((months, meetings.MONTHS), (Bound(mixed, ("k",), 2, 2), (True, False))):
        with pytest.raises(
            InvalidArgument, match="must be computed from the columns of the reference"
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
    assert plan.population_join == PopulationJoin(MEETING.second_population, (False, True))


@pytest.mark.parametrize(
    ("keys", "groups"),
    [((), 1), (("ward",), 1), (("doctor", "ward"), 1), (("month",), 3), (("late", "ward"), 2)],
)
def test_a_second_unit_moves_the_groups_that_it_does_not_determine(
    keys: tuple[str, ...], groups: int
) -> None:
    plan = meetings.asked(
        keys, (Measure("rows"), Measure("moments", "cost", meetings.COST)), most=5
    )
    rows, moments = plan.second_population_sensitivity(Unit("add-remove", "id"))
    assert rows == Sensitivity.each(groups, 5)
    # the two numbers of a mean are clamped each by itself
    assert moments == Sensitivity.each(2 * groups, 35)
    assert plan.second_population_sensitivity(Unit("add-remove", "id", 2))[0] == rows.group(2)


def test_a_unit_moves_the_sum_of_its_references() -> None:
    plan = meetings.asked(("ward",), (Measure("total", "cost", meetings.COST),), bonds=3, rows=2)
    assert plan.sensitivity(Unit("add-remove", "id")) == (
        Sensitivity(3, Fraction(30), Fraction(30), Fraction(900)),
    )
    assert plan.sensitivity(Unit("add-remove", "id", 2)) == (
        Sensitivity(6, Fraction(60), Fraction(60), Fraction(3600)),
    )


def test_the_second_population_must_be_joined_and_have_ids() -> None:
    with pytest.raises(
        InvalidArgument, match="must have ids, and the plan must join a second population"
    ):
        meetings.asked().second_population_sensitivity(Unit("add-remove"))
    with pytest.raises(
        InvalidArgument, match="must have ids, and the plan must join a second population"
    ):
        brute.world([TOTAL], 3, 1, 1).second_population_sensitivity(Unit("add-remove", "id"))


def across(
    truncations: tuple[Truncation, Truncation], sides: tuple[RelationNode, RelationNode]
) -> Join:
    return Join(*sides, (("g", "g"),), (("y", "x"),), truncations=truncations)


def test_one_unit_replaces_the_rows_that_its_own_rows_meet() -> None:
    """2 rows of hers meet 5 each, and 4 meet 3 each; each of these 22 lets at most one other in."""
    join = across((Truncation(2, 3), Truncation(4, 5)), (TABLE, TABLE))
    plan, person = Aggregate(grouped(join), (Measure("rows"), TOTAL)), Unit("add-remove", "id")
    assert plan.truncations == (Truncation(2, 3), Truncation(4, 5))
    rows, total = plan.sensitivity(person)
    assert rows == Sensitivity(2, 1, 2, 2).group(22)
    assert total == Sensitivity(2, 3, 4, 9).group(22)
    for unit, times in [(Unit("change-one", "id"), 44), (Unit("add-remove", "id", 2), 44)]:
        assert plan.sensitivity(unit)[0] == Sensitivity(2, 1, 2, 2).group(times)
    alone = Aggregate(Group(Bound(join, (), 1, 1)), (Measure("rows"),))
    assert alone.sensitivity(person) == (Sensitivity.of(1).group(22),)
    with pytest.raises(InvalidArgument, match="the unit that the tables of the plan declare"):
        plan.sensitivity(Unit("add-remove"))


def test_joined_rows_that_are_units_count_once_on_each_side() -> None:
    once = Truncation(1, 3), Truncation(1, 5)
    plan = Aggregate(grouped(across(once, (ROWS, ROWS))), (Measure("rows"),))
    assert plan.sensitivity(Unit("add-remove"))[0].l1 == 16
    with pytest.raises(InvalidArgument, match="the unit that the tables of the plan declare"):
        plan.sensitivity(Unit("add-remove", "id"))
    twice = Project(Union((ROWS, ROWS)), (("g", ColumnRef("g")), ("x", ColumnRef("x"))))
    with pytest.raises(Unbounded, match="Read its table once"):
        grouped(across(once, (ROWS, twice)))
    public = Join(ROWS, PUBLIC, (("g", "g"),), (("size", "size"),))
    with pytest.raises(Unbounded, match="unique there"):
        grouped(across(once, (public, ROWS)))


def test_joins_across_units_have_sums_of_declared_groups_alone() -> None:
    join = across((Truncation(2, 3), Truncation(4, 5)), (TABLE, TABLE))
    bound = Bound(join, ("g",), 1, 1)
    for domain, measure in [
        (None, Measure("rows")),
        ((("a",),), Measure("units")),
        ((("a",),), Measure("distinct", "x")),
        ((("a",),), replace(TOTAL, sum_bounds=(0, 1))),
        ((("a",),), OrderStatistic("quantiles", "x", TOTAL.grid, quantiles=(Fraction(1, 2),))),
    ]:
        with pytest.raises(InvalidArgument, match="rows belong to two"):
            Aggregate(Group(bound, domain), (measure,))
    with pytest.raises(InvalidArgument, match="must be 1"):
        Bound(join, (), 2, 1)
    assert Aggregate(Group(Bound(TABLE, (), 1, 1)), (TOTAL,)).truncations is None
