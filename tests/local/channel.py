"""Exact channels: the law of a report for each value, written out in fractions, held against
what a protocol claims and what it draws.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np

from goodness import ALARM, chi_square
from hedgerow.local.protocols import LocalProtocol
from hedgerow.numeric.rounding import log_down

Law = dict[bytes, Fraction]


def check(scheme: LocalProtocol, laws: list[Law], tight: bool = True) -> None:
    """Every law adds up; no ratio passes e^epsilon and the largest reaches it; so does the
    distance; and reports are drawn from it.
    """
    assert len(laws) == scheme.domain
    outcomes = sorted(laws[0])
    assert all(sorted(law) == outcomes and sum(law.values()) == 1 for law in laws)
    worst = max(a[y] / b[y] for a in laws for b in laws for y in outcomes)
    assert log_down(worst) <= scheme.epsilon
    assert not tight or scheme.epsilon - log_down(worst) < Fraction(2, 10**12)
    distance = max(sum(max(a[y] - b[y], Fraction(0)) for y in outcomes) for a in laws for b in laws)
    assert distance <= scheme.total_variation
    assert not tight or distance == scheme.total_variation


def drawn(scheme: LocalProtocol, laws: list[Law], size: int = 60_000) -> list[float]:
    """For each value, how well its reports fit its law; for all of them together, so that one
    alarm rate is that of the whole.
    """
    return [min(1.0, len(laws) * fit(scheme, value, law, size)) for value, law in enumerate(laws)]


def fit(scheme: LocalProtocol, value: int, law: Law, size: int = 60_000) -> float:
    records = scheme.encode(np.full(size, value))
    assert records.shape == (size, scheme.record_size)
    found, counts = np.unique(
        np.ascontiguousarray(records).view(f"V{scheme.record_size}").ravel(), return_counts=True
    )
    seen = {bytes(row.tobytes()): int(count) for row, count in zip(found, counts, strict=True)}
    assert set(seen) <= set(law)
    outcomes = sorted(law)
    return chi_square([seen.get(y, 0) for y in outcomes], [float(law[y]) for y in outcomes])


def holds(scheme: LocalProtocol, laws: list[Law]) -> None:
    """Both, and a law that is not this one is refused."""
    check(scheme, laws)
    assert min(drawn(scheme, laws)) > ALARM
    assert fit(scheme, 0, laws[-1]) < ALARM
