from __future__ import annotations

import duckdb
import pytest
from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import (
    UNIT_COLUMN,
    alias_partner,
    build_place_limit,
    build_same_unit,
    build_unit_partition,
    keep_first,
    merge_names,
    select_numbered,
)
from hedgerow.engines.compile.sql_builders import column, integer_literal, order_by, select
from hedgerow.engines.duckdb.dialect import DUCKDB

TABLE = exp.Table(this=exp.to_identifier("t", quoted=True))


def test_declared_names_do_not_appear_in_the_statement() -> None:
    outputs = {"a secret name": column("x"), "another": integer_literal(1)}
    found = select_numbered([(UNIT_COLUMN, column("id"))], outputs, TABLE.copy())
    assert [output.alias for output in found.query.expressions] == ["u", "c0", "c1"]
    assert found.columns == {"a secret name": column("c0"), "another": column("c1")}
    assert "secret" not in found.query.sql("duckdb")


def test_the_sides_of_a_join_are_compared_by_their_unit() -> None:
    rows = select_numbered([(UNIT_COLUMN, column("id"))], {}, TABLE.copy()).query
    joined = rows.copy().join(alias_partner(rows), on=build_same_unit())
    assert joined.sql("duckdb").endswith('AS "p" ON ("s"."u" = "p"."u")')


def test_names_are_merged_in_order_without_duplicates() -> None:
    assert merge_names(["b", "a"], ["a", "c", "b"]) == ["b", "a", "c"]


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


def test_a_limit_beyond_64_bits_is_omitted() -> None:
    assert str(2**62) in build_place_limit(2**80, "p").sql("duckdb")
