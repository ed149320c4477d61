"""Designs as matrices: what they measure, how they read answers off it, and what real noise does
to those.
"""

from __future__ import annotations

import math
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from hedgerow.mechanisms.laplace import Laplace
from hedgerow.privacy.loss import Loss
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.strategy import Strategy
from hedgerow.release.linear_queries import BinSums, QueryBlock
from hedgerow.release.private_table import compute_measurement_loss

Matrix = NDArray[np.float64]

# A mean of 20,000 squares of Laplace noise (kurtosis 6) leaves 7 standard deviations with
# probability 2e-11: the skewness of the mean is 0.05, which raises the normal tail of 1.3e-12 by
# e^(0.05 * 7^3 / 6). Of fewer answers than 25 at a time, one does with less than 1e-9.
RUNS, FAR = 20_000, 7.0


def matrix_of(block: QueryBlock, sizes: tuple[int, ...]) -> Matrix:
    """The block as a matrix over all combinations of codes."""
    factors, found = dict(block.factors), np.ones((1, 1))
    for place, size in enumerate(sizes):
        one = (
            factors[place].apply(np.eye(size, dtype=np.int64), 0)
            if place in factors
            else np.ones((1, size))
        )
        found = np.kron(found, one)
    return found


def measured(design: Strategy, sizes: tuple[int, ...]) -> Matrix:
    """All that is measured, one number a row."""
    return np.concatenate([matrix_of(block, sizes) for block, _ in design.measurements])


def marginals_of(sets: list[tuple[int, ...]], sizes: tuple[int, ...]) -> Matrix:
    """The cells of marginals, one a row."""
    return np.concatenate(
        [
            matrix_of(QueryBlock(tuple((place, BinSums(sizes[place])) for place in places)), sizes)
            for places in sets
        ]
    )


def read(design: Strategy) -> Matrix:
    """How much every measured number counts in every answer, found by asking."""
    cells = [block.cells for block, _ in design.measurements]
    lines = []
    for place in range(sum(cells)):
        unit = np.zeros(sum(cells), dtype=np.int64)
        unit[place] = 1
        parts = np.split(unit, np.cumsum(cells)[:-1])
        lines.append(
            design.reconstruct(
                [
                    part.reshape(block.shape)
                    for part, (block, _) in zip(parts, design.measurements, strict=True)
                ]
            )
        )
    return np.array(lines).T


def exact_variance(law: Any) -> float:
    """From the masses, summed until nothing is left."""
    scale = float(law.scale)
    z = np.arange(1.0, math.ceil(60 * scale) + 60)
    with np.errstate(under="ignore"):
        mass = np.exp(-z / scale if isinstance(law, Laplace) else -((z / scale) ** 2) / 2)
    return float(2 * (mass * z**2).sum() / (1 + 2 * mass.sum()))


def noise_of(design: Strategy) -> Matrix:
    """The variance of every measured number."""
    return np.repeat(
        [exact_variance(law) for _, law in design.measurements],
        [block.cells for block, _ in design.measurements],
    )


def best(design: Strategy, asked: Matrix, sizes: tuple[int, ...]) -> Matrix:
    """The least-squares weights, by the pseudo-inverse."""
    inverse = 1 / np.sqrt(noise_of(design))
    return np.asarray(
        (asked @ np.linalg.pinv(measured(design, sizes) * inverse[:, None])) * inverse
    )


def drawn(design: Strategy, runs: int = RUNS) -> Matrix:
    """Real noise: a line of all measured numbers for each run."""
    parts = [
        law.sample(np.zeros((runs, block.cells), dtype=np.int64))
        for block, law in design.measurements
    ]
    return np.concatenate(parts, axis=1).astype(np.float64)


def off(errors: Matrix, variances: Matrix) -> Matrix:
    """How many standard deviations the mean squares are off what is predicted; no sum of such
    noise has a kurtosis above 6.
    """
    return np.asarray(
        np.abs(np.square(errors).mean(axis=0) / variances - 1) / math.sqrt(5 / len(errors))
    )


def price_of(design: Strategy, terms: PrivacyParameters) -> Loss:
    """What the door would charge for it."""
    total = Loss(Fraction(0), rho=Fraction(0))
    for block, law in design.measurements:
        total = total + compute_measurement_loss(
            block, law, rows=terms.rows, relation=terms.relation, group=terms.group
        )
    return total
