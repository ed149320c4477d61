"""Sensitivity: bounds on the move of the answer vector that one unit can cause.

Let d be the difference of the answers to two neighbouring data sets. Four bounds on d, each tracked
separately, because none follows from the others without loss:

* ``l0``: the number of cells that move,
* ``linf``: the largest move of one cell,
* ``l1``: the total move, sum |d_i|,
* ``l2_squared``: sum d_i^2, exact where its root would not be.

A sum and its mirror image (sum y, sum (1 - y)) with y in [0, 1] show why: l0 = 2 and linf = 1, but
l1 = 1 and l2 = 1; with bounds computed from l0 and linf, the noise would double.

All bounds are exact rationals. Bounds that no vector can attain together are refused: they are a
mistake, and if l2 is too small they are a leak. Zero is refused too: a question that no unit moves
needs no privacy, and a bound of zero usually means that the bound was forgotten.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number, parse_positive, parse_whole
from hedgerow.numeric.rounding import sqrt_up

__all__ = ["LocalSensitivity", "Sensitivity"]


class LocalSensitivity(Fraction):
    """The move that one neighbour of *these* data can cause: private, and never a scale of noise.

    It is offered for study. Converted to other units it keeps this type.
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
        self._check_norms()

    def _check_norms(self) -> None:
        l0, linf, l1, squares = self.l0, self.linf, self.l1, self.l2_squared
        if not linf <= l1 <= l0 * linf:
            raise InvalidArgument(
                "l1", f"must lie between linf = {linf} and l0 * linf = {l0 * linf}", l1
            )
        # the last is the Cauchy-Schwarz inequality
        if not linf**2 <= squares <= l1 * linf or l1**2 > l0 * squares:
            raise InvalidArgument(
                "l2_squared",
                f"must be at least linf^2 = {linf**2} and l1^2 / l0 = {l1**2 / l0}, and at most"
                f" l1 * linf = {l1 * linf}",
                squares,
            )

    @classmethod
    def of(cls, value: Number | Sensitivity | None) -> Sensitivity:
        """Return the sensitivity of one number that moves by at most ``value``.

        A Sensitivity is returned unchanged; None is refused as a missing parameter.
        """
        if value is None:
            raise InvalidArgument(
                "sensitivity",
                "must be given: the largest move of the answer that one unit can cause",
                value,
            )
        if isinstance(value, Sensitivity):
            return value
        move = _parse_norm(value, "sensitivity")
        return cls(1, move, move, move**2)

    @classmethod
    def each(cls, cells: int, linf: Number) -> Sensitivity:
        """Return the sensitivity of ``cells`` numbers that each move by ``linf``, independently."""
        count, move = parse_whole(cells, "cells"), _parse_norm(linf, "linf")
        return cls(count, move, count * move, count * move**2)

    @property
    def l2(self) -> Fraction:
        """The root of ``l2_squared``, rounded up."""
        return sqrt_up(self.l2_squared)

    def __add__(self, other: Sensitivity) -> Sensitivity:
        """Return the sensitivity of both answer vectors together: the same unit may move both."""
        if not isinstance(other, Sensitivity):
            return NotImplemented
        return Sensitivity(
            self.l0 + other.l0,
            max(self.linf, other.linf),
            self.l1 + other.l1,
            self.l2_squared + other.l2_squared,
        )

    def group(self, k: int) -> Sensitivity:
        """Return the sensitivity to k units together, by the triangle inequality for each norm.

        They may all move one cell, or k times as many cells.
        """
        k = parse_whole(k, "k")
        return Sensitivity(self.l0 * k, self.linf * k, self.l1 * k, self.l2_squared * k**2)


def _parse_norm(value: object, argument: str) -> Fraction:
    if isinstance(value, LocalSensitivity):
        raise Refused(
            "Noise scaled to local sensitivity is not private: a neighbouring data set may have a"
            " far larger one, and the size of the noise would tell the two apart. Use smooth"
            " sensitivity, or the global sensitivity."
        )
    return parse_positive(value, argument)
