# ruff: noqa: N803 — names as in the literature
"""Programs with a delta, right and wrong. Counts move by at most 1."""

from __future__ import annotations

from math import log, sqrt

from hedgerow.verify import gaussian, laplace, mechanism, output, private, public


@mechanism(epsilon="eps", delta="delta", neighbours="one")
def stability_histogram(count: private[int], eps: public[float], delta: public[float]):
    """A count that nobody is in is never told; one that somebody is in only when its noisy value
    is large.
    """
    if count > 0:
        noisy = count + laplace(1 / eps)
        if noisy > 1 + log(1 / (2 * delta)) / eps:
            output(noisy)


@mechanism(epsilon="eps", neighbours="one")
def bad_stability_histogram_pure(count: private[int], eps: public[float], delta: public[float]):
    if count > 0:
        noisy = count + laplace(1 / eps)
        if noisy > 1 + log(1 / (2 * delta)) / eps:
            output(noisy)


@mechanism(epsilon="2*eps", delta="delta", neighbours="one")
def propose_test_release(
    count: private[int], K: public[int], H: public[float], eps: public[float], delta: public[float]
):
    """The value jumps by H between K and K + 1, and moves by at most 1 elsewhere: the distance
    is to where it jumps.
    """
    value = count + H if count > K else count
    distance = max(K - count, count - K - 1)
    if distance + laplace(1 / eps) > log(1 / delta) / eps:
        output(value + laplace(1 / eps))
    else:
        output(False)


@mechanism(epsilon="2*eps", delta="delta", neighbours="one")
def bad_propose_test_release(
    count: private[int], K: public[int], H: public[float], eps: public[float], delta: public[float]
):
    """The test has no noise."""
    value = count + H if count > K else count
    distance = max(K - count, count - K - 1)
    if distance > log(1 / delta) / eps:
        output(value + laplace(1 / eps))
    else:
        output(False)


@mechanism(epsilon="eps", delta="delta", neighbours="one")
def stable_value(count: private[int], K: public[int], eps: public[float], delta: public[float]):
    """Is the count above K? The distance to a data set with another answer is at least 1, and so
    1 is added to the threshold.
    """
    distance = count - K if count > K else K - count + 1
    if distance + laplace(1 / eps) > 1 + log(1 / (2 * delta)) / eps:
        output(count > K)
    else:
        output(0)


@mechanism(epsilon="eps", delta="delta", neighbours="one")
def bad_stable_value(count: private[int], K: public[int], eps: public[float], delta: public[float]):
    """Without the 1: from eps = ln 2 on it fails more often than delta."""
    distance = count - K if count > K else K - count + 1
    if distance + laplace(1 / eps) > log(1 / delta) / eps:
        output(count > K)
    else:
        output(0)


@mechanism(epsilon="1", delta="1/100000", neighbours="one")
def classical_gaussian(x: private[float]):
    return x + gaussian(sqrt(2 * log(125000)))


@mechanism(epsilon="10", delta="1/100000", neighbours="one")
def bad_classical_gaussian(x: private[float]):
    """The textbook scale, outside of where its proof holds."""
    return x + gaussian(sqrt(2 * log(125000)) / 10)
