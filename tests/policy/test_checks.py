from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest

from hedgerow.policy.checks import (
    check_analyst,
    check_budget,
    check_consistency,
    check_database,
    check_table,
    list_warnings,
)
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.records import AnalystRule, ColumnRule, PartitionRule, TableRule
from policy.helpers_page import policy

CLINIC = policy()
BUDGET = CLINIC.budgets[0]
VISITS, REGIONS = CLINIC.tables
ROWS = TableRule(
    "t",
    "t.csv",
    False,
    "row",
    "add-remove",
    "patients",
    max_units=9,
    max_rows=9,
    max_groups=1,
    max_rows_per_group=1,
)
F = Fraction


@pytest.mark.parametrize(
    ("name", "engine", "told"),
    [
        ("", "duckdb", "name may only contain letters"),
        ("a/b", "duckdb", "it names a file; got 'a/b'"),
        ("..", "duckdb", "name may only contain letters"),
        (
            "a",
            "sqlite",
            "'postgresql://…' or 'sc://…'; got 'sqlite'",
        ),
        ("a", "postgresql://host/x", "add ?sslmode=verify-full"),
        ("a", "spark://host:7077", "engine must be 'duckdb' or an address"),
        ("a", "sc://host:15002", "engine must use TLS"),
    ],
)
def test_the_database(name: str, engine: str, told: str) -> None:
    (mistake,) = check_database(name, engine)
    assert told in mistake.message
    assert not list(check_database("clinic-2026.v1", "duckdb", 1))


@pytest.mark.parametrize("count", [0, -1, True, "many"])
def test_failures_are_counted_in_whole_numbers(count: int) -> None:
    (mistake,) = check_database("clinic", "duckdb", count)
    assert mistake == Mistake(
        ("database", "max_failures"),
        f"max_failures must be a whole number of at least 1; got {count!r}",
    )


@pytest.mark.parametrize(
    ("changed", "key", "told"),
    [
        (
            {"epsilon": F(0), "max_epsilon_per_query": F(0), "default_epsilon": F(0)},
            "epsilon",
            "epsilon must be above 0",
        ),
        ({"default_epsilon": F(-1)}, "default_epsilon", "must be above 0"),
        ({"delta": F(1)}, "delta", "above 0 and below 1; got 1"),
        ({"default_delta": F(0)}, "default_delta", "above 0 and below 1"),
        ({"max_epsilon_per_query": F(4)}, "max_epsilon_per_query", "must be at most epsilon (3)"),
        ({"default_epsilon": F(2)}, "default_epsilon", "must be at most max_epsilon_per_query (1)"),
        ({"delta": None}, "default_delta", "needs a delta in the budget"),
        ({"default_delta": None}, "delta", "delta needs a default_delta"),
        ({"default_delta": BUDGET.delta}, "default_delta", "must be below delta (1e-09)"),
        ({"noise": "uniform"}, "noise", "must be 'laplace', 'gaussian' or 'best'"),
        ({"noise": "gaussian", "delta": None, "default_delta": None}, "noise", "needs a delta"),
        ({"population": ""}, None, "the name of a population"),
    ],
)
def test_a_budget(changed: dict[str, object], key: str | None, told: str) -> None:
    found = list(check_budget(replace(BUDGET, **changed), ("b",)))  # type: ignore[arg-type]
    assert found[0].path == (("b",) if key is None else ("b", key))
    assert told in found[0].message


def test_sound_budgets_pass() -> None:
    assert not list(check_budget(BUDGET, ()))
    assert not list(check_budget(replace(BUDGET, noise="gaussian"), ()))
    assert not list(check_budget(replace(BUDGET, delta=None, default_delta=None), ()))


def test_an_analyst() -> None:
    assert not list(check_analyst(AnalystRule("ana"), ("a",)))
    assert [mistake.path for mistake in check_analyst(AnalystRule("", F(0)), ("a",))] == [
        ("a",),
        ("a", "max_epsilon"),
    ]


@pytest.mark.parametrize(
    ("rule", "key", "told"),
    [
        (replace(VISITS, name="two words"), None, "a table name may only contain letters"),
        (replace(VISITS, name="Hedgerow"), None, "reserved for the system tables"),
        (replace(VISITS, version=" "), "version", "the name of a version"),
        (replace(VISITS, max_rows=0), "max_rows", "whole number of at least 1; got 0"),
        (replace(VISITS, max_groups=True), "max_groups", "whole number of at least 1; got True"),
        (replace(VISITS, unit=None), "unit", "unit is missing"),
        (replace(VISITS, neighbours=None), "neighbours", "neighbours is missing"),
        (
            replace(VISITS, neighbours="both"),
            "neighbours",
            "must be 'add-remove' or 'change-one'; got 'both'",
        ),  # type: ignore[arg-type]
        (replace(VISITS, population=None), "population", "population is missing"),
        (replace(VISITS, population=" x"), "population", "the name of a population"),
        (replace(VISITS, max_units=None), "max_units", "max_units is missing"),
        (
            replace(VISITS, max_units="auto"),  # type: ignore[arg-type]
            "max_units",
            "at least 1; got 'auto'",
        ),
        (
            replace(VISITS, max_groups="some"),  # type: ignore[arg-type]
            "max_groups",
            "at least 1; got 'some'",
        ),
        (replace(ROWS, max_groups="auto"), "max_groups", "a row is in one group, once"),
        (replace(REGIONS, max_groups="auto"), "max_groups", "remove max_groups"),
        (replace(ROWS, max_groups=2), "max_groups", "a row is in one group, once"),
        (replace(ROWS, max_rows_per_group=5), "max_rows_per_group", "a row is in one group, once"),
        (replace(REGIONS, unit="row"), "unit", "a public table protects nobody: remove unit"),
        (replace(REGIONS, partition=PartitionRule("x", 1)), "partition", "remove partition"),
        (replace(VISITS, auto_bounds=True, max_units=None), "max_units", "max_units is missing"),
        (
            replace(REGIONS, auto_bounds=True),
            "auto_bounds",
            "the bounds of public columns are known: remove auto_bounds",
        ),
        (
            replace(VISITS, multiline=True),
            "multiline",
            "multiline is only allowed for .csv files: remove it",
        ),
        (
            replace(VISITS, unique=(("age",),)),
            "unique",
            "unique is only allowed for public tables",
        ),
        (
            replace(REGIONS, unique=(("a", "A"),)),
            "unique",
            "unique must name each column of a key once; got a, A",
        ),
        (
            replace(REGIONS, columns=(ColumnRule("a", hidden=True),), unique=(("A",),)),
            "unique",
            "the column 'A' is hidden and cannot be in a key",
        ),
    ],
)
def test_a_table(rule: TableRule, key: str | None, told: str) -> None:
    (mistake,) = check_table(rule, ("t",))
    assert mistake.path == (("t",) if key is None else ("t", key))
    assert told in mistake.message


def test_sound_tables_pass() -> None:
    rows = replace(ROWS, columns=VISITS.columns, partition=PartitionRule("month", 1))
    for rule in (
        VISITS,
        REGIONS,
        ROWS,
        rows,
        replace(REGIONS, unique=(("a", "b"), ("a",))),
        replace(VISITS, auto_bounds=True, max_groups=None, max_rows_per_group=None),
        replace(VISITS, source="visits.CSV", multiline=True),
    ):
        assert not list(check_table(rule, ()))


def test_columns_of_a_table_have_one_name_each_and_are_checked() -> None:
    rule = replace(ROWS, columns=(ColumnRule("a", "text"), ColumnRule("A", "what")))
    assert [mistake.path for mistake in check_table(rule, ("t",))] == [
        ("t", "columns", "A"),
        ("t", "columns", "A", "type"),
    ]


@pytest.mark.parametrize(
    ("rule", "key", "told"),
    [
        (
            replace(VISITS, partition=PartitionRule("weight", 1)),
            "column",
            "declare those of 'weight'",
        ),
        (replace(VISITS, partition=PartitionRule("age", 1)), "column", "declare those of 'age'"),
        (
            replace(VISITS, partition=PartitionRule("month", 13)),
            "max_parts_per_unit",
            "at most the number of parts (12)",
        ),
        (
            replace(ROWS, columns=VISITS.columns, partition=PartitionRule("month", 2)),
            "max_parts_per_unit",
            "a row is in one part",
        ),
        (
            replace(VISITS, partition=PartitionRule("month", 0)),
            "max_parts_per_unit",
            "whole number of at least 1; got 0",
        ),
        (
            replace(
                VISITS,
                columns=(ColumnRule("x", "real", values=(F(1), F(2))),),
                partition=PartitionRule("x", 1),
            ),
            "column",
            "'x' is real",
        ),
    ],
)
def test_a_partition(rule: TableRule, key: str, told: str) -> None:
    (mistake,) = check_table(rule, ("t",))
    assert mistake.path == ("t", "partition", key)
    assert told in mistake.message


def together(*tables: TableRule, delta: Fraction | None = BUDGET.delta) -> list[Mistake]:
    return list(check_consistency((replace(BUDGET, delta=delta),), tables, ()))


def test_names_are_distinct_without_regard_to_case() -> None:
    tables = (VISITS, replace(VISITS, name="Visits"))
    found = list(
        check_consistency((BUDGET, BUDGET), tables, (AnalystRule("ana"), AnalystRule("Ana")))
    )
    assert [mistake.path for mistake in found] == [
        ("budgets", "patients"),
        ("tables", "Visits"),
        ("analysts", "Ana"),
    ]


def test_tables_of_one_population_agree_on_the_kind_of_unit_and_on_neighbours() -> None:
    other = replace(ROWS, name="other", neighbours="change-one")
    found = together(VISITS, other)
    assert [mistake.path for mistake in found] == [
        ("tables", "other", "unit"),
        ("tables", "other", "neighbours"),
    ]
    assert "'visits' has 'patient_id', this one 'row'" in found[0].message
    assert not together(VISITS, replace(VISITS, name="stays", source="stays.csv", unit="person"))


def test_every_population_has_a_budget() -> None:
    (mistake,) = together(
        VISITS, replace(VISITS, name="staff", source="staff.csv", population="staff")
    )
    assert mistake == Mistake(
        ("tables", "staff", "population"),
        "population 'staff' has no budget: add [budgets.staff] with its epsilon",
    )


def test_one_source_has_one_population_and_one_unit() -> None:
    budgets = (BUDGET, replace(BUDGET, population="staff"))
    moved = replace(VISITS, name="copy", population="staff")
    (mistake,) = check_consistency(budgets, (VISITS, moved), ())
    assert mistake == Mistake(
        ("tables", "copy", "source"),
        "'copy' and 'visits' have the same source, but they are in two populations: use one",
    )
    (mistake,) = together(VISITS, replace(REGIONS, source=VISITS.source))
    assert "one is public and one protected" in mistake.message
    (mistake,) = together(VISITS, replace(VISITS, name="copy", unit="doctor_id"))
    assert mistake.path == ("tables", "copy", "unit")
    assert not together(VISITS, replace(VISITS, name="copy"))


def test_delta_is_judged_by_the_largest_table_of_its_population() -> None:
    small = replace(VISITS, name="small", source="small.csv", max_units=10)
    (mistake,) = together(small, VISITS, delta=F(1, 2_000_000))
    assert mistake.path == ("budgets", "patients", "delta")
    assert "delta must be below 1/max_units (1/2000000)" in mistake.message
    assert "or set max_units to at most 1999999 if" in mistake.message
    assert not together(small, VISITS, delta=F(1, 2_000_001))


def test_rows_need_a_bound_where_there_is_a_delta() -> None:
    unbounded = replace(ROWS, max_units=None, max_rows=None)
    (mistake,) = together(unbounded)
    assert mistake.path == ("tables", "t", "max_rows")
    assert not together(unbounded, delta=None)


def test_suspicious_deltas_and_unused_budgets_are_warned_about() -> None:
    assert not list(list_warnings((replace(BUDGET, delta=F(1, 20_000_000)),), (VISITS,)))
    (warning,) = list_warnings((replace(BUDGET, delta=F(1, 10_000_000)),), (VISITS,))
    assert warning == (
        "The delta of population 'patients' (1e-07) is large for 2000000 units: use one below"
        " 1/(10 max_units), here 5e-08."
    )
    assert list(list_warnings((BUDGET,), (REGIONS,))) == [
        (
            "No table uses the budget of population 'patients'. Remove it, or correct the"
            " population of a table."
        )
    ]
