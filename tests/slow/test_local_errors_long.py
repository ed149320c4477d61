"""Squared errors against the exact variance at full size: a million clients, a thousand and a
hundred thousand values.
"""

from __future__ import annotations

import numpy as np
import pytest

from goodness import FAR
from hedgerow.local.bit_rows import unpack_numbers
from hedgerow.local.protocols import (
    Duchi,
    Hadamard,
    Hybrid,
    KAry,
    LocalProtocol,
    LongitudinalUnary,
    Piecewise,
    Projective,
    Rappor,
    Unary,
)
from local import pooled

N = 10**6


def schemes(domain: int) -> list[LocalProtocol]:
    """Bits have thresholds of few digits: a coin of such a one takes few random bits."""
    return [
        KAry.calibrate(domain=domain, epsilon=1),
        Hadamard.calibrate(domain=domain, epsilon=1),
        Projective.calibrate(domain=domain, epsilon=1),
        Projective.calibrate(domain=domain, epsilon=3),
        Unary(domain, 32_768, 16_384),
        LongitudinalUnary(domain, 32_768, 8_192, 49_152, 16_384),
    ]


@pytest.mark.parametrize(
    "scheme", schemes(1_000), ids=lambda scheme: f"{scheme.name} {float(scheme.epsilon):.2f}"
)
def test_a_thousand_values(scheme: LocalProtocol) -> None:
    pooled.check(scheme, N)


@pytest.mark.parametrize(
    "scheme", schemes(100_000), ids=lambda scheme: f"{scheme.name} {float(scheme.epsilon):.2f}"
)
def test_a_hundred_thousand_values(scheme: LocalProtocol) -> None:
    """So many values in one batch are enough to tell a variance 10 % off."""
    pooled.check(scheme, N, batches=1, together=100)


@pytest.mark.parametrize("domain", [1_001, 100_000])
@pytest.mark.parametrize("kind", [Duchi, Piecewise, Hybrid])
def test_means(kind: type[Duchi | Piecewise | Hybrid], domain: int) -> None:
    """What each client's report adds to the estimate, by itself: its squared error has the
    stated mean.
    """
    scheme = kind.calibrate(domain=domain, epsilon=1)
    codes = pooled.skewed(N, domain)
    places = (
        scheme.piecewise.output_count
        if isinstance(scheme, Hybrid)
        else scheme.output_count
        if isinstance(scheme, Piecewise)
        else 0
    )
    bound = places + 2 if isinstance(scheme, Hybrid) else max(places, 2)
    reports, x = (
        unpack_numbers(scheme.encode(codes), scheme.record_size, bound),
        codes / (domain - 1),
    )

    def alone(report: int) -> float:
        row = np.frombuffer(report.to_bytes(scheme.record_size, "big"), dtype=np.uint8).reshape(
            1, -1
        )
        return float(scheme.estimate(scheme.aggregate(row)).counts[0])

    # A piecewise report adds a linear function of its place; a rounded one, 0 or 1, too.
    line = alone(0) + (alone(1) - alone(0)) * reports
    added = np.where(
        reports < places, line, np.where(reports == bound - 1, alone(bound - 1), alone(bound - 2))
    )
    first, second, third = map(float, scheme.variance_polynomial())
    ratio = (added - x) ** 2 / (first + second * x + third * x**2)
    noise = float(ratio.std()) / N**0.5
    assert abs(float((added - x).mean())) < FAR * float((added - x).std()) / N**0.5
    assert abs(float(ratio.mean()) - 1) < FAR * noise
    assert abs(float(ratio.mean()) / 1.1 - 1) > FAR * noise
    assert abs(float(ratio.mean()) / 0.9 - 1) > FAR * noise


def test_rappor_for_a_thousand_values_that_are_equally_frequent() -> None:
    """RAPPOR has no domain; its variance is stated for candidates among others that are spread
    evenly.
    """
    scheme, values, batches = Rappor(128, 2, 64, 16_384, 16_384, 49_152), np.arange(N) % 1_000, 40
    errors = (
        np.array(
            [
                scheme.estimate(scheme.aggregate(scheme.encode(values)), range(1_000)).counts
                for _ in range(batches)
            ]
        )
        - N / 1_000
    )
    ratio, noise = float((errors**2).mean()) / scheme.variance(1e-3, N), (2 / errors.size) ** 0.5
    assert (
        np.abs(errors.mean(axis=0)).max()
        < (FAR + 1.2) * (scheme.variance(1e-3, N) / batches) ** 0.5
    )
    assert abs(ratio - 1) < FAR * noise
    assert abs(ratio / 1.1 - 1) > FAR * noise
    assert abs(ratio / 0.9 - 1) > FAR * noise
