"""Each ceiling against the best channel of its kind, found by linear programming, and against
mechanisms that reach it.
"""

from __future__ import annotations

import math
from fractions import Fraction
from itertools import pairwise, product
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.optimize import linprog

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace
from hedgerow.privacy.zcdp_conversion import convert_rho_to_delta
from hedgerow.risk.attack.attack_bounds import EPSILONS, Ceiling, epsilon_for, list_epsilon_choices

CASES = [("change-one", "attribute"), ("add-remove", "presence"), ("add-remove", "attribute")]
OUTCOMES = 4


def best_channel(epsilon: float, delta: float, prior: float, worlds: int) -> float:
    """The largest success over all mechanisms with four answers, of which the first two are read as
    yes: a linear program over the law of answers in the worlds yes, no and, for two steps, missing,
    with the definition of privacy for every event."""
    size, cost, rows, sides = worlds * OUTCOMES, np.zeros(worlds * OUTCOMES), [], []
    cost[0:2], cost[OUTCOMES + 2 : 2 * OUTCOMES] = -prior, -(1 - prior)
    pairs = [(0, 1), (1, 0)] if worlds == 2 else [(0, 2), (2, 0), (1, 2), (2, 1)]
    for (a, b), event in product(pairs, product((0, 1), repeat=OUTCOMES)):
        row = np.zeros(size)
        row[a * OUTCOMES : (a + 1) * OUTCOMES] = event
        row[b * OUTCOMES : (b + 1) * OUTCOMES] -= math.exp(epsilon) * np.array(event)
        rows.append(row)
        sides.append(delta)
    whole = np.kron(np.eye(worlds), np.ones(OUTCOMES))
    found = linprog(
        cost, A_ub=np.array(rows), b_ub=sides, A_eq=whole, b_eq=np.ones(worlds), bounds=(0, 1)
    )
    assert found.success
    return float(-found.fun)


@pytest.mark.parametrize(("relation", "secret"), CASES)
@pytest.mark.parametrize(
    ("epsilon", "delta"),
    [(0.0, 0.0), (0.0, 0.3), (0.1, 0.01), (1.0, 0.0), (1.0, 0.01), (3.0, 0.0), (3.0, 0.3)],
)
def test_no_channel_beats_a_ceiling_and_one_reaches_it(
    relation: Any, secret: Any, epsilon: float, delta: float
) -> None:
    ceiling = Ceiling(relation, secret, Fraction(str(epsilon)), Fraction(str(delta)))
    for prior in (0.5, 0.2, 0.9):
        best = best_channel(epsilon, delta, prior, 1 + ceiling.steps)
        assert float(ceiling.success(prior)) == pytest.approx(best, abs=1e-7)


@pytest.mark.parametrize("epsilon", [0.01, 0.5, 1.0, 2.0, 7.0])
def test_the_formulas_of_the_mission(epsilon: float) -> None:
    e, x, d = Fraction(str(epsilon)), math.exp(epsilon), 0.001
    for relation, secret in CASES[:2]:
        assert float(Ceiling(relation, secret, e).success()) == pytest.approx(
            x / (1 + x), abs=1e-12
        )  # type: ignore[arg-type]
        assert float(Ceiling(relation, secret, e, Fraction(1, 1000)).success()) == pytest.approx(
            (x + d) / (1 + x), abs=1e-12
        )  # type: ignore[arg-type]
    assert float(Ceiling("add-remove", epsilon=e).success()) == pytest.approx(
        1 - 1 / x / 2, abs=1e-12
    )
    assert float(
        Ceiling("add-remove", epsilon=e, delta=Fraction(1, 1000)).success()
    ) == pytest.approx(1 - (1 - 2 * d) / x / 2, abs=1e-12)
    rho = e / 10
    assert float(Ceiling("change-one", rho=rho).success()) == pytest.approx(
        0.5 + math.sqrt(epsilon / 20) / 2, abs=1e-12
    )
    both = 0.5 + math.sqrt(epsilon / 20)
    assert float(Ceiling("add-remove", rho=rho).success()) == pytest.approx(
        min(both, 0.5 + math.sqrt(1 - math.exp(-0.4 * epsilon)) / 2), abs=1e-12
    )
    assert Ceiling("add-remove", rho=rho).success() <= Fraction(both) + Fraction(1, 10**12)


def test_the_numbers_of_the_rules() -> None:
    """A sum over +1 and -1, one question: .816 at 1 and .932 at 2 against .731 and .881; belief
    88 % at 1.
    """
    assert [
        round(float(Ceiling("add-remove", epsilon=Fraction(e)).success()), 3) for e in (1, 2)
    ] == [0.816, 0.932]
    assert [
        round(float(Ceiling("change-one", epsilon=Fraction(e)).success()), 3) for e in (1, 2)
    ] == [0.731, 0.881]
    assert round(float(Ceiling("add-remove", epsilon=Fraction(1)).belief()), 2) == 0.88
    assert round(float(Ceiling("change-one", epsilon=Fraction(1)).belief()), 2) == 0.73


@pytest.mark.parametrize("epsilon", [0.25, 1, 2, 4])
def test_two_mechanisms_reach_their_ceilings(epsilon: float) -> None:
    """A noisy count of one person (0 or 1), and a noisy sum of one person (+1 or -1), read at
    the middle, from their own log_prob.
    """
    noise = Laplace.calibrate(sensitivity=1, epsilon=epsilon)
    span = int(200 / epsilon)
    count = sum(math.exp(noise.log_prob(noisy, 1)) for noisy in range(1, span))
    assert count == pytest.approx(
        float(Ceiling("change-one", epsilon=Fraction(str(epsilon))).success()), abs=1e-9
    )
    total = (
        sum(math.exp(noise.log_prob(noisy, 1)) for noisy in range(1, span))
        + math.exp(noise.log_prob(0, 1)) / 2
    )
    assert total == pytest.approx(
        float(Ceiling("add-remove", epsilon=Fraction(str(epsilon))).success()), abs=1e-9
    )


@settings(max_examples=many(15))
@given(st.floats(0.01, 0.99), st.floats(0.01, 0.99), st.floats(0.01, 0.99))
def test_no_bit_beats_the_ceiling_of_its_rho(yes: float, no: float, prior: float) -> None:
    """The rho of an answer of one bit, over a grid of orders that goes down to almost 1; its
    success, exactly.
    """
    rho = 0.0
    for p, q in ((yes, no), (no, yes)):
        for order in (1.0001, 1.01, 1.1, 1.5, 2.0, 4.0, 16.0, 64.0):
            power = p**order * q ** (1 - order) + (1 - p) ** order * (1 - q) ** (1 - order)
            rho = max(rho, math.log(power) / (order - 1) / order)
    best = max(prior * yes, (1 - prior) * no) + max(prior * (1 - yes), (1 - prior) * (1 - no))
    # At order 1.0001 the grid is below the limit by a few parts in 10^4 of rho.
    assert (
        best
        <= float(
            Ceiling("change-one", rho=Fraction(max(rho, 0.0)) * Fraction(1001, 1000)).success(prior)
        )
        + 1e-6
    )


@pytest.mark.parametrize("rho", [Fraction(1, 100), Fraction(1, 2), Fraction(3), Fraction(20)])
def test_gaussian_noise_stays_below_its_rho(rho: Fraction) -> None:
    shift = math.sqrt(2 * float(rho))  # standard deviations between the worlds
    for secret, steps in (("presence", 1), ("attribute", 2)):
        success = 0.5 * (1 + math.erf(steps * shift / 2 / math.sqrt(2)))
        ceiling = float(Ceiling("add-remove", secret, rho=rho).success())  # type: ignore[arg-type]
        assert success <= ceiling <= 1
        assert ceiling < success + 0.15


@settings(max_examples=many(15))
@given(st.floats(0.01, 5), st.floats(0.01, 0.99))
def test_belief_is_reached_by_randomised_response(epsilon: float, prior: float) -> None:
    x = math.exp(epsilon)
    after = prior * x / (prior * x + 1 - prior)
    assert float(Ceiling("change-one", epsilon=Fraction(epsilon)).belief(prior)) == pytest.approx(
        after, abs=1e-12
    )
    twice = prior * x * x / (prior * x * x + 1 - prior)
    assert float(Ceiling("add-remove", epsilon=Fraction(epsilon)).belief(prior)) == pytest.approx(
        twice, abs=1e-12
    )
    assert float(
        Ceiling("add-remove", "presence", Fraction(epsilon)).belief(prior)
    ) == pytest.approx(after, abs=1e-12)


def test_a_curve_has_both_sides_and_holds_the_prior() -> None:
    curve = Ceiling("change-one", epsilon=Fraction(1)).belief_curve(
        [Fraction(k, 20) for k in range(1, 20)]
    )
    assert all(low <= prior <= high for prior, low, high in curve)
    assert [1 - low for _, low, _ in curve] == [high for _, _, high in reversed(curve)]
    assert all(one[2] < two[2] for one, two in pairwise(curve))
    assert all(
        low == prior == high
        for prior, low, high in Ceiling("add-remove", epsilon=Fraction(0)).belief_curve([0.25])
    )


def test_belief_with_delta_holds_but_for_a_chance() -> None:
    """The worst channel: with probability delta the secret itself, else randomised response."""
    ceiling = Ceiling("change-one", epsilon=Fraction(1), delta=Fraction(1, 1000))
    assert ceiling.belief() == ceiling.belief(but=Fraction(1, 1000)) == 1
    most = ceiling.belief(but=Fraction(1, 100))
    assert math.e / (1 + math.e) < float(most) < 0.76
    assert ceiling.belief(but=Fraction(1, 2)) < most
    through = Ceiling("add-remove", epsilon=Fraction(1), delta=Fraction(1, 1000))
    assert through.belief(but=Fraction(37, 10000)) == 1  # (1 + e)/1000
    assert through.belief(but=Fraction(1, 100)) < 1


@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(1)])
def test_belief_with_rho_holds_but_for_a_chance(rho: Fraction) -> None:
    """Gaussian noise: the logarithm of the odds grows by a normal draw with mean rho and
    variance 2 rho.
    """
    ceiling, chance = Ceiling("change-one", rho=rho), 0.01
    assert ceiling.belief() == 1
    odds = math.log(float(ceiling.belief(but=chance)) / (1 - float(ceiling.belief(but=chance))))
    assert 0.5 * math.erfc((odds - float(rho)) / math.sqrt(2 * float(rho)) / math.sqrt(2)) <= chance
    assert Ceiling("change-one", rho=Fraction(0)).belief(0.3) == Fraction(3, 10)


def test_far_out() -> None:
    huge = Ceiling("add-remove", epsilon=Fraction(10_000))
    assert huge.success() == huge.belief() == 1
    assert Ceiling("add-remove", epsilon=Fraction(10_000), delta=Fraction(1, 2)).belief() == 1
    assert Ceiling("change-one", rho=Fraction(10_000)).success() == 1
    assert (
        Ceiling(
            "change-one", epsilon=Fraction(1), delta=convert_rho_to_delta(Fraction(1, 10), 1)
        ).success()
        < 1
    )


def test_a_table_for_choosing() -> None:
    table = list_epsilon_choices("change-one")
    assert [choice.epsilon for choice in table] == list(EPSILONS)
    # one step: the best guess and the strongest belief are one
    assert all(choice.belief == choice.success for choice in table)
    assert all(one.belief > one.success for one in list_epsilon_choices("add-remove"))
    assert all(one.belief < two.belief for one, two in pairwise(table))


@pytest.mark.parametrize(("relation", "secret"), CASES)
def test_the_epsilon_of_a_belief(relation: Any, secret: Any) -> None:
    for belief, prior in ((0.75, 0.5), (0.6, 0.1), (0.999, 0.9)):
        epsilon = epsilon_for(belief, relation, secret, prior)
        assert Ceiling(relation, secret, epsilon).belief(prior) <= Fraction(str(belief))
        assert Ceiling(relation, secret, epsilon + Fraction(1, 10**9)).belief(prior) > Fraction(
            str(belief)
        )
    with pytest.raises(InvalidArgument, match=r"must be above the prior belief of 0.5"):
        epsilon_for(0.5, relation, secret)


@pytest.mark.parametrize(
    ("arguments", "words"),
    [
        ({"relation": "beside"}, "relation must be"),
        ({"secret": "name"}, "secret must be"),
        ({"relation": "change-one", "secret": "presence"}, "hides nobody's presence"),
        ({"epsilon": None}, "or rho must be given"),
        ({"rho": Fraction(1)}, "but not both"),
        ({"epsilon": -1}, "epsilon must be at least 0"),
        ({"delta": 1}, "delta must be below 1"),
        ({"epsilon": None, "rho": Fraction(1), "delta": Fraction(1, 2)}, "needs epsilon, not rho"),
    ],
)
def test_bad_guarantees_are_refused(arguments: dict[str, Any], words: str) -> None:
    with pytest.raises(InvalidArgument, match=words):
        Ceiling(**({"relation": "add-remove", "epsilon": Fraction(1)} | arguments))


def test_a_chance_is_below_one() -> None:
    with pytest.raises(InvalidArgument, match="but must be below 1"):
        Ceiling("change-one", epsilon=Fraction(1)).belief(but=1)
