"""Plans in one form: the same numbers cell for cell, the same key for the same question, another
key for another.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from random import Random

import pytest

from depth import many
from hedgerow.engines.reference.interpreter import interpret_plan
from hedgerow.plan.canonical_plans import canonicalise, compute_plan_key, map_measures
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
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
from hedgerow.plan.scalar.expressions import ColumnRef, Constant
from plan import helpers_tables, trees, worlds
from plan.helpers_plan_spellings import (
    ADULT,
    LARGE,
    NEAR,
    PUBLIC,
    SMALL,
    SNAP,
    TABLE,
    D,
    I,
    T,
    _nested,
    _plan,
    _same,
    c,
    crossed,
    edited,
    fold,
    join,
    n,
    over,
    question,
)


@pytest.mark.long
def test_the_same_numbers_cell_for_cell() -> None:
    full = 0
    for example in range(100):
        random = Random(example)
        rows: list[dict[str, object]] = [
            {"id": random.choice([1, 2, 3, None]), **trees.row(random)} for _ in range(10)
        ]
        full += _same(_plan(random), {"visits": rows})
    assert full > 30


def test_canonical_joins_aggregations_and_links_give_the_same_numbers() -> None:
    full = 0
    for example in range(many(150)):
        random = Random(example)
        world = helpers_tables.world(random)
        full += _same(worlds.plan(random, world.schemas), world.tables)
    assert full > 50


@pytest.mark.parametrize(
    ("one", "other"),
    [
        (question(), question(c("<=", n(2), I))),
        (question(), question(c("and", ADULT, Constant(True, "boolean")))),
        (question(c("and", NEAR, ADULT)), _nested()),
        (question(None), question(Constant(True, "boolean"))),
        (question(Constant(None, "boolean")), question(Constant(False, "boolean"))),
        (question(), question(domain=(("b", "a"),))),
        (question(), question(measures=(Measure("total", "v0", SNAP), Measure("rows")))),
        (
            question(),
            question(
                measures=(Measure("total", "v0", ClampedGrid(Fraction(1), -3, 3)), Measure("rows"))
            ),
        ),
        (question(), question(caps=(5, 3))),
        (question(), question(table=edited("e", granularity="year"))),
        (question(), question(table=edited("i", step=Fraction(1)))),
    ],
)
def test_two_wordings_of_a_question_have_one_key(one: Aggregate, other: Aggregate) -> None:
    assert compute_plan_key(one) == compute_plan_key(other)
    assert len(compute_plan_key(one)) == 64


def test_canonical_names_follow_what_they_refer_to() -> None:
    plan = _nested()
    assert canonicalise(plan).bound.keys == ("k0",)
    assert map_measures(plan) == (Measure("total", "v0", SNAP), Measure("rows"))
    assert canonicalise(plan).measures == (Measure("rows"), Measure("total", "v0", SNAP))
    without = Aggregate(
        Group(Bound(TABLE, ("t",), 1, 1), None), (Measure("values", "i"), Measure("values", "d"))
    )
    assert canonicalise(without).bound.source == Project(TABLE, (("k0", T), ("v0", D), ("v1", I)))
    assert map_measures(without) == (Measure("values", "v1"), Measure("values", "v0"))


def test_equal_measures_meet() -> None:
    project = Project(TABLE, (("a", I), ("b", c("+", I, n(0)))))
    plan = Aggregate(
        Group(Bound(project, (), 1, 1)), (Measure("values", "a"), Measure("values", "b"))
    )
    assert canonicalise(plan).measures == (Measure("values", "v0"),)
    assert map_measures(plan) == (Measure("values", "v0"),) * 2


@pytest.mark.parametrize(
    ("make", "same"),
    [
        (lambda: over(Union((LARGE, SMALL))), True),
        (lambda: over(Union((SMALL, SMALL))), False),
        (lambda: over(Union((SMALL, LARGE, LARGE))), False),
        # i is not used
        (
            lambda: over(
                Union((SMALL, Project(Filter(TABLE, c("<=", n(2), I)), (("t", T), ("i", I)))))
            ),
            True,
        ),
    ],
)
def test_unions_are_bags(make: Callable[[], Aggregate], same: bool) -> None:
    assert (compute_plan_key(make()) == compute_plan_key(over(Union((SMALL, LARGE))))) is same


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (join(name="other"), True),
        (join(source=SMALL), True),
        (join(matches=2), False),
        (join(source=Filter(TABLE, ADULT)), False),
        (join(public=Table(replace(PUBLIC.schema, version="2"))), False),
        (join(public=Filter(PUBLIC, ColumnRef("open"))), False),
        (
            join(
                public=Project(PUBLIC, (("size", ColumnRef("size")), ("name", ColumnRef("name"))))
            ),
            True,
        ),
        (join(keeps=True), False),
        (join(matches=None), False),
        (join(more=("open",)), False),  # which partner comes first
    ],
)
def test_canonical_joins(other: Aggregate, same: bool) -> None:
    assert (compute_plan_key(other) == compute_plan_key(join())) is same


def test_unused_columns_of_an_unlimited_join_do_not_change_the_key() -> None:
    assert compute_plan_key(join(matches=None, more=("open", "size"))) == compute_plan_key(
        join(matches=None)
    )
    assert compute_plan_key(join(matches=None, keeps=True)) != compute_plan_key(join(matches=None))


def test_rows_beside_those_of_the_same_unit() -> None:
    def beside(
        other: RelationNode = SMALL,
        on: tuple[tuple[str, str], ...] = (("i", "i"),),
        add: str = "t",
        keeps: bool = False,
    ) -> Aggregate:
        return over(
            Filter(
                Join(TABLE, other, on, (("w", add),), keeps_unmatched=keeps),
                c("=", ColumnRef("w"), T),
            )
        )

    assert compute_plan_key(beside()) == compute_plan_key(
        beside(other=Project(TABLE, (("t", T), ("unused", D), ("i", c("+", I, n(0))))))
    )
    others = [
        beside(other=LARGE),
        beside(on=()),
        beside(on=(("h", "i"),)),
        beside(keeps=True),
        beside(other=Filter(SMALL, ADULT)),
    ]
    assert len({compute_plan_key(plan) for plan in [beside(), *others]}) == 6


def test_canonical_unit_aggregations() -> None:
    total, count = ("s", UnitStatistic("total", "i", SNAP)), ("n", UnitStatistic("rows"))
    same = [
        fold(outputs=(count, total)),
        fold(outputs=(total,)),
        fold(outputs=(("m", total[1]), total), used="m"),
        fold(Project(TABLE, (("t", T), ("i", c("+", n(0), I)), ("city", T))), ("city", "t")),
    ]
    assert {compute_plan_key(plan) for plan in same} == {compute_plan_key(fold())}
    others = [
        fold(keys=()),
        fold(keys=("t", "d")),
        fold(Filter(TABLE, ADULT)),
        fold(used="n"),
        fold(outputs=(("s", UnitStatistic("values", "i")),)),
    ]
    others += [
        fold(outputs=(("s", UnitStatistic(kind, "i", snap)),))
        for kind, snap in [("mean", SNAP), ("total", ClampedGrid(Fraction(1), -3, 2))]
    ]  # type: ignore[arg-type]
    assert len({compute_plan_key(plan) for plan in [fold(), *others]}) == 8
    short = canonicalise(fold()).bound.source
    assert short == Project(
        UnitAggregation(
            Project(TABLE, (("c0", I), ("c1", T))),
            ("c1",),
            (("f0", UnitStatistic("total", "c0", SNAP)),),
        ),
        (("v0", ColumnRef("f0")),),
    )


def test_combinations_have_one_form_under_any_column_names() -> None:
    plan = crossed(("b", ColumnRef("h")), ("a", I))
    assert canonicalise(plan).measures == (Contingency((("v0", 2), ("v1", 3))),)
    assert map_measures(plan) == ()
    assert (
        compute_plan_key(plan)
        == compute_plan_key(crossed(("a", ColumnRef("h")), ("b", c("+", I, n(0)))))
        == compute_plan_key(canonicalise(plan))
    )
    others = [
        crossed(("b", I), ("a", ColumnRef("h"))),
        crossed(("b", ColumnRef("h")), ("a", I), most=2),
        crossed(("b", ColumnRef("h")), ("a", I), sizes=(3, 2)),
        crossed(("b", ColumnRef("h")), sizes=(2,)),
        crossed(("b", ColumnRef("h")), ("a", ColumnRef("h"))),  # the same column twice
    ]
    assert len({compute_plan_key(other) for other in [plan, *others]}) == 6
    assert all(canonicalise(canonicalise(other)) == canonicalise(other) for other in others)


@pytest.mark.long
def test_the_same_combinations() -> None:
    full = 0
    for example in range(300):
        random = Random(example)
        world = helpers_tables.world(random)
        plan = worlds.crossed(random, world.schemas)
        short = canonicalise(plan)
        assert canonicalise(short) == short
        assert compute_plan_key(short) == compute_plan_key(plan)
        found = interpret_plan(plan, world.tables, worlds.rank)
        assert found == interpret_plan(short, world.tables, worlds.rank), example
        full += bool(found[()][0])
    assert full > 100


def test_combinations_in_parts_differ_from_combinations_of_whole_rows(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """How fine the parts are depends on epsilon, and is no part of the meaning. That there are
    any is new, where a cap can bite.
    """
    whole, enough = (crossed(("b", ColumnRef("h")), ("a", I), most=most) for most in (1, 2**40))
    fine, finer = (
        replace(whole, measures=(replace(whole.measures[0], resolution=parts),))
        for parts in (2, 2**30)
    )
    assert canonicalise(fine).measures == (Contingency((("v0", 2), ("v1", 3)), 2),)
    assert (
        compute_plan_key(fine)
        == compute_plan_key(finer)
        == compute_plan_key(canonicalise(fine))
        == compute_plan_key(whole)
    )
    now = compute_plan_key(fine), compute_plan_key(enough)
    monkeypatch.setattr("hedgerow.plan.canonical_plans.can_exceed_row_bound", lambda _: False)
    assert (now[0] != compute_plan_key(fine), now[1] == compute_plan_key(enough)) == (True, True)


def test_keys_are_new_where_caps_may_bite() -> None:
    """Only where what a cap does is done otherwise now: elsewhere what was answered before is
    right, and stays free.
    """

    def old(plan: Aggregate) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hedgerow.plan.canonical_plans.can_exceed_row_bound", lambda _: False)
            patch.setattr("hedgerow.plan.canonical_plans.can_exceed_group_bound", lambda _: False)
            return compute_plan_key(plan)

    total, units, limited = (
        Measure("total", "v0", SNAP),
        Measure("units"),
        Measure("total", "v0", SNAP, sum_bounds=(0, 9)),
    )
    for measures, new in [
        ((total,), True),
        ((units, total), True),
        ((units,), False),
        ((limited, Measure("rows")), False),
    ]:
        plan = question(measures=measures)
        assert (compute_plan_key(plan) != old(plan)) is new
        assert compute_plan_key(
            replace(plan, source=replace(plan.source, source=replace(plan.bound, max_rows=2**40)))
        ) not in (compute_plan_key(plan), old(plan))
    enough = question(measures=(total,), caps=(2, 2**40))
    assert compute_plan_key(enough) == old(enough)
    for domain, new in [((("a", "b"),), False), ((("a", "b", "c"),), True), (None, True)]:
        left_out = question(measures=(units,), domain=domain)
        assert (compute_plan_key(left_out) != old(left_out)) is new
    for measure in (OrderStatistic("least", "v0", SNAP), Measure("distinct", "v0")):
        chosen = question(measures=(measure,))
        assert compute_plan_key(chosen) != old(chosen)


def test_keys_are_new_where_a_condition_is_about_listed_values() -> None:
    """What is not listed is read as NULL, and an engine took such a condition for IS NOT NULL."""

    def old(plan: Aggregate) -> str:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("hedgerow.plan.canonical_plans._has_listed_condition", lambda _: False)
            return compute_plan_key(plan)

    listed, free = (edited("t", values=values) for values in (("a", "b", "c"), None))
    about = c("=", T, Constant("a", "text"))
    units = (Measure("units"),)
    for condition, table, new in [
        (about, listed, True),
        (about, free, False),
        (ADULT, listed, False),
        (None, listed, False),
    ]:
        plan = question(condition, measures=units, table=table)
        assert (compute_plan_key(plan) != old(plan)) is new


def test_the_resolution_of_sums_does_not_change_the_key() -> None:
    """How fine sums are counted depends on epsilon, and a question asked again at a smaller one
    is the same.
    """
    total = Measure("total", "v0", SNAP)
    assert compute_plan_key(
        question(measures=(replace(total, resolution=64),))
    ) == compute_plan_key(question(measures=(total,)))
    assert (
        canonicalise(question(measures=(replace(total, resolution=64),))).measures[0].resolution
        == 64
    )  # type: ignore[union-attr]
