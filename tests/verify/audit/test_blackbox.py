"""The auditor finds what is there and certifies no more than there is."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest
from scipy.stats import binom, norm

from depth import many
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Laplace
from hedgerow.verify import audit
from hedgerow.verify.audit.blackbox import Audit, EventCounts
from hedgerow.verify.audit.confidence import SPLIT_SHARES, HitCount, certify_epsilon
from verify.audit.subjects import (
    coin,
    discrete_laplace,
    float_laplace,
    gridded_gaussian,
    gridded_laplace,
    never_clears,
)

RNG = np.random.default_rng(8)


def median(subject: Any, samples: int, runs: int = 20) -> float:
    return float(
        np.median([audit(subject, 0, 1, samples=samples, batch=True).epsilon for _ in range(runs)])
    )


@pytest.mark.parametrize("subject", [discrete_laplace, gridded_laplace])
def test_laplace_at_ten_thousand_samples(subject: Callable[..., Any]) -> None:
    assert 0.85 <= median(subject(1.0, RNG), 10_000) <= 1.0


@pytest.mark.long
@pytest.mark.parametrize("subject", [discrete_laplace, gridded_laplace])
def test_laplace_at_a_hundred_thousand_samples(subject: Callable[..., Any]) -> None:
    assert 0.95 <= median(subject(1.0, RNG), 100_000) <= 1.0


@pytest.mark.long
def test_many_runs_exceed_the_truth_no_more_often_than_stated() -> None:
    # The whole procedure, choice of the event included.
    subject, runs = discrete_laplace(1.0, RNG), many(300)
    found = np.array([audit(subject, 0, 1, samples=1_000, batch=True).epsilon for _ in range(runs)])
    assert (found > 1.0).sum() <= binom.isf(1e-9, runs, 0.05)  # 42 of 300
    assert np.median(found) > 0.6


@pytest.mark.long
def test_many_runs_on_a_coin() -> None:
    # Randomised response: both outputs lose exactly epsilon, so the coin rule has no slack to hide
    # behind.
    subject, runs = coin(1.0, RNG), many(300)
    found = np.array(
        [audit(subject, 0, 1, samples=400, confidence=0.8, batch=True).epsilon for _ in range(runs)]
    )
    assert (found > 1.0).sum() <= binom.isf(1e-9, runs, 0.2)  # 105 of 300
    assert (found > 1.0).sum() >= 0.02 * runs  # and it is not far too careful: a fifth is usual


def test_a_bound_read_off_the_data_is_caught() -> None:
    """A sum with noise scaled to the largest value present: one person with a large value
    changes the noise for all.
    """

    def own_bound(values: list[int], count: int) -> np.ndarray:
        noise = Laplace.calibrate(sensitivity=max(values), epsilon=1)
        return noise.sample(np.full(count, sum(values)))

    assert audit(own_bound, [1] * 9, [1] * 9 + [1000], samples=20_000, batch=True).refutes(1)


def test_float_laplace_is_caught_by_its_bits() -> None:
    result = audit(float_laplace(1.0, RNG), 0, 1, batch=True)
    assert result.epsilon > 7
    assert result.refutes(1)
    assert "2^" in result.event or "bit" in result.event


def test_float_laplace_is_caught_one_call_at_a_time() -> None:
    assert audit(lambda data: RNG.laplace(data, 1.0), 0, 1, samples=10_000).epsilon > 4


def test_a_randomiser_that_never_clears_a_bit() -> None:
    result = audit(never_clears(RNG), [0, 1, 0], [1, 1, 0], samples=10_000, batch=True)
    assert result.epsilon > 6
    assert result.direction == "one"
    assert min(result.counts.one.hits, 1) == 1
    assert result.counts.other.hits == 0


def test_noise_a_fifth_too_small_is_caught() -> None:
    assert audit(
        discrete_laplace(1.2, RNG), 0, 1, samples=100_000, confidence=1 - 1e-9, batch=True
    ).refutes(1)


def test_gaussian_at_a_delta() -> None:
    # sigma = 1, distance 1: (epsilon, delta)-DP exactly for Phi(1/2 - epsilon) - e^epsilon Phi(-1/2
    # - epsilon) <= delta.
    phi = lambda x: math.erfc(-x / math.sqrt(2)) / 2  # noqa: E731
    truth = next(
        e for e in np.arange(0, 5, 0.001) if phi(0.5 - e) - math.exp(e) * phi(-0.5 - e) <= 0.01
    )
    result = audit(gridded_gaussian(1.0, RNG), 0, 1, confidence=1 - 1e-9, delta=0.01, batch=True)
    assert 0.7 * truth < result.epsilon <= truth
    assert result.delta == 0.01


def test_equal_distributions_certify_nothing() -> None:
    result = audit(coin(1.0, RNG), 1, 1, samples=5_000, confidence=1 - 1e-9, batch=True)
    assert result.epsilon == 0.0
    assert "no loss found" in str(result)


@pytest.mark.parametrize(
    ("mechanism", "events"),
    [
        (
            lambda data: "yes" if data and RNG.random() < 0.9 else "no",
            {"output == 'yes'", "output != 'no'"},
        ),
        (lambda data: None if data and RNG.random() < 0.5 else 3, {"output < 3 or no number"}),
        (lambda data: data == 1 and bool(RNG.random() < 0.5), {"output >= 1"}),
        (
            lambda data: -0.0 if data and RNG.random() < 0.5 else 0.0,
            {"output == -0.0", "output != 0.0"},
        ),
        (
            lambda data: np.array([RNG.integers(3), RNG.integers(3) + data]),
            {"output[1] >= 3", "output[1] < 1"},
        ),
        (lambda data: (RNG.integers(3), "late" if data and RNG.random() < 0.5 else None), None),
        (lambda data: {"a": 1, "b": 1} if data else {"a": 1}, None),
        (lambda data: [0] * int(RNG.integers(3) + data), None),
        (
            lambda data: [1e308, -1e308, math.nan, math.inf, 10**400, 7][RNG.integers(5 + data)],
            None,
        ),
        (lambda data: tuple(RNG.integers(2, size=3)) if data else (), None),
    ],
    ids=[
        "text",
        "none",
        "bool",
        "negative-zero",
        "array",
        "tuple",
        "mapping",
        "length",
        "wild",
        "empty",
    ],
)
def test_outputs_of_every_kind(mechanism: Callable[[int], Any], events: set[str] | None) -> None:
    # Each of these has an output that only one of the data sets can give.
    result = audit(mechanism, 0, 1, samples=4_000)
    assert result.epsilon > 3
    assert 0 in (result.counts.one.hits, result.counts.other.hits)
    assert events is None or result.event in events


def test_wide_output() -> None:
    data = np.zeros(200)
    other = data.copy()
    other[123] = 1
    p = -np.expm1(-1.0)
    result = audit(
        lambda exact, n: exact + RNG.geometric(p, (n, 200)) - RNG.geometric(p, (n, 200)),
        data,
        other,
        samples=4_000,
        batch=True,
    )
    assert result.epsilon > 0.5
    assert "output[123]" in result.event


def test_no_more_runs_than_asked_for() -> None:
    calls = {0: 0, 1: 0}

    def spy(data: int) -> int:
        calls[data] += 1
        return data

    seen: list[tuple[int, int]] = []
    result = audit(spy, 0, 1, samples=500, progress=lambda done, total: seen.append((done, total)))
    assert sum(calls.values()) == 1_000
    assert seen[-1] == (1_000, 1_000)
    assert result.counts.one.samples + result.counts.other.samples == 650
    assert abs(calls[0] - 500) < 6.2 * math.sqrt(650) / 2  # fair coins decide


def test_result_reads_well_and_is_plain_data() -> None:
    result = Audit(
        0.95,
        0.0,
        0.95,
        "output < 1",
        "one",
        EventCounts(HitCount(50, 100), HitCount(20, 100)),
        154,
        (np.zeros(0), np.zeros(0)),
    )
    text = str(result)
    for part in (
        "epsilon >= 0.9500",
        "output < 1",
        "likelier on one",
        "one 50 of 100 (50.000%)",
        "never its absence",
    ):
        assert part in text
    plain = json.loads(json.dumps(result.to_dict()))
    assert plain["counts"] == {
        "one": {"hits": 50, "samples": 100},
        "other": {"hits": 20, "samples": 100},
    }
    assert plain["epsilon"] == 0.95
    assert result.refutes(0.94)
    assert not result.refutes(0.95)
    assert "too few" in result.plot()
    with pytest.raises(InvalidArgument, match="epsilon"):
        result.refutes(math.nan)


def test_picture_of_an_audit() -> None:
    result = audit(discrete_laplace(1.0, RNG), 0, 1, samples=20_000, batch=True)
    assert "+1.50" in result.plot(1.5)
    assert f"{result.epsilon:+.2f}" in result.plot()
    assert (
        "●" in audit(lambda data: ("a", int(RNG.integers(2 + data))), 0, 1, samples=1_000).plot()
    )  # by the score, where there is no one number


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        ({"samples": 99}, "samples"),
        ({"samples": 1e5}, "samples"),
        ({"samples": True}, "samples"),
        ({"confidence": 0}, "confidence"),
        ({"confidence": math.nan}, "confidence"),
        ({"confidence": "0.9"}, "confidence"),
        ({"delta": -0.1}, "delta"),
        ({"delta": 1}, "delta"),
        ({"delta": True}, "delta"),
    ],
)
def test_bad_arguments_are_named_and_nothing_runs(arguments: dict[str, Any], named: str) -> None:
    calls: list[int] = []
    with pytest.raises(InvalidArgument, match=f"^{named} must"):
        audit(lambda data: calls.append(data), 0, 1, **arguments)
    assert not calls


def test_a_mechanism_must_be_callable() -> None:
    with pytest.raises(InvalidArgument, match="mechanism must be callable"):
        audit(3, 0, 1)  # type: ignore[arg-type]


@pytest.mark.parametrize(
    "outputs",
    [lambda n: np.zeros(n - 1), lambda n: [0] * (n + 1), lambda n: 7, lambda n: np.array(7)],
)
def test_a_batch_must_have_the_size_asked_for(outputs: Callable[[int], Any]) -> None:
    with pytest.raises(InvalidArgument, match="mechanism must return an array or a list"):
        audit(lambda data, n: outputs(n), 0, 1, samples=200, batch=True)


def test_batches_may_change_their_form() -> None:
    # Lists, ragged arrays and plain arrays in turn: what an output means does not depend on how it
    # came.
    turn = iter(range(10**6))

    def shifting(data: int, n: int) -> Any:
        values = RNG.integers(2, size=n) + data
        return [values.tolist(), values, values.reshape(n, 1)][next(turn) % 3]

    result = audit(shifting, 0, 1, samples=40_000, batch=True)
    assert result.epsilon > 5
    assert result.counts.one.hits == 0 or result.counts.other.hits == 0


def test_an_event_that_is_fixed_in_advance_is_counted_in_all_runs() -> None:
    found = audit(
        discrete_laplace(1.0, RNG),
        0,
        1,
        samples=20_000,
        batch=True,
        event=lambda output: output <= 0,
    )
    assert sum(count.samples for count in found.counts) == 40_000
    assert (found.event, found.direction) == ("the given event", "one")
    assert 0.9 < found.epsilon <= 1.0
    other_way = audit(
        discrete_laplace(1.0, RNG),
        1,
        0,
        samples=2_000,
        batch=True,
        event=lambda output: output <= 0,
    )
    assert other_way.epsilon == 0


def test_no_event_shows_from_a_million_runs_what_known_probabilities_show() -> None:
    """The classical Gaussian at epsilon 10 loses 2.3e-5, not 1e-5. From its best half-line, an
    exact count of what a million runs are expected to show certifies nothing, by far.
    """
    scale, million = math.sqrt(2 * math.log(1.25e5)) / 10, 1_000_000
    tails = [norm.sf(0.5 + 10 * scale**2, loc=answer, scale=scale) for answer in (1, 0)]
    assert tails[0] - math.exp(10) * tails[1] > 2.2e-5
    likely, rare = (HitCount(round(million * tail), million) for tail in tails)
    assert rare.hits == 0
    bounds = [certify_epsilon(likely, rare, 0.01, 1e-5, share) for share in SPLIT_SHARES]
    assert max(bounds) < 4
