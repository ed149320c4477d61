from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import BudgetExceeded, InvalidArgument
from hedgerow.numeric.rounding import log_up
from hedgerow.privacy import Balance, Budget, DualBalance, Loss, find_largest_rho
from hedgerow.privacy.parallel_composition import TableParts
from privacy.helpers_adversary import Toss, worst_delta
from privacy.helpers_games import (
    COARSE,
    GAMES,
    INF,
    LEAKY,
    SMALL,
    FreeThresholds,
    Game,
    Late,
    SeparateAccounts,
    spend,
    split,
)

# --- pure


def test_a_tenth_ten_times_leaves_exactly_nothing() -> None:
    budget, count = spend(Budget(1.0), Loss(0.1))
    view = budget.balance
    assert count == 10
    assert isinstance(view, Balance)
    assert (view.total, view.spent, view.left) == (1, 1, 0)
    assert isinstance(view.left, Fraction)


def test_a_pure_budget_has_no_rho_branch_and_no_delta() -> None:
    budget = Budget(1)
    assert budget.rho == budget.threshold_delta == 0
    assert not budget.covers(Loss(0.1, 1e-12))
    assert not budget.covers(Loss(INF, 0, 1e-9))
    assert budget.covers(Loss(1))
    assert not budget.covers(Loss(Fraction(1) + Fraction(1, 10**40)))


def test_a_budget_is_a_value() -> None:
    budget = Budget(1)
    later = budget.charge(Loss(0.5))
    assert budget.charged == Loss(0)
    assert later.charged == Loss(0.5)
    assert later == Budget(1, charged=Loss(0.5))


# --- parts


def test_disjoint_parts_are_paid_for_once() -> None:
    budget = split(visits=1)
    for name in "abc":
        budget = budget.charge(Loss(1), TableParts("visits", [name]))
    assert (budget.charged, budget.unit_loss) == (Loss(0), Loss(1))
    with pytest.raises(BudgetExceeded, match=r"asks for epsilon 0\.1.* with 0 left"):
        budget.charge(Loss(0.1), TableParts("visits", ["a"]))
    assert not budget.covers(Loss(0.1))


def test_the_dearest_parts_count_and_tables_add_up() -> None:
    budget = split(3, visits=2, stays=1).charge(Loss(0.5))
    for table, name, amount in [
        ("visits", "a", 0.25),
        ("visits", "b", 0.5),
        ("visits", "c", 0.125),
        ("stays", "a", 0.5),
        ("stays", "b", 1),
    ]:
        budget = budget.charge(Loss(amount), TableParts(table, [name]))
    assert budget.unit_loss.epsilon == Fraction(1, 2) + Fraction(3, 4) + 1
    assert budget.charge(
        Loss(0.25), TableParts("visits", ("b", "c"))
    ).unit_loss.epsilon == budget.unit_loss.epsilon + Fraction(3, 8)
    with pytest.raises(
        InvalidArgument, match="must belong to a table with declared parts; got 'doctors'"
    ):
        budget.covers(Loss(0.1), TableParts("doctors", ["a"]))


def test_a_part_has_left_what_may_still_be_asked_of_it_alone() -> None:
    budget = (
        split(visits=2)
        .charge(Loss(0.125))
        .charge(Loss(0.5), TableParts("visits", ["a"]))
        .charge(Loss(0.25), TableParts("visits", ["b"]))
    )
    parts = budget.balance.parts["visits"]
    assert {name: account.left for name, account in parts.items()} == {
        "a": Fraction(1, 8),
        "b": Fraction(1, 8),
        "c": Fraction(3, 8),
    }  # type: ignore[union-attr]
    for name, account in parts.items():
        assert isinstance(account, Balance)
        assert budget.covers(Loss(account.left), TableParts("visits", [name]))
        assert not budget.covers(
            Loss(account.left + Fraction(1, 10**9)), TableParts("visits", [name])
        )
    # overdrawn for those in a and b: nothing is left of c either
    lowered = replace(budget, epsilon=Fraction(7, 8) - Fraction(1, 100))
    assert {
        account.left  # type: ignore[union-attr]
        for account in lowered.balance.parts["visits"].values()
    } == {0}
    assert not lowered.covers(Loss(0.001), TableParts("visits", ["c"]))


def test_parts_have_balances_of_epsilon_rho_and_delta() -> None:
    budget = split(1, 1e-6, visits=1).charge(
        Loss(math.inf, Fraction(0), Fraction(1, 1000)), TableParts("visits", ["a"])
    )
    budget = budget.charge(Loss(0.01, Fraction(1, 10**9)), TableParts("visits", ["b"]))
    view = budget.balance
    assert isinstance(view, DualBalance)
    for account in view.parts["visits"].values():
        assert isinstance(account, DualBalance)
        assert account.epsilon.left == 0  # Gaussian noise in one part closes this branch for all
    spent = {
        name: (account.rho.spent, account.delta.spent)
        for name, account in view.parts["visits"].items()
    }  # type: ignore[union-attr]
    assert spent == {
        "a": (Fraction(1, 1000), 0),
        "b": (Loss(0.01).rho, Fraction(1, 10**9)),
        "c": (0, 0),
    }
    with pytest.raises(BudgetExceeded, match=r"asks for epsilon 5.* with 0 left, or rho"):
        budget.charge(Loss(5), TableParts("visits", ["b", "c"]))


# --- with delta


def test_delta_is_split_into_conversion_and_threshold_shares() -> None:
    budget = Budget(3, 1e-7)
    assert budget.rho == find_largest_rho(3, Fraction(1, 2 * 10**7))
    assert budget.threshold_delta == Fraction(1, 2 * 10**7)
    assert Budget(3, 1e-7, 1).rho == find_largest_rho(3, 1e-7)
    assert round(float(Budget(3, 1e-7, 1).rho), 4) == 0.1573
    assert Budget(3, 1e-7, 1).threshold_delta == 0
    assert Budget(3, 1e-7, 0.1).threshold_delta == Fraction(9, 10**8)


@pytest.mark.long
def test_either_branch_is_enough() -> None:
    budget = Budget(3, 1e-7, 1)
    assert spend(budget, Loss(0.5))[1] == 6  # sums of epsilon; one fits in rho
    assert spend(budget, Loss(0.1))[1] == 31  # rho; thirty by sums
    assert spend(budget, Loss(0.01))[1] == int(budget.rho / Loss(0.01).rho) > 3000


def test_a_charge_without_epsilon_closes_one_branch_for_good() -> None:
    budget = Budget(3, 1e-7).charge(Loss(INF, 0, 0.01))
    view = budget.balance
    assert isinstance(view, DualBalance)
    assert (view.epsilon.spent, view.epsilon.left) == (INF, 0)
    assert not budget.covers(Loss(0.6))
    assert Budget(3, 1e-7).covers(Loss(0.6))
    assert budget.covers(Loss(0.1))


def test_thresholds_have_their_own_share_in_both_branches() -> None:
    budget, count = spend(Budget(3, 1e-7), Loss(0.001, 1e-8))
    assert count == 5
    assert budget.covers(Loss(0.1))
    assert not budget.covers(Loss(0.001, 1e-30))


def test_the_view_adds_up() -> None:
    budget = Budget(3, 1e-7).charge(Loss(0.1, 1e-8))
    view = budget.balance
    assert isinstance(view, DualBalance)
    assert (view.epsilon.total, view.epsilon.spent, view.epsilon.left) == (
        3,
        Fraction(1, 10),
        Fraction(29, 10),
    )
    assert (view.rho.total, view.rho.spent) == (budget.rho, Loss(0.1).rho)
    assert (view.delta.total, view.delta.spent, view.delta.left) == (
        Fraction(5, 10**8),
        Fraction(1, 10**8),
        Fraction(4, 10**8),
    )
    assert str(view).splitlines()[0] == "epsilon: total 3, spent 0.1, left 2.9"


charges = st.builds(
    Loss,
    st.sampled_from([Fraction(1, 100), Fraction(1, 10), Fraction(1), INF]),
    st.sampled_from([Fraction(0), Fraction(1, 10**8)]),
    st.sampled_from([Fraction(1, 1000), Fraction(1, 50), INF]),
)


@given(st.lists(charges, max_size=30), st.booleans())
def test_covers_charge_and_the_rule_agree(losses: list[Loss], pure: bool) -> None:
    budget = Budget(2) if pure else Budget(2, 1e-7)
    for loss in losses:
        total = budget.charged + loss
        rule = total.delta <= budget.threshold_delta and (
            total.epsilon <= 2 or (not pure and total.rho <= budget.rho)
        )
        assert budget.covers(loss) == rule
        if rule:
            budget = budget.charge(loss)
            assert budget.charged == total
        else:
            with pytest.raises(BudgetExceeded):
                budget.charge(loss)


# --- words


@pytest.mark.parametrize(
    ("budget", "loss", "words"),
    [
        (
            Budget(1).charge(Loss(0.75)),
            Loss(0.5),
            "it asks for epsilon 0.5 with 0.25 left",
        ),
        (
            Budget(1),
            Loss(INF, 0, 0.1),
            (
                "Gaussian noise, which has no pure epsilon, and this budget has no delta; add delta"
                " = 1e-9 under [budget]"
            ),
        ),
        (
            Budget(1, 1e-6),
            Loss(INF, 0, 0.1),
            "this question: it asks for rho 0.1 with 0.0",
        ),
        (
            Budget(1),
            Loss(0.1, 1e-9),
            "it asks for a delta of 0.000000001, and this budget has none",
        ),
        (
            Budget(1, 1e-6),
            Loss(0.1, 1e-6),
            "it asks for delta 0.000001 with 0.0000005 left for thresholds",
        ),
        (
            Budget(1, 1e-12),
            Loss(0.1, 2e-12),
            "it asks for delta 2e-12 with 5e-13 left for thresholds",
        ),
        (
            Budget(1, 1e-12).charge(Loss(0.1, 5e-13)),
            Loss(0.1, Fraction(1, 3 * 10**14)),
            "delta 3.333334e-15 with 0 left",
        ),
        (Budget(1), Loss(0.1, 1e-15), "it asks for a delta of 1e-15, and this budget has none"),
        (
            Budget(1, 1e-6),
            Loss(2, 0, 1),
            "epsilon 2 with 1 left, or rho 1 with 0.0",
        ),
        (
            Budget(1, 1e-6),
            Loss(INF),
            "an unlimited epsilon with 1 left, or an unlimited rho with 0.0",
        ),
    ],
)
def test_a_refusal_says_what_was_asked_and_what_is_left(
    budget: Budget, loss: Loss, words: str
) -> None:
    with pytest.raises(BudgetExceeded) as caught:
        budget.charge(loss)
    assert str(caught.value).startswith("The budget does not cover this question: it asks for ")
    assert words in str(caught.value)


# --- bad input

BAD = [0, -1, float("nan"), INF, -INF, 1e400, 1e-320, True, np.True_, "1", 1j]


@pytest.mark.parametrize("value", [*BAD, None, 10**5])
def test_bad_epsilon_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^epsilon must"):
        Budget(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [*BAD, 1, 1.5])
def test_bad_delta_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^delta must"):
        Budget(1, value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [value for value in BAD if value != 1e-320] + [None, 1.5])
def test_bad_conversion_is_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^conversion must"):
        Budget(1, 1e-6, value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [None, 0.1, "loss", {"epsilon": "1/1"}])
def test_only_losses_are_charged(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^loss must be a Loss"):
        Budget(1).covers(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^loss must be a Loss"):
        Budget(1).charge(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^charged must be a Loss"):
        Budget(1, charged=value)  # type: ignore[arg-type]


# --- the strongest adaptive analyst
# Budgets of e^E = base^target; among the tosses small ones for the rho branch, and one that takes
# all of E at once.


@pytest.mark.long
@pytest.mark.parametrize("game", GAMES)
def test_no_adaptive_strategy_breaks_the_dual_filter(game: Game) -> None:
    worst = worst_delta(game.budget, game.tosses, game.base, game.target)
    # Not an empty statement: the strategies do get into the part of delta that the theorem gives
    # away.
    assert game.delta / 20 < worst <= game.delta


def test_a_pure_budget_gives_nothing_away() -> None:
    base = Fraction(6, 5)
    assert worst_delta(Budget(8 * log_up(base)), (Toss(1), Toss(3), Toss(8)), base, 8) == 0
    assert worst_delta(Budget(8 * log_up(base)), (Toss(1), Toss(3), Toss(8)), base, 7) > 0


@pytest.mark.parametrize(
    ("broken", "game"),
    [
        (Late(SMALL.budget.epsilon, SMALL.delta, SMALL.conversion), SMALL),
        (SeparateAccounts(SMALL.budget), SMALL),
        (FreeThresholds(LEAKY.budget.epsilon, LEAKY.delta), LEAKY),
        # R from twice the delta
        (Budget(COARSE.budget.epsilon, 2 * COARSE.delta, COARSE.conversion), COARSE),
    ],
    ids=["late", "separate accounts", "free thresholds", "double delta"],
)
def test_the_analyst_breaks_filters_with_a_planted_mistake(
    broken: Budget | SeparateAccounts, game: Game
) -> None:
    assert worst_delta(broken, game.tosses, game.base, game.target) > game.delta
