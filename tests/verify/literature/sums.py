# ruff: noqa: N803 — names as in the literature, widths as in the language
"""Sums, histograms, responses and pads of the literature."""

from __future__ import annotations

from math import exp

from hedgerow.verify import (
    bernoulli,
    bits,
    geometric,
    laplace,
    mechanism,
    output,
    private,
    public,
    uniform_bits,
)


@mechanism(epsilon="eps", neighbours="one")
def laplace_mechanism(x: private[float], eps: public[float]):
    """Dwork, McSherry, Nissim, Smith 2006, the Laplace mechanism."""
    return x + laplace(1 / eps)


@mechanism(epsilon="eps", neighbours="one")
def partial_sum(q: private[list], size: public[int], eps: public[float]):
    """PartialSum; Wang and others 2020 (CheckDP)."""
    s = 0
    i = 0
    while i < size:
        s = s + q[i]
        i = i + 1
    eta = laplace(1 / eps)
    return s + eta


@mechanism(epsilon="eps", neighbours="one")
def prefix_sum(q: private[list], size: public[int], eps: public[float]):
    """PrefixSum; Wang and others 2020 (CheckDP)."""
    noisy = 0
    i = 0
    while i < size:
        eta = laplace(1 / eps)
        noisy = noisy + q[i] + eta
        output(noisy)
        i = i + 1


@mechanism(epsilon="2*eps", neighbours="one")
def smart_sum(
    q: private[list], size: public[int], T: public[int], M: public[int], eps: public[float]
):
    """SmartSum; Chan, Shi, Song 2011, in the form of Wang and others 2020 (CheckDP)."""
    noisy = 0
    i = 0
    block = 0
    while i <= T and i < size:
        if (i + 1) % M == 0:
            eta1 = laplace(1 / eps)
            noisy = block + q[i] + eta1
            block = 0
            output(noisy)
        else:
            eta2 = laplace(1 / eps)
            noisy = noisy + q[i] + eta2
            block = block + q[i]
            output(noisy)
        i = i + 1


@mechanism(epsilon="2*eps", neighbours="one")
def wrong_smart_sum(
    q: private[list], size: public[int], T: public[int], M: public[int], eps: public[float]
):
    """BadSmartSum; Wang and others 2020 (CheckDP)."""
    noisy = 0
    i = 0
    block = 0
    while i <= T and i < size:
        if (i + 1) % M == 0:
            eta1 = laplace(1 / eps)
            noisy = block + q[i] + eta1
            block = 0
            output(noisy)
        else:
            noisy = noisy + q[i]
            block = block + q[i]
            output(noisy)
        i = i + 1


@mechanism(epsilon="size*eps", neighbours="one")
def dummy_sum_for_n_eps(q: private[list], size: public[int], eps: public[float]):
    """DummySum, version 1: noise on every prefix block, at n times eps."""
    s = 0
    i = 0
    while i < size:
        s = s + q[i]
        eta = laplace(1 / eps)
        output(s + eta)
        i = i + 1


@mechanism(epsilon="eps", neighbours="one")
def wrong_dummy_sum(q: private[list], size: public[int], eps: public[float]):
    """DummySum, version 1, at eps."""
    s = 0
    i = 0
    while i < size:
        s = s + q[i]
        eta = laplace(1 / eps)
        output(s + eta)
        i = i + 1


@mechanism(epsilon="eps", neighbours="one")
def histogram(q: private[list], size: public[int], eps: public[float]):
    """Histogram; Ding, Wang, Wang, Zhang, Kifer 2018 (StatDP)."""
    for i in range(size):
        output(q[i] + laplace(1 / eps))


@mechanism(epsilon="eps", neighbours="one")
def wrong_histogram(q: private[list], size: public[int], eps: public[float]):
    """Histogram with noise eps instead of 1/eps; StatDP 2018."""
    for i in range(size):
        output(q[i] + laplace(eps))


@mechanism(epsilon="eps", neighbours="one")
def geometric_mechanism(x: private[int], eps: public[float]):
    """Ghosh, Roughgarden, Sundararajan 2009, the geometric mechanism."""
    return x + geometric(1 / eps)


@mechanism(epsilon="ln(3)", neighbours="one")
def warner(x: private[bool]):
    """Warner 1965, randomised response by two coins."""
    if bernoulli(1 / 2):
        return x
    return bernoulli(1 / 2)


@mechanism(epsilon="eps", neighbours="one")
def randomised_response(x: private[bool], eps: public[float]):
    """Warner 1965, randomised response for any eps."""
    if bernoulli(exp(eps) / (1 + exp(eps))):
        return x
    return not x


@mechanism(epsilon=0, neighbours="secret")
def one_time_pad(m: private[bits[n]], n: public[int]):  # noqa: F821
    """Shannon 1949, the one-time pad."""
    k = uniform_bits(n)
    return m ^ k
