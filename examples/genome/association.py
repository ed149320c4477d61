"""What is asked of a case-control study, and what it costs: the most associated variants, and
tables of those that were found.

**Who is protected.** A person with the whole genome, who takes part or does not (add-remove).

**The score of a variant** is u = |sum over cases of (g - 1) - sum over controls of (g - 1)|, where
g = 0, 1 or 2 is how many of a person's two alleles are the rarer one. With as many cases as
controls that is the difference of the two allele counts.

**Its sensitivity is 1.** A person who comes or goes adds or takes away g - 1, which is -1, 0 or 1,
in one of the two sums; the other sum stays. So the difference moves by at most 1, and its absolute
value by no more, as | |a| - |b| | <= |a - b|. (Counted from 0 instead of from the middle a person
would bring up to 2, and the same choice would cost twice as much.) One person moves nearly all
scores at once, some up and some down: a selection mechanism asks only how far each *single* score
moves, but it may not be told that scores are ``monotone``.

**Several variants** are chosen one after the other; losses add up. The locus of a variant that was
found leaves the list: which one that is follows from what was published and from a public map.

**A table** has every person in one of six cells (group by genotype), who moves it by 1. Tables of k
variants: k cells, each by 1.

**The test** compares genotype shares of cases and controls, d = p1 - p0, as Pearson's chi-square
does, with the covariance that d has:

    C = (1/n1 + 1/n0) (diag p - p p') + s^2 (1/n1^2 + 1/n0^2) (I - p 1' - 1 p' + 3 p p')

The first term is chance in who was recruited, the second is noise of standard deviation s in each
cell t_g, by linearising t_g / sum t around the truth. d' C^-1 d over two of the three genotypes
(the shares add up to 1) has two degrees of freedom: p = exp(-x/2). Without noise, s = 0, it *is*
Pearson's.

**Testing what was chosen on the same data** is sound at level a/m, with m the number of *all*
variants. Imagine that every variant had its noisy table: the chance that any innocent one of the m
has p < a/m is at most a, whichever of them we then look at.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

import hedgerow as hr
from hedgerow.mechanisms import Exponential, Gaussian, PermuteAndFlip

__all__ = ["SCORE", "Custodian", "chi_square", "odds_ratio", "p_value", "scores", "top"]

SCORE = 1  # how far one person moves a score, see above

Integers = NDArray[np.int64]
Floats = NDArray[np.float64]


def scores(tables: Integers) -> Integers:
    """Return the difference of the allele counts of cases and controls, for each variant."""
    # the sum of g - 1: two copies are one above the middle, none is one below
    balance = tables[:, 2] - tables[:, 0]
    return np.abs(balance[1] - balance[0])


def top(exact: Integers, choose: Exponential | PermuteAndFlip, many: int, width: int) -> list[int]:
    """Return the indices of ``many`` variants, selected one after the other; ``width`` neighbours
    form a locus, which is found at most once."""
    left, found = np.arange(exact.size), list[int]()
    for _ in range(many):
        found.append(int(left[choose.sample(exact[left])]))
        left = left[left // width != found[-1] // width]
    return found


@dataclass(slots=True)
class Custodian:
    """The custodian of the exact tables and of the one budget; everything is charged before the
    tables are read."""

    tables: Integers
    budget: hr.Budget

    def most_associated(self, many: int, rho: Any, width: int) -> list[int]:
        """Return ``many`` variants, for ``rho`` in total."""
        choose = Exponential.calibrate(sensitivity=SCORE, rho=rho / many)
        self.budget = self.budget.charge(many * choose.loss(SCORE))
        return top(scores(self.tables), choose, many, width)

    def noisy_tables(self, variants: list[int], rho: Any) -> tuple[Integers, float]:
        """Return the tables of group by genotype for each variant, for ``rho`` in total, and the
        standard deviation of the noise in a cell."""
        move = hr.Sensitivity.each(len(variants), 1)
        noise = Gaussian.calibrate(sensitivity=move, rho=rho)
        self.budget = self.budget.charge(noise.loss(move))
        return noise.sample(self.tables[:, :, variants]), float(noise.scale)


def chi_square(noisy: NDArray[Any], noise: float) -> Floats:
    """Return the statistic of each table of shape (2, 3, tables); ``noise`` is the standard
    deviation in a cell, or 0 to ignore it."""
    cells = np.moveaxis(np.asarray(noisy, dtype=np.float64), -1, 0)  # tables, groups, genotypes
    people = np.maximum(cells.sum(axis=2), 1.0)
    share = np.maximum(cells.sum(axis=1), 1e-3)
    share /= share.sum(axis=1, keepdims=True)
    gap = (cells[:, 1] / people[:, 1, None] - cells[:, 0] / people[:, 0, None])[:, 1:]
    p = share[:, 1:]
    outer = p[:, :, None] * p[:, None, :]
    chance = np.eye(2) * p[:, :, None] - outer
    drawn = np.eye(2) - p[:, :, None] - p[:, None, :] + 3 * outer
    once, twice = (np.sum(people**-power, axis=1)[:, None, None] for power in (1.0, 2.0))
    covariance = once * chance + noise**2 * twice * drawn
    return np.einsum("ti,ti->t", gap, np.linalg.solve(covariance, gap[:, :, None])[:, :, 0])


def p_value(statistic: NDArray[Any]) -> Floats:
    """Return the p-value of a statistic: the tail of chi-square with two degrees of freedom."""
    return np.exp(-np.asarray(statistic, dtype=np.float64) / 2)


def odds_ratio(noisy: NDArray[Any], noise: float) -> tuple[float, float, float]:
    """Return the odds ratio of the rarer allele in one table of shape (2, 3), with a 95 % interval
    for sampling and noise together.

    Sampling is that of two independent alleles per person.
    """
    cells = np.asarray(noisy, dtype=np.float64)
    rare = np.maximum(cells @ [0, 1, 2], 1.0)
    common = np.maximum(cells @ [2, 1, 0], 1.0)
    logarithm = np.log(rare[1] * common[0] / (common[1] * rare[0]))
    # A group's log odds move by 2/rare, 1/rare - 1/common and -2/common with a person in each of
    # its cells.
    slopes = np.stack([-2 / common, 1 / rare - 1 / common, 2 / rare], axis=1)
    spread = np.sum(1 / rare + 1 / common) + noise**2 * np.sum(slopes**2)
    radius = 1.96 * np.sqrt(spread)
    return (
        float(np.exp(logarithm)),
        float(np.exp(logarithm - radius)),
        float(np.exp(logarithm + radius)),
    )
