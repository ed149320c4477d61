"""Linear combinations of answers with exact coefficients, and groups of atoms as arrays."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

__all__ = ["Combination", "Terms", "round_coefficients", "stack_columns", "unpack_bits"]

_MAX_DENOMINATOR: Final = 48

# the place of each answer, with the coefficient that it is multiplied by
Terms = tuple[tuple[int, Fraction], ...]


@dataclass(frozen=True, slots=True)
class Combination:
    """A combination of answers, and the upper bound that it proves."""

    terms: Terms
    upper_bound: Fraction


def unpack_bits(bits: int, atoms: int) -> Any:
    """Return bits as an array of 0 and 1."""
    raw = np.frombuffer(bits.to_bytes((atoms + 7) // 8 or 1, "little"), dtype=np.uint8)
    return np.unpackbits(raw, bitorder="little")[:atoms].astype(np.int64)


def round_coefficients(coefficients: Any, places: Sequence[int]) -> Terms:
    """Return the coefficients as fractions of small denominators, without those that are 0."""
    terms = []
    for place, value in zip(places, coefficients.tolist(), strict=True):
        coefficient = Fraction(value).limit_denominator(_MAX_DENOMINATOR)
        if coefficient:
            terms.append((place, coefficient))
    return tuple(terms)


def stack_columns(left: Any, right: Any) -> Any:
    """Return two sparse matrices side by side."""
    from scipy.sparse import hstack

    return hstack([left, right], format="csr")
