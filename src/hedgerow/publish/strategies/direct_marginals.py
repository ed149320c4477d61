"""Marginals measured directly and made consistent by least squares.

| symbol | meaning |
|---|---|
| W | a measured set of attributes, with the noisy marginal y_W |
| u_W | the variance of the noise in each cell of y_W |
| A | a subset of attributes, with the residual r_A (``residual_basis``) |
| c | the number of cells of W that are summed into one cell of A |
| s_A^2 | the variance of the estimated residual of A |
| P | I - 11'/m for an attribute of m codes |
| e_W | the share of epsilon that W gets |

Statement
    Let the marginals y_W of some sets W be measured with independent noise of variance u_W in every
    cell. Least squares estimates every residual r_A by the mean of its estimates from all measured
    marginals that contain A, weighted by inverse variance: the centred sum of y_W over the
    attributes outside A has the covariance u_W c (product of P over A). So 1/s_A^2 = sum over W
    around A of 1/(u_W c), the estimates for different A are uncorrelated, and ``residual_basis``
    gives the rest.

Proof
    The projections onto the residuals of W are orthogonal and sum to I, so white noise has
    uncorrelated parts of the same variance in each; and x_W is free within the space that the r_A
    span. The squares therefore separate into one sum for each A, of estimates of one vector whose
    covariances are multiples of one matrix: the weighted mean. []

Division of epsilon. Without shared information, answers of variance u_W = 2 l1^2/e_W^2 in n cells
each have the least sum if e_W is proportional to the cube root of n weight. Where marginals share
information, the derivative of the total expected error gives the worth of each e_W; a few steps
along it are taken, and the best division met is kept. The alternative is the table of all
attributes at once, if it is small: with few cells and add-remove it costs no more than one
marginal. The choice depends on public numbers only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgerow.accuracy.noise_profile import NoiseProfile, compute_profile_radii
from hedgerow.accuracy.noise_sum import bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.residual_basis import (
    MarginalWorkload,
    Positions,
    ResidualStrategy,
    centre_table,
    list_subsets,
)
from hedgerow.publish.strategies.strategy import MIN_VARIANCE, AdditiveNoise, Floats, Measurement
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = ["DirectMarginals"]

_MAX_TABLE_CELLS: Final = 2**20  # of the table of all attributes, to be a candidate
# pairs of a wanted and a measured marginal up to which the exact noise of answers is computed
_MAX_PROFILED_PAIRS: Final = 10_000
_ITERATIONS: Final = 40
_MIN_SHARE: Final = 1e-5  # a marginal with less of the budget is not measured


@dataclass(frozen=True, slots=True)
class DirectMarginals(ResidualStrategy):
    """The marginals of the ``measured_sets``, each with its noise, and all wanted marginals from
    them.
    """

    name: str
    workload: MarginalWorkload
    measured_sets: tuple[Positions, ...]
    mechanisms: tuple[AdditiveNoise, ...]

    @classmethod
    def plan(cls, marginals: MarginalWorkload, terms: PrivacyParameters) -> DirectMarginals:
        """Return the better of two plans: each marginal with a share of the price, or the table of
        all their attributes with the whole of it.
        """
        found = [cls.plan_divided(marginals, terms)]
        union = tuple(sorted({place for places, _ in marginals.wanted for place in places}))
        if marginals.count_cells(union) <= _MAX_TABLE_CELLS:
            found.append(
                cls(
                    "the whole table",
                    marginals,
                    (union,),
                    terms.calibrate_all([_build_block(marginals, union)], [1.0]),
                )
            )
        return min(
            found, key=lambda strategy: marginals.weighted_error(strategy.residual_variances())
        )

    @classmethod
    def plan_divided(cls, marginals: MarginalWorkload, terms: PrivacyParameters) -> DirectMarginals:
        """Plan each wanted marginal with its share; marginals that follow from others and deserve
        no share are not measured.
        """
        sets = [places for places, _ in marginals.wanted]
        shares = _divide_budget(marginals, terms)
        kept = [index for index in range(len(sets)) if shares[index] > 0]
        blocks = [_build_block(marginals, sets[index]) for index in kept]
        # an inverse scale is proportional to a share of epsilon, or to the root of a share of rho
        spreads = [
            terms.noise_factor(block)
            / (math.sqrt(shares[index]) if terms.is_gaussian else shares[index])
            for index, block in zip(kept, blocks, strict=True)
        ]
        name = "each marginal" if len(kept) == len(sets) else "marginals that imply the others"
        return cls(
            name,
            marginals,
            tuple(sets[index] for index in kept),
            terms.calibrate_all(blocks, spreads),
        )

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            (_build_block(self.workload, places), mechanism)
            for places, mechanism in zip(self.measured_sets, self.mechanisms, strict=True)
        )

    def residual_variances(self) -> dict[Positions, float]:
        found: dict[Positions, float] = {}
        for places, mechanism in zip(self.measured_sets, self.mechanisms, strict=True):
            for part in self.workload.list_parts(places):
                found[part] = found.get(part, 0.0) + 1 / self._compute_residual_variance(
                    places, part, mechanism
                )
        return {part: 1 / precision for part, precision in found.items()}

    def radii(self, beta: Number) -> Floats:
        sets = [places for places, _ in self.workload.wanted]
        radii = None
        if len(sets) * len(self.measured_sets) <= _MAX_PROFILED_PAIRS:
            spreads = self.residual_variances()
            profiles = [self._build_profile(places, spreads) for places in sets]
            radii = compute_profile_radii(profiles, beta)
        if radii is None:
            radii = self._bound_radii(sets, beta)
        return self.workload.repeat_per_cell(radii)

    def _build_profile(self, places: Positions, spreads: Mapping[Positions, float]) -> NoiseProfile:
        """Return the weights of all draws in one cell. A draw counts by the attributes, common to
        both marginals, in which its cell agrees with the wanted one.
        """
        parts = []
        for measured, mechanism in zip(self.measured_sets, self.mechanisms, strict=True):
            common = tuple(
                place for place in measured if place in places and self.workload.sizes[place] > 1
            )
            summed_cells = self.workload.count_cells(
                [place for place in measured if place not in places]
            )
            for other in list_subsets(common):
                weight = sum(
                    spreads[part]
                    / self._compute_residual_variance(measured, part, mechanism)
                    * self._compute_projection_entry(part, other)
                    * self.workload.count_cells(part)
                    for part in list_subsets(common)
                )
                count = summed_cells * math.prod(self.workload.sizes[place] - 1 for place in other)
                parts.append((mechanism, weight / self.workload.count_cells(places), count))
        return NoiseProfile.from_parts(parts)

    def _compute_projection_entry(self, part: Positions, other: Positions) -> float:
        """Return an entry of the product of P between cells that differ in the attributes
        ``other``.
        """
        return math.prod((place not in other) - 1 / self.workload.sizes[place] for place in part)

    def _bound_radii(self, sets: Sequence[Positions], beta: Number) -> Floats:
        """Bound the radii: no weight of a draw exceeds the sum, over the parts, of its largest
        weights.
        """
        spreads, largest_parts = self.residual_variances(), dict[Positions, float]()
        for places, mechanism in zip(self.measured_sets, self.mechanisms, strict=True):
            for part in self.workload.list_parts(places):
                weight = (
                    spreads[part]
                    / self._compute_residual_variance(places, part, mechanism)
                    * math.sqrt(compute_noise_variance(mechanism))
                )
                largest_parts[part] = max(largest_parts.get(part, 0.0), weight)
        each = [self.workload.variance(places, spreads) for places in sets]
        largest = [
            sum(
                largest_parts[part] * self.workload.cell_weight(places, part)
                for part in self.workload.list_parts(places)
            )
            for places in sets
        ]
        return bound_sum_radii(np.array(each), self.mechanisms, np.square(largest), beta)

    def _compute_residual_variance(
        self, places: Positions, part: Positions, mechanism: AdditiveNoise
    ) -> float:
        """Return the variance of a part's residual as estimated from one marginal."""
        return max(compute_noise_variance(mechanism), MIN_VARIANCE) * (
            self.workload.count_cells(places) // self.workload.count_cells(part)
        )

    def _estimate_residuals(self, noisy: Sequence[Any]) -> dict[Positions, Floats]:
        spreads = self.residual_variances()
        found: dict[Positions, Floats] = {
            part: np.zeros(self.workload.shape(part)) for part in spreads
        }
        for places, mechanism, one in zip(self.measured_sets, self.mechanisms, noisy, strict=True):
            for part in self.workload.list_parts(places):
                summed = np.sum(
                    one, axis=tuple(axis for axis, place in enumerate(places) if place not in part)
                )
                found[part] += centre_table(np.reshape(summed, self.workload.shape(part))) * (
                    spreads[part] / self._compute_residual_variance(places, part, mechanism)
                )
        return found


def _build_block(marginals: MarginalWorkload, places: Positions) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(marginals.sizes[place])) for place in places))


def _divide_budget(marginals: MarginalWorkload, terms: PrivacyParameters) -> Floats:
    sets, importances = [places for places, _ in marginals.wanted], marginals.importances()
    parts = {part: index for index, part in enumerate(importances)}
    importance = np.array(list(importances.values()))
    pairs = [
        (index, parts[part], marginals.count_cells(places) // marginals.count_cells(part))
        for index, places in enumerate(sets)
        for part in marginals.list_parts(places)
    ]
    of, to, summed = (np.array(column) for column in zip(*pairs, strict=True))
    factors = np.array(
        [terms.noise_factor(_build_block(marginals, places)) ** 2 for places in sets]
    )
    root = 2 if terms.is_gaussian else 3
    weights = [float(weight) * marginals.count_cells(places) for places, weight in marginals.wanted]
    shares = (np.array(weights) * factors) ** (1 / root)
    best: Floats = shares
    least = math.inf
    for _ in range(_ITERATIONS):
        shares = shares / shares.sum()
        shares = np.where(shares < _MIN_SHARE / len(sets), 0.0, shares)
        precision = (shares ** (root - 1) / factors)[of] / summed
        known = np.bincount(to, precision, len(importance))
        with np.errstate(divide="ignore"):
            error = float(np.sum(importance / known))
        # a marginal that hardly matters was dropped, and no other one implies it
        if math.isinf(error):
            break
        if error < least:
            best, least = shares, error
        # At the optimum all gains are equal; a step by the root neither stalls nor oscillates.
        gain = (
            np.bincount(of, importance[to] / known[to] ** 2 / summed, len(sets))
            * shares ** (root - 2)
            / factors
        )
        shares = shares * gain ** (1 / root)
    return best
