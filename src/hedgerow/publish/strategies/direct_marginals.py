"""Marginals measured as they are, and made to agree.

Statement
    Let the marginals y_W of some sets W be measured with independent noise of variance u_W in every
    cell. Least squares estimates every rest r_A (``marginals``) by the mean of what the measured
    marginals around A say of it, each counting by its inverse variance: the centred sum of y_W over
    the attributes outside A has the covariance u_W c (product of P over A), c = how many cells are
    summed. So 1/s_A^2 = sum over W around A of 1/(u_W c), the estimates for different A are
    uncorrelated, and ``marginals`` says the rest.

Proof
    The projections onto the rests of W are orthogonal and sum to I, so white noise has uncorrelated
    parts of the same variance in each; and x_W is free within the space that the r_A span. The
    squares therefore separate into one sum for each A, of estimates of one vector whose covariances
    are multiples of one matrix: the weighted mean. []

How epsilon is divided. Left alone, answers of variance u_W = 2 l1^2/e_W^2 in n cells each have the
least sum where e_W is as the cube root of n weight. With answers that help each other the
derivative of the whole expected error says how much each e_W is worth, and some steps along it are
taken; the best that was met is kept. Against it stands the table of all attributes at once, where
that is small: with few cells and add-remove it costs no more than one marginal. What is chosen
depends on public numbers only.
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
from hedgerow.publish.strategies.strategy import AdditiveNoise, Floats, Measurement
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = ["DirectMarginals"]

_MAX_TABLE_CELLS: Final = 2**20  # cells of a table of all attributes that is thought of
# of wanted and measured marginals, for which the laws of answers are computed
_MAX_PROFILED_PAIRS: Final = 10_000
_ITERATIONS: Final = 40
_MIN_SHARE: Final = 1e-5  # a marginal that deserves less of the budget is not measured


@dataclass(frozen=True, slots=True)
class DirectMarginals(ResidualStrategy):
    """The marginals of the sets ``measured``, each with its noise; from them all that is wanted."""

    name: str
    workload: MarginalWorkload
    measured_sets: tuple[Positions, ...]
    mechanisms: tuple[AdditiveNoise, ...]

    @classmethod
    def plan(cls, marginals: MarginalWorkload, terms: PrivacyParameters) -> DirectMarginals:
        """The best of: each marginal with a share of the price, the table of all their
        attributes with the whole of it.
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
        return min(found, key=lambda design: marginals.weighted_error(design.residual_variances()))

    @classmethod
    def plan_divided(cls, marginals: MarginalWorkload, terms: PrivacyParameters) -> DirectMarginals:
        """Each wanted marginal with its share; those that follow from others and deserve none
        are left out.
        """
        sets = [places for places, _ in marginals.wanted]
        shares = _divide_budget(marginals, terms)
        kept = [index for index in range(len(sets)) if shares[index] > 0]
        blocks = [_build_block(marginals, sets[index]) for index in kept]
        spreads = [
            _compute_noise_factor(terms, block) / _compute_inverse_scale(shares[index], terms)
            for index, block in zip(kept, blocks, strict=True)
        ]
        name = "each marginal" if len(kept) == len(sets) else "marginals that tell the others"
        return cls(
            name,
            marginals,
            tuple(sets[index] for index in kept),
            terms.calibrate_all(blocks, spreads),
        )

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for every marginal that is measured."""
        return tuple(
            (_build_block(self.workload, places), law)
            for places, law in zip(self.measured_sets, self.mechanisms, strict=True)
        )

    def residual_variances(self) -> dict[Positions, float]:
        """The s_A^2 of every part of a marginal that is measured."""
        found: dict[Positions, float] = {}
        for places, law in zip(self.measured_sets, self.mechanisms, strict=True):
            for part in self.workload.list_parts(places):
                found[part] = found.get(part, 0.0) + 1 / self._compute_residual_variance(
                    places, part, law
                )
        return {part: 1 / precision for part, precision in found.items()}

    def radii(self, beta: Number) -> Floats:
        """For each cell."""
        sets = [places for places, _ in self.workload.wanted]
        few, spreads = (
            len(sets) * len(self.measured_sets) <= _MAX_PROFILED_PAIRS,
            self.residual_variances(),
        )
        known = (
            compute_profile_radii([self._build_profile(places, spreads) for places in sets], beta)
            if few
            else None
        )
        return self.workload.repeat_per_cell(
            self._bound_radii(sets, beta) if known is None else known
        )

    def _build_profile(self, places: Positions, spreads: Mapping[Positions, float]) -> NoiseProfile:
        """A draw counts by the attributes in which its cell is the one asked for, among those
        that both marginals have.
        """
        parts = []
        for seen, law in zip(self.measured_sets, self.mechanisms, strict=True):
            common = tuple(
                place for place in seen if place in places and self.workload.sizes[place] > 1
            )
            beyond = self.workload.count_cells([place for place in seen if place not in places])
            for other in list_subsets(common):
                weight = sum(
                    spreads[part]
                    / self._compute_residual_variance(seen, part, law)
                    * self._compute_projection_entry(part, other)
                    * self.workload.count_cells(part)
                    for part in list_subsets(common)
                )
                many = beyond * math.prod(self.workload.sizes[place] - 1 for place in other)
                parts.append((law, weight / self.workload.count_cells(places), many))
        return NoiseProfile.from_parts(parts)

    def _compute_projection_entry(self, part: Positions, other: Positions) -> float:
        """An entry of the product of P: between cells that differ in the attributes ``other``."""
        return math.prod((place not in other) - 1 / self.workload.sizes[place] for place in part)

    def _bound_radii(self, sets: Sequence[Positions], beta: Number) -> Floats:
        """No weight of a draw is larger than the sum, over the parts, of its largest weights in
        each.
        """
        spreads, most = self.residual_variances(), dict[Positions, float]()
        for places, law in zip(self.measured_sets, self.mechanisms, strict=True):
            for part in self.workload.list_parts(places):
                says = (
                    spreads[part]
                    / self._compute_residual_variance(places, part, law)
                    * math.sqrt(compute_noise_variance(law))
                )
                most[part] = max(most.get(part, 0.0), says)
        each = [self.workload.variance(places, spreads) for places in sets]
        largest = [
            sum(
                most[part] * self.workload.cell_weight(places, part)
                for part in self.workload.list_parts(places)
            )
            for places in sets
        ]
        return bound_sum_radii(np.array(each), self.mechanisms, np.square(largest), beta)

    def _compute_residual_variance(
        self, places: Positions, part: Positions, law: AdditiveNoise
    ) -> float:
        """That of the rest of a part, as one marginal tells it."""
        # Noise that is nearly always 0 counts as very little, not as none: precisions are added up.
        return max(compute_noise_variance(law), 1e-200) * (
            self.workload.count_cells(places) // self.workload.count_cells(part)
        )

    def _estimate_residuals(self, noisy: Sequence[Any]) -> dict[Positions, Floats]:
        spreads = self.residual_variances()
        found: dict[Positions, Floats] = {
            part: np.zeros(self.workload.shape(part)) for part in spreads
        }
        for places, law, one in zip(self.measured_sets, self.mechanisms, noisy, strict=True):
            for part in self.workload.list_parts(places):
                summed = np.sum(
                    one, axis=tuple(axis for axis, place in enumerate(places) if place not in part)
                )
                found[part] += centre_table(np.reshape(summed, self.workload.shape(part))) * (
                    spreads[part] / self._compute_residual_variance(places, part, law)
                )
        return found


def _build_block(marginals: MarginalWorkload, places: Positions) -> QueryBlock:
    return QueryBlock(tuple((place, BinSums(marginals.sizes[place])) for place in places))


def _compute_noise_factor(terms: PrivacyParameters, block: QueryBlock) -> float:
    """What the scale of noise is proportional to."""
    move = terms.sensitivity(block)
    return math.sqrt(float(move.l2_squared)) if terms.is_gaussian else float(move.l1)


def _compute_inverse_scale(share: float, terms: PrivacyParameters) -> float:
    """The inverse of a scale, by the share of the price: rho goes with its square."""
    return math.sqrt(share) if terms.is_gaussian else share


def _divide_budget(marginals: MarginalWorkload, terms: PrivacyParameters) -> Floats:
    """How the price is divided among the wanted marginals."""
    sets, parts = (
        [places for places, _ in marginals.wanted],
        {part: index for index, part in enumerate(marginals.importances())},
    )
    importance = np.array(list(marginals.importances().values()))
    pairs = [
        (index, parts[part], marginals.count_cells(places) // marginals.count_cells(part))
        for index, places in enumerate(sets)
        for part in marginals.list_parts(places)
    ]
    of, to, summed = (np.array(column) for column in zip(*pairs, strict=True))
    move = np.array(
        [_compute_noise_factor(terms, _build_block(marginals, places)) ** 2 for places in sets]
    )
    root = 2 if terms.is_gaussian else 3
    shares = (
        np.array(
            [float(weight) * marginals.count_cells(places) for places, weight in marginals.wanted]
        )
        * move
    )
    shares = shares ** (1 / root)
    best: Floats = shares
    least = math.inf
    for _ in range(_ITERATIONS):
        shares = shares / shares.sum()
        shares = np.where(shares < _MIN_SHARE / len(sets), 0.0, shares)
        precision = (shares ** (root - 1) / move)[of] / summed
        known = np.bincount(to, precision, len(importance))
        with np.errstate(divide="ignore"):
            error = float(np.sum(importance / known))
        # a marginal that hardly matters was left out, and nothing else tells it
        if math.isinf(error):
            break
        if error < least:
            best, least = shares, error
        # Where all gains are alike nothing is to be won by moving; a step of the root neither
        # stalls nor oscillates.
        gain = (
            np.bincount(of, importance[to] / known[to] ** 2 / summed, len(sets))
            * shares ** (root - 2)
            / move
        )
        shares = shares * gain ** (1 / root)
    return best
