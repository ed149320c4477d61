"""The Gaussian mechanism, on whole numbers.

Statement
    Adding independent noise Z with Pr[Z = z] proportional to exp(-z^2/2 s^2), s = scale/grid, to
    the snapped answers is rho-zCDP with rho = l2^2/2s^2, where l2 is the move of the snapped
    answers that one unit causes, in steps. It has no pure epsilon. One release is (epsilon,
    delta)-DP for every epsilon, with delta = ``delta(epsilon, sensitivity)``, and keeps its rho.

Proof
    log_prob(y | x) = -(y-x)^2/2s^2 + constant in each cell. sum_z p(z)^alpha p(z-k)^(1-alpha) =
    e^(alpha (alpha-1) k^2/2s^2) sum_z e^(-(z-m)^2/2s^2)/sum_z e^(-z^2/2s^2) with m = (1-alpha) k,
    and the last ratio is at most 1 (Poisson summation: the theta function is largest at whole m).
    Cells add up: rho. For (epsilon, delta) see ``numeric.tails.gaussian``: one cell exactly,
    several within a fraction of a step of the continuous Gaussian. One good pair has all three:
    ``privacy.gaussian_composition``.

Accuracy
    ``error(beta)`` is the smallest k with Pr[|Z| > k] <= beta for the discrete noise. The variance
    is at most s^2.

Arithmetic
    Scale, grid and sensitivity are rationals; the noise is drawn exactly
    (``samplers.gaussian_sampler``). delta is a double, rounded up.

Edges
    The classical scale, Delta sqrt(2 ln(1.25/delta))/epsilon, is proved for epsilon <= 1 and
    refused above. The analytic scale of the *continuous* Gaussian is too small for the discrete one
    (by 4 % of delta at epsilon 1, 40 % at 3), so it is not offered. Otherwise as ``laplace``.

Source
    Canonne, Kamath, Steinke (NeurIPS 2020); Balle and Wang (ICML 2018) for the analytic form; Dwork
    and Roth (2014), theorem A.1.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_delta, parse_epsilon, parse_positive
from hedgerow.numeric.rounding import log_up, round_digits_up, sqrt_up
from hedgerow.numeric.samplers.gaussian_sampler import discrete_gaussian
from hedgerow.numeric.samplers.sample_pool import SamplePool
from hedgerow.numeric.tails.gaussian import gaussian_log_mass, gaussian_radius
from hedgerow.numeric.validation import parse_beta
from hedgerow.numeric.vectorised import check_scale
from hedgerow.privacy.gaussian_composition import GaussianCells, compute_gaussian_loss
from hedgerow.privacy.grid import Grid, get_grid
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["Gaussian", "find_smallest_scale"]

_SAMPLES = SamplePool(discrete_gaussian)


@dataclass(frozen=True, slots=True)
class Gaussian:
    """Gaussian noise of standard deviation ``scale`` on the given ``grid``."""

    shape: ClassVar[str] = "additive"
    scale: Fraction
    grid: Fraction = Fraction(1)

    def __init__(self, scale: Number, grid: Number = 1) -> None:
        object.__setattr__(self, "scale", parse_positive(scale, "scale"))
        object.__setattr__(self, "grid", Grid(grid).step)
        check_scale(self.scale / self.grid)

    @classmethod
    def calibrate(
        cls,
        *,
        sensitivity: Number | Sensitivity | None = None,
        epsilon: Number | None = None,
        delta: Number | None = None,
        rho: Number | None = None,
        grid: Number | None = None,
    ) -> Gaussian:
        """Return the least noise for ``sensitivity`` within ``rho``, or ``epsilon`` and ``delta``.

        The latter bounds a single release.
        """
        if (rho is None) != (epsilon is not None and delta is not None) or (
            rho is not None and (epsilon, delta) != (None, None)
        ):
            raise InvalidArgument("rho", "must be given, or else epsilon together with delta", rho)
        move = Sensitivity.of(sensitivity)
        on = Grid.for_sensitivity(move, grid)
        steps = on.steps(move)
        if rho is None:
            eps, limit = parse_epsilon(epsilon), parse_delta(delta)
            scale = find_smallest_scale(
                lambda s: compute_gaussian_loss([(Fraction(s), steps)], eps).delta <= limit
            )
            return cls(on.step * scale, on.step)
        spend = parse_epsilon(rho, "rho")
        return cls(on.step * round_digits_up(sqrt_up(steps.l2_squared / (2 * spend))), on.step)

    @classmethod
    def classical(
        cls,
        *,
        sensitivity: Number | Sensitivity | None = None,
        epsilon: Number,
        delta: Number,
        grid: Number | None = None,
    ) -> Gaussian:
        """Return the textbook scale, l2 sqrt(2 ln(1.25/delta))/epsilon.

        It is larger than necessary, and proved for epsilon up to 1 only.
        """
        eps, limit = parse_epsilon(epsilon), parse_delta(delta)
        if eps > 1:
            raise InvalidArgument(
                "epsilon",
                "must be at most 1 for the classical scale, which is not private above; use"
                " Gaussian.calibrate",
                epsilon,
            )
        tight = cls.calibrate(sensitivity=sensitivity, epsilon=eps, delta=limit, grid=grid)
        steps = Grid(tight.grid).steps(Sensitivity.of(sensitivity))
        textbook = round_digits_up(
            sqrt_up(2 * log_up(Fraction(5, 4) / limit) * steps.l2_squared) / eps
        )
        # the textbook is about the continuous Gaussian; the discrete one sometimes needs more
        return cls(max(tight.grid * textbook, tight.scale), tight.grid)

    def loss(self, sensitivity: Number | Sensitivity, epsilon: Number | None = None) -> Loss:
        """Return the loss of one release: its rho, and with an ``epsilon`` its delta there."""
        return compute_gaussian_loss(
            [self.cells(sensitivity)], None if epsilon is None else parse_epsilon(epsilon)
        )

    def cells(self, sensitivity: Number | Sensitivity) -> GaussianCells:
        """Return scale and sensitivity in steps, for joint pricing
        (``privacy.gaussian_composition``).
        """
        return self.scale / self.grid, get_grid(self.grid).steps(Sensitivity.of(sensitivity))

    def delta(self, epsilon: Number, sensitivity: Number | Sensitivity) -> float:
        """Return an upper bound on the delta of one release at ``epsilon``."""
        return float(self.loss(sensitivity, parse_epsilon(epsilon)).delta)

    def sample(self, exact: Any) -> Any:
        """Add noise to a number, or independent noise to each cell of an array."""
        return get_grid(self.grid).add_noise(exact, _SAMPLES, self.scale)

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """Return the log probability of each noisy value, given the exact one."""
        return gaussian_log_mass(
            get_grid(self.grid).distance(noisy, exact), float(self.scale / self.grid)
        )

    def error(self, beta: Number) -> Any:
        """Return the smallest radius that noise exceeds with probability at most ``beta``."""
        return get_grid(self.grid).to_radius(
            gaussian_radius(float(self.scale / self.grid), parse_beta(beta))
        )


def find_smallest_scale(enough: Callable[[float], bool], tolerance: float = 1e-12) -> Fraction:
    """Return a scale that is ``enough``, within a relative ``tolerance`` of the smallest.

    The returned scale itself has been checked.
    """
    high = 1.0
    while not enough(high):
        high *= 2
    low = high / 2
    while enough(low) and low > 1e-3:
        high, low = low, low / 2
    while high - low > tolerance * high:
        middle = (low + high) / 2
        low, high = (low, middle) if enough(middle) else (middle, high)
    return Fraction(high)
