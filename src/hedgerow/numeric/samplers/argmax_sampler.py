"""Races: which candidate has the largest score plus noise, decided exactly.

Every candidate gets ``factor * score`` plus independent continuous noise made of one uniform U,
with E = -ln U:

- **gumbel**, -ln E: candidate i wins with probability exp(factor * score_i) / sum. (E_i e^-s_i is
  exponential with rate e^s_i, and the first of independent exponentials is i with probability
  rate_i / sum of rates.) This is the exact choice behind the exponential mechanism.
- **exponential**, E: the same law as permute-and-flip (Ding, Kifer, Steinke, Wang, Xiao and Zhang,
  2021).
- **laplace**, ±E: report-noisy-max; the lead of the winner may be had as well.

Doubles with an error bound narrow the field; where more than one candidate may still have won, the
uniforms of those are continued with more bits until one leads for certain. Noise is continuous, so
a tie has probability 0.
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
    """-ln E. An error d of E becomes at most d/(E - d); where E is not clearly above its error
    nothing is known.
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


def _exact_exponential(uniform: LazyUniform, _: int) -> RationalInterval:
    return uniform.exponential_bounds()


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
    "exponential": (_fast_exponential, _exact_exponential),
    "gumbel": (_fast_gumbel, _exact_gumbel),
    "laplace": (_fast_laplace, _exact_laplace),
}


class _Contender:
    """A candidate whose place is not settled yet, followed exactly."""

    def __init__(
        self, place: int, base: Fraction, weight: int, word: int, sign: int, noise: ExactNoise
    ) -> None:
        self.place, self._base, self._weight, self._sign, self._noise = (
            place,
            base,
            Fraction(weight),
            sign,
            noise,
        )
        self._uniform = LazyUniform(word)
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
    """All candidates of one race: noisy scores in doubles with their errors, and the words they
    were made of.
    """

    scores: Scores
    weights: Integers | None
    factor: Fraction
    noise: ExactNoise
    word: Integers
    sign: Integers
    low: Floats
    high: Floats

    def list_contenders(self, count: int) -> list[_Contender]:
        """The candidates that may be among the first ``count``."""
        bar = np.partition(self.low, -count)[-count]
        return [self._build_contender(place) for place in np.flatnonzero(self.high >= bar).tolist()]

    def _build_contender(self, place: int) -> _Contender:
        base = Fraction(self.scores[place].item()) * self.factor
        weight = 1 if self.weights is None else int(self.weights[place])
        return _Contender(
            place, base, weight, int(self.word[place]), int(self.sign[place]), self.noise
        )


def _start_contest(
    scores: Scores, factor: Fraction, law: str, weights: Integers | None = None
) -> _Contest:
    fast, noise = ARGMAX_NOISES[law]
    low, high = np.empty(scores.size), np.empty(scores.size)
    word, sign = np.empty(scores.size, dtype=np.int64), np.empty(scores.size, dtype=np.int64)
    for part in iterate_chunks(scores.size):
        word[part], sign[part] = draw_uniform_words(part.stop - part.start)
        value, error = fast(word[part], sign[part])
        base = scores[part] * float(factor)
        if weights is not None:
            logarithm, exponent = log(weights[part].astype(np.float64))
            value += logarithm
            error += (2 * exponent + 4) * _ULP  # and rounding the weight, and the sum
        value += base
        np.abs(base, out=base)
        base += np.abs(value)
        base += 1.0
        # reading the score, the factor, the product, the sum, and the two ends below
        base *= 2 * _ULP
        error += base
        np.subtract(value, error, out=low[part])
        np.add(value, error, out=high[part])
    return _Contest(scores, weights, factor, noise, word, sign, low, high)


def noisy_argmax(
    scores: Scores, factor: Fraction, law: str, weights: Integers | None = None
) -> int:
    """The place of the candidate with the largest factor * score + noise.

    A candidate of weight w (a whole number of at least 1) stands for w candidates of its score:
    with gumbel noise, ln w is added.
    """
    field = _start_contest(scores, factor, law, weights)
    first = int(field.low.argmax())
    if np.count_nonzero(field.high >= field.low[first]) == 1:
        return first
    return _find_winner(field.list_contenders(1)).place


def _find_winner(runners: list[_Contender]) -> _Contender:
    while True:
        bar = max(runner.low for runner in runners)
        runners = [runner for runner in runners if runner.high >= bar]
        if len(runners) == 1:
            return runners[0]
        for runner in runners:
            runner.refine()


def noisy_argmax_with_lead(
    scores: Scores, factor: Fraction, law: str, step: Fraction
) -> tuple[int, int]:
    """The winner, and by how many whole steps of factor * score + noise it leads the next one.
    Needs at least two candidates.
    """
    field = _start_contest(scores, factor, law)
    runners = field.list_contenders(2)
    winner = _find_winner(list(runners))
    others = [runner for runner in runners if runner is not winner]
    while True:
        bar = max(runner.low for runner in others)
        least = floor((winner.low - max(runner.high for runner in others)) / step)
        most = floor((winner.high - bar) / step)
        if least == most:
            return winner.place, least
        others = [runner for runner in others if runner.high >= bar]
        for runner in (winner, *others):
            runner.refine()
