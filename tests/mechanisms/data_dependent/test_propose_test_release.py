"""Propose-test-release: exact loss on all small data sets; the short threshold is refuted twice."""

from __future__ import annotations

import traceback
from collections.abc import Callable
from fractions import Fraction
from itertools import combinations_with_replacement
from math import ceil, exp, inf, log, nan, sqrt
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms import Laplace
from hedgerow.mechanisms.data_dependent.propose_test_release import ProposeTestRelease
from hedgerow.privacy.sensitivity import LocalSensitivity, Sensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.verify.audit import audit
from hedgerow.verify.divergence import epsilon_distance, is_private, ln
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_exact_distributions as exactly

TOP = 3
DISTANCES = (nan, -inf, -1, 0.5, False, True, "1", None, [1], 1j)
Rows = tuple[tuple[int, ...], ...]


def small(neighbours: str) -> list[Rows]:
    """Return all data sets over 0, …, 3: of three rows, or of up to three."""
    sizes = [3] if neighbours == "change-one" else [0, 1, 2, 3]
    return [
        tuple((x,) for x in rows)
        for n in sizes
        for rows in combinations_with_replacement(range(TOP + 1), n)
    ]


def values(rows: Rows) -> SortedSample:
    return SortedSample.from_values(
        np.array([x for (x,) in rows], dtype=np.int64), lower=0, upper=TOP
    )


def answer_law(
    q: Fraction, step: Fraction, threshold: int, exact: int, distance: float, top: int = TOP
) -> dict[Any, Fraction]:
    """Return the output distribution for test noise of rate ``q`` and answer noise of ``step``."""
    release = exactly.ONE if distance == inf else exactly.at_least(q, threshold - int(distance))
    return exactly.tested(release, exactly.noisy(step, exact, 0, top))


@pytest.mark.parametrize("neighbours", ["change-one", "add-remove"])
@pytest.mark.parametrize("p", [Fraction(1, 2), Fraction(1)], ids=["median", "max"])
@pytest.mark.parametrize("bound", [1, 2])
def test_every_pair_of_small_data_sets_keeps_two_epsilon_and_delta_exactly(
    neighbours: str, p: Fraction, bound: int
) -> None:
    statistic, step, delta = Quantile(p, neighbours), Fraction(1, 2), Fraction(1, 50)
    q = step**bound
    threshold = exactly.threshold(q, delta)
    table = {}
    for rows in small(neighbours):
        sample = values(rows)
        table[rows] = answer_law(
            q, step, threshold, statistic.value(sample), statistic.distance(sample, bound)
        )
    assert len({law[None] for law in table.values()}) > 1
    verdict = is_private(table, 2 * ln(1 / q), delta, Unit(neighbours))  # type: ignore[arg-type]
    assert verdict.private, str(verdict)


def test_a_custom_distance_function_works() -> None:
    # The answer is the number of rows squared; a row more or less moves it by 2 n + 1 or 2 n - 1,
    # more than 5 from n = 3 on.
    q, step, delta = Fraction(1, 32), Fraction(1, 2), Fraction(1, 1000)
    threshold = exactly.threshold(q, delta)

    def law(n: int) -> dict[Any, Fraction]:
        return answer_law(q, step, threshold, n**2, max(3 - n, 0), 50)

    table = {n: law(n) for n in range(8)}
    assert is_private(table, 2 * ln(32), delta, lambda a, b: abs(a - b) == 1)
    # The same with a D that is wrong by one: 2 and 3 may differ by 5 only, but 3 and 4 release, 7
    # apart.
    wrong = {
        n: answer_law(q, step, threshold, n**2, max(threshold + 3 - n, 0), 50) for n in range(8)
    }
    assert not is_private(wrong, 2 * ln(32), delta, lambda a, b: abs(a - b) == 1)


def far_pair(q: Fraction, threshold: int, jump: int = 1000) -> list[dict[Any, Fraction]]:
    """Return two neighbours at D = 0 whose answers lie far apart.

    The proposed bound is 1, the noise that of e.
    """
    laws = (exactly.noisy(q, exact, 0, jump) for exact in (0, jump))
    grouped = (
        {
            "low": sum(
                w for y, w in law.items() if y == "lower" or (y != "higher" and 2 * y < jump)
            ),
            "high": None,
        }
        for law in laws
    )
    result = []
    for law in grouped:
        law["high"] = 1 - law["low"]
        result.append(exactly.tested(exactly.at_least(q, threshold), law))
    return result


@pytest.mark.parametrize("q", [Fraction(1, 10), Fraction(1, 2), Fraction(2, 3)], ids=str)
def test_the_threshold_is_the_smallest_that_keeps_delta(q: Fraction) -> None:
    delta = Fraction(1, 1000)
    threshold = exactly.threshold(q, delta)
    right, wrong = far_pair(q, threshold), far_pair(q, threshold - 1)
    assert epsilon_distance(*right, 2 * ln(1 / q)).value <= delta
    assert epsilon_distance(*wrong, 2 * ln(1 / q)).value > delta


@pytest.mark.parametrize("root", [2, 3, 4, 5, 10, 1000])
def test_the_short_threshold_is_refuted_exactly_for_delta_below_an_eighth(root: int) -> None:
    # Continuous noise at the threshold ln(2/delta)/(2 epsilon), delta = 2/root^2: a release at D =
    # 0 has probability sqrt(delta/2)/2.
    delta, release = Fraction(2, root**2), Fraction(1, 2 * root)
    assert float(release) == pytest.approx(sqrt(delta / 2) / 2)
    # jumps far beyond the noise
    one, other = (exactly.tested(release, {where: exactly.ONE}) for where in ("low", "high"))
    verdict = is_private({0: one, 1: other}, 1, delta, [(0, 1)])
    assert verdict.private is (delta >= Fraction(1, 8))
    assert verdict.distance.value == release


@pytest.mark.long
def test_the_short_threshold_is_refuted_by_audit() -> None:
    epsilon, delta = 1.0, 1e-3
    far = ceil(log(2 / delta) / (2 * epsilon))
    wrong = ProposeTestRelease(1, Laplace(Fraction(1)), 1, far)  # type: ignore[arg-type]

    def side(exact: int) -> bool | None:
        return None if (noisy := wrong.sample(exact, 0)) is None else noisy > 500

    found = audit(side, 0, 1000, samples=15_000, confidence=0.99, delta=delta)
    assert found.refutes(epsilon)
    assert wrong.loss().delta > 10 * delta
    assert wrong.release_probability(0) == pytest.approx(exp(-4) / (1 + exp(-1)))


def test_the_mechanism_passes_the_laws() -> None:
    for epsilon, k in ((1, 1), (4, 1), (2, 3)):
        delta = Fraction(1, 500)
        mechanism = ProposeTestRelease.calibrate(bound=1, epsilon=epsilon, delta=delta, group=k)
        loss = mechanism.loss(k)
        assert loss.epsilon == epsilon
        assert loss.delta <= delta
        q, step = exactly.q_of(mechanism.test), exactly.q_of(mechanism.noise.scale)
        # Answers on a staircase: from place 0 on they move by one a step, and before that by 12,
        # which is more than the bound.
        table = {
            i: answer_law(q, step, mechanism.threshold, i if i >= 0 else 12 * i, max(i, 0), 4)
            for i in range(-k - 1, k + 3)
        }
        verdict = is_private(
            table, epsilon, delta + exactly.HAIR, lambda a, b, k=k: abs(a - b) <= k
        )
        assert verdict.private, str(verdict)


def test_known_values_are_reproduced() -> None:
    mechanism = ProposeTestRelease.calibrate(bound=5, epsilon=1, delta=1e-6)
    assert (mechanism.test, mechanism.noise.scale, mechanism.noise.grid) == (2, 10, 1)
    # ln(1/delta)/e = 27.6, and the discrete tail is half of e^-27/2
    assert mechanism.threshold == 27
    assert mechanism.loss().epsilon == 1
    assert mechanism.loss().delta <= Fraction(1, 10**6)
    same = ProposeTestRelease(5, Laplace(10), 2, 27)  # type: ignore[arg-type]
    assert mechanism.loss().rho == same.loss().rho
    assert mechanism.error(0.05) == Laplace(Fraction(10)).error(0.05)


def test_reals_are_released_on_their_grid() -> None:
    mechanism = ProposeTestRelease.calibrate(bound=0.3, epsilon=1, delta=1e-6, grid=2**-10)
    assert mechanism.loss().epsilon == 1
    noisy = mechanism.sample(0.1, inf)
    assert noisy * 1024 == int(noisy * 1024)


def test_release_probability_and_draws() -> None:
    mechanism, n = ProposeTestRelease.calibrate(bound=2, epsilon=2, delta=0.01), 5_000
    q = exactly.q_of(mechanism.test)
    for distance in range(20):
        expected = float(exactly.at_least(q, mechanism.threshold - distance))
        assert mechanism.release_probability(distance) == pytest.approx(expected, rel=1e-12)
    assert mechanism.release_probability(inf) == 1
    for distance in (2, 4, 5):
        p = mechanism.release_probability(distance)
        released = [y for _ in range(n) if (y := mechanism.sample(7, distance)) is not None]
        assert abs(len(released) - n * p) < 7 * (n * p * (1 - p)) ** 0.5
        assert abs(np.mean(released) - 7) < 7 * sqrt(8 / len(released))
        assert all(type(y) is int for y in released)


def test_a_bound_above_the_global_sensitivity_always_passes() -> None:
    sample = SortedSample.from_values([1, 2, 3], lower=0, upper=10)
    median = Quantile(Fraction(1, 2), "change-one")
    assert median.distance(sample, 10) == inf
    assert (
        ProposeTestRelease.calibrate(bound=10, epsilon=1, delta=1e-6).sample(
            median.value(sample), median.distance(sample, 10)
        )
        is not None
    )


def test_a_constant_column_is_released_and_a_wild_one_is_not() -> None:
    median, mechanism = (
        Quantile(Fraction(1, 2), "change-one"),
        ProposeTestRelease.calibrate(bound=1, epsilon=2, delta=1e-9),
    )
    for data, released in (([50] * 201, True), ([0] * 100 + [50] + [100] * 100, False)):
        sample = SortedSample.from_values(data, lower=0, upper=100)
        assert (
            mechanism.sample(median.value(sample), median.distance(sample, 1)) is not None
        ) is released


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ProposeTestRelease.calibrate(bound=1, epsilon=epsilon, delta=1e-6)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"


@pytest.mark.parametrize("delta", bad.DELTAS, ids=bad.name)
def test_bad_delta_is_refused(delta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=delta)  # type: ignore[arg-type]
    assert refusal.value.argument == "delta"


@pytest.mark.parametrize("bound", [*bad.SENSITIVITIES, Sensitivity.of(1)], ids=bad.name)
def test_bad_bound_is_refused(bound: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ProposeTestRelease.calibrate(bound=bound, epsilon=1, delta=1e-6)  # type: ignore[arg-type]
    assert refusal.value.argument == "bound"


def test_a_bound_read_off_the_data_is_refused() -> None:
    with pytest.raises(Refused, match="local sensitivity"):
        ProposeTestRelease.calibrate(bound=LocalSensitivity(3), epsilon=1, delta=1e-6)


@pytest.mark.parametrize("group", [0, -1, 1.5, nan, None, "1", True])
def test_bad_group_is_refused(group: object) -> None:
    def calibrate(k: Any) -> object:
        return ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=0.1, group=k)

    uses: list[Callable[[Any], object]] = [
        calibrate,
        ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=0.1).loss,
    ]
    for use in uses:
        with pytest.raises(InvalidArgument) as refusal:
            use(group)
        assert refusal.value.argument == "group"


def test_bad_fields_are_refused() -> None:
    noise = Laplace(Fraction(1))
    for fields, name in (
        ((0, noise, 1, 1), "bound"),
        ((1, 3, 1, 1), "noise"),
        ((1, noise, 0, 1), "test"),
        ((1, noise, 10**13, 1), "test"),
        ((1, noise, 1, 0), "threshold"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            ProposeTestRelease(*fields)  # type: ignore[arg-type]
        assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="test"):
        ProposeTestRelease.calibrate(bound=1, epsilon=1e-12, delta=0.1)


@pytest.mark.parametrize("distance", [*DISTANCES, bad.SECRET + 0.5], ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_distances_are_refused_before_anything_is_drawn(distance: object) -> None:
    mechanism = ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=0.1)
    for use in (lambda d: mechanism.sample(1, d), mechanism.release_probability):
        with pytest.raises(InvalidArgument, match="at least 0, or infinity") as refusal:
            use(distance)
        assert refusal.value.argument == "distance"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(
    "data",
    [*bad.ARRAYS.values(), [1], np.array(1), nan, inf, None, "1", True, 0.5],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(data: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=0.1).sample(data, 0)
    assert refusal.value.argument == "exact"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.usefixtures("dry")
def test_good_data_reach_the_sampler() -> None:
    with pytest.raises(AssertionError, match="draw"):
        ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=0.1).sample(1, 0)
