from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path

import pytest

from hedgerow.policy import (
    Policy,
    list_loosenings,
    list_tightenings,
    parse_policy,
    restore_dropped_caps,
)
from policy.helpers_page import CLINIC, SHOP, edited, policy

OLD = policy()
STAFF = """\
[tables.staff]
source = "{}"
unit = "person"
neighbours = "add-remove"
population = "staff"
max_units = 9
max_groups = 1
max_rows_per_group = 1
[budgets.staff]
epsilon = 1
"""
PARTITION = '[tables.visits.partition]\ncolumn = "month"\nmax_parts_per_unit = 12\n'

LOOSE = [
    (
        ("epsilon = 3.0", "epsilon = 4.5"),
        "budget of population 'patients': epsilon is raised from 3 to 4.5.",
    ),
    (
        ("delta   = 1e-9", "delta   = 2e-9"),
        "budget of population 'patients': delta is raised from 1e-09 to 2e-09.",
    ),
    (
        ("max_epsilon_per_query = 1.0", "max_epsilon_per_query = 2.0"),
        "population 'patients': max_epsilon_per_query is raised from 1 to 2.",
    ),
    (
        ("max_epsilon_per_query = 1.0\n", ""),
        "population 'patients': max_epsilon_per_query is raised from 1 to 3.",
    ),
    (
        ('"laplace"', '"gaussian"'),
        "population 'patients': noise changes from 'laplace' to 'gaussian'.",
    ),
    (
        ('"patient_id"', '"doctor_id"'),
        "table 'visits': unit changes from 'patient_id' to 'doctor_id'.",
    ),
    (
        ('"add-remove"', '"change-one"'),
        "table 'visits': neighbours changes from 'add-remove' to 'change-one'.",
    ),
    (
        ("max_units  = 2_000_000", "max_units  = 3_000_000"),
        "table 'visits': max_units is raised from 2000000 to 3000000.",
    ),
    (("max_rows   = 50_000_000\n", ""), "table 'visits': max_rows of 50000000 is dropped."),
    (("max_groups = 3", "max_groups = 4"), "table 'visits': max_groups is raised from 3 to 4."),
    (
        ("max_rows_per_group = 5", "max_rows_per_group = 6"),
        "table 'visits': max_rows_per_group is raised from 5 to 6.",
    ),
    (("max = 110", "max = 100"), "column 'age' of table 'visits': max changes from 110 to 100."),
    (
        ("min = 0, max = 110", "min = -1, max = 110"),
        "column 'age' of table 'visits': min changes from 0 to -1.",
    ),
    (
        ("step = 0.01", "step = 0.1"),
        "column 'cost' of table 'visits': step changes from 0.01 to 0.1.",
    ),
    (
        (
            '"2026-01 … 2026-12"',
            "[" + ", ".join(f"2026-{month:02}-01" for month in range(1, 13)) + "]",
        ),
        "column 'month' of table 'visits': values change.",
    ),
    ((', "west"]', "]"), "column 'region' of table 'visits': values change."),
    (
        ("note   = { hidden = true }", 'note   = { type = "text" }'),
        "column 'note' of table 'visits': is no longer hidden.",
    ),
    (("note   = { hidden = true }\n", ""), "column 'note' of table 'visits': is no longer hidden."),
    (
        ("note   =", 'more   = { type = "text" }\nnote   ='),
        "column 'more' of table 'visits': is newly declared.",
    ),
    (
        ("max_parts_per_unit = 12", "max_parts_per_unit = 2"),
        "table 'visits': max_parts_per_unit is lowered from 12 to 2.",
    ),
    (
        ('column = "month"\nmax_parts_per_unit = 12', 'column = "region"\nmax_parts_per_unit = 4'),
        "table 'visits': partition changes its column from 'month' to 'region'.",
    ),
    (
        (PARTITION, ""),
        "table 'visits': partition is dropped, which changes how queries are charged.",
    ),
    (
        ("public = true", 'public = true\nunique = ["id", "code"]'),
        "table 'regions': id, code is declared unique.",
    ),
    (
        ("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = true"),
        "table 'visits': undeclared bounds are found in the data, privately.",
    ),
    (
        ("visits.parquet", "v.csv"),
        (
            "table 'visits': source changes from 'visits.parquet' to 'v.csv' under the same"
            " version; declare a new one."
        ),
    ),
    (("max_epsilon = 1.0", "max_epsilon = 1.5"), "analyst 'ana': quota is raised from 1 to 1.5."),
    (("max_epsilon = 1.0\n", ""), "analyst 'ana': quota of 1 is dropped."),
    (("[analysts.ana]\nmax_epsilon = 1.0\n", ""), "analyst 'ana': quota of 1 is dropped."),
    (('engine = "duckdb"', "max_failures = 21"), "database: max_failures is raised from 20 to 21."),
    (
        ('"clinic.ledger"', '"other.ledger"'),
        "database: ledger changes from 'clinic.ledger' to 'other.ledger'.",
    ),
    (
        ('[tables.regions]\nsource = "regions.csv"\npublic = true\n', ""),
        "table 'regions': is removed with its rules; if it comes back, it is new.",
    ),
]

TIGHT = [
    (
        ("epsilon = 3.0", "epsilon = 2.5"),
        "budget of population 'patients': epsilon is lowered from 3 to 2.5.",
    ),
    (
        ("delta   = 1e-9", "delta   = 1e-10"),
        "budget of population 'patients': delta is lowered from 1e-09 to 1e-10.",
    ),
    (
        ("delta   = 1e-9\ndefault_epsilon = 0.1\ndefault_delta   = 1e-12", "default_epsilon = 0.1"),
        "budget of population 'patients': delta of 1e-09 is dropped.",
    ),
    (
        ("max_epsilon_per_query = 1.0", "max_epsilon_per_query = 0.5"),
        "population 'patients': max_epsilon_per_query is lowered from 1 to 0.5.",
    ),
    (
        ("default_epsilon = 0.1", "default_epsilon = 0.2"),
        "population 'patients': default_epsilon changes from 0.1 to 0.2.",
    ),
    (("max_groups = 3", "max_groups = 2"), "table 'visits': max_groups is lowered from 3 to 2."),
    (('"2026-11"', '"2026-12"'), "table 'visits': version changes from '2026-11' to '2026-12'."),
    (
        ('age    = { type = "integer", min = 0, max = 110 }', "age    = { hidden = true }"),
        "column 'age' of table 'visits': is hidden.",
    ),
    (
        ('age    = { type = "integer", min = 0, max = 110 }\n', ""),
        "column 'age' of table 'visits': is no longer declared.",
    ),
    (
        ("note   =", "more   = { hidden = true }\nnote   ="),
        "column 'more' of table 'visits': is newly hidden.",
    ),
    (("max_epsilon = 1.0", "max_epsilon = 0.5"), "analyst 'ana': quota is lowered from 1 to 0.5."),
    (("[analysts.ana]", "[analysts.bob]\n[analysts.ana]"), "analyst 'bob': is new."),
    (
        ('engine = "duckdb"', "max_failures = 19"),
        "database: max_failures is lowered from 20 to 19.",
    ),
    (
        ('name   = "clinic"', 'name   = "hospital"'),
        "database: name changes from 'clinic' to 'hospital'.",
    ),
]


@pytest.mark.parametrize(("change", "told"), LOOSE, ids=[told for _, told in LOOSE])
def test_loosenings_need_the_approval_of_the_custodian(change: tuple[str, str], told: str) -> None:
    assert list_loosenings(OLD, policy(change)) == (told,)


@pytest.mark.parametrize(("change", "told"), TIGHT, ids=[told for _, told in TIGHT])
def test_tightenings_take_effect_without_approval(change: tuple[str, str], told: str) -> None:
    new = policy(change)
    assert list_loosenings(OLD, new) == ()
    assert told in list_tightenings(OLD, new)


@pytest.mark.parametrize("change", [change for change, _ in LOOSE + TIGHT])
def test_no_change_of_the_decision_goes_unsaid(change: tuple[str, str]) -> None:
    new = policy(change)
    assert new != OLD
    assert list_loosenings(OLD, new) + list_tightenings(OLD, new)
    assert list_loosenings(new, OLD) + list_tightenings(new, OLD)


def test_parts_that_come_and_grow_need_a_word_and_a_key_that_goes_does_not() -> None:
    assert list_loosenings(policy((PARTITION, "")), OLD) == (
        "table 'visits': partition is added, which changes how queries are charged.",
    )
    few = policy(("max_parts_per_unit = 12", "max_parts_per_unit = 2"))
    assert list_loosenings(few, OLD) == (
        "table 'visits': max_parts_per_unit is raised from 2 to 12.",
    )
    keyed = policy(("public = true", 'public = true\nunique = "id"'))
    assert list_loosenings(keyed, OLD) == ()
    assert list_tightenings(keyed, OLD) == ("table 'regions': id is no longer declared unique.",)


def test_bounds_that_are_not_found_any_more_need_no_word() -> None:
    finding = policy(("max_rows_per_group = 5", "max_rows_per_group = 5\nauto_bounds = true"))
    assert list_loosenings(finding, OLD) == ()
    assert list_tightenings(finding, OLD) == (
        "table 'visits': undeclared bounds are no longer found in the data.",
    )


def test_line_breaks_in_values_need_a_word_to_come_and_none_to_go() -> None:
    broken = policy(("public = true", "public = true\nmultiline = true"))
    assert list_loosenings(OLD, broken) == (
        "table 'regions': quoted values may contain line breaks.",
    )
    assert list_loosenings(broken, OLD) == ()
    assert list_tightenings(broken, OLD) == (
        "table 'regions': quoted values may no longer contain line breaks.",
    )


def test_other_foreign_keys_to_the_unit_need_approval() -> None:
    items = "order -> orders.id, orders.account -> accounts.id, accounts.customer_id"
    direct, linked = parse_policy(SHOP.replace(items, "customer_id")), parse_policy(SHOP)
    assert list_loosenings(direct, linked) == (
        f"table 'items': unit changes from 'customer_id' to '{items}'.",
    )
    assert list_loosenings(linked, direct) == (
        f"table 'items': unit changes from '{items}' to 'customer_id'.",
    )


def test_a_type_that_changes_changes_the_step_as_well() -> None:
    assert list_loosenings(OLD, policy(('"integer"', '"real"'))) == (
        "column 'age' of table 'visits': type changes from integer to real.",
        "column 'age' of table 'visits': step changes from 1 to 6.103515625e-05.",
    )


def test_nothing_changes_when_only_the_order_does() -> None:
    new = replace(OLD, tables=OLD.tables[::-1])
    assert list_loosenings(OLD, new) == list_tightenings(OLD, new) == ()


def test_a_delta_that_comes_loosens() -> None:
    pure = policy(("delta   = 1e-9\n", ""), ("default_delta   = 1e-12\n", ""))
    assert list_loosenings(pure, OLD) == (
        "budget of population 'patients': delta of 1e-09 is added.",
    )


def test_the_best_noise_instead_of_laplace_loosens() -> None:
    new = policy(('"laplace"', '"best"'))
    assert list_loosenings(OLD, new) == (
        "population 'patients': noise changes from 'laplace' to 'best'.",
    )
    assert list_tightenings(new, OLD) == (
        "population 'patients': noise changes from 'best' to 'laplace'.",
    )


def test_laplace_noise_instead_of_gaussian_tightens() -> None:
    new = policy(('"laplace"', '"gaussian"'))
    assert list_loosenings(new, OLD) == ()
    assert list_tightenings(new, OLD) == (
        "population 'patients': noise changes from 'gaussian' to 'laplace'.",
    )


def test_a_new_table_is_recorded() -> None:
    new = parse_policy(CLINIC + STAFF.format("staff.csv"))
    assert list_loosenings(OLD, new) == ()
    assert list_tightenings(OLD, new) == (
        "population 'staff': is new, with epsilon 1.",
        "table 'staff': is new.",
    )
    assert list_loosenings(new, OLD)[0] == "population 'staff': its budget is removed."


def test_a_known_source_under_a_new_name_does_not_open_a_new_budget() -> None:
    public = '[tables.regions]\nsource = "regions.csv"\npublic = true\n'
    new = parse_policy(edited((public, "")) + STAFF.format("regions.csv"))
    assert (
        "table 'staff': moves the source of 'regions' to another population, or makes it public."
        in list_loosenings(OLD, new)
    )


def test_a_known_source_under_a_new_name_needs_a_word_for_its_new_rules() -> None:
    visits = CLINIC.partition("[tables.visits]\n")[2].partition("[tables.regions]")[0]
    again = "[tables.again]\n" + visits.replace("[tables.visits.", "[tables.again.").replace(
        "note   = { hidden = true }\n", ""
    )
    new = parse_policy(CLINIC + again)
    assert list_loosenings(OLD, new) == (
        "table 'again': opens the source of 'visits' under rules of its own.",
    )
    assert list_loosenings(new, new) == ()
    places = '[tables.places]\nsource = "regions.csv"\npublic = true\n'
    assert list_loosenings(OLD, parse_policy(CLINIC + places)) == ()  # nobody is hidden there


def test_a_population_that_changes_its_name() -> None:
    assert list_loosenings(
        OLD, policy(('population = "patients"', 'population = "everybody"'))
    ) == (
        "population 'patients': its budget is removed.",
        "table 'visits': population changes from 'patients' to 'everybody'.",
    )


def test_public_and_protected() -> None:
    protected = parse_policy(
        edited(
            (
                "public = true",
                'unit = "row"\nneighbours = "add-remove"\n[budgets.people]\nepsilon = 1',
            )
        )
    )
    assert (
        list_loosenings(protected, OLD)[-1]
        == "table 'regions': becomes public: nobody in it is protected from now on."
    )
    assert "table 'regions': becomes protected." in list_tightenings(OLD, protected)
    assert not list_loosenings(OLD, protected)


def test_a_new_source_with_a_new_version_is_recorded() -> None:
    new = policy(("visits.parquet", "visits-12.parquet"), ('"2026-11"', '"2026-12"'))
    assert list_loosenings(OLD, new) == ()
    assert (
        list_tightenings(OLD, new)[0]
        == "table 'visits': source changes from 'visits.parquet' to 'visits-12.parquet'."
    )


def test_an_analyst_without_a_quota_may_go_or_get_one() -> None:
    free = replace(OLD, analysts=(replace(OLD.analysts[0], max_epsilon=None),))
    assert list_loosenings(free, OLD) == ()
    assert list_tightenings(free, OLD) == ("analyst 'ana': quota of 1 is added.",)
    assert list_tightenings(free, replace(OLD, analysts=())) == ("analyst 'ana': is removed.",)


def test_a_budget_without_a_cap_is_raised_in_one_sentence() -> None:
    uncapped = ("max_epsilon_per_query = 1.0\n", "")
    assert list_loosenings(
        policy(uncapped), policy(uncapped, ("epsilon = 3.0", "epsilon = 4.0"))
    ) == ("budget of population 'patients': epsilon is raised from 3 to 4.",)


def test_only_a_larger_budget_is_called_one() -> None:
    """``hedgerow budget raise`` goes by these words."""
    named = [told for _, told in LOOSE if told.startswith("budget of")]
    assert named == [
        told for _, told in LOOSE if ": epsilon is raised" in told or ": delta is raised" in told
    ]
    assert len(named) == 2


def test_amounts_are_compared_exactly() -> None:
    (budget,) = OLD.budgets
    barely = replace(OLD, budgets=(replace(budget, epsilon=budget.epsilon + Fraction(1, 10**30)),))
    assert len(list_loosenings(OLD, barely)) == 1


def _linked(folder: Path, way: str) -> str:
    """Another name of the file of visits: a link of either kind, a way round, or the whole path."""
    file = folder / OLD.tables[0].source
    file.parent.mkdir(exist_ok=True)
    file.write_text("patient_id\n1\n")
    if way == "symlink":
        (folder / "other.csv").symlink_to(file)
    elif way == "hardlink":
        (folder / "other.csv").hardlink_to(file)
    return {"round": f"./{OLD.tables[0].source}", "absolute": str(file)}.get(way, "other.csv")


@pytest.mark.parametrize("way", ["symlink", "hardlink", "round", "absolute"])
def test_another_name_of_a_known_file_needs_the_same_approval(tmp_path: Path, way: str) -> None:
    source = OLD.tables[0].source
    visits = CLINIC.partition("[tables.visits]\n")[2].partition("[tables.regions]")[0]
    again = "[tables.again]\n" + visits.replace("[tables.visits.", "[tables.again.").replace(
        f'"{source}"', f'"{_linked(tmp_path, way)}"'
    )
    new = parse_policy(CLINIC + again, tmp_path)
    assert list_loosenings(OLD, new) == (
        "table 'again': opens the source of 'visits' under rules of its own.",
    )


def test_a_table_that_moves_to_the_file_of_another_needs_a_word(tmp_path: Path) -> None:
    visits = CLINIC.partition("[tables.visits]\n")[2].partition("[tables.regions]")[0]
    again = "[tables.again]\n" + visits.replace("[tables.visits.", "[tables.again.").replace(
        OLD.tables[0].source, "apart.csv"
    )
    apart = parse_policy(CLINIC + again, tmp_path)
    _linked(tmp_path, "hardlink")
    moved = replace(
        apart,
        tables=tuple(
            replace(t, source="other.csv", version="2") if t.name == "again" else t
            for t in apart.tables
        ),
    )
    assert list_loosenings(apart, moved) == (
        "table 'again': opens the source of 'visits' under rules of its own.",
    )


def capped(line: str) -> Policy:
    return policy(("max_rows_per_group = 5", line))


@pytest.mark.parametrize(
    ("before", "after", "loosens", "change"),
    [
        ("= 5", None, False, "is dropped; questions that need it are refused."),
        (None, "= 9", False, "is now 9."),
        ('= "auto"', "= 9", False, "is now 9."),
        ('= "auto"', None, False, "is dropped; questions that need it are refused."),
        ("= 5", '= "auto"', True, "is found in the data, privately."),
        (None, '= "auto"', True, "is found in the data, privately."),
        ("= 5", "= 6", True, "is raised from 5 to 6."),
    ],
)
def test_a_cap_that_is_missing_is_the_strictest(
    before: str | None, after: str | None, loosens: bool, change: str
) -> None:
    old, new = (capped(f"max_rows_per_group {to}" if to else "") for to in (before, after))
    expected = (f"table 'visits': max_rows_per_group {change}",)
    assert list_loosenings(old, new) == (expected if loosens else ())
    assert list_tightenings(old, new) == (() if loosens else expected)


def test_a_cap_that_was_dropped_is_compared_with_what_it_was() -> None:
    five, none, ten = OLD, capped(""), capped("max_rows_per_group = 10")
    assert list_loosenings(none, ten) == ()
    held = restore_dropped_caps(none, [none, five, ten])
    assert held == five
    assert list_loosenings(held, ten) == (
        "table 'visits': max_rows_per_group is raised from 5 to 10.",
    )
    elsewhere = replace(five, tables=five.tables[1:])
    assert restore_dropped_caps(none, [elsewhere]) == none
