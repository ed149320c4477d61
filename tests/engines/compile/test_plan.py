from __future__ import annotations

import sys
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Any

import pyarrow as pa
import pytest
import sqlglot
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from depth import many
from engines.helpers_engine_answers import Ranks, answer, expected
from engines.helpers_plans import ENGINES, plans
from engines.helpers_visits import ANSWER, BY_CITY, ROWS, VISITS, question, visits
from engines.helpers_worlds import worlds
from hedgerow.engines.compile.column_casts import StoredColumn
from hedgerow.engines.compile.plan import compile_plan, make_cached_compiler
from hedgerow.engines.compile.sql_builders import integer_literal
from hedgerow.engines.compile.stored_tables import StoredTable
from hedgerow.engines.duckdb.dialect import DUCKDB
from hedgerow.engines.duckdb.engine import DuckDB
from hedgerow.engines.duckdb.tables.registry import RegisteredTable
from hedgerow.engines.result_cells import collect_cells
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.contingency import Contingency
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import (
    Aggregate,
    Bound,
    Filter,
    Group,
    Join,
    Project,
    RelationNode,
    Table,
    Union,
    UnitAggregation,
    UnitStatistic,
)
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression
from hedgerow.plan.schema import Column, Schema

RANKS = Ranks()


SHELF = StoredTable(
    "t0",
    {
        "age": StoredColumn("age", "integer"),
        "city": StoredColumn("city", "text"),
        "pay": StoredColumn("pay", "real"),
    },
    StoredColumn("id", "integer"),
)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
# No shrinking: it would take longer than reading the plan that failed.
@settings(max_examples=many(10), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_every_engine_gives_the_numbers_of_the_reference(
    engine: Callable[..., Any], data: st.DataObject
) -> None:
    world = data.draw(worlds())
    source = engine(world.registered)
    try:
        for _ in range(5):
            plan = data.draw(plans(world))
            assert answer(source, plan) == expected(world, plan, RANKS)
    finally:
        source.close()


def text(plan: Aggregate, shelf: StoredTable = SHELF) -> str:
    """The statement of the sums."""
    compiled = compile_plan(plan, {"visits": shelf}, DUCKDB)
    assert compiled.sums is not None
    return compiled.sums.sql


@pytest.mark.parametrize("engine", ENGINES)
def test_a_small_question(engine: Callable[..., Any]) -> None:
    source = engine(visits())
    assert answer(source, BY_CITY) == ANSWER
    assert answer(source, question("city")) == {("a",): (1, 30), ("b",): (2, 140), ("c",): (1, 0)}
    assert answer(source, question("city", caps=(2**70, 1))) == answer(
        source, question("city", caps=(2, 1))
    )
    source.close()


def test_only_the_columns_that_are_needed_are_read() -> None:
    assert "pay" not in text(BY_CITY)
    assert "age" not in text(question("city", measures=(Measure("units"),)))


def test_user_text_appears_only_in_literals_and_quoted_names() -> None:
    nasty = "x'; DROP TABLE t0; --"
    rows = Project(
        Filter(Table(VISITS), Call("=", (ColumnRef("city"), Constant(nasty, "text")))),
        ((nasty, ColumnRef("age")),),
    )
    plan = Aggregate(Group(Bound(rows, (nasty,), 1, 1), None), (Measure("rows"),))
    sql = text(
        plan, replace(SHELF, columns={**SHELF.columns, "age": StoredColumn('a"; --', "integer")})
    )
    (tree,) = sqlglot.parse(sql, dialect="duckdb")
    assert tree is not None
    assert {table.name for table in tree.find_all(exp.Table)} == {"t0"}
    assert {name.name for name in tree.find_all(exp.Identifier) if '"' in name.name} == {'a"; --'}
    assert nasty in {literal.name for literal in tree.find_all(exp.Literal)}
    assert not any(node.comments for node in tree.walk())


@pytest.mark.parametrize(
    ("plan", "ranks"),
    [
        (BY_CITY, True),
        (question("city"), True),
        (question("city", domain=(("a", "b"),)), False),  # two groups, two allowed
        (question("city", domain=(("a",),), caps=(1, 1)), False),
        (question(domain=()), False),
        (
            question("city", domain=(("a",),), schema=replace(VISITS, unit="row"), caps=(1, 1)),
            False,
        ),
    ],
)
def test_groups_are_ranked_only_where_a_unit_can_be_in_too_many(
    plan: Aggregate, ranks: bool
) -> None:
    assert ("ROW_NUMBER" in text(plan)) == ranks


@pytest.mark.parametrize("ids", [[1, 1, 1, 1, 2], ["p", "p", "p", "p", "q"]])
def test_tied_ranks_never_exceed_the_group_bound(ids: Sequence[object]) -> None:
    tied = replace(DUCKDB, build_rank=lambda values: integer_literal(7))
    data = pa.table(
        {"id": ids, "age": [1] * 5, "city": ["d", "b", "c", None, "d"], "pay": [0.0] * 5}
    )
    source = DuckDB({"visits": RegisteredTable(data, VISITS)})
    for most, kept in (
        (1, {None: 1, "d": 1}),
        (2, {None: 1, "b": 1, "d": 1}),
        (3, {None: 1, "b": 1, "c": 1, "d": 1}),
    ):
        plan = question("city", caps=(most, 1), measures=(Measure("units"),))
        cells = collect_cells(
            plan,
            compile_plan(plan, source._registry.stored_tables, tied),
            source._session.run_statement,
        )
        assert dict(zip(cells.keys[0], cells.numbers[0].tolist(), strict=True)) == kept
    source.close()


def test_whole_numbers_without_a_gap_are_compared_with_their_ends() -> None:
    plan = question("age", domain=(tuple(range(90, 9, -1)),))
    assert "BETWEEN CAST(10 AS BIGINT) AND CAST(90 AS BIGINT)" in text(plan)
    assert " IN (CAST(1 AS BIGINT), CAST(3 AS BIGINT))" in text(question("age", domain=((1, 3),)))


def test_no_rows_and_no_keys_make_a_cell_of_zeros_or_none() -> None:
    source = DuckDB(
        {"visits": RegisteredTable(pa.table(ROWS).slice(0, 0), replace(VISITS, unit="row"))}
    )
    alone = replace(VISITS, unit="row")
    assert answer(source, question(domain=(), schema=alone, caps=(1, 1))) == {(): (0, 0)}
    assert answer(source, question(domain=None, schema=alone, caps=(1, 1))) == {}
    source.close()


def test_the_public_side_of_a_join_is_limited_to_its_declaration() -> None:
    public = Schema(
        "places",
        (Column("name", "text"), Column("size", "integer", Fraction(0), Fraction(9))),
        None,
    )
    places = pa.table({"name": ["a", "a", "a", "b", None], "size": [3, 2, 2, 1, 5]})
    alone = replace(VISITS, unit="row")
    source = DuckDB(
        {
            "visits": RegisteredTable(pa.table(ROWS), alone),
            "places": RegisteredTable(places, public),
        }
    )
    joined = Join(Table(alone), Table(public), (("city", "name"),), (("size", "size"),), 1)
    found = answer(
        source, Aggregate(Group(Bound(joined, ("size",), 1, 1), None), (Measure("rows"),))
    )
    source.close()
    assert found == {(2,): (3,), (1,): (2,)}


def test_ids_of_different_types_are_not_the_same_units() -> None:
    other = replace(VISITS, table="others")
    plan = Aggregate(
        Group(Bound(Union((Table(VISITS), Table(other))), ("city",), 1, 1), None),
        (Measure("rows"),),
    )
    shelves = {
        "visits": SHELF,
        "others": replace(SHELF, relation="t1", unit=StoredColumn("id", "text")),
    }
    alone = Aggregate(Group(Bound(plan.bound.source, (), 1, 1)), (Measure("rows"),))
    for asked in (plan, alone):
        with pytest.raises(Unsupported, match="unit ids of these tables have different types"):
            compile_plan(asked, shelves, DUCKDB)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (pa.decimal128(38, 10), pa.decimal128(38, 10), True),
        # compared as doubles, of which one equals many decimals
        (pa.decimal128(38, 10), pa.float64(), False),
        (pa.decimal128(20, 2), pa.float32(), False),
        (pa.decimal128(38, 5), pa.decimal128(38, 30), False),  # the first may not fit in the second
        (pa.decimal128(38, 0), pa.uint64(), True),
        (pa.decimal128(18, 0), pa.int64(), True),
        (pa.float32(), pa.float64(), True),
    ],
)
def test_ids_meet_only_where_they_compare_exactly(
    first: pa.DataType, second: pa.DataType, same: bool
) -> None:
    here, there = Schema("here", (), "id"), Schema("there", (), "id")
    ids = {
        here: pa.array([2, 3]).cast(pa.decimal128(38, 0)).cast(first),
        there: pa.array([3, 4]).cast(pa.decimal128(38, 0)).cast(second),
    }
    source = DuckDB(
        {
            schema.table: RegisteredTable(pa.table({"id": found}), schema)
            for schema, found in ids.items()
        }
    )
    plan = Aggregate(
        Group(Bound(Join(Table(here), Table(there), (), ()), (), 1, 1), ()), (Measure("units"),)
    )
    if same:
        assert answer(source, plan) == {(): (1,)}
    else:
        with pytest.raises(Unsupported, match="unit ids of these tables have different types"):
            source.prepare(plan)
    source.close()


def test_missing_tables_and_columns_are_named() -> None:
    with pytest.raises(SourceError, match="no table visits"):
        compile_plan(BY_CITY, {}, DUCKDB)
    with pytest.raises(SourceError, match="data of visits have no column age"):
        text(BY_CITY, replace(SHELF, columns={"city": StoredColumn("city", "text")}))
    with pytest.raises(SourceError, match="data of visits have no id column id"):
        text(BY_CITY, replace(SHELF, unit=None))


def roots(depth: int) -> Expression:
    found: Expression = ColumnRef("age")
    for _ in range(depth):
        found = Call("sqrt", (found,))
    return found


def test_expressions_that_grow_too_large_are_refused_everywhere() -> None:
    wide = (("age", "age"),)
    rooted = Project(Table(VISITS), (("age", roots(20)),))
    deep: list[RelationNode] = [
        Join(Project(Table(VISITS), (("city", ColumnRef("city")),)), rooted, (), wide),
        UnitAggregation(rooted, (), (("n", UnitStatistic("rows")),)),
        Project(Table(VISITS), (("age", roots(20)),)),
        Filter(Table(VISITS), Call(">", (roots(20), Constant(1, "integer")))),
        Union(
            (
                Project(Table(VISITS), (("age", ColumnRef("pay")),)),
                Project(Table(VISITS), (("age", roots(20)),)),
            )
        ),
    ]
    for rows in deep:
        with pytest.raises(Unsupported, match=r"too deeply\. Split it into smaller"):
            text(Aggregate(Group(Bound(rows, (), 1, 1)), (Measure("rows"),)))
    assert text(
        Aggregate(
            Group(Bound(Project(Table(VISITS), (("age", roots(5)),)), ("age",), 1, 1), None),
            (Measure("rows"),),
        )
    )


MEDIAN = OrderStatistic(
    "quantiles", "age", ClampedGrid(Fraction(1), 0, 100), quantiles=(Fraction(1, 2),)
)


def test_distinct_counts_and_order_statistics_have_their_own_statement() -> None:
    shelves = {"visits": SHELF}
    both = compile_plan(
        question("city", measures=(MEDIAN, Measure("rows"), Measure("distinct", "pay"))),
        shelves,
        DUCKDB,
    )
    assert set(both.by_measure) == {0, 2}
    assert both.sums is not None
    assert "age" not in both.sums.sql + both.by_measure[2].sql
    assert "pay" not in both.sums.sql + both.by_measure[0].sql
    assert (both.sums.wide, both.by_measure[0].wide, both.by_measure[2].wide) == (
        (False,),
        (False, False),
        (False,),
    )


def test_combinations_need_no_sums() -> None:
    plan = question(domain=(), measures=(Contingency((("age", 2**62),)),))
    compiled = compile_plan(plan, {"visits": SHELF}, DUCKDB)
    assert (
        compiled.sums,
        set(compiled.by_measure),
        compiled.by_measure[0].wide,
        compiled.by_measure[0].keys,
    ) == (None, {0}, (False, False), ())
    assert "pay" not in compiled.by_measure[0].sql
    assert " OVER (PARTITION BY " in compiled.by_measure[0].sql
    alone = question(
        domain=(),
        schema=replace(VISITS, unit="row"),
        caps=(1, 1),
        measures=(Contingency((("age", 2**62),)),),
    )
    assert (
        " OVER (PARTITION BY "
        not in compile_plan(alone, {"visits": SHELF}, DUCKDB).by_measure[0].sql
    )


def test_undeclared_groups_are_returned_even_without_sums() -> None:
    listed = question("city", domain=(("a", "b"),), measures=(MEDIAN,))
    assert compile_plan(listed, {"visits": SHELF}, DUCKDB).sums is None
    free = compile_plan(question("city", measures=(MEDIAN,)), {"visits": SHELF}, DUCKDB)
    assert free.sums is not None
    assert free.sums.wide == (False,)


def test_a_plan_is_compiled_once() -> None:
    compiled = make_cached_compiler({"visits": SHELF}, DUCKDB)
    assert compiled(BY_CITY) is compiled(replace(BY_CITY))
    assert compiled(BY_CITY) == compile_plan(BY_CITY, {"visits": SHELF}, DUCKDB)


def test_a_plan_compiled_from_a_deep_stack_is_refused() -> None:
    rows: Expression = ColumnRef("age")
    for _ in range(90):
        rows = Call("negate", (rows,))
    plan = Aggregate(
        Group(Bound(Project(Table(VISITS), (("x", rows),)), ("x",), 1, 1), None), (Measure("rows"),)
    )
    compiled = make_cached_compiler({"visits": SHELF}, DUCKDB)

    def below(frames: int) -> object:
        return below(frames - 1) if frames else compiled(plan)

    hash(plan)
    with pytest.raises(Unsupported, match=r"nested too deeply\. Split it"):
        below(sys.getrecursionlimit() - 350)
    assert below(0)
