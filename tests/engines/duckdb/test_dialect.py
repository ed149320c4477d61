from __future__ import annotations

from datetime import date

import duckdb
import pytest
from sqlglot import exp

from hedgerow.engines.compile.sql_builders import (
    cast,
    column,
    constant,
    integer_literal,
    text_literal,
)
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.plan.scalar.dates import DATE_SHIFTS

CONNECTION = duckdb.connect()


def value(term: exp.Expr) -> object:
    found = CONNECTION.execute(f"SELECT {term.sql(DUCKDB.name)}").fetchone()
    assert found is not None
    return found[0]


def test_division_cuts_towards_zero_for_both_signs_and_widths() -> None:
    for to in ("BIGINT", DUCKDB.wide_integer):
        assert [
            value(
                DUCKDB.truncating_divide(cast(integer_literal(a), to), cast(integer_literal(b), to))
            )
            for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))
        ] == [
            3,
            -3,
            -3,
            3,
        ]


def test_the_wide_type_holds_sums_beyond_64_bits() -> None:
    assert (
        value(
            exp.Mul(
                this=cast(integer_literal(2**62), DUCKDB.wide_integer),
                expression=cast(integer_literal(2**62), DUCKDB.wide_integer),
            )
        )
        == 2**124
    )


def test_the_rank_is_a_function_of_its_arguments_alone() -> None:
    first = value(DUCKDB.build_rank([integer_literal(1), text_literal("a")]))
    assert first == value(DUCKDB.build_rank([integer_literal(1), text_literal("a")]))
    assert first != value(DUCKDB.build_rank([integer_literal(2), text_literal("a")]))
    assert value(DUCKDB.build_rank([integer_literal(1), constant(None, "text")])) is not None
    assert value(exp.func("typeof", DUCKDB.build_rank([integer_literal(1)]))) == "UINTEGER"


def test_patterns_match_the_whole_text() -> None:
    assert value(DUCKDB.full_match(text_literal("12"), "[0-9]+")) is True
    assert value(DUCKDB.full_match(text_literal("12x"), "[0-9]+")) is False
    assert value(DUCKDB.regex_group(text_literal("12-34"), "([0-9]+)-([0-9]+)", 2)) == "34"
    assert value(DUCKDB.is_nan(constant(float("nan"), "real"))) is True


def test_days_are_numbered_as_python_numbers_them() -> None:
    for day in (date.min, date(1969, 12, 31), date(2000, 2, 29), date.max):
        assert value(DUCKDB.ordinal(constant(day, "date"))) == day.toordinal()
    assert value(DUCKDB.ordinal(constant(None, "date"))) is None


def test_a_day_is_moved_to_a_day_there_is() -> None:
    counts = (
        -(2**63),
        -120_001,
        -120_000,
        -13,
        -1,
        0,
        1,
        13,
        119_987,
        120_000,
        3_652_059,
        2**63 - 1,
    )
    for name, move in DATE_SHIFTS.items():
        for day in (date.min, date(2000, 2, 29), date(2023, 12, 31), date.max):
            moved = [
                value(DUCKDB.date_shifts[name](constant(day, "date"), integer_literal(count)))
                for count in counts
            ]
            assert moved == [move(day, count) for count in counts]
        assert value(DUCKDB.date_shifts[name](constant(None, "date"), integer_literal(1))) is None
        assert (
            value(DUCKDB.date_shifts[name](constant(date.min, "date"), constant(None, "integer")))
            is None
        )


@pytest.mark.parametrize("ids", ["u", "'p' || u"])
@pytest.mark.parametrize("groups", [2, 3, 5, 7])
def test_ranks_favour_no_group(ids: str, groups: int) -> None:
    """Of 20,000 people in all groups, each group comes first for as many, up to what is likelier
    than 1e-9 by Hoeffding's inequality.

    The engine's own hash of two values would let some groups come first for twice as many as
    others.
    """
    rank = DUCKDB.build_rank([column("id"), column("g")]).sql(dialect="duckdb")
    pairs = f"SELECT {ids} AS id, 'g' || g AS g FROM range(20000) AS a(u), range({groups}) AS b(g)"
    first = (
        f"SELECT g FROM ({pairs}) QUALIFY row_number() OVER (PARTITION BY id ORDER BY {rank},"
        " g) = 1"
    )
    with duckdb.connect() as connection:
        counts = [
            n
            for (n,) in connection.execute(f"SELECT count(*) FROM ({first}) GROUP BY g").fetchall()
        ]
    assert len(counts) == groups
    assert max(abs(n - 20_000 / groups) for n in counts) < 480
