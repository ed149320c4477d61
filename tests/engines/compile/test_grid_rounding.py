from __future__ import annotations

from fractions import Fraction

from hypothesis import given
from hypothesis import strategies as st
from sqlglot import exp

from engines.compile.test_sql_builders import back
from hedgerow.engines.compile.grid_rounding import compile_grid_steps as compile_steps
from hedgerow.engines.compile.grid_rounding import find_read_range
from hedgerow.engines.compile.sql_builders import integer_literal, null_literal, real_literal
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.reference import interpreter as reference
from hedgerow.plan.measures import ClampedGrid
from hedgerow.plan.nodes import Filter, Join, Project, Table, Union
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.scalar.functions import round_half_away
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Range

STEPS = st.fractions(min_value=Fraction(1, 10**9), max_value=10**6, max_denominator=10**9)
ENDS = st.tuples(st.integers(-(2**53), 2**53), st.integers(-(2**53), 2**53)).map(sorted)


def compile_grid_steps(value: exp.Expr, known: Range, grid: ClampedGrid) -> exp.Expr:
    return compile_steps(value, known, grid, DUCKDB)


@given(st.floats(allow_nan=False), STEPS, ENDS)
def test_reals_are_snapped_as_the_reference_snaps(
    value: float, step: Fraction, ends: list[int]
) -> None:
    snap = ClampedGrid(step, *ends)
    assert back(compile_grid_steps(real_literal(value), Range("real"), snap))[
        0
    ] == reference.round_to_grid(value, snap)


@given(st.integers(-(2**63), 2**63 - 1), st.one_of(st.just(Fraction(1)), STEPS), ENDS)
def test_whole_numbers_are_snapped_as_the_reference_snaps(
    value: int, step: Fraction, ends: list[int]
) -> None:
    snap = ClampedGrid(step, *ends)
    assert back(compile_grid_steps(integer_literal(value), Range("integer"), snap))[
        0
    ] == reference.round_to_grid(value, snap)


def test_the_second_clamp_is_compiled_only_where_it_can_change_a_value() -> None:
    value = real_literal(1e300)
    even, uneven = ClampedGrid(Fraction(1, 4), 0, 400), ClampedGrid(Fraction(1, 3), 0, 2**53 - 1)
    assert compile_grid_steps(value, Range("real"), even).sql("duckdb").count("CASE") == 1
    # A third has no double: 2^53 - 1 of them, divided by one again, are 2^53.
    assert round_half_away(float(uneven.high * uneven.step) / float(uneven.step)) == uneven.high + 1
    assert back(compile_grid_steps(value, Range("real"), uneven))[0] == uneven.high


def test_the_first_clamp_is_left_out_where_reading_has_done_it() -> None:
    low, high, column = Fraction(0), Fraction(100), real_literal(7.3)
    wide, narrow = ClampedGrid(Fraction(1, 4), 0, 400), ClampedGrid(Fraction(1, 4), 0, 399)
    assert (
        compile_grid_steps(column, Range("real", low, high), wide).sql("duckdb").count("CASE") == 0
    )
    assert back(compile_grid_steps(column, Range("real", low, high), wide))[0] == 29
    for known, snap in (
        (Range("real", low, high), narrow),
        (Range("real", low - 1, high), wide),
        (Range("real"), wide),
    ):
        assert compile_grid_steps(column, known, snap).sql("duckdb").count("CASE") == 1
    # Whole numbers are compared as such: as doubles 2^53 and 2^53 + 1 are one number.
    most, one = 2**53, Fraction(1)
    assert (
        compile_grid_steps(
            integer_literal(5), Range("integer", low, Fraction(most)), ClampedGrid(one, 0, most)
        )
        .sql("duckdb")
        .count("CASE")
        == 0
    )
    assert (
        back(
            compile_grid_steps(
                integer_literal(most + 1),
                Range("integer", low, Fraction(most + 1)),
                ClampedGrid(one, 0, most),
            )
        )[0]
        == most
    )


def test_bounds_are_trusted_only_for_cast_columns() -> None:
    ends = Fraction(0), Fraction(9)
    columns = (
        Column("x", "real", *ends),
        Column("v", "integer", values=(1, 2)),
        Column("t", "text"),
        Column("y", "real"),
    )
    table, public = (
        Table(Schema("t", columns, "who")),
        Table(Schema("p", (Column("k", "text"), Column("z", "real", *ends)), None)),
    )
    twice = Call("+", (ColumnRef("x"), ColumnRef("x")))
    made = Project(
        Filter(table, Call("<", (ColumnRef("x"), Constant(3, "integer")))),
        (("a", ColumnRef("x")), ("b", twice), ("t", ColumnRef("t"))),
    )
    joined = Join(made, public, (("t", "k"),), (("c", "z"),), 1)
    for rows, name, bounds in (
        (table, "x", ends),
        (table, "v", (None, None)),
        (table, "y", (None, None)),
        (made, "a", ends),
        (made, "b", (None, None)),
        (joined, "a", ends),
        (joined, "c", ends),
        (Union((table, table)), "x", (None, None)),
    ):
        found = find_read_range(rows, name)
        assert (found.low, found.high) == bounds
        assert found.type == rows.columns[name].type


def test_null_stays_null_and_infinity_goes_to_the_ends() -> None:
    for snap in (
        ClampedGrid(Fraction(1), -3, 4),
        ClampedGrid(Fraction(1, 3), -3, 4),
        ClampedGrid(Fraction(1, 3), 2**53 - 9, 2**53 - 1),
    ):
        assert back(compile_grid_steps(null_literal("real"), Range("real"), snap))[0] is None
        assert back(compile_grid_steps(null_literal("integer"), Range("integer"), snap))[0] is None
        ends = [
            back(compile_grid_steps(real_literal(end), Range("real"), snap))[0]
            for end in (float("-inf"), float("inf"))
        ]
        assert ends == [snap.low, snap.high]


def test_halves_go_away_from_zero() -> None:
    values = [
        back(
            compile_grid_steps(real_literal(value), Range("real"), ClampedGrid(Fraction(1), -9, 9))
        )[0]
        for value in (-2.5, -0.5, 0.5, 1.5, 0.49999999999999994)
    ]
    assert values == [-3, -1, 1, 2, 0]
