"""Choosing one of a million candidates by score."""

from __future__ import annotations

import numpy as np

from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst
from hedgerow.mechanisms import Exponential, PermuteAndFlip

__all__ = ["choice"]

FACTOR = 0.5  # epsilon 1, sensitivity 1


def choice(peers: Peers, *, quick: bool = False) -> Section:
    """Milliseconds a choice."""
    candidates, rounds = (1_000, 2) if quick else (1_000_000, 7)
    scores = np.random.default_rng(1).normal(0, 10, candidates)
    mechanisms = {
        kind.__name__: kind.calibrate(sensitivity=1, epsilon=1)
        for kind in (Exponential, PermuteAndFlip)
    }
    contenders = {
        name: Contender(of(lambda mechanism=mechanism: mechanism.sample(scores)), rounds=rounds)
        for name, mechanism in mechanisms.items()
    }
    contenders["numpy"] = Contender(of(lambda: _unsafe(scores)), rounds=rounds)
    contenders["opendp"] = Contender(peers.round("opendp", "choice", candidates, FACTOR), rounds=2)
    taken = {
        name: None if seconds is None else seconds * 1e3
        for name, seconds in fastest(contenders).items()
    }
    rows: list[Row] = [
        {
            "mechanism": name,
            "hedgerow": taken[name],
            "numpy, unsafe": taken["numpy"],
            "opendp": taken["opendp"],
            "times numpy": ratio(taken[name], taken["numpy"]),
            "times faster than opendp": ratio(taken["opendp"], taken[name]),
        }
        for name in mechanisms
    ]
    return Section(
        f"Choice: one of {candidates:,} candidates, milliseconds",
        rows,
        [
            worst(
                "the exponential mechanism in less than 20 times numpy's unsafe choice",
                20,
                rows[:1],
                "times numpy",
            )
        ],
        [
            "numpy: exp, normalise, Generator.choice(p=). opendp: make_noisy_max, which is"
            " permute-and-flip."
        ],
    )


def _unsafe(scores: np.ndarray) -> int:
    weights = scores * FACTOR
    weights -= weights.max()
    np.exp(weights, out=weights)
    weights /= weights.sum()
    return int(np.random.default_rng().choice(weights.size, p=weights))
