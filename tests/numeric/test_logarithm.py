"""The logarithm stays within its bound, against 40 digits; a slightly wrong kernel is caught."""

from __future__ import annotations

import random
from decimal import Context, Decimal
from fractions import Fraction
from math import ldexp

import numpy as np
import pytest

from hedgerow.numeric import logarithm
from hedgerow.numeric.logarithm import EXPONENTIAL_ERROR, log, standard_exponential
from numeric.helpers_chosen_bits import SPECIAL, some

FINE = Context(prec=45)
STEP = Decimal(2) ** -52


def doubles() -> np.ndarray:
    """Return normal doubles of all sizes, around powers of two, around 1, and at both ends of
    cells.
    """
    source = random.Random(7)
    anywhere = [
        ldexp(
            1 + source.random(),
            source.choice((0, -1, -2, -10, -63, 5, source.randrange(-1022, 1023))),
        )
        for _ in range(6000)
    ]
    edges = [ldexp(1 + cell / 1024, power) for cell in range(0, 1024, 3) for power in (0, -1, -40)]
    powers = [ldexp(1.0, power) for power in range(-1021, 1023, 7)]
    near_one = [1 + sign * 2.0**-bit for sign in (-1, 1) for bit in range(1, 53)]
    around = np.array([*edges, *powers, *near_one])
    return np.concatenate(
        [anywhere, around, np.nextafter(around, 0.0), np.nextafter(around, np.inf)]
    )


def worst_of_log(x: np.ndarray) -> tuple[Decimal, float]:
    """Return the largest |y - ln x| / ((1.5 |e| + 1) 2^-52), and its place."""
    y, exponent = log(x.copy())
    found = (
        (abs(Decimal(value) - FINE.ln(Decimal(at))) / ((Decimal("1.5") * abs(e) + 1) * STEP), at)
        for value, e, at in zip(y.tolist(), exponent.tolist(), x.tolist(), strict=True)
    )
    return max(found)


def test_log_stays_within_its_bound() -> None:
    x = doubles()
    assert x.size >= 9000
    worst, at = worst_of_log(x)
    assert worst <= 1, f"worst measured/bound {worst:.3f} at {at!r}"
    assert worst > Decimal("0.3"), (
        f"worst measured/bound {worst:.3f}: the inputs do not try the bound"
    )


def test_log_returns_the_binary_exponent() -> None:
    x = np.array([1.0, 1.999, 2.0, 0.5, 0.499, 2.0**-1022, 1e300])
    assert log(x)[1].tolist() == [0, 0, 1, -1, -2, -1022, 996]


@pytest.mark.long
@pytest.mark.parametrize("name", ["_LOG_TABLE", "_INVERSE_TABLE", "_LOG_TWO"])
def test_a_kernel_that_is_a_little_wrong_is_caught(
    monkeypatch: pytest.MonkeyPatch, name: str
) -> None:
    # Two units in the last place of ln t and of ln 2; and 2^-40 of 1/t, which only the small rest
    # is multiplied by.
    wrong = {
        "_LOG_TABLE": logarithm._LOG_TABLE + 2.0**-52,
        "_INVERSE_TABLE": logarithm._INVERSE_TABLE * (1 + 2.0**-40),
        "_LOG_TWO": logarithm._LOG_TWO + 2.0**-52,
    }
    monkeypatch.setattr(logarithm, name, wrong[name])
    worst, at = worst_of_log(doubles())
    assert worst > 1, f"worst measured/bound {worst:.3f} at {at!r}"


def words() -> list[int]:
    return (
        some(9800, seed=11)
        + SPECIAL
        + [w for k in range(1, 63) for w in ((1 << k) - 1, 1 << k, (1 << k) + (1 << k >> 53) + 1)]
    )


@pytest.mark.long
def test_exponential_stays_within_its_bound_whatever_the_unseen_bits() -> None:
    chosen = [word for word in words() if word < 1 << 63]
    y, k = standard_exponential(np.array(chosen, dtype=np.int64))
    worst, worst_seen = (Decimal(0), 0), (Decimal(0), 0)
    for word, value, place in zip(chosen, y.tolist(), k.tolist(), strict=True):
        bound = EXPONENTIAL_ERROR[place]
        if bound == np.inf:
            assert word in (0, 1)
            continue
        off = [
            abs(Decimal(value) + FINE.ln(FINE.divide(Decimal(end), Decimal(1 << 63))))
            for end in (word, word + 1)
        ]
        worst = max(worst, (max(off) / Decimal(float(bound)), word))
        worst_seen = max(worst_seen, (off[0] / (Decimal("1.5") * (place + 1) * STEP), word))
    assert worst[0] <= 1, f"worst measured/bound {worst[0]:.6f} at word {worst[1]}"
    assert worst_seen[0] <= 1, (
        f"the share of rounding: worst measured/bound {worst_seen[0]:.3f} at word {worst_seen[1]}"
    )
    assert worst_seen[0] > Decimal("0.3")


def test_k_brackets_the_uniform() -> None:
    chosen = np.array([word for word in words() if word < 1 << 63], dtype=np.int64)
    _, k = standard_exponential(chosen)
    for word, place in zip(chosen.tolist(), k.tolist(), strict=True):
        assert 0 <= place <= 63
        # up to the rounding of U to a double, which may lift it to the next power of two
        assert (
            Fraction(1, 1 << place) * (1 - Fraction(1, 1 << 53))
            <= Fraction(max(word, 1), 1 << 63)
            < Fraction(2, 1 << place)
        )


def test_words_0_and_1_have_no_bound() -> None:
    assert np.isinf(EXPONENTIAL_ERROR[63:]).all()
    assert np.isfinite(EXPONENTIAL_ERROR[:63]).all()
    assert (np.diff(EXPONENTIAL_ERROR[:63]) > 0).all()
    assert standard_exponential(np.array([0, 1]))[1].tolist() == [63, 63]


def test_the_tables_are_rounded_to_half_an_ulp() -> None:
    for i in (0, 1, 2, 500, 1022, 1023):
        t = Fraction(2049 + 2 * i, 2048)
        exact = FINE.ln(FINE.divide(Decimal(t.numerator), Decimal(t.denominator)))
        assert abs(Decimal(float(logarithm._LOG_TABLE[i])) - exact) <= Decimal(2) ** -54
        assert abs(Fraction(float(logarithm._INVERSE_TABLE[i])) * t - 1) <= Fraction(1, 1 << 53)
    assert abs(Decimal(float(logarithm._LOG_TWO)) - FINE.ln(Decimal(2))) <= Decimal(2) ** -54
