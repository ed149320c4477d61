from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest

from engines.helpers_comparison import agreed
from engines.helpers_visits import VISITS, question
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference import interpreter as reference
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.schema import Column, Schema


def test_numbers_are_long_or_not_by_the_plan_alone() -> None:
    schema = Schema("visits", (Column("v", "integer"),), "id")
    measures = (
        Measure("rows"),
        Measure("total", "v", ClampedGrid(Fraction(1), 0, 2**26)),
        Measure("total", "v", ClampedGrid(Fraction(1), 0, 2**53)),
        Measure("moments", "v", ClampedGrid(Fraction(1), -(2**26), 2**26)),
    )
    kinds = []
    for rows in ([1], [2**53] * 3000):
        data = pa.table({"id": list(range(len(rows))), "v": rows})
        source = DuckDB({"visits": RegisteredTable(data, schema)})
        cells = source.run(question(schema=schema, domain=(), caps=(1, 1), measures=measures))
        kinds.append([column.dtype for column in cells.numbers])
        source.close()
    assert kinds[0] == kinds[1] == [np.dtype(np.int64), np.dtype(np.int64), *[np.dtype(object)] * 3]
    assert [int(column[0]) for column in cells.numbers] == [
        3000,
        3000 * 2**26,
        3000 * 2**53,
        3000 * 2**27,
        0,
    ]


@pytest.mark.parametrize("most", [1, 3, 2**26 + 1, 2**36, 2**70])
def test_any_cap_works(most: int) -> None:
    data = pa.table(
        {
            "id": [1] * 7 + [2],
            "age": [7, 9, 10, None, 1, 2, 3, 5],
            "city": ["a"] * 8,
            "pay": [-1.0] * 8,
        }
    )
    source = DuckDB({"visits": RegisteredTable(data, VISITS)})
    measures = (
        Measure("units"),
        Measure("rows"),
        Measure("values", "age"),
        Measure("total", "age", ClampedGrid(Fraction(1), 0, 100)),
        Measure("total", "pay", ClampedGrid(Fraction(1, 2**40), -(2**50), 2**50)),
    )
    plan = question("city", caps=(1, most), measures=measures)
    raw = {"visits": data.to_pylist()}
    found = source.run(plan)
    source.close()
    assert {("a",): tuple(int(column[0]) for column in found.numbers)} == reference.interpret_plan(
        plan, raw, lambda unit, group: 0
    )


def test_contributions_are_truncated_towards_zero_for_both_signs() -> None:
    data = pa.table(
        {
            "id": [1, 1, 1, 2, 2, 2],
            "age": [0] * 6,
            "city": ["a"] * 3 + ["b"] * 3,
            "pay": [-3.0, -3.0, -1.0, 3.0, 3.0, 1.0],
        }
    )
    source = DuckDB({"visits": RegisteredTable(data, VISITS)})
    for most, size in ((1, 2), (2, 4), (3, 7)):  # 7/3, 14/3, 7
        for high in (100, 2**40):
            measures = (Measure("total", "pay", ClampedGrid(Fraction(1), -high, high)),)
            found = source.run(
                question("city", domain=(("a", "b"),), caps=(1, most), measures=measures)
            )
            assert [int(number) for number in found.numbers[0]] == [-size, size]
    source.close()


def numbers(
    measures: tuple[Measure, ...],
    caps: tuple[int, int],
    rows: list[tuple[int, int | None, float | None]],
) -> list[int]:
    """The numbers of one cell; the reference must say the same."""
    tables = {
        "visits": [{"id": unit, "age": age, "city": "a", "pay": pay} for unit, age, pay in rows]
    }
    schema = Schema(
        "visits", (Column("age", "integer"), Column("city", "text"), Column("pay", "real")), "id"
    )
    (found,) = agreed(
        question(schema=schema, domain=(), caps=caps, measures=measures), tables
    ).values()
    return list(found)


FAR = ClampedGrid(Fraction(1), -(2**14), 2**14)  # 2^15 wide


@pytest.mark.parametrize("most", [1, 2, 10, 2**40])
def test_moments_of_two_columns_may_have_many_bits(most: int) -> None:
    joint = Measure("moments", "age", FAR, degree=2, second=("pay", FAR))
    rows = [(unit, 2**14, -(2.0**14)) for unit in range(50) for _ in range(unit % 4)] + [
        (1, 3, None),
        (2, None, 5.0),
        (3, 7, 0.5),
    ]
    found = numbers((joint,), (1, most), rows)
    assert max(found) > 2**63
    assert joint.row_total == 2**60
    spread = replace(
        joint,
        grid=ClampedGrid(Fraction(1, 2), 0, 2**12),
        second=("pay", ClampedGrid(Fraction(1, 3), -(2**11), 2**11)),
    )
    assert sum(numbers((spread,), (1, 2**40), rows)) == spread.row_total * sum(
        1 for _, age, pay in rows if age is not None and pay is not None
    )


def test_moments_add_up_to_the_width_to_their_degree_for_every_value() -> None:
    rows = [(unit, age, None) for unit, age in ((1, -9), (1, 4), (2, 5), (3, 900), (4, None))]
    for degree, width in ((1, 2**30), (2, 2**30)):
        snap = ClampedGrid(Fraction(1), 0, width)
        assert (
            sum(numbers((Measure("moments", "age", snap, degree=degree),), (1, 9), rows))
            == 4 * width**degree
        )
        assert (
            sum(
                numbers(
                    (Measure("moments", "age", snap, degree=degree, has_null_sum=True),),
                    (1, 9),
                    rows,
                )
            )
            == len(rows) * width**degree
        )


@pytest.mark.parametrize("limits", [(-5, 5), (2, 6), (-6, -2), (0, 0), (-(2**62), 2**62)])
def test_a_total_with_limits_takes_the_whole_sum_of_a_unit_however_many_rows_it_has(
    limits: tuple[int, int],
) -> None:
    rows = [
        (1, 3, None),
        (1, 4, None),
        (2, -1, None),
        (3, None, None),
        (4, 2**53, None),
        (4, 2**53, None),
        (5, 0, None),
        (5, None, None),
    ]
    for snap in (ClampedGrid(Fraction(1), -10, 10), ClampedGrid(Fraction(1), -(2**53), 2**53)):
        found = [
            numbers((Measure("total", "age", snap, sum_bounds=limits),), (1, most), rows)
            for most in (1, 2, 2**40)
        ]
        assert found[0] == found[1] == found[2]
        assert found[0] == [
            sum(min(max(s, limits[0]), limits[1]) for s in (7, -1, 2 * min(snap.high, 2**53), 0))
        ]


def test_sum_bounds_hold_for_each_row_that_is_a_unit() -> None:
    alone = Schema("visits", (Column("age", "integer"),), "row")
    tables = {"visits": [{"age": age} for age in (7, -1, None, 3)]}
    snap = ClampedGrid(Fraction(1), -10, 10)
    measures = (
        Measure("total", "age", snap, sum_bounds=(2, 5)),
        Measure("total", "age", snap),
        Measure("moments", "age", snap, degree=2),
    )
    plan = question(schema=alone, domain=(), caps=(1, 1), measures=measures)
    assert agreed(plan, tables)[()][:2] == (5 + 2 + 3, 9)
