from __future__ import annotations

import tomllib
from dataclasses import replace
from datetime import date, datetime, timedelta
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.plan.values import number_date
from hedgerow.policy import (
    AnalystRule,
    BudgetRule,
    ColumnRule,
    Policy,
    TableRule,
    parse_policy,
    write_policy,
)
from hedgerow.policy.toml.column_reader import compute_default_step
from policy.helpers_page import CLINIC, policy

F = Fraction


def test_a_page_reads_back_as_it_was_written() -> None:
    page = write_policy(policy())
    assert parse_policy(page) == policy()
    assert parse_policy(page).tables == policy().tables
    assert 'month  = { type = "date", values = "2026-01 … 2026-12" }' in page
    assert (
        "max_units          = 2_000_000         # public upper bounds, not counts of these data"
        in page
    )
    assert "\ndelta                 = 1e-9" in page


def test_every_population_finds_its_budget_again() -> None:
    one = policy()
    (budget,) = one.budgets
    unused = replace(budget, population="a b")
    for budgets in (
        (budget, unused),
        (unused, budget),
        (replace(budget, population="people"), budget),
    ):
        many = replace(one, budgets=budgets)
        assert parse_policy(write_policy(many)) == many


def test_frames_have_no_page() -> None:
    frame = Policy.for_frame(
        {"id": []},
        unit="id",
        max_groups=3,
        max_rows_per_group=1,
        neighbours="add-remove",
        columns={},
        epsilon=1,
    )
    for one in (frame, replace(frame, ledger="a.ledger"), replace(policy(), ledger=None)):
        with pytest.raises(InvalidArgument, match="of a frame in memory cannot be written"):
            write_policy(one)


def test_a_number_that_no_decimal_writes_is_not_rounded() -> None:
    one = policy()
    with pytest.raises(
        InvalidArgument, match="without an exact decimal form; round it; got '10/3'"
    ):
        write_policy(replace(one, budgets=(replace(one.budgets[0], epsilon=F(10, 3)),)))


words = st.text(
    st.characters(blacklist_categories=["Cs", "Cc", "Zl", "Zp", "Zs"]), min_size=1, max_size=6
).filter(lambda name: name.isprintable() and name == name.strip())
decimals = st.builds(lambda n, places: F(n, 10**places), st.integers(1, 10**6), st.integers(0, 12))


@st.composite
def columns(draw: st.DrawFn) -> ColumnRule:
    name = draw(words)
    kind = draw(
        st.sampled_from(["integer", "real", "text", "date", "boolean", "hidden", "timestamp"])
    )
    if kind == "timestamp":
        ends = sorted({number_date(draw(st.datetimes())), number_date(draw(st.datetimes()))})
        return ColumnRule(name, kind, *(map(F, ends) if len(ends) == 2 else ()))
    if kind == "hidden":
        return ColumnRule(name, hidden=True)
    if kind == "text" and draw(st.booleans()):
        return ColumnRule(name, kind, max_length=draw(st.integers(1, 2**31 - 1)))
    if kind in {"integer", "real"} and draw(st.booleans()):
        low = draw(st.integers(-(10**6), 10**6).map(F)) if kind == "integer" else draw(decimals)
        high = low + (draw(st.integers(1, 10**6)) if kind == "integer" else draw(decimals))
        usual = compute_default_step(kind, low, high)
        step = (
            draw(st.sampled_from([usual, high - low]))
            if usual and high / usual <= 2**60
            else high - low
        )  # far from zero, steps are large
        values = draw(st.sampled_from([None, (int(low),) if kind == "integer" else (low, high)]))
        return ColumnRule(name, kind, low, high, step, values)
    begin = draw(st.dates(date(1, 1, 1), date(9000, 1, 1)))
    values = draw(
        {
            "integer": (
                st.lists(st.integers(), min_size=1, unique=True) | st.just(list(range(5, 15)))
            ),
            "real": st.lists(decimals, min_size=1, unique=True),
            "text": st.lists(
                st.text(st.characters(blacklist_categories=["Cs"]), max_size=4),
                min_size=1,
                unique=True,
            ),
            "date": (
                st.lists(st.dates(), min_size=1, unique=True)
                | st.just(
                    [begin + timedelta(days=day) for day in range(0, 200, draw(st.integers(1, 40)))]
                )
            ),
            "boolean": st.sampled_from([[True], [False, True], [True, False]]),
        }[kind]
    )
    grain = draw(st.sampled_from(["day", "month", "year"])) if kind == "date" else "day"
    if grain != "day":
        values = list(
            dict.fromkeys(
                day.replace(day=1) if grain == "month" else day.replace(month=1, day=1)
                for day in values
            )
        )
    return ColumnRule(name, kind, values=tuple(values), grain=grain)


@st.composite
def policies(draw: st.DrawFn) -> Policy:
    epsilon = draw(decimals.filter(lambda number: F(1, 10**9) < number <= 10**4))
    delta = draw(st.none() | st.sampled_from([F(1, 10**12), F(3, 10**15)]))
    budget = BudgetRule(
        draw(words),
        epsilon,
        delta,
        epsilon / 2,
        None if delta is None else delta / 4,
        epsilon,
        "laplace",
    )
    unit = draw(st.sampled_from(["row", "person id"]))
    cap = 1 if unit == "row" else draw(st.integers(1, 10**6))
    found = draw(st.lists(columns(), max_size=4, unique_by=lambda column: column.name.casefold()))
    sized = draw(st.integers(1, 10**7))
    table = TableRule(
        "t",
        "t.csv",
        False,
        unit,
        "change-one",
        budget.population,
        draw(words),
        sized,
        sized,
        cap,
        cap,
        tuple(found),
        auto_bounds=draw(st.booleans()),
        multiline=draw(st.booleans()),
        as_of=draw(st.sampled_from([None, date(2026, 11, 30), datetime(2026, 11, 30, 12)])),
    )
    analysts = [
        AnalystRule(name, draw(st.none() | st.just(epsilon)))
        for name in draw(st.lists(words, max_size=2, unique_by=str.casefold))
    ]
    return Policy("any", "duckdb", "any.ledger", (budget,), (table,), tuple(analysts))


@pytest.mark.long
@settings(derandomize=True, deadline=None, max_examples=200)
@given(policies())
def test_any_policy_reads_back_as_it_was_written(one: Policy) -> None:
    back = parse_policy(write_policy(one))
    assert back == one
    assert (back.budgets, back.tables, back.analysts) == (one.budgets, one.tables, one.analysts)
    assert Policy.from_canonical(one.canonical()) == one


def test_the_page_of_these_tests_is_toml() -> None:
    assert set(tomllib.loads(CLINIC)) == {"database", "budget", "tables", "analysts"}


def test_a_number_of_failures_is_written_where_it_is_not_the_usual_one() -> None:
    assert "max_failures" not in write_policy(policy())
    few = policy(('engine = "duckdb"', "max_failures = 7"))
    assert "max_failures = 7" in write_policy(few)
    assert parse_policy(write_policy(few)) == few
