"""The number of rows, or of those that pass a filter.

Without a filter and under change-one it is public and never moves: its sensitivities are 0, and no
other count can be reached. Otherwise a count one higher or lower is always one step away (from at
least one row), so the local and the smooth sensitivity are 1 everywhere, and z is |z - n| rows
away.
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
    """The number of rows that pass the filter, if there is one, under one neighbour relation."""

    __slots__ = ()

    def value(self, rows: Sized) -> int:
        """Return the exact count, which must not be released."""
        return len(rows)

    def local_sensitivity(self, _: Sized) -> LocalSensitivity:
        """Return the move of the count to a neighbour: the same for all data."""
        return LocalSensitivity(int(self.can_come_and_go))

    def smooth_sensitivity(self, rows: Sized, beta: Number) -> Fraction:
        """Return the beta-smooth sensitivity, for any beta."""
        check_beta(beta)
        return Fraction(self.local_sensitivity(rows))

    def inverse_lengths(self, rows: Sized, candidates: Any) -> Integers:
        """Return for each candidate count the number of rows that must change for it."""
        wanted = np.asarray(candidates, dtype=np.int64)
        if not self.can_come_and_go and np.any(wanted != len(rows)):
            raise InvalidArgument(
                "candidates",
                "must be the number of rows, which is public under change-one without a filter",
            )
        if np.any(wanted < 0):
            raise InvalidArgument("candidates", "must be 0 or more")
        return np.abs(wanted - len(rows))
