from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import date
from fractions import Fraction
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

from engines.helpers_comparison import RANKS, agreed, agreed_in, tied
from hedgerow.engines.compile.sql_builders import binary as compared
from hedgerow.engines.compile.sql_builders import cast, integer_literal
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference.column_casts import read_value
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Type, Value

TYPES: Mapping[str, Type] = {
    "k": "text",
    "i": "integer",
    "r": "real",
    "t": "text",
    "d": "date",
    "b": "boolean",
}
COLUMNS = tuple(Column(name, type_) for name, type_ in TYPES.items())
SCHEMA = Schema("t", COLUMNS, "id")
ALONE = replace(SCHEMA, unit="row")
TIED = replace(DUCKDB, build_rank=lambda values: integer_literal(7))
ARROW: Mapping[Type, pa.DataType] = {
    "boolean": pa.bool_(),
    "integer": pa.int64(),
    "real": pa.float64(),
    "text": pa.string(),
    "date": pa.date32(),
}
TEN = ClampedGrid(Fraction(1), 0, 10)
MEDIAN = OrderStatistic("quantiles", "i", TEN, quantiles=(Fraction(1, 2),))
DISTINCT = Measure("distinct", "i")


def row(unit: Any, **values: Any) -> dict[str, Any]:
    return {"id": unit, **dict.fromkeys(("k", "i", "r", "t", "d", "b")), **values}


def by(
    *measures: Measure | OrderStatistic,
    keys: tuple[str, ...] = (),
    caps: tuple[int, int] = (9, 9),
    domain: tuple[tuple[Value, ...], ...] | None = None,
    schema: Schema = SCHEMA,
) -> Aggregate:
    return Aggregate(Group(Bound(Table(schema), keys, *caps), domain), measures)


ROWS = [
    *(row(1, k="a", i=i) for i in (4, 4, 2, None, 99)),
    *(row(2, k="b", i=i) for i in (7, -7, 7)),
    row(2, k="a", i=4),
    row(3, k=None, i=1),
    row(3, k="c", i=None),
    row(None, k="a", i=5),
]


def test_a_sample_is_sorted_on_the_grid_and_skips_nulls() -> None:
    found = agreed(by(MEDIAN, DISTINCT, keys=("k",)), {"t": ROWS})
    assert found == {
        ("a",): ((2, 4, 4, 4, 10), 3),
        ("b",): ((0, 7, 7), 2),
        (None,): ((1,), 1),
        ("c",): ((), 0),
    }


def test_groups_come_in_the_order_of_the_domain_and_empty_ones_as_well() -> None:
    domain = (("z", "b", "a"),)
    found = agreed(by(MEDIAN, DISTINCT, keys=("k",), domain=domain), {"t": ROWS})
    assert found == {("z",): ((), 0), ("b",): ((0, 7, 7), 2), ("a",): ((2, 4, 4, 4, 10), 3)}


def test_no_keys_and_no_rows_make_one_empty_sample_or_none() -> None:
    assert agreed(by(MEDIAN, DISTINCT, domain=()), {"t": []}) == {(): ((), 0)}
    assert agreed(by(MEDIAN, DISTINCT), {"t": []}) == {}
    assert agreed(by(MEDIAN, DISTINCT, schema=ALONE, caps=(1, 1), domain=()), {"t": []}) == {
        (): ((), 0)
    }
    assert agreed(by(MEDIAN, DISTINCT, schema=ALONE, caps=(1, 1)), {"t": []}) == {}


@pytest.mark.parametrize("most", [1, 2, 3, 2**40, 2**70])
def test_only_max_rows_values_of_each_unit_count(most: int) -> None:
    values = [4, 4, 4, 2, 3, 9, 9, 1]
    rows = [row(unit, k="a", i=value) for unit in (1, 2) for value in values]
    ((sample, different),) = agreed(
        by(MEDIAN, DISTINCT, keys=("k",), caps=(1, most)), {"t": rows}
    ).values()
    assert len(sample) == 2 * min(most, len(values))
    assert different <= min(2 * most, 5)


@pytest.mark.parametrize("ids", [(1, 2), ("p", "q")])
def test_equal_ranks_are_ordered_by_group_then_value(ids: Sequence[Any]) -> None:
    rows = [row(ids[0], k=k, i=i) for k in ("c", "b", None) for i in (5, 3, 3, 4)] + [
        row(ids[1], k="c", i=8)
    ]
    one = agreed_in(TIED, tied, by(MEDIAN, DISTINCT, keys=("k",), caps=(2, 2)), {"t": rows})
    assert one == {(None,): ((3, 3), 2), ("b",): ((3, 3), 2), ("c",): ((8,), 1)}
    assert agreed_in(TIED, tied, by(MEDIAN, DISTINCT, caps=(1, 3)), {"t": rows}) == {
        (): ((3, 3, 3, 8), 4)
    }


@pytest.mark.parametrize("pieces", [1, 2, 7])
def test_frequently_tied_ranks_never_exceed_the_bound(pieces: int) -> None:
    """As 32 bits would among very many values."""
    few = replace(
        DUCKDB,
        build_rank=lambda values: compared(
            cast(DUCKDB.build_rank(values), "BIGINT"), exp.Mod, integer_literal(pieces)
        ),
    )
    rows = [row(1, k=f"{k}", i=i) for k in range(6) for i in range(10)]
    plan = by(MEDIAN, DISTINCT, keys=("k",), caps=(3, 4))

    def rank(unit: Value, group: tuple[Value, ...]) -> int:
        return RANKS(plan, {"t": rows})(unit, group) % pieces

    found = agreed_in(few, rank, plan, {"t": rows})
    assert len(found) == 3
    assert {(len(sample), different) for sample, different in found.values()} == {(4, 4)}


def test_order_statistics_and_sums_keep_the_same_groups_of_a_unit() -> None:
    """Also those whose values are all missing take a place."""
    rows = [row(1, k=k, i=None if k in ("a", "b") else 3) for k in "abcdef"]
    for most in (1, 2, 3):
        found = agreed(
            by(Measure("units"), MEDIAN, DISTINCT, keys=("k",), caps=(most, 1)), {"t": rows}
        )
        assert len(found) == most
        for (key,), (units, sample, different) in found.items():
            values = int(key not in ("a", "b"))
            assert (units, len(sample), different) == (1, values, values)


def modes(
    column: str, values: tuple[Value, ...], cells: Sequence[Any], schema: Schema = SCHEMA
) -> Any:
    rows = [row(unit, **{column: value}) for unit, value in enumerate(cells)]
    ((sample,),) = agreed(
        by(OrderStatistic("mode", column, values=values), schema=schema, domain=(), caps=(1, 1)),
        {"t": rows},
    ).values()
    return sample


@pytest.mark.parametrize("schema", [SCHEMA, ALONE])
def test_a_mode_of_any_type_counts_the_values_it_lists(schema: Schema) -> None:
    assert modes("b", (True, False), [True, None, False, True], schema) == (0, 0, 1)
    assert modes("i", (9, 1, 5), [5, 5, 9, 2, None], schema) == (0, 2, 2)
    assert modes("i", (3, 2, 1), [1, 2, 3, 4, 0], schema) == (0, 1, 2)  # without a gap
    assert modes("r", (0.0, 0.5), [-0.0, 0.0, 0.5, float("nan"), 0.25, float("inf")], schema) == (
        0,
        0,
        1,
    )
    assert modes("t", ("", "B", "é"), ["é", "b", "B", "", " ", None, "e\u0301"], schema) == (
        0,
        1,
        2,
    )
    days = (date.max, date(2020, 2, 29), date.min)
    assert modes(
        "d", days, ["infinity", "2020-02-29", "-infinity", "2020-02-28", None], schema
    ) == (0, 1, 2)


def test_values_that_a_mode_does_not_list_take_nobodys_place() -> None:
    rows = [row(1, t=text) for text in [*"qwertyuiop", "a", "a"]]
    mode = OrderStatistic("mode", "t", values=("b", "a"))
    assert agreed(by(mode, caps=(1, 1), domain=()), {"t": rows}) == {(): ((1,),)}
    assert agreed(by(mode, caps=(1, 5), domain=()), {"t": rows}) == {(): ((1, 1),)}


def test_dates_are_ordered_by_day_number_and_clamped_to_the_valid_years() -> None:
    rows = [
        row(unit, d=day)
        for unit, day in enumerate(("infinity", "-infinity", "2020-02-29", "9999-12-31", None))
    ]
    for low, high in (
        (1, date.max.toordinal()),
        (date(2000, 1, 1).toordinal(), date(2020, 1, 1).toordinal()),
    ):
        pick = OrderStatistic("greatest", "d", ClampedGrid(Fraction(1), low, high))
        ((sample, different),) = agreed(by(pick, Measure("distinct", "d")), {"t": rows}).values()
        there = (1, date(2020, 2, 29).toordinal(), date.max.toordinal(), date.max.toordinal())
        assert sample == tuple(min(max(day, low), high) for day in there)
        assert different == 3


def test_dates_may_have_a_coarser_grid() -> None:
    rows = [
        row(unit, d=day)
        for unit, day in enumerate(("2020-02-29", "2020-03-03", "2020-03-07", "infinity"))
    ]
    weeks = ClampedGrid(
        Fraction(7), date(2020, 1, 1).toordinal() // 7, date(2021, 1, 1).toordinal() // 7
    )
    ((sample,),) = agreed(by(OrderStatistic("least", "d", weeks), domain=()), {"t": rows}).values()
    assert len(set(sample)) == 3
    assert sample[-1] == weeks.high


def test_days_of_years_that_no_calendar_has_are_the_ends() -> None:
    spelled = ["12000-01-01", "-0500-01-01", "2020-02-29", None]
    numbers = pa.array([3_663_428, -902_000, 18_321, None], pa.int32()).view(pa.date32())
    data = pa.table(
        {
            **{column.name: pa.nulls(4, ARROW[column.type]) for column in COLUMNS},
            "id": [1, 2, 3, 4],
            "d": numbers,
        }
    )
    source = DuckDB({"t": RegisteredTable(data, SCHEMA)})
    try:
        cells = source.run(
            by(
                OrderStatistic("greatest", "d", ClampedGrid(Fraction(1), 1, date.max.toordinal())),
                Measure("distinct", "d"),
                domain=(),
            )
        )
    finally:
        source.close()
    assert cells.numbers[0][0].tolist() == [1, date(2020, 2, 29).toordinal(), date.max.toordinal()]
    assert cells.numbers[1].tolist() == [3]
    # text has no years before 0
    assert [read_value(COLUMNS[4], text) for text in spelled] == [
        date.max,
        None,
        date(2020, 2, 29),
        None,
    ]


def test_reals_are_snapped_after_they_are_chosen() -> None:
    """Which values of a unit count depends on the values, not on the grid."""
    rows = [row(1, r=value) for value in (1.1, 2.2, 3.3, 4.4, 5.5, float("nan"))]
    kept = []
    for steps in (1, 1000):
        snap = ClampedGrid(Fraction(1, steps), 0, 10 * steps)
        ((sample,),) = agreed(
            by(OrderStatistic("least", "r", snap), caps=(1, 3), domain=()), {"t": rows}
        ).values()
        kept.append([round_half_away(Fraction(place, steps)) for place in sample])
    assert kept[0] == kept[1]


def test_a_value_of_two_units_is_one_distinct_value_and_two_in_a_sample() -> None:
    rows = [row(unit, t="same") for unit in (1, 2)] + [row(1, t="own")]
    found = agreed(
        by(
            Measure("distinct", "t"), OrderStatistic("mode", "t", values=("same", "own")), domain=()
        ),
        {"t": rows},
    )
    assert found == {(): (2, (0, 0, 1))}


def test_distinct_values_are_added_up_on_the_grid_once_each() -> None:
    far = ClampedGrid(Fraction(1, 2), -(2**53), 2**53)
    rows = [row(unit, k="a", i=i) for unit in (1, 2) for i in (4, 4, -3, None, 2**62, 2**61)]
    rows += [row(3, k="b", r=value) for value in (0.2, 0.3, 1.0, float("nan"), None)]
    measures = (Measure("distinct", "i", far), Measure("distinct", "r", far), Measure("rows"))
    found = agreed(by(*measures, keys=("k",)), {"t": rows})
    assert found == {("a",): (8 - 6 + 2**53, 0, 12), ("b",): (0, 0 + 1 + 2, 5)}
    whole = agreed(by(*measures[:2], domain=(), caps=(1, 1), schema=ALONE), {"t": rows})
    assert whole == {(): (2 + 2**53, 3)}
    assert agreed(by(measures[0], domain=()), {"t": []}) == {(): (0,)}


def test_a_unit_adds_no_more_distinct_values_than_may_count() -> None:
    rows = [row(unit, i=unit * 10 + i) for unit in (1, 2, 3) for i in range(6)]
    grid = ClampedGrid(Fraction(1), 0, 99)
    ((total, count),) = agreed(
        by(Measure("distinct", "i", grid), DISTINCT, caps=(1, 2), domain=()), {"t": rows}
    ).values()
    assert count == 6
    assert 6 * 10 < total < 6 * 36


def test_a_group_may_have_a_hundred_thousand_values() -> None:
    count = 100_000
    values = np.arange(count) * 7919 % 1009
    nothing = {column.name: pa.nulls(count, ARROW[column.type]) for column in COLUMNS}
    one = pa.table(
        {**nothing, "id": np.repeat(np.arange(count // 10), 10), "k": ["a"] * count, "i": values}
    )
    snap = ClampedGrid(Fraction(1), 0, 1000)
    pick, expected = (
        OrderStatistic("quantiles", "i", snap, quantiles=(Fraction(1, 2),)),
        np.sort(np.minimum(values, 1000)),
    )
    source = DuckDB({"t": RegisteredTable(one, SCHEMA)})
    try:
        (sample,) = source.run(by(pick, keys=("k",), caps=(1, 10), domain=(("a",),))).numbers[0]
        assert sample.dtype == np.int64
        assert np.array_equal(sample, expected)
        (cut,) = source.run(by(pick, keys=("k",), caps=(1, 3), domain=(("a",),))).numbers[0]
        assert len(cut) == 3 * count // 10
        assert not np.setdiff1d(cut, expected).size
    finally:
        source.close()


@pytest.mark.long
def test_one_unit_may_have_many_rows_and_counts_no_more_for_it() -> None:
    rows = [row(1, k="a", i=i % 5) for i in range(20_000)] + [row(2, k="a", i=9)]
    assert agreed_in(TIED, tied, by(MEDIAN, DISTINCT, keys=("k",), caps=(1, 3)), {"t": rows}) == {
        ("a",): ((0, 0, 0, 9), 4)
    }
