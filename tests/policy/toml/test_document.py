from __future__ import annotations

import re
from dataclasses import replace
from datetime import date, datetime
from fractions import Fraction

import pytest

from hedgerow.policy import Policy, parse_policy, write_policy
from hedgerow.policy.diff import list_loosenings, list_tightenings
from hedgerow.policy.toml.document import read_document
from policy.helpers_page import CLINIC, SMALL, edited, line, mistakes, policy

F = Fraction
TABLE = '[tables.{0}]\nsource = "{0}.csv"\nunit = "row"\nneighbours = "add-remove"\n'


def test_documented_defaults() -> None:
    read = parse_policy(SMALL)
    assert (read.engine, read.ledger) == ("duckdb", "small.ledger")
    budget = read.budget("people")
    assert (budget.delta, budget.default_delta, budget.noise) == (None, None, "laplace")
    assert (budget.default_epsilon, budget.max_epsilon_per_query) == (F(1, 10), 1)
    (table,) = read.tables
    assert (table.source, table.population, table.version, table.public) == (
        "t.csv",
        "people",
        "1",
        False,
    )
    assert (table.max_units, table.max_rows, table.max_groups, table.max_rows_per_group) == (
        None,
        None,
        1,
        1,
    )


def test_defaults_follow_what_is_stated() -> None:
    tiny = parse_policy(SMALL.replace("epsilon = 1", "epsilon = 0.05")).budget("people")
    assert (tiny.default_epsilon, tiny.max_epsilon_per_query) == (F(1, 20), F(1, 20))
    capped = parse_policy(
        SMALL.replace("epsilon = 1", "epsilon = 1\nmax_epsilon_per_query = 0.05")
    ).budget("people")
    assert capped.default_epsilon == F(1, 20)
    delta = parse_policy(
        SMALL.replace("epsilon = 1", "epsilon = 1\ndelta = 1e-9") + "max_rows = 1000"
    ).budget("people")
    assert delta.default_delta == F(1, 10**12)


@pytest.mark.parametrize("bound", ["max_rows", "max_units"])
def test_with_row_units_max_units_and_max_rows_are_the_same(bound: str) -> None:
    (table,) = parse_policy(SMALL + f"{bound} = 7").tables
    assert (table.max_units, table.max_rows) == (7, 7)


def test_the_budget_without_a_name_is_that_of_the_population_without_one() -> None:
    staff = TABLE.format("staff") + 'population = "staff"\n[budgets.staff]\nepsilon = 2\n'
    assert {rule.population: rule.epsilon for rule in parse_policy(staff + CLINIC).budgets} == {
        "patients": 3,
        "staff": 2,
    }
    named = edited(("[budget]", "[budgets.patients]"))
    assert parse_policy(named) == policy()
    unused = parse_policy(named + "[budget]\nepsilon = 1\n")
    assert unused.warnings == (
        (
            "No table uses the budget of population 'people'. Remove it, or correct the"
            " population of a table."
        ),
    )


@pytest.mark.parametrize(
    ("changes", "where", "told"),
    [
        (
            [("delta   = 1e-9", "delta   = 1e-3")],
            "delta   = 1e-3",
            "delta must be below 1/max_units",
        ),
        (
            [("[budget]", "[budgets.patients]"), ("delta   = 1e-9", "delta   = 1e-3")],
            "delta   = 1e-3",
            "delta must be below 1/max_units",
        ),
        ([("delta   = 1e-9\n", "")], "default_delta ", "default_delta needs a delta"),
        ([("epsilon = 3.0", "epsilon = -3.0")], "epsilon = -3.0", "epsilon must be above 0"),
        ([("epsilon = 3.0", "epsilon = 1e9")], "epsilon = 1e9", "epsilon must lie between"),
        (
            [("[budget]", "[budgets.patients]"), ("epsilon = 3.0", 'epsilon = "3"')],
            'epsilon = "3"',
            "epsilon must be a number",
        ),
        (
            [("default_epsilon = 0.1", "default_epsilon = 1.5")],
            "default_epsilon",
            "at most max_epsilon_per_query",
        ),
        ([('name   = "clinic"', 'name   = "a/b"')], 'name   = "a/b"', "it names a file"),
        (
            [('engine = "duckdb"', 'engine = "sc://host:15002"')],
            "engine",
            "engine must use TLS",
        ),
        (
            [('source = "regions.csv"', 'source = "s3://x/regions.csv"')],
            "s3:",
            "addresses and patterns are not allowed",
        ),
        (
            [('source = "regions.csv"', 'source = "regions*.csv"')],
            "regions*",
            "addresses and patterns are not allowed",
        ),
        (
            [('source = "regions.csv"', 'source = "regions.xlsx"')],
            "xlsx",
            "must be a .csv or .parquet file",
        ),
        ([('source = "regions.csv"\n', "")], "[tables.regions]", "source is missing"),
        (
            [('"patient_id"', '"order_id -> orders.order_id, orders.customer_id"')],
            "unit       =",
            "there is no table 'orders'",
        ),
        ([('"patient_id"', '"order_id -> orders"')], "unit       =", "must look like"),
        (
            [("max_units  = 2_000_000", "max_units  = 2.5")],
            "max_units",
            "max_units must be a whole number",
        ),
        (
            [('version    = "2026-11"', "version    = 2026.11")],
            "version",
            "version must be text in quotes; got 2026.11",
        ),
        (
            [("max = 110", "max = 110, nullable = true")],
            "age ",
            "'nullable' is not a key of this table",
        ),
        (
            [("public = true", "public = true\nmax_groups = 2")],
            "max_groups = 2",
            "a public table protects nobody",
        ),
        (
            [('column = "month"', 'column = "age"')],
            'column = "age"',
            "a partition needs a column with declared values",
        ),
        (
            [("max_parts_per_unit = 12\n", "")],
            "[tables.visits.partition]",
            "max_parts_per_unit is missing",
        ),
        (
            [('"2026-01 … 2026-12"', '"January … December"')],
            "month  =",
            "must run between two days",
        ),
        (
            [('values = "2026-01 … 2026-12"', "min = 2026-01-01")],
            "month  =",
            'values = "2026-01-01 … 2026-12-31"',
        ),
        ([("[analysts.ana]", "[analysts]\nbob = 3\n[analysts.ana]")], "bob", "bob must be a table"),
        (
            [("[analysts.ana]", "[analysts.custodian]")],
            "[analysts.custodian]",
            "'custodian' is the name of queries without an analyst",
        ),
    ],
)
def test_each_mistake_is_reported_once_at_its_line(
    changes: list[tuple[str, str]], where: str, told: str
) -> None:
    text = edited(*changes)
    ((number, says),) = mistakes(text)
    assert number == line(where, text)
    assert told in says


@pytest.mark.parametrize(
    ("written", "keys"),
    [
        ('"code"', (("code",),)),
        ('["region_id"]', (("region_id",),)),
        ('["year", "region"]', (("year", "region"),)),
        ('[["code"], ["year", "region"]]', (("code",), ("year", "region"))),
    ],
)
def test_keys_of_public_tables(written: str, keys: tuple[tuple[str, ...], ...]) -> None:
    read = policy(("public = true", f"public = true\nunique = {written}"))
    assert read.tables[1].unique == keys
    assert parse_policy(write_policy(read)).tables == read.tables
    assert Policy.from_canonical(read.canonical()) == read


@pytest.mark.parametrize(
    "written", ["3", "[]", "[[]]", '[["a"], "b"]', '[["a"], []]', '""', '["a", 2]', "true"]
)
def test_malformed_unique_keys_are_refused(written: str) -> None:
    text = edited(("public = true", f"public = true\nunique = {written}"))
    ((number, says),) = mistakes(text)
    assert (number, says.startswith("unique must be a column, or a list such as")) == (
        line("unique =", text),
        True,
    )


def test_quoted_values_of_a_csv_file_may_hold_line_breaks() -> None:
    read = policy(("public = true", "public = true\nmultiline = true"))
    assert [table.multiline for table in read.tables] == [False, True]
    assert parse_policy(write_policy(read)).tables == read.tables
    assert Policy.from_canonical(read.canonical()) == read
    assert policy(("public = true", "public = true\nmultiline = false")) == policy()
    text = edited(("max_rows_per_group = 5", "max_rows_per_group = 5\nmultiline = true"))
    assert mistakes(text) == [
        (line("multiline", text), "multiline is only allowed for .csv files: remove it")
    ]


@pytest.mark.parametrize(
    ("written", "found"),
    [
        ("2026-11-30", date(2026, 11, 30)),
        ("2026-11-30T12:00:00", datetime(2026, 11, 30, 12)),
        ("'2026-11-30'", date(2026, 11, 30)),
    ],
)
def test_the_present_of_a_table_may_be_declared(written: str, found: date) -> None:
    read = policy(("max_rows_per_group = 5", f"max_rows_per_group = 5\nas_of = {written}"))
    assert [table.as_of for table in read.tables] == [found, None]
    assert parse_policy(write_policy(read)).tables == read.tables
    back = Policy.from_canonical(read.canonical())
    assert back == read
    assert sorted(type(table.as_of).__name__ for table in back.tables) == sorted(
        ("NoneType", type(found).__name__)
    )
    assert list_loosenings(policy(), read) == ()
    assert list_tightenings(policy(), read) == (
        f"table 'visits': as_of changes from none to {found}.",
    )


def test_the_present_has_no_zone() -> None:
    text = edited(
        ("max_rows_per_group = 5", "max_rows_per_group = 5\nas_of = 2026-11-30T12:00:00Z")
    )
    ((_, told),) = mistakes(text)
    assert told.startswith("as_of must be a date or a time without a zone")


def test_bounds_may_be_left_to_be_found() -> None:
    read = policy(("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = true"))
    assert [table.auto_bounds for table in read.tables] == [True, False]
    assert "auto_bounds" in write_policy(read)
    assert parse_policy(write_policy(read)).tables == read.tables
    assert Policy.from_canonical(read.canonical()) == read
    assert (
        policy(("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = false"))
        == policy()
    )
    text = edited(("max_rows_per_group = 5", 'max_rows_per_group = 5\nauto_bounds = "yes"'))
    assert mistakes(text) == [
        (line("auto_bounds", text), "auto_bounds must be true or false; got 'yes'")
    ]


def test_caps_may_be_missing_or_left_to_be_found() -> None:
    read = policy(("max_groups = 3", 'max_groups = "auto"'), ("max_rows_per_group = 5", ""))
    visits = read.tables[0]
    assert [visits.cap(key) for key in ("max_groups", "max_rows_per_group")] == ["auto", None]
    assert replace(visits, auto_bounds=True).cap("max_rows_per_group") == "auto"
    assert 'max_groups = "auto"' in re.sub(" +", " ", write_policy(read))
    assert parse_policy(write_policy(read)).tables == read.tables
    assert Policy.from_canonical(read.canonical()) == read
    text = edited(("max_groups = 3", 'max_groups = "some"'))
    assert [where for where, _ in mistakes(text)] == [line("max_groups", text)]


def test_several_populations_in_one_policy() -> None:
    staff = (
        TABLE.format("shifts")
        + 'population = "staff"\n[budgets.staff]\nepsilon = 2\n[budgets.visitors]\nepsilon = 4\n'
    )
    read = parse_policy(CLINIC + staff + TABLE.format("gate") + 'population = "visitors"\n')
    assert {rule.population: rule.epsilon for rule in read.budgets} == {
        "patients": 3,
        "staff": 2,
        "visitors": 4,
    }
    assert [table.population for table in read.tables] == ["patients", None, "staff", "visitors"]
    assert parse_policy(write_policy(read)) == read == Policy.from_canonical(read.canonical())


def test_two_populations_need_two_budgets() -> None:
    text = CLINIC + TABLE.format("staff")
    assert mistakes(text) == [
        (
            line("[tables.staff]", text),
            "population 'people' has no budget: add [budgets.people] with its epsilon",
        )
    ]
    text = edited(
        ("[budget]", "[budgets.people]\nepsilon = 1\n[budgets.patients]\nepsilon = 1\n[budget]")
    )
    ((number, says),) = mistakes(text)
    assert number == line("[budget]", text)
    assert "[budget] applies to no population" in says


def test_a_policy_protects_somebody() -> None:
    text = (
        '[database]\nname = "a"\n[budget]\nepsilon = 1\n[tables.regions]\nsource ='
        ' "regions.csv"\npublic = true\n'
    )
    assert mistakes(text) == [
        (5, "no table is protected: add [tables.NAME] with source, unit and neighbours")
    ]


def test_values_in_place_of_tables_are_refused() -> None:
    found = mistakes("database = 1\nbudget = 2\ntables = 3\nanalysts = 4\n")
    assert [number for number, _ in found] == [1, 2, 3, 4]
    assert all("must be a table" in says for _, says in found)


def test_sources_of_frames_need_not_be_files() -> None:
    document = {"database": {"name": "a"}, "budget": {"epsilon": 1}}
    table = {"source": "frame", "unit": "row", "neighbours": "add-remove"}
    assert not read_document({**document, "tables": {"data": table}}, files=False)[1]
    assert len(read_document({**document, "tables": {"data": table}})[1]) == 1


def test_a_share_of_the_budget_may_measure_clipping() -> None:
    read = policy(("[budget]", "[budget]\nclipping_epsilon = 0.05"))
    assert read.budgets[0].clipping_epsilon == Fraction(1, 20)
    assert policy().budgets[0].clipping_epsilon is None
    assert "clipping_epsilon" not in policy().canonical()
    assert parse_policy(write_policy(read)).budgets == read.budgets
    assert Policy.from_canonical(read.canonical()) == read
    text = edited(("[budget]", "[budget]\nclipping_epsilon = 30"))
    ((where, message),) = mistakes(text)
    assert where == line("clipping_epsilon", text)
    assert message.startswith("clipping_epsilon must be above 0, and at most epsilon (3")
