"""The closed world: what has no rule is refused, whatever it is called."""

from __future__ import annotations

from dataclasses import replace

import duckdb
import pytest
from sqlglot import exp

from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range
from hedgerow.policy import parse_policy
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
from sql.fixtures import CATALOG, LABS, VISITS, ask
from sql.fixtures import REGIONS as PUBLIC

FINDING = Catalog(
    {
        name: entry if entry.schema.unit is None else replace(entry, auto_bounds=True)
        for name, entry in CATALOG.tables.items()
    }
)
POLICY = """\
[database]
name = "clinic"
[budget]
epsilon = 1.0
[tables.visits]
source = "visits.csv"
unit = "patient_id"
neighbours = "add-remove"
max_units = 1000
max_groups = 1
max_rows_per_group = 1
[tables.visits.columns]
"""
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
    """Every function that the engine knows is asked for; only those that the rules read are."""
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
    }


def test_nesting_and_size_have_limits() -> None:
    assert ask("SELECT SUM(" + "+".join(["age"] * 90) + ") FROM visits").aggregates
    with pytest.raises(Unsupported, match="nested more than 100 deep"):
        ask("SELECT SUM(" + "+".join(["age"] * 110) + ") FROM visits")
    doubling = "(" * 20 + "age BETWEEN 1 AND 2" + ") BETWEEN TRUE AND TRUE" * 20
    with pytest.raises(Unsupported, match=f"more than {MAX_EXPRESSION_SIZE} parts"):
        ask(f"SELECT COUNT(*) FROM visits WHERE {doubling}")


def test_the_missing_lines_of_the_policy_are_written_out() -> None:
    with pytest.raises(Refused) as caught:
        ask("SELECT SUM(weight * visits_before + weight) FROM visits")
    assert (
        str(caught.value).split("\n")[-1]
        == 'Declare them in the policy, under [tables.visits.columns]: weight = { type = "real",'
        ' min = …, max = … }; visits_before = { type = "integer", min = …, max = … }; or clamp'
        " in the question, to bounds of your choice: LEAST(GREATEST(weight, 0), 500); or write"
        " auto_bounds = true under [tables.visits]: they are then found privately, and paid for."
    )


def test_the_lines_for_days_and_for_names_with_blanks_can_be_copied_into_a_policy() -> None:
    odd = replace(VISITS, columns=(*VISITS.columns, Column("Größe (cm)", "integer")))
    catalog = Catalog({"visits": replace(CATALOG.tables["visits"], schema=odd)})
    with pytest.raises(Unbounded) as caught:
        parse_question('SELECT MEDIAN(day), SUM("Größe (cm)") FROM visits', catalog)
    line = 'day = { type = "date", values = "2026-01-01 … 2026-12-31" }'
    assert (
        str(caught.value).split("\n")[-1]
        == f"Declare them in the policy, under [tables.visits.columns]: {line}; or clamp in the"
        " question, to bounds of your choice: LEAST(GREATEST(day, DATE '2026-01-01'), DATE"
        " '2026-12-31')."
    )
    assert parse_policy(POLICY + line).table("visits").columns[0].values
    assert ask(
        "SELECT MEDIAN(LEAST(GREATEST(day, DATE '2026-01-01'), DATE '2026-12-31')) FROM visits"
    ).aggregates
    with pytest.raises(Unbounded) as caught:
        parse_question('SELECT SUM("Größe (cm)") FROM visits', catalog)
    assert '"Größe (cm)" = { type = "integer", min = …, max = … }; or clamp' in str(caught.value)
    assert parse_question(
        'SELECT SUM(LEAST(GREATEST("Größe (cm)", 0), 500)) FROM visits', catalog
    ).aggregates


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        ("SELECT MEDIAN(day) FROM visits", "2026-12-31')."),
        ("SELECT SUM(order_id) FROM orders", "max = … }."),
    ],
)
def test_days_and_what_says_whose_a_row_is_are_declared_or_nothing(sql: str, end: str) -> None:
    """Clamped to what a few have, strangers would be one."""
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


def test_where_one_column_must_be_declared_the_other_is_not_named() -> None:
    both = Catalog(
        {
            **FINDING.tables,
            "labs": TableEntry(
                replace(LABS, columns=(Column("patient_id", "integer"), Column("value", "real")))
            ),
        }
    )
    with pytest.raises(Unbounded, match=r"^value has no bounds") as caught:
        parse_question("SELECT SUM(weight * value) FROM visits JOIN labs USING (patient_id)", both)
    assert not isinstance(caught.value, UndeclaredBounds)


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
    ("inner", "told"),
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
        ("CASE WHEN smoker THEN patient_id ELSE 0 END", "or a subquery with GROUP BY on it."),
        (
            "CASE WHEN smoker THEN patient_id WHEN age > 3 THEN patient_id END",
            "or a subquery with GROUP BY on it.",
        ),
        ("CASE age WHEN 3 THEN patient_id END", "or a subquery with GROUP BY on it."),
        ("patient_id + 1", "or a subquery with GROUP BY on it."),
    ],
)
def test_people_under_a_condition_are_counted_by_a_filter(inner: str, told: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(DISTINCT {inner}) FROM visits")
    assert str(caught.value).endswith(told)
    assert ask(
        "SELECT COUNT(DISTINCT patient_id) FILTER (WHERE age > 60 AND smoker) FROM visits"
    ).aggregates


@pytest.mark.parametrize(
    ("sql", "end"),
    [
        ("SELECT AVG(city) FROM visits", "; else use COUNT(x)."),
        ("SELECT MAX(city) FROM visits", "; else use MODE(x), or COUNT(x)."),
        (
            (
                "SELECT AVG(LEAST(s, 5)) FROM (SELECT patient_id, SUM(city) AS s FROM visits GROUP"
                " BY patient_id)"
            ),
            "; else use COUNT(x).",
        ),
    ],
)
def test_text_that_may_be_numbers_is_declared_so(sql: str, end: str) -> None:
    """All columns of a .csv file are text where nothing is declared, and a newcomer has declared
    nothing.
    """
    with pytest.raises(Unsupported) as caught:
        ask(sql)
    line = 'city = { type = "real", min = …, max = … }'
    told = f"If city holds numbers, declare so in the policy, under [tables.visits.columns]: {line}"
    assert str(caught.value).endswith(told + end)


def test_values_that_spell_numbers_may_be_numbers_and_others_may_not() -> None:
    numbers = replace(
        PUBLIC, columns=(Column("region", "text"), Column("beds", "text", values=("10", "7.5")))
    )
    catalog = Catalog(
        {**CATALOG.tables, "regions": replace(CATALOG.tables["regions"], schema=numbers)}
    )
    with pytest.raises(Unsupported, match=r"under \[tables\.regions\.columns\]: beds = \{ type"):
        parse_question(
            "SELECT AVG(r.beds) FROM visits v JOIN regions r ON r.region = v.region", catalog
        )
    with pytest.raises(Unsupported, match=r"Use MODE\(x\), or COUNT\(x\)\."):
        ask("SELECT MAX(region) FROM visits")


@pytest.mark.parametrize(
    "condition", ["age = '50'", "Cost > '50'", "'50' < age", "YEAR(day) = '50'"]
)
def test_numbers_in_quotes_are_told_to_lose_them(condition: str) -> None:
    with pytest.raises(Unsupported) as caught:
        ask(f"SELECT COUNT(*) FROM visits WHERE {condition}")
    assert str(caught.value).endswith("Numbers take no quotes: write 50.")


@pytest.mark.parametrize("condition", ["smoker = 1", "smoker = 'yes'"])
def test_conditions_compare_with_true_and_false(condition: str) -> None:
    with pytest.raises(Unsupported, match=r"conditions with TRUE or FALSE\."):
        ask(f"SELECT COUNT(*) FROM visits WHERE {condition}")
    assert ask("SELECT COUNT(*) FROM visits WHERE smoker = TRUE").aggregates
