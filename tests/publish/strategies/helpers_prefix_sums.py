"""Weights, variances and errors of prefix-sum strategies, read off their answers."""

from __future__ import annotations

import math

import numpy as np

from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.publish.strategies.strategy import Strategy, compute_expected_error


def read_weights(design: Strategy) -> np.ndarray:
    """Return the weight of each measurement in each answer: answers are linear."""
    shapes = [block.shape for block, _ in design.measurements]
    columns = []
    for which, shape in enumerate(shapes):
        for cell in range(shape[0]):
            noisy = [np.zeros(other, dtype=np.int64) for other in shapes]
            noisy[which][cell] = 2**40
            columns.append(design.reconstruct(noisy) / 2**40)
    return np.array(columns).T


def list_variances(design: Strategy) -> np.ndarray:
    return np.concatenate(
        [np.full(block.cells, compute_noise_variance(law)) for block, law in design.measurements]
    )


def root_mean_square(design: Strategy) -> float:
    return math.sqrt(compute_expected_error(design) / len(design.variances()))
