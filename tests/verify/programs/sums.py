# ruff: noqa: N803 — names as in the literature
"""Sums with noise, right and wrong. Every entry is one person; one entry changes by at most 1."""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="eps", neighbours="one")
def laplace_mechanism(x: private[float], eps: public[float]):
    return x + laplace(1 / eps)


@mechanism(epsilon="eps", neighbours="one")
def laplace_mechanism_around(x: private[float], eps: public[float]):
    return laplace(x, 1 / eps)


@mechanism(epsilon="eps", neighbours="one")
def bad_sum_without_noise(q: private[list], size: public[int], eps: public[float]):
    total = 0
    i = 0
    while i < size:
        total += q[i]
        i += 1
    return total


@mechanism(epsilon="eps", neighbours="one")
def bad_mean_without_noise(q: private[list], size: public[int], eps: public[float]):
    total = 0
    for i in range(size):
        total += q[i]
    return total / size


@mechanism(epsilon="eps", neighbours="one")
def noisy_mean(q: private[list], size: public[int], eps: public[float]):
    total = 0
    for i in range(size):
        total += q[i]
    return total / size + laplace(1 / (size * eps))


@mechanism(epsilon="eps", neighbours="one")
def partial_sum(q: private[list], size: public[int], eps: public[float]):
    total = 0
    i = 0
    while i < size:
        total += q[i]
        i += 1
    output(total + laplace(1 / eps))


@mechanism(epsilon="eps", neighbours="one")
def bad_partial_sum(q: private[list], size: public[int], eps: public[float]):
    total = 0
    i = 0
    while i < size:
        total += q[i]
        i += 1
    output(total + laplace(1 / (2 * eps)))


@mechanism(epsilon="eps", neighbours="one")
def prefix_sum(q: private[list], size: public[int], eps: public[float]):
    """DummySum, version 2: noise on each element, then added up."""
    total = 0
    i = 0
    while i < size:
        total += q[i] + laplace(1 / eps)
        output(total)
        i += 1


@mechanism(epsilon="eps", neighbours="one")
def bad_dummy_sum(q: private[list], size: public[int], eps: public[float]):
    """DummySum, version 1: noise on each prefix sum, at the price of one."""
    total = 0
    i = 0
    while i < size:
        total += q[i]
        output(total + laplace(1 / eps))
        i += 1


@mechanism(epsilon="size*eps", neighbours="one")
def dummy_sum(q: private[list], size: public[int], eps: public[float]):
    """DummySum, version 1, at its own price."""
    total = 0
    i = 0
    while i < size:
        total += q[i]
        output(total + laplace(1 / eps))
        i += 1


@mechanism(epsilon="2*eps", neighbours="one")
def smart_sum(
    q: private[list], size: public[int], T: public[int], M: public[int], eps: public[float]
):
    last = 0
    total = 0
    i = 0
    while i <= T and i < size:
        if (i + 1) % M == 0:
            last = total + q[i] + laplace(1 / eps)
            total = 0
            output(last)
        else:
            last = last + q[i] + laplace(1 / eps)
            total = total + q[i]
            output(last)
        i += 1


@mechanism(epsilon="2*eps", neighbours="one")
def bad_smart_sum(
    q: private[list], size: public[int], T: public[int], M: public[int], eps: public[float]
):
    """The sums inside a block have no noise of their own."""
    last = 0
    total = 0
    i = 0
    while i <= T and i < size:
        if (i + 1) % M == 0:
            last = total + q[i] + laplace(1 / eps)
            total = 0
            output(last)
        else:
            last = last + q[i]
            total = total + q[i]
            output(last)
        i += 1
