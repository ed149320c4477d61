from __future__ import annotations

import itertools
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.synthetic import synthesize
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import PrivateTable
from hedgerow.verify.audit import audit_one_run
from publish.synthetic.helpers_recording import trial
from publish.synthetic.helpers_tables import SIZES, error, people, pure, purse, rho

PAIRS = list(itertools.combinations(range(4), 2))


# what comes out


@pytest.mark.parametrize("price", [rho(10), pure(50)])
def test_with_much_to_spend_the_rows_have_the_tables_of_the_exact_ones(
    price: PrivacyParameters,
) -> None:
    codes = people(5_000)
    made = synthesize(purse(codes, price), price, ordered=(0,))
    assert abs(len(made.codes) - 5_000) <= 10
    # Rows in whole numbers cannot be closer than half a row in each of at most 48 cells; noise of
    # scale about 2 is within ten of that.
    assert max(error(codes, made.codes, a, b) for a, b in PAIRS) < 0.02


def test_a_dependence_survives_little_and_independence_stays() -> None:
    codes = people(20_000)
    made = synthesize(purse(codes, rho(Fraction(1, 50))), rho(Fraction(1, 50)), ordered=(0,))
    assert error(codes, made.codes, 1, 3) < 0.05  # as if independent: 0.5
    assert error(codes, made.codes, 1, 2) < 0.05


def test_the_number_of_rows_is_the_noisy_total_rounded() -> None:
    made = synthesize(purse(people(300), pure(1)), pure(1))
    assert len(made.codes) == max(0, round(made.total))


@pytest.mark.parametrize("many", [0, 1])
@pytest.mark.parametrize("price", [rho(Fraction(1, 100)), pure(1)])
def test_next_to_no_rows(many: int, price: PrivacyParameters) -> None:
    made = synthesize(purse(people(many), price), price, check=Fraction(1, 10), target=1)
    assert made.codes.shape == (max(0, round(made.total)), 4)


@pytest.mark.parametrize("price", [rho(1), pure(3)])
def test_one_attribute_gets_all_of_the_price(price: PrivacyParameters) -> None:
    codes = people(400)[:, :1]
    held = purse(codes, price, SIZES[:1])
    made = synthesize(held, price, check=Fraction(1, 10), target=0)
    assert [step.kind for step in made.steps] == ["attribute"]
    assert made.quality.check is None
    assert made.quality.task is None
    assert made.codes.shape[1] == 1
    _spent_nearly_all(held, price)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(
    st.lists(st.integers(1, 30), min_size=1, max_size=4),
    st.integers(0, 60),
    st.sampled_from([1, 20, 1_000]),
    st.booleans(),
)
def test_no_code_is_outside_the_domain(
    sizes: list[int], many: int, strength: int, gaussian: bool
) -> None:
    codes = np.stack(
        [np.arange(many) * (place + 3) % size for place, size in enumerate(sizes)], axis=1
    )
    price = rho(Fraction(strength, 100)) if gaussian else pure(Fraction(strength, 10))
    made = synthesize(
        purse(codes, price, tuple(sizes)),
        price,
        ordered=range(0, len(sizes), 2),
        check=Fraction(1, 20),
        target=0,
    )
    assert made.codes.shape[1] == len(sizes)
    assert ((made.codes >= 0) & (made.codes < np.array(sizes))).all()


# what it costs


def _spent_nearly_all(held: PrivateTable, price: PrivacyParameters) -> None:
    spent, whole = (
        (held.spent.epsilon, price.epsilon)
        if price.epsilon is not None
        else (held.spent.rho, price.rho)
    )
    assert whole is not None
    assert whole * Fraction(999, 1000) <= spent <= whole


@pytest.mark.parametrize(
    "price",
    [
        rho(Fraction(1, 20)),
        pure(2),
        PrivacyParameters(rho=Fraction(1, 5), rows=3, relation="change-one"),
    ],
)
@pytest.mark.parametrize("many", [10, 4_000])
@pytest.mark.parametrize("check", [0, Fraction(1, 10)])
def test_the_price_is_spent_and_never_more(
    price: PrivacyParameters, many: int, check: Fraction
) -> None:
    held = purse(people(many), price)
    made = synthesize(held, price, ordered=(0,), check=check, target=3)
    _spent_nearly_all(held, price)
    assert {"attribute", "pair"} <= {step.kind for step in made.steps}
    assert ("check" in {step.kind for step in made.steps}) == bool(check)


def test_pairs_are_chosen_where_there_are_few_rows_only() -> None:
    price = rho(Fraction(1, 100))
    few, many = (synthesize(purse(people(rows), price), price) for rows in (200, 50_000))
    assert [step.kind for step in few.steps].count("chosen") == len(few.model.pairs) == 4
    assert [step.kind for step in many.steps].count("chosen") == 0
    assert set(many.model.pairs) == set(PAIRS)


def test_a_workload_names_the_pairs() -> None:
    made = synthesize(purse(people(9_000), rho(1)), rho(1), workload=[(3, 1), (1, 3), (0, 1)])
    assert set(made.model.pairs) == {(1, 3), (0, 1)}


def test_a_private_table_with_too_small_a_budget_refuses() -> None:
    with pytest.raises(Refused, match="exceeds"):
        synthesize(purse(people(100), rho(1)), rho(2))


def test_very_many_codes_are_refused() -> None:
    held = purse([[0, 1]], rho(1), (2, 5_000))
    with pytest.raises(Refused, match=r"5,000 codes.*fewer bins"):
        synthesize(held, rho(1))
    assert held.spent == Loss(0, rho=0)


@pytest.mark.parametrize(
    ("wrong", "says"),
    [
        ({"workload": [(0, 1, 2)]}, "workload"),
        ({"workload": [(1, 1)]}, "workload"),
        ({"workload": [(0, 4)]}, "workload"),
        ({"ordered": (4,)}, "ordered"),
        ({"target": -1}, "target"),
        ({"check": Fraction(2, 3)}, "check"),
        ({"check": -1}, "check"),
    ],
)
def test_wrong_arguments_are_refused_before_anything_is_spent(
    wrong: dict[str, Any], says: str
) -> None:
    held = purse(people(10), rho(1))
    with pytest.raises(InvalidArgument, match=says):
        synthesize(held, rho(1), **wrong)
    assert held.spent == Loss(0, rho=0)


# nothing but what was paid for


def _neighbours(
    many: int, relation: str = "add-remove"
) -> tuple[ContingencyTable, ContingencyTable]:
    """With and without a person whose age nobody else has; or with another one instead."""
    codes = people(many)
    codes = codes[codes[:, 0] < 9]
    alone = [[11, 2, 1, 0]]
    other = codes if relation == "add-remove" else np.concatenate([codes, [[0, 0, 0, 3]]])
    return ContingencyTable.from_codes(
        np.concatenate([codes, alone]), SIZES
    ), ContingencyTable.from_codes(other, SIZES)


@pytest.mark.parametrize("price", [rho(Fraction(1, 20)), pure(2)])
@pytest.mark.parametrize("many", [0, 60, 4_000])
def test_neighbours_see_the_same_steps_and_get_the_same_rows(
    price: PrivacyParameters, many: int
) -> None:
    def program(held: PrivateTable) -> Any:
        return synthesize(held, price, ordered=(0,), check=Fraction(1, 10), target=3).codes

    assert trial(program, _neighbours(many), price.total) == []
    assert trial(program, _neighbours(many)[::-1], price.total) == []


def test_neighbours_by_change_too() -> None:
    price = PrivacyParameters(rho=Fraction(1, 20), relation="change-one")
    assert (
        trial(
            lambda held: synthesize(held, price).codes,
            _neighbours(200, "change-one"),
            price.total,
            relation="change-one",
        )
        == []
    )


def _unpaid_count(held: PrivateTable) -> Any:
    return synthesize(held, rho(1)).codes[: held._table.total - 20]


def _domain_of_data(held: PrivateTable) -> Any:
    """The codes that are there, instead of those that are declared."""
    there = np.flatnonzero(held._table.marginal((0,)))
    noisy = held.measure(QueryBlock(((0, BinSums(SIZES[0])),)), Laplace(Fraction(1)))
    return np.stack([there, noisy[there]])


def _bins_of_data(held: PrivateTable) -> Any:
    top = int(np.flatnonzero(held._table.marginal((0,))).max())
    return held.measure(QueryBlock(((0, BinSums(SIZES[0], 1 + top // 3)),)), Laplace(Fraction(1)))


def _noise_reused(held: PrivateTable) -> Any:
    ages = QueryBlock(((0, BinSums(SIZES[0])),))
    noisy = held.measure(ages, Laplace(Fraction(1)))
    noise = noisy - ages.evaluate(held._table)
    return held._table.marginal((1,)) + noise[:3]


def _stops_early(held: PrivateTable) -> Any:
    ages = QueryBlock(((0, BinSums(SIZES[0])),))
    for _ in range(2 if held._table.marginal((0,))[11] else 1):
        noisy = held.measure(ages, Laplace(Fraction(1)))
    return noisy


@pytest.mark.parametrize(
    ("program", "says"),
    [
        (_unpaid_count, "published differs"),
        (_domain_of_data, "published differs"),
        (_bins_of_data, "a question differs"),
        (_noise_reused, "published differs"),
        (_stops_early, "number of steps"),
    ],
)
def test_programs_that_know_more_than_they_paid_for_are_caught(program: Any, says: str) -> None:
    complaints = trial(program, _neighbours(50), Loss(inf, rho=100))
    assert any(says in complaint for complaint in complaints)


def test_a_unit_with_more_rows_than_declared_is_caught() -> None:
    """Two rows leave where one may."""
    codes = people(50)
    tables = (
        ContingencyTable.from_codes(codes, SIZES),
        ContingencyTable.from_codes(codes[2:], SIZES),
    )
    complaints = trial(lambda held: synthesize(held, rho(1)).codes, tables, Loss(inf, rho=1))
    assert any("more than was declared" in complaint for complaint in complaints)


# audit

CANARIES = 400
SURE = 1 - 1e-9


def _guessed(included: Any, publish: Any) -> Any:
    """Each canary has a code of its own; the more rows have it, the likelier it was there."""
    there = np.flatnonzero(included)
    codes = np.stack([there, there % 2], axis=1)
    return np.bincount(publish(codes)[:, 0], minlength=CANARIES)


def test_one_run_audit_finds_no_more_than_epsilon() -> None:
    def publish(codes: Any) -> Any:
        return synthesize(purse(codes, pure(1), (CANARIES, 2)), pure(1), ordered=(0,)).codes

    assert (
        audit_one_run(
            lambda included: _guessed(included, publish), CANARIES, confidence=SURE
        ).epsilon
        <= 1
    )


def test_the_same_audit_sees_rows_that_are_passed_on() -> None:
    assert audit_one_run(
        lambda included: _guessed(included, lambda codes: codes), CANARIES, confidence=SURE
    ).refutes(1)
