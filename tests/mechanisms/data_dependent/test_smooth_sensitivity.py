"""Smooth sensitivity: the exact loss of medians of all small data sets; local sensitivity is
refuted.
"""

from __future__ import annotations

import traceback
from decimal import Decimal
from fractions import Fraction
from itertools import combinations, combinations_with_replacement
from math import cosh, exp, inf, log, nan, pi, tan
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms.data_dependent.smooth_sensitivity import SmoothSensitivity
from hedgerow.numeric import bits
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.privacy.unit import Unit
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from mechanisms import helpers_bad_input as bad

TOP = 12
VALUES = (0, 1, 4, TOP)
RELATIONS = ["change-one", "add-remove"]
NOISES = [("power", None), ("laplace", 1e-2), ("gaussian", 1e-2)]
Rows = tuple[tuple[int, ...], ...]


def made(noise: str = "power", delta: float | None = None, **more: Any) -> SmoothSensitivity:
    return SmoothSensitivity.calibrate(
        **({"epsilon": 1, "delta": delta, "bound": TOP, "noise": noise} | more)
    )


def small(neighbours: str) -> list[Rows]:
    sizes = [3] if neighbours == "change-one" else [0, 1, 2, 3]
    return [
        tuple((x,) for x in rows)
        for n in sizes
        for rows in combinations_with_replacement(VALUES, n)
    ]


def pairs(neighbours: str) -> list[tuple[Rows, Rows]]:
    return [
        (a, b)
        for a, b in combinations(small(neighbours), 2)
        if Unit(neighbours).distance(a, b) == 1
    ]  # type: ignore[arg-type]


def values(rows: Rows) -> SortedSample:
    return SortedSample.from_values(
        np.array([x for (x,) in rows], dtype=np.int64), lower=0, upper=TOP
    )


def laws(
    mechanism: SmoothSensitivity, neighbours: str, window: int, local: bool = False
) -> dict[Rows, np.ndarray]:
    """Return for each data set the log probabilities of a window of outputs.

    ``local`` uses the local sensitivity in the place of S.
    """
    median, found = Quantile(Fraction(1, 2), neighbours), {}
    for rows in small(neighbours):
        sample = values(rows)
        size = (
            max(float(median.local_sensitivity(sample)), 1e-3)
            if local
            else median.smooth_sensitivity(sample, mechanism.beta)
        )
        found[rows] = mechanism.log_prob(np.arange(-window, window + 1), median.value(sample), size)
    return found


@pytest.mark.long
@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize("gamma", [2, 3, Fraction(3, 2)], ids=str)
@pytest.mark.parametrize("epsilon", [0.3, 2])
def test_medians_of_neighbours_differ_by_at_most_epsilon_everywhere(
    neighbours: str, gamma: Fraction, epsilon: float
) -> None:
    mechanism = made(epsilon=epsilon, gamma=gamma)
    found = laws(mechanism, neighbours, 1000)
    worst = max(float(np.abs(found[a] - found[b]).max()) for a, b in pairs(neighbours))
    assert worst <= epsilon * (1 + 1e-6)
    assert worst > epsilon / 4  # what is measured is not nothing


@pytest.mark.parametrize("neighbours", RELATIONS)
@pytest.mark.parametrize(("noise", "delta"), NOISES[1:])
@pytest.mark.parametrize("classical", [False, True])
def test_medians_of_neighbours_keep_epsilon_and_delta(
    neighbours: str, noise: str, delta: float, classical: bool
) -> None:
    mechanism = made(noise, delta, epsilon=0.8, classical=classical)
    found = {rows: np.exp(law) for rows, law in laws(mechanism, neighbours, 3000).items()}
    for p in found.values():
        assert p.sum() == pytest.approx(1, abs=1e-9)
    for a, b in pairs(neighbours):
        for p, q in ((found[a], found[b]), (found[b], found[a])):
            assert np.maximum(p - exp(0.8) * q, 0).sum() <= delta * (1 + 1e-6)


@pytest.mark.parametrize(("noise", "delta"), NOISES)
def test_noise_scaled_to_local_sensitivity_is_caught(noise: str, delta: float | None) -> None:
    mechanism = made(noise, delta)
    found = {
        rows: np.exp(law) for rows, law in laws(mechanism, "change-one", 3000, local=True).items()
    }
    gain = max(np.maximum(found[a] - exp(1) * found[b], 0).sum() for a, b in pairs("change-one"))
    assert gain > 0.3


def test_a_local_sensitivity_is_refused() -> None:
    median = Quantile(Fraction(1, 2), "change-one")
    for use in (lambda s: made().sample(1, s), lambda s: made().log_prob(1, 1, s)):
        with pytest.raises(Refused, match="local sensitivity is not private"):
            use(median.local_sensitivity(values(((0,), (4,), (TOP,)))))
    with pytest.raises(Refused, match="local sensitivity is not private"):
        made(bound=LocalSensitivity(3))


@pytest.mark.parametrize(("noise", "delta"), NOISES)
def test_two_numbers_keep_epsilon_and_delta_at_the_worst_move(
    noise: str, delta: float | None
) -> None:
    mechanism = made(noise, delta, dimension=2, bound=8)
    stretch, size = exp(float(mechanism.beta)) * (1 - 1e-9), 2.0
    window = np.arange(-250, 251)
    both = np.stack([window, window], axis=1)
    for centre in ((2.0, 0.0), (1.0, 1.0), (0.0, 0.0), (0.5, -1.5)):
        for other in (size * stretch, size / stretch):
            one = mechanism.log_prob(both, [0.0, 0.0], size)
            two = mechanism.log_prob(both, list(np.array(centre) * min(1, other / size)), other)
            p, q = (law[:, 0][:, None] + law[:, 1] for law in (one, two))
            if noise == "power":
                assert np.abs(p - q).max() <= 1 + 1e-6
            else:
                for a, b in ((p, q), (q, p)):
                    excess = np.maximum(np.exp(a) - exp(1) * np.exp(b), 0).sum()
                    assert excess <= delta * (1 + 1e-6)  # type: ignore[operator]


def test_known_values_are_reproduced() -> None:
    assert made().beta == Fraction(49, 64)
    assert float(made().alpha) ** 2 == pytest.approx(
        2 * exp(49 / 64) * (cosh(1) - cosh(49 / 64)), rel=1e-12
    )
    assert float(made(epsilon=0.01).alpha ** 2 + made(epsilon=0.01).beta ** 2) == pytest.approx(
        0.01**2, rel=0.01
    )
    assert made(classical=True).alpha == made(classical=True).beta
    assert float(made(classical=True).beta) == pytest.approx(1 / 6, rel=1e-12)
    assert float(made(gamma=4, epsilon=2, dimension=2).alpha) == pytest.approx(3**-0.75, rel=1e-12)
    assert float(made("laplace", 1e-6, classical=True).beta) == pytest.approx(
        1 / (2 * log(2e6)), rel=1e-12
    )
    assert made("laplace", 1e-6).alpha == Fraction(1, 2)


def test_loss_matches_the_stated_epsilon_and_delta() -> None:
    assert made().loss() == Loss(1)
    assert made("laplace", 1e-6).loss() == Loss(1, Fraction(1, 10**6))
    assert made("gaussian", 1e-6).loss(3) == Loss(1, Fraction(1, 10**6)).group(3)


def test_error_is_a_multiple_of_the_smooth_sensitivity() -> None:
    assert made().error(0.05) == pytest.approx(1 / float(made().alpha) / tan(pi * 0.025), rel=1e-5)
    assert made(dimension=2).error(0.05) == pytest.approx(2 / tan(pi * 0.025), rel=1e-5)
    assert made("laplace", 1e-6).error(0.05) == pytest.approx(2 * log(20), rel=1e-5)
    assert made("gaussian", 1e-6).error(0.05) == pytest.approx(1.959964 / 0.121494, rel=1e-5)
    assert made(gamma=Fraction(16, 15)).error(1e-30) == inf
    for noise, delta in NOISES:  # the noise leaves it about as often as stated
        mechanism = made(noise, delta, dimension=1000, bound=1, grid=2**-20)
        outside = sum(
            int((np.abs(mechanism.sample(np.zeros(1000), 1)) > mechanism.error(0.2)).sum())
            for _ in range(5)
        )
        assert abs(outside - 1000) < 7 * (5000 * 0.2 * 0.8) ** 0.5


@pytest.mark.parametrize(("noise", "delta"), NOISES)
@pytest.mark.parametrize("smooth", [0.3, 4])
def test_draws_follow_log_prob(noise: str, delta: float | None, smooth: float) -> None:
    mechanism, n = made(noise, delta, dimension=1000), 20
    drawn = np.concatenate([mechanism.sample(np.full(1000, 0.25), smooth) for _ in range(n)])
    assert drawn.dtype == np.int64
    alone = made(noise, delta, epsilon=1)
    same = SmoothSensitivity(1, delta, TOP, noise=noise)  # type: ignore[arg-type]
    assert alone == same
    window = np.arange(-40, 41)
    p = np.exp(
        made(noise, delta).log_prob(
            window, 0.25, smooth * float(made(noise, delta).alpha / mechanism.alpha)
        )
    )
    for y, chance in zip(window, p, strict=True):
        seen = int((drawn == y).sum())
        assert abs(seen - drawn.size * chance) < 7 * (drawn.size * chance) ** 0.5 + 10
    centred = mechanism.log_prob(np.zeros(1000, dtype=np.int64), np.zeros(1000), smooth)
    assert centred.shape == (1000,)


def test_reals_come_back_on_the_grid_and_whole_numbers_whole() -> None:
    for noise, delta in NOISES:
        assert type(made(noise, delta).sample(5, 2)) is int
        assert type(made(noise, delta).sample(5.5, 2.0)) is int
        real = made(noise, delta, bound=1.5)
        assert real.grid == Fraction(1, 1 << 20)
        noisy = real.sample(0.1, 0.5)
        assert type(noisy) is float
        assert noisy * 2**20 == int(noisy * 2**20)
        assert made(noise, delta, dimension=3, grid=0.25).sample([1, 2, 3], 1).shape == (3,)


def test_little_smooth_sensitivity_is_little_noise_and_none_too_little() -> None:
    for noise, delta in NOISES[1:]:
        for smooth in (1e-9, 1e-300, Fraction(1, 10**400)):
            assert made(noise, delta).sample(7, smooth) == 7
    tiny = made().log_prob(7, 7, 1e-300)
    assert tiny == made().log_prob(7, 7, 1e-100)
    assert tiny == pytest.approx(0, abs=1e-11)


def test_much_privacy_loss_leaves_hardly_any_noise_and_is_not_refused() -> None:
    for noise, delta in NOISES:
        loud = made(noise, delta, epsilon=100, bound=1, grid=2**-20)
        assert abs(loud.sample(0.5, 0.3) - 0.5) < 10


def test_far_answers_are_clamped_not_wrapped() -> None:
    for noise, delta in NOISES[1:]:
        assert abs(made(noise, delta).sample(2**62, 1) - 2**50) < 10**6
        assert abs(made(noise, delta).sample(-1e300, 1) + 2**50) < 10**6
        assert np.isfinite(made(noise, delta, grid=2**-20).sample(1e308, 1))


def test_a_smooth_bound_may_be_rounded_above_the_global_sensitivity() -> None:
    median = Quantile(Fraction(1, 2), "change-one")
    largest = median.smooth_sensitivity(values(((0,), (0,), (TOP,))), made().beta)
    assert largest > TOP
    assert made().log_prob(3, 0, largest) == made().log_prob(3, 0, TOP)
    with pytest.raises(InvalidArgument, match="global sensitivity"):
        made().sample(0, TOP * (1 + 1e-8))


class Script:
    """Random words that are the same in every run, with a record of the requests."""

    def __init__(self) -> None:
        self.asked: list[int] = []
        self._source = np.random.default_rng(3)

    def draw_words(self, count: int) -> np.ndarray:
        self.asked.append(count)
        return self._source.integers(0, 1 << 64, count, dtype=np.uint64)


@pytest.mark.parametrize(("noise", "delta"), NOISES)
def test_random_words_and_public_values_do_not_depend_on_smooth_sensitivity(
    noise: str, delta: float | None, monkeypatch: pytest.MonkeyPatch
) -> None:
    mechanism, asked = made(noise, delta, dimension=50, bound=1, grid=2**-20), []
    face = (repr(mechanism), mechanism.error(0.05), mechanism.loss(), mechanism.grid)
    for smooth in (1, 0.3, 1e-3, 1e-6, 1e-9):
        script = Script()
        monkeypatch.setattr(bits, "_PROCESS_POOL", script)
        mechanism.sample(np.zeros(50), smooth)
        asked.append(script.asked)
    assert all(work == asked[0] for work in asked)
    assert (repr(mechanism), mechanism.error(0.05), mechanism.loss(), mechanism.grid) == face


@pytest.mark.parametrize("epsilon", [*bad.EPSILONS, 100.1, 5e-8], ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    for noise, delta in NOISES:
        with pytest.raises(InvalidArgument) as refusal:
            made(noise, delta, epsilon=epsilon)
        assert refusal.value.argument == "epsilon"


def test_refusals_state_the_range_of_epsilon() -> None:
    for change, told in (
        ({"epsilon": 101}, "epsilon must be at most 100 for smooth sensitivity; got 101."),
        (
            {"epsilon": 1e-9},
            "epsilon must be larger: beta, which is at most epsilon, must be at least 2^-24;"
            " got 1e-09.",
        ),
        (
            {"epsilon": 9, "noise": "laplace", "delta": 1e-6, "classical": True},
            "epsilon must be at most 8 for the classical constants; leave classical out; got 9.0.",
        ),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            made(**change)  # type: ignore[arg-type]
        assert str(refusal.value) == told


@pytest.mark.parametrize("delta", bad.DELTAS, ids=bad.name)
def test_bad_delta_is_refused(delta: Any) -> None:
    for noise in ("laplace", "gaussian"):
        with pytest.raises(InvalidArgument) as refusal:
            made(noise, delta)
        assert refusal.value.argument == "delta"


@pytest.mark.parametrize("bound", [*bad.SENSITIVITIES, 10**13], ids=bad.name)
def test_bad_bound_is_refused(bound: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        made(bound=bound)
    assert refusal.value.argument == ("bound" if bound != 10**13 else "scale")


@pytest.mark.parametrize(
    ("change", "name"),
    [
        ({"delta": 0.1}, "delta"),
        ({"noise": "cauchy"}, "noise"),
        ({"gamma": 1}, "gamma"),
        ({"gamma": 0.1234567}, "gamma"),
        ({"dimension": 0}, "dimension"),
        ({"dimension": 1.5}, "dimension"),
        ({"dimension": 1001}, "dimension"),
        ({"grid": 3}, "grid"),
        ({"grid": 2**-60}, "scale"),
        ({"classical": "yes"}, "classical"),
        ({"dimension": 2, "classical": True}, "dimension"),
    ],
)
def test_other_bad_arguments_are_refused(change: dict[str, Any], name: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        made(**change)
    assert refusal.value.argument == name


def test_bad_fields_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="bound"):
        SmoothSensitivity(1, None, 0)  # type: ignore[arg-type]
    with pytest.raises(InvalidArgument, match="grid"):
        SmoothSensitivity(1, None, 1, 3)  # type: ignore[arg-type]


@pytest.mark.parametrize("beta", bad.LEVELS, ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        made().error(beta)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


@pytest.mark.parametrize(
    "data",
    [*bad.ARRAYS.values(), [1], [1, 2], nan, inf, None, "1", True, Fraction(1, 3)],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(data: object) -> None:
    for dimension in (1, 3):
        with pytest.raises(InvalidArgument) as refusal:
            made(dimension=dimension).sample(data, 1)
        assert refusal.value.argument == "exact"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))
    with pytest.raises(InvalidArgument) as refusal:
        made(dimension=3).log_prob(nan, [1, 2, 3], 1)
    assert refusal.value.argument == "noisy"


@pytest.mark.parametrize(
    "smooth",
    [*bad.NO_NUMBERS, *bad.NOT_POSITIVE, bad.SECRET, bad.SECRET + 0.5, Decimal("1e999999")],
    ids=bad.name,
)
@pytest.mark.usefixtures("dry")
def test_bad_smooth_sensitivity_is_refused_and_not_shown(smooth: object) -> None:
    for noise, delta in NOISES:
        with pytest.raises(InvalidArgument) as refusal:
            made(noise, delta).sample(1, smooth)
        assert refusal.value.argument == "smooth"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize(("noise", "delta"), NOISES)
@pytest.mark.usefixtures("dry")
def test_good_data_reach_the_sampler(noise: str, delta: float | None) -> None:
    with pytest.raises(AssertionError, match="draw"):
        made(noise, delta).sample(1, 1)
