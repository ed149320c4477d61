from __future__ import annotations

from sqlglot import exp

from hedgerow.engines.compile.compiled_relation import (
    UNIT_COLUMN,
    alias_partner,
    build_same_unit,
    merge_names,
    select_numbered,
)
from hedgerow.engines.compile.sql_builders import column, integer_literal

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
