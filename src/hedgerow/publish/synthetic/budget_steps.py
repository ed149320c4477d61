"""The budget of a synthetic table: each step gets a share of the price and is recorded with its
cost.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

import numpy as np

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.numeric.vectorised import Floats
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.specification import Progress, ignore_progress, measure_all
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import MarginalCandidate, PrivateTable

__all__ = ["BudgetSpender", "BudgetStep", "MeasuredTable"]


@dataclass(frozen=True, slots=True)
class BudgetStep:
    """One paid step: a table of ``cells`` measured with noise of this ``scale``, or a private
    selection (no scale).
    """

    kind: str
    positions: tuple[int, ...]
    cells: int
    scale: Fraction | None = None


@dataclass(frozen=True, slots=True, eq=False)
class MeasuredTable:
    """A noisy table, and the variance of the noise in each of its cells."""

    positions: tuple[int, ...]
    table: Floats
    variance: float


@dataclass(slots=True)
class BudgetSpender:
    """A private table, the ``terms`` with the whole price, the ``steps`` so far, and the listener
    for progress, out of about ``about`` steps.
    """

    private_table: PrivateTable
    parameters: PrivacyParameters
    progress: Progress = ignore_progress
    expected_steps: int = 0
    steps: list[BudgetStep] = field(default_factory=list)

    def measure(
        self, blocks: Sequence[QueryBlock], part: Fraction, kind: str
    ) -> list[MeasuredTable]:
        """Return noisy tables for a share of the price.

        A table of n cells with noise of scale s is off by about n s in all. The sum of that over
        tables, at a fixed sum of 1/s^2 (Gaussian) or of 1/s (Laplace), is least if s is
        proportional to n^(-1/3) or n^(-1/2).
        """
        if not blocks:
            return []
        power = -1 / 3 if self.parameters.is_gaussian else -1 / 2
        spreads = [block.cells**power for block in blocks]
        mechanisms = self.parameters.with_share(part).calibrate_all(blocks, spreads)
        before = len(self.steps)
        measurements = list(zip(blocks, mechanisms, strict=True))
        results = measure_all(
            self.private_table,
            measurements,
            lambda done, of: self.progress(before + done, max(before + of, self.expected_steps)),
        )
        self.steps += [
            BudgetStep(
                kind, block.places, block.cells, mechanism.scale / self.parameters.parts_per_row
            )
            for block, mechanism in measurements
        ]
        return [
            MeasuredTable(
                block.places,
                np.asarray(noisy, dtype=np.float64),
                compute_noise_variance(mechanism) / self.parameters.parts_per_row**2,
            )
            for (block, mechanism), noisy in zip(measurements, results, strict=True)
        ]

    def choose(self, candidates: Sequence[MarginalCandidate], part: Fraction) -> int:
        """Return the index of a candidate, selected privately for a share of the price."""
        price = self.parameters.with_share(part)
        place = self.private_table.select(candidates, epsilon=price.epsilon, rho=price.rho)
        self.steps.append(
            BudgetStep("chosen", candidates[place].places, candidates[place].expected.size)
        )
        return place

    def compute_deviation(self, part: Fraction, tables: int) -> float:
        """Return the standard deviation of the noise if this many equal tables share a part of the
        price. Reads no data.
        """
        place = int(np.argmax(self.private_table.sizes))
        block = QueryBlock(((place, BinSums(self.private_table.sizes[place])),))
        (mechanism,) = self.parameters.with_share(part).calibrate_all([block], [1.0])
        deviation = math.sqrt(compute_noise_variance(mechanism)) / self.parameters.parts_per_row
        return deviation * (math.sqrt(tables) if self.parameters.is_gaussian else tables)
