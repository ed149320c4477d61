"""Stable values: the exact loss of every pair of neighbours; the threshold without the 1 is
refuted.
"""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import exp, inf, log, nan

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.stable_value import Stable
from hedgerow.privacy.loss import Loss
from hedgerow.verify.divergence import epsilon_distance, is_private, ln
from mechanisms import helpers_bad_input as bad
from mechanisms import helpers_exact_distributions as exactly

RATES = [Fraction(1, 10), Fraction(1, 2), Fraction(2, 3), Fraction(4, 5)]
DELTAS = [Fraction(1, 5), Fraction(1, 1000), Fraction(1, 10**6)]
DISTANCES = (nan, -inf, 0, -1, 0.5, True, "1", None, [1], 1j)


def chain(q: Fraction, threshold: int, sides: tuple[int, int]) -> dict[int, dict[object, Fraction]]:
    """Return data sets in a row: the answer is "no" below 0 and "yes" from 0 on.

    D counts the steps to the other side.
    """
    table: dict[int, dict[object, Fraction]] = {}
    for place in range(-sides[0], sides[1]):
        answer, distance = ("no", -place) if place < 0 else ("yes", place + 1)
        table[place] = exactly.tested(
            exactly.at_least(q, threshold - distance), {answer: exactly.ONE}
        )
    return table


def within(k: int) -> object:
    return lambda a, b: abs(a - b) <= k


@pytest.mark.long
@pytest.mark.parametrize("q", RATES, ids=str)
@pytest.mark.parametrize("delta", DELTAS, ids=float)
@pytest.mark.parametrize("k", [1, 3])
def test_every_pair_keeps_epsilon_and_delta_exactly(q: Fraction, delta: Fraction, k: int) -> None:
    threshold = k + exactly.threshold(q, delta)
    table = chain(q, threshold, (k + 2, threshold + 6))
    assert is_private(table, k * ln(1 / q), delta, within(k))
    # One less, and the two data sets that disagree furthest from each other break it.
    assert not is_private(
        chain(q, threshold - 1, (k + 2, threshold + 6)), k * ln(1 / q), delta, within(k)
    )


@pytest.mark.parametrize("epsilon", [Fraction(1, 4), Fraction(1), Fraction(3)], ids=str)
@pytest.mark.parametrize("delta", [Fraction(1, 100), Fraction(1, 10**9)], ids=float)
@pytest.mark.parametrize("k", [1, 2])
def test_the_mechanism_passes_the_laws(epsilon: Fraction, delta: Fraction, k: int) -> None:
    mechanism = Stable.calibrate(epsilon=epsilon, delta=delta, group=k)
    q = exactly.q_of(mechanism.scale)
    far = mechanism.threshold + 3
    places = sorted({*range(-k - 1, k + 2), *range(far - k - 4, far)})
    table = {
        place: law
        for place, law in chain(q, mechanism.threshold, (k + 1, far)).items()
        if place in places
    }
    verdict = is_private(table, epsilon, delta + exactly.HAIR, within(k))
    assert verdict.private, str(verdict)
    loss = mechanism.loss(k)
    assert loss.epsilon == epsilon
    assert verdict.distance.value <= loss.delta + exactly.HAIR
    assert q * delta < loss.delta <= delta  # not one step of the threshold is given away


def test_a_threshold_without_the_extra_unit_is_refuted_above_ln_2() -> None:
    # Continuous noise, threshold ln(1/delta)/epsilon: at D = 1 a release has probability e^epsilon
    # delta/2.
    delta = Fraction(1, 1000)
    for ratio, private in (
        (Fraction(3, 2), True),
        (Fraction(2), True),
        (Fraction(201, 100), False),
        (Fraction(3), False),
        (Fraction(20), False),
    ):
        one, other = (
            exactly.tested(ratio * delta / 2, {answer: exactly.ONE}) for answer in ("yes", "no")
        )
        verdict = is_private({0: one, 1: other}, ln(ratio), delta, [(0, 1)])
        assert verdict.private is private
        assert verdict.distance.value == ratio * delta / 2


def test_the_loss_of_a_threshold_without_the_extra_unit_shows_the_breach() -> None:
    for epsilon in (0.1, 1, 5):
        right = Stable.calibrate(epsilon=epsilon, delta=1e-6)
        wrong = Stable(right.scale, right.threshold - 1)
        assert wrong.loss().delta > Fraction(1, 10**6)
        one, other = (
            {
                answer: Fraction(wrong.release_probability(1)),
                None: 1 - Fraction(wrong.release_probability(1)),
            }
            for answer in "ab"
        )
        assert epsilon_distance(one, other, epsilon).value > Fraction(1, 10**6)


def test_known_values_are_reproduced() -> None:
    mechanism = Stable.calibrate(epsilon=1, delta=1e-6)
    # q^m/(1+q) <= 10^-6 from m = 14 on; the continuous threshold is 1 + ln(1/2 delta)/epsilon =
    # 14.1
    assert (mechanism.scale, mechanism.threshold) == (1, 15)
    assert 1 + log(1 / 2e-6) == pytest.approx(14.12, abs=0.01)
    assert float(mechanism.loss().delta) == pytest.approx(exp(-14) / (1 + exp(-1)), rel=1e-12)
    assert mechanism.loss().rho == Loss(1).rho


@pytest.mark.parametrize("scale", [Fraction(1, 2), Fraction(1), Fraction(7)], ids=str)
def test_release_probability_at_every_distance(scale: Fraction) -> None:
    mechanism = Stable(scale, 12)
    q = exactly.q_of(scale)
    for distance in range(1, 60):
        assert mechanism.release_probability(distance) == pytest.approx(
            float(exactly.at_least(q, 12 - distance)), rel=1e-12
        )
    assert mechanism.release_probability(inf) == 1
    assert mechanism.release_probability(10**400) == 1


def test_loss_grows_with_the_group() -> None:
    mechanism = Stable.calibrate(epsilon=1, delta=1e-6)
    pair = mechanism.loss(2)
    assert pair.epsilon == 2
    assert float(pair.delta) == pytest.approx(float(mechanism.loss().delta) * exp(1), rel=1e-12)
    assert pair.delta < mechanism.loss().group(2).delta  # which knows nothing of D
    assert pair.rho < mechanism.loss().group(2).rho
    assert 0.5 < mechanism.loss(20).delta < 1


def test_error_is_the_smallest_distance_from_the_threshold_on() -> None:
    for scale in (Fraction(1, 3), Fraction(1), Fraction(20)):
        mechanism = Stable(scale, 10)
        for beta in (0.5, 0.05, 1e-9):
            distance = mechanism.error(beta)
            assert mechanism.release_probability(distance) >= 1 - beta
            assert distance == 10 or mechanism.release_probability(distance - 1) < 1 - beta


def test_draws_follow_the_release_probability() -> None:
    mechanism, n = Stable(Fraction(2), 5), 5_000
    for distance in (1, 4, 5, 8):
        p = mechanism.release_probability(distance)
        hits = sum(mechanism.sample("yes", distance) == "yes" for _ in range(n))
        assert abs(hits - n * p) < 7 * (n * p * (1 - p)) ** 0.5


def test_the_output_is_the_answer_or_none() -> None:
    mechanism = Stable.calibrate(epsilon=1, delta=1e-9)
    answer = {"any": ["thing"]}
    assert mechanism.sample(answer, inf) is answer
    assert mechanism.sample(answer, 10**6) is answer
    assert mechanism.sample(None, inf) is None
    assert Stable(Fraction(1, 1000), 10).sample(answer, 1) is None


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Stable.calibrate(epsilon=epsilon, delta=1e-6)  # type: ignore[arg-type]
    assert refusal.value.argument == "epsilon"


@pytest.mark.parametrize("delta", bad.DELTAS, ids=bad.name)
def test_bad_delta_is_refused(delta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Stable.calibrate(epsilon=1, delta=delta)  # type: ignore[arg-type]
    assert refusal.value.argument == "delta"


def test_missing_delta_is_refused() -> None:
    with pytest.raises(TypeError, match="delta"):
        Stable.calibrate(epsilon=1)  # type: ignore[call-arg]


@pytest.mark.parametrize("group", [0, -1, 1.5, nan, None, "1", True])
def test_bad_group_is_refused(group: object) -> None:
    for use in (
        lambda k: Stable.calibrate(epsilon=1, delta=0.1, group=k),
        Stable(Fraction(1), 3).loss,
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use(group)
        assert refusal.value.argument == "group"


def test_bad_fields_are_refused() -> None:
    for fields, name in (
        ((0, 1), "scale"),
        ((1e-13, 1), "scale"),
        ((10**13, 1), "scale"),
        ((1, 0), "threshold"),
        ((1, 2.5), "threshold"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            Stable(*fields)  # type: ignore[arg-type]
        assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="scale"):
        Stable.calibrate(epsilon=1e-12, delta=0.1, group=2)


@pytest.mark.parametrize("beta", bad.LEVELS, ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Stable(Fraction(1), 3).error(beta)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


@pytest.mark.parametrize("distance", [*DISTANCES, bad.SECRET + 0.5], ids=bad.name)
@pytest.mark.usefixtures("dry")
def test_bad_distances_are_refused_before_anything_is_drawn(distance: object) -> None:
    for use in (
        lambda d: Stable(Fraction(1), 3).sample("yes", d),
        Stable(Fraction(1), 3).release_probability,
    ):
        with pytest.raises(InvalidArgument, match="at least 1, or infinity") as refusal:
            use(distance)
        assert refusal.value.argument == "distance"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.usefixtures("dry")
def test_a_good_distance_reaches_the_sampler() -> None:
    with pytest.raises(AssertionError, match="draw"):
        Stable(Fraction(1), 3).sample("yes", 1)
