"""Plans in one form: the same numbers cell for cell, the same key for the same question, another key for another."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from datetime import date
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from hedgerow.plan.expressions import Call, Constant, Expression, Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Join, Project, Rows, Table, Union
from hedgerow.plan.normal import key, normal, places
from hedgerow.plan.reference import run
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value
from hedgerow.privacy.unit import Unit
from plan import trees

TABLE = Table(trees.SCHEMA)
PUBLIC = Table(
    Schema("places", (Column("name", "text"), Column("size", "integer", Fraction(0), Fraction(9)), Column("open", "boolean")), None)
)
SNAP = Snap(Fraction(1), -3, 3)


def _source(random: Random) -> Rows:
    """Some nodes on top of each other; all end in columns k (a key), n and r (numbers)."""
    source: Rows = TABLE
    if random.random() < 0.3:
        join = Join(source, PUBLIC, (("t", "name"),), (("size", "size"), ("open", "open")), random.randint(1, 2))
        source = Filter(join, Call(random.choice(trees.COMPARISONS), (Read("size"), Read("i")))) if random.random() < 0.5 else join
    for _ in range(random.randint(0, 2)):
        source = Filter(source, trees.expression(random, "boolean", 2))
    shapes = [
        (("k", trees.expression(random, k, 2)), ("n", _number(random, "integer")), ("r", _number(random, "real"))) for k in ["boolean"] * 2
    ]
    projects: list[Rows] = [Project(source, outputs) for outputs in shapes]
    source = Union((projects[0], projects[1])) if random.random() < 0.3 else projects[0]
    if random.random() < 0.5:
        source = Filter(source, Call("or", (Read("k"), Call("<", (Read("n"), Constant(2, "integer"))))))
    return Project(source, (("r", Read("n")), ("key", Read("k")), ("x", Read("r")))) if random.random() < 0.5 else source


def _number(random: Random, kind: Any) -> Expression:
    return trees.expression(random, kind, 2)


def _plan(random: Random) -> Aggregate:
    source = _source(random)
    columns = source.columns
    (name,) = [name for name, known in columns.items() if known.type == "boolean"]
    numbers = [name for name, known in columns.items() if known.type != "boolean"]
    measures = [Measure("units"), Measure("rows"), *(Measure("values", n) for n in columns), *(Measure("total", n, SNAP) for n in numbers)]
    measures += [Measure("mean", n, SNAP) for n in numbers]
    domain = random.choice([None, ((True, False),), ((True,),)])
    bound = Bound(source, (name,), random.randint(1, 3), random.randint(1, 3))
    return Aggregate(Group(bound, domain), tuple(random.sample(measures, random.randint(1, 5))))


def _tables(random: Random) -> dict[str, list[dict[str, object]]]:
    visits: list[dict[str, object]] = [{"id": random.choice([1, 2, 3, None]), **trees.row(random)} for _ in range(10)]
    there = [("a", 1, True), ("a", 0, None), ("b", None, False), ("c", 2, True)]
    return {"visits": visits, "places": [{"name": name, "size": size, "open": open_} for name, size, open_ in there]}


def _rank(unit: Value, group: tuple[Value, ...]) -> int:
    return (int(str(unit)) + len(str(group))) % 3


def _by_measure(
    plan: Aggregate, cells: dict[tuple[Value, ...], tuple[int, ...]]
) -> dict[tuple[Value, ...], dict[Measure, tuple[int, ...]]]:
    found: dict[tuple[Value, ...], dict[Measure, tuple[int, ...]]] = {}
    for group, numbers in cells.items():
        left = list(numbers)
        found[group] = {measure: tuple(left.pop(0) for _ in range(measure.width)) for measure in plan.measures}
    return found


@pytest.mark.long
def test_the_same_numbers_cell_for_cell() -> None:
    full = 0
    for example in range(60):
        random = Random(example)
        plan, tables = _plan(random), _tables(random)
        short, moved = normal(plan), places(plan)
        assert normal(short) == short, example
        assert key(short) == key(plan)
        before, after = _by_measure(plan, run(plan, tables, _rank)), _by_measure(short, run(short, tables, _rank))
        assert before.keys() == after.keys(), example
        for group, numbers in before.items():
            assert [numbers[measure] for measure in plan.measures] == [after[group][measure] for measure in moved], example
            full += any(map(any, numbers.values()))
        unit = Unit("change-one", "id")
        assert dict(zip(moved, plan.sensitivity(unit), strict=True)) == dict(zip(short.measures, short.sensitivity(unit), strict=True))
    assert full > 30


def c(function: str, *arguments: Expression) -> Call:
    return Call(function, arguments)


def n(value: int) -> Constant:
    return Constant(value, "integer")


I, T, D = Read("i"), Read("t"), Read("d")  # noqa: E741
ADULT, NEAR = c(">=", I, n(2)), c("in", T, Constant("a", "text"), Constant("b", "text"))


def question(
    condition: Expression | None = ADULT,
    keys: tuple[Expression, ...] = (T,),
    value: Expression = I,
    measures: tuple[Measure, ...] = (Measure("rows"), Measure("total", "v0", SNAP)),
    domain: tuple[tuple[Value, ...], ...] | None = (("a", "b"),),
    caps: tuple[int, int] = (2, 3),
    table: Table = TABLE,
) -> Aggregate:
    source: Rows = table if condition is None else Filter(table, condition)
    names = tuple(f"k{i}" for i in range(len(keys)))
    project = Project(source, (*zip(names, keys, strict=True), ("v0", value)))
    return Aggregate(Group(Bound(project, names, *caps), domain), measures)


def edited(column: str, **changes: Any) -> Table:
    columns = tuple(replace(old, **changes) if old.name == column else old for old in trees.COLUMNS)
    return Table(replace(trees.SCHEMA, columns=columns))


def _nested() -> Aggregate:
    inner = Project(Filter(TABLE, NEAR), (("city", T), ("age", I), ("unused", D)))
    outer = Project(Filter(inner, c("<=", n(2), Read("age"))), (("place", Read("city")), ("years", c("+", Read("age"), n(0)))))
    return Aggregate(Group(Bound(outer, ("place",), 2, 3), (("b", "a"),)), (Measure("total", "years", SNAP), Measure("rows")))


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
        (question(), question(measures=(Measure("total", "v0", Snap(Fraction(1), -3, 3)), Measure("rows")))),
        (question(), question(caps=(5, 3))),
        (question(), question(table=edited("e", grain="year"))),
        (question(), question(table=edited("i", step=Fraction(1)))),
    ],
)
def test_one_question_in_two_wordings(one: Aggregate, other: Aggregate) -> None:
    assert key(one) == key(other)
    assert len(key(one)) == 64


def test_names_go_by_what_they_name() -> None:
    plan = _nested()
    assert normal(plan).bound.keys == ("k0",)
    assert places(plan) == (Measure("total", "v0", SNAP), Measure("rows"))
    assert normal(plan).measures == (Measure("rows"), Measure("total", "v0", SNAP))
    without = Aggregate(Group(Bound(TABLE, ("t",), 1, 1), None), (Measure("values", "i"), Measure("values", "d")))
    assert normal(without).bound.source == Project(TABLE, (("k0", T), ("v0", D), ("v1", I)))
    assert places(without) == (Measure("values", "v1"), Measure("values", "v0"))


def test_equal_measures_meet() -> None:
    project = Project(TABLE, (("a", I), ("b", c("+", I, n(0)))))
    plan = Aggregate(Group(Bound(project, (), 1, 1)), (Measure("values", "a"), Measure("values", "b")))
    assert normal(plan).measures == (Measure("values", "v0"),)
    assert places(plan) == (Measure("values", "v0"),) * 2


DIFFERENT: list[tuple[Aggregate, Aggregate]] = [
    (question(), other)
    for other in [
        question(None),
        question(c(">", I, n(2))),
        question(NEAR),
        question(c("or", ADULT, NEAR)),
        question(keys=(Read("u"),)),
        question(value=c("abs", I)),
        question(value=Read("h")),
        question(measures=(Measure("rows"),)),
        question(measures=(Measure("units"), Measure("total", "v0", SNAP))),
        question(measures=(Measure("rows"), Measure("mean", "v0", SNAP))),
        question(measures=(Measure("rows"), Measure("total", "v0", Snap(Fraction(1), -3, 2)))),
        question(measures=(Measure("rows"), Measure("total", "v0", Snap(Fraction(2), -3, 3)))),
        question(domain=None),
        question(domain=(("a",),)),
        question(domain=(("a", "c"),)),
        question(caps=(1, 3)),
        question(caps=(2, 2)),
        question(table=Table(replace(trees.SCHEMA, version="2"))),
        question(table=Table(replace(trees.SCHEMA, table="calls"))),
        question(table=Table(replace(trees.SCHEMA, unit="i"))),
        question(table=edited("i", high=Fraction(4))),
        question(table=edited("i", low=Fraction(-4))),
        question(table=edited("t", values=("a", "b"))),
    ]
] + [
    (question(keys=(T, I), domain=None), question(keys=(I, T), domain=None)),
    (question(keys=(D,), domain=None), question(keys=(D,), domain=None, table=edited("d", grain="month"))),
    (question(domain=(("1",),), keys=(Read("u"),)), question(domain=((1,),), keys=(I,))),
    (question(c("=", D, Constant(date(2020, 1, 1), "date"))), question(c("=", D, Constant(date(2020, 1, 2), "date")))),
]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_another_question_has_another_key(one: Aggregate, other: Aggregate) -> None:
    assert key(one) != key(other)


def over(source: Rows) -> Aggregate:
    return Aggregate(Group(Bound(source, ("t",), 1, 1), None), (Measure("rows"),))


SMALL = Project(TABLE, (("t", T), ("i", I)))
LARGE = Project(Filter(TABLE, ADULT), (("t", T), ("i", c("abs", I))))


def join(*, name: str = "w", matches: int = 1, on: str = "name", public: Table = PUBLIC, source: Rows = TABLE) -> Aggregate:
    joined = Join(source, public, (("t", on),), ((name, "size"),), matches)
    return over(Filter(joined, c("<", Read(name), n(3))))


@pytest.mark.parametrize(
    ("make", "same"),
    [
        (lambda: over(Union((LARGE, SMALL))), True),
        (lambda: over(Union((SMALL, SMALL))), False),
        (lambda: over(Union((SMALL, LARGE, LARGE))), False),
        (lambda: over(Union((SMALL, Project(Filter(TABLE, c("<=", n(2), I)), (("t", T), ("i", I)))))), True),  # i is not used
    ],
)
def test_unions_are_bags(make: Callable[[], Aggregate], same: bool) -> None:
    assert (key(make()) == key(over(Union((SMALL, LARGE))))) is same


@pytest.mark.parametrize(
    ("other", "same"),
    [
        (join(name="other"), True),
        (join(source=SMALL), True),
        (join(matches=2), False),
        (join(source=Filter(TABLE, ADULT)), False),
        (join(public=Table(replace(PUBLIC.schema, version="2"))), False),
    ],
)
def test_joins(other: Aggregate, same: bool) -> None:
    assert (key(other) == key(join())) is same


def test_the_key_stays_what_it_is() -> None:
    """Keys are stored: another form of them would make every stored answer unknown. Then raise "plan 1"."""
    assert key(question()) == "f6c05ac8bd59efe0eef8d80d361fef92dc29489f5d1eee537ebfcf6020c6c1d5"
