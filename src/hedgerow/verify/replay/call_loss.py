"""How far the inputs of one call lie apart in two runs, and what that costs: the loss of the
mechanism for exactly this move.

For each method there is a function in ``MOVE_RULES``. It says by how much the private inputs moved,
in whatever the mechanism's ``loss`` takes (a sensitivity, so many rows, so many units); 0 where
they are equal, and a sentence instead where no number would do. All else that a call is given is
public, and has to be the same.
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
from hedgerow.mechanisms.selection.grid_selection import parse_sample
from hedgerow.privacy.grid import get_grid
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.decorator import ProgramMechanism
from hedgerow.verify.replay.call import RecordedCall
from hedgerow.verify.replay.equality import find_difference
from hedgerow.verify.replay.program_calls import (
    compute_claimed_loss,
    count_steps,
    list_private_names,
)

__all__ = [
    "MOVE_RULES",
    "PRIVATE_ARGUMENTS",
    "InputMove",
    "compute_declared_loss",
    "compute_loss",
    "find_public_difference",
    "measure_move",
]

InputMove = int | Sensitivity | str
"""0 for none; a sentence where the two inputs are no inputs of neighbours at all."""

_MAX_UNITS = 1000  # units; whoever moves more has no guarantee worth a number
_ZERO_LOSS: Final = Loss(Fraction(0), rho=Fraction(0))

# The arguments that hold data; every other one is public.
PRIVATE_ARGUMENTS: Final = (
    "exact",
    "scores",
    "values",
    "lengths",
    "smooth",
    "distance",
    "answer",
    "counts",
    "answers",
)


def find_public_difference(one: RecordedCall, other: RecordedCall) -> str | None:
    """Which public argument of a call differs between the runs."""
    private = (
        list_private_names(one.mechanism)
        if isinstance(one.mechanism, ProgramMechanism)
        else PRIVATE_ARGUMENTS
    )
    for name, value in one.arguments.items():
        if name not in private and find_difference(value, other.arguments[name]) is not None:
            return name
    return None


def measure_move(one: RecordedCall, other: RecordedCall) -> InputMove:
    """By how much the inputs of a call moved."""
    rule = MOVE_RULES.get((type(one.mechanism), one.method)) or _RULES_BY_SHAPE.get(
        getattr(one.mechanism, "shape", "")
    )
    if rule is None:
        return f"nothing is known about {one.name}: its inputs cannot be compared"
    try:
        return rule(one.mechanism, one.arguments, other.arguments)
    except (HedgerowError, TypeError, ValueError, OverflowError):
        return "its inputs cannot be compared"


def compute_loss(call: RecordedCall, move: int | Sensitivity) -> Loss:
    """What the call costs when its inputs move so far."""
    mechanism = call.mechanism
    if move == 0:
        return _ZERO_LOSS
    if isinstance(mechanism, ProgramMechanism):
        return compute_claimed_loss(mechanism, call.arguments, int(move))  # type: ignore[arg-type]
    # the move is in whole steps, and so is the noise then
    if isinstance(mechanism, (Laplace, Gaussian)):
        return type(mechanism)(mechanism.scale / mechanism.grid).loss(move)
    if getattr(mechanism, "shape", "") == "additive" and isinstance(move, Sensitivity):
        step = Fraction(mechanism.grid)
        move = Sensitivity(move.l0, move.linf * step, move.l1 * step, move.l2_squared * step**2)
    found: Loss = mechanism.loss(move)
    return found


def compute_declared_loss(call: RecordedCall, declared: int | Sensitivity) -> Loss:
    """What the call costs at the move that it was calibrated for."""
    if isinstance(call.mechanism, ProgramMechanism):
        return compute_claimed_loss(call.mechanism, call.arguments, 1)
    found: Loss = call.mechanism.loss(declared)
    return found


def _measure_additive(
    mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]
) -> InputMove:
    grid = get_grid(mechanism.grid)
    a, b = (np.asarray(grid.snap(given["exact"]), dtype=object) for given in (one, other))
    if a.shape != b.shape:
        return "the number of cells depends on the data"
    return _make_sensitivity(
        [int(x) - int(y) for x, y in zip(a.ravel(), b.ravel(), strict=True) if x != y]
    )


def _make_sensitivity(moves: list[Any]) -> int | Sensitivity:
    """Of a vector that moved in these cells, none of which is 0."""
    if not moves:
        return 0
    sizes = [abs(Fraction(move)) for move in moves]
    return Sensitivity(
        len(sizes),
        max(sizes),
        sum(sizes, Fraction(0)),
        sum((size**2 for size in sizes), Fraction(0)),
    )


def _make_score_rule(name: str) -> Callable[[Any, Mapping[str, Any], Mapping[str, Any]], InputMove]:
    def rule(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
        a, b = list(one[name]), list(other[name])
        if len(a) != len(b):
            return "the number of candidates depends on the data"
        moves = [
            Fraction(y) - Fraction(x)
            for x, y in zip(_to_python(a), _to_python(b), strict=True)
            if x != y
        ]
        if (
            getattr(mechanism, "monotone", False)
            and any(move > 0 for move in moves)
            and any(move < 0 for move in moves)
        ):
            return "some of its inputs rise and some fall, but it was told that they are monotone"
        if isinstance(mechanism, InverseSensitivity):
            return max((math.ceil(abs(move)) for move in moves), default=0)
        far = max(map(abs, moves), default=Fraction(0))
        return (
            Sensitivity.each(len(moves), math.ceil(far) if name == "answers" else far)
            if moves
            else 0
        )

    return rule


def _to_python(values: list[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _measure_response(_: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    a, b = np.asarray(one["exact"]), np.asarray(other["exact"])
    return (
        int(np.sum(a != b)) if a.shape == b.shape else "the number of reports depends on the data"
    )


def _measure_column(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    a, b = (
        parse_sample(given["values"], given["lower"], given["upper"], given["grid"])
        for given in (one, other)
    )
    if (a.lower, a.upper, a.grid) != (b.lower, b.upper, b.grid):
        return "the bounds or the grid depend on the data: they must be declared"
    left, right = Counter(a.values.tolist()), Counter(b.values.tolist())
    gone, come = (left - right).total(), (right - left).total()
    if isinstance(mechanism, Extreme):  # holds under both relations
        return max(gone, come)
    # under change-one a row may still leave or enter, by a filter
    if isinstance(mechanism, InverseSensitivity):
        return gone + come if one["quantile"].neighbours == "add-remove" else max(gone, come)
    if mechanism.neighbours == "add-remove":
        return gone + come
    return (
        gone
        if gone == come
        else "rows come or go, but it was told that the number of rows is public (change-one)"
    )


def _measure_smooth(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    """So many units that the smooth sensitivities are within e^(beta k) of each other, and the
    answers within what these allow.
    """
    a, b = (np.atleast_1d(np.asarray(given["exact"], dtype=np.float64)) for given in (one, other))
    near, far = sorted((float(one["smooth"]), float(other["smooth"])))
    apart, beta = (
        float(np.sum(np.abs(a - b))) if a.shape == b.shape else math.inf,
        float(mechanism.beta),
    )
    if apart == 0 and near == far:
        return 0
    most, reach = 0.0, near * (1 + 1e-9)
    for k in range(1, _MAX_UNITS):
        most += reach
        reach *= math.exp(beta)
        if apart <= most and far <= near * math.exp(beta * k) * (1 + 1e-9):
            return k
    return "answer or smooth sensitivity move further than a smooth bound can"


def _measure_released(
    mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]
) -> InputMove:
    """Propose-test-release: answers of k steps lie within k bounds, unless both are closer than
    k to trouble.
    """
    near, far = sorted((one["distance"], other["distance"]))
    apart = abs(Fraction(one["exact"]) - Fraction(other["exact"]))
    steps = math.ceil(apart / mechanism.bound)
    return _count_units(
        far - near if near != far else 0, steps if far == math.inf else min(steps, int(far) + 1)
    )


def _measure_stable(_: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    """Answers that differ are as far apart as the farther of them is from another answer."""
    near, far = sorted((one["distance"], other["distance"]))
    apart = far if find_difference(one["answer"], other["answer"]) is not None else 0
    return _count_units(far - near if near != far else 0, apart)


def _count_units(*steps: Any) -> InputMove:
    far = max(steps)
    return (
        math.ceil(far)
        if far < _MAX_UNITS
        else "the distance moves further than any unit can move it"
    )


def _measure_histogram(
    mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]
) -> InputMove:
    a, b = one["counts"], other["counts"]
    moves = [
        abs(a.get(key, 0) - b.get(key, 0)) for key in {**a, **b} if a.get(key, 0) != b.get(key, 0)
    ]
    if not moves:
        return 0
    keys = mechanism.max_keys * (2 if mechanism.neighbours == "change-one" else 1)
    found: int = max(math.ceil(len(moves) / keys), math.ceil(max(moves) / mechanism.per_key))
    return found


MOVE_RULES: Final[
    dict[tuple[type, str], Callable[[Any, Mapping[str, Any], Mapping[str, Any]], InputMove]]
] = {
    (Laplace, "sample"): _measure_additive,
    (Gaussian, "sample"): _measure_additive,
    (Exponential, "sample"): _make_score_rule("scores"),
    (PermuteAndFlip, "sample"): _make_score_rule("scores"),
    (NoisyMax, "sample"): _make_score_rule("scores"),
    (NoisyMax, "sample_with_gap"): _make_score_rule("scores"),
    (RandomizedResponse, "sample"): _measure_response,
    (Quantiles, "sample"): _measure_column,
    (Extreme, "sample"): _measure_column,
    (InverseSensitivity, "sample"): _make_score_rule("lengths"),
    (InverseSensitivity, "quantile"): _measure_column,
    (SmoothSensitivity, "sample"): _measure_smooth,
    (ProposeTestRelease, "sample"): _measure_released,
    (Stable, "sample"): _measure_stable,
    (StabilityHistogram, "sample"): _measure_histogram,
    (SparseVector, "sample"): _make_score_rule("answers"),
    (ProgramMechanism, "__call__"): count_steps,
}
# Mechanisms of somebody's own, by their shape.
_RULES_BY_SHAPE: Final = {
    "additive": _measure_additive,
    "selection": _make_score_rule("scores"),
    "response": _measure_response,
}
