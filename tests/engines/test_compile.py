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
from engines.small import ANSWER, BY_CITY, ROWS, VISITS, question, visits
from engines.worlds import ENGINES, Ranks, answer, expected, plans, worlds
from hedgerow.engines.catalogue import Registered
from hedgerow.engines.compile import Shelf, compile_plan, compiling
from hedgerow.engines.decode import gathered
from hedgerow.engines.dialect import DUCKDB
from hedgerow.engines.duckdb import DuckDB
from hedgerow.engines.reading import Stored
from hedgerow.engines.terms import whole
from hedgerow.errors import SourceError, Unsupported
from hedgerow.plan.crossing import Cross
from hedgerow.plan.expressions import Call, Constant, Expression, Read
from hedgerow.plan.measures import Measure, Snap
from hedgerow.plan.nodes import Aggregate, Bound, Filter, Fold, Folded, Group, Join, Project, Rows, Table, Union
from hedgerow.plan.picks import Pick
from hedgerow.plan.schema import Column, Schema

RANKS = Ranks()


SHELF = Shelf(
    "t0", {"age": Stored("age", "integer"), "city": Stored("city", "text"), "pay": Stored("pay", "real")}, Stored("id", "integer")
)


@pytest.mark.long
@pytest.mark.parametrize("engine", ENGINES)
@given(data=st.data())
# No shrinking: it would take longer than reading the plan that failed.
@settings(max_examples=many(10), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_every_engine_gives_the_numbers_of_the_reference(engine: Callable[..., Any], data: st.DataObject) -> None:
    world = data.draw(worlds())
    source = engine(world.registered)
    try:
        for _ in range(5):
            plan = data.draw(plans(world))
            assert answer(source, plan) == expected(world, plan, RANKS)
    finally:
        source.close()


def text(plan: Aggregate, shelf: Shelf = SHELF) -> str:
    """The statement of the sums."""
    compiled = compile_plan(plan, {"visits": shelf}, DUCKDB)
    assert compiled.main is not None
    return compiled.main.sql


@pytest.mark.parametrize("engine", ENGINES)
def test_a_small_question(engine: Callable[..., Any]) -> None:
    source = engine(visits())
    assert answer(source, BY_CITY) == ANSWER
    assert answer(source, question("city")) == {("a",): (1, 30), ("b",): (2, 140), ("c",): (1, 0)}
    assert answer(source, question("city", caps=(2**70, 1))) == answer(source, question("city", caps=(2, 1)))
    source.close()


def test_only_the_columns_that_are_needed_are_read() -> None:
    assert "pay" not in text(BY_CITY)
    assert "age" not in text(question("city", measures=(Measure("units"),)))


def test_what_somebody_wrote_stands_in_literals_and_quoted_names_only() -> None:
    nasty = "x'; DROP TABLE t0; --"
    rows = Project(Filter(Table(VISITS), Call("=", (Read("city"), Constant(nasty, "text")))), ((nasty, Read("age")),))
    plan = Aggregate(Group(Bound(rows, (nasty,), 1, 1), None), (Measure("rows"),))
    sql = text(plan, replace(SHELF, columns={**SHELF.columns, "age": Stored('a"; --', "integer")}))
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
        (question("city", domain=(("a",),), schema=replace(VISITS, unit="row"), caps=(1, 1)), False),
    ],
)
def test_groups_are_ranked_only_where_a_unit_can_be_in_too_many(plan: Aggregate, ranks: bool) -> None:
    assert ("ROW_NUMBER" in text(plan)) == ranks


@pytest.mark.parametrize("ids", [[1, 1, 1, 1, 2], ["p", "p", "p", "p", "q"]])
def test_a_tie_of_ranks_never_lets_one_more_group_through(ids: Sequence[object]) -> None:
    tied = replace(DUCKDB, rank=lambda values: whole(7))
    data = pa.table({"id": ids, "age": [1] * 5, "city": ["d", "b", "c", None, "d"], "pay": [0.0] * 5})
    source = DuckDB({"visits": Registered(data, VISITS)})
    for most, kept in ((1, {None: 1, "d": 1}), (2, {None: 1, "b": 1, "d": 1}), (3, {None: 1, "b": 1, "c": 1, "d": 1})):
        plan = question("city", caps=(most, 1), measures=(Measure("units"),))
        cells = gathered(plan, compile_plan(plan, source._catalogue.shelves, tied), source._session.answer)
        assert dict(zip(cells.keys[0], cells.numbers[0].tolist(), strict=True)) == kept
    source.close()


def test_whole_numbers_without_a_gap_are_compared_with_their_ends() -> None:
    plan = question("age", domain=(tuple(range(90, 9, -1)),))
    assert "BETWEEN CAST(10 AS BIGINT) AND CAST(90 AS BIGINT)" in text(plan)
    assert " IN (CAST(1 AS BIGINT), CAST(3 AS BIGINT))" in text(question("age", domain=((1, 3),)))


def test_no_rows_and_no_keys_make_a_cell_of_zeros_or_none() -> None:
    source = DuckDB({"visits": Registered(pa.table(ROWS).slice(0, 0), replace(VISITS, unit="row"))})
    alone = replace(VISITS, unit="row")
    assert answer(source, question(domain=(), schema=alone, caps=(1, 1))) == {(): (0, 0)}
    assert answer(source, question(domain=None, schema=alone, caps=(1, 1))) == {}
    source.close()


def test_the_public_side_of_a_join_is_cut_to_what_it_declared() -> None:
    public = Schema("places", (Column("name", "text"), Column("size", "integer", Fraction(0), Fraction(9))), None)
    places = pa.table({"name": ["a", "a", "a", "b", None], "size": [3, 2, 2, 1, 5]})
    alone = replace(VISITS, unit="row")
    source = DuckDB({"visits": Registered(pa.table(ROWS), alone), "places": Registered(places, public)})
    joined = Join(Table(alone), Table(public), (("city", "name"),), (("size", "size"),), 1)
    found = answer(source, Aggregate(Group(Bound(joined, ("size",), 1, 1), None), (Measure("rows"),)))
    source.close()
    assert found == {(2,): (3,), (1,): (2,)}


def test_ids_of_different_types_are_not_the_same_units() -> None:
    other = replace(VISITS, table="others")
    plan = Aggregate(Group(Bound(Union((Table(VISITS), Table(other))), ("city",), 1, 1), None), (Measure("rows"),))
    shelves = {"visits": SHELF, "others": replace(SHELF, relation="t1", unit=Stored("id", "text"))}
    alone = Aggregate(Group(Bound(plan.bound.source, (), 1, 1)), (Measure("rows"),))
    for asked in (plan, alone):
        with pytest.raises(Unsupported, match="ids of these tables differ in type"):
            compile_plan(asked, shelves, DUCKDB)


@pytest.mark.parametrize(
    ("first", "second", "same"),
    [
        (pa.decimal128(38, 10), pa.decimal128(38, 10), True),
        (pa.decimal128(38, 10), pa.float64(), False),  # compared as doubles, of which one equals many decimals
        (pa.decimal128(20, 2), pa.float32(), False),
        (pa.decimal128(38, 5), pa.decimal128(38, 30), False),  # the first may not fit in the second
        (pa.decimal128(38, 0), pa.uint64(), True),
        (pa.decimal128(18, 0), pa.int64(), True),
        (pa.float32(), pa.float64(), True),
    ],
)
def test_ids_meet_only_where_they_compare_exactly(first: pa.DataType, second: pa.DataType, same: bool) -> None:
    here, there = Schema("here", (), "id"), Schema("there", (), "id")
    ids = {here: pa.array([2, 3]).cast(pa.decimal128(38, 0)).cast(first), there: pa.array([3, 4]).cast(pa.decimal128(38, 0)).cast(second)}
    source = DuckDB({schema.table: Registered(pa.table({"id": found}), schema) for schema, found in ids.items()})
    plan = Aggregate(Group(Bound(Join(Table(here), Table(there), (), ()), (), 1, 1), ()), (Measure("units"),))
    if same:
        assert answer(source, plan) == {(): (1,)}
    else:
        with pytest.raises(Unsupported, match="ids of these tables differ in type"):
            source.prepare(plan)
    source.close()


def test_what_the_data_lack_is_said() -> None:
    with pytest.raises(SourceError, match="no table visits"):
        compile_plan(BY_CITY, {}, DUCKDB)
    with pytest.raises(SourceError, match="column age of visits is not in the data"):
        text(BY_CITY, replace(SHELF, columns={"city": Stored("city", "text")}))
    with pytest.raises(SourceError, match="id column id of visits is not in the data"):
        text(BY_CITY, replace(SHELF, unit=None))


def roots(depth: int) -> Expression:
    found: Expression = Read("age")
    for _ in range(depth):
        found = Call("sqrt", (found,))
    return found


def test_what_would_grow_beyond_all_measure_is_refused_wherever_it_stands() -> None:
    wide = (("age", "age"),)
    rooted = Project(Table(VISITS), (("age", roots(20)),))
    deep: list[Rows] = [
        Join(Project(Table(VISITS), (("city", Read("city")),)), rooted, (), wide),
        Fold(rooted, (), (("n", Folded("rows")),)),
        Project(Table(VISITS), (("age", roots(20)),)),
        Filter(Table(VISITS), Call(">", (roots(20), Constant(1, "integer")))),
        Union((Project(Table(VISITS), (("age", Read("pay")),)), Project(Table(VISITS), (("age", roots(20)),)))),
    ]
    for rows in deep:
        with pytest.raises(Unsupported, match="too deeply: ask for its parts"):
            text(Aggregate(Group(Bound(rows, (), 1, 1)), (Measure("rows"),)))
    assert text(Aggregate(Group(Bound(Project(Table(VISITS), (("age", roots(5)),)), ("age",), 1, 1), None), (Measure("rows"),)))


MEDIAN = Pick("quantiles", "age", Snap(Fraction(1), 0, 100), at=(Fraction(1, 2),))


def test_what_is_not_added_up_has_a_statement_of_its_own() -> None:
    shelves = {"visits": SHELF}
    both = compile_plan(question("city", measures=(MEDIAN, Measure("rows"), Measure("distinct", "pay"))), shelves, DUCKDB)
    assert set(both.others) == {0, 2}
    assert both.main is not None
    assert "age" not in both.main.sql + both.others[2].sql
    assert "pay" not in both.main.sql + both.others[0].sql
    assert (both.main.wide, both.others[0].wide, both.others[2].wide) == ((False,), (False, False), (False,))


def test_combinations_need_no_sums() -> None:
    plan = question(domain=(), measures=(Cross((("age", 2**62),)),))
    compiled = compile_plan(plan, {"visits": SHELF}, DUCKDB)
    assert (compiled.main, set(compiled.others), compiled.others[0].wide, compiled.others[0].keys) == (None, {0}, (False, False), ())
    assert "pay" not in compiled.others[0].sql
    assert " OVER (PARTITION BY " in compiled.others[0].sql
    alone = question(domain=(), schema=replace(VISITS, unit="row"), caps=(1, 1), measures=(Cross((("age", 2**62),)),))
    assert " OVER (PARTITION BY " not in compile_plan(alone, {"visits": SHELF}, DUCKDB).others[0].sql


def test_groups_that_nobody_listed_come_from_the_sums_also_where_nothing_is_summed() -> None:
    listed = question("city", domain=(("a", "b"),), measures=(MEDIAN,))
    assert compile_plan(listed, {"visits": SHELF}, DUCKDB).main is None
    free = compile_plan(question("city", measures=(MEDIAN,)), {"visits": SHELF}, DUCKDB)
    assert free.main is not None
    assert free.main.wide == (False,)


def test_a_plan_is_compiled_once() -> None:
    compiled = compiling({"visits": SHELF}, DUCKDB)
    assert compiled(BY_CITY) is compiled(replace(BY_CITY))
    assert compiled(BY_CITY) == compile_plan(BY_CITY, {"visits": SHELF}, DUCKDB)


def test_who_asks_from_too_deep_a_place_hears_so() -> None:
    rows: Expression = Read("age")
    for _ in range(90):
        rows = Call("negate", (rows,))
    plan = Aggregate(Group(Bound(Project(Table(VISITS), (("x", rows),)), ("x",), 1, 1), None), (Measure("rows"),))
    compiled = compiling({"visits": SHELF}, DUCKDB)

    def below(frames: int) -> object:
        return below(frames - 1) if frames else compiled(plan)

    hash(plan)
    with pytest.raises(Unsupported, match="nested too deeply: ask for its parts"):
        below(sys.getrecursionlimit() - 350)
    assert below(0)
