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
from policy.helpers_policy_changes import LOOSE, OLD, PARTITION, STAFF, TIGHT


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
