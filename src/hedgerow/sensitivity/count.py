"""The number of rows, or of those that pass a filter.

Without a filter and under change-one it is public and never moves: its sensitivities are 0, and no
other number can be had. Otherwise one row more or less is always one step away (of at least one
row), so the local sensitivity is 1 everywhere and so is the smooth one, and z is |z - n| rows away.
"""

from __future__ import annotations

from collections.abc import Sized
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.numeric.vectorised import Integers
from hedgerow.privacy.sensitivity import LocalSensitivity
from hedgerow.sensitivity.neighbour_moves import NeighbourMoves
from hedgerow.sensitivity.smooth_weights import check_beta

__all__ = ["Count"]


class Count(NeighbourMoves):
    """The count under one neighbour relation: of what is left when the filter, if there is one,
    has been applied.
    """

    __slots__ = ()

    def value(self, rows: Sized) -> int:
        """The count itself: exact, and therefore not for release."""
        return len(rows)

    def local_sensitivity(self, _: Sized) -> LocalSensitivity:
        """How far one neighbour moves the count: the same for all data."""
        return LocalSensitivity(int(self.can_come_and_go))

    def smooth_sensitivity(self, rows: Sized, beta: Number) -> Fraction:
        """The beta-smooth sensitivity, for any beta."""
        check_beta(beta)
        return Fraction(self.local_sensitivity(rows))

    def inverse_lengths(self, rows: Sized, candidates: Any) -> Integers:
        """For each candidate, how many rows must change before it is the count."""
        wanted = np.asarray(candidates, dtype=np.int64)
        if not self.can_come_and_go and np.any(wanted != len(rows)):
            raise InvalidArgument(
                "candidates",
                "must be the number of rows, which is public under change-one without a filter",
            )
        if np.any(wanted < 0):
            raise InvalidArgument("candidates", "must be 0 or more")
        return np.abs(wanted - len(rows))
