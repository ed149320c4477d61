"""Buffers: near the best square root there is, columns no longer than said, and no more drift
than said.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.publish.streaming.toeplitz_buffers import FRACTION_BITS, MAX_HORIZON, ToeplitzBuffers
from publish.helpers_optimum import least_rms

ONE = 1 << FRACTION_BITS


def coefficients(buffers: ToeplitzBuffers) -> list[Fraction]:
    """c_0, c_1, … exactly."""
    decays = [1 - Fraction(gap, ONE) for gap in buffers.gaps]
    shares = [Fraction(share, ONE) for share in buffers.shares]
    powers = [
        [share * decay**k for share, decay in zip(shares, decays, strict=True)]
        for k in range(buffers.horizon - 1)
    ]
    return [Fraction(1), *(sum(row, Fraction(0)) for row in powers)]


def test_they_are_a_square_root_of_all_sums() -> None:
    buffers = ToeplitzBuffers.for_horizon(4096)
    true = np.cumprod([1.0, *((2 * k - 1) / (2 * k) for k in range(1, 4096))])
    assert np.abs(buffers.kernel - true).max() < 0.01
    assert np.abs(np.convolve(buffers.kernel, buffers.kernel)[:256] - 1).max() < 0.05


@pytest.mark.parametrize("n", [4, 64, 128])
def test_the_error_is_within_two_per_cent_of_the_least_there_is(n: int) -> None:
    buffers = ToeplitzBuffers.for_horizon(n)
    low, high = least_rms(n)
    ours = math.sqrt(buffers.variances(1 / buffers.weights).mean())
    assert high <= 1.005 * low
    assert low <= ours <= 1.02 * low


def test_without_weights_it_is_within_seven() -> None:
    buffers = ToeplitzBuffers.for_horizon(128)
    ours = math.sqrt(buffers.variances(np.ones(128)).mean()) * float(buffers.column_sum_norm(1))
    assert 1.03 * least_rms(128)[0] <= ours <= 1.07 * least_rms(128)[0]


@pytest.mark.parametrize("n", [1, 2, 5, 40])
def test_weighted_columns_are_at_most_one_long_and_hardly_shorter(n: int) -> None:
    buffers = ToeplitzBuffers.for_horizon(n)
    kernel = coefficients(buffers)
    for place in range(n):
        square = Fraction(buffers.weight(place), ONE) ** 2 * sum(c**2 for c in kernel[: n - place])
        assert 1 - Fraction(1, 10**9) < square <= 1
        assert math.isclose(buffers.weights[place], buffers.weight(place) / ONE, rel_tol=1e-9)


def test_a_weight_of_one_unit_in_a_billion_more_would_be_caught() -> None:
    buffers = ToeplitzBuffers.for_horizon(40)
    weight = Fraction(buffers.weight(7), ONE) * (1 + Fraction(1, 10**9))
    assert weight**2 * sum(c**2 for c in coefficients(buffers)[:33]) > 1


@pytest.mark.parametrize("touched", [1, 2, 3, 9])
def test_no_columns_together_are_longer_than_the_first_ones(touched: int) -> None:
    n = 9
    buffers = ToeplitzBuffers.for_horizon(n)
    kernel = coefficients(buffers)
    assert sorted(kernel, reverse=True) == kernel
    columns = [[Fraction(0)] * j + kernel[: n - j] for j in range(n)]
    longest = max(
        sum(sum(columns[j][i] for j in chosen) ** 2 for i in range(n))
        for chosen in itertools.combinations(range(n), touched)
    )
    assert longest <= buffers.column_sum_norm(touched) ** 2 <= longest * (1 + Fraction(1, 10**6))


@pytest.mark.parametrize("touched", [1, 7, 1999, 2000])
def test_the_length_of_many_columns(touched: int) -> None:
    buffers = ToeplitzBuffers.for_horizon(2000)
    together = np.convolve(buffers.kernel, np.ones(touched))[:2000]
    assert math.isclose(
        float(buffers.column_sum_norm(touched)), math.sqrt(float((together**2).sum())), rel_tol=1e-7
    )


@pytest.mark.parametrize("n", [1, 2, 3, 60])
def test_variances_are_those_of_the_matrices(n: int) -> None:
    buffers = ToeplitzBuffers.for_horizon(n)
    kernel = np.array([float(c) for c in coefficients(buffers)])
    matrix = np.array([[kernel[i - j] if i >= j else 0.0 for j in range(n)] for i in range(n)])
    scales = np.linspace(2, 1, n)
    read = np.tril(np.ones((n, n))) @ np.diag(scales) @ np.linalg.inv(matrix)
    assert np.allclose(buffers.variances(scales), (read**2).sum(axis=1), rtol=1e-10)
    assert np.allclose(buffers.kernel, kernel, rtol=1e-12)
    assert np.abs(read).max() <= scales[0] * (1 + 1e-12)  # what the radii are computed with


STREAMS = st.lists(
    st.tuples(st.integers(-(2**70), 2**70), st.integers(-(2**70), 2**70)), min_size=1, max_size=24
)


def drift(buffers: ToeplitzBuffers, streams: list[tuple[int, int]]) -> Fraction:
    """How far the difference of the measurements of two streams gets from the linear one, in
    units.
    """
    kernel = coefficients(buffers)
    states, most = [(0,) * len(buffers.gaps)] * 2, Fraction(0)
    for place, pair in enumerate(streams):
        one, other = (
            element + buffers.predict(state) for element, state in zip(pair, states, strict=True)
        )
        linear = sum(kernel[place - j] * (a - b) for j, (a, b) in enumerate(streams[: place + 1]))
        most = max(most, abs(one - other - linear))
        states = [
            buffers.advance(state, element) for state, element in zip(states, pair, strict=True)
        ]
    return most


@settings(derandomize=True, deadline=None, max_examples=60)
@given(STREAMS)
def test_rounding_adds_no_more_than_the_drift(streams: list[tuple[int, int]]) -> None:
    buffers = ToeplitzBuffers.for_horizon(24)
    assert drift(buffers, streams) <= buffers.drift


def test_rounding_does_add_something() -> None:
    streams = [(3 * k * k + 1, 5 * k) for k in range(24)]
    assert drift(ToeplitzBuffers.for_horizon(24), streams) > Fraction(1, 4)


def test_no_more_buffers_than_the_logarithm() -> None:
    for power in range(23):
        assert len(ToeplitzBuffers.for_horizon(2**power).gaps) <= 5 + power * math.log(2) / 2.4


@pytest.mark.parametrize(
    ("horizon", "shares", "gaps"),
    [
        (0, (1,), (1,)),
        (MAX_HORIZON + 1, (1,), (1,)),
        (4, (1, 2), (1,)),
        (4, (0,), (1,)),
        (4, (1,), (ONE,)),
        (4, (ONE - 1, ONE - 1), (1, 2)),
    ],
)
def test_other_numbers_are_refused(
    horizon: int, shares: tuple[int, ...], gaps: tuple[int, ...]
) -> None:
    with pytest.raises(InvalidArgument, match=r"^(horizon|shares) "):
        ToeplitzBuffers(horizon, shares, gaps)
