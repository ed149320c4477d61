"""One plan in several spellings."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from random import Random
from typing import Any

from hedgerow.engines.reference.interpreter import RawTables, interpret_plan
from hedgerow.plan.canonical_plans import canonicalise, compute_plan_key, map_measures
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure, Truncation
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
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import Unit
from plan import trees, worlds

TABLE = Table(trees.SCHEMA)


PUBLIC = Table(
    Schema(
        "places",
        (
            Column("name", "text"),
            Column("size", "integer", Fraction(0), Fraction(9)),
            Column("open", "boolean"),
        ),
        None,
    )
)


SNAP = ClampedGrid(Fraction(1), -3, 3)


def _source(random: Random) -> RelationNode:
    """Expressions of all kinds on top of each other; all end in columns k (a key), n and r
    (numbers).
    """
    source: RelationNode = TABLE
    for _ in range(random.randint(0, 2)):
        source = Filter(source, trees.expression(random, "boolean", 2))
    shapes = [
        (
            ("k", trees.expression(random, "boolean", 2)),
            ("n", trees.expression(random, "integer", 2)),
            ("r", trees.expression(random, "real", 2)),
        )
        for _ in range(2)
    ]
    projects: list[RelationNode] = [Project(source, outputs) for outputs in shapes]
    source = Union((projects[0], projects[1])) if random.random() < 0.3 else projects[0]
    if random.random() < 0.5:
        source = Filter(
            source,
            Call("or", (ColumnRef("k"), Call("<", (ColumnRef("n"), Constant(2, "integer"))))),
        )
    return (
        Project(source, (("r", ColumnRef("n")), ("key", ColumnRef("k")), ("x", ColumnRef("r"))))
        if random.random() < 0.5
        else source
    )


def _plan(random: Random) -> Aggregate:
    source = _source(random)
    columns = source.columns
    (name,) = [name for name, known in columns.items() if known.type == "boolean"]
    numbers = [name for name, known in columns.items() if known.type != "boolean"]
    measures = [
        Measure("units"),
        Measure("rows"),
        *(Measure("values", n) for n in columns),
        *(Measure("total", n, SNAP) for n in numbers),
    ]
    measures += [Measure("moments", n, SNAP) for n in numbers]
    domain = random.choice([None, ((True, False),), ((True,),)])
    bound = Bound(source, (name,), random.randint(1, 3), random.randint(1, 3))
    return Aggregate(Group(bound, domain), tuple(random.sample(measures, random.randint(1, 5))))


def _by_measure(
    plan: Aggregate, tables: RawTables
) -> dict[tuple[Value, ...], dict[Measure | OrderStatistic, tuple[Any, ...]]]:
    found = {}
    for group, numbers in interpret_plan(plan, tables, worlds.rank).items():
        left = list(numbers)
        widths = {
            measure: 1 if isinstance(measure, OrderStatistic) else measure.width
            for measure in plan.measures
        }
        found[group] = {
            measure: tuple(left.pop(0) for _ in range(width)) for measure, width in widths.items()
        }
    return found


def _same(plan: Aggregate, tables: RawTables) -> int:
    """How many cells there are in which something stands; the same in the plan and its normal
    form.
    """
    short, moved = canonicalise(plan), map_measures(plan)
    assert canonicalise(short) == short
    assert compute_plan_key(short) == compute_plan_key(plan)
    before, after = _by_measure(plan, tables), _by_measure(short, tables)
    assert before.keys() == after.keys()
    for group, numbers in before.items():
        assert [numbers[measure] for measure in plan.measures] == [
            after[group][measure] for measure in moved
        ]
    unit = Unit("change-one", "row" if plan.bound.source.unit == "row" else "id")
    assert dict(zip(moved, plan.sensitivity(unit), strict=True)) == dict(
        zip(short.measures, short.sensitivity(unit), strict=True)
    )
    return sum(any(map(any, numbers.values())) for numbers in before.values())


def c(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


def n(value: int) -> Constant:
    return Constant(value, "integer")


I, T, D = ColumnRef("i"), ColumnRef("t"), ColumnRef("d")  # noqa: E741


ADULT, NEAR = c(">=", I, n(2)), c("in", T, Constant("a", "text"), Constant("b", "text"))


def question(
    condition: Expression | None = ADULT,
    keys: tuple[Expression, ...] = (T,),
    value: Expression = I,
    measures: tuple[Measure | OrderStatistic, ...] = (
        Measure("rows"),
        Measure("total", "v0", SNAP),
    ),
    domain: tuple[tuple[Value, ...], ...] | None = (("a", "b"),),
    caps: tuple[int, int] = (2, 3),
    table: Table = TABLE,
) -> Aggregate:
    source: RelationNode = table if condition is None else Filter(table, condition)
    names = tuple(f"k{i}" for i in range(len(keys)))
    project = Project(source, (*zip(names, keys, strict=True), ("v0", value)))
    return Aggregate(Group(Bound(project, names, *caps), domain), measures)


def edited(column: str, **changes: Any) -> Table:
    columns = tuple(replace(old, **changes) if old.name == column else old for old in trees.COLUMNS)
    return Table(replace(trees.SCHEMA, columns=columns))


def _nested() -> Aggregate:
    inner = Project(Filter(TABLE, NEAR), (("city", T), ("age", I), ("unused", D)))
    outer = Project(
        Filter(inner, c("<=", n(2), ColumnRef("age"))),
        (("place", ColumnRef("city")), ("years", c("+", ColumnRef("age"), n(0)))),
    )
    return Aggregate(
        Group(Bound(outer, ("place",), 2, 3), (("b", "a"),)),
        (Measure("total", "years", SNAP), Measure("rows")),
    )


def over(source: RelationNode) -> Aggregate:
    return Aggregate(Group(Bound(source, ("t",), 1, 1), None), (Measure("rows"),))


SMALL = Project(TABLE, (("t", T), ("i", I)))


LARGE = Project(Filter(TABLE, ADULT), (("t", T), ("i", c("abs", I))))


def join(
    *,
    name: str = "w",
    matches: int | None = 1,
    keeps: bool = False,
    public: RelationNode = PUBLIC,
    source: RelationNode = TABLE,
    more: tuple[str, ...] = (),
) -> Aggregate:
    adds = ((name, "size"), *((f"{name}{i}", column) for i, column in enumerate(more)))
    joined = Join(source, public, (("t", "name"),), adds, matches, keeps)
    return over(Filter(joined, c("<", ColumnRef(name), n(3))))


def fold(
    source: RelationNode = TABLE,
    keys: tuple[str, ...] = ("t",),
    outputs: tuple[tuple[str, UnitStatistic], ...] = (
        ("s", UnitStatistic("total", "i", SNAP)),
        ("n", UnitStatistic("rows")),
    ),
    used: str = "s",
) -> Aggregate:
    return Aggregate(
        Group(Bound(UnitAggregation(source, keys, outputs), (), 1, 1)),
        (Measure("total", used, SNAP),),
    )


def crossed(
    *outputs: tuple[str, Expression], sizes: tuple[int, ...] = (2, 3), most: int = 1
) -> Aggregate:
    cross = Contingency(tuple((name, size) for (name, _), size in zip(outputs, sizes, strict=True)))
    return Aggregate(Group(Bound(Project(Filter(TABLE, ADULT), outputs), (), 1, most)), (cross,))


AUTHORS, FANS = (
    Table(Schema(name, tuple(Column(c, "integer") for c in ("id", "k", "a", "b")), "id"))
    for name in ("authors", "fans")
)


RARE, OFTEN = Truncation(1, 2), Truncation(3, 4)


def across(caps: tuple[Truncation, Truncation] = (RARE, OFTEN)) -> Aggregate:
    return compared(
        Join(AUTHORS, FANS, (("k", "k"), ("b", "")), (("f.a", "a"),), truncations=caps), "a", "f.a"
    )


def swapped() -> Aggregate:
    """The same in other words."""
    on, added = (("k", "k"), ("", "b")), (("b", "b"), ("x", "a"))
    fans = Project(FANS, (("k", ColumnRef("k")), ("a", ColumnRef("a"))))
    return compared(Join(fans, AUTHORS, on, added, truncations=(OFTEN, RARE)), "x", "a")


def compared(join: Join, more: str, less: str) -> Aggregate:
    condition = Call(">", (ColumnRef(more), ColumnRef(less)))
    return Aggregate(Group(Bound(Filter(join, condition), (), 1, 1)), (Measure("rows"),))
