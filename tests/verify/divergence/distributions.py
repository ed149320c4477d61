"""Small laws, epsilons and brute force for the tests of finite distributions."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from fractions import Fraction
from itertools import chain, combinations, product
from typing import Any

from hypothesis import settings
from hypothesis import strategies as st

from hedgerow.verify.divergence.distribution import Distribution
from hedgerow.verify.divergence.epsilon import Epsilon, ln

OUTCOMES = range(4)

few = settings(max_examples=50)  # for tests that try every event, or draw many laws


def laws(outcomes: Iterable[Any] = OUTCOMES) -> st.SearchStrategy[Distribution]:
    """Small whole weights, so that ties, zeros and equal ratios are common."""
    names = list(outcomes)
    weights = st.lists(st.integers(0, 6), min_size=len(names), max_size=len(names)).filter(any)
    return weights.map(
        lambda drawn: Distribution.proportional(dict(zip(names, drawn, strict=True)))
    )


def ratios() -> st.SearchStrategy[Epsilon]:
    """Logarithms of small rationals, which the ratios of small laws hit."""
    return st.tuples(st.integers(0, 6), st.integers(1, 6)).map(
        lambda pair: ln(Fraction(sum(pair), pair[1]))
    )


def epsilons() -> st.SearchStrategy[Epsilon]:
    """Logarithms, plain rationals, and sums of both."""
    plain = st.sampled_from([Fraction(1, 10), Fraction(1, 2), Fraction(1)]).map(Epsilon)
    return st.one_of(
        ratios(), plain, st.tuples(ratios(), plain).map(lambda pair: pair[0] + pair[1])
    )


def deltas() -> st.SearchStrategy[Fraction]:
    return st.integers(0, 12).map(lambda twelfths: Fraction(twelfths, 12))


def relations() -> st.SearchStrategy[frozenset[tuple[int, int]]]:
    """Some thin, where couplings are rare, and some that leave out a few pairs only."""
    every = frozenset(product(OUTCOMES, OUTCOMES))
    some = st.frozensets(st.sampled_from(sorted(every)))
    return st.one_of(some, some.map(lambda left_out: every - left_out))


def events(outcomes: Iterable[Any]) -> Iterator[frozenset[Any]]:
    names = list(outcomes)
    return map(
        frozenset, chain.from_iterable(combinations(names, size) for size in range(len(names) + 1))
    )


def image(relation: Iterable[tuple[Any, Any]], event: Iterable[Any]) -> frozenset[Any]:
    return frozenset(b for a, b in relation if a in set(event))


def response(truth: Fraction, value: int, values: int = 2) -> dict[int, Fraction]:
    """Randomised response: the value with probability ``truth``, else any of ``values``."""
    return {report: truth * (report == value) + (1 - truth) / values for report in range(values)}


def clamped_laplace(q: Fraction, centre: int, low: int, high: int) -> dict[int, Fraction]:
    """centre + Z, Pr[Z = z] = (1-q)/(1+q) q^|z|, clamped: the tails, each q^k/(1+q) from k steps
    on, are lumped at the ends.
    """
    law = {z: (1 - q) / (1 + q) * q ** abs(z - centre) for z in range(low + 1, high)}
    return law | {low: q ** (centre - low) / (1 + q), high: q ** (high - centre) / (1 + q)}
