"""Exact noisy argmax: the candidate with the largest score plus noise.

Every candidate gets ``factor * score`` plus independent continuous noise made of one uniform U,
with E = -ln U:

- **gumbel**, -ln E: candidate i wins with probability exp(factor * score_i) / sum. (E_i e^-s_i is
  exponential with rate e^s_i, and the first of independent exponentials is i with probability
  rate_i / sum of rates.) This is the exact choice of the exponential mechanism.
- **exponential**, E: the distribution of permute-and-flip (Ding, Kifer, Steinke, Wang, Xiao and
  Zhang, 2021).
- **laplace**, ±E: report noisy max; the lead of the winner is available as well.

Doubles with an error bound rule out most candidates. Where more than one may still have won, the
uniforms of those are refined until one leads for certain. Noise is continuous, so a tie has
probability 0.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from math import floor

import numpy as np

from hedgerow.numeric.logarithm import EXPONENTIAL_ERROR, log, standard_exponential
from hedgerow.numeric.rounding import log_bounds, log_down, log_up
from hedgerow.numeric.samplers.lazy_uniform import LazyUniform, RationalInterval
from hedgerow.numeric.vectorised import Floats, Integers, draw_uniform_words, iterate_chunks

__all__ = ["ARGMAX_NOISES", "noisy_argmax", "noisy_argmax_with_lead"]

_ULP = 2.0**-52

Scores = Floats | Integers
FastNoise = Callable[[Integers, Integers], tuple[Floats, Floats]]
ExactNoise = Callable[[LazyUniform, int], RationalInterval]


def _fast_exponential(word: Integers, _: Integers) -> tuple[Floats, Floats]:
    value, k = standard_exponential(word)
    return value, EXPONENTIAL_ERROR.take(k)


def _fast_laplace(word: Integers, sign: Integers) -> tuple[Floats, Floats]:
    value, error = _fast_exponential(word, sign)
    value *= 1 - 2 * sign
    return value, error


def _fast_gumbel(word: Integers, sign: Integers) -> tuple[Floats, Floats]:
    """Return -ln E with its error bound.

    An error d of E becomes at most d/(E - d); where E is not clearly above its error, nothing is
    known.
    """
    e, error = _fast_exponential(word, sign)
    clear = e > 2 * error
    e[~clear], error[~clear] = 1.0, 0.0
    value, exponent = log(e)
    np.negative(value, out=value)
    e -= error
    error /= e
    error += (1.5 * np.abs(exponent) + 1) * _ULP
    error[~clear] = np.inf
    return value, error


def _exact_laplace(uniform: LazyUniform, sign: int) -> RationalInterval:
    low, high = uniform.exponential_bounds()
    return (-high, -low) if sign else (low, high)


def _exact_gumbel(uniform: LazyUniform, _: int) -> RationalInterval:
    low, high = uniform.exponential_bounds()
    while low <= 0:  # U may still be 1
        uniform.refine()
        low, high = uniform.exponential_bounds()
    return -log_up(high, uniform.digits), -log_down(low, uniform.digits)


ARGMAX_NOISES: dict[str, tuple[FastNoise, ExactNoise]] = {
    "exponential": (_fast_exponential, lambda uniform, _: uniform.exponential_bounds()),
    "gumbel": (_fast_gumbel, _exact_gumbel),
    "laplace": (_fast_laplace, _exact_laplace),
}


class _Contender:
    """A candidate that may still win, with exact bounds of its noisy score."""

    def __init__(
        self, place: int, base: Fraction, weight: int, word: int, sign: int, noise: ExactNoise
    ) -> None:
        self.place, self._base, self._weight = place, base, Fraction(weight)
        self._sign, self._noise, self._uniform = sign, noise, LazyUniform(word)
        self._update_bounds()

    def _update_bounds(self) -> None:
        low, high = self._noise(self._uniform, self._sign)
        start, end = log_bounds(self._weight, self._uniform.digits) if self._weight != 1 else (0, 0)
        self.low, self.high = self._base + start + low, self._base + end + high

    def refine(self) -> None:
        self._uniform.refine()
        self._update_bounds()


@dataclass(frozen=True, slots=True)
class _Contest:
    """All candidates of one noisy argmax.

    Fields: noisy scores in doubles with their error bounds, and the words they were made from.
    """

    scores: Scores
    weights: Integers | None
    factor: Fraction
    exact_noise: ExactNoise
    word: Integers
    sign: Integers
    low: Floats
    high: Floats

    def list_contenders(self, count: int) -> list[_Contender]:
        """List the candidates that may be among the first ``count``."""
        bar = np.partition(self.low, -count)[-count]
        return [self._build_contender(place) for place in np.flatnonzero(self.high >= bar).tolist()]

    def _build_contender(self, place: int) -> _Contender:
        base = Fraction(self.scores[place].item()) * self.factor
        weight = 1 if self.weights is None else int(self.weights[place])
        return _Contender(
            place, base, weight, int(self.word[place]), int(self.sign[place]), self.exact_noise
        )


def _start_contest(
    scores: Scores, factor: Fraction, noise: str, weights: Integers | None = None
) -> _Contest:
    fast_noise, exact_noise = ARGMAX_NOISES[noise]
    low, high = np.empty(scores.size), np.empty(scores.size)
    word, sign = np.empty(scores.size, dtype=np.int64), np.empty(scores.size, dtype=np.int64)
    for part in iterate_chunks(scores.size):
        word[part], sign[part] = draw_uniform_words(part.stop - part.start)
        value, error = fast_noise(word[part], sign[part])
        base = scores[part] * float(factor)
        if weights is not None:
            logarithm, exponent = log(weights[part].astype(np.float64))
            value += logarithm
            error += (2 * exponent + 4) * _ULP  # includes rounding the weight and the sum
        value += base
        np.abs(base, out=base)
        base += np.abs(value)
        base += 1.0
        # rounding of the score, the factor, the product, the sum, and the two ends below
        base *= 2 * _ULP
        error += base
        np.subtract(value, error, out=low[part])
        np.add(value, error, out=high[part])
    return _Contest(scores, weights, factor, exact_noise, word, sign, low, high)


def noisy_argmax(
    scores: Scores, factor: Fraction, noise: str, weights: Integers | None = None
) -> int:
    """Return the index of the candidate with the largest factor * score + noise.

    A candidate of weight w (a whole number of at least 1) represents w candidates with its score:
    with gumbel noise, ln w is added.
    """
    contest = _start_contest(scores, factor, noise, weights)
    first = int(contest.low.argmax())
    if np.count_nonzero(contest.high >= contest.low[first]) == 1:
        return first
    return _find_winner(contest.list_contenders(1)).place


def _find_winner(contenders: list[_Contender]) -> _Contender:
    while True:
        bar = max(contender.low for contender in contenders)
        contenders = [contender for contender in contenders if contender.high >= bar]
        if len(contenders) == 1:
            return contenders[0]
        for contender in contenders:
            contender.refine()


def noisy_argmax_with_lead(
    scores: Scores, factor: Fraction, noise: str, step: Fraction
) -> tuple[int, int]:
    """Return the winner, and its lead over the next candidate in whole steps, rounded down.

    The lead is the difference of factor * score + noise. There must be at least two candidates.
    """
    contest = _start_contest(scores, factor, noise)
    contenders = contest.list_contenders(2)
    winner = _find_winner(list(contenders))
    rivals = [contender for contender in contenders if contender is not winner]
    while True:
        bar = max(contender.low for contender in rivals)
        shortest = floor((winner.low - max(contender.high for contender in rivals)) / step)
        longest = floor((winner.high - bar) / step)
        if shortest == longest:
            return winner.place, shortest
        rivals = [contender for contender in rivals if contender.high >= bar]
        for contender in (winner, *rivals):
            contender.refine()
