"""Made-up people for the genome study: cases and controls, with a handful of variants that raise
the risk.

The structure is that of real genomes as far as the study feels it. Neighbouring variants travel
together: a *locus* of twenty variants has eight founder haplotypes, and everybody has two of them.
Rare alleles are common and common ones rare (the number of founders that carry an allele is drawn
in proportion to 1/number). A planted variant multiplies the odds of the disease for each copy, so
among cases its haplotypes are that much more frequent: cases are drawn from these tilted
frequencies, as a hospital would recruit them.

The generator is seeded, because these people do not exist. The noise that protects them comes from
Hedgerow and has no seed.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

__all__ = ["CHROMOSOMES", "Cohort", "Planted", "make"]

# million bases
CHROMOSOMES = (
    249,
    243,
    198,
    191,
    182,
    171,
    159,
    145,
    138,
    134,
    135,
    133,
    114,
    107,
    102,
    90,
    83,
    80,
    59,
    64,
    47,
    51,
)
FOUNDERS, WIDTH = 8, 20

Bytes = NDArray[np.uint8]
Integers = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Planted:
    """A variant that multiplies the odds of the disease by this factor for each copy."""

    variant: int
    odds: float


@dataclass(frozen=True, slots=True)
class Cohort:
    """``people[g][locus, i]`` says whose haplotypes person i of group g (0 controls, 1 cases) has:
    8 times one founder plus the other.

    ``carries[locus, founder, place]`` is 1 where that haplotype has the rarer allele. Variant v is
    at place v % WIDTH of locus v // WIDTH.
    """

    people: tuple[Bytes, Bytes]
    carries: Bytes
    planted: tuple[Planted, ...]

    @property
    def variants(self) -> int:
        """The number of variants."""
        return int(self.carries.shape[0] * WIDTH)

    def tables(self) -> Integers:
        """Return tables[g, c, v], the exact and secret number of people of group g with c copies
        (0, 1, 2) of the rarer allele of variant v."""
        loci = self.carries.shape[0]
        copies = (self.carries[:, :, None, :] + self.carries[:, None, :, :]).reshape(
            loci, FOUNDERS**2, WIDTH
        )
        found = np.empty((2, 3, self.variants), dtype=np.int64)
        for group, pairs in enumerate(self.people):
            many = np.stack([np.bincount(each, minlength=FOUNDERS**2) for each in pairs]).astype(
                np.float32
            )
            for number in range(3):
                found[group, number] = np.einsum("lf,lfp->lp", many, copies == number).ravel()
        return found

    def without(self, group: int, person: int) -> Cohort:
        """Return a neighbouring study, without this person."""
        fewer = [
            np.delete(pairs, person, axis=1) if place == group else pairs
            for place, pairs in enumerate(self.people)
        ]
        return Cohort((fewer[0], fewer[1]), self.carries, self.planted)

    def place(self, variant: int) -> tuple[int, float]:
        """Return the chromosome of a variant, from 1, and its position in million bases; loci are
        spread evenly over the genome."""
        along = (variant + 0.5) / self.variants * sum(CHROMOSOMES)
        ends = np.cumsum(CHROMOSOMES)
        number = int(np.searchsorted(ends, along))
        return number + 1, along - float(ends[number] - CHROMOSOMES[number])


def make(loci: int, each: int, odds: tuple[float, ...], seed: int = 20) -> Cohort:
    """Make a study of ``each`` cases and as many controls, with one planted variant for each of
    ``odds``, in separate loci."""
    chance = np.random.default_rng(seed)
    # of founders in the population
    frequency = 0.02 + (1 - 0.02 * FOUNDERS) * chance.dirichlet(np.full(FOUNDERS, 0.8), size=loci)
    carries = _alleles(chance, frequency)
    shares = np.einsum("lf,lfp->lp", frequency, carries)
    tilted, planted = frequency.copy(), []
    for place, factor in zip(chance.choice(loci, len(odds), replace=False), odds, strict=True):
        # an allele that three people in ten chromosomes have, or nearly
        within = int(np.argmin(np.abs(shares[place] - 0.3)))
        weight = frequency[place] * factor ** carries[place, :, within]
        tilted[place] = weight / weight.sum()
        planted.append(Planted(int(place) * WIDTH + within, factor))
    people = (_drawn(chance, frequency, each), _drawn(chance, tilted, each))
    return Cohort(people, carries, tuple(planted))


def _alleles(chance: np.random.Generator, frequency: NDArray[Any]) -> Bytes:
    """Draw the founders that carry the rarer allele of each variant."""
    loci = len(frequency)
    sizes = np.arange(1, FOUNDERS)
    carriers = chance.choice(sizes, size=(loci, 1, WIDTH), p=(1 / sizes) / np.sum(1 / sizes))
    order = np.argsort(np.argsort(chance.random((loci, FOUNDERS, WIDTH)), axis=1), axis=1)
    carries = (order < carriers).astype(np.uint8)
    common = np.einsum("lf,lfp->lp", frequency, carries) > 0.5
    return np.where(common[:, None, :], 1 - carries, carries).astype(np.uint8)


def _drawn(chance: np.random.Generator, frequency: NDArray[Any], people: int) -> Bytes:
    """Draw two founders for each locus and person."""
    found = np.empty((len(frequency), people), dtype=np.uint8)
    for locus, ends in enumerate(np.cumsum(frequency, axis=1)[:, :-1].astype(np.float32)):
        pair = np.searchsorted(ends, chance.random((2, people), dtype=np.float32))
        found[locus] = pair[0] * FOUNDERS + pair[1]
    return found
