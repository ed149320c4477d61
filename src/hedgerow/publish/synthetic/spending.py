"""How a program spends its purse: parts of one price, each step written down with what it cost."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from hedgerow.linear import Bins, Block
from hedgerow.publish.designs import Floats, noise_variance
from hedgerow.publish.sketch import Tell, measured, silent
from hedgerow.publish.terms import Terms
from hedgerow.purse import Candidate, Purse

__all__ = ["Measured", "Spending", "Step"]


@dataclass(frozen=True, slots=True)
class Step:
    """One thing that was paid for: a table of so many ``cells`` measured with noise of this ``scale``, or one chosen (no scale)."""

    what: str
    places: tuple[int, ...]
    cells: int
    scale: Fraction | None = None


@dataclass(frozen=True, slots=True, eq=False)
class Measured:
    """A noisy table, and the variance of the noise in each of its cells."""

    places: tuple[int, ...]
    table: Floats
    variance: float


@dataclass(slots=True)
class Spending:
    """A purse, the ``terms`` with the whole price that may be spent from it, the ``steps`` so far, and who is told that so many of about
    ``about`` are done."""

    purse: Purse
    terms: Terms
    tell: Tell = silent
    about: int = 0
    steps: list[Step] = field(default_factory=list)

    def measure(self, blocks: Sequence[Block], part: Fraction, what: str) -> list[Measured]:
        """Noisy tables for a part of the price.

        A table of n cells with noise of scale s is off by about n s in all. The sum of that over tables, at a fixed sum of 1/s^2 (Gaussian)
        or of 1/s (Laplace), is least where s goes as n^(-1/3) or as n^(-1/2).
        """
        if not blocks:
            return []
        power = -1 / 3 if self.terms.gaussian else -1 / 2
        laws, before = self.terms.share(part).laws(blocks, [block.cells**power for block in blocks]), len(self.steps)
        asked = list(zip(blocks, laws, strict=True))
        found = measured(self.purse, asked, lambda done, of: self.tell(before + done, max(before + of, self.about)))
        self.steps += [Step(what, block.places, block.cells, law.scale / self.terms.fine) for block, law in asked]
        return [
            Measured(block.places, np.asarray(noisy, dtype=np.float64), noise_variance(law) / self.terms.fine**2)
            for (block, law), noisy in zip(asked, found, strict=True)
        ]

    def choose(self, candidates: Sequence[Candidate], part: Fraction) -> int:
        """The place of a candidate, chosen for a part of the price."""
        price = self.terms.share(part)
        place = self.purse.choose(candidates, epsilon=price.epsilon, rho=price.rho)
        self.steps.append(Step("chosen", candidates[place].places, candidates[place].expected.size))
        return place

    def spread(self, part: Fraction, tables: int) -> float:
        """The standard deviation of the noise when so many equal tables share a part of the price. Looks at no data."""
        place = int(np.argmax(self.purse.sizes))
        block = Block(((place, Bins(self.purse.sizes[place])),))
        (law,) = self.terms.share(part).laws([block], [1.0])
        one = math.sqrt(noise_variance(law)) / self.terms.fine
        return one * (math.sqrt(tables) if self.terms.gaussian else tables)
