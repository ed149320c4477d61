"""A purse: an exact table together with what was paid for it. It hands out noisy measurements,
private choices and discoveries, no more.

**Statement.** All that a program learns from a purse costs one unit at most ``total``, however it
chooses each step in view of the steps before.

**Proof.** ``measure`` adds noise to answers that one unit moves by ``Block.sensitivity``; its price
is what the mechanism says for that. ``choose`` scores a candidate by weight * (sum of |exact -
expected| over a marginal, less the offset), clamped to where 64 bits hold it: one row moves one
cell of the marginal by 1, so it moves the score by at most the weight, and a unit of so many rows
so many times that (twice, where it is replaced). Where the table counts parts of 1/F of a row, a
row is a part here, and so below: one unit has at most F times as many (``linear`` says why nothing
else changes). All answers, scores, noise and thresholds are in parts then.

``discover`` adds noise to the counts of the combinations that are there, and tells those that reach
a threshold T. Call lone the ones that only one of two neighbours has. The others move as a block of
all combinations does, and the noise of the lone ones is independent of theirs. All rows of a lone
one belong to those who came, at most M = rows * group on either side (in parts, F times as many),
c_i of them in the i-th, a whole number of at least 1: some lone one is told with probability at
most the sum of f(c_i), f(a) = Pr[a + Z >= T]. The mass of the noise falls on both sides of 0, so
from 0 to T > M f grows by ever more: it is convex, the a with f(a) <= t a are neighbours of each
other for every t, and f(a)/a is largest at a = 1 or a = M. So the sum is at most delta = max(M
f(1), f(M)), which M lone combinations of one row, or one of M rows, attain up to second order. Take
that part out of both worlds: what is left are the common combinations, the good pair of ``Loss``
(``stability_histogram`` has the same for counts of units). Laplace noise is cut at T - 1 where that
makes T lower: drawn again while it is larger. Then a combination, lone or not, that moves by s has
s values in either world that the other has not, of probability c(s), and all moves add up to M, or
2 M where units are replaced. c is convex and c(0) = 0: one move by M, or two, is the worst, and
delta is c(M), or twice that (docs/decisions/0013).

Losses of steps chosen in view of earlier ones add up, in epsilon, delta and rho (fully adaptive
composition: ``Loss.__add__``), and a step whose price is more than what is left is refused before
the data are looked at. Whether one is refused follows from prices alone.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.selection.exponential import Exponential
from hedgerow.numeric.exact_number import Number, parse_delta, parse_positive, parse_whole
from hedgerow.numeric.tails.gaussian import gaussian_radius
from hedgerow.numeric.tails.laplace import (
    laplace_tail,
    laplace_threshold,
    laplace_truncation,
    truncated_end_mass,
)
from hedgerow.plan.contingency import group_into_words
from hedgerow.plan.contingency_table import ContingencyTable, Integers, split_halves
from hedgerow.privacy.loss import Loss, compute_pure_rho
from hedgerow.release.linear_queries import BinSums, QueryBlock

__all__ = ["MarginalCandidate", "PrivateTable", "calibrate_discovery", "compute_measurement_loss"]

_MAX_EXPECTED: Final = 2**40
_MAX_WEIGHT: Final = 2**20
_MAX_SUM: Final = 2**62


@lru_cache(maxsize=2**14)
def compute_measurement_loss(
    block: QueryBlock, law: Laplace | Gaussian, *, rows: int, relation: str, group: int = 1
) -> Loss:
    """What it costs one unit (or group of units) of at most ``rows`` rows each to measure a
    block. Looks at no data.
    """
    if law.grid != 1:
        raise InvalidArgument(
            "law", "must have a grid of 1: what is measured are whole numbers", law.grid
        )
    return law.loss(block.sensitivity(rows, relation).group(group))


def calibrate_discovery(
    sizes: Sequence[int],
    law: Laplace | Gaussian,
    *,
    delta: Number,
    rows: int,
    relation: str,
    group: int = 1,
) -> tuple[int, Loss, int | None]:
    """From which noisy count on combinations of attributes of these ``sizes`` are told, the price,
    ``delta`` at most, and where the noise is cut, if it is. Without data."""
    moved = compute_measurement_loss(
        QueryBlock(tuple(enumerate(map(BinSums, sizes)))),
        law,
        rows=rows,
        relation=relation,
        group=group,
    )
    chance, most, cut = (
        parse_delta(delta),
        parse_whole(rows, "rows") * parse_whole(group, "group"),
        None,
    )
    # f(1) = Pr[Z >= T - 1] and f(M) = Pr[Z >= T - M]: the smallest T for either, and so at least M
    # + 1.
    if isinstance(law, Laplace):
        least = max(
            1 + laplace_threshold(law.scale, chance / most),
            most + laplace_threshold(law.scale, chance),
        )
        sides = 2 if relation == "change-one" else 1
        if (lower := laplace_truncation(law.scale, most, chance / sides)) < least - 1:
            least, cut, chance = (
                lower + 1,
                lower,
                sides * truncated_end_mass(law.scale, lower, most),
            )
        else:
            chance = max(
                most * laplace_tail(law.scale, least - 1), laplace_tail(law.scale, least - most)
            )
    else:  # Pr[Z >= r + 1] is half of Pr[|Z| > r]
        alone, together = (
            gaussian_radius(float(law.scale), float(2 * share)) + 1
            for share in (chance / most, chance)
        )
        least = max(1 + alone, most + together)
    return least, Loss(moved.epsilon, chance, moved.rho), cut


@dataclass(frozen=True, slots=True, eq=False)
class MarginalCandidate:
    """A marginal to choose: where its counts are said to be, in rows, and what a misfit counts."""

    places: tuple[int, ...]
    expected: Any  # whole numbers, one for each cell
    weight: Fraction = Fraction(1)
    offset: int = 0

    def __post_init__(self) -> None:
        expected = np.asarray(self.expected)
        if expected.dtype.kind not in "iu":
            raise InvalidArgument("expected", "must be whole numbers: round them first")
        # Beyond any count, and so that no difference wraps round.
        far = min(_MAX_EXPECTED, 2**61 // max(1, expected.size))  # nor any sum of them
        object.__setattr__(self, "expected", np.clip(expected, -far, far).astype(np.int64))
        object.__setattr__(self, "weight", parse_positive(self.weight, "weight"))
        if type(self.offset) is not int or abs(self.offset) > _MAX_EXPECTED:
            raise InvalidArgument("offset", "must be a whole number within 2^40", self.offset)


class PrivateTable:
    """The exact ``table``, and ``total`` to spend on it. A unit has at most ``rows`` rows in the
    table, which counts parts of 1/``fine`` of a row; so does all that is handed out."""

    def __init__(
        self,
        table: ContingencyTable,
        total: Loss,
        *,
        rows: int,
        relation: str,
        group: int = 1,
        parts_per_row: int = 1,
    ) -> None:
        if not isinstance(total, Loss) or total.delta == 1:
            raise InvalidArgument(
                "total", "must be a Loss with a delta below 1: at 1 it would promise nothing"
            )
        self._table = table
        self.parts_per_row = parse_whole(parts_per_row, "parts_per_row")
        self._terms: dict[str, Any] = {
            "rows": parse_whole(rows, "rows") * self.parts_per_row,
            "relation": relation,
            "group": parse_whole(group, "group"),
        }
        self.sizes = table.sizes
        self.total = total
        self.spent = Loss(Fraction(0), rho=Fraction(0))

    def __repr__(self) -> str:
        return f"Purse(sizes={self.sizes}, total={self.total}, spent={self.spent})"

    def price(self, block: QueryBlock, law: Laplace | Gaussian) -> Loss:
        """What measuring a block would cost here."""
        return compute_measurement_loss(block, law, **self._terms)

    def measure(self, block: QueryBlock, law: Laplace | Gaussian) -> Integers:
        """The answers of a block with noise, whole numbers of parts."""
        self._spend(self.price(block, law))
        noisy: Integers = law.sample(block.evaluate(self._table))
        return noisy

    def select(
        self,
        candidates: Sequence[MarginalCandidate],
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
    ) -> int:
        """The place of a candidate whose marginal is far from what is expected of it: the
        farther, the likelier.
        """
        if not candidates:
            raise InvalidArgument("candidates", "must be at least one")
        unit = Fraction(1, math.lcm(*(candidate.weight.denominator for candidate in candidates)))
        weights = [int(candidate.weight / unit) for candidate in candidates]
        if max(weights) > _MAX_WEIGHT:
            raise InvalidArgument(
                "weight",
                "must be whole multiples of one number, at most 2^20 times it",
                max(weights),
            )
        both = 2 if self._terms["relation"] == "change-one" else 1
        moved = max(weights) * both * self._terms["rows"] * self._terms["group"]
        mechanism = Exponential.calibrate(sensitivity=moved, epsilon=epsilon, rho=rho)
        self._spend(mechanism.loss(moved))
        most = _MAX_SUM // max(weights)
        misfits = [
            min(max(self._compute_misfit(candidate), -most), most) for candidate in candidates
        ]
        return mechanism.sample(
            [weight * misfit for weight, misfit in zip(weights, misfits, strict=True)]
        )

    def discover(
        self, places: Sequence[int], law: Laplace | Gaussian, *, delta: Number
    ) -> tuple[Integers, Integers]:
        """The combinations of the attributes at ``places`` whose noisy count reaches the threshold
        of ``calibrate_discovery``, sorted, a row of codes each, and these counts. Combinations that
        nobody has are never told."""
        if (
            not places
            or len(set(places)) != len(places)
            or not all(0 <= place < len(self.sizes) for place in places)
        ):
            raise InvalidArgument(
                "places", "must be places of different attributes, at least one", places
            )
        least, price, cut = calibrate_discovery(
            [self.sizes[place] for place in places], law, delta=delta, **self._terms
        )
        self._spend(price)
        codes, exact = _list_present_codes(self._table, places)
        noisy: Integers = law.sample(exact) if exact.size else exact
        while cut is not None and (far := np.abs(noisy - exact) > cut).any():
            noisy[far] = law.sample(exact[far])
        told = noisy >= least
        return codes[told], noisy[told]

    def _compute_misfit(self, candidate: MarginalCandidate) -> int:
        found = self._table.marginal(candidate.places)
        if candidate.expected.shape != found.shape:
            raise InvalidArgument(
                "expected", "must have one number for each cell of its marginal", candidate.places
            )
        # No sum of what is expected goes beyond 2^61, nor one of counts, unless units are more than
        # declared.
        far = _MAX_SUM // 2 // self.parts_per_row // max(1, found.size)
        away: Any = found - np.clip(candidate.expected, -far, far) * self.parts_per_row
        return (
            int(np.abs(away if self._table.total <= _MAX_SUM // 2 else away.astype(object)).sum())
            - candidate.offset * self.parts_per_row
        )

    def _spend(self, loss: Loss) -> None:
        spent = self.spent + loss
        # Steps within a pure epsilon are within the rho that any such program has.
        pure = (
            self.total.rho >= compute_pure_rho(self.total.epsilon)
            if isinstance(self.total.epsilon, Fraction)
            else False
        )
        if (
            spent.delta > self.total.delta
            or spent.epsilon > self.total.epsilon
            or (spent.rho > self.total.rho and not pure)
        ):
            raise Refused(
                f"This step costs {loss}; with {self.spent} spent that is more than the"
                f" {self.total} that were paid."
            )
        self.spent = spent


def _list_present_codes(
    table: ContingencyTable, places: Sequence[int]
) -> tuple[Integers, Integers]:
    """The codes that are there at ``places``, sorted, and how often each combination is; lines
    that count nothing are not there.
    """
    there = np.flatnonzero(table.counts)
    sizes = [table.sizes[place] for place in places]
    words = []
    for shared in group_into_words(sizes):
        word = np.zeros(len(there), dtype=np.int64)
        for i in shared:
            word = word * sizes[i] + table.codes(places[i])[there].astype(np.int64)
        words.append(word)
    order = np.lexsort(words[::-1])  # the first word counts most
    new = np.ones(len(order), dtype=bool)
    new[1:] = np.any([np.diff(word[order]) != 0 for word in words], axis=0)
    starts = np.flatnonzero(new)
    lines = there[order[starts]]
    codes = np.stack([table.codes(place)[lines].astype(np.int64) for place in places], axis=1)
    if not len(starts):
        return codes, np.zeros(0, dtype=np.int64)
    high, low = (np.add.reduceat(half, starts) for half in split_halves(table.counts[there][order]))
    return codes, table.join_halves(high, low)
