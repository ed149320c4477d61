"""Neighbours for the sparse vector technique: runs of six answers that rise and fall between
neighbours, with all verdicts.

A run has no closed form, but an exact sum: given the noise of the threshold, the verdicts are
independent. The worst neighbours raise the answers that are reported below and lower those that are
reported above (monotone: only one of the two).
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from itertools import product
from math import ceil
from typing import Any

import numpy as np

from hedgerow.numeric.vectorised import Floats
from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import IntegerDistribution
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    MechanismUse,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    make_categorical,
    make_output_error,
)

__all__ = ["build_sparse_vector_neighbours", "compute_run_distribution", "list_verdicts"]

_QUERIES = 6
_TAIL_SCALES = 50  # the noise beyond has probability e^-50

RunAnswers = tuple[int, ...]


def list_verdicts(length: int, cutoff: int) -> list[tuple[bool, ...]]:
    """Return all outputs of a run of this many queries."""
    found: dict[tuple[bool, ...], None] = {}
    for full in product((False, True), repeat=length):
        stops = [place + 1 for place, above in enumerate(full) if above]
        found[full[: stops[cutoff - 1]] if len(stops) >= cutoff else full] = None
    return list(found)


@lru_cache(maxsize=256)
def compute_run_distribution(case: LawCase, answers: RunAnswers) -> IntegerDistribution:
    """Return the distribution of a run against the threshold 0, in the order of
    ``list_verdicts``.
    """
    mechanism = case.mechanism
    outputs = list_verdicts(len(answers), mechanism.cutoff)
    if hasattr(mechanism, "log_prob"):
        logs = [mechanism.log_prob(verdicts, list(answers), 0) for verdicts in outputs]
        return make_categorical(logs)
    first, second = float(mechanism.threshold_scale), float(mechanism.answer_scale)
    far = ceil(_TAIL_SCALES * first) + max(map(abs, answers)) + 2
    bar = np.arange(-far, far + 1)
    weight = np.tanh(1 / (2 * first)) * np.exp(-np.abs(bar) / first)  # (1 - q)/(1 + q) q^|z|
    above = [_tail_probability(bar - answer, second) for answer in answers]
    # the noise is symmetric
    below = [_tail_probability(answer + 1 - bar, second) for answer in answers]
    probabilities = []
    for verdicts in outputs:
        masses = weight
        for place, verdict in enumerate(verdicts):
            masses = masses * (above if verdict else below)[place]
        probabilities.append(masses.sum())
    with np.errstate(divide="ignore"):
        return make_categorical(np.log(probabilities))


def _tail_probability(m: Any, scale: float) -> Floats:
    """Return Pr[Z >= m]."""
    one_side = np.exp(-np.maximum(m, 1 - m) / scale) / (1 + np.exp(-1 / scale))
    return np.asarray(np.where(m >= 1, one_side, 1 - one_side))


def build_sparse_vector_neighbours(case: LawCase) -> NeighbourSet:
    """Build patterns of changes, at thresholds below, at and above the answers, and two runs to
    draw from.
    """
    spread = ceil(
        max(float(getattr(case.mechanism, name, 1)) for name in ("threshold_scale", "answer_scale"))
    )
    uses = (
        _make_use(case, answers)
        for answers in ((0, spread, -spread, 0), (-spread, -spread, 2 * spread))
    )
    return NeighbourSet(add_reversed(_list_run_neighbours(case, spread)), tuple(uses))


def _list_run_neighbours(case: LawCase, spread: int) -> Iterator[NeighbourPair]:
    move, cutoff = int(case.sensitivity.linf), min(case.mechanism.cutoff, _QUERIES // 2)
    signs = (0, 1) if case.mechanism.monotone else (-1, 0, 1)
    for base, last, (first, then) in product(
        (-spread, 0, 2 * spread), {1, cutoff}, product(signs, repeat=2)
    ):
        one = (base,) * _QUERIES
        other = (base + first * move,) * (_QUERIES - last) + (base + then * move,) * last
        if one != other:
            pair = DistributionPair(
                compute_run_distribution(case, one), compute_run_distribution(case, other)
            )
            yield NeighbourPair(
                ((pair, 1),), f"the answers {list(one)} and {list(other)}, threshold 0"
            )


def _make_use(case: LawCase, answers: RunAnswers) -> MechanismUse:
    possible = list_verdicts(len(answers), case.mechanism.cutoff)

    def encode(output: Any) -> int:
        verdicts = tuple(output)
        if verdicts not in possible or not all(isinstance(one, bool) for one in verdicts):
            raise make_output_error("verdicts up to the cutoff", verdicts)
        return possible.index(verdicts)

    return MechanismUse(
        f"the answers {list(answers)}",
        lambda: case.mechanism.sample(list(answers), 0),
        encode,
        compute_run_distribution(case, answers),
    )
