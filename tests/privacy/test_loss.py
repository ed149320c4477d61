from __future__ import annotations

import json
import math
from collections.abc import Callable
from fractions import Fraction
from functools import reduce
from itertools import combinations, pairwise
from operator import add

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.rounding import exp_down, exp_up, log_up
from hedgerow.privacy import Loss, compute_pure_rho, convert_rho_to_epsilon

INF = math.inf
STEP = Fraction(1, 10**30)

amounts = st.fractions(min_value=0, max_value=20, max_denominator=1000)
bounds = amounts | st.just(INF)
deltas = st.fractions(min_value=0, max_value=1, max_denominator=10**6)
losses = st.builds(Loss, bounds, deltas, bounds)

BAD = [-1, -1e-320, float("nan"), -INF, True, np.True_, np.False_, "1", None, 1j, [1]]


# --- the value


def test_rho_is_filled_in_for_a_pure_epsilon_only() -> None:
    assert Loss(0.5).rho == compute_pure_rho(0.5)
    assert Loss(0.5, 1e-6).rho == compute_pure_rho(0.5)
    assert Loss(0.5, 0, 0.01).rho == Fraction(1, 100)
    assert Loss(INF).rho == INF
    assert Loss(INF, 0, 0.01) == Loss(np.float64(INF), Fraction(0), Fraction(1, 100))


def test_numbers_are_kept_as_written() -> None:
    loss = Loss(0.1, 1e-9, 0.01)
    assert (loss.epsilon, loss.delta, loss.rho) == (
        Fraction(1, 10),
        Fraction(1, 10**9),
        Fraction(1, 100),
    )
    assert Loss(np.float64(0.1)) == Loss(Fraction(1, 10)) == Loss(0.1)
    assert Loss(1e-320).epsilon == Fraction(1, 10**320)


def test_rho_is_rounded_up() -> None:
    rho = Loss(INF, 0, Fraction(1, 3)).rho
    assert 0 < rho - Fraction(1, 3) < STEP
    assert Loss(INF, 0, rho).rho == rho


@pytest.mark.parametrize("value", BAD)
def test_bad_values_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
        Loss(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^delta must"):
        Loss(1, value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^rho must be"):
        Loss(1, Fraction(0), value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1.5, INF, 1e400])
def test_delta_is_a_probability(value: float) -> None:
    with pytest.raises(InvalidArgument, match=r"^delta must"):
        Loss(1, value)  # type: ignore[arg-type]


# --- composition


@given(losses, losses, losses)
def test_sums_are_exact_whatever_the_order(a: Loss, b: Loss, c: Loss) -> None:
    assert a + b == b + a
    assert (a + b) + c == a + (b + c)
    assert a + Loss(0) == a
    assert (a + b).epsilon == a.epsilon + b.epsilon
    assert (a + b).rho == a.rho + b.rho
    assert (a + b).delta == min(1, a.delta + b.delta)


@given(losses, st.integers(1, 9))
def test_multiplication_is_repeated_addition(loss: Loss, n: int) -> None:
    assert n * loss == loss * n == reduce(add, [loss] * n)


def test_ten_tenths_are_one() -> None:
    assert reduce(add, [Loss(0.1)] * 10).epsilon == 1


def test_infinity_swallows_even_numbers_too_large_for_a_float() -> None:
    assert (Loss(Fraction(10) ** 400) + Loss(INF, 0, 1)).epsilon == INF


@given(losses)
def test_zero_releases_cost_nothing(loss: Loss) -> None:
    assert 0 * loss == loss * 0 == Loss(0)
    assert 0 * loss + loss == loss


@pytest.mark.parametrize("value", [*BAD, 0.5, INF])
def test_bad_counts_of_releases_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^count must be"):
        value * Loss(1)  # type: ignore[operator]


@pytest.mark.parametrize("value", [*BAD, 0, 0.5, INF])
def test_bad_counts_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^k must be"):
        Loss(1).group(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^k must be"):
        Loss.parallel(Loss(1), k=value)  # type: ignore[arg-type]


def test_only_losses_add_up() -> None:
    with pytest.raises(TypeError):
        Loss(1) + 1  # type: ignore[operator]


# --- groups


@given(bounds, bounds, st.integers(1, 5), st.integers(1, 5))
def test_group_loss_without_delta(
    epsilon: Fraction | float, rho: Fraction | float, k: int, m: int
) -> None:
    loss = Loss(epsilon, Fraction(0), rho)
    assert loss.group(k).epsilon == k * loss.epsilon
    assert loss.group(k).rho == k * k * loss.rho
    assert loss.group(k).group(m) == loss.group(k * m)


def test_a_group_is_not_composition() -> None:
    loss = Loss(INF, 0, 1)
    assert (3 * loss).rho == 3
    assert loss.group(3).rho == 9


def test_group_loss_with_delta() -> None:
    loss = Loss(1, Fraction(1, 10**9), Fraction(1, 100)).group(3)
    assert loss.epsilon == 3
    assert float(loss.delta) == pytest.approx((1 + math.exp(1) + math.exp(2)) * 1e-9, rel=1e-12)
    # The good pairs of the three steps differ: nine times rho = 0.09 is not known, the rho of a
    # pure 3 is.
    assert loss.rho == compute_pure_rho(3)


def test_group_loss_with_infinite_epsilon_is_unknown() -> None:
    assert Loss(INF, 1e-9, 0.01).group(2) == Loss(INF, Fraction(1), INF)
    assert Loss(INF, 1e-9, 0.01).group(1) == Loss(INF, 1e-9, 0.01)
    assert Loss(1000, 1e-9).group(3).delta == 1
    assert Loss(5, 1e-3).group(3).delta == 1


@given(
    st.fractions(min_value=0, max_value=3),
    st.integers(2, 40),
    st.sampled_from([Fraction(1, 10**100), Fraction(1, 10**9)]),
)
def test_the_delta_of_a_group_is_the_sum_of_what_the_steps_add(
    epsilon: Fraction, k: int, delta: Fraction
) -> None:
    """At least the sum of the terms, and at most one part in 10^15 more; also for tiny epsilon."""
    found = Loss(epsilon, delta).group(k).delta
    if found < 1:
        low, high = (
            sum((bound(i * epsilon) for i in range(k)), Fraction(0)) * delta
            for bound in (exp_down, exp_up)
        )
        assert low <= found <= high * (1 + Fraction(1, 10**15))


@pytest.mark.parametrize(
    "epsilon", [Fraction(0), Fraction(1, 10**39), Fraction(1, 10**60), Fraction(1, 10**12)]
)
def test_the_group_delta_at_a_tiny_epsilon_is_k_times_delta(epsilon: Fraction) -> None:
    found = Loss(epsilon, Fraction(1, 10**9)).group(1000).delta
    assert 0 <= found - Fraction(1, 10**6) < Fraction(1, 10**14)


@pytest.mark.parametrize("k", [2, 3, 5])
def test_coins_attain_the_delta_of_a_group(k: int) -> None:
    ratio, delta = Fraction(2), Fraction(1, 10**4)
    chances = [Fraction(0)]
    for _ in range(k):
        chances.append(ratio * chances[-1] + delta)
    laws = [[chance, 1 - chance] for chance in reversed(chances)]
    assert all(
        max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio)) == delta
        for p, q in pairwise(laws)
    )
    bound = Loss(log_up(ratio), delta).group(k).delta
    assert 0 <= bound - hockey_stick(laws[0], laws[-1], ratio**k) < Fraction(1, 10**20)


def hockey_stick(p: list[Fraction], q: list[Fraction], ratio: Fraction) -> Fraction:
    return sum((max(Fraction(0), a - ratio * b) for a, b in zip(p, q, strict=True)), Fraction(0))


@given(
    st.lists(
        st.lists(st.integers(0, 9), min_size=3, max_size=3).filter(any), min_size=3, max_size=4
    )
)
def test_the_group_bound_holds_along_any_chain(chain: list[list[int]]) -> None:
    # e^eps = 2. What the steps need in delta, the ends need at most as group() says.
    laws = [[Fraction(x, sum(row)) for x in row] for row in chain]
    k, ratio = len(laws) - 1, Fraction(2)
    step = max(max(hockey_stick(p, q, ratio), hockey_stick(q, p, ratio)) for p, q in pairwise(laws))
    bound = Loss(Fraction(math.log(2)) + Fraction(1, 10**15), step).group(k)
    assert hockey_stick(laws[0], laws[-1], ratio**k) <= bound.delta


# --- disjoint parts


@given(st.lists(losses, min_size=1, max_size=5), st.integers(1, 3))
def test_parallel_covers_every_choice_of_parts(parts: list[Loss], k: int) -> None:
    for may_move, touched in ((False, k), (True, 2 * k)):
        bound = Loss.parallel(*parts, k=k, may_move=may_move)
        sums = [reduce(add, chosen) for chosen in combinations(parts, min(touched, len(parts)))]
        assert bound.epsilon == max(s.epsilon for s in sums)
        assert bound.delta == max(s.delta for s in sums)
        assert bound.rho == max(s.rho for s in sums)


def test_parallel_composition_adds_the_dearest_parts() -> None:
    months = [Loss(0.1)] * 11 + [Loss(0.3)]
    assert Loss.parallel(*months) == Loss(0.3)
    assert Loss.parallel(*months, may_move=True) == Loss(0.3) + Loss(0.1)
    assert Loss.parallel(*months, k=12) == reduce(add, months)
    # A histogram under change-one is two cells of Lap(2/eps).
    assert Loss.parallel(*[Loss(0.5)] * 20, may_move=True).epsilon == 1


@pytest.mark.parametrize("parts", [(), (1,), (Loss(1), None)])
def test_parallel_needs_losses(parts: tuple[Loss, ...]) -> None:
    with pytest.raises(InvalidArgument, match=r"^losses must be at least one Loss"):
        Loss.parallel(*parts)


# --- reading it as (epsilon, delta)


def test_epsilon_at_takes_the_better_branch_after_paying_its_own_delta() -> None:
    few, many = Loss(1), 10_000 * Loss(0.01)
    assert few.epsilon_at(1e-6) == 1
    assert many.epsilon_at(0) == 100
    assert many.epsilon_at(1e-6) == convert_rho_to_epsilon(many.rho, 1e-6) < 6
    with_delta = Loss(INF, 1e-7, 0.1)
    assert with_delta.epsilon_at(1e-6) == convert_rho_to_epsilon(
        Fraction(1, 10), Fraction(9, 10**7)
    )
    assert with_delta.epsilon_at(1e-7) == INF
    assert with_delta.epsilon_at(1e-8) == INF
    assert Loss(1, 1e-7).epsilon_at(1e-7) == 1
    assert Loss(1, 1e-7).epsilon_at(1e-8) == INF
    assert Loss(INF).epsilon_at(0.1) == INF


def test_delta_at_takes_the_better_branch_and_adds_its_own_delta() -> None:
    assert Loss(1).delta_at(1) == 0
    assert Loss(1, 1e-7).delta_at(2) == Fraction(1, 10**7)
    assert Loss(INF).delta_at(5) == 1
    gaussian = Loss(INF, 1e-7, 0.1)
    assert Fraction(1, 10**7) < gaussian.delta_at(3) < Fraction(1, 10**6)
    assert Loss(INF, Fraction(1, 2), 5).delta_at(0) == 1
    assert 0 < Loss(2).delta_at(1) < 1


@given(
    st.builds(Loss, amounts, deltas, bounds), st.integers(2, 12).map(lambda k: Fraction(1, 10**k))
)
def test_epsilon_at_and_delta_at_agree(loss: Loss, over: Fraction) -> None:
    total = loss.delta + over
    if total < 1:
        epsilon = loss.epsilon_at(total)
        assert epsilon <= loss.epsilon
        assert loss.delta_at(epsilon) <= total * (1 + Fraction(1, 10**9))


@pytest.mark.parametrize("value", BAD)
def test_bad_deltas_and_epsilons_are_refused(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^delta must be"):
        Loss(1).epsilon_at(value)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match=r"^epsilon must be"):
        Loss(1).delta_at(value)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [1, 1.5, INF])
def test_epsilon_at_needs_a_delta_below_one(value: float) -> None:
    with pytest.raises(InvalidArgument, match=r"^delta must be"):
        Loss(1).epsilon_at(value)


# --- text


@given(losses)
def test_the_text_reads_back_as_the_same_loss(loss: Loss) -> None:
    assert Loss.from_dict(json.loads(json.dumps(loss.to_dict()))) == loss


def test_the_text_is_stable() -> None:
    assert Loss(0.1, 1e-9, 0.01).to_dict() == {
        "epsilon": "1/10",
        "delta": "1/1000000000",
        "rho": "1/100",
    }
    assert Loss(INF, 0, 2).to_dict() == {"epsilon": "inf", "delta": "0/1", "rho": "2/1"}
    assert Loss(INF).to_dict() == {"epsilon": "inf", "delta": "0/1", "rho": "inf"}


GOOD = {"epsilon": "1/10", "delta": "0/1", "rho": "1/100"}


@pytest.mark.parametrize(
    "data",
    [
        {},
        [],
        None,
        "loss",
        {"epsilon": "1/10", "delta": "0/1"},
        {**GOOD, "note": "1/1"},
        {**GOOD, "rho": "inf"},  # a finite epsilon always has its rho written down
        {**GOOD, "rho": "1/3"},  # not a multiple of 10^-30
        {**GOOD, "delta": "inf"},
        {**GOOD, "delta": "2/1"},
        {**GOOD, "delta": "0/7"},
        *(
            {**GOOD, "epsilon": text}
            for text in (
                "2/20",
                "01/10",
                "1/0",
                "-1/10",
                "0.1",
                "1",
                "1/10 ",
                "1/-2",
                "",
                "nan",
                "١/٢",
                None,
                1,
                0.1,
            )
        ),
        {**GOOD, "epsilon": "1/1" + "0" * 5000},
    ],
)
def test_malformed_text_is_refused(data: object) -> None:
    with pytest.raises(InvalidArgument):
        Loss.from_dict(data)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("loss", "text"),
    [
        (lambda: Loss(0.5), "epsilon 0.5, rho 0.12246"),
        (lambda: Loss(0), "epsilon 0"),
        (lambda: Loss(INF, 1e-12, Fraction(1, 3)), "delta 1e-12, rho 0.333334 (no pure epsilon)"),
        (lambda: Loss(INF, 0, 0), "rho 0 (no pure epsilon)"),
        (lambda: Loss(INF), "epsilon infinite, rho infinite"),
        (lambda: Loss(10, 0, 2), "epsilon 10, rho 2"),
        (lambda: Loss(Fraction(10) ** 20, 0, 2), "epsilon 1e+20, rho 2"),
    ],
)
def test_str_shows_the_finite_parts(loss: Callable[[], Loss], text: str) -> None:
    assert str(loss()) == text
