"""Input that every mechanism must refuse."""

from __future__ import annotations

from decimal import Decimal
from fractions import Fraction
from math import inf, nan
from numbers import Number

import numpy as np

NO_NUMBERS = (
    nan,
    inf,
    -inf,
    True,
    np.True_,
    "1",
    None,
    1j,
    [1.0],
    Decimal("NaN"),
    Decimal("Infinity"),
    np.float64("nan"),
)
NOT_POSITIVE = (0, 0.0, -0.0, -1, Fraction(-1, 2), np.int64(0))

EPSILONS = (
    *NO_NUMBERS,
    *NOT_POSITIVE,
    1e-320,
    float("1e400"),
    Decimal("1e400"),
    10**400,
    10_001,
    1e-13,
)
DELTAS = (
    *NO_NUMBERS,
    *NOT_POSITIVE,
    1e-320,
    float("1e400"),
    Decimal("1e400"),
    1,
    1.5,
    Decimal("1e-101"),
)
SENSITIVITIES = (*NO_NUMBERS, *NOT_POSITIVE)
LEVELS = (*NO_NUMBERS, *NOT_POSITIVE, 1, 1.5)

SECRET = 74311
ARRAYS = {
    "empty list": [],
    "empty array": np.array([]),
    "empty table": np.zeros((0, 3), dtype=np.int64),
    "NaN": [nan, SECRET + 0.5],
    "infinity": np.array([SECRET + 0.5, inf]),
    "None": [SECRET, None],
    "text": [f"x{SECRET}", "y"],
    "bytes": np.array([f"x{SECRET}".encode()]),
    "booleans": np.array([True, False, True]),
    "complex": np.array([SECRET + 1j]),
    "fractions": [Fraction(SECRET, 7)],
    "2^63": [2**63],
    "2^63 in an array": np.array([2**63], dtype=np.uint64),
    "2^63 beside a negative": [2**63 + SECRET, -1],
    "2^64": [2**64 + SECRET],
    "10^400": [10**400 + SECRET],
    "10^400 beside a real": [10**400 + SECRET, 0.5],
    "unsigned": np.array([SECRET], dtype=np.uint64),
    "long doubles": np.array([SECRET], dtype=np.longdouble),
    "dates": np.array(["2026-11-15"], dtype="datetime64[D]"),
    "ragged": [[SECRET], [1, 2]],
    "masked": np.ma.array([SECRET, 2], mask=[True, False]),
}
"""Data no mechanism takes. Booleans are for randomised response alone, which leaves them out."""


def name(value: object) -> str:
    return f"{type(value).__name__} {str(value)[:12]}"


def shown(value: object) -> str:
    """Return how a message shows a value, or how that begins."""
    if isinstance(value, Fraction):
        return f"{float(value):g}"
    return (str(value) if isinstance(value, Number) else repr(value))[:20]
