"""Exact numbers c1 e^a1 + … + cn e^an with rational c and a, the arithmetic of privacy statements
about finite mechanisms.

p <= e^epsilon q + delta compares rationals with e^epsilon, which is irrational if epsilon is a
rational other than 0. Every such comparison is *decided* here, not estimated.

**Unique form.** By the theorem of Lindemann and Weierstrass, the exponentials of distinct rationals
are linearly independent over the rationals. So with distinct exponents and without coefficients 0
every number has one form only: two sums are equal if and only if their terms are, and only the
empty sum is 0.

**Sign.** A sum that is not empty is not 0. Rigorous bounds of growing precision converge to it, so
that at some step both are on the same side of 0: the search ends, and its answer is certain. Order
is the sign of a difference.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache, total_ordering

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.numeric.rounding import DIGITS, exp_down, exp_up

__all__ = ["ExponentialSum", "parse_probability", "round_to_double", "sum_fractions"]

Interval = tuple[Fraction, Fraction]


@total_ordering
@dataclass(frozen=True, slots=True, eq=False, repr=False)
class ExponentialSum:
    """The sum of c e^a over ``terms``, pairs (a, c), with exact arithmetic and comparisons, also
    with numbers.
    """

    terms: tuple[tuple[Fraction, Fraction], ...] = ()

    def __post_init__(self) -> None:
        collected: defaultdict[Fraction, Fraction] = defaultdict(Fraction)
        for exponent, coefficient in self.terms:
            collected[exponent] += coefficient
        object.__setattr__(self, "terms", tuple(sorted((a, c) for a, c in collected.items() if c)))

    @classmethod
    def of(cls, value: ExponentialSum | Number) -> ExponentialSum:
        """Convert a number to an exponential sum."""
        return (
            value
            if isinstance(value, ExponentialSum)
            else cls(((Fraction(0), parse_exact(value, "number")),))
        )

    @property
    def rational(self) -> Fraction | None:
        """The value as a fraction; None if it is irrational."""
        if not self.terms:
            return Fraction(0)
        exponent, coefficient = self.terms[0]
        return coefficient if len(self.terms) == 1 and not exponent else None

    def bounds(self, digits: int = DIGITS) -> tuple[Fraction, Fraction]:
        """Return the ends of an interval that contains the value, equal if it is rational."""
        low = high = Fraction(0)
        for exponent, coefficient in self.terms:
            ends = [coefficient * end for end in _exp_bounds(exponent, digits)]
            low, high = low + min(ends), high + max(ends)
        return low, high

    def sign(self) -> int:
        """Return -1, 0 or 1."""
        if not self.terms:
            return 0
        low = next(low for low, high in _refine(self.bounds) if low > 0 or high < 0)
        return 1 if low > 0 else -1

    def __add__(self, other: ExponentialSum | Number) -> ExponentialSum:
        return ExponentialSum(self.terms + ExponentialSum.of(other).terms)

    def __mul__(self, other: ExponentialSum | Number) -> ExponentialSum:
        return ExponentialSum(
            tuple((a + b, c * d) for a, c in self.terms for b, d in ExponentialSum.of(other).terms)
        )

    def __neg__(self) -> ExponentialSum:
        return ExponentialSum(tuple((a, -c) for a, c in self.terms))

    def __sub__(self, other: ExponentialSum | Number) -> ExponentialSum:
        return self + -ExponentialSum.of(other)

    def __rsub__(self, other: Number) -> ExponentialSum:
        return ExponentialSum.of(other) - self

    __radd__ = __add__
    __rmul__ = __mul__

    def __eq__(self, other: object) -> bool:
        if isinstance(other, ExponentialSum):
            return self.terms == other.terms
        try:
            return self.terms == ExponentialSum.of(other).terms  # type: ignore[arg-type]
        except InvalidArgument:
            return NotImplemented

    # Equal to 0.1 and to Fraction(1, 10), which hash differently.
    __hash__ = None  # type: ignore[assignment]

    def __lt__(self, other: ExponentialSum | Number) -> bool:
        return (self - other).sign() < 0

    def __float__(self) -> float:
        return round_to_double(self.bounds)

    def __repr__(self) -> str:
        return " + ".join(_format_term(a, c) for a, c in self.terms).replace("+ -", "- ") or "0"


def _refine(bounds: Callable[[int], Interval]) -> Iterator[Interval]:
    """Yield bounds of growing precision."""
    digits = DIGITS
    while True:
        yield bounds(digits)
        digits *= 2


def round_to_double(bounds: Callable[[int], Interval]) -> float:
    """Round to the nearest double: an irrational value is never a tie, so close enough bounds round
    to the same double.
    """
    return float(next(low for low, high in _refine(bounds) if float(low) == float(high)))


@lru_cache(maxsize=1024)
def _exp_bounds(exponent: Fraction, digits: int) -> tuple[Fraction, Fraction]:
    if not exponent:
        return Fraction(1), Fraction(1)
    return exp_down(exponent, digits), exp_up(exponent, digits)


def _format_term(exponent: Fraction, coefficient: Fraction) -> str:
    return f"{coefficient} e^({exponent})" if exponent else str(coefficient)


def parse_probability(value: object, argument: str) -> Fraction:
    """Parse an exact number from 0 to 1."""
    number = parse_exact(value, argument)
    if not 0 <= number <= 1:
        raise InvalidArgument(argument, "must lie between 0 and 1", value)
    return number


def sum_fractions(values: Iterable[Fraction]) -> Fraction:
    """Sum as a fraction, also if there are no values."""
    return sum(values, Fraction(0))
