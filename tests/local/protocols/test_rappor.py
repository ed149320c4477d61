"""RAPPOR: golden epsilons, the law of reports, counting, and what links the reports of one
client.
"""

from __future__ import annotations

from fractions import Fraction
from itertools import product
from math import exp, inf, log, prod, sqrt

import numpy as np
import pytest

from goodness import ALARM, chi_square
from hedgerow.errors import InvalidArgument
from hedgerow.local import Metric
from hedgerow.local.client import encoder as reference
from hedgerow.local.protocols import Rappor

SMALL = Rappor(8, 2, 4, 32768, 16384, 49152)
HOME = Rappor(128, 2, 8, 32768, 32768, 49152)


@pytest.mark.parametrize(
    ("f", "p", "q", "one", "all_"),
    [
        (32768, 32768, 49152, 1.0743, 4.3944),  # the paper's processes
        (49152, 32768, 49152, 0.5343, 2.0433),  # the paper's home pages
        (32768, 16384, 49152, 2.0433, 4.3944),
        (32768, 49152, 32768, 1.0743, 4.3944),  # p above q: the same ratios
        (0, 32768, 49152, 2.1972, inf),
    ],
)
def test_golden(f: int, p: int, q: int, one: float, all_: float) -> None:
    scheme = Rappor(128, 2, 8, f, p, q)
    assert float(scheme.epsilon) == pytest.approx(one, abs=5e-5)
    assert float(scheme.lifetime_epsilon) == pytest.approx(all_, abs=5e-5)


@pytest.mark.parametrize(
    "scheme",
    [SMALL, Rappor(6, 2, 1, 20000, 50000, 10000), Rappor(5, 2, 1, 0, 30000, 40000)],
    ids=str,
)
def test_epsilon_is_the_largest_ratio_of_likelihoods(scheme: Rappor) -> None:
    """Over all pairs of filters with h bits and all reports."""
    low, high = scheme.report_probabilities
    filters = [bits for bits in product((0, 1), repeat=scheme.k) if sum(bits) == scheme.h]

    def worst(clear: Fraction, set_: Fraction) -> Fraction:
        def chance(report: tuple[int, ...], bits: tuple[int, ...]) -> Fraction:
            return Fraction(
                prod(
                    one if shown else 1 - one
                    for shown, one in zip(report, (set_ if b else clear for b in bits), strict=True)
                )
            )

        first = filters[0]
        reports = product((0, 1), repeat=scheme.k)
        return max(
            chance(report, first) / min(chance(report, other) for other in filters)
            for report in reports
        )

    assert 0 <= float(scheme.epsilon) - log(worst(low, high)) < 1e-9
    if scheme.f:
        half = Fraction(scheme.f, 2 * 65536)
        assert 0 <= float(scheme.lifetime_epsilon) - log(worst(half, 1 - half)) < 1e-9


@pytest.mark.parametrize(
    "scheme",
    [SMALL, Rappor(12, 3, 2, 16384, 49152, 16384), Rappor(8, 1, 1, 0, 10000, 50000)],
    ids=str,
)
def test_bits_are_reported_with_the_stated_probabilities(scheme: Rappor) -> None:
    n = 400_000
    records = scheme.encode(np.full(n, 7))
    state = scheme.aggregate(records)
    bits, sizes = (
        state[: scheme.m * scheme.k].reshape(scheme.m, scheme.k),
        state[scheme.m * scheme.k : -1],
    )
    assert state.size == scheme.counter_count
    assert state[-1] == sizes.sum() == n
    own = np.zeros((scheme.m, scheme.k), dtype=bool)
    np.put_along_axis(own, scheme.hash_values([7])[0], True, axis=1)
    expected = np.where(own, *(float(number) for number in reversed(scheme.report_probabilities)))
    spread = np.sqrt(sizes[:, None] * expected * (1 - expected))
    # 32 normal tails beyond 7: 1e-10
    assert (np.abs(bits - sizes[:, None] * expected) < 7 * spread).all()
    assert scheme.m == 1 or chi_square(sizes, np.full(scheme.m, n / scheme.m)) > ALARM


def test_reports_of_clients_are_counted_alike() -> None:
    metric = Metric.of("home", SMALL)
    for cohort, text in product(range(4), ("a", "https://example.org/ü")):
        bits = reference.compute_bloom_filter(metric, cohort, text)
        assert set(SMALL.hash_values([text], metric.permanent_hash)[0, cohort]) == {
            place for place, bit in enumerate(bits) if bit
        }
    secrets = [bytes([i]) * 32 for i in range(50)]
    records = [
        reference.encode_report(metric, "a", reference.DrawStream(), secret) for secret in secrets
    ]
    rows = np.frombuffer(b"".join(records), dtype=np.uint8).reshape(50, SMALL.record_size)
    state = SMALL.aggregate(rows)
    cohorts = [reference.compute_cohort(metric, secret) for secret in secrets]
    assert state[32:36].tolist() == np.bincount(cohorts, minlength=4).tolist()
    unpacked = np.unpackbits(rows[:, 2:], axis=1)
    assert (
        state[:32].reshape(4, 8)[2].tolist()
        == unpacked[np.array(cohorts) == 2].sum(axis=0).tolist()
    )


def test_states_add() -> None:
    records = SMALL.encode(np.arange(1000) % 5)
    np.testing.assert_array_equal(
        SMALL.aggregate(records), SMALL.aggregate(records[:300]) + SMALL.aggregate(records[300:])
    )
    assert SMALL.aggregate(records[:0]).tolist() == [0] * SMALL.counter_count


@pytest.mark.parametrize("swap", [False, True])
def test_candidates_are_found(swap: bool) -> None:
    scheme = Rappor(16, 2, 32, 16384, *((50000, 10000) if swap else (10000, 50000)))
    values = np.repeat(["apple", "pear", "plum"], [30_000, 15_000, 5_000])
    names = ["apple", "pear", "plum", *(f"nobody {i}" for i in range(100))]
    found = scheme.estimate(scheme.aggregate(scheme.encode(values, b"key")), names, b"key")
    assert found.n == 50_000
    assert found.detect("fwer", 1e-9)[:2].all()
    assert not found.detect("fwer", 1e-9)[3:].any()
    assert (
        np.abs(found.counts[:3] - [30_000, 15_000, 5_000]) < 8 * found.standard_errors[:3]
    ).all()


def test_variance_is_that_of_the_decoder_for_even_others() -> None:
    scheme = Rappor(16, 2, 64, 16384, 16384, 49152)
    rng, n = np.random.default_rng(1), 640_000
    low, high = (float(number) for number in scheme.report_probabilities)
    load = 1 - (1 - 1 / 16) ** 2
    counts = rng.binomial(n // 64, low + (high - low) * load, (64, 16))
    state = np.concatenate([counts.ravel(), np.full(64, n // 64), [n]])
    errors = scheme.estimate(state, range(20)).standard_errors
    assert errors.mean() == pytest.approx(sqrt(scheme.variance(0.0, n)), rel=0.08)


def test_reports_of_one_client_are_linked_by_the_permanent_answer() -> None:
    """The same permanent answer twice is no coincidence; two reports made from it look alike,
    but not beyond what the lifetime allows.
    """
    metric = Metric.of("home", Rappor(128, 2, 1, 32768, 32768, 49152))
    first = [reference.compute_permanent_bits(metric, bytes([i]) * 32, "a") for i in range(40)]
    again = [reference.compute_permanent_bits(metric, bytes([i]) * 32, "a") for i in range(40)]
    assert first == again  # memoised: who sees B' knows the client again
    assert len({tuple(bits) for bits in first}) == 40  # and nobody else
    other = [reference.compute_permanent_bits(metric, bytes([i]) * 32, "b") for i in range(40)]
    apart = [
        sum(x != y for x, y in zip(a, b, strict=True)) for a, b in zip(first, other, strict=True)
    ]
    assert min(apart) > 20  # a new value has new noise: the same client is not known by it


def test_single_reports_hardly_link() -> None:
    """40 clients with one value, two days: their permanent bits pair all of them, their reports
    few (about 4; 24 once in 10^9 runs).
    """
    metric = Metric.of("home", Rappor(128, 2, 1, 32768, 32768, 49152))
    kept = np.array(
        [reference.compute_permanent_bits(metric, bytes([i]) * 32, "a") for i in range(40)]
    )
    rows = np.hstack(
        [np.zeros((40, 2), dtype=np.uint8), np.packbits(kept.astype(np.uint8), axis=1)]
    )
    days = [
        np.unpackbits(HOME.instantaneous_response(rows)[:, 2:], axis=1).astype(int)
        for _ in range(2)
    ]

    def paired(first: np.ndarray, second: np.ndarray) -> int:
        apart = (first[:, None, :] != second[None, :, :]).sum(axis=2)
        return int((apart.argmin(axis=1) == np.arange(40)).sum())

    assert paired(kept, kept) == 40
    assert paired(*days) < 24


def test_reports_link_no_further_than_the_lifetime_allows() -> None:
    """Whatever is made of t reports of one value, the ratio of likelihoods of two values stays
    below e^lifetime, and many get there.

    For one bit that only the first value sets: the reports are t coins, biased by a permanent bit
    that is 1 with probability 1-f/2 or f/2.
    """
    scheme = HOME
    f, p, q = (number / 65536 for number in (scheme.f, scheme.p, scheme.q))
    for reports in (1, 2, 10, 100, 1000):
        ratios = []
        for ones in (0, reports):
            by_one, by_zero = (ones * log(c) + (reports - ones) * log(1 - c) for c in (q, p))
            top = max(by_one, by_zero)
            one, zero = exp(by_one - top), exp(by_zero - top)
            ratios.append(
                abs(log(((1 - f / 2) * one + f / 2 * zero) / (f / 2 * one + (1 - f / 2) * zero)))
            )
        # h bits show a 1 that is the first value's, h a 0 that is the second's
        total = scheme.h * sum(ratios)
        assert total <= float(scheme.lifetime_epsilon)
        if reports == 1:
            assert total == pytest.approx(float(scheme.epsilon), rel=1e-9)
    assert total > 0.999 * float(scheme.lifetime_epsilon)


@pytest.mark.parametrize(
    ("change", "says"),
    [
        ({"k": 1}, "between 2 and 4096"),
        ({"h": 0}, "between 1 and 16"),
        ({"h": 9}, "at most k = 8"),
        ({"m": 3}, "power of two"),
        ({"m": 1 << 16}, "between 1 and 32768"),
        ({"f": 65536}, "between 0 and 65534"),
        ({"f": 32767}, "even"),
        ({"p": 0}, "between 1 and 65535"),
        ({"q": 65536}, "between 1 and 65535"),
        ({"q": 16384}, "differ from p"),
    ],
)
def test_parameters(change: dict[str, int], says: str) -> None:
    good = {"k": 8, "h": 2, "m": 4, "f": 32768, "p": 16384, "q": 49152}
    with pytest.raises(InvalidArgument, match=says):
        Rappor(**{**good, **change})


def test_wrong_records_count_nothing() -> None:
    scheme = Rappor(12, 2, 4, 32768, 16384, 49152)
    good = scheme.encode([1, 2, 3])
    cohort, padding = good.copy(), good.copy()
    cohort[1, 1] = 4
    padding[2, -1] |= 1
    for records, says in (
        (cohort, "must have cohorts below 4"),
        (padding, "zeros after the last bit"),
        (good[:, :-1], "4 in each row"),
    ):
        with pytest.raises(InvalidArgument, match=says):
            scheme.aggregate(records)


def test_wrong_states_and_values() -> None:
    state = SMALL.aggregate(SMALL.encode([1, 2, 3]))
    state[-1] = 4
    with pytest.raises(InvalidArgument, match="add up to the number of all reports"):
        SMALL.compute_bit_rates(state)
    with pytest.raises(InvalidArgument, match="name the candidates"):
        SMALL.estimate(state)
    for values in ([None], ["\ud800"]):
        with pytest.raises(InvalidArgument, match="texts or codes"):
            SMALL.hash_values(values)  # type: ignore[arg-type]


def test_small_facts() -> None:
    assert (SMALL.record_size, SMALL.counter_count, SMALL.domain) == (3, 37, 1 << 24)
    assert SMALL.total_variation == min(1, 4 * Fraction(1, 4))
    assert Metric.of("home", HOME).lifetime_epsilon(2) == pytest.approx(2 * 4.394449, abs=1e-5)
