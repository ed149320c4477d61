"""A simulated mean is off by what the exact variance foretells, for each of the three protocols
and over the whole scale.
"""

from __future__ import annotations

import numpy as np
import pytest

from goodness import FAR
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.planning import simulated_frequencies as simulation
from hedgerow.local.planning.simulated_mean import simulate_mean
from hedgerow.local.protocols import MEAN_PROTOCOLS, Duchi, Hybrid, KAry, LocalProtocol, Piecewise

SCHEMES: list[LocalProtocol] = [kind.calibrate(domain=51, epsilon=2) for kind in MEAN_PROTOCOLS]


@pytest.mark.parametrize("shape", ["zipf", "uniform"])
@pytest.mark.parametrize("scheme", SCHEMES, ids=lambda scheme: scheme.name)
def test_the_simulated_error_matches_the_predicted_error(scheme: LocalProtocol, shape: str) -> None:
    found = [simulate_mean(scheme, 2_000, shape)[-1] for _ in range(300)]
    z = np.array([each.error / each.expected_error for each in found])
    assert abs(float(z.mean())) < FAR / 300**0.5
    # 300 squares of nearly normal numbers: their mean is off by 8 % as a rule, and by 60 % with a
    # probability below 1e-9.
    assert 0.4 < float((z**2).mean()) < 1.6
    # of 300 intervals of 95 % each, seven and more standard deviations
    assert np.mean([each.is_covered for each in found]) > 0.84
    # stated errors are those of the worst spread
    assert all(each.expected_error <= each.mean_estimate.stderr * 1.2 for each in found)


def test_the_truth_is_that_of_the_clients_and_they_close_in_on_it() -> None:
    few, some, every = simulate_mean(Duchi.calibrate(domain=3, epsilon=3), 100_000, "uniform")
    assert [part.clients for part in (few, some, every)] == [1_000, 10_000, 100_000]
    # seven standard deviations of 100,000 draws
    assert every.true_mean == pytest.approx(0.5, abs=0.01)
    assert few.expected_error > 2 * some.expected_error > 4 * every.expected_error
    assert every.mean_estimate.low < every.mean_estimate.estimate < every.mean_estimate.high
    assert every.error == every.mean_estimate.estimate - every.true_mean
    assert simulate_mean(Hybrid.calibrate(domain=3, epsilon=3), 1)[0].clients == 1
    assert len(simulate_mean(Hybrid.calibrate(domain=3, epsilon=3), 5)) == 2


def test_progress_goes_on_from_part_to_part(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_CHUNK_BYTES", 8_000)
    heard: list[tuple[int, int]] = []
    simulate_mean(
        Piecewise.calibrate(domain=9, epsilon=1),
        2_500,
        moved=lambda done, total: heard.append((done, total)),
    )
    assert heard == [(25, 2_500), (250, 2_500), (1_250, 2_500), (2_250, 2_500), (2_500, 2_500)]


def test_bad_shapes_and_client_counts_are_refused() -> None:
    scheme = Duchi.calibrate(domain=4, epsilon=1)
    with pytest.raises(InvalidArgument, match="shape must be one of zipf, uniform"):
        simulate_mean(scheme, 10, "flat")
    with pytest.raises(InvalidArgument, match="clients must be a whole number"):
        simulate_mean(scheme, 0)
    with pytest.raises(Unsupported, match="k_ary counts values"):
        simulate_mean(KAry(4, 5), 10)
