"""Smooth sensitivity: noise scaled to a private, smoothed bound on the local sensitivity.

Statement
    Let S be a beta-smooth upper bound on the local sensitivity (for ``dimension`` = d numbers, in
    the l1 norm). Releasing f(x) + (S(x)/alpha) Z, rounded to a public grid, with independent noise
    Z of one of these distributions in every coordinate, is (epsilon, delta)-DP. F, t and the
    constants for several numbers are in ``numeric.tails.smooth_noise_constants``; for one number

    - ``power``, density proportional to 1/(1+|z|^gamma): delta = 0, alpha the least of F(epsilon,
      r), e^beta F(epsilon - beta, r + beta) and F(epsilon + beta, r - beta), r = epsilon/(gamma-1);
      for gamma = 2 and small epsilon: alpha^2 + beta^2 = epsilon^2;
    - ``laplace``: alpha = epsilon/2, and beta the largest with beta + e^-beta alpha <= epsilon and
      t(alpha, beta) <= delta;
    - ``gaussian``: the largest multiple of the pair for several numbers, with d = 1, for which
      t(alpha, beta) <= delta.

Proof
    Let x and x' be neighbours, in either order. S(x) and S(x') both bound the move of f between
    them: |f(x) - f(x')| <= min(S(x), S(x')). And S(x)/S(x') lies between e^-beta and e^beta. So in
    units of the narrower noise the centres are at most alpha apart, and the wider noise is at most
    e^beta times as wide. Both directions, x with the narrower noise and x with the wider, are
    bounded for all such distances and widths in ``smooth_noise_constants``; for several numbers by
    a dilation to S(x') and then a slide. Rounding is post-processing.

Accuracy
    The scale S(x)/alpha is itself private, so no radius can be reported. ``error(beta)`` gives the
    multiple of S(x) that the noise of one coordinate exceeds with probability at most beta;
    rounding adds up to half a grid step.

Arithmetic
    alpha and beta are rationals, rounded down; the draw is exactly rounded
    (``samplers.rounded_samplers``), as if all numbers were real.

Edges
    S is smooth under one relation, which may include a filter (``sensitivity.neighbour_moves``).
    ``bound`` is the global sensitivity: it is public, it fixes the grid, and S(x) is clamped to it.
    S(x) above it by more than rounding is refused, as are S <= 0 (no smooth bound is 0 unless the
    answer is constant) and local sensitivity. Noise is at least 10^-12 steps wide. Up to gamma = 3
    the power noise has no variance, up to 2 no mean. ``classical`` uses the published constants:
    smaller, for d = 1, and except for power noise for epsilon up to 8 and delta up to 1/20.

Source
    Nissim, Raskhodnikova, Smith (STOC 2007), lemmas 2.5 to 2.9, with their constants; the joint
    bounds for one number are ours.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, ClassVar

import numpy as np
from numpy.typing import NDArray

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact, parse_positive
from hedgerow.numeric.samplers.laplace_sampler import rounded_laplace
from hedgerow.numeric.samplers.rounded_samplers import rounded_gaussian, rounded_power
from hedgerow.numeric.tails.smooth_noise import log_mass, noise_radius
from hedgerow.numeric.tails.smooth_noise_constants import compute_constants
from hedgerow.numeric.validation import parse_array, parse_beta
from hedgerow.numeric.vectorised import MAX_CENTRE, MIN_SCALE, Floats, check_scale
from hedgerow.privacy.grid import Grid, get_grid
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import LocalSensitivity, Sensitivity
from hedgerow.sensitivity.smooth_weights import MIN_BETA

__all__ = ["SmoothSensitivity"]

# a smooth bound is computed slightly too large
_ROUNDING_MARGIN, _ROUND_DOWN = 1 + Fraction(1, 1 << 30), 1 - 2.0**-50
_SAMPLERS = {"laplace": rounded_laplace, "gaussian": rounded_gaussian}


@dataclass(frozen=True, slots=True)
class SmoothSensitivity:
    """Additive ``noise`` of the private scale S(x)/alpha; usually made by ``calibrate``.

    alpha and beta follow from the other parameters.
    """

    shape: ClassVar[str] = "smooth"
    epsilon: Fraction
    delta: Fraction
    bound: Fraction
    grid: Fraction = Fraction(1)
    noise: str = "power"
    gamma: Fraction = Fraction(2)
    dimension: int = 1
    classical: bool = False
    alpha: Fraction = field(init=False)
    beta: Fraction = field(init=False)

    def __post_init__(self) -> None:
        constants = compute_constants(
            self.noise, self.epsilon, self.delta, self.gamma, self.dimension, self.classical
        )
        place = {"bound": parse_positive(self.bound, "bound"), "grid": Grid(self.grid).step}
        for name, value in (constants._asdict() | place).items():
            object.__setattr__(self, name, value)
        if self.beta < MIN_BETA:
            raise InvalidArgument(
                "epsilon",
                "must be larger: beta, which is at most epsilon, must be at least 2^-24",
                float(self.epsilon),
            )
        check_scale(max(self.bound / (self.alpha * self.grid), MIN_SCALE))

    @classmethod
    def calibrate(
        cls,
        *,
        epsilon: Number,
        bound: Number,
        delta: Number | None = None,
        noise: str = "power",
        gamma: Number = 2,
        dimension: int = 1,
        grid: Number | None = None,
        classical: bool = False,
    ) -> SmoothSensitivity:
        """Return the least noise for ``epsilon``, and ``delta`` unless the noise is ``power``.

        ``bound`` is the global sensitivity.
        """
        parse_positive(bound, "bound")
        step = Grid.for_sensitivity(Sensitivity.of(bound), grid).step
        return cls(epsilon, delta, bound, step, noise, gamma, dimension, classical)  # type: ignore[arg-type]

    def loss(self, group: int = 1) -> Loss:
        """Return the loss of one release towards a group of this many units."""
        return Loss(self.epsilon, self.delta).group(group)

    def sample(self, exact: Any, smooth: Any) -> Any:
        """Add noise scaled to the ``smooth`` sensitivity of ``exact``.

        ``exact`` is one number, or a vector of ``dimension`` numbers.
        """
        centre, scale = self._parse_centre(exact), self._compute_scale(smooth)
        drawn = (
            rounded_power(centre, scale, self.gamma)
            if self.noise == "power"
            else _SAMPLERS[self.noise](centre, scale)
        )
        return get_grid(self.grid).to_value(drawn if drawn.ndim else int(drawn))

    def log_prob(self, noisy: Any, exact: Any, smooth: Any) -> Any:
        """Return the log probability of each coordinate, or of each noisy value of one number."""
        centre, scale = self._parse_centre(exact), float(self._compute_scale(smooth))
        off = np.floor(self._convert_to_steps(noisy, "noisy") + 0.5) - centre
        return log_mass(self.noise, float(self.gamma), (off - 0.5) / scale, (off + 0.5) / scale)

    def error(self, beta: Number) -> float:
        """Return the multiple of S(x) that the noise of a coordinate exceeds with probability
        ``beta``.
        """
        return noise_radius(self.noise, float(self.gamma), parse_beta(beta)) / (
            float(self.alpha) * _ROUND_DOWN
        )

    def _convert_to_steps(self, value: Any, argument: str) -> Floats:
        """Return real numbers in grid steps.

        Whole numbers beyond 2^53 are clamped, which moves no neighbours apart.
        """
        array: NDArray[Any] = parse_array(value, argument)
        if array.dtype.kind == "i":
            array = np.clip(array, -(1 << 53), 1 << 53)
        with np.errstate(over="ignore", under="ignore"):
            return np.asarray(array.astype(np.float64) / float(self.grid))

    def _parse_centre(self, exact: Any) -> Floats:
        steps = self._convert_to_steps(exact, "exact")
        several = self.dimension > 1
        if steps.shape != ((self.dimension,) if several else ()):
            wanted = f"a list of {self.dimension} numbers" if several else "one number"
            raise InvalidArgument("exact", f"must be {wanted}")
        return np.clip(steps, -MAX_CENTRE, MAX_CENTRE)

    def _compute_scale(self, smooth: Any) -> Fraction:
        """Return S(x)/alpha in grid steps.

        S is clamped at two public numbers, the bound and one far below the grid, which leaves it
        smooth.
        """
        if isinstance(smooth, LocalSensitivity):
            Sensitivity.of(smooth)  # raises Refused
        try:
            size = parse_exact(smooth, "smooth")
        except InvalidArgument:
            size = Fraction(0)
        if isinstance(smooth, (float, np.floating)) and size > 0:
            size = Fraction(float(smooth))  # data are taken as exact doubles
        if not 0 < size <= self.bound * _ROUNDING_MARGIN:
            raise InvalidArgument(
                "smooth", "must be a number above 0 and at most the bound, the global sensitivity"
            )
        return max(min(size, self.bound) / (self.alpha * self.grid), MIN_SCALE)
