"""A simulation knows the truth, so its errors are those that the variance foretells."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local import simulation
from hedgerow.local.protocols import Duchi, Hadamard, KAry, Protocol, Unary
from hedgerow.local.simulation import simulate


@pytest.mark.parametrize("shape", ["zipf", "uniform"])
@pytest.mark.parametrize("scheme", [Unary.optimised(domain=400, epsilon=1), Hadamard.calibrate(domain=400, epsilon=1)])
def test_the_error_is_the_one_foretold(scheme: Protocol, shape: str) -> None:
    found = simulate(scheme, 40_000, shape)
    assert found.truth.sum() == found.estimates.n == 40_000
    assert np.array_equal(found.errors, found.estimates.counts - found.truth)
    # 400 nearly independent squares: their mean is off by 7 % as a rule, and by 60 % with a probability below 1e-9.
    assert 0.4 < (found.root_mean_square / found.expected) ** 2 < 1.6
    assert found.covered > 0.85  # of 400 intervals at 95 % each


def test_shapes() -> None:
    zipf = simulate(KAry.calibrate(domain=4, epsilon=1), 100_000).truth
    even = simulate(KAry.calibrate(domain=4, epsilon=1), 100_000, "uniform").truth
    # Six and more standard deviations around the expected counts.
    assert np.abs(zipf - 100_000 * 12 / 25 / np.arange(1, 5)).max() < 1_100
    assert np.abs(even - 25_000).max() < 1_100


def test_pieces_do_not_show_and_progress_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_PIECE", 8_000)
    heard: list[tuple[int, int]] = []
    found = simulate(KAry.calibrate(domain=4, epsilon=1), 2_500, moved=lambda done, total: heard.append((done, total)))
    assert heard == [(1_000, 2_500), (2_000, 2_500), (2_500, 2_500)]
    assert found.truth.sum() == found.estimates.n == 2_500


def test_what_is_refused() -> None:
    scheme = KAry.calibrate(domain=4, epsilon=1)
    with pytest.raises(InvalidArgument, match="shape must be one of zipf, uniform"):
        simulate(scheme, 10, "flat")
    for clients in (0, 10**10):
        with pytest.raises(InvalidArgument, match="clients must be a whole number"):
            simulate(scheme, clients)
    with pytest.raises(Unsupported, match="duchi estimates a mean"):
        simulate(Duchi.calibrate(domain=4, epsilon=1), 10)
