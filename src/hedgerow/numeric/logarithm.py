"""A logarithm of arrays with a proved error bound.

numpy's ``log`` is accurate in practice, but promises no bound, and its code changes with the
processor. Exact sampling needs a provable bound. So this logarithm uses only operations that IEEE
754 rounds correctly (+, -, *, and shifts of the bit pattern), one numpy call each, so that no
compiler can fuse them.

**Symbols.**

| symbol | meaning |
|---|---|
| m, e | mantissa and exponent of x = m 2^e, 1 <= m < 2 |
| i | the top ten fraction bits of m: the number of its table cell |
| t | 1 + (i + 1/2)/1024, the middle of the cell |
| s | (m - t)/t, at most 2^-11 in size |

**Statement.** For normal x, ``log(x)`` returns (y, e) with |y - ln x| <= (1.5 |e| + 1) 2^-52.

**Proof.** ln x = e ln 2 + ln t + ln(1 + s). m - t is exact (both are multiples of 2^-52 and closer
than 2^-10). With the rounded reciprocal, |error of s| <= 2^-11 2^-52. The polynomial s - s^2/2 +
s^3/3 - s^4/4 leaves a remainder of |s|^5/5 (1 + 2^-10) < 2^-57, and its own rounding stays below
2^-61. The product e ln 2 has two errors: the rounded constant, |e| 2^-54, and the rounding of the
product, |e| 0.694 2^-53. The table of ln t is rounded to half an ulp, 2^-54. The two additions
round results of at most 0.694 (|e| + 1), which adds 2^-53 times that each. Sum: |e| (0.5 + 3 *
0.694) 2^-53 + (0.5 + 1.39 + 0.1) 2^-53 < (1.5 |e| + 1) 2^-52. QED.

The tables are computed from integers: ln((m+1)/(m-1)) = 2 artanh(1/m) is summed in fixed point with
steps of 2^-120.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

__all__ = ["EXPONENTIAL_ERROR", "log", "standard_exponential"]

Floats = NDArray[np.float64]
Integers = NDArray[np.int64]

_TABLE_CELLS = 1024
_FRACTION_BITS = 120
_ONE = np.int64(0x3FF0000000000000)
_MANTISSA = np.int64(0x000FFFFFFFFFFFFF)
_TOP_TEN = np.int64(0x000FFC0000000000)
_MIDDLE = np.int64(0x3FF0020000000000)


def _log_ratio(m: int) -> int:
    """Return ln((m+1)/(m-1)) = 2 artanh(1/m) in steps of 2^-120.

    The result is off by less than a dozen steps for m >= 2049.
    """
    term, total, k = (2 << _FRACTION_BITS) // m, 0, 1
    while term:
        total += term // k
        term //= m * m
        k += 2
    return total


def _build_tables() -> tuple[Floats, Floats, np.float64]:
    """Return 1/t and ln t for the cell middles t = (2049 + 2i)/2048, and ln 2.

    Each is rounded to half an ulp.
    """
    logs = [_log_ratio(4097)]
    for i in range(1, _TABLE_CELLS):
        logs.append(logs[-1] + _log_ratio(2048 + 2 * i))
    two = logs[-1] + _log_ratio(8191)
    inverse = [2048 / (2049 + 2 * i) for i in range(_TABLE_CELLS)]
    return (
        np.array(inverse),
        np.array([x / (1 << _FRACTION_BITS) for x in logs]),
        np.float64(two / (1 << _FRACTION_BITS)),
    )


_INVERSE_TABLE, _LOG_TABLE, _LOG_TWO = _build_tables()


def log(x: Floats) -> tuple[Floats, Integers]:
    """Return ln x and the binary exponent of x, for normal x > 0, with the error bound above."""
    bits = x.view(np.int64)
    exponent = bits >> 52
    exponent -= 1023
    cell = bits >> 42
    cell &= _TABLE_CELLS - 1
    middle = bits & _TOP_TEN
    middle |= _MIDDLE
    mantissa = bits & _MANTISSA
    mantissa |= _ONE
    s = mantissa.view(np.float64)
    s -= middle.view(np.float64)
    s *= _INVERSE_TABLE.take(cell)
    p = s * -0.25
    p += 1 / 3
    p *= s
    p -= 0.5
    p *= s
    p += 1.0
    p *= s
    y = exponent.astype(np.float64)
    y *= _LOG_TWO
    y += _LOG_TABLE.take(cell)
    y += p
    return y, exponent


def standard_exponential(word: Integers) -> tuple[Floats, Integers]:
    """Return a standard exponential E = -ln U for each word, and k with 2^-k <= U < 2^(1-k).

    ``word`` holds the leading 63 bits of the uniform U. |returned - E| <= EXPONENTIAL_ERROR[k],
    whatever the remaining bits of U are.
    """
    # U lies in [w, w+1] 2^-63; the conversion has a relative error of at most 2^-53, and scaling
    # by a power of two is exact
    u = np.maximum(word, 1).astype(np.float64)
    u *= 2.0**-63
    y, exponent = log(u)
    np.negative(y, out=y)
    np.negative(exponent, out=exponent)
    return y, exponent


def _build_exponential_error() -> Floats:
    """Return the error bound by k: logarithm, rounding of U to a double, and unseen bits.

    The unseen bits contribute 1/w <= 2^(k-63). The words 0 and 1 carry no information: infinity.
    """
    k = np.arange(65, dtype=np.float64)
    error = (1.5 * k + 1.5) * 2.0**-52 + 2.0 ** (k - 63)
    error[63:] = np.inf
    return error


EXPONENTIAL_ERROR = _build_exponential_error()
