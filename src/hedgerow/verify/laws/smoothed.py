"""Small worlds for mechanisms of shape smooth: all that beta-smoothness allows, at its ends.

Between neighbours S changes by a factor of at most e^beta, and the answer by at most the smaller of the two S, since each of them bounds
the local sensitivity on its side. So the pairs are: S alone changes, the answer alone moves, and both; along a chain for several units. Of
several numbers one takes the whole move, or all take equal parts.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from math import exp
from typing import Any

import numpy as np

from hedgerow.numeric.chunk import Floats, Integers
from hedgerow.verify.laws.case import Case
from hedgerow.verify.laws.masses import Masses, points
from hedgerow.verify.laws.shifts import at, joined
from hedgerow.verify.laws.worlds import Neighbours, Pair, Place, World, astray, both

__all__ = ["around", "dimension", "given", "world"]

_SHARES = (1.0, 0.2)  # of the largest smooth sensitivity
_HAIR = 1 - 1e-12  # so that doubles do not stretch by more than beta


def dimension(case: Case) -> int:
    """How many numbers a mechanism answers at once."""
    return int(getattr(case.mechanism, "dimension", 1))


def given(case: Case, exact: float) -> Any:
    """An exact answer as the mechanism takes it: a number, or the same number in every cell."""
    return exact if dimension(case) == 1 else np.full(dimension(case), exact)


def _log(case: Case, steps: Integers, exact: float, smooth: float) -> Floats:
    """Logarithms of the probabilities of all steps, several in a row where the mechanism takes so many at once."""
    cells = dimension(case)
    filled = np.append(steps, np.zeros(-steps.size % cells, dtype=np.int64))
    outputs = np.asarray(at(case, filled))
    found = case.mechanism.log_prob(outputs if cells == 1 else outputs.reshape(-1, cells), given(case, exact), smooth)
    return np.asarray(found).ravel()[: steps.size]


def _points(*centres: int) -> Integers:
    """Fewer than for additive noise: these laws are smooth, and their log_prob is dear and far out not exact."""
    return points(*centres, dense=1 << 10, growth=1 + 2.0**-8, farthest=2.0**36)


@lru_cache(maxsize=8)
def around(case: Case, smooth: float) -> Masses:
    """The law of one cell around the answer 0, in grid steps."""
    return Masses.of(_points(0), _log(case, _points(0), 0.0, smooth))


def world(case: Case) -> World:
    """The pairs above; places at the largest smooth sensitivity and at a fifth of it."""
    places = []
    for share in _SHARES:
        smooth = share * float(case.mechanism.bound)
        words = f"the answer 0 with the smooth sensitivity {smooth:g}"
        places.append(Place(words, lambda s=smooth: case.mechanism.sample(given(case, 0.0), s), _coder(case), around(case, smooth)))  # type: ignore[misc]
    return World(both(_pairs(case)), tuple(places))


def _coder(case: Case) -> Any:
    grid = float(case.mechanism.grid)

    def code(output: Any) -> int:
        """The first number, in grid steps."""
        numbers = np.atleast_1d(np.asarray(output))
        fitting = numbers.shape == (dimension(case),) and numbers.dtype.kind in ("iu" if grid == 1 else "f")
        if not fitting or (numbers / grid != np.rint(numbers / grid)).any():
            raise astray(f"{dimension(case)} multiple(s) of {case.mechanism.grid}", output)
        return int(numbers[0] / grid)

    return code


def _pairs(case: Case) -> Iterator[Neighbours]:
    cells, shrink = dimension(case), exp(-float(case.mechanism.beta)) * _HAIR
    for share in _SHARES:
        largest = share * float(case.mechanism.bound)
        for factor in (1.0, shrink):
            chain = [largest * factor**step for step in range(case.units + 1)]
            slide = sum(chain[1:]) * _HAIR
            for parts in [{slide: 1, 0.0: cells - 1}] + [{0.0: cells}] * (factor < 1) + [{slide / cells: cells}] * (cells > 1):
                pairs = tuple((_pair(case, by, largest, chain[-1]), count) for by, count in parts.items() if count)
                yield Neighbours(pairs, f"smooth sensitivities {largest:g} and {chain[-1]:g}, answers {max(parts):g} apart in a cell")


def _pair(case: Case, by: float, smooth: float, other: float) -> Pair:
    steps = _points(0, round(by / float(case.mechanism.grid)))
    return joined(steps, _log(case, steps, 0.0, smooth), _log(case, steps, by, other))
