# ruff: noqa: N803 — names as in the literature
"""Hedgerow's own mechanisms, where they are small programs. ``test_shipped`` ties every one to its class: the same noise, the same loss."""

from __future__ import annotations

from hedgerow.verify import bernoulli, bits, exponential, geometric, laplace, mechanism, output, private, public, uniform_bits


@mechanism(epsilon="eps", neighbours="one")
def shipped_laplace(x: private[int], eps: public[float]):
    return x + geometric(1 / eps)


@mechanism(epsilon="eps", neighbours="all")
def shipped_permute_and_flip(q: private[list], size: public[int], eps: public[float]):
    best = 0
    winner = 0
    for i in range(size):
        noisy = q[i] + exponential(2 / eps)
        if i == 0 or noisy > best:
            best = noisy
            winner = i
    return winner


@mechanism(epsilon="eps", neighbours="all")
def shipped_noisy_max(q: private[list], size: public[int], eps: public[float]):
    best = 0
    winner = 0
    for i in range(size):
        noisy = q[i] + laplace(2 / eps)
        if i == 0 or noisy > best:
            best = noisy
            winner = i
    return winner


@mechanism(epsilon="ln((1 + r) / (1 - r))", neighbours="one")
def shipped_randomized_response(x: private[bool], r: public[float]):
    if bernoulli(r):
        return x
    return bernoulli(1 / 2)


@mechanism(epsilon="ln(1 + 4 * r / (1 - r))", neighbours="one")
def shipped_randomized_response_of_four(x: private[bits[2]], r: public[float]):
    if bernoulli(r):
        return x
    return uniform_bits(2)


@mechanism(epsilon="eps", neighbours="all")
def shipped_sparse_vector(q: private[list[int]], size: public[int], T: public[int], cutoff: public[int], eps: public[float]):
    bar = T + geometric(2 / eps)
    said = 0
    i = 0
    while i < size and said < cutoff:
        if q[i] + geometric(4 * cutoff / eps) >= bar:
            output(True)
            said += 1
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="increasing")
def shipped_sparse_vector_rising(q: private[list[int]], size: public[int], T: public[int], cutoff: public[int], eps: public[float]):
    bar = T + geometric(2 / eps)
    said = 0
    i = 0
    while i < size and said < cutoff:
        if q[i] + geometric(2 * cutoff / eps) >= bar:
            output(True)
            said += 1
        else:
            output(False)
        i += 1


@mechanism(epsilon="eps", neighbours="decreasing")
def shipped_sparse_vector_falling(q: private[list[int]], size: public[int], T: public[int], cutoff: public[int], eps: public[float]):
    bar = T + geometric(2 / eps)
    said = 0
    i = 0
    while i < size and said < cutoff:
        if q[i] + geometric(2 * cutoff / eps) >= bar:
            output(True)
            said += 1
        else:
            output(False)
        i += 1
