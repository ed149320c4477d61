"""The last chapter: noise seen from outside, by an auditor who has nothing but outputs."""

from __future__ import annotations

import numpy as np

from hedgerow.demo.chapters import Audited, Finding
from hedgerow.mechanisms import Laplace
from hedgerow.numeric.bits import draw_words
from hedgerow.numeric.vectorised import Floats

__all__ = ["audit_noise", "sample_textbook_laplace"]

SAMPLES = 50_000
CONFIDENCE = 1 - 1e-6


def audit_noise() -> Audited:
    """Our Laplace noise beside the textbook's, told apart by bit patterns; so confident that
    chance does not refute the right one.
    """
    from hedgerow.verify.audit import audit  # brings scipy, which the other chapters do without

    mechanism = Laplace.calibrate(sensitivity=1, epsilon=1, grid=2**-20)

    def exact(value: float, runs: int) -> Floats:
        noisy: Floats = mechanism.sample(np.full(runs, value))
        return noisy

    found = []
    for name, noise in (("Hedgerow", exact), ("floating point", sample_textbook_laplace)):
        result = audit(noise, 0.0, 1.0, samples=SAMPLES, confidence=CONFIDENCE, batch=True)
        found.append(Finding(name, 1.0, result.epsilon, result.event, result.refutes(1)))
    return Audited(tuple(found), SAMPLES, CONFIDENCE)


def sample_textbook_laplace(value: float, runs: int) -> Floats:
    """value + Lap(1) as numpy computes it: a double U of 53 bits, ± ln(2U) in floating point.
    Not private; here to be caught.
    """
    u = np.maximum(draw_words(runs) >> np.uint64(11), np.uint64(1)).astype(np.float64) * 2.0**-53
    noisy: Floats = np.where(u >= 0.5, value - np.log(2.0 - u - u), value + np.log(u + u))
    return noisy
