from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

from hedgerow.engines.compile.sql_builders import column, order_by, select
from hedgerow.engines.compile.unit_windows import (
    build_place_limit,
    build_unit_partition,
    keep_first,
)
from hedgerow.engines.duckdb.dialect import DUCKDB


def rows(unit: str) -> exp.Select:
    values = f"(VALUES ({unit}, 3), ({unit}, 1), ({unit}, 2), (NULL, 9)) t(u, v)"
    table = exp.maybe_parse(f"SELECT * FROM {values}", dialect="duckdb").subquery("t")
    return select([("u", column("u")), ("v", column("v"))], table)


@pytest.mark.parametrize(("unit", "text_ids"), [("7", False), ("'a'", True)])
@pytest.mark.parametrize("limit", [1, 2, 2**70])
def test_the_first_rows_of_each_unit_are_kept(unit: str, text_ids: bool, limit: int) -> None:
    place = exp.Window(
        this=exp.RowNumber(),
        partition_by=build_unit_partition(DUCKDB, text_ids=text_ids),
        order=order_by([column("v")]),
    )
    kept = keep_first(rows(unit), place, limit, ["v"])
    assert [output.alias for output in kept.expressions] == ["v"]
    found = duckdb.sql(kept.sql("duckdb")).fetchall()
    assert sorted(value for (value,) in found) == [*range(1, min(limit, 3) + 1), 9]


def test_a_limit_beyond_64_bits_is_no_limit() -> None:
    assert str(2**62) in build_place_limit(2**80, "p").sql("duckdb")
