"""How far one unit can move the vector of answers.

Let d be the difference of the answers to two neighbouring data sets. Four bounds on d, each carried
on its own, because none follows from the others without loss:

* ``l0``          the number of cells that move,
* ``linf``        how far one cell moves,
* ``l1``          how far the cells move together, sum |d_i|,
* ``l2_squared``  sum d_i^2, exact where the root would not be.

A sum and its mirror image (sum y, sum (1 - y)) with y in [0, 1] show why: l0 = 2 and linf = 1, but
l1 = 1 and l2 = 1; computed from l0 and linf, the noise would double.

Everything is an exact rational. Bounds that no vector could reach together are refused: they are a
mistake, and when l2 is the one that is too small they are a leak. Zero is refused too, since a
question that nobody moves needs no privacy and a bound of zero is nearly always a bound that was
forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number, parse_positive, parse_whole
from hedgerow.numeric.rounding import sqrt_up

__all__ = ["LocalSensitivity", "Sensitivity"]


class LocalSensitivity(Fraction):
    """How far one neighbour moves an answer away from *these* data: a private number, for study,
    and never the scale of noise.

    Put into other units it stays what it is.
    """

    __slots__ = ()

    def __mul__(self, other: int | Fraction) -> LocalSensitivity:  # type: ignore[override]
        return LocalSensitivity(Fraction(self) * other)

    __rmul__ = __mul__  # type: ignore[assignment]


@dataclass(frozen=True, slots=True)
class Sensitivity:
    """Bounds on the move of an answer vector between neighbours."""

    l0: int
    linf: Fraction
    l1: Fraction
    l2_squared: Fraction

    def __init__(self, l0: int, linf: Number, l1: Number, l2_squared: Number) -> None:
        object.__setattr__(self, "l0", parse_whole(l0, "l0"))
        for name, move in (("linf", linf), ("l1", l1), ("l2_squared", l2_squared)):
            object.__setattr__(self, name, _parse_norm(move, name))
        self._check_norms(self.l0, self.linf, self.l1, self.l2_squared)

    @staticmethod
    def _check_norms(l0: int, linf: Fraction, l1: Fraction, l2_squared: Fraction) -> None:
        if not linf <= l1 <= l0 * linf:
            raise InvalidArgument(
                "l1", f"must lie between linf = {linf} and l0 * linf = {l0 * linf}", l1
            )
        if not linf**2 <= l2_squared <= l1 * linf:
            raise InvalidArgument(
                "l2_squared",
                f"must lie between linf^2 = {linf**2} and l1 * linf = {l1 * linf}",
                l2_squared,
            )
        if l1**2 > l0 * l2_squared:  # Cauchy and Schwarz
            raise InvalidArgument(
                "l2_squared", f"must be at least l1^2 / l0 = {l1**2 / l0}", l2_squared
            )

    @classmethod
    def of(cls, value: Number | Sensitivity | None) -> Sensitivity:
        """The sensitivity of one number that moves by at most ``value``; a Sensitivity stays
        what it is, None is what was forgotten.
        """
        if value is None:
            raise InvalidArgument(
                "sensitivity", "must be given: how far one unit moves the answer at most", value
            )
        if isinstance(value, Sensitivity):
            return value
        move = _parse_norm(value, "sensitivity")
        return cls(1, move, move, move**2)

    @classmethod
    def each(cls, cells: int, linf: Number) -> Sensitivity:
        """``cells`` numbers may move, each by ``linf``, independently of each other."""
        count, move = parse_whole(cells, "cells"), _parse_norm(linf, "linf")
        return cls(count, move, count * move, count * move**2)

    @property
    def l2(self) -> Fraction:
        """The root of ``l2_squared``, rounded up."""
        return sqrt_up(self.l2_squared)

    def __add__(self, other: Sensitivity) -> Sensitivity:
        """The two answer vectors stacked into one: the same unit may move both."""
        if not isinstance(other, Sensitivity):
            return NotImplemented
        return Sensitivity(
            self.l0 + other.l0,
            max(self.linf, other.linf),
            self.l1 + other.l1,
            self.l2_squared + other.l2_squared,
        )

    def group(self, k: int) -> Sensitivity:
        """k units move together: the triangle inequality for each norm. They may meet in one
        cell or touch k times as many.
        """
        k = parse_whole(k, "k")
        return Sensitivity(self.l0 * k, self.linf * k, self.l1 * k, self.l2_squared * k**2)


def _parse_norm(value: object, argument: str) -> Fraction:
    if isinstance(value, LocalSensitivity):
        raise Refused(
            "Noise scaled to local sensitivity is not private: a neighbour may have a far larger"
            " one, and then the size of the noise tells the two apart; use smooth(...), or the"
            " global sensitivity."
        )
    return parse_positive(value, argument)
