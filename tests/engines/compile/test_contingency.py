"""Combinations of codes: the engine beside the reference, how far one unit moves them, and
mistakes that must show.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import product
from random import Random
from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from sqlglot import exp

from depth import many
from engines.compile.helpers_contingency import ALONE, FAR, NAMES, SCHEMA, question, row, too_far
from engines.helpers_comparison import RANKS, agreed, frames, plain
from engines.helpers_engine_answers import combinations
from hedgerow.engines.compile import contingency as crossing
from hedgerow.engines.compile.plan import compile_plan
from hedgerow.engines.compile.sql_builders import binary as compared
from hedgerow.engines.compile.sql_builders import column, integer_literal
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.reference import interpreter as reference
from hedgerow.plan.contingency import Contingency, group_into_words
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.schema import Column, Schema
from hedgerow.privacy.unit import RELATIONS, Relation
from plan import helpers_tables, worlds


def test_combinations_are_counted_and_invalid_codes_dropped() -> None:
    pairs = [
        (0, 0),
        (1, 2),
        (1, 2),
        (0, 3),
        (2, 0),
        (-1, 0),
        (None, 0),
        (1, None),
        (0, 2),
        *product(FAR, (1, *FAR)),
        *product((1,), FAR),
    ]
    rows = [row(unit, *codes) for unit, codes in enumerate(pairs)]
    for schema in (SCHEMA, ALONE):
        assert agreed(question(2, 3, schema=schema), {"t": rows}) == {
            (): ({(0, 0): 1, (0, 2): 1, (1, 2): 2},)
        }


@pytest.mark.parametrize("schema", [SCHEMA, ALONE])
def test_no_rows_make_an_empty_table(schema: Schema) -> None:
    assert agreed(question(2, 3, schema=schema), {"t": []}) == {(): ({},)}
    assert agreed(question(2**62, 3, schema=schema), {"t": [row(1, 1, 3), row(2, None, 1)]}) == {
        (): ({},)
    }


@pytest.mark.parametrize(
    "sizes",
    [
        (2**62,),
        (2**62, 2**62),
        (2**31, 2**31, 2**31),
        (3, 2**61, 7, 2**60),
        (1, 1, 2**62, 1),
        (2**20,) * 4,
    ],
)
@pytest.mark.parametrize("schema", [SCHEMA, ALONE])
def test_the_largest_codes_of_several_words_neither_meet_nor_overflow(
    sizes: tuple[int, ...], schema: Schema
) -> None:
    each = [sorted({0, size - 1, size // 2, size, 2**63 - 1}) for size in sizes]
    rows = [row(unit, *codes) for unit, codes in enumerate(product(*each))]
    (found,) = agreed(question(*sizes, schema=schema), {"t": rows})[()]
    assert len(found) == np.prod(
        [sum(code < size for code in codes) for codes, size in zip(each, sizes, strict=True)]
    )
    assert set(found.values()) == {1}


@pytest.mark.parametrize("ids", [(1, 2), ("p", "q"), (0.5, 2.0)])
@pytest.mark.parametrize(
    ("most", "fine"),
    [
        (1, 2),
        (1, 2**30),
        (3, 2**40),
        (7, 4),
        (10, 64),
        (11, 64),
        (2**40, 2**22),
        (3, 1),
        (2**70, 1),
    ],
)
def test_all_rows_of_a_unit_are_scaled_down(ids: Sequence[Any], most: int, fine: int) -> None:
    rows = [
        row(unit, *codes)
        for unit in ids
        for codes in [*[(1, 1)] * 7, (0, 1), (0, 1), (1, 0), (2, 2), (None, 1)]
    ]
    (found,) = agreed(question(2, 2, most=most, fine=fine), {"t": rows})[()]
    share = min(most, 10) * fine
    expected = {(1, 1): 7 * share // 10, (0, 1): 2 * share // 10, (1, 0): share // 10}
    assert found == {codes: 2 * parts for codes, parts in expected.items() if parts}


@pytest.mark.parametrize("fine", [2, 2**26, 2**40])
def test_a_giant_overflows_nothing(fine: int) -> None:
    """5,000 rows of one unit, of which three count, or many: 64 bits do not hold 2^40 parts
    times 2^12 times 4,999 rows.
    """
    rows = [row(1, 0)] * 4999 + [row(1, 1)] + [row(2, 1)]
    for most in (3, 2**12, 2**22):
        (found,) = agreed(question(2, most=most, fine=fine), {"t": rows})[()]
        count = min(most, 5000)
        assert found == {(0,): fine * 4999 * count // 5000, (1,): fine * count // 5000 + fine}


def test_sums_beyond_the_room_are_clamped() -> None:
    """More units than any declared number of them for which parts are so fine: an answer is
    wrong then, and there is no error.
    """
    plan = question(2, most=2**22, fine=2**40)
    source = DuckDB(
        frames({"t": SCHEMA}, {"t": [row(unit, 0) for unit in (1, 2, 3, 3)] + [row(2, 1)]})
    )
    try:
        compiled = compile_plan(plan, source._registry.stored_tables, DUCKDB).by_measure[0].sql
        many = compiled.replace(f"CAST({2**40} AS BIGINT)", f"CAST({2**61} AS BIGINT)", 1)
        assert many != compiled
        assert source._session._connection.execute(many).fetchall() == [(0, 2**62), (1, 2**61)]
    finally:
        source.close()


def test_rows_with_invalid_codes_do_not_use_up_the_row_bound() -> None:
    rows = [row(1, 9, 0), row(1, None, 0), row(1, -5, 0), row(1, 1, 1)]
    assert agreed(question(2, 2), {"t": rows}) == {(): ({(1, 1): 1},)}


def test_an_isolated_engine_agrees() -> None:
    rows = [row(unit % 7, unit % 3, unit % 5, 2**61 + unit) for unit in range(60)]
    parts = sum(
        agreed(question(3, 5, 2**62, most=4, fine=2**20), {"t": rows}, IsolatedDuckDB)[()][
            0
        ].values()
    )
    assert 28 * 2**20 - 60 < parts <= 28 * 2**20
    assert agreed(question(3, 5), {"t": []}, IsolatedDuckDB) == {(): ({},)}


@pytest.mark.long
@pytest.mark.parametrize("number", range(many(5)))
def test_linked_tables_agree_with_the_reference(number: int) -> None:
    """Links, parts, joins, folds and unions below."""
    random = Random(number)
    world = helpers_tables.world(random)
    source = DuckDB(frames(world.schemas, world.tables))
    try:
        for _ in range(6):
            plan = worlds.crossed(random, world.schemas)
            assert plain(source.run(plan)) == reference.interpret_plan(
                plan, world.tables, RANKS(plan, world.tables)
            )
    finally:
        source.close()


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("fine", [4, 2**20])
def test_no_unit_changes_the_table_more_than_declared(relation: Relation, fine: int) -> None:
    assert too_far(relation, examples=many(20), fine=fine) == []


@pytest.mark.long
@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize(
    "planted", ["no part", "of the rows of a combination", "sensitivity of rows"]
)
def test_parts_that_leak_are_seen(
    relation: Relation, planted: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    if planted == "no part":
        monkeypatch.setattr(
            crossing,
            "_scale_count",
            lambda resolution, *_: compared(column("k"), exp.Mul, integer_literal(resolution)),
        )
    elif planted == "of the rows of a combination":
        right = crossing._scale_count
        monkeypatch.setattr(
            crossing,
            "_scale_count",
            lambda *all_: right(*all_).transform(
                lambda node: column("k") if node == column("c") else node
            ),
        )
    else:
        honest = Contingency.sensitivity
        monkeypatch.setattr(
            Contingency,
            "sensitivity",
            lambda self, reach: honest(replace(self, resolution=1), reach),
        )
    assert len(too_far(relation, examples=20, fine=8)) > 3


def test_filtering_invalid_codes_after_bounding_is_detected(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Filtered after rows are counted instead of before."""
    right = crossing._compile_parts

    def late(rows: exp.Select, names: Sequence[str], *more: Any, **named: Any) -> exp.Select:
        where = rows.args.pop("where")
        return right(rows, names, *more, **named).where(where.this, copy=False)

    monkeypatch.setattr(crossing, "_compile_parts", late)
    with pytest.raises(AssertionError):
        test_rows_with_invalid_codes_do_not_use_up_the_row_bound()


def test_a_code_is_bounded_where_it_is_multiplied() -> None:
    """Filters may run after what they guard: without the bound the product of such numbers has
    more than 64 bits.
    """
    source = DuckDB(frames({"t": SCHEMA}, {"t": [row(1, 2**63 - 1, 2**63 - 1), row(2, 1, 1)]}))
    try:
        compiled = compile_plan(question(2**31, 2**31), source._registry.stored_tables, DUCKDB)
        packed = (
            compiled.by_measure[0]
            .sql.partition(" AS MATERIALIZED (")[2]
            .partition(') SELECT "w0" AS "w0", CAST(')[0]
        )
        assert source._session._connection.execute(packed).fetchall() == [(1, None), (2, 2**31 + 1)]
    finally:
        source.close()


def test_a_hundred_yes_no_columns_compile_to_a_shallow_statement() -> None:
    names = [f"q{i}" for i in range(300)]
    schema = Schema("t", tuple(Column(name, "integer") for name in names), "id")
    data = np.random.default_rng(5).integers(0, 2, (50, 300))
    source = DuckDB(
        {
            "t": RegisteredTable(
                pa.table(
                    {**{name: data[:, i] for i, name in enumerate(names)}, "id": np.arange(50)}
                ),
                schema,
            )
        }
    )
    try:
        plan = Aggregate(
            Group(Bound(Table(schema), (), 1, 1)),
            (Contingency(tuple((name, 2) for name in names)),),
        )
        (table,) = source.run(plan).numbers[0]
    finally:
        source.close()
    assert len(table.words) == len(group_into_words([2] * 300)) == 5
    assert combinations(table) == dict.fromkeys(sorted(map(tuple, data.tolist())), 1)


@pytest.mark.parametrize("schema", [SCHEMA, ALONE])
def test_the_table_of_many_rows_is_that_of_the_codes(schema: Schema) -> None:
    count, sizes = 100_000, (10, 3, 2**50, 7)
    codes = np.stack(
        [
            np.arange(count) * step % size
            for step, size in zip((7, 5, 10**9 + 7, 3), (10, 3, 40, 7), strict=True)
        ],
        axis=1,
    )
    data = pa.table({**{name: codes[:, i] for i, name in enumerate(NAMES)}, "id": np.arange(count)})
    source = DuckDB({"t": RegisteredTable(data, schema)})
    try:
        (table,) = source.run(question(*sizes, schema=schema)).numbers[0]
    finally:
        source.close()
    assert isinstance(table, ContingencyTable)
    assert (table.total, table.counts.dtype) == (count, np.dtype(np.int64))
    assert len(table.counts) == len(np.unique(codes, axis=0))
    for places in [(0,), (0, 1, 3), (3, 1)]:
        assert np.array_equal(
            table.marginal(places), ContingencyTable.from_codes(codes, sizes).marginal(places)
        )
