# ruff: noqa: N803 — names as in the literature
"""The sparse vector technique and its relatives, right and wrong. Every query moves by at most
1.
"""

from __future__ import annotations

from hedgerow.verify import laplace, mechanism, output, private, public


@mechanism(epsilon="eps", neighbours="all")
def above_threshold(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    threshold = T + laplace(2 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        if q[i] + laplace(4 * N / eps) >= threshold:
            output(True)
            count += 1
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="increasing")
def above_threshold_increasing(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    threshold = T + laplace(2 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        if q[i] + laplace(2 * N / eps) >= threshold:
            output(True)
            count += 1
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="decreasing")
def above_threshold_decreasing(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    threshold = T + laplace(2 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        if q[i] + laplace(2 * N / eps) >= threshold:
            output(True)
            count += 1
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def gap_above_threshold(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    threshold = T + laplace(2 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        noisy = q[i] + laplace(4 * N / eps)
        if noisy >= threshold:
            output(noisy - threshold)
            count += 1
        else:
            output(0)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def numeric_above_threshold(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    threshold = T + laplace(3 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        if q[i] + laplace(6 * N / eps) >= threshold:
            output(q[i] + laplace(3 * N / eps))
            count += 1
        else:
            output(0)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def adaptive_above_threshold(
    q: private[list],
    size: public[int],
    T: public[float],
    N: public[int],
    sigma: public[float],
    eps: public[float],
):
    """Far above the threshold a query is charged half of what it is charged just above it."""
    threshold = T + laplace(2 / eps)
    cost = 0
    i = 0
    while i < size:
        if cost > 4 * N - 2:
            break
        far = q[i] + laplace(16 * N / eps) - threshold
        if far >= sigma:
            output(far)
            cost += 1
        else:
            near = q[i] + laplace(8 * N / eps) - threshold
            if near >= 0:
                output(near)
                cost += 2
            else:
                output(0)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def bad_above_threshold_no_query_noise(
    q: private[list], size: public[int], T: public[float], eps: public[float]
):
    threshold = T + laplace(2 / eps)
    i = 0
    while i < size:
        if q[i] >= threshold:
            output(True)
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def bad_above_threshold_no_cutoff(
    q: private[list], size: public[int], T: public[float], eps: public[float]
):
    threshold = T + laplace(2 / eps)
    i = 0
    while i < size:
        if q[i] + laplace(2 / eps) >= threshold:
            output(True)
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def bad_above_threshold_unscaled(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    """The noise of the queries does not grow with the number of answers."""
    threshold = T + laplace(4 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        if q[i] + laplace(4 / (3 * eps)) >= threshold:
            output(True)
            count += 1
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def bad_gap_above_threshold(
    q: private[list], size: public[int], T: public[float], N: public[int], eps: public[float]
):
    """Tells the noisy query, with the noise that the test has used, where the gap would be
    right.
    """
    threshold = T + laplace(2 / eps)
    count = 0
    i = 0
    while i < size and count < N:
        noisy = q[i] + laplace(4 * N / eps)
        if noisy >= threshold:
            output(noisy)
            count += 1
        else:
            output(0)
        i += 1


@mechanism(epsilon="eps", neighbours="all")
def bad_adaptive_above_threshold(
    q: private[list],
    size: public[int],
    T: public[float],
    N: public[int],
    sigma: public[float],
    eps: public[float],
):
    """Tells the noisy queries where the gaps would be right."""
    threshold = T + laplace(2 / eps)
    cost = 0
    i = 0
    while i < size:
        if cost > 4 * N - 2:
            break
        far = q[i] + laplace(16 * N / eps)
        if far - threshold >= sigma:
            output(far)
            cost += 1
        else:
            near = q[i] + laplace(8 * N / eps)
            if near - threshold >= 0:
                output(near)
                cost += 2
            else:
                output(0)
        i += 1
