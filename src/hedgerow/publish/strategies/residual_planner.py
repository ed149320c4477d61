"""Marginals under Gaussian noise, measured by their residuals: the optimum, in closed form.

| symbol | meaning |
|---|---|
| A | a set of attributes that is within a wanted one |
| s_A^2 | the variance of the noise on the residual of A, in units of counts |
| v_A | the importance of A (``residual_basis``) |
| p_A | prod over A of (1 - 1/m), the squared length of a column |
| F | the Fisher information matrix of the measurements |

Statement
    Among all unbiased answers to the wanted marginals from linear measurements with Gaussian noise
    of total cost rho, under add-remove, none has a smaller weighted sum of variances than this:
    measure the residual of every set A with noise of variance s_A^2 proportional to sqrt(p_A/v_A).

Proof
    Add-remove costs max_i F_ii/2. Permute the codes of an attribute: variances and cost stay the
    same, and both are convex in F, so F may be averaged over all permutations. Then it is a sum of
    f_A times the projections (product of P over A, 11'/m elsewhere), with one free number f_A for
    each set A. These are the measurements of residuals. The cost is then sum p_A/(2 s_A^2), the
    error sum v_A s_A^2, and by Cauchy and Schwarz (sum v_A s_A^2)(sum p_A/s_A^2) >= (sum sqrt(p_A
    v_A))^2, with equality at the stated s_A. Sets within no wanted marginal have v_A = 0 and are
    left out. []

Arithmetic
    The measured numbers are prod m times the residuals, integers (``ResidualQueries``), with
    discrete Gaussian noise of scale s_A prod m. Residuals add up to 0 along every axis and the
    noise does not; centring removes what lies outside. The scales are rationals, and the price is
    checked exactly (``PrivacyParameters.calibrate_all``). Under change-one the cost of a block
    comes from ``QueryBlock.sensitivity``, and the same closed form is best among these blocks. But
    each block is then charged for its own worst change, no change is the worst for all, and
    marginals measured directly are often better. ``choose_marginal_strategy`` takes the better of
    both.

Source
    Xiao, He, Zhang, Kifer (NeurIPS 2023), who call it ResidualPlanner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from hedgerow.accuracy.noise_profile import NoiseProfile, compute_profile_radii
from hedgerow.accuracy.noise_sum import bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.direct_marginals import DirectMarginals
from hedgerow.publish.strategies.residual_basis import (
    MarginalWorkload,
    Positions,
    ResidualStrategy,
    centre_table,
    list_subsets,
)
from hedgerow.publish.strategies.strategy import AdditiveNoise, Floats, Measurement
from hedgerow.release.linear_queries import QueryBlock, ResidualQueries

__all__ = ["ResidualPlanner", "choose_marginal_strategy"]


@dataclass(frozen=True, slots=True)
class ResidualPlanner(ResidualStrategy):
    """The residuals of the sets ``parts``, each with its noise."""

    name = "residuals"
    workload: MarginalWorkload
    parts: tuple[Positions, ...]
    mechanisms: tuple[AdditiveNoise, ...]

    @classmethod
    def plan(cls, marginals: MarginalWorkload, terms: PrivacyParameters) -> ResidualPlanner:
        """Plan the least weighted sum of variances for a rho."""
        if not terms.is_gaussian:
            raise InvalidArgument(
                "terms", "must have a rho; with a pure epsilon, measure marginals directly", terms
            )
        importances = marginals.importances()
        blocks = [_build_block(marginals, part) for part in importances]
        spreads = []
        for block, (part, importance) in zip(blocks, importances.items(), strict=True):
            whole = marginals.count_cells(part)
            # In units of counts the cost is l2^2/whole^2, and the variance is proportional to
            # sqrt(p/v).
            spreads.append(
                whole * math.sqrt(terms.noise_factor(block) / whole / math.sqrt(importance))
            )
        return cls(marginals, tuple(importances), terms.calibrate_all(blocks, spreads))

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return tuple(
            (_build_block(self.workload, part), mechanism)
            for part, mechanism in zip(self.parts, self.mechanisms, strict=True)
        )

    def residual_variances(self) -> dict[Positions, float]:
        return {
            part: compute_noise_variance(mechanism) / self.workload.count_cells(part) ** 2
            for part, mechanism in zip(self.parts, self.mechanisms, strict=True)
        }

    def radii(self, beta: Number) -> Floats:
        """Return the radius of each cell. The weight of a draw is largest in its own cell: prod (1
        - 1/m)/m over A, 1/m outside.
        """
        sets = [places for places, _ in self.workload.wanted]
        mechanisms = dict(zip(self.parts, self.mechanisms, strict=True))
        found = compute_profile_radii(
            [self._build_profile(places, mechanisms) for places in sets], beta
        )
        if found is None:
            spreads = self.residual_variances()
            each = np.array([self.workload.variance(places, spreads) for places in sets])
            largest = [
                max(
                    spreads[part] * self.workload.cell_weight(places, part) ** 2
                    for part in self.workload.list_parts(places)
                )
                for places in sets
            ]
            found = bound_sum_radii(each, self.mechanisms, np.array(largest), beta)
        return self.workload.repeat_per_cell(found)

    def _build_profile(
        self, places: Positions, mechanisms: Mapping[Positions, AdditiveNoise]
    ) -> NoiseProfile:
        """Return the weights of all draws in one cell. A draw whose cell differs in some attributes
        has -1/m there instead of 1 - 1/m, and there are m - 1 of each.
        """
        sizes, parts = self.workload.sizes, []
        for part in self.workload.list_parts(places):
            for other in list_subsets(part):
                weight = math.prod(
                    (1 if place in other else sizes[place] - 1) / sizes[place] for place in part
                )
                parts.append(
                    (
                        mechanisms[part],
                        weight / self.workload.count_cells(places),
                        math.prod(sizes[place] - 1 for place in other),
                    )
                )
        return NoiseProfile.from_parts(parts)

    def _estimate_residuals(self, noisy: Sequence[Any]) -> dict[Positions, Floats]:
        return {
            part: centre_table(measured) / self.workload.count_cells(part)
            for part, measured in zip(self.parts, noisy, strict=True)
        }


def choose_marginal_strategy(
    marginals: MarginalWorkload, terms: PrivacyParameters
) -> ResidualPlanner | DirectMarginals:
    """Return the strategy of least weighted expected error that the price can buy."""
    if not terms.is_gaussian:
        return DirectMarginals.plan(marginals, terms)
    try:
        residuals = ResidualPlanner.plan(marginals, terms)
    except Refused:
        # Residuals are larger than counts: in fine parts their noise may be too large to draw.
        return DirectMarginals.plan(marginals, terms)
    if terms.relation == "add-remove":
        return residuals
    direct = DirectMarginals.plan(marginals, terms)
    errors = [
        marginals.weighted_error(strategy.residual_variances()) for strategy in (direct, residuals)
    ]
    return direct if errors[0] < errors[1] else residuals


def _build_block(marginals: MarginalWorkload, part: Positions) -> QueryBlock:
    return QueryBlock(tuple((place, ResidualQueries(marginals.sizes[place])) for place in part))
