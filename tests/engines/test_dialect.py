from __future__ import annotations

from datetime import date

import duckdb
import pytest
import sqlglot
from sqlglot import exp

from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.terms import cast, column, constant, text, whole
from hedgerow.plan.dates import MOVES, PARTS, STARTS

CONNECTION = duckdb.connect()


def value(term: exp.Expr) -> object:
    found = CONNECTION.execute(f"SELECT {term.sql(DUCKDB.name)}").fetchone()
    assert found is not None
    return found[0]


def test_every_part_of_a_date_has_a_word() -> None:
    assert set(DUCKDB.parts) == set(PARTS)
    assert set(DUCKDB.starts) == set(STARTS)
    assert set(DUCKDB.later) == set(MOVES)


def test_sqlglot_knows_the_dialect() -> None:
    assert sqlglot.Dialect.get_or_raise(DUCKDB.name)


def test_division_cuts_towards_zero_for_both_signs_and_widths() -> None:
    for to in ("BIGINT", DUCKDB.wide):
        assert [value(DUCKDB.cut(cast(whole(a), to), cast(whole(b), to))) for a, b in ((7, 2), (-7, 2), (7, -2), (-7, -2))] == [
            3,
            -3,
            -3,
            3,
        ]


def test_the_wide_type_holds_sums_beyond_64_bits() -> None:
    assert value(exp.Mul(this=cast(whole(2**62), DUCKDB.wide), expression=cast(whole(2**62), DUCKDB.wide))) == 2**124


def test_the_rank_is_a_function_of_its_arguments_alone() -> None:
    first = value(DUCKDB.rank([whole(1), text("a")]))
    assert first == value(DUCKDB.rank([whole(1), text("a")]))
    assert first != value(DUCKDB.rank([whole(2), text("a")]))
    assert value(DUCKDB.rank([whole(1), constant(None, "text")])) is not None
    assert value(exp.func("typeof", DUCKDB.rank([whole(1)]))) == "UINTEGER"


def test_patterns_match_the_whole_text() -> None:
    assert value(DUCKDB.spells(text("12"), "[0-9]+")) is True
    assert value(DUCKDB.spells(text("12x"), "[0-9]+")) is False
    assert value(DUCKDB.piece(text("12-34"), "([0-9]+)-([0-9]+)", 2)) == "34"
    assert value(DUCKDB.is_nan(constant(float("nan"), "real"))) is True


def test_days_are_numbered_as_python_numbers_them() -> None:
    for day in (date.min, date(1969, 12, 31), date(2000, 2, 29), date.max):
        assert value(DUCKDB.ordinal(constant(day, "date"))) == day.toordinal()
    assert value(DUCKDB.ordinal(constant(None, "date"))) is None


def test_a_day_is_moved_to_a_day_there_is() -> None:
    counts = (-(2**63), -120_001, -120_000, -13, -1, 0, 1, 13, 119_987, 120_000, 3_652_059, 2**63 - 1)
    for name, move in MOVES.items():
        for day in (date.min, date(2000, 2, 29), date(2023, 12, 31), date.max):
            moved = [value(DUCKDB.later[name](constant(day, "date"), whole(count))) for count in counts]
            assert moved == [move(day, count) for count in counts]
        assert value(DUCKDB.later[name](constant(None, "date"), whole(1))) is None
        assert value(DUCKDB.later[name](constant(date.min, "date"), constant(None, "integer"))) is None


@pytest.mark.parametrize("ids", ["u", "'p' || u"])
@pytest.mark.parametrize("groups", [2, 3, 5, 7])
def test_ranks_favour_no_group(ids: str, groups: int) -> None:
    """Of 20,000 people in all groups, each group comes first for as many, up to what is likelier than 1e-9 by Hoeffding's inequality.

    The engine's own hash of two values would let some groups come first for twice as many as others.
    """
    rank = DUCKDB.rank([column("id"), column("g")]).sql(dialect="duckdb")
    pairs = f"SELECT {ids} AS id, 'g' || g AS g FROM range(20000) AS a(u), range({groups}) AS b(g)"
    first = f"SELECT g FROM ({pairs}) QUALIFY row_number() OVER (PARTITION BY id ORDER BY {rank}, g) = 1"
    with duckdb.connect() as connection:
        counts = [n for (n,) in connection.execute(f"SELECT count(*) FROM ({first}) GROUP BY g").fetchall()]
    assert len(counts) == groups
    assert max(abs(n - 20_000 / groups) for n in counts) < 480
