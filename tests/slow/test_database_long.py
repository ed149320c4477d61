"""Sensitivity is real, at length: a hundred thousand pairs of neighbours."""

from __future__ import annotations

import pytest

from database.attacks import shop
from database.attacks.seeking import FUNCTIONS, ONE_TABLE, SHOP, Found, seek
from database.attacks.test_composite_ids import STORES
from database.attacks.test_joins_across_units import FORUM
from database.attacks.test_same_customer import STATEMENTS, look_at_all
from database.attacks.wards import seek_wards

PAIRS, PARTS = 2_000, 50
KINDS = {
    "one table": ("units", "rows", "values", "distinct", "total", "moments", "quantiles", "mode"),
    "shop": (
        "units",
        "rows",
        "values",
        "distinct",
        "total",
        "moments",
        "quantiles",
        "least",
        "greatest",
        "mode",
    ),
}


@pytest.mark.parametrize("part", range(PARTS))
def test_no_neighbour_moves_further_than_declared(part: int) -> None:
    scene = "one table" if part % 2 else "shop"
    found = seek(f"at length {part}", PAIRS, ONE_TABLE if part % 2 else SHOP)
    assert found.violations == []
    assert found.pairs >= PAIRS
    assert all(found.kinds[kind] > 0 for kind in KINDS[scene])
    assert sum(found.reached[kind] > 0 for kind in KINDS[scene]) > 4


def test_functions_of_other_databases_stay_within_the_sensitivity_at_length() -> None:
    found = seek("functions at length", 2000, FUNCTIONS)
    assert found.violations == []
    assert found.pairs >= 2000


@pytest.mark.parametrize("part", range(4))
def test_no_author_moves_a_join_of_different_people_further_than_declared(part: int) -> None:
    found = seek(f"forum at length {part}", PAIRS, FORUM)
    assert found.violations == []
    assert found.pairs >= PAIRS
    assert all(found.kinds[kind] > 0 for kind in ("rows", "values", "total", "moments"))


@pytest.mark.parametrize("statement", STATEMENTS)
def test_relations_of_one_customer_stay_within_the_sensitivity(statement: str) -> None:
    found = Found()
    for part in range(PAIRS // 50):
        relation = "add-remove" if part % 2 else "change-one"
        world = shop.Shop(relation, 1 + part % 3, 1 + part % 4, "laplace", "integer")
        look_at_all(f"{statement} {part}", world, [statement], 50, found)
    assert found.violations == []
    assert found.refused == 0
    assert found.pairs >= PAIRS


@pytest.mark.parametrize("part", range(2))
def test_no_customer_of_a_store_moves_an_answer_further_than_declared(part: int) -> None:
    found = seek(f"stores at length {part}", PAIRS, STORES)
    assert found.violations == []
    assert found.pairs >= PAIRS


@pytest.mark.parametrize("part", range(2))
def test_no_patient_and_no_doctor_moves_an_answer_further_than_declared(part: int) -> None:
    counts, problems = seek_wards(f"wards at length {part}", PAIRS)
    print(counts)
    assert problems == []
