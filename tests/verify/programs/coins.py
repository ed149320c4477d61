# ruff: noqa: F821, UP037 — a width may be a parameter
"""Whole-number noise, coins and bit strings, right and wrong."""

from __future__ import annotations

from math import exp

from hedgerow.verify import (
    bernoulli,
    bits,
    concat,
    geometric,
    mechanism,
    output,
    private,
    public,
    uniform_bits,
)


@mechanism(epsilon="eps", neighbours="one")
def geometric_mechanism(x: private[int], eps: public[float]):
    return x + geometric(1 / eps)


@mechanism(epsilon="eps", neighbours="one")
def bad_geometric_mechanism(x: private[int], eps: public[float]):
    return x + geometric(1 / (2 * eps))


@mechanism(epsilon="ln(3)", neighbours="secret")
def randomised_response(x: private[bool]):
    """The truth with three chances of four."""
    truthful = bernoulli(3 / 4)
    return x if truthful else not x


@mechanism(epsilon="eps", neighbours="secret")
def randomised_response_for_eps(x: private[bool], eps: public[float]):
    truthful = bernoulli(exp(eps) / (1 + exp(eps)))
    return x if truthful else not x


@mechanism(epsilon="ln(3)", neighbours="secret")
def bad_randomised_response(x: private[bool]):
    truthful = bernoulli(4 / 5)
    return x if truthful else not x


@mechanism(epsilon="0", neighbours="secret")
def one_time_pad(m: private[bits[512]]):
    key = uniform_bits(512)
    return m ^ key


@mechanism(epsilon="0", neighbours="secret")
def one_time_pad_by_addition(m: private[bits[512]]):
    key = uniform_bits(512)
    return m + key


@mechanism(epsilon="0", neighbours="secret")
def one_time_pad_two_shares(m: private[bits[512]]):
    first = uniform_bits(512)
    second = uniform_bits(512)
    return m ^ first ^ second


@mechanism(epsilon="0", neighbours="secret")
def one_time_pad_any_length(m: private["bits[n]"], n: public[int]):
    key = uniform_bits(n)
    return m ^ key


@mechanism(epsilon="0", neighbours="secret")
def bad_pad_and(m: private[bits[512]]):
    key = uniform_bits(512)
    return m & key


@mechanism(epsilon="0", neighbours="secret")
def bad_pad_or(m: private[bits[512]]):
    key = uniform_bits(512)
    return m | key


@mechanism(epsilon="0", neighbours="secret")
def bad_pad_key_twice(m: private[bits[512]], n: private[bits[512]]):
    key = uniform_bits(512)
    output(m ^ key)
    output(n ^ key)


@mechanism(epsilon="0", neighbours="secret")
def bad_pad_key_told(m: private[bits[512]]):
    key = uniform_bits(512)
    output(m ^ key)
    output(key)


@mechanism(epsilon="0", neighbours="secret")
def bad_pad_half_key(m: private[bits[512]]):
    key = uniform_bits(256)
    return m ^ concat(key, key)


@mechanism(epsilon="ln(3)", neighbours="one")
def response_in_branches(x: private[bool]):
    if bernoulli(1 / 4):
        output(not x)
    else:
        output(x)


@mechanism(epsilon="ln(3)", neighbours="one")
def truth_or_a_coin(x: private[bool]):
    if bernoulli(1 / 2):
        return x
    return bernoulli(1 / 2)


@mechanism(epsilon="eps", neighbours="one")
def response_in_branches_for_eps(x: private[bool], eps: public[float]):
    if bernoulli(exp(eps) / (1 + exp(eps))):
        return x
    return not x


@mechanism(epsilon="ln((1 - p) / p)", neighbours="one")
def response_that_lies_with(x: private[bool], p: public[float]):
    return not x if bernoulli(p) else x


@mechanism(epsilon="ln(3)", neighbours="one")
def coins_for_either(x: private[bool]):
    if x:
        return bernoulli(3 / 4)
    return bernoulli(1 / 4)


@mechanism(epsilon="eps", neighbours="one")
def one_of_four(x: private[bits[2]], eps: public[float]):
    """The truth, or any of four."""
    if bernoulli((exp(eps) - 1) / (exp(eps) + 3)):
        return x
    return uniform_bits(2)


@mechanism(epsilon="ln(5/3)", neighbours="one")
def response_twice_removed(x: private[bool]):
    """What is remembered is noisy, and what is said of it again."""
    kept = x
    if bernoulli(1 / 2):
        kept = bernoulli(1 / 2)
    if kept:
        output(bernoulli(3 / 4))
    else:
        output(bernoulli(1 / 4))


@mechanism(epsilon="eps", neighbours="one")
def response_of_each(q: private[list[int]], size: public[int], eps: public[float]):
    for i in range(size):
        if bernoulli(exp(eps) / (1 + exp(eps))):
            output(q[i] > 0)
        else:
            output(q[i] <= 0)


@mechanism(epsilon="size*eps", neighbours="all")
def response_of_all(q: private[list[int]], size: public[int], eps: public[float]):
    for i in range(size):
        if bernoulli(exp(eps) / (1 + exp(eps))):
            output(q[i] > 0)
        else:
            output(q[i] <= 0)


@mechanism(epsilon="ln(3)", neighbours="one")
def count_of_responses(q: private[list[int]], size: public[int]):
    total = 0
    for i in range(size):
        if bernoulli(1 / 4):
            total += 1 if q[i] <= 0 else 0
        else:
            total += 1 if q[i] > 0 else 0
    return total


@mechanism(epsilon="ln(3)", neighbours="one")
def bad_response_in_branches(x: private[bool]):
    if bernoulli(1 / 5):
        output(not x)
    else:
        output(x)


@mechanism(epsilon="ln(3)", neighbours="one")
def bad_truth_or_a_coin(x: private[bool]):
    if bernoulli(2 / 3):
        return x
    return bernoulli(1 / 2)


@mechanism(epsilon="eps", neighbours="one")
def bad_one_of_four(x: private[bits[2]], eps: public[float]):
    """As if there were two."""
    if bernoulli((exp(eps) - 1) / (exp(eps) + 1)):
        return x
    return uniform_bits(2)


@mechanism(epsilon="eps", neighbours="all")
def bad_response_of_all(q: private[list[int]], size: public[int], eps: public[float]):
    for i in range(size):
        if bernoulli(exp(eps) / (1 + exp(eps))):
            output(q[i] > 0)
        else:
            output(q[i] <= 0)


@mechanism(epsilon="eps", neighbours="one")
def bad_geometric_of_reals(x: private[float], eps: public[float]):
    """What is said shows which fraction x has."""
    return x + geometric(1 / eps)


@mechanism(epsilon="ln(3)", delta="delta", neighbours="one")
def response_that_fails_rarely(x: private[bool], delta: public[float]):
    """Now and then it is the truth, whatever the coin says."""
    if bernoulli(delta):
        return x
    return not x if bernoulli(1 / 4) else x


@mechanism(epsilon="ln(3)", delta="delta", neighbours="one")
def bad_response_that_fails_twice_as_often(x: private[bool], delta: public[float]):
    if bernoulli(2 * delta):
        return x
    return not x if bernoulli(1 / 4) else x
