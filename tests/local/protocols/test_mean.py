"""Protocols for means: Duchi and piecewise, and what they share with the hybrid."""

from __future__ import annotations

from fractions import Fraction
from math import exp, log

import numpy as np
import pytest

from goodness import FAR
from hedgerow.errors import InvalidArgument
from hedgerow.local.protocols import Duchi, Hybrid, Piecewise
from local import channel
from local.mean_laws import duchi_laws, hybrid_laws, piecewise_laws

Mean = Duchi | Piecewise | Hybrid


def test_duchi_follows_a_law_whose_ratios_reach_epsilon() -> None:
    for scheme in (Duchi(2, 32768), Duchi(6, 50000)):
        channel.holds(scheme, duchi_laws(scheme))
    assert log(3) <= Duchi(9, 32768).epsilon < log(3) + 1e-12


def test_piecewise_follows_a_law_whose_ratios_reach_epsilon() -> None:
    for scheme in (Piecewise(2, 1, 50000), Piecewise(7, 3, 40000), Piecewise(5, 5, 60000)):
        channel.holds(scheme, piecewise_laws(scheme))


def per_client(scheme: Mean) -> dict[bytes, float]:
    """The estimate that each single report gives."""
    bound = (
        scheme.piecewise.output_count + 2
        if isinstance(scheme, Hybrid)
        else scheme.output_count
        if isinstance(scheme, Piecewise)
        else 2
    )
    rows = [
        np.frombuffer(number.to_bytes(scheme.record_size, "big"), dtype=np.uint8).reshape(1, -1)
        for number in range(bound)
    ]
    return {row.tobytes(): float(scheme.estimate(scheme.aggregate(row)).counts[0]) for row in rows}


@pytest.mark.parametrize(
    ("scheme", "laws"),
    [
        (Duchi(6, 50000), duchi_laws(Duchi(6, 50000))),
        (Piecewise(7, 3, 40000), piecewise_laws(Piecewise(7, 3, 40000))),
        (Hybrid(5, 2, 50000, 40000, 30000), hybrid_laws(Hybrid(5, 2, 50000, 40000, 30000))),
    ],
    ids=["duchi", "piecewise", "hybrid"],
)
def test_estimates_are_unbiased_and_have_the_stated_variance_by_enumeration(
    scheme: Mean, laws: list[channel.Law]
) -> None:
    estimate = per_client(scheme)
    for code, law in enumerate(laws):
        x = code / (scheme.domain - 1)
        mean = sum(float(chance) * estimate[y] for y, chance in law.items())
        assert mean == pytest.approx(x, abs=1e-12)
        assert scheme.variance(x, 1) == pytest.approx(
            sum(float(chance) * (estimate[y] - x) ** 2 for y, chance in law.items()), rel=1e-9
        )


@pytest.mark.parametrize("epsilon", [0.3, 1, 3])
@pytest.mark.parametrize("t", [-1.0, -0.5, 0.0, 1.0])
def test_variances_are_the_known_ones_on_a_fine_grid(epsilon: float, t: float) -> None:
    x, root, full = (t + 1) / 2, exp(epsilon / 2), exp(epsilon)
    coarse = ((full + 1) / (full - 1)) ** 2 - t**2
    fine = t**2 / (root - 1) + (root + 3) / (3 * (root - 1) ** 2)
    domain = 20_001
    assert 4 * Duchi.calibrate(domain=domain, epsilon=epsilon).variance(x, 1) == pytest.approx(
        coarse, rel=0.001
    )
    assert 4 * Piecewise.calibrate(domain=domain, epsilon=epsilon).variance(x, 1) == pytest.approx(
        fine, rel=0.001
    )
    mix = 1 - 1 / root if epsilon > 0.61 else 0
    assert 4 * Hybrid.calibrate(domain=domain, epsilon=epsilon).variance(x, 1) == pytest.approx(
        mix * fine + (1 - mix) * coarse, rel=0.001
    )


@pytest.mark.parametrize("epsilon", [0.1, 1, 4])
@pytest.mark.parametrize("kind", [Duchi, Piecewise, Hybrid])
def test_calibrated_stays_within_epsilon(kind: type[Mean], epsilon: float) -> None:
    for domain in (2, 5, 1001):
        scheme = kind.calibrate(domain=domain, epsilon=epsilon)
        assert scheme.lifetime_epsilon == scheme.epsilon <= Fraction(str(epsilon))


@pytest.mark.long
@pytest.mark.parametrize("kind", [Duchi, Piecewise, Hybrid])
def test_squared_errors_are_the_variance(kind: type[Mean]) -> None:
    scheme, n = kind.calibrate(domain=1001, epsilon=1), 200_000
    estimate = per_client(scheme)
    for code in (0, 400, 1000):
        records = np.ascontiguousarray(scheme.encode(np.full(n, code)))
        found, counts = np.unique(
            records.view(f"V{scheme.record_size}").ravel(), return_counts=True
        )
        error = np.array([estimate[bytes(row.tobytes())] for row in found]) - code / 1000
        mean, square, fourth = (float((counts * error**power).sum()) / n for power in (1, 2, 4))
        exact, noise = scheme.variance(code / 1000, 1), ((fourth - square**2) / n) ** 0.5
        # Where an end has one outcome that is off, squares hardly vary: the bias decides there.
        assert abs(mean) < FAR * (square / n) ** 0.5
        assert abs(square - exact) < FAR * noise
        assert abs(square - 1.1 * exact) > FAR * noise


@pytest.mark.parametrize("kind", [Duchi, Piecewise, Hybrid])
def test_the_standard_error_is_no_less_than_the_truth(kind: type[Mean]) -> None:
    scheme, n = kind.calibrate(domain=101, epsilon=1), 20_000
    for values in (np.full(n, 50), np.where(np.arange(n) % 2, 0, 100), np.arange(n) % 101):
        found = scheme.estimate(scheme.aggregate(scheme.encode(values)))
        exact = (
            sum(
                scheme.variance(value / 100, int(count))
                for value, count in enumerate(np.bincount(values))
                if count
            )
            ** 0.5
        )
        assert found.n == n
        assert abs(found.counts[0] - values.sum() / 100) < FAR * exact
        assert exact * 0.98 < found.standard_errors[0] < 1.25 * exact


def test_nobody_reported() -> None:
    for scheme in (Duchi(5, 30000), Piecewise(5, 2, 40000), Hybrid(5, 2, 40000, 30000, 30000)):
        found = scheme.estimate(np.zeros(scheme.counter_count, dtype=np.int64))
        assert (found.counts.tolist(), found.standard_errors.tolist()) == ([0.0], [0.0])


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: Duchi(1, 30000), "domain"),
        (lambda: Duchi(5, 0), "truth"),
        (lambda: Piecewise(5, 0, 30000), "window"),
        (lambda: Piecewise(5, 6, 30000), "window"),
        (lambda: Piecewise(5, 3, 20000), "truth must be larger"),
        (lambda: Piecewise(5, 3, 65536), "truth"),
        (lambda: Duchi(5, 30000).variance(1.5, 1), "frequency"),
        (lambda: Duchi(5, 30000).variance(0.5, -1), "n must"),
        (lambda: Duchi(5, 30000).estimate(np.zeros(2, dtype=np.int64), [0]), "one estimate"),
        (lambda: Duchi(5, 30000).estimate(np.zeros(3, dtype=np.int64)), "counters"),
        (lambda: Duchi(5, 30000).aggregate(np.array([[2]], dtype=np.uint8)), "nothing was counted"),
        (lambda: Piecewise(5, 3, 40000).aggregate(np.array([[7]], dtype=np.uint8)), "not below 7"),
    ],
)
def test_bad_input(make: object, message: str) -> None:
    with pytest.raises(InvalidArgument, match=message):
        make()  # type: ignore[operator]
