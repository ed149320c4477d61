"""The meaning of a plan, by hand."""

from __future__ import annotations

from fractions import Fraction
from math import inf, nan
from random import Random

import pytest

from hedgerow.plan.expressions import Call, Constant, Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Group, Join, Project, Rows, Table, Union
from hedgerow.plan.reference import put_in, rows, run, snapped
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Value

COLUMNS = (Column("g", "text", values=("a", "b", "c")), Column("x", "integer", Fraction(0), Fraction(10)))
TABLE = Table(Schema("t", COLUMNS, "id"))
SNAP = Snap(Fraction(1), 0, 10)
ALL = (Measure("units"), Measure("rows"), Measure("values", "x"), Measure("total", "x", SNAP), Measure("mean", "x", SNAP))


def line(who: object, g: object, x: object) -> dict[str, object]:
    return {"id": who, "g": g, "x": x}


def flat(unit: Value, group: tuple[Value, ...]) -> int:
    return 0


def plan(
    source: Rows = TABLE, max_groups: int = 3, max_rows: int = 3, domain: tuple[tuple[Value, ...], ...] | None = (("a", "b"),)
) -> Aggregate:
    return Aggregate(Group(Bound(source, ("g",), max_groups, max_rows), domain), ALL)


def test_sums_of_few_rows_are_plain() -> None:
    data = {"t": [line(1, "a", 4), line(1, "a", None), line(2, "a", 12), line(2, "b", "3"), line(None, "a", 1), line(nan, "a", 1)]}
    assert run(plan(), data, flat) == {("a",): (2, 3, 2, 14, 14, 6), ("b",): (1, 1, 1, 3, 3, 7)}


def test_many_rows_count_less_each() -> None:
    data = {"t": [line(1, "a", 4), line(1, "a", 5), line(1, "a", None)]}
    # Two of three: 3 * 2/3 rows, 2 * 2/3 values, 9 * 2/3, and for the mean 9 * 2/3 and 11 * 2/3, each cut to a whole number.
    assert run(plan(max_rows=2), data, flat)[("a",)] == (1, 2, 1, 6, 6, 7)


def test_cut_towards_zero() -> None:
    together = [{"x": -1}, {"x": -1}, {"x": -1}, {"x": 0}]
    assert put_in(Measure("total", "x", Snap(Fraction(1), -5, 5)), together, 1) == (0,)
    assert put_in(Measure("total", "x", Snap(Fraction(1), -5, 5)), together, 2) == (-1,)
    assert put_in(Measure("total", "x", Snap(Fraction(1), -5, 5)), together, 3) == (-2,)
    assert put_in(Measure("total", "x", Snap(Fraction(1), -5, 5)), together, 4) == (-3,)


def test_groups_are_kept_by_rank_then_by_key() -> None:
    data = {"t": [line(1, g, 1) for g in ("c", "b", "a")] + [line(2, "c", 1)]}
    free = plan(max_groups=2, domain=None)
    assert run(free, data, flat).keys() == {("a",), ("b",), ("c",)}
    assert {group: numbers[0] for group, numbers in run(free, data, flat).items()} == {("a",): 1, ("b",): 1, ("c",): 1}
    backwards = run(free, data, lambda unit, group: -ord(str(group[0])))
    assert {group: numbers[0] for group, numbers in backwards.items()} == {("b",): 1, ("c",): 2}


def test_other_groups_are_dropped_before_any_is_picked() -> None:
    data = {"t": [line(1, "a", 1), line(1, "b", 1), line(1, None, 1)]}
    only = plan(max_groups=1, domain=(("b", "c"),))
    assert {group: numbers[0] for group, numbers in run(only, data, flat).items()} == {("b",): 1, ("c",): 0}


def test_null_is_a_group_where_none_is_declared_and_comes_first() -> None:
    data = {"t": [line(1, "a", 1), line(1, "unheard of", 1)]}
    assert run(plan(max_groups=1, domain=None), data, flat) == {(None,): (1, 1, 1, 1, 1, 9)}


def test_no_keys_one_cell() -> None:
    bound = Bound(TABLE, (), 1, 1)
    assert run(Aggregate(Group(bound), ALL), {"t": []}, flat) == {(): (0,) * 6}
    assert run(Aggregate(Group(bound, None), ALL), {"t": []}, flat) == {}


def test_every_row_a_unit() -> None:
    table = Table(Schema("t", COLUMNS, "row"))
    data = {"t": [line(None, "a", 1), line(None, "a", 1), line(3, "b", 2)]}
    assert [unit for unit, _ in rows(table, data)] == [0, 1, 2]
    assert run(plan(table, 1, 1), data, flat) == {("a",): (2, 2, 2, 2, 2, 18), ("b",): (1, 1, 1, 2, 2, 8)}


def test_filter_and_project() -> None:
    half = Project(TABLE, (("g", Read("g")), ("y", Call("/", (Read("x"), Constant(2, "integer"))))))
    some = Filter(half, Call(">", (Read("y"), Constant(1, "integer"))))
    data = {"t": [line(1, "a", 2), line(2, "a", 3), line(3, "a", None)]}
    assert list(rows(half, data)) == [(1, {"g": "a", "y": 1.0}), (2, {"g": "a", "y": 1.5}), (3, {"g": "a", "y": None})]
    assert list(rows(some, data)) == [(2, {"g": "a", "y": 1.5})]


def test_whole_numbers_among_reals_become_reals_even_beside_null() -> None:
    table = Table(Schema("t", (Column("n", "integer"), Column("r", "real")), "id"))
    mixed = Project(table, (("y", Call("coalesce", (Read("n"), Read("r")))),))
    ((_, row),) = rows(mixed, {"t": [{"id": 1, "n": 2**53 + 1, "r": None}]})
    assert row["y"] == 2.0**53
    assert isinstance(row["y"], float)


def test_union_keeps_duplicates() -> None:
    other = Table(Schema("s", COLUMNS, "who"))
    data = {"t": [line(1, "a", 1)], "s": [{"who": 1, "g": "a", "x": 1}, {"who": None, "g": "a", "x": 1}]}
    assert list(rows(Union((TABLE, other)), data)) == [(1, {"g": "a", "x": 1})] * 2
    assert run(plan(Union((TABLE, other))), data, flat)[("a",)] == (1, 2, 2, 2, 2, 18)


def test_join_looks_up_public_rows() -> None:
    public = Table(Schema("p", (Column("k", "text"), Column("w", "integer")), None))
    data = {
        "t": [line(1, "a", 1), line(2, "b", 1), line(3, None, 1)],
        "p": [{"k": k, "w": w} for k, w in [("a", 5), ("a", None), ("a", 3), (None, 9)]],
    }
    for matches, found in [(1, [None]), (2, [None, 3]), (9, [None, 3, 5])]:
        join = Join(TABLE, public, (("g", "k"),), (("w", "w"),), matches)
        assert list(rows(join, data)) == [(1, {"g": "a", "x": 1, "w": w}) for w in found]
    by_number = Join(TABLE, Table(Schema("p", (Column("k", "text"), Column("w", "real")), None)), (("x", "w"),), (("w", "w"),))
    assert [unit for unit, _ in rows(by_number, {**data, "p": [{"k": "a", "w": 1.0}]})] == [1, 2, 3]


@pytest.mark.parametrize(
    ("value", "snap", "steps"),
    [
        (7, SNAP, 7),
        (-7, SNAP, 0),
        (2**63 - 1, Snap(Fraction(1), 0, 2**53), 2**53),
        (2.5, SNAP, 3),
        (-2.5, Snap(Fraction(1), -9, 9), -3),
        (inf, SNAP, 10),
        (-inf, SNAP, 0),
        (10.0, Snap(Fraction(4), 0, 2), 2),  # 2.5 steps, which round to 3: clamped before and after
        (10.0, Snap(Fraction(4), 0, 5), 3),
        (0.3, Snap(Fraction(1, 10), 0, 10), 3),
        (0.35, Snap(Fraction(1, 10), 0, 10), 3),  # 0.35 / 0.1 as doubles is 3.4999999999999996
        (7, Snap(Fraction(2), 0, 10), 4),
        (0.49999999999999994, SNAP, 0),
    ],
)
def test_snapped(value: float, snap: Snap, steps: int) -> None:
    assert snapped(value, snap) == steps


def test_units_do_not_meet() -> None:
    """What one unit puts in does not depend on the others: the answers to two halves add up to the answer to the whole."""
    random = Random(1)
    for _ in range(100):
        data = [line(random.randint(1, 4), random.choice("abc"), random.choice([None, -1, 3, 99])) for _ in range(12)]
        question = plan(max_groups=random.randint(1, 3), max_rows=random.randint(1, 3), domain=(("a", "b", "c"),))

        def rank(unit: Value, group: tuple[Value, ...]) -> int:
            return hash((unit, ord(str(group[0])))) % 5

        whole, first, rest = (
            run(question, {"t": [row for row in data if row["id"] in ids]}, rank) for ids in [(1, 2, 3, 4), (1, 3), (2, 4)]
        )
        assert whole == {group: tuple(a + b for a, b in zip(first[group], rest[group], strict=True)) for group in whole}


IDS: dict[str, tuple[Column | None, list[object], list[object]]] = {
    "written": (Column("id", "integer"), ["1", " 1", "01", "1.0", "+1", "x", "", None], [1] * 5),
    "bounded": (Column("ID", "integer", Fraction(0), Fraction(1)), ["2", "3"], [2, 3]),  # strangers stay two
    "long": (Column("id", "integer"), [2**70, 2**70 + 1], [2**70, 2**70 + 1]),
    "real": (Column("id", "real"), [0.0, -0.0, nan, 2**53 + 1, 2**53], [0.0, 0.0, 2.0**53, 2.0**53]),
    "text": (Column("id", "text"), [7, "7", "", " \t\u3000"], ["7", "7"]),
    "nothing": (None, ["1", "01", "", " ", nan, None, 3], ["1", "01", 3]),
}


@pytest.mark.parametrize("case", IDS)
def test_whose_row_it_is(case: str) -> None:
    declared, raw, found = IDS[case]
    table = Table(Schema("t", () if declared is None else (declared,), "id"))
    data = {"t": [{"id": one, "ID": one} for one in raw]}
    assert [unit for unit, _ in rows(table, data)] == found
