"""Marginals under Gaussian noise, measured by what each adds to the smaller ones: the best there is, in closed form.

Statement
    Among all ways to answer the wanted marginals without bias from linear measurements with Gaussian noise of total cost rho, under
    add-remove, none has a smaller weighted sum of variances than this: measure the rest of every set A of attributes that is within a
    wanted one (``marginals``), with noise of variance s_A^2 in the units of counts, s_A^2 proportional to sqrt(p_A/v_A). Here v_A is the
    importance of A, and p_A = prod over A of (1 - 1/m), the squared length of a column.

Proof
    Let x be measured with Fisher information matrix F (add-remove costs max_i F_ii/2). Rename the codes of an attribute: variances and
    cost stay what they are, both are convex in F, so F may be averaged over all renamings; then it is a sum of f_A times the projections
    (product of P over A, 11'/m elsewhere), with one free number f_A for each set A. These are the measurements of rests. The cost is then
    sum p_A/(2 s_A^2), the error sum v_A s_A^2, and by Cauchy and Schwarz (sum v_A s_A^2)(sum p_A/s_A^2) >= (sum sqrt(p_A v_A))^2, with
    equality at the stated s_A. Sets that no wanted marginal holds have v_A = 0 and are left out. []

Arithmetic
    What is measured is prod m times the rest, in whole numbers (``Rest``), with discrete Gaussian noise of scale s_A prod m. Rests add up
    to 0 along every axis; the noise does not, and what of it lies outside is thrown away by centring. The scales are rationals, and the
    price is checked exactly (``Terms.laws``). Under change-one the cost of a block comes from ``Block.sensitivity``, and the same closed
    form is best among these blocks; but there each block is charged for its own worst change, no change is the worst for all, and marginals
    measured directly are often better. ``marginal_design`` takes the better of both.

Source
    Xiao, He, Zhang, Kifer (NeurIPS 2023), who call it ResidualPlanner.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.linear import Block, Rest
from hedgerow.numeric.number import Number
from hedgerow.publish.designs import Floats, Law, Measurement, noise_variance
from hedgerow.publish.direct import Direct
from hedgerow.publish.intervals import sum_radii
from hedgerow.publish.marginals import Marginals, Places, Rested, centred, within
from hedgerow.publish.profile import Profile, radii
from hedgerow.publish.terms import Terms

__all__ = ["Residuals", "marginal_design"]

_ROUNDS: Final = 2000
_EVEN: Final = 1e-3


@dataclass(frozen=True, slots=True)
class Residuals(Rested):
    """The rests of the sets ``parts``, each with its noise."""

    name = "residuals"
    marginals: Marginals
    parts: tuple[Places, ...]
    laws: tuple[Law, ...]

    @classmethod
    def plan(cls, marginals: Marginals, terms: Terms) -> Residuals:
        """The least weighted sum of variances for a rho."""
        if not terms.gaussian:
            raise InvalidArgument("terms", "must be a rho: with a pure epsilon measure marginals directly", terms)
        importances = marginals.importances()
        blocks = [_block(marginals, part) for part in importances]
        spreads = []
        for block, (part, importance) in zip(blocks, importances.items(), strict=True):
            whole = marginals.cells(part)
            # In the units of counts the cost is l2^2/whole^2, and sqrt(p/v) is the variance up to a factor.
            spreads.append(whole * math.sqrt(math.sqrt(float(terms.reach(block).l2_squared)) / whole / math.sqrt(importance)))
        return cls(marginals, tuple(importances), terms.laws(blocks, spreads))

    @classmethod
    def evenly(cls, marginals: Marginals, terms: Terms) -> Residuals:
        """The least of the largest variance of a cell, times its weight, for a rho.

        Whatever weights l add up to 1, that largest is at least the least sum of l times the variances; and it is no more where the
        variances that have a weight are equal. So the weights are moved towards the larger variances until they hardly differ.
        """
        first = cls.plan(marginals, terms)
        costs = {part: float(terms.reach(_block(marginals, part)).l2_squared) / marginals.cells(part) ** 2 for part in first.parts}
        index = {part: place for place, part in enumerate(first.parts)}
        pairs = [
            (which, index[part], float(weight) * marginals.share(places, part))
            for which, (places, weight) in enumerate(marginals.wanted)
            for part in marginals.parts(places)
        ]
        of, to, share = (np.array(column) for column in zip(*pairs, strict=True))
        cost, counts = np.array(list(costs.values())), np.full(len(marginals.wanted), 1 / len(marginals.wanted))
        for _ in range(_ROUNDS):
            importance = np.bincount(to, counts[of] * share, len(cost))
            variances = np.bincount(of, share * np.sqrt(cost / importance)[to], len(counts))
            if variances.max() <= (1 + _EVEN) * (counts @ variances):
                break
            counts = counts * variances / (counts @ variances) + 1e-12
            counts = counts / counts.sum()
        weighted = tuple(
            (places, Fraction(one) * weight / marginals.cells(places))
            for (places, weight), one in zip(marginals.wanted, counts.tolist(), strict=True)
        )
        return cls(marginals, first.parts, cls.plan(Marginals(marginals.sizes, weighted), terms).laws)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for every part."""
        return tuple((_block(self.marginals, part), law) for part, law in zip(self.parts, self.laws, strict=True))

    def spreads(self) -> dict[Places, float]:
        """The s_A^2."""
        return {part: noise_variance(law) / self.marginals.cells(part) ** 2 for part, law in zip(self.parts, self.laws, strict=True)}

    def radii(self, beta: Number) -> Floats:
        """For each cell. The weight of one draw is largest where its cell is the one asked for: prod (1 - 1/m)/m over A, 1/m outside."""
        sets = [places for places, _ in self.marginals.wanted]
        laws = dict(zip(self.parts, self.laws, strict=True))
        found = radii([self._profile(places, laws) for places in sets], beta)
        if found is None:
            spreads = self.spreads()
            each = np.array([self.marginals.variance(places, spreads) for places in sets])
            largest = [
                max(spreads[part] * self.marginals.weight(places, part) ** 2 for part in self.marginals.parts(places)) for places in sets
            ]
            found = sum_radii(each, self.laws, np.array(largest), beta)
        return self.marginals.each(found)

    def _profile(self, places: Places, laws: Mapping[Places, Law]) -> Profile:
        """Draws whose cell differs from the one asked for in some attributes count -1/m there for 1 - 1/m, and there are m - 1 of each."""
        sizes, parts = self.marginals.sizes, []
        for part in self.marginals.parts(places):
            for other in within(part):
                weight = math.prod((1 if place in other else sizes[place] - 1) / sizes[place] for place in part)
                parts.append((laws[part], weight / self.marginals.cells(places), math.prod(sizes[place] - 1 for place in other)))
        return Profile.of(parts)

    def _rests(self, noisy: Sequence[Any]) -> dict[Places, Floats]:
        return {part: centred(one) / self.marginals.cells(part) for part, one in zip(self.parts, noisy, strict=True)}


def marginal_design(marginals: Marginals, terms: Terms) -> Residuals | Direct:
    """The design of least expected error, by weight, that the price can buy."""
    if not terms.gaussian:
        return Direct.plan(marginals, terms)
    try:
        best = Residuals.plan(marginals, terms)
    except Refused:  # rests are larger than counts: in fine parts, noise on them may be more than can be drawn
        return Direct.plan(marginals, terms)
    if terms.relation == "add-remove":
        return best
    other = Direct.plan(marginals, terms)
    return other if marginals.error(other.spreads()) < marginals.error(best.spreads()) else best


def _block(marginals: Marginals, part: Places) -> Block:
    return Block(tuple((place, Rest(marginals.sizes[place])) for place in part))
