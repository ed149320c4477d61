"""Noisy argmax: the same bits give the same winner, with the right probabilities."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import floor
from unittest.mock import Mock

import numpy as np
import pytest
from scipy.integrate import quad

import goodness
from goodness import ALARM
from hedgerow.numeric.samplers import argmax_sampler as module
from hedgerow.numeric.samplers.argmax_sampler import (
    ARGMAX_NOISES,
    noisy_argmax,
    noisy_argmax_with_lead,
)
from numeric.helpers_chosen_bits import HIGH, LOW, SPECIAL, feed, ln, some, uniform

SCORES = np.array([0.0, 1.0, 2.5, 2.0, -1.0])
FACTOR = Fraction(7, 10)


def noise(law: str, u: Fraction, sign: int) -> Fraction:
    e = -ln(u)
    return -ln(e) if law == "gumbel" else -e if law == "laplace" and sign else e


def tied(law: str, words: list[int], sign: int) -> list[np.ndarray]:
    """Return scores that bring the noise of two words as close as doubles allow: above, below,
    equal.
    """
    found = []
    for first, second in zip(words[::2], words[1::2], strict=False):
        gap = float(noise(law, uniform(first, LOW), sign) - noise(law, uniform(second, LOW), sign))
        found += [
            np.array([0.0, score])
            for score in (gap, np.nextafter(gap, -np.inf), np.nextafter(gap, np.inf))
        ]
    return found


@pytest.mark.long
@pytest.mark.parametrize("more", [LOW, HIGH])
@pytest.mark.parametrize("sign", [0, 1])
@pytest.mark.parametrize("law", ARGMAX_NOISES)
def test_doubles_and_rationals_find_the_same_winner_with_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, law: str, sign: int, more: int
) -> None:
    words = some(24, seed=1) + [w for w in SPECIAL if w > 1][::2]
    words = words[: len(words) // 2 * 2]
    exactly = Mock(wraps=module._find_winner)
    monkeypatch.setattr(module, "_find_winner", exactly)
    for i, scores in enumerate(tied(law, words, sign)):
        pair = words[i // 3 * 2 : i // 3 * 2 + 2]
        totals = [
            Fraction(score) + noise(law, uniform(word, more), sign)
            for score, word in zip(scores.tolist(), pair, strict=True)
        ]
        step = abs(totals[0] - totals[1]) * Fraction(2, 7) or Fraction(1)
        for lead in (False, True):
            feed(monkeypatch, module, more, pair, sign=sign)
            first = int(totals[1] > totals[0])
            if lead:
                assert noisy_argmax_with_lead(scores, Fraction(1), law, step) == (
                    first,
                    floor((totals[first] - totals[1 - first]) / step),
                )
            else:
                assert noisy_argmax(scores, Fraction(1), law) == first
    assert exactly.call_count > len(words) // 2, "near ties must be run exactly"


@pytest.mark.parametrize("law", ARGMAX_NOISES)
def test_many_candidates_with_the_same_bits(monkeypatch: pytest.MonkeyPatch, law: str) -> None:
    words = SPECIAL + some(300, seed=2)
    whole = np.array(some(len(words), seed=3)) % 50
    for scores, factor in (
        (whole, Fraction(1, 3)),
        (whole / 7, Fraction(10**9)),
        (whole * 10**15, Fraction(1, 10**15)),
    ):
        totals = [
            Fraction(score) * factor + noise(law, uniform(word, HIGH), 0)
            for score, word in zip(scores.tolist(), words, strict=True)
        ]
        second, first = np.argsort(np.array(totals, dtype=object))[-2:]
        feed(monkeypatch, module, HIGH, words)
        assert noisy_argmax(scores, factor, law) == first
        feed(monkeypatch, module, HIGH, words)
        assert noisy_argmax_with_lead(scores, factor, law, Fraction(1, 100)) == (
            first,
            floor((totals[first] - totals[second]) * 100),
        )


@pytest.mark.long
@pytest.mark.parametrize("law", ARGMAX_NOISES)
def test_the_error_of_the_noise_stays_within_its_bound(law: str) -> None:
    words = some(600, seed=4) + SPECIAL
    for sign in (0, 1):
        value, error = ARGMAX_NOISES[law][0](np.array(words), np.full(len(words), sign))
        worst = (Fraction(0), 0)
        for word, double, bound in zip(words, value.tolist(), error.tolist(), strict=True):
            if bound == np.inf:
                assert word <= 1 or word > (1 << 63) - (1 << 14)
                continue
            off = max(
                abs(Fraction(double) - noise(law, uniform(word, more), sign))
                for more in (LOW, HIGH)
            )
            worst = max(worst, (off / Fraction(bound), word))
        assert worst[0] <= 1, f"worst measured/bound {float(worst[0]):.6f} at word {worst[1]}"


@pytest.mark.parametrize("law", ARGMAX_NOISES)
def test_undecided_words_are_refined(monkeypatch: pytest.MonkeyPatch, law: str) -> None:
    for words in ([0, 0], [0, 1], [(1 << 63) - 1, 1], [(1 << 63) - 1] * 2):
        # Half a bit more for each of the two, in turn, so that no two are alike.
        feed(monkeypatch, module, HIGH, words)
        left = [1 << 62, 1 << 63, 3 << 62]
        monkeypatch.setattr(
            "hedgerow.numeric.samplers.lazy_uniform.draw_integer",
            lambda bits, left=left: left.append(left.pop(0)) or left[-1],
        )
        assert noisy_argmax(np.array([0.0, 0.0]), Fraction(1), law) in (0, 1)


def test_a_single_candidate_wins() -> None:
    assert noisy_argmax(np.array([3]), Fraction(1), "gumbel") == 0


def softmax() -> np.ndarray:
    weight = np.exp(SCORES * float(FACTOR))
    return weight / weight.sum()


def permute_and_flip() -> np.ndarray:
    """Return p_r int_0^1 prod_{j != r} (1 - p_j t) dt with p_j = exp(factor (score_j - best)).

    The integral of the polynomial is exact.
    """
    p = np.exp((SCORES - SCORES.max()) * float(FACTOR))

    def share(r: int) -> float:
        product = np.polynomial.Polynomial([1.0])
        for j in range(p.size):
            product *= np.polynomial.Polynomial([1.0, -p[j]]) if j != r else 1
        return float(p[r] * product.integ()(1.0))

    return np.array([share(r) for r in range(p.size)])


def report_noisy_max() -> np.ndarray:
    """Return int f(x - s_r) prod_{j != r} F(x - s_j) dx for Laplace noise."""
    s = SCORES * float(FACTOR)

    def below(z: np.ndarray) -> np.ndarray:
        return np.where(z < 0, 0.5 * np.exp(-np.abs(z)), 1 - 0.5 * np.exp(-np.abs(z)))

    def at(x: float, r: int) -> float:
        return float(0.5 * np.exp(-abs(x - s[r])) * np.prod(np.delete(below(x - s), r)))

    return np.array(
        [quad(at, -40, 40, args=(r,), points=s.tolist(), limit=200)[0] for r in range(s.size)]
    )


@pytest.mark.long
@pytest.mark.parametrize(
    ("law", "shares"),
    [("gumbel", softmax), ("exponential", permute_and_flip), ("laplace", report_noisy_max)],
)
def test_every_candidate_wins_with_its_probability(
    law: str, shares: Callable[[], np.ndarray]
) -> None:
    chances = shares()
    assert abs(chances.sum() - 1) < 1e-9
    won = np.bincount(
        [noisy_argmax(SCORES, FACTOR, law) for _ in range(8000)], minlength=SCORES.size
    )
    assert goodness.chi_square(won, chances) > ALARM
    assert goodness.chi_square(won, np.roll(chances, 1)) < ALARM
    first, _ = zip(
        *(noisy_argmax_with_lead(SCORES, FACTOR, law, Fraction(1)) for _ in range(600)), strict=True
    )
    assert goodness.chi_square(np.bincount(first, minlength=SCORES.size), chances) > ALARM


@pytest.mark.long
def test_a_weight_counts_as_that_number_of_candidates() -> None:
    weights = np.array([5, 1, 1, 2, 40])
    chances = softmax() * weights
    won = np.bincount(
        [noisy_argmax(SCORES, FACTOR, "gumbel", weights) for _ in range(8000)],
        minlength=SCORES.size,
    )
    assert goodness.chi_square(won, chances / chances.sum()) > ALARM
    assert goodness.chi_square(won, softmax()) < ALARM


@pytest.mark.parametrize("more", [LOW, HIGH])
def test_weighted_candidates_agree_for_the_same_bits(
    monkeypatch: pytest.MonkeyPatch, more: int
) -> None:
    words = some(60, seed=6)
    for first, second, size in zip(words[::2], words[1::2], some(30, seed=7), strict=True):
        weights = np.array([1, 1 + size])
        gap = (
            noise("gumbel", uniform(first, LOW), 0)
            - noise("gumbel", uniform(second, LOW), 0)
            - ln(Fraction(1 + size))
        )
        for score in (float(gap), np.nextafter(float(gap), np.inf)):
            totals = [
                noise("gumbel", uniform(first, more), 0),
                Fraction(score)
                + ln(Fraction(1 + size))
                + noise("gumbel", uniform(second, more), 0),
            ]
            feed(monkeypatch, module, more, [first, second])
            assert noisy_argmax(np.array([0.0, score]), Fraction(1), "gumbel", weights) == int(
                totals[1] > totals[0]
            )


def test_the_three_noises_differ() -> None:
    shares = np.stack([softmax(), permute_and_flip(), report_noisy_max()])
    assert min(np.abs(shares[i] - shares[j]).max() for i, j in ((0, 1), (0, 2), (1, 2))) > 0.02


@pytest.mark.long
def test_the_lead_of_exponential_noise_is_exponential() -> None:
    # |E - E'| is a standard exponential, so that its whole steps of 1/3 are geometric with rate
    # 1/3.
    leads = np.array(
        [
            noisy_argmax_with_lead(np.array([5, 5]), Fraction(1), "exponential", Fraction(1, 3))[1]
            for _ in range(1500)
        ]
    )
    assert goodness.p_value(leads, goodness.geometric(Fraction(3))) > ALARM
    assert goodness.p_value(leads, goodness.geometric(Fraction(5))) < ALARM


def test_many_candidates_are_processed_in_chunks() -> None:
    scores = np.zeros(20_000)
    scores[12_345] = 100.0
    assert noisy_argmax(scores, Fraction(1), "gumbel") == 12_345
    assert noisy_argmax_with_lead(scores, Fraction(1), "gumbel", Fraction(1))[0] == 12_345
    places = [noisy_argmax(np.zeros(20_000), Fraction(1), "exponential") for _ in range(400)]
    assert (
        goodness.chi_square(np.bincount(np.array(places) // 5000, minlength=4), np.full(4, 0.25))
        > ALARM
    )


def test_scores_far_apart_are_exact_where_doubles_are_not() -> None:
    # 2^53 + 1 is no double: read as one it would tie with 2^53. Noise of a billionth cannot bridge
    # a gap of 1.
    scores = np.array([1 << 53, (1 << 53) + 1])
    assert [noisy_argmax(scores, Fraction(10**9), "exponential") for _ in range(50)] == [1] * 50
