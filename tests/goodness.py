"""Do draws follow an exact law? A chi-square test whose bins reach far into the tails.

The statistic is the likelihood-ratio form, 2 sum O ln(O/E). Its tail probabilities stay right far
out even in bins that expect few draws, so that an alarm rate of 1e-9 means what it says; Pearson's
form would cry wolf there. About fifty bins, halving towards both ends, keep the power where a wrong
scale shows; the remainder modulo 8 sees what wide bins would hide.

The laws are summed in 50 decimal digits. Nothing here uses the code under test.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Context, Decimal, localcontext
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import chdtrc, ndtr

ALARM = 1e-9
FAR = 6.2  # standard deviations: a normal variable leaves ±6.2 with probability 6e-10

_FEWEST = 25.0
_MIDDLE = 16


@dataclass(frozen=True)
class Law:
    """A law on the integers: Pr[Z <= point] at ascending points, and Pr[Z mod 8 = r] where it is
    known.
    """

    points: NDArray[np.int64]
    upto: NDArray[np.float64]
    residues: NDArray[np.float64] | None = None

    @classmethod
    def of(cls, first: int, masses: list[Decimal]) -> Law:
        """From the masses at first, first + 1, …; what little is left out lies beyond the last."""
        points = first + np.arange(len(masses))
        mass = np.array([float(m) for m in masses])
        return cls(points, np.cumsum(mass), np.bincount(points % 8, weights=mass, minlength=8))

    @classmethod
    def rounded(
        cls, centre: float, scale: float, cdf: Callable[[NDArray[np.float64]], NDArray[np.float64]]
    ) -> Law:
        """The real centre + scale Z, rounded to the nearest integer, where Z has the
        distribution function ``cdf``.
        """
        reach = np.geomspace(1e-3, 1e12, 4000)
        real = np.concatenate([-reach[::-1], [0.0], reach]) * scale + centre
        points = np.unique(np.floor(real[np.abs(real) < 2.0**60]).astype(np.int64))
        return cls(points, cdf((points + 0.5 - centre) / scale))


def p_value(draws: NDArray[np.int64], law: Law) -> float:
    """How likely draws of ``law`` would fit it at most as well as these do."""
    size = draws.size
    tails = _FEWEST / size * 2.0 ** np.arange(64)
    tails = tails[tails < 1 / _MIDDLE]
    levels = np.concatenate([tails, np.arange(1, _MIDDLE) / _MIDDLE, 1 - tails[::-1]])
    cuts = np.unique(np.searchsorted(law.upto, levels))
    cuts = cuts[cuts < law.points.size]
    below = np.searchsorted(np.sort(draws), law.points[cuts], side="right")
    found = [
        chi_square(
            np.diff(below, prepend=0, append=size), np.diff(law.upto[cuts], prepend=0.0, append=1.0)
        )
    ]
    if law.residues is not None:
        found.append(chi_square(np.bincount(draws % 8, minlength=8), law.residues))
    return min(1.0, len(found) * min(found))


def chi_square(observed: ArrayLike, probabilities: ArrayLike) -> float:
    """The p-value of the counts; thin bins are joined with the next. A draw where none can be
    gives 0.
    """
    counts, chances = (
        np.asarray(observed, dtype=float),
        np.maximum(np.asarray(probabilities, dtype=float), 0.0),
    )
    if counts[chances == 0].any():
        return 0.0
    expected = chances / chances.sum() * counts.sum()
    groups, group, gathered = np.zeros(counts.size, dtype=int), 0, 0.0
    for place, expects in enumerate(expected):
        groups[place] = group
        gathered += expects
        if gathered >= _FEWEST:
            group, gathered = group + 1, 0.0
    groups = np.minimum(groups, group - 1)
    if group < 2:
        raise ValueError("too few draws for a test")
    found, wanted = np.bincount(groups, weights=counts), np.bincount(groups, weights=expected)
    terms = found * np.log(np.where(found > 0, found, 1.0) / wanted)
    return float(chdtrc(group - 1, max(2 * terms.sum(), 0.0)))


def geometric(scale: Fraction) -> Law:
    """Pr[G = k] = (1 - q) q^k, q = e^(-1/scale)."""
    with localcontext(Context(prec=50)):
        q = (-decimal(1 / scale)).exp()
        return Law.of(0, [(1 - q) * q**k for k in range(_reach(scale))])


def discrete_laplace(scale: Fraction) -> Law:
    """Pr[Z = z] = (1 - q)/(1 + q) q^|z|."""
    with localcontext(Context(prec=50)):
        q = (-decimal(1 / scale)).exp()
        half = [(1 - q) / (1 + q) * q**k for k in range(_reach(scale))]
    return Law.of(1 - len(half), half[:0:-1] + half)


def discrete_gaussian(sigma: Fraction) -> Law:
    """Pr[Z = z] proportional to exp(-z^2 / 2 sigma^2)."""
    with localcontext(Context(prec=50)):
        rate = decimal(-1 / (2 * sigma**2))
        half = [(rate * k * k).exp() for k in range(int(9 * sigma) + 12)]
        total = 2 * sum(half) - 1
        half = [h / total for h in half]
    return Law.of(1 - len(half), half[:0:-1] + half)


def rounded_normal(centre: float, scale: float) -> Law:
    """The normal law around ``centre``, rounded to integers."""
    return Law.rounded(centre, scale, ndtr)


def rounded_laplace(centre: float, scale: float) -> Law:
    """The Laplace law around ``centre``, rounded to integers."""
    return Law.rounded(
        centre,
        scale,
        lambda z: np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z))),
    )


def decimal(x: Fraction) -> Decimal:
    """In the precision of the current context."""
    return Decimal(x.numerator) / Decimal(x.denominator)


def serial_correlation(draws: NDArray[np.int64], lag: int) -> float:
    """The correlation of each draw with the one ``lag`` later, in standard deviations of what
    independence gives.
    """
    centred = draws - draws.mean()
    return float(
        (centred[:-lag] * centred[lag:]).mean() / centred.var() * np.sqrt(draws.size - lag)
    )


def sign_against_size(draws: NDArray[np.int64]) -> float:
    """The correlation of the sign with the size, in standard deviations of what independence
    gives; draws of 0 are left out.
    """
    signed = draws[draws != 0]
    size = np.argsort(np.argsort(np.abs(signed), kind="stable"), kind="stable") + 0.5  # ranks
    size -= size.mean()
    return float((np.sign(signed) * size).mean() / size.std() * np.sqrt(signed.size))


def _reach(scale: Fraction) -> int:
    return int(45 * scale) + 12
