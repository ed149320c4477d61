"""A simulation knows the truth, so its errors are those that the variance foretells."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.metric import Metric
from hedgerow.local.planning import simulated_frequencies as simulation
from hedgerow.local.planning.simulated_frequencies import (
    draw_holders,
    simulate_counters,
    simulate_frequencies,
    simulate_rappor,
)
from hedgerow.local.protocols import Duchi, Hadamard, KAry, LocalProtocol, Rappor, Unary

HOME = Metric.of("home", Rappor(k=16, h=2, m=8, f=16_384, p=16_384, q=49_152))


@pytest.mark.parametrize("shape", ["zipf", "uniform"])
@pytest.mark.parametrize(
    "scheme", [Unary.optimised(domain=400, epsilon=1), Hadamard.calibrate(domain=400, epsilon=1)]
)
def test_the_simulated_error_matches_the_predicted_error(scheme: LocalProtocol, shape: str) -> None:
    found = simulate_frequencies(scheme, 40_000, shape)
    assert found.true_counts.sum() == found.estimates.n == 40_000
    assert np.array_equal(found.errors, found.estimates.counts - found.true_counts)
    # 400 nearly independent squares: their mean is off by 7 % as a rule, and by 60 % with a
    # probability below 1e-9.
    assert 0.4 < (found.root_mean_square_error / found.expected_error) ** 2 < 1.6
    assert found.coverage > 0.85  # of 400 intervals at 95 % each


def test_shapes() -> None:
    zipf = simulate_frequencies(KAry.calibrate(domain=4, epsilon=1), 100_000).true_counts
    even = simulate_frequencies(KAry.calibrate(domain=4, epsilon=1), 100_000, "uniform").true_counts
    # Six and more standard deviations around the expected counts.
    assert np.abs(zipf - 100_000 * 12 / 25 / np.arange(1, 5)).max() < 1_100
    assert np.abs(even - 25_000).max() < 1_100


def test_chunking_does_not_change_results_and_progress_is_reported(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(simulation, "_CHUNK_BYTES", 8_000)
    heard: list[tuple[int, int]] = []
    found = simulate_frequencies(
        KAry.calibrate(domain=4, epsilon=1),
        2_500,
        moved=lambda done, total: heard.append((done, total)),
    )
    assert heard == [(1_000, 2_500), (2_000, 2_500), (2_500, 2_500)]
    assert found.true_counts.sum() == found.estimates.n == 2_500


def test_bad_shapes_and_client_counts_are_refused() -> None:
    scheme = KAry.calibrate(domain=4, epsilon=1)
    with pytest.raises(InvalidArgument, match="shape must be one of zipf, uniform"):
        simulate_frequencies(scheme, 10, "flat")
    for clients in (0, 10**10):
        with pytest.raises(InvalidArgument, match="clients must be a whole number"):
            simulate_frequencies(scheme, clients)
    with pytest.raises(Unsupported, match=r"duchi estimates a mean\. Use simulate_mean"):
        simulate_frequencies(Duchi.calibrate(domain=4, epsilon=1), 10)


def test_codes_are_named_by_themselves_and_texts_by_their_names() -> None:
    found = simulate_frequencies(KAry.calibrate(domain=4, epsilon=4), 100_000)
    assert [row.value for row in found.list_most_frequent(3)] == [0, 1, 2]
    detected = found.list_detected("fwer", 1e-12)
    assert [row.value for row in detected] == [0, 1, 2, 3]
    assert [row.estimate for row in detected] == found.estimates.counts.tolist()
    assert found.find_true_counts(detected[1:3]) == {
        1: found.true_counts[1],
        2: found.true_counts[2],
    }


def test_counters_of_texts_follow_the_law_of_single_reports(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    """Mean and variance of every counter over 300 draws of both kinds, the hash of a text twice
    in one bit among them.
    """
    monkeypatch.setattr(simulation, "_CLIENT_CHUNK", 100)
    scheme, texts, held = HOME.scheme, [f"text {place}" for place in range(12)], np.arange(12) * 5
    assert isinstance(scheme, Rappor)
    bits = scheme.hash_values(texts, HOME.permanent_hash)
    assert (bits[..., 0] == bits[..., 1]).any()
    values = np.repeat(texts, held)
    ours = np.array([simulate_counters(scheme, bits, held) for _ in range(300)])
    real = np.array(
        [scheme.aggregate(scheme.encode(values, HOME.permanent_hash)) for _ in range(300)]
    )
    assert (ours[:, -1] == held.sum()).all()
    ours, real = ours[:, :-1], real[:, :-1]
    spread = np.sqrt((ours.var(axis=0) + real.var(axis=0)) / 300)
    # of 136: below 1e-10 by the normal law
    assert np.abs((ours.mean(axis=0) - real.mean(axis=0)) / spread).max() < 7.5
    # standard error 0.115 each
    assert np.abs(np.log(ours.var(axis=0) / real.var(axis=0))).max() < 0.9


def test_binomials_have_their_law() -> None:
    draws = simulation._draw_binomials(np.full(20_000, 5.0), 0.3)
    expected = np.array([0.16807, 0.36015, 0.3087, 0.1323, 0.02835, 0.00243]) * 20_000
    # chi-square, 5: below 1e-10
    assert (
        (np.bincount(draws.astype(np.int64), minlength=6) - expected) ** 2 / expected
    ).sum() < 55
    large = simulation._draw_binomials(np.full(20_000, 1e7), 0.6)
    assert abs((large.mean() - 6e6) / np.sqrt(2.4e6 / 20_000)) < 7
    assert abs(large.var() / 2.4e6 - 1) < 0.08
    assert (simulation._draw_binomials(np.zeros(9), 0.5) == 0).all()


def test_texts_are_found_and_unlisted_ones_are_not() -> None:
    heard: list[tuple[int, int]] = []
    metric = Metric.of("home", Rappor(k=64, h=2, m=32, f=16_384, p=16_384, q=49_152))
    held = {"a": 200_000, "b": 100_000, "c": 0, "d": 50_000}
    found = simulate_rappor(
        metric, held, unlisted=["d"], moved=lambda done, total: heard.append((done, total))
    )
    assert heard == [(350_000, 350_000)]
    assert (found.names, found.true_counts.tolist(), found.estimates.n) == (
        ("a", "b", "c"),
        [200_000, 100_000, 0],
        350_000,
    )
    assert [row.value for row in found.list_most_frequent(2)] == ["a", "b"]
    assert found.find_true_counts(found.list_most_frequent(1)) == {"a": 200_000}
    assert [row.value for row in found.list_detected("fwer", 1e-3)][:2] == ["a", "b"]
    assert abs(found.errors[0]) < 20_000


def test_holders_are_spread_as_asked(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(simulation, "_CLIENT_CHUNK", 30_000)
    zipf = draw_holders("zipf", 4, 100_000)
    assert zipf.sum() == 100_000
    assert np.abs(zipf - 100_000 * 12 / 25 / np.arange(1, 5)).max() < 1_100
    with pytest.raises(InvalidArgument, match="shape must be one of"):
        draw_holders("flat", 4, 10)


def test_schemes_of_the_wrong_kind_are_refused() -> None:
    with pytest.raises(Unsupported, match="Use simulate_rappor"):
        simulate_frequencies(HOME.scheme, 10)
    with pytest.raises(Unsupported, match="k_ary collects codes"):
        simulate_rappor(Metric.of("x", KAry.calibrate(domain=4, epsilon=1)), {"a": 1})
    for held in ({}, {"a": 0}, {"a": -1}, {"a": 10**10}):
        with pytest.raises(InvalidArgument, match="held must be a whole number"):
            simulate_rappor(HOME, held)
    for unlisted in (["b"], ["a"]):
        with pytest.raises(InvalidArgument, match="unlisted must be some of the texts"):
            simulate_rappor(HOME, {"a": 1}, unlisted=unlisted)
