# ruff: noqa: N803 — names as in the literature
"""Which query is the largest, right and wrong. Every query moves by at most 1."""

from __future__ import annotations

from hedgerow.verify import exponential, laplace, mechanism, private, public


@mechanism(epsilon="eps", neighbours="all")
def noisy_max(q: private[list], size: public[int], eps: public[float]):
    best = 0
    winner = 0
    i = 0
    while i < size:
        noisy = q[i] + laplace(2 / eps)
        if i == 0 or noisy > best:
            best = noisy
            winner = i
        i += 1
    return winner


@mechanism(epsilon="eps", neighbours="all")
def bad_noisy_max_value(q: private[list], size: public[int], eps: public[float]):
    """Tells the largest noisy query where its place would be right."""
    best = 0
    i = 0
    while i < size:
        noisy = q[i] + laplace(2 / eps)
        if i == 0 or noisy > best:
            best = noisy
        i += 1
    return best


@mechanism(epsilon="eps", neighbours="all")
def bad_noisy_max_small_noise(q: private[list], size: public[int], eps: public[float]):
    """As an old proof had it: noise of 1/eps for queries that move in any direction."""
    best = 0
    winner = 0
    i = 0
    while i < size:
        noisy = q[i] + laplace(1 / eps)
        if i == 0 or noisy > best:
            best = noisy
            winner = i
        i += 1
    return winner


@mechanism(epsilon="eps", neighbours="all")
def noisy_max_exponential(q: private[list], size: public[int], eps: public[float]):
    """One-sided noise, with the same law as permute-and-flip."""
    best = 0
    winner = 0
    i = 0
    while i < size:
        noisy = q[i] + exponential(2 / eps)
        if i == 0 or noisy > best:
            best = noisy
            winner = i
        i += 1
    return winner


@mechanism(epsilon="eps", neighbours="all")
def first_above(q: private[list], size: public[int], T: public[float], eps: public[float]):
    """The place of the first query above the threshold, or size."""
    threshold = T + laplace(2 / eps)
    for i in range(size):
        if q[i] + laplace(4 / eps) >= threshold:
            return i
    return size
