"""A private table: an exact contingency table together with the loss that was paid for it. It hands
out noisy measurements, private choices and discoveries, and nothing else.

| symbol | meaning |
|---|---|
| M | bound on the rows of those who come or go: rows * group (in parts, F times as many) |
| F | parts in which a row is counted |
| T | threshold of a noisy count |
| Z | noise of one count |
| f(a) | Pr[a + Z >= T] |
| c(s) | probability that truncated noise reveals a move by s |

**Statement.** All that a program learns from a private table costs one unit at most ``total``,
however it chooses each step in view of the steps before.

**Proof.** ``measure`` adds noise to answers that one unit moves by ``QueryBlock.sensitivity``; its
price is the loss of the mechanism for that. ``select`` scores a candidate by weight * (sum of
|exact - expected| over a marginal, less the offset), clamped to 64 bits: one row moves one cell of
the marginal by 1, so it moves the score by at most the weight, and a unit moves it by at most that
times its rows (twice as much if it is replaced). Where the table counts parts of 1/F of a row, a
row is a part here and below: one unit has at most F times as many (``linear_queries`` shows that
nothing else changes). All answers, scores, noise and thresholds are then in parts.

``discover`` adds noise to the counts of the combinations that occur, and returns those that reach a
threshold T. Call a combination lone if only one of two neighbours has it. The others move as a
block of all combinations does, and the noise of the lone ones is independent of theirs. All rows of
a lone combination belong to those who came, at most M on either side, c_i of them in the i-th, a
whole number of at least 1: some lone one is returned with probability at most the sum of f(c_i).
The mass of the noise falls on both sides of 0, so from 0 to T > M, f grows by ever more: it is
convex, the set of a with f(a) <= t a is an interval for every t, and f(a)/a is largest at a = 1 or
a = M. So the sum is at most delta = max(M f(1), f(M)), which M lone combinations of one row, or one
of M rows, attain up to second order. Take that part out of both data sets: the common combinations
are left, the good pair of ``Loss`` (``StabilityHistogram`` has the same for counts of units).
Laplace noise is truncated at T - 1 where that makes T lower: drawn again while it is larger. Then a
combination, lone or not, that moves by s has s values in either data set that the other has not, of
probability c(s), and all moves add up to M, or 2 M if units are replaced. c is convex and c(0) = 0:
one move by M, or two, is the worst case, and delta is c(M), or twice that (docs/decisions/0013).

Losses of steps chosen in view of earlier ones add up, in epsilon, delta and rho (fully adaptive
composition: ``Loss.__add__``), and a step whose price exceeds what is left is refused before the
data are read. Whether a step is refused follows from prices alone. []
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any, Final, NamedTuple

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

__all__ = [
    "Discovery",
    "MarginalCandidate",
    "PrivateTable",
    "calibrate_discovery",
    "compute_measurement_loss",
]

_MAX_EXPECTED: Final = 2**40
_MAX_WEIGHT: Final = 2**20
_MAX_SUM: Final = 2**62


class Discovery(NamedTuple):
    """The terms of a discovery: the smallest noisy count that is returned, the price, and where the
    noise is truncated, if it is.
    """

    minimum_count: int
    price: Loss
    truncation: int | None = None


@lru_cache(maxsize=2**14)
def compute_measurement_loss(
    block: QueryBlock, mechanism: Laplace | Gaussian, *, rows: int, relation: str, group: int = 1
) -> Loss:
    """Return the loss of measuring a block, for a unit (or group of units) of at most ``rows`` rows
    each.
    """
    if mechanism.grid != 1:
        raise InvalidArgument(
            "mechanism", "must have a grid of 1, because counts are whole numbers", mechanism.grid
        )
    return mechanism.loss(block.sensitivity(rows, relation).group(group))


def calibrate_discovery(
    sizes: Sequence[int],
    mechanism: Laplace | Gaussian,
    *,
    delta: Number,
    rows: int,
    relation: str,
    group: int = 1,
) -> Discovery:
    """Return the terms on which combinations of attributes of these ``sizes`` are discovered, from
    public parameters.
    """
    moved = compute_measurement_loss(
        QueryBlock(tuple(enumerate(map(BinSums, sizes)))),
        mechanism,
        rows=rows,
        relation=relation,
        group=group,
    )
    allowed = parse_delta(delta)
    max_rows = parse_whole(rows, "rows") * parse_whole(group, "group")
    # The smallest T for both f(1) = Pr[Z >= T - 1] and f(M) = Pr[Z >= T - M]: at least M + 1.
    if isinstance(mechanism, Gaussian):  # Pr[Z >= r + 1] is half of Pr[|Z| > r]
        alone, together = (
            gaussian_radius(float(mechanism.scale), float(2 * share)) + 1
            for share in (allowed / max_rows, allowed)
        )
        minimum = max(1 + alone, max_rows + together)
        return Discovery(minimum, Loss(moved.epsilon, allowed, moved.rho))
    scale = mechanism.scale
    minimum = max(
        1 + laplace_threshold(scale, allowed / max_rows),
        max_rows + laplace_threshold(scale, allowed),
    )
    sides = 2 if relation == "change-one" else 1
    truncation = laplace_truncation(scale, max_rows, allowed / sides)
    if truncation < minimum - 1:
        spent = sides * truncated_end_mass(scale, truncation, max_rows)
        return Discovery(truncation + 1, Loss(moved.epsilon, spent, moved.rho), truncation)
    spent = max(
        max_rows * laplace_tail(scale, minimum - 1), laplace_tail(scale, minimum - max_rows)
    )
    return Discovery(minimum, Loss(moved.epsilon, spent, moved.rho))


@dataclass(frozen=True, slots=True, eq=False)
class MarginalCandidate:
    """A marginal to choose from: its expected counts, in rows, and the weight of a misfit."""

    places: tuple[int, ...]
    expected: Any  # whole numbers, one for each cell
    weight: Fraction = Fraction(1)
    offset: int = 0

    def __post_init__(self) -> None:
        expected = np.asarray(self.expected)
        if expected.dtype.kind not in "iu":
            raise InvalidArgument("expected", "must be whole numbers; round them first")
        # Beyond any count, and so that neither a difference nor a sum of them wraps round.
        limit = min(_MAX_EXPECTED, 2**61 // max(1, expected.size))
        object.__setattr__(self, "expected", np.clip(expected, -limit, limit).astype(np.int64))
        object.__setattr__(self, "weight", parse_positive(self.weight, "weight"))
        if type(self.offset) is not int or abs(self.offset) > _MAX_EXPECTED:
            raise InvalidArgument("offset", "must be a whole number within 2^40", self.offset)


class PrivateTable:
    """The exact ``table`` and the ``total`` loss to spend on it.

    A unit has at most ``rows`` rows in the table. The table and everything it hands out count parts
    of 1/``parts_per_row`` of a row.
    """

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
                "total",
                "must be a Loss with a delta below 1, since a delta of 1 guarantees nothing",
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
        return f"PrivateTable(sizes={self.sizes}, total={self.total}, spent={self.spent})"

    def price(self, block: QueryBlock, mechanism: Laplace | Gaussian) -> Loss:
        """Return the loss of measuring a block here."""
        return compute_measurement_loss(block, mechanism, **self._terms)

    def measure(self, block: QueryBlock, mechanism: Laplace | Gaussian) -> Integers:
        """Return the noisy answers of a block, in whole parts."""
        self._spend(self.price(block, mechanism))
        noisy: Integers = mechanism.sample(block.evaluate(self._table))
        return noisy

    def select(
        self,
        candidates: Sequence[MarginalCandidate],
        *,
        epsilon: Number | None = None,
        rho: Number | None = None,
    ) -> int:
        """Choose a candidate and return its index; a larger misfit is exponentially more likely."""
        if not candidates:
            raise InvalidArgument("candidates", "must not be empty")
        unit = Fraction(1, math.lcm(*(candidate.weight.denominator for candidate in candidates)))
        weights = [int(candidate.weight / unit) for candidate in candidates]
        if max(weights) > _MAX_WEIGHT:
            raise InvalidArgument(
                "weight",
                "must be whole multiples of one number, at most 2^20 times it",
                max(weights),
            )
        sides = 2 if self._terms["relation"] == "change-one" else 1
        moved = max(weights) * sides * self._terms["rows"] * self._terms["group"]
        mechanism = Exponential.calibrate(sensitivity=moved, epsilon=epsilon, rho=rho)
        self._spend(mechanism.loss(moved))
        limit = _MAX_SUM // max(weights)
        misfits = (min(max(self._compute_misfit(one), -limit), limit) for one in candidates)
        return mechanism.sample([a * b for a, b in zip(weights, misfits, strict=True)])

    def discover(
        self, places: Sequence[int], mechanism: Laplace | Gaussian, *, delta: Number
    ) -> tuple[Integers, Integers]:
        """Return the codes of the combinations at ``places`` whose noisy count reaches the
        threshold, sorted, and these counts.

        The threshold is that of ``calibrate_discovery``. Combinations that no row has are never
        returned.
        """
        if (
            not places
            or len(set(places)) != len(places)
            or not all(0 <= place < len(self.sizes) for place in places)
        ):
            raise InvalidArgument(
                "places", "must be indices of different attributes, and not empty", places
            )
        terms = calibrate_discovery(
            [self.sizes[place] for place in places], mechanism, delta=delta, **self._terms
        )
        self._spend(terms.price)
        codes, exact = _list_present_codes(self._table, places)
        noisy: Integers = mechanism.sample(exact) if exact.size else exact
        limit = terms.truncation
        while limit is not None and (far := np.abs(noisy - exact) > limit).any():
            noisy[far] = mechanism.sample(exact[far])
        shown = noisy >= terms.minimum_count
        return codes[shown], noisy[shown]

    def _compute_misfit(self, candidate: MarginalCandidate) -> int:
        counts = self._table.marginal(candidate.places)
        if candidate.expected.shape != counts.shape:
            raise InvalidArgument(
                "expected", "must have one number for each cell of its marginal", candidate.places
            )
        # Clamped, no sum of expected counts exceeds 2^61. Nor does one of counts, unless there are
        # more units than declared.
        limit = _MAX_SUM // 2 // self.parts_per_row // max(1, counts.size)
        misfit: Any = counts - np.clip(candidate.expected, -limit, limit) * self.parts_per_row
        if self._table.total > _MAX_SUM // 2:
            misfit = misfit.astype(object)
        return int(np.abs(misfit).sum()) - candidate.offset * self.parts_per_row

    def _spend(self, loss: Loss) -> None:
        spent = self.spent + loss
        # Steps within a pure epsilon are within the rho that any such program has.
        pure = isinstance(self.total.epsilon, Fraction) and self.total.rho >= compute_pure_rho(
            self.total.epsilon
        )
        if (
            spent.delta > self.total.delta
            or spent.epsilon > self.total.epsilon
            or (spent.rho > self.total.rho and not pure)
        ):
            raise Refused(
                f"This step costs {loss}. With {self.spent} already spent, it exceeds the"
                f" {self.total} that was paid. Take fewer steps, or cheaper ones."
            )
        self.spent = spent


def _list_present_codes(
    table: ContingencyTable, places: Sequence[int]
) -> tuple[Integers, Integers]:
    """Return the combinations of codes that occur at ``places``, sorted, and their exact counts."""
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
