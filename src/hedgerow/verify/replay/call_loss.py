"""The loss of one call between two runs: the distance of its inputs, and the mechanism's loss at
exactly that distance.

``MOVE_RULES`` has a function for each method. It returns the distance of the private inputs in the
unit that the mechanism's ``loss`` takes (a sensitivity, a number of rows or of units), 0 if they
are equal, and a sentence if there is no such number. All other arguments of a call are public and
must be equal.
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
    "ZERO_LOSS",
    "InputMove",
    "compute_declared_loss",
    "compute_loss",
    "find_public_difference",
    "measure_move",
]

InputMove = int | Sensitivity | str
"""0 for equal inputs; a sentence if the inputs cannot come from neighbours."""

_MAX_UNITS = 1000  # a larger group has no meaningful guarantee
ZERO_LOSS: Final = Loss(Fraction(0), rho=Fraction(0))

# The arguments that hold data; all others are public.
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
    """Return the name of a public argument that differs between the runs."""
    private = (
        list_private_names(one.mechanism)
        if isinstance(one.mechanism, ProgramMechanism)
        else PRIVATE_ARGUMENTS
    )
    public = {name: value for name, value in one.arguments.items() if name not in private}
    return next(
        (
            name
            for name, value in public.items()
            if find_difference(value, other.arguments[name]) is not None
        ),
        None,
    )


def measure_move(one: RecordedCall, other: RecordedCall) -> InputMove:
    """Return the distance of the inputs of a call."""
    rule = MOVE_RULES.get((type(one.mechanism), one.method)) or _RULES_BY_SHAPE.get(
        getattr(one.mechanism, "shape", "")
    )
    if rule is None:
        return f"{one.name} has no rule to compare its inputs; give its class a shape"
    try:
        return rule(one.mechanism, one.arguments, other.arguments)
    except (HedgerowError, TypeError, ValueError, OverflowError):
        return "its inputs cannot be compared"


def compute_loss(call: RecordedCall, move: int | Sensitivity) -> Loss:
    """Return the loss of the call at this distance."""
    mechanism = call.mechanism
    if move == 0:
        return ZERO_LOSS
    if isinstance(mechanism, ProgramMechanism):
        return compute_claimed_loss(mechanism, call.arguments, int(move))  # type: ignore[arg-type]
    # the distance is in steps of the grid, so the scale is converted to steps too
    if isinstance(mechanism, (Laplace, Gaussian)):
        return type(mechanism)(mechanism.scale / mechanism.grid).loss(move)
    if getattr(mechanism, "shape", "") == "additive" and isinstance(move, Sensitivity):
        step = Fraction(mechanism.grid)
        move = Sensitivity(move.l0, move.linf * step, move.l1 * step, move.l2_squared * step**2)
    found: Loss = mechanism.loss(move)
    return found


def compute_declared_loss(call: RecordedCall, declared: int | Sensitivity) -> Loss:
    """Return the loss of the call at the sensitivity it was calibrated for."""
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
    """Return the sensitivity of a vector with these nonzero changes."""
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
            return "some inputs rise and some fall, but the mechanism was declared monotone"
        if isinstance(mechanism, InverseSensitivity):
            return max((math.ceil(abs(move)) for move in moves), default=0)
        if not moves:
            return 0
        largest = max(map(abs, moves))
        return Sensitivity.each(len(moves), math.ceil(largest) if name == "answers" else largest)

    return rule


def _to_python(values: list[Any]) -> list[Any]:
    return [value.item() if isinstance(value, np.generic) else value for value in values]


def _measure_response(_: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    a, b = np.asarray(one["exact"]), np.asarray(other["exact"])
    if a.shape != b.shape:
        return "the number of reports depends on the data"
    return int(np.sum(a != b))


def _measure_column(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    a, b = (
        parse_sample(given["values"], given["lower"], given["upper"], given["grid"])
        for given in (one, other)
    )
    if (a.lower, a.upper, a.grid) != (b.lower, b.upper, b.grid):
        return "the bounds or the grid depend on the data; declare them"
    left, right = Counter(a.values.tolist()), Counter(b.values.tolist())
    removed, added = (left - right).total(), (right - left).total()
    if isinstance(mechanism, Extreme):  # holds under both relations
        return max(removed, added)
    # under change-one a filter may still remove or add a row
    if isinstance(mechanism, InverseSensitivity):
        is_add_remove = one["quantile"].neighbours == "add-remove"
        return removed + added if is_add_remove else max(removed, added)
    if mechanism.neighbours == "add-remove":
        return removed + added
    if removed == added:
        return int(removed)
    return "the number of rows changes, but it was declared public (change-one)"


def _measure_smooth(mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    """Return the smallest k such that the smooth sensitivities differ by a factor of at most
    e^(beta k), and the answers by as much as these allow.
    """
    a, b = (np.atleast_1d(np.asarray(given["exact"], dtype=np.float64)) for given in (one, other))
    near, far = sorted((float(one["smooth"]), float(other["smooth"])))
    apart, beta = math.inf, float(mechanism.beta)
    if a.shape == b.shape:
        apart = float(np.sum(np.abs(a - b)))
    if apart == 0 and near == far:
        return 0
    allowed, step = 0.0, near * (1 + 1e-9)
    for k in range(1, _MAX_UNITS):
        allowed += step
        step *= math.exp(beta)
        if apart <= allowed and far <= near * math.exp(beta * k) * (1 + 1e-9):
            return k
    return "the answer or the smooth sensitivity changes more than a smooth bound allows"


def _measure_released(
    mechanism: Any, one: Mapping[str, Any], other: Mapping[str, Any]
) -> InputMove:
    """Return the distance for propose-test-release: answers at distance k differ by at most k
    bounds, unless both distances are below k.
    """
    near, far = sorted((one["distance"], other["distance"]))
    apart = abs(Fraction(one["exact"]) - Fraction(other["exact"]))
    steps = math.ceil(apart / mechanism.bound)
    return _count_units(
        far - near if near != far else 0, steps if far == math.inf else min(steps, int(far) + 1)
    )


def _measure_stable(_: Any, one: Mapping[str, Any], other: Mapping[str, Any]) -> InputMove:
    """Return the distance of two answers: if they differ, at least the larger of their distances to
    another answer.
    """
    near, far = sorted((one["distance"], other["distance"]))
    apart = far if find_difference(one["answer"], other["answer"]) is not None else 0
    return _count_units(far - near if near != far else 0, apart)


def _count_units(*steps: Any) -> InputMove:
    largest: float = max(steps)
    if largest < _MAX_UNITS:
        return math.ceil(largest)
    return "the distance changes more than any unit can change it"


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
# Custom mechanisms, by their shape.
_RULES_BY_SHAPE: Final = {
    "additive": _measure_additive,
    "selection": _make_score_rule("scores"),
    "response": _measure_response,
}
