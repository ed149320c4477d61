"""The number of rows, or of those that pass a filter.

Without a filter and under change-one it is public and never moves: its sensitivities are 0, and no other number can be had. Otherwise one
row more or less is always one step away (of at least one row), so the local sensitivity is 1 everywhere and so is the smooth one, and z
is |z - n| rows away.
"""

from __future__ import annotations

from collections.abc import Sized
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.chunk import Integers
from hedgerow.numeric.number import Number
from hedgerow.privacy.sensitivity import Local
from hedgerow.statistics.decay import check_beta
from hedgerow.statistics.moves import Moves

__all__ = ["Count"]


class Count(Moves):
    """The count under one neighbour relation: of what is left when the filter, if there is one, has been applied."""

    __slots__ = ()

    def value(self, rows: Sized) -> int:
        """The count itself: exact, and therefore not for release."""
        return len(rows)

    def local(self, _: Sized) -> Local:
        """How far one neighbour moves the count: the same for all data."""
        return Local(int(self.come_and_go))

    def smooth(self, rows: Sized, beta: Number) -> Fraction:
        """The beta-smooth sensitivity, for any beta."""
        check_beta(beta)
        return Fraction(self.local(rows))

    def lengths(self, rows: Sized, candidates: Any) -> Integers:
        """For each candidate, how many rows must change before it is the count."""
        wanted = np.asarray(candidates, dtype=np.int64)
        if not self.come_and_go and np.any(wanted != len(rows)):
            raise InvalidArgument("candidates", "must be the number of rows, which is public under change-one without a filter")
        if np.any(wanted < 0):
            raise InvalidArgument("candidates", "must be 0 or more")
        return np.abs(wanted - len(rows))
