"""Finite arithmetic: data that make sums of doubles go wrong, and whole numbers at the end of 64
bits. Here sums are exact.
"""

from __future__ import annotations

import math
from fractions import Fraction
from random import Random
from typing import Any

import pyarrow as pa
import pytest

from hedgerow import protect
from hedgerow.engines.data_source import Cells
from hedgerow.engines.duckdb.engine import DuckDB, RegisteredTable
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.sensitivity import Sensitivity

MAX, MIN = 2**63 - 1, -(2**63)


def exact(
    table: dict[str, Any], columns: dict[str, Any], sql: str, **changes: Any
) -> tuple[list[int], tuple[Sensitivity, ...], Aggregate]:
    """The exact numbers that go through the door, and the sensitivities that were declared for
    them.
    """
    arguments = {
        "unit": "row",
        "neighbours": "add-remove",
        "columns": columns,
        "epsilon": 9_900,
        **changes,
    }
    with protect(pa.table(table), **arguments) as db:
        seen: list[tuple[Aggregate, Cells]] = []
        run = db.source.run
        db.source.run = lambda plan: (  # type: ignore[method-assign]
            seen.append((plan, run(plan))) or seen[-1][1]  # type: ignore[func-returns-value]
        )
        db.query(sql, epsilon=9_900)
        table_rule = db.policy.table("data")
    assert table_rule is not None
    assert table_rule.privacy_unit is not None
    ((plan, cells),) = seen
    return (
        [int(column[0]) for column in cells.numbers],
        plan.sensitivity(table_rule.privacy_unit),
        plan,
    )


def casacuberta(power: int = 4) -> tuple[float, float]:
    """Two neighbouring doubles just above a half: seventeen of them add up to sixteen times as
    much as one can move them.
    """
    return (1 + 2.0 ** (power - 53) - 2.0**-52) / 2, (1 + 2.0 ** (power - 53)) / 2


@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
@pytest.mark.parametrize(
    "bounds", [(*casacuberta(), 1e-16), (0, 1, 2.0**-24), (0.0, casacuberta()[1], None)]
)
def test_rounding_does_not_pile_up(
    relation: str, bounds: tuple[float, float, float | None]
) -> None:
    low, high = casacuberta()
    assert sum([low] * 16 + [high]) - sum([low] * 17) == 16 * (high - low)  # the trouble is real
    step = {} if bounds[2] is None else {"step": bounds[2]}
    columns = {"x": {"type": "real", "min": bounds[0], "max": bounds[1], **step}}
    one, declared, _ = exact(
        {"x": [low] * 16 + [high]}, columns, "SELECT SUM(x) FROM data", neighbours=relation
    )
    other, _, _ = exact({"x": [low] * 17}, columns, "SELECT SUM(x) FROM data", neighbours=relation)
    fewer, _, _ = exact({"x": [low] * 16}, columns, "SELECT SUM(x) FROM data", neighbours=relation)
    assert abs(one[0] - other[0]) <= 1  # a step, not sixteen
    assert abs(one[0] - fewer[0]) <= declared[0].l1


def test_repeated_rounding_does_not_either() -> None:
    """Large values first, then pairs that nearly cancel: a sum of doubles that starts with one
    less ends far off.
    """
    top, count = 1.0, 2**10
    step = top * count / 2**4
    pairs = [value for _ in range(64) for value in (step * (0.5 + 2**-4), -step * (0.5 - 2**-4))]
    columns = {"x": {"type": "real", "min": -1024, "max": 1024, "step": 2**-10}}
    one, declared, _ = exact({"x": [top] * count + pairs}, columns, "SELECT SUM(x) FROM data")
    other, _, _ = exact({"x": [top] * (count - 1) + pairs}, columns, "SELECT SUM(x) FROM data")
    assert one[0] - other[0] == 2**10
    assert one[0] - other[0] <= declared[0].l1


def total(values: list[float | None], snap: ClampedGrid) -> int:
    """The sum over these values in steps, at the engine itself: the grid may be far finer than
    any that a question gets.
    """
    schema = Schema("data", (Column("x", "real"),), "row")
    plan = Aggregate(Group(Bound(Table(schema), (), 1, 1)), (Measure("total", "x", snap),))
    engine = DuckDB(
        {
            "data": RegisteredTable(
                pa.table({"x": pa.array(values, pa.float64(), from_pandas=False)}), schema
            )
        }
    )
    try:
        return int(engine.run(plan).numbers[0][0])
    finally:
        engine.close()


def test_nothing_is_absorbed() -> None:
    huge = 2.0**53
    rows = [huge] + [1.0] * 1000 + [-huge]
    assert sum(rows) == 0 != sum([huge, -huge] + [1.0] * 1000)  # the trouble is real
    random = Random(7)
    for _ in range(5):
        assert total(rows, ClampedGrid(Fraction(1), -(2**53), 2**53)) == 1000
        random.shuffle(rows)


@pytest.mark.parametrize("size", [1e16, 1e300, math.inf])
def test_opposite_extremes_cancel_after_clamping(size: float) -> None:
    columns = {"x": {"type": "real", "min": -(2**23), "max": 2**23, "step": 1}}
    numbers, _, _ = exact(
        {"x": [size] + [1.0] * 1000 + [-size]}, columns, "SELECT SUM(x) FROM data"
    )
    assert numbers == [1000]


def test_wide_sums_do_not_wrap() -> None:
    found = total([math.inf] * 5000, ClampedGrid(Fraction(1), 0, 2**53))
    assert found == 5000 * 2**53
    assert found > MAX


def test_the_order_of_rows_is_nothing() -> None:
    random = Random(8)
    rows = [
        (who, random.choice([0.1, 1 / 3, 1e15, -7.25, float("nan"), None]), random.choice("abcd"))
        for who in range(40)
        for _ in range(3)
    ]
    columns = {"x": {"type": "real", "min": -10, "max": 1000}}
    found = set()
    for _ in range(6):
        random.shuffle(rows)
        table = {
            "id": [r[0] for r in rows],
            "x": pa.array([r[1] for r in rows], pa.float64(), from_pandas=False),
            "g": [r[2] for r in rows],
        }
        changes = {"unit": "id", "max_groups": 2, "max_rows_per_group": 2}
        for sql in (
            "SELECT SUM(x * x), AVG(x), COUNT(x) FROM data",
            "SELECT SUM(CASE WHEN g = 'a' THEN x ELSE x / 3 END) FROM data",
        ):
            found.add((sql, tuple(exact(table, columns, sql, **changes)[0])))
    assert len(found) == 2


@pytest.mark.parametrize(
    ("sql", "expected"),
    [
        ("SELECT SUM(n) FROM data", 100 - 100 + 5),
        ("SELECT SUM(n + 1) FROM data", 101 - 99 + 6),
        ("SELECT SUM(n * 2) FROM data", 10),
        ("SELECT SUM(ABS(n)) FROM data", 205),
        ("SELECT SUM(-n) FROM data", -5),
        ("SELECT SUM(n % 7) FROM data", 100 % 7 - 100 % 7 + 5),
        ("SELECT SUM(n * n * n * n) FROM data", 2 * 100**4 + 5**4),
        ("SELECT COUNT(*) FROM data WHERE n > 0", 2),
    ],
)
def test_the_ends_of_64_bits_with_bounds(sql: str, expected: int) -> None:
    numbers, declared, plan = exact({"n": [MAX, MIN, 5, None]}, {"n": (-100, 100)}, sql)
    snap = plan.measures[0].grid
    step = 1 if snap is None else snap.step  # fourth powers are counted in sixteens
    assert abs(numbers[0] * step - expected) <= (0 if step == 1 else 3 * step / 2)
    fewer, _, _ = exact({"n": [MIN, 5, None]}, {"n": (-100, 100)}, sql)
    assert all(abs(a - b) <= move.l1 for a, b, move in zip(numbers, fewer, declared, strict=True))


def test_halves_are_rounded_as_declared() -> None:
    """10 / 4 is 2.5: the engine says 3, Python says 2. The sensitivity says what the engine
    does.
    """
    numbers, declared, _ = exact(
        {"x": [10.0, 2.0, 6.0]},
        {"x": {"type": "real", "min": 0, "max": 10, "step": 4}},
        "SELECT SUM(x) FROM data",
    )
    assert numbers == [3 + 1 + 2]
    assert declared[0].l1 == 3
    odd, declared, _ = exact(
        {"x": [-1.5, 2.5]},
        {"x": {"type": "real", "min": -2.5, "max": 2.5, "step": 1}},
        "SELECT SUM(x) FROM data",
        neighbours="change-one",
    )
    assert odd == [-2 + 3]
    assert declared[0].l1 == 6  # from -3 to 3: more than the width of the bounds


@pytest.mark.parametrize("value", [float("nan"), None])
def test_nan_is_nothing(value: float | None) -> None:
    columns = {"x": {"type": "real", "min": -1, "max": 1, "step": Fraction(1, 4)}}
    with_it, _, _ = exact(
        {"x": pa.array([0.5, value], pa.float64(), from_pandas=False)},
        columns,
        "SELECT SUM(x), AVG(x), COUNT(x) FROM data",
    )
    without, _, _ = exact({"x": [0.5]}, columns, "SELECT SUM(x), AVG(x), COUNT(x) FROM data")
    assert with_it == without


def test_minus_zero_is_zero() -> None:
    columns = {"x": {"type": "real", "min": -1, "max": 1}}
    for sql in (
        "SELECT COUNT(*) FROM data WHERE x = 0",
        "SELECT COUNT(*) FROM data WHERE 1 / x > 0",
        "SELECT SUM(x) FROM data",
    ):
        assert (
            exact({"x": [0.0, 0.5]}, columns, sql)[0] == exact({"x": [-0.0, 0.5]}, columns, sql)[0]
        )
