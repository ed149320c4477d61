"""Spark beside the reference: the same cells for every plan, before noise, however the rows lie in
the cluster; and what happens when something fails."""

from __future__ import annotations

import math
import random
import shutil
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis import strategies as st
from sqlglot import exp

from database.attacks.test_errors_carry_no_data import FORMS, outcome
from depth import many
from engines.helpers_engine_answers import answer, expected
from engines.helpers_plans import plans
from engines.helpers_worlds import worlds
from engines.spark.helpers_cluster import get_address
from engines.spark.helpers_neighbours import open_pair
from engines.spark.helpers_worlds import DEADLINE, ClusterRanks, open_tables, open_world
from hedgerow.engines.compile.dialect import Dialect
from hedgerow.engines.compile.sql_builders import (
    call_function,
    cast,
    cast_to_type,
    integer_literal,
)
from hedgerow.engines.spark import engine
from hedgerow.engines.spark.dialect import SPARK
from hedgerow.engines.spark.engine import Spark, SparkTable
from hedgerow.errors import InvalidArgument, SourceError, Unbounded, Unsupported
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate, Bound, Group, Table
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.plan.schema import Column, Schema

VISITS = Schema(
    "visits",
    (
        Column("region", "text"),
        Column("cost", "real", Fraction(-10), Fraction(10)),
        Column("big", "integer"),
    ),
    "id",
    max_units=1000,
)
ARROW = {"id": pa.string(), "region": pa.string(), "cost": pa.float64(), "big": pa.int64()}
Rows = Sequence[tuple[Any, ...]]


@pytest.mark.long
@given(data=st.data())
@settings(max_examples=many(5), phases=[Phase.generate], suppress_health_check=list(HealthCheck))
def test_the_cluster_gives_the_numbers_of_the_reference(
    tmp_path_factory: pytest.TempPathFactory, data: st.DataObject
) -> None:
    ranks: Any = ClusterRanks()
    world = data.draw(worlds())
    source = open_world(world, tmp_path_factory.mktemp("world"))
    try:
        plan = data.draw(plans(world).filter(lambda plan: is_supported(source, plan)))
        assert answer(source, plan) == expected(world, plan, ranks)
    finally:
        source.close()


def is_supported(source: Spark, plan: Aggregate) -> bool:
    try:
        source.prepare(plan)
    except Unsupported:
        return False
    return True


def sum_by_region(
    *measures: Measure | OrderStatistic, max_rows: int = 1, max_groups: int = 1
) -> Aggregate:
    bound = Bound(Table(VISITS), ("region",), max_groups, max_rows)
    return Aggregate(Group(bound, None), measures)


UNITS = Measure("units")
COST = Measure("total", "cost", ClampedGrid(Fraction(1), -10, 10))
WIDE = Measure("total", "big", ClampedGrid(Fraction(1), -(2**53), 2**53))
MEDIAN = OrderStatistic(
    "quantiles", "cost", ClampedGrid(Fraction(1), -10, 10), quantiles=(Fraction(1, 2),)
)


def make_visits(rows: Rows, **types: pa.DataType) -> pa.Table:
    columns = zip(*rows, strict=True)
    arrays = [
        pa.array(values, type_, from_pandas=False)
        for values, type_ in zip(columns, {**ARROW, **types}.values(), strict=True)
    ]
    return pa.table(arrays, list(ARROW))


def run(table: pa.Table, plan: Aggregate, folder: Path, *, files: int = 1) -> Any:
    source = open_tables({"visits": (table, VISITS)}, folder, files=files)
    try:
        cells = source.run(plan)
        return list(
            zip(*cells.keys, *(map(_plain, column) for column in cells.numbers), strict=True)
        )
    finally:
        source.close()


def _plain(number: Any) -> Any:
    return number.tolist() if hasattr(number, "tolist") else number


def half_even() -> Dialect:
    return replace(
        SPARK,
        functions=SPARK.functions | {"bround"},
        round_bounded=lambda value: cast_to_type(call_function("bround", value), "integer"),
    )


def float_sums() -> Dialect:
    return replace(SPARK, wide_integer="DOUBLE", widen_summand=lambda value: cast(value, "DOUBLE"))


def narrow_sums() -> Dialect:
    return replace(SPARK, widen_summand=lambda value: value)


def no_clamp() -> Dialect:
    def drop(node: exp.Expr) -> exp.Expr:
        tests = [one.this.unnest() for one in node.args.get("ifs", [])]
        is_clamp = isinstance(node, exp.Case) and list(map(type, tests)) == [exp.LT, exp.GT]
        return node.args["default"] if is_clamp else node

    return replace(SPARK, rewrite=lambda tree: SPARK.rewrite(tree).transform(drop))


def raising_cast() -> Dialect:
    return replace(
        SPARK,
        total_cast=lambda value, _, to, __: cast_to_type(value, to),
        round_real=SPARK.round_bounded,
    )


def no_tie_break() -> Dialect:
    """Groups are kept in the order in which rows come, where their ranks are equal."""

    def cut(node: exp.Expr) -> exp.Expr:
        if isinstance(node, exp.Window) and node.args.get("order"):
            node.args["order"].set("expressions", node.args["order"].expressions[:1])
        return node

    return replace(
        SPARK,
        build_rank=lambda _: integer_literal(1),
        rewrite=lambda tree: SPARK.rewrite(tree).transform(cut),
    )


MISTAKES: list[tuple[Callable[[], Dialect], pa.Table, Aggregate]] = [
    (half_even, make_visits([("a", "x", 2.5, 0)]), sum_by_region(COST)),
    (
        float_sums,
        make_visits([("a", "x", 1.0, 2**53), ("b", "x", 1.0, 1), ("c", "x", 1.0, 1)]),
        sum_by_region(WIDE),
    ),
    (
        narrow_sums,
        make_visits([("a", "x", 1.0, 2**53)] * 1100),
        sum_by_region(WIDE),
    ),
    (no_clamp, make_visits([("a", "x", 1e9, 0)]), sum_by_region(COST)),
    (
        raising_cast,
        make_visits([("a", "x", 1.0, 1e300), ("b", "x", 1.0, math.nan)], big=pa.float64()),
        sum_by_region(UNITS, WIDE),
    ),
    (
        no_tie_break,
        make_visits([("a", name, 1.0, 0) for name in "zyxw"]),
        sum_by_region(UNITS, max_groups=2),
    ),
]


@pytest.mark.long
@pytest.mark.parametrize(
    ("mistake", "table", "plan"), MISTAKES, ids=[one[0].__name__ for one in MISTAKES]
)
def test_planted_mistakes_change_the_cells(
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    mistake: Callable[[], Dialect],
    table: pa.Table,
    plan: Aggregate,
) -> None:
    right = run(table, plan, tmp_path)
    monkeypatch.setattr(engine, "SPARK", mistake())
    try:
        wrong = run(table, plan, tmp_path)
    except SourceError:
        wrong = None
    assert wrong != right


@pytest.mark.long
def test_cells_do_not_depend_on_the_place_or_order_of_rows(tmp_path: Path) -> None:
    rows = [(f"u{i % 40}", f"r{i % 7}", (i % 45) / 2 - 10, i * 2**44) for i in range(300)]
    plan = sum_by_region(UNITS, COST, WIDE, MEDIAN, max_groups=2, max_rows=3)
    found = [run(make_visits(rows), plan, tmp_path)]
    for files in (7, 64):
        random.Random(files).shuffle(rows)
        found.append(run(make_visits(rows), plan, tmp_path, files=files))
    assert found[0] == found[1] == found[2]
    assert len(found[0]) == 7


EXPRESSIONS = (
    "i + 1",
    "k * k",
    "CAST(r AS BIGINT)",
    "1 / (i - 9223372036854775807)",
    "-i",
    "t || d",
)


@pytest.mark.long
def test_outcomes_do_not_distinguish_neighbouring_data_sets(tmp_path: Path) -> None:
    statuses = Counter[object]()
    with open_pair(tmp_path) as (calm, poisoned):
        for place, expression in enumerate(EXPRESSIONS):
            sql = FORMS[place % 3].replace("{}", expression)
            one, other = outcome(calm, sql), outcome(poisoned, sql)
            assert one == other, sql
            statuses[one[0]] += 1
    assert statuses["answered"] >= 3
    assert statuses.keys() <= {"answered", "exact", Unsupported, Unbounded}


@pytest.fixture
def visits(tmp_path: Path) -> Any:
    source = open_tables({"visits": (make_visits([("a", "x", 1.0, 2)]), VISITS)}, tmp_path)
    yield source, next(tmp_path.iterdir())
    source.close()


def test_a_failure_says_nothing_of_the_data_and_the_next_question_is_answered(
    visits: tuple[Spark, Path], tmp_path: Path, capfd: pytest.CaptureFixture[str]
) -> None:
    source, folder = visits
    plan = sum_by_region(UNITS)
    moved = folder.rename(tmp_path / "moved")
    with pytest.raises(SourceError) as failure:
        source.run(plan)
    assert "charged" in str(failure.value)
    assert failure.value.__context__ is failure.value.__cause__ is None
    assert capfd.readouterr() == ("", "")
    moved.rename(folder)
    assert answer(source, plan) == {("x",): (1,)}
    shutil.rmtree(folder)


def test_counts_that_could_not_be_collected_are_refused_before_the_charge(
    visits: tuple[Spark, Path],
) -> None:
    source, _ = visits
    source.prepare(sum_by_region(MEDIAN))
    endless = Bound(Table(replace(VISITS, max_units=None)), (), 1, 1)
    with pytest.raises(Unsupported, match="Declare max_units"):
        source.prepare(Aggregate(Group(endless, ()), (MEDIAN,)))


def test_only_registered_tables_have_a_schema(visits: tuple[Spark, Path]) -> None:
    source, _ = visits
    assert [column.name for column in source.schema("visits")] == list(ARROW)
    with pytest.raises(InvalidArgument, match="registered table"):
        source.schema("default.secret")
    source.deadline = 7.0
    source.restart_if_dead()
    assert source.deadline == 7.0


def test_a_column_that_is_missing_is_refused(tmp_path: Path) -> None:
    table = make_visits([("a", "x", 1.0, 2)]).drop_columns(["cost"])
    with pytest.raises(SourceError, match="no column cost"):
        open_tables({"visits": (table, VISITS)}, tmp_path)
    with pytest.raises(SourceError, match="cannot read parquet:/nowhere"):
        Spark(
            get_address(),
            {"visits": SparkTable(("parquet", "/nowhere"), VISITS)},
            deadline=DEADLINE,
        )
