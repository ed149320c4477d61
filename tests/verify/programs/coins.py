# ruff: noqa: F821, UP037 — a width may be a parameter
"""Whole-number noise, coins and bit strings, right and wrong."""

from __future__ import annotations

from math import exp

from hedgerow.verify import bernoulli, bits, concat, geometric, mechanism, output, private, public, uniform_bits


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
