"""The closed world: a node without a rule is refused, whatever its name."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range
from hedgerow.sql.binder.row_expressions import (
    MAX_EXPRESSION_SIZE,
    RowBinder,
    build_type_range,
    find_functions,
)
from hedgerow.sql.binder.rule import Rule
from hedgerow.sql.catalog import Catalog, TableEntry, UndeclaredBounds
from hedgerow.sql.parser import parse_question
from hedgerow.sql.relations.table_scan import scan_table
from hedgerow.sql.rules import RULES, RULES_BY_NODE
from hedgerow.sql.syntax.source_text import tokenise
from sql.helpers_fixtures import CATALOG, LABS, ask

FINDING = Catalog(
    {
        name: entry if entry.schema.unit is None else replace(entry, auto_bounds=True)
        for name, entry in CATALOG.tables.items()
    }
)
READER = RowBinder(
    scan_table(tokenise("SELECT COUNT(*) FROM visits"), exp.table_("visits"), CATALOG)
)


def every(node: type[exp.Expr]) -> set[type[exp.Expr]]:
    return {node}.union(*(every(child) for child in node.__subclasses__()))


def test_no_node_has_two_rules() -> None:
    assert len(RULES_BY_NODE) == len(RULES)


def test_every_node_without_a_rule_is_refused() -> None:
    unknown = [
        node for node in every(exp.Expression) if not isinstance(RULES_BY_NODE.get(node), Rule)
    ]
    assert len(unknown) > 500
    for node in unknown:
        with pytest.raises(Unsupported):
            READER.bind(node())


def test_a_node_with_a_part_that_no_rule_looks_at_is_refused() -> None:
    for rule in RULES:
        if isinstance(rule, Rule):
            with pytest.raises(Unsupported):
                READER.bind(rule.node(made_up_part=exp.Null()))


@pytest.mark.long
@pytest.mark.parametrize("arguments", ["age", "city, 'a'", "'month', day", "age, Cost, 1"])
def test_no_function_of_the_engine_gets_through_by_its_name(arguments: str) -> None:
    """Every function of the engine is tried; only those with a rule are read."""
    with duckdb.connect() as own:
        known = own.execute("SELECT DISTINCT function_name FROM duckdb_functions()").fetchall()
    names = {name for (name,) in known if name.isidentifier()}
    assert len(names) > 500
    read = set()
    for name in names:
        try:
            ask(f"SELECT COUNT({name}({arguments})) FROM visits WHERE smoker")
        except Refused:
            continue
        read.add(name)
    assert read <= {
        *(
            "abs",
            "floor",
            "ceil",
            "ceiling",
            "round",
            "sqrt",
            "ln",
            "least",
            "greatest",
            "mod",
            "coalesce",
            "ifnull",
            "nullif",
        ),
        *("sign", "trunc", "power", "pow", "pi", "strlen", "contains", "ends_with"),
        *("prefix", "suffix", "decode"),
        *(
            "year",
            "quarter",
            "month",
            "day",
            "dayofmonth",
            "dayofweek",
            "dayofyear",
            "date_trunc",
            "datetrunc",
            "nvl",
            "if",
        ),
        *(
            "lower",
            "lcase",
            "upper",
            "ucase",
            "trim",
            "length",
            "len",
            "char_length",
            "character_length",
            "concat",
            "starts_with",
        ),
        *("left", "right", "substring", "substr", "datediff", "date_diff"),
        *("date_part", "datepart"),
        *("regexp_extract", "regexp_full_match", "regexp_matches"),
        *("position", "instr", "strpos"),
        *("log", "log10", "log2", "degrees", "radians"),
        *("ltrim", "rtrim", "replace", "split_part", "concat_ws"),
        *("dayname", "monthname", "week", "weekofyear", "isodow", "last_day", "epoch", "strftime"),
    }


def test_nesting_and_size_have_limits() -> None:
    assert ask("SELECT SUM(" + "+".join(["age"] * 90) + ") FROM visits").aggregates
    with pytest.raises(Unsupported, match="nested more than 100 levels deep"):
        ask("SELECT SUM(" + "+".join(["age"] * 110) + ") FROM visits")
    doubling = "(" * 20 + "age BETWEEN 1 AND 2" + ") BETWEEN TRUE AND TRUE" * 20
    with pytest.raises(Unsupported, match=f"more than {MAX_EXPRESSION_SIZE} parts"):
        ask(f"SELECT COUNT(*) FROM visits WHERE {doubling}")


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        ("SELECT MEDIAN(day) FROM visits", "2026-12-31')."),
        ("SELECT SUM(order_id) FROM orders", "max = … }."),
    ],
)
def test_bounds_of_dates_and_owner_keys_are_never_searched(sql: str, end: str) -> None:
    """Clamped owner keys would merge units."""
    for catalog in (CATALOG, FINDING):
        with pytest.raises(Unbounded) as caught:
            parse_question(sql, catalog)
        assert not isinstance(caught.value, UndeclaredBounds)
        assert str(caught.value).endswith(end)


@pytest.mark.parametrize(
    ("sql", "columns"),
    [
        (
            "SELECT SUM(weight * visits_before) FROM visits",
            [("visits", "weight"), ("visits", "visits_before")],
        ),
        ("SELECT AVG(v.Weight) FROM visits v WHERE visits_before > 3", [("visits", "weight")]),
        ("SELECT SUM(w) FROM (SELECT weight AS w, age FROM visits)", [("visits", "weight")]),
        (
            (
                "SELECT AVG(s) FROM (SELECT patient_id, SUM(weight) AS s FROM visits GROUP BY"
                " patient_id)"
            ),
            [("visits", "weight")],
        ),
    ],
)
def test_bounds_that_may_be_found_are_asked_for(sql: str, columns: list[tuple[str, str]]) -> None:
    with pytest.raises(UndeclaredBounds) as caught:
        parse_question(sql, FINDING)
    assert list(caught.value.columns) == columns
    with pytest.raises(Unbounded) as refused:
        parse_question(sql, CATALOG)
    assert not isinstance(refused.value, UndeclaredBounds)


def test_only_the_column_that_needs_a_declaration_is_named() -> None:
    both = Catalog(
        {
            **FINDING.tables,
            "labs": TableEntry(
                replace(LABS, columns=(Column("patient_id", "integer"), Column("value", "real")))
            ),
        }
    )
    with pytest.raises(Unbounded, match=r"^weight \* value needs bounds") as caught:
        parse_question("SELECT SUM(weight * value) FROM visits JOIN labs USING (patient_id)", both)
    assert not isinstance(caught.value, UndeclaredBounds)
    advice = str(caught.value).splitlines()[-1]
    assert 'value = { type = "real"' in advice
    assert "weight" not in advice


def test_results_have_types_and_no_bounds() -> None:
    assert build_type_range("text") == Range("text")
    assert build_type_range("integer", null=True).values == ()
    assert build_type_range("real").step is None


def test_functions_of_an_expression() -> None:
    assert find_functions(ColumnRef("x")) == set()
    assert find_functions(Call("+", (Call("ln", (ColumnRef("x"),)), Constant(1, "integer")))) == {
        "+",
        "ln",
    }


@pytest.mark.parametrize(
    ("inner", "expected"),
    [
        (
            "CASE WHEN age > 60 AND smoker THEN patient_id END",
            "Write COUNT(DISTINCT patient_id) FILTER (WHERE age > 60 AND smoker).",
        ),
        (
            "CASE WHEN smoker THEN patient_id ELSE NULL END",
            "Write COUNT(DISTINCT patient_id) FILTER (WHERE smoker).",
        ),
        ("IF(smoker, patient_id, NULL)", "Write COUNT(DISTINCT patient_id) FILTER (WHERE smoker)."),
        ("CASE WHEN smoker THEN patient_id ELSE 0 END", "or a subquery with GROUP BY patient_id."),
        (
            "CASE WHEN smoker THEN patient_id WHEN age > 3 THEN patient_id END",
            "or a subquery with GROUP BY patient_id.",
        ),
        ("CASE age WHEN 3 THEN patient_id END", "or a subquery with GROUP BY patient_id."),
        ("patient_id + 1", "or a subquery with GROUP BY patient_id."),
    ],
)
def test_people_under_a_condition_are_counted_by_a_filter(inner: str, expected: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(DISTINCT {inner}) FROM visits")
    assert str(caught.value).endswith(expected)
    assert ask(
        "SELECT COUNT(DISTINCT patient_id) FILTER (WHERE age > 60 AND smoker) FROM visits"
    ).aggregates


@pytest.mark.parametrize("condition", ["smoker = 2", "smoker = 'yes'"])
def test_conditions_compare_with_true_and_false(condition: str) -> None:
    with pytest.raises(Unsupported, match=r"conditions with TRUE or FALSE\."):
        ask(f"SELECT COUNT(*) FROM visits WHERE {condition}")
    assert ask("SELECT COUNT(*) FROM visits WHERE smoker = TRUE").aggregates
