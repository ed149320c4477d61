from __future__ import annotations

from fractions import Fraction

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from engines.small import VISITS, question
from engines.test_terms import back
from hedgerow.engines.catalogue import Registered
from hedgerow.engines.duckdb import DuckDB
from hedgerow.engines.sums import snapped
from hedgerow.engines.terms import real, whole
from hedgerow.plan import reference
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Range

STEPS = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6, max_denominator=10**9)
ENDS = st.tuples(st.integers(-(2**53), 2**53), st.integers(-(2**53), 2**53)).map(sorted)


@given(st.floats(allow_nan=False), STEPS, ENDS)
def test_reals_are_snapped_as_the_reference_snaps(value: float, step: Fraction, ends: list[int]) -> None:
    snap = Snap(step, *ends)
    assert back(snapped(real(value), Range("real"), snap))[0] == reference.snapped(value, snap)


@given(st.integers(-(2**63), 2**63 - 1), st.one_of(st.just(Fraction(1)), STEPS), ENDS)
def test_whole_numbers_are_snapped_as_the_reference_snaps(value: int, step: Fraction, ends: list[int]) -> None:
    snap = Snap(step, *ends)
    assert back(snapped(whole(value), Range("integer"), snap))[0] == reference.snapped(value, snap)


def test_the_second_clamp_stands_where_it_can_do_something() -> None:
    value = real(1e300)
    even, uneven = Snap(Fraction(1, 4), 0, 400), Snap(Fraction(1, 3), 0, 2**53 - 1)
    assert snapped(value, Range("real"), even).sql("duckdb").count("CASE") == 1
    # A third has no double: 2^53 - 1 of them, divided by one again, are 2^53.
    assert reference.half_away(float(uneven.high * uneven.step) / float(uneven.step)) == uneven.high + 1
    assert back(snapped(value, Range("real"), uneven))[0] == uneven.high


def test_numbers_are_long_or_not_by_the_plan_alone() -> None:
    schema = Schema("visits", (Column("v", "integer"),), "id")
    measures = (
        Measure("rows"),
        Measure("total", "v", Snap(Fraction(1), 0, 2**26)),
        Measure("total", "v", Snap(Fraction(1), 0, 2**53)),
        Measure("mean", "v", Snap(Fraction(1), -(2**26), 2**26)),
    )
    kinds = []
    for rows in ([1], [2**53] * 3000):
        data = pa.table({"id": list(range(len(rows))), "v": rows})
        source = DuckDB({"visits": Registered(data, schema)})
        cells = source.run(question(schema=schema, domain=(), caps=(1, 1), measures=measures))
        kinds.append([column.dtype for column in cells.numbers])
        source.close()
    assert kinds[0] == kinds[1] == [np.dtype(np.int64), np.dtype(np.int64), *[np.dtype(object)] * 3]
    assert [int(column[0]) for column in cells.numbers] == [3000, 3000 * 2**26, 3000 * 2**53, 3000 * 2**27, 0]


@pytest.mark.parametrize("most", [1, 3, 2**26 + 1, 2**36, 2**70])
def test_any_cap_works(most: int) -> None:
    data = pa.table({"id": [1] * 7 + [2], "age": [7, 9, 10, None, 1, 2, 3, 5], "city": ["a"] * 8, "pay": [-1.0] * 8})
    source = DuckDB({"visits": Registered(data, VISITS)})
    measures = (
        Measure("units"),
        Measure("rows"),
        Measure("values", "age"),
        Measure("total", "age", Snap(Fraction(1), 0, 100)),
        Measure("total", "pay", Snap(Fraction(1, 2**40), -(2**50), 2**50)),
    )
    plan = question("city", caps=(1, most), measures=measures)
    raw = {"visits": data.to_pylist()}
    found = source.run(plan)
    source.close()
    assert {("a",): tuple(int(column[0]) for column in found.numbers)} == reference.run(plan, raw, lambda unit, group: 0)


def test_what_a_unit_puts_in_is_cut_towards_zero_on_both_sides() -> None:
    data = pa.table({"id": [1, 1, 1, 2, 2, 2], "age": [0] * 6, "city": ["a"] * 3 + ["b"] * 3, "pay": [-3.0, -3.0, -1.0, 3.0, 3.0, 1.0]})
    source = DuckDB({"visits": Registered(data, VISITS)})
    for most, size in ((1, 2), (2, 4), (3, 7)):  # 7/3, 14/3, 7
        for high in (100, 2**40):
            measures = (Measure("total", "pay", Snap(Fraction(1), -high, high)),)
            found = source.run(question("city", domain=(("a", "b"),), caps=(1, most), measures=measures))
            assert [int(number) for number in found.numbers[0]] == [-size, size]
    source.close()
