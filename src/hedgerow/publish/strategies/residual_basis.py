"""Marginals and their residuals: what each marginal adds to the smaller ones inside it.

| symbol | meaning |
|---|---|
| m | the number of codes of an attribute |
| P | I - 11'/m, for one attribute |
| A, W | sets of attributes; W is wanted, A is a subset of it |
| x_W | the marginal of W |
| r_A | the residual of A: (product of P over A) x_A |
| s_A^2 | the variance of the estimated residual of A |

**Statement.** Every marginal is a sum over the subsets of its attributes W,

    x_W = sum over A within W of  r_A, spread evenly over the attributes of W outside A,

and if the r_A are estimated without bias, without correlation between different A, each with
covariance s_A^2 (product of P), then every cell of the estimate of x_W has the same variance,

    sum over A within W of  s_A^2  prod over A of (1 - 1/m)  prod over W outside A of 1/m^2.

**Proof.** I = P + 11'/m for every attribute; multiply out. P is centred, so 11' removes it: the
term of A depends on x_A alone, and 11'/m spreads the sum over a summed-out attribute evenly. The
diagonal of P is 1 - 1/m throughout. []

Summed over all cells of all wanted marginals, by weight, the factor of s_A^2 is its *importance*:
the sum over W around A of weight_W prod over A of (m - 1) prod over W outside A of 1/m.
"""

from __future__ import annotations

import itertools
import math
from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_positive, parse_whole
from hedgerow.publish.strategies.strategy import Floats

__all__ = ["MarginalWorkload", "Positions", "ResidualStrategy", "centre_table", "list_subsets"]

Positions = tuple[int, ...]

_MAX_PARTS: Final = 2**20


def list_subsets(places: Positions) -> Iterator[Positions]:
    """Return all subsets, the empty one first."""
    return itertools.chain.from_iterable(
        itertools.combinations(places, count) for count in range(len(places) + 1)
    )


def centre_table(table: Any) -> Floats:
    """Return the table minus its mean along every axis."""
    found = np.array(table, dtype=np.float64)
    for axis in range(found.ndim):
        found -= found.mean(axis=axis, keepdims=True)
    return found


@dataclass(frozen=True, slots=True)
class MarginalWorkload:
    """The ``wanted`` marginals, each as the positions of its attributes in ascending order with the
    weight of its errors.
    """

    sizes: tuple[int, ...]
    wanted: tuple[tuple[Positions, Fraction], ...]

    def __post_init__(self) -> None:
        object.__setattr__(self, "sizes", tuple(parse_whole(size, "sizes") for size in self.sizes))
        sets = [places for places, _ in self.wanted]
        if not sets or len(set(sets)) != len(sets):
            raise InvalidArgument(
                "wanted", "must be distinct sets of attributes, at least one", sets
            )
        for places in sets:
            if list(places) != sorted(set(places)) or not all(
                0 <= place < len(self.sizes) for place in places
            ):
                raise InvalidArgument("wanted", "must be ascending positions of attributes", places)
        object.__setattr__(
            self,
            "wanted",
            tuple((places, parse_positive(weight, "weight")) for places, weight in self.wanted),
        )
        count = sum(2 ** len(places) for places in sets)
        if count > _MAX_PARTS:
            raise Refused(
                f"These marginals have {count:,} subsets of attributes; the limit is"
                f" {_MAX_PARTS:,}. Ask for fewer ways or fewer columns."
            )

    @classmethod
    def all_up_to(cls, sizes: Sequence[int], ways: int, *, least: int = 1) -> MarginalWorkload:
        """Return all marginals of ``least`` up to ``ways`` attributes, with equal weight."""
        if not 0 <= least <= ways <= len(sizes):
            raise InvalidArgument(
                "ways",
                f"must be from {least} to the number of attributes, {len(sizes)}",
                ways,
            )
        sets = [
            places
            for count in range(least, ways + 1)
            for places in itertools.combinations(range(len(sizes)), count)
        ]
        return cls(tuple(sizes), tuple((places, Fraction(1)) for places in sets))

    def shape(self, places: Positions) -> tuple[int, ...]:
        return tuple(self.sizes[place] for place in places)

    def count_cells(self, places: Sequence[int]) -> int:
        return math.prod(self.sizes[place] for place in places)

    def list_parts(self, places: Positions) -> Iterator[Positions]:
        """Return the sets whose residuals make up a marginal. An attribute of one code has no
        residual.
        """
        return list_subsets(tuple(place for place in places if self.sizes[place] > 1))

    def variance_share(self, places: Positions, part: Positions) -> float:
        """Return the factor of a part's variance s_A^2 in that of a cell of the marginal."""
        return self.cell_weight(places, part) * self.count_cells(part) / self.count_cells(places)

    def cell_weight(self, places: Positions, part: Positions) -> float:
        """Return the weight, in a cell of the marginal, of its own cell in the part before
        centring; other cells have less, because m >= 2.
        """
        return (
            math.prod(1 - 1 / self.sizes[place] for place in part)
            * self.count_cells(part)
            / self.count_cells(places)
        )

    def importances(self) -> dict[Positions, float]:
        """Return for each needed set, smallest first, the factor of s_A^2 in the weighted sum of
        all variances.
        """
        found: dict[Positions, float] = {}
        for places, weight in self.wanted:
            factor = float(weight) * self.count_cells(places)
            for part in self.list_parts(places):
                found[part] = found.get(part, 0.0) + factor * self.variance_share(places, part)
        return dict(sorted(found.items(), key=lambda item: (len(item[0]), item[0])))

    def variance(self, places: Positions, spreads: Mapping[Positions, float]) -> float:
        """Return the variance of every cell of a marginal, from the s_A^2."""
        return sum(
            spreads[part] * self.variance_share(places, part) for part in self.list_parts(places)
        )

    def variances(self, spreads: Mapping[Positions, float]) -> Floats:
        """Return the variances of all wanted cells, one marginal after another."""
        return self.repeat_per_cell([self.variance(places, spreads) for places, _ in self.wanted])

    def weighted_error(self, spreads: Mapping[Positions, float]) -> float:
        """Return the weighted sum of the variances of all wanted cells."""
        return sum(importance * spreads[part] for part, importance in self.importances().items())

    def build_table(self, places: Positions, residuals: Mapping[Positions, Floats]) -> Floats:
        """Build a marginal from its residuals."""
        found = np.zeros(self.shape(places))
        for part in self.list_parts(places):
            kept = [self.sizes[place] if place in part else 1 for place in places]
            found += residuals[part].reshape(kept) / (
                self.count_cells(places) // self.count_cells(part)
            )
        return found

    def concatenate_tables(self, residuals: Mapping[Positions, Floats]) -> Floats:
        """Return all wanted cells, one marginal after another."""
        found = np.empty(sum(self.count_cells(places) for places, _ in self.wanted))
        start = 0
        for places, _ in self.wanted:
            found[start : (start := start + self.count_cells(places))] = self.build_table(
                places, residuals
            ).ravel()
        return found

    def repeat_per_cell(self, values: Sequence[float] | Floats) -> Floats:
        """Repeat one value for each marginal in all its cells."""
        return np.repeat(
            np.asarray(values, dtype=np.float64),
            [self.count_cells(places) for places, _ in self.wanted],
        )


class ResidualStrategy(ABC):
    """A strategy for ``marginals`` that estimates the residuals of their parts; the answers and
    errors follow from these.
    """

    __slots__ = ()
    workload: MarginalWorkload

    def reconstruct_tables(self, noisy: Sequence[Any]) -> Iterator[tuple[Positions, Floats]]:
        """Return the wanted marginals one by one. They agree wherever they overlap, because they
        share their parts.
        """
        residuals = self._estimate_residuals(noisy)
        return (
            (places, self.workload.build_table(places, residuals))
            for places, _ in self.workload.wanted
        )

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """Return the cells of all wanted marginals, one after another."""
        return self.workload.concatenate_tables(self._estimate_residuals(noisy))

    def variances(self) -> Floats:
        """Return the variance of each of these cells; all cells of one marginal have the same."""
        return self.workload.variances(self.residual_variances())

    @abstractmethod
    def residual_variances(self) -> dict[Positions, float]:
        """Return the s_A^2."""

    @abstractmethod
    def _estimate_residuals(self, noisy: Sequence[Any]) -> dict[Positions, Floats]:
        """Return the estimated residuals."""
