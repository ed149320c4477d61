"""How far the inputs of one call lie apart in two runs, and what that costs: the loss of the mechanism for exactly this move.

For each method there is a function in ``MOVES``. It says by how much the private inputs moved, in whatever the mechanism's ``loss`` takes
(a sensitivity, so many rows, so many units); 0 where they are equal, and a sentence instead where no number would do. All else that a call
is given is public, and has to be the same.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.errors import HedgerowError
from hedgerow.mechanisms import (
    Exponential,
    Extreme,
    Gaussian,
    InverseSensitivity,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    ProposeTestRelease,
    Quantiles,
    RandomizedResponse,
    SmoothSensitivity,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.mechanisms.points import as_sample
from hedgerow.privacy.grid import grid_of
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.mechanism import Mechanism
from hedgerow.verify.replay.calls import Call
from hedgerow.verify.replay.programs import claimed, private_names, steps
from hedgerow.verify.replay.values import difference

__all__ = ["MOVES", "PRIVATE", "Move", "declared_loss", "loss_of", "moved", "public_difference"]

Move = int | Sensitivity | str
"""0 for none; a sentence where the two inputs are no inputs of neighbours at all."""

_MOST = 1000  # units; whoever moves more has no guarantee worth a number
_NOTHING: Final = Loss(Fraction(0), rho=Fraction(0))

# The arguments that hold data; every other one is public.
PRIVATE: Final = ("exact", "scores", "values", "lengths", "smooth", "distance", "answer", "counts", "answers")


def public_difference(one: Call, other: Call) -> str | None:
    """Which public argument of a call differs between the runs."""
    private = private_names(one.mechanism) if isinstance(one.mechanism, Mechanism) else PRIVATE
    for name, value in one.given.items():
        if name not in private and difference(value, other.given[name]) is not None:
            return name
    return None


def moved(one: Call, other: Call) -> Move:
    """By how much the inputs of a call moved."""
    rule = MOVES.get((type(one.mechanism), one.method)) or _SHAPES.get(getattr(one.mechanism, "shape", ""))
    if rule is None:
        return f"nothing is known about {one.name}: its inputs cannot be compared"
    try:
        return rule(one.mechanism, one.given, other.given)
    except (HedgerowError, TypeError, ValueError, OverflowError):
        return "its inputs cannot be compared"


def loss_of(call: Call, move: int | Sensitivity) -> Loss:
    """What the call costs when its inputs move so far."""
    mechanism = call.mechanism
    if move == 0:
        return _NOTHING
    if isinstance(mechanism, Mechanism):
        return claimed(mechanism, call.given, int(move))  # type: ignore[arg-type]
    if isinstance(mechanism, (Laplace, Gaussian)):  # the move is in whole steps, and so is the noise then
        return type(mechanism)(mechanism.scale / mechanism.grid).loss(move)
    if getattr(mechanism, "shape", "") == "additive" and isinstance(move, Sensitivity):
        step = Fraction(mechanism.grid)
        move = Sensitivity(move.l0, move.linf * step, move.l1 * step, move.l2_squared * step**2)
    found: Loss = mechanism.loss(move)
    return found


def declared_loss(call: Call, declared: int | Sensitivity) -> Loss:
    """What the call costs at the move that it was calibrated for."""
    if isinstance(call.mechanism, Mechanism):
        return claimed(call.mechanism, call.given, 1)
    found: Loss = call.mechanism.loss(declared)
    return found


def _additive(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    grid = grid_of(mechanism.grid)
    a, b = (np.asarray(grid.snap(given["exact"]), dtype=object) for given in (one, other))
    if a.shape != b.shape:
        return "the number of cells depends on the data"
    return _sensitivity([int(x) - int(y) for x, y in zip(a.ravel(), b.ravel(), strict=True) if x != y])


def _sensitivity(moves: list[Any]) -> int | Sensitivity:
    """Of a vector that moved in these cells, none of which is 0."""
    if not moves:
        return 0
    sizes = [abs(Fraction(move)) for move in moves]
    return Sensitivity(len(sizes), max(sizes), sum(sizes, Fraction(0)), sum((size**2 for size in sizes), Fraction(0)))


def _scores(name: str) -> Callable[[Any, Mapping[str, Any], Mapping[str, Any]], Move]:
    def rule(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
        a, b = list(one[name]), list(other[name])
        if len(a) != len(b):
            return "the number of candidates depends on the data"
        moves = [Fraction(y) - Fraction(x) for x, y in zip(_plain(a), _plain(b), strict=True) if x != y]
        if getattr(mechanism, "monotone", False) and any(move > 0 for move in moves) and any(move < 0 for move in moves):
            return "some of its inputs rise and some fall, but it was told that they are monotone"
        if isinstance(mechanism, InverseSensitivity):
            return max((math.ceil(abs(move)) for move in moves), default=0)
        far = max(map(abs, moves), default=Fraction(0))
        return Sensitivity.each(len(moves), math.ceil(far) if name == "answers" else far) if moves else 0

    return rule


def _plain(values: list[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _response(_: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    a, b = np.asarray(one["exact"]), np.asarray(other["exact"])
    return int(np.sum(a != b)) if a.shape == b.shape else "the number of reports depends on the data"


def _column(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    a, b = (as_sample(given["values"], given["lower"], given["upper"], given["grid"]) for given in (one, other))
    if (a.lower, a.upper, a.grid) != (b.lower, b.upper, b.grid):
        return "the bounds or the grid depend on the data: they must be declared"
    left, right = Counter(a.values.tolist()), Counter(b.values.tolist())
    gone, come = (left - right).total(), (right - left).total()
    if isinstance(mechanism, Extreme):  # holds under both relations
        return max(gone, come)
    if isinstance(mechanism, InverseSensitivity):  # under change-one a row may still leave or enter, by a filter
        return gone + come if one["quantile"].neighbours == "add-remove" else max(gone, come)
    if mechanism.neighbours == "add-remove":
        return gone + come
    return gone if gone == come else "rows come or go, but it was told that the number of rows is public (change-one)"


def _smooth(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    """So many units that the smooth sensitivities are within e^(beta k) of each other, and the answers within what these allow."""
    a, b = (np.atleast_1d(np.asarray(given["exact"], dtype=np.float64)) for given in (one, other))
    near, far = sorted((float(one["smooth"]), float(other["smooth"])))
    apart, beta = float(np.sum(np.abs(a - b))) if a.shape == b.shape else math.inf, float(mechanism.beta)
    if apart == 0 and near == far:
        return 0
    most, reach = 0.0, near * (1 + 1e-9)
    for k in range(1, _MOST):
        most += reach
        reach *= math.exp(beta)
        if apart <= most and far <= near * math.exp(beta * k) * (1 + 1e-9):
            return k
    return "answer or smooth sensitivity move further than a smooth bound can"


def _released(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    """Propose-test-release: answers of k steps lie within k bounds, unless both are closer than k to trouble."""
    near, far = sorted((one["distance"], other["distance"]))
    apart = abs(Fraction(one["exact"]) - Fraction(other["exact"]))
    steps = math.ceil(apart / mechanism.bound)
    return _units(far - near if near != far else 0, steps if far == math.inf else min(steps, int(far) + 1))


def _stable(_: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    """Answers that differ are as far apart as the farther of them is from another answer."""
    near, far = sorted((one["distance"], other["distance"]))
    apart = far if difference(one["answer"], other["answer"]) is not None else 0
    return _units(far - near if near != far else 0, apart)


def _units(*steps: Any) -> Move:
    far = max(steps)
    return math.ceil(far) if far < _MOST else "the distance moves further than any unit can move it"


def _histogram(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> Move:
    a, b = one["counts"], other["counts"]
    moves = [abs(a.get(key, 0) - b.get(key, 0)) for key in {**a, **b} if a.get(key, 0) != b.get(key, 0)]
    if not moves:
        return 0
    keys = mechanism.max_keys * (2 if mechanism.neighbours == "change-one" else 1)
    found: int = max(math.ceil(len(moves) / keys), math.ceil(max(moves) / mechanism.per_key))
    return found


MOVES: Final[dict[tuple[type, str], Callable[[Any, Mapping[str, Any], Mapping[str, Any]], Move]]] = {
    (Laplace, "sample"): _additive,
    (Gaussian, "sample"): _additive,
    (Exponential, "sample"): _scores("scores"),
    (PermuteAndFlip, "sample"): _scores("scores"),
    (NoisyMax, "sample"): _scores("scores"),
    (NoisyMax, "sample_with_gap"): _scores("scores"),
    (RandomizedResponse, "sample"): _response,
    (Quantiles, "sample"): _column,
    (Extreme, "sample"): _column,
    (InverseSensitivity, "sample"): _scores("lengths"),
    (InverseSensitivity, "quantile"): _column,
    (SmoothSensitivity, "sample"): _smooth,
    (ProposeTestRelease, "sample"): _released,
    (Stable, "sample"): _stable,
    (StabilityHistogram, "sample"): _histogram,
    (SparseVector, "sample"): _scores("answers"),
    (Mechanism, "__call__"): steps,
}
# Mechanisms of somebody's own, by their shape.
_SHAPES: Final = {"additive": _additive, "selection": _scores("scores"), "response": _response}
