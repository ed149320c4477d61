"""Marginals measured as they are, and made to agree.

Statement
    Let the marginals y_W of some sets W be measured with independent noise of variance u_W in every cell. Least squares estimates every
    rest r_A (``marginals``) by the mean of what the measured marginals around A say of it, each counting by its inverse variance: the
    centred sum of y_W over the attributes outside A has the covariance u_W c (product of P over A), c = how many cells are summed. So
    1/s_A^2 = sum over W around A of 1/(u_W c), the estimates for different A are uncorrelated, and ``marginals`` says the rest.

Proof
    The projections onto the rests of W are orthogonal and sum to I, so white noise has uncorrelated parts of the same variance in each; and
    x_W is free within the space that the r_A span. The squares therefore separate into one sum for each A, of estimates of one vector whose
    covariances are multiples of one matrix: the weighted mean. []

How epsilon is divided. Left alone, answers of variance u_W = 2 l1^2/e_W^2 in n cells each have the least sum where e_W is as the cube root
of n weight. With answers that help each other the derivative of the whole expected error says how much each e_W is worth,
and some steps along it are taken; the best that was met is kept. Against it stands the table of all attributes at once, where that is
small: with few cells and add-remove it costs no more than one marginal. What is chosen depends on public numbers only.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Final

import numpy as np

from hedgerow.linear import Bins, Block
from hedgerow.numeric.number import Number
from hedgerow.publish.designs import Floats, Law, Measurement, noise_variance
from hedgerow.publish.intervals import sum_radii
from hedgerow.publish.marginals import Marginals, Places, Rested, centred, within
from hedgerow.publish.profile import Profile, radii
from hedgerow.publish.terms import Terms

__all__ = ["Direct"]

_TABLE: Final = 2**20  # cells of a table of all attributes that is thought of
_PAIRS: Final = 10_000  # of wanted and measured marginals, for which the laws of answers are computed
_ROUNDS: Final = 40
_LEAST: Final = 1e-5  # a marginal that deserves less of the budget is not measured


@dataclass(frozen=True, slots=True)
class Direct(Rested):
    """The marginals of the sets ``measured``, each with its noise; from them all that is wanted."""

    name: str
    marginals: Marginals
    measured: tuple[Places, ...]
    laws: tuple[Law, ...]

    @classmethod
    def plan(cls, marginals: Marginals, terms: Terms) -> Direct:
        """The best of: each marginal with a share of the price, the table of all their attributes with the whole of it."""
        found = [cls.divided(marginals, terms)]
        union = tuple(sorted({place for places, _ in marginals.wanted for place in places}))
        if marginals.cells(union) <= _TABLE:
            found.append(cls("the whole table", marginals, (union,), terms.laws([_block(marginals, union)], [1.0])))
        return min(found, key=lambda design: marginals.error(design.spreads()))

    @classmethod
    def divided(cls, marginals: Marginals, terms: Terms) -> Direct:
        """Each wanted marginal with its share; those that follow from others and deserve none are left out."""
        sets = [places for places, _ in marginals.wanted]
        shares = _shares(marginals, terms)
        kept = [index for index in range(len(sets)) if shares[index] > 0]
        blocks = [_block(marginals, sets[index]) for index in kept]
        spreads = [_reach(terms, block) / _power(shares[index], terms) for index, block in zip(kept, blocks, strict=True)]
        name = "each marginal" if len(kept) == len(sets) else "marginals that tell the others"
        return cls(name, marginals, tuple(sets[index] for index in kept), terms.laws(blocks, spreads))

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        """One block for every marginal that is measured."""
        return tuple((_block(self.marginals, places), law) for places, law in zip(self.measured, self.laws, strict=True))

    def spreads(self) -> dict[Places, float]:
        """The s_A^2 of every part of a marginal that is measured."""
        found: dict[Places, float] = {}
        for places, law in zip(self.measured, self.laws, strict=True):
            for part in self.marginals.parts(places):
                found[part] = found.get(part, 0.0) + 1 / self._variance(places, part, law)
        return {part: 1 / precision for part, precision in found.items()}

    def radii(self, beta: Number) -> Floats:
        """For each cell."""
        sets = [places for places, _ in self.marginals.wanted]
        few, spreads = len(sets) * len(self.measured) <= _PAIRS, self.spreads()
        known = radii([self._profile(places, spreads) for places in sets], beta) if few else None
        return self.marginals.each(self._bounds(sets, beta) if known is None else known)

    def _profile(self, places: Places, spreads: Mapping[Places, float]) -> Profile:
        """A draw counts by the attributes in which its cell is the one asked for, among those that both marginals have."""
        parts = []
        for seen, law in zip(self.measured, self.laws, strict=True):
            common = tuple(place for place in seen if place in places and self.marginals.sizes[place] > 1)
            beyond = self.marginals.cells([place for place in seen if place not in places])
            for other in within(common):
                weight = sum(
                    spreads[part] / self._variance(seen, part, law) * self._agreement(part, other) * self.marginals.cells(part)
                    for part in within(common)
                )
                many = beyond * math.prod(self.marginals.sizes[place] - 1 for place in other)
                parts.append((law, weight / self.marginals.cells(places), many))
        return Profile.of(parts)

    def _agreement(self, part: Places, other: Places) -> float:
        """An entry of the product of P: between cells that differ in the attributes ``other``."""
        return math.prod((place not in other) - 1 / self.marginals.sizes[place] for place in part)

    def _bounds(self, sets: Sequence[Places], beta: Number) -> Floats:
        """No weight of a draw is larger than the sum, over the parts, of its largest weights in each."""
        spreads, most = self.spreads(), dict[Places, float]()
        for places, law in zip(self.measured, self.laws, strict=True):
            for part in self.marginals.parts(places):
                says = spreads[part] / self._variance(places, part, law) * math.sqrt(noise_variance(law))
                most[part] = max(most.get(part, 0.0), says)
        each = [self.marginals.variance(places, spreads) for places in sets]
        largest = [sum(most[part] * self.marginals.weight(places, part) for part in self.marginals.parts(places)) for places in sets]
        return sum_radii(np.array(each), self.laws, np.square(largest), beta)

    def _variance(self, places: Places, part: Places, law: Law) -> float:
        """That of the rest of a part, as one marginal tells it."""
        # Noise that is nearly always 0 counts as very little, not as none: precisions are added up.
        return max(noise_variance(law), 1e-200) * (self.marginals.cells(places) // self.marginals.cells(part))

    def _rests(self, noisy: Sequence[Any]) -> dict[Places, Floats]:
        spreads = self.spreads()
        found: dict[Places, Floats] = {part: np.zeros(self.marginals.shape(part)) for part in spreads}
        for places, law, one in zip(self.measured, self.laws, noisy, strict=True):
            for part in self.marginals.parts(places):
                summed = np.sum(one, axis=tuple(axis for axis, place in enumerate(places) if place not in part))
                found[part] += centred(np.reshape(summed, self.marginals.shape(part))) * (spreads[part] / self._variance(places, part, law))
        return found


def _block(marginals: Marginals, places: Places) -> Block:
    return Block(tuple((place, Bins(marginals.sizes[place])) for place in places))


def _reach(terms: Terms, block: Block) -> float:
    """What the scale of noise is proportional to."""
    move = terms.reach(block)
    return math.sqrt(float(move.l2_squared)) if terms.gaussian else float(move.l1)


def _power(share: float, terms: Terms) -> float:
    """The inverse of a scale, by the share of the price: rho goes with its square."""
    return math.sqrt(share) if terms.gaussian else share


def _shares(marginals: Marginals, terms: Terms) -> Floats:
    """How the price is divided among the wanted marginals."""
    sets, parts = [places for places, _ in marginals.wanted], {part: index for index, part in enumerate(marginals.importances())}
    importance = np.array(list(marginals.importances().values()))
    pairs = [
        (index, parts[part], marginals.cells(places) // marginals.cells(part))
        for index, places in enumerate(sets)
        for part in marginals.parts(places)
    ]
    of, to, summed = (np.array(column) for column in zip(*pairs, strict=True))
    move = np.array([_reach(terms, _block(marginals, places)) ** 2 for places in sets])
    root = 2 if terms.gaussian else 3
    shares = np.array([float(weight) * marginals.cells(places) for places, weight in marginals.wanted]) * move
    shares = shares ** (1 / root)
    best: Floats = shares
    least = math.inf
    for _ in range(_ROUNDS):
        shares = shares / shares.sum()
        shares = np.where(shares < _LEAST / len(sets), 0.0, shares)
        precision = (shares ** (root - 1) / move)[of] / summed
        known = np.bincount(to, precision, len(importance))
        with np.errstate(divide="ignore"):
            error = float(np.sum(importance / known))
        if math.isinf(error):  # a marginal that hardly matters was left out, and nothing else tells it
            break
        if error < least:
            best, least = shares, error
        # Where all gains are alike nothing is to be won by moving; a step of the root neither stalls nor oscillates.
        gain = np.bincount(of, importance[to] / known[to] ** 2 / summed, len(sets)) * shares ** (root - 2) / move
        shares = shares * gain ** (1 / root)
    return best
