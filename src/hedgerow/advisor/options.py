"""The options for each statistic: calibrated mechanisms that apply, with their expected errors.

The formulas are for the reference of ``hedgerow.advisor``; tests compare them with what the
mechanisms do on such data.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from fractions import Fraction
from functools import partial
from math import ceil, cos, exp, expm1, inf, pi, sqrt
from typing import Any

import numpy as np

from hedgerow.advisor.recommendation import Option
from hedgerow.advisor.request import RecommendationRequest
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.data_dependent.propose_test_release import ProposeTestRelease
from hedgerow.mechanisms.data_dependent.smooth_sensitivity import SmoothSensitivity
from hedgerow.mechanisms.data_dependent.stable_value import Stable
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.selection.exponential import Exponential
from hedgerow.mechanisms.selection.extremes import Extreme
from hedgerow.mechanisms.selection.noisy_max import NoisyMax
from hedgerow.mechanisms.selection.permute_and_flip import PermuteAndFlip
from hedgerow.mechanisms.selection.quantiles import Quantiles
from hedgerow.numeric.exact_number import Number
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sensitivity_table import global_sensitivity

__all__ = ["STATISTICS"]

_FAILURE_PROBABILITY = Fraction(1, 20)
# Among power-law noises with a mean, about the one with the least error under smooth sensitivity.
_NOISE_EXPONENT = 3

StatisticOptions = tuple[str, str, list[Option]]
OptionFactory = Callable[[], Option]


def _list_applicable(*makers: OptionFactory) -> list[Option]:
    """Build the options, without those whose mechanism refuses this price or range."""
    options = []
    for make in makers:
        with suppress(InvalidArgument):
            options.append(make())
    return options


def _build_noise_options(
    q: RecommendationRequest,
    move: Number | Sensitivity,
    grid: Fraction | None,
    *,
    per: int = 1,
    name: str = "",
    note: str = "",
) -> list[Option]:
    """Build the options of Laplace noise, and of Gaussian noise if there is a delta, on one number,
    or on two whose errors are averaged and divided by ``per``."""
    both = isinstance(move, Sensitivity) and move.l0 == 2

    def laplace() -> Option:
        noise = Laplace.calibrate(sensitivity=move, epsilon=q.epsilon, grid=grid)
        mean = (
            float(noise.grid)
            * _compute_mean_magnitude(float(noise.grid / noise.scale))
            * (0.75 if both else 1)
        )
        return Option(
            f"laplace{name}",
            noise,
            mean / per,
            float(noise.error(_FAILURE_PROBABILITY)) / per,
            note or "pure epsilon",
        )

    def gaussian() -> Option:
        noise = Gaussian.calibrate(sensitivity=move, epsilon=q.epsilon, delta=q.delta, grid=grid)
        mean = float(noise.scale) * sqrt((1 if both else 2) / pi)
        return Option(
            f"gaussian{name}",
            noise,
            mean / per,
            float(noise.error(_FAILURE_PROBABILITY)) / per,
            note or "spends delta",
        )

    return _list_applicable(laplace, *([gaussian] if q.delta is not None else []))


def _compute_mean_magnitude(rate: float) -> float:
    """Return the mean magnitude of discrete Laplace noise."""
    return 2 * exp(-rate) / -expm1(-2 * rate)


def _build_count_options(q: RecommendationRequest) -> StatisticOptions:
    inverse, worst = (
        InverseSensitivity.calibrate(epsilon=q.epsilon),
        Laplace(2 / q.epsilon).error(_FAILURE_PROBABILITY),
    )
    half = Option(
        "inverse",
        inverse,
        _compute_mean_magnitude(float(q.epsilon / 2)),
        float(worst),
        "the same noise at half the epsilon",
    )
    return "rows", "whatever the data", [*_build_noise_options(q, 1, None), half]


def _build_sum_options(q: RecommendationRequest) -> StatisticOptions:
    low, high = (
        q.declared_range.lower * q.declared_range.grid,
        q.declared_range.upper * q.declared_range.grid,
    )
    move = global_sensitivity("sum", neighbours=q.neighbours, lower=low, upper=high)
    return _COLUMN_UNITS, "whatever the data", _build_noise_options(q, move, q.declared_range.grid)


def _build_mean_options(q: RecommendationRequest) -> StatisticOptions:
    """Build the options of a mean. If n is private, it comes from two noisy sums, whose errors are
    divided by n to first order."""
    width, grid = q.width, q.declared_range.grid
    if q.neighbours == "change-one":
        return (
            _COLUMN_UNITS,
            "whatever the data",
            _build_noise_options(
                q, width / q.n, Grid.for_distance(width / q.n, "n").step, note="n is public"
            ),
        )
    largest = max(-q.declared_range.lower, q.declared_range.upper) * grid
    middle = abs(float((q.declared_range.lower + q.declared_range.upper) * grid / (2 * largest)))

    def two(name: str, move: Fraction, share: float, note: str) -> Option:
        noise = Laplace.calibrate(
            sensitivity=Sensitivity.each(2, move), epsilon=q.epsilon, grid=grid
        )
        # For Laplace noise Z, Z' of scale 1, |Z + share Z'| has the mean (1 + share +
        # share^2)/(1 + share), and |Z + Z'| is at most 4.12 in 95 % of draws.
        each = float(noise.scale) / q.n
        return Option(name, noise, each * (1 + share + share**2) / (1 + share), 4.12 * each, note)

    both = Sensitivity(2, width, width, width**2)
    found = [
        *_build_noise_options(
            q, both, grid, per=q.n, name=", both ends", note="sums of x - lower and of upper - x"
        ),
        *_list_applicable(
            lambda: two("laplace, centred", width / 2, 0.0, "sum of x - middle, and a count"),
            lambda: two("laplace, plain", largest, middle, "sum and count"),
        ),
    ]
    return (
        _COLUMN_UNITS,
        "where the mean is in the middle of the range and n far above 1/epsilon",
        found,
    )


def _build_quantile_options(q: RecommendationRequest) -> StatisticOptions:
    p, n, quantile = float(q.p), q.n, Quantile(q.p, q.neighbours)
    chosen, inverse = (
        Quantiles.calibrate(at=q.p, neighbours=q.neighbours, epsilon=q.epsilon),
        InverseSensitivity.calibrate(epsilon=q.epsilon),
    )
    off = _compute_mean_rank_error(
        float(q.epsilon / 2 / (1 if q.neighbours == "change-one" else quantile.max_rank_shift)),
        p * n,
        (1 - p) * n,
        n / 2,
        q.rows_per_point,
    )
    ranks = inverse.rank_error(_FAILURE_PROBABILITY, quantile, n, q.declared_range.width)
    found = [
        Option(
            "exponential",
            chosen,
            off,
            min(chosen.error(_FAILURE_PROBABILITY, q.declared_range.width), n),
            "ranks are bounded whatever the data",
        ),
        Option(
            "inverse",
            inverse,
            off,
            None if ranks == inf else ranks,
            "prefers values that occur, else the same",
        ),
        *_build_local_sensitivity_options(q, min(p, 1 - p) * n),
        *_build_global_sensitivity_options(q),
    ]
    return "ranks", _REFERENCE, found


def _build_extreme_options(q: RecommendationRequest) -> StatisticOptions:
    n, rows = q.n, InverseSensitivity.calibrate(epsilon=q.epsilon)
    inside = Extreme.calibrate(side=q.statistic, width=q.declared_range.width, epsilon=q.epsilon)
    # The points beyond the data are n/4 ranks away on average. They weigh as much as n/2 ranks at
    # the depth; the points around the depth weigh as much as 2/factor ranks.
    beyond = n / 2 * exp(-inside.depth * float(inside.factor)) * float(inside.factor) / 2
    off = (inside.depth + beyond * n / 4) / (1 + beyond) if inside.depth < n else 1.25 * n
    worst = inside.error(_FAILURE_PROBABILITY, q.declared_range.width)
    found = [
        Option(
            "rank inside",
            inside,
            off,
            worst if worst < n else None,
            f"aims {inside.depth} ranks inside, so as not to miss the data",
        ),
        Option(
            "inverse",
            rows,
            inf,
            None,
            "useless: every point beyond the data, up to the bound, has length 1",
        ),
        *_build_local_sensitivity_options(q, 0.0),
        *_build_global_sensitivity_options(q),
    ]
    return "ranks", _REFERENCE, found


def _build_global_sensitivity_options(q: RecommendationRequest) -> list[Option]:
    """Build the option of Laplace noise scaled to the global sensitivity, 2n ranks, with answers
    clamped to the range."""
    scale, ends = 2 * q.n / float(q.epsilon), (q.n * (0.5 + float(q.p)), q.n * (1.5 - float(q.p)))
    mean = sum(-scale * expm1(-side / scale) for side in ends) / 2
    noise = partial(
        Laplace.calibrate, sensitivity=q.width, epsilon=q.epsilon, grid=q.declared_range.grid
    )
    return _list_applicable(
        lambda: Option("laplace", noise(), mean, None, "noise as wide as the range")
    )


def _build_local_sensitivity_options(q: RecommendationRequest, inner: float) -> list[Option]:
    """Build the options of noise scaled to smooth sensitivity, and to a tested guess at the local
    sensitivity.

    ``inner`` ranks lie between the quantile and the nearer end of the data. On the reference, k
    changed rows open a window of (k+1) c ranks, where c = 1 under change-one and 2 max(p, 1-p)
    under add-remove. Beyond the end of the data the window includes the empty quarter of the range,
    n/2 ranks.
    """
    n, reach = q.n, float(Quantile(q.p, q.neighbours).max_rank_shift)
    wide, step = (1.0, 1.0) if q.neighbours == "change-one" else (2 * reach, reach)
    cell, end = max(q.rows_per_point, 1.0), max(inner / step - 1, 0.0)

    def smooth(noise: SmoothSensitivity, mean: float, note: str) -> Option:
        beta = float(noise.beta)
        # The number of cells at which the window weighs most.
        best = max(1, round(min(wide / beta, end * wide) / cell))
        inside = best * cell * exp(-beta * max((best * cell - (cell - 1) / 2) / wide - 1, 0.0))
        bound = min(max(inside, (n / 2 + wide * (end + 1)) * exp(-beta * end)), 2.0 * n)
        return Option(
            f"smooth, {noise.noise}",
            noise,
            min(bound * mean / float(noise.alpha), float(n)),
            None,
            note,
        )

    def proposed(delta: Fraction) -> Option:
        # A distance that passes the test 19 times in 20.
        test = Stable.calibrate(epsilon=q.epsilon / 2, delta=delta).error(_FAILURE_PROBABILITY)
        bound = min(q.width, Fraction(ceil(test * wide + 1)) * q.width / (2 * n))
        guess = ProposeTestRelease.calibrate(
            bound=bound, epsilon=q.epsilon, delta=delta, grid=q.declared_range.grid
        )
        off = min(float(guess.noise.scale) / q.rank_width, float(n)) if end > test else float(n)
        return Option(
            "propose-test-release",
            guess,
            off,
            None,
            f"spends delta; bound {float(bound):.3g}; may answer nothing",
        )

    make = partial(
        SmoothSensitivity.calibrate, epsilon=q.epsilon, bound=q.width, grid=q.declared_range.grid
    )
    pure: list[OptionFactory] = [
        lambda: smooth(
            make(gamma=_NOISE_EXPONENT),
            1 / (2 * cos(pi / _NOISE_EXPONENT)),
            "pure; good where data are dense",
        )
    ]
    if (delta := q.delta) is None:
        return _list_applicable(*pure)
    return _list_applicable(
        *pure,
        lambda: smooth(make(noise="laplace", delta=delta), 1.0, "spends delta"),
        partial(proposed, delta),
    )


def _build_mode_options(q: RecommendationRequest) -> StatisticOptions:
    """Build the options of a mode. The error is how many rows rarer the answer is than the mode, in
    the worst case, so no reference is needed."""
    monotone, candidates = q.neighbours == "add-remove", q.declared_range.width + 1

    def option(method: str, mechanism: Any, note: str, times: int = 1) -> Option:
        # The error is 0, or error(b) with probability b; the worst b gives the worst mean.
        mean = max(i / 20 * mechanism.error(Fraction(i, 20), candidates) for i in range(1, 20))
        return Option(
            method,
            mechanism,
            times * mean,
            times * mechanism.error(_FAILURE_PROBABILITY, candidates),
            note,
        )

    steps = 1 if monotone else 2
    given: dict[str, Any] = {"sensitivity": 1, "epsilon": q.epsilon, "monotone": monotone}
    found = [
        option(
            "permute-and-flip", PermuteAndFlip.calibrate(**given), "never worse than exponential"
        ),
        option("exponential", Exponential.calibrate(**given), "cheaper in rho"),
        option("noisy max", NoisyMax.calibrate(**given), "reports the lead as well"),
        option("inverse", InverseSensitivity.calibrate(epsilon=q.epsilon), "half as sharp", steps),
    ]
    if q.delta is not None:
        stable = Stable.calibrate(epsilon=q.epsilon, delta=q.delta)
        lead = steps * stable.error(_FAILURE_PROBABILITY)
        found.append(
            Option(
                "stable",
                stable,
                inf,
                None,
                f"spends delta; exact where the lead is {lead} rows or more, else nothing",
            )
        )
    return "rows", "in the worst case", found


def _compute_mean_rank_error(
    factor: float, left: float, right: float, slack: float, tied: float
) -> float:
    """Return the mean distance, in ranks, of a selection whose weight falls by e^factor a rank for
    ``left`` and ``right`` ranks, and is then constant for ``slack`` ranks.

    Values come in cells of ``tied`` rows, if that is more than one; far ranks are summed in larger
    cells.
    """
    cell = max(tied, 1.0, min(max(left, right), 64 / factor) / 1e5)
    mass, total = 1.0, 0.0
    for side in (left, right):
        far = np.arange(1, int(min(side, 64 / factor) / cell) + 1) * cell
        weight = np.exp(-factor * (far - (cell - 1) / 2))
        end = slack / cell * exp(-factor * side)
        mass += float(weight.sum()) + end
        total += float(weight @ far) + end * (side + slack / 2)
    return total / mass


_COLUMN_UNITS = "units of the column"
_REFERENCE = "for n values spread evenly over the middle half of the range"

STATISTICS: dict[str, Callable[[RecommendationRequest], StatisticOptions]] = {
    "count": _build_count_options,
    "sum": _build_sum_options,
    "mean": _build_mean_options,
    "min": _build_extreme_options,
    "median": _build_quantile_options,
    "max": _build_extreme_options,
    "quantile": _build_quantile_options,
    "mode": _build_mode_options,
}
