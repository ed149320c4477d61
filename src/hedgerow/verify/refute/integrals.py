"""The exact probability that independent Laplace, exponential and uniform variables lie in bands.

**Input.** Bands low <= combination <= high, each over one variable or two. The pairs must form a
forest, as they do for every program that compares noisy values with one noisy threshold or with the
best so far. The probability is computed by eliminating one leaf at a time: given its parent, a leaf
contributes the integral of its density over a window, which again has pieces c x^k e^(rx + a).
Bands that others imply (x - y <= 1 if x - z <= 0 and z - y <= 1) are dropped first, since they
would close cycles.

**Output.** An ``ExponentialSum``, c1 e^a1 + … + cn e^an with rationals: no rounding anywhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import lcm
from typing import TypeAlias

from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.language.program import Noise
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.piecewise_exponential import PiecewiseExponential, Term

__all__ = ["BandForest", "Ends", "Region", "build_forest", "integrate_region"]

Ends: TypeAlias = tuple[Fraction | None, Fraction | None]
Region: TypeAlias = Mapping[tuple[tuple[int, Fraction], ...], Ends]
NoiseParameters: TypeAlias = Mapping[int, tuple[Noise, tuple[Fraction, ...]]]


@dataclass
class BandForest:
    """Variables in new units y = factor x, such that every edge bounds parent - child."""

    order: list[int]  # parents before children
    parent: dict[int, int | None]
    factor: dict[int, Fraction]
    window: dict[int, Ends]
    own_window: dict[int, Ends]


def integrate_region(laws: NoiseParameters, region: Region) -> ExponentialSum:
    """Return the probability of the region, given the distribution of each variable."""
    tree = build_forest(tuple(laws), region)
    if tree is None:
        return ExponentialSum()
    unit = lcm(
        *(end.denominator for ends in _list_ends(laws, tree) for end in ends if end is not None)
    )
    scales = {x: _compute_rate(laws[x], tree.factor[x]) / unit for x in laws}
    rate = lcm(*(scale.denominator for scale in scales.values()))
    messages = {
        x: _build_density(laws[x], tree.factor[x], unit, int(scales[x] * rate), rate) for x in laws
    }
    result = ExponentialSum.of(Fraction(1))
    for x in reversed(tree.order):
        low, high = tree.own_window[x]
        function = messages[x].restrict(_convert_to_units(low, unit), _convert_to_units(high, unit))
        above = tree.parent[x]
        if above is None:
            result = result * ExponentialSum(
                tuple((Fraction(a, rate), c) for a, c in function.integrate().items())
            )
        else:
            low, high = tree.window[x]
            messages[above] = messages[above].multiply(
                function.integrate_window(
                    _convert_to_units(low, unit), _convert_to_units(high, unit)
                )
            )
    return result


def _list_ends(laws: NoiseParameters, tree: BandForest) -> list[Ends]:
    uniform = [
        (tree.factor[x] * one, None)
        for x, (noise, parameters) in laws.items()
        if noise is Noise.UNIFORM
        for one in parameters
    ]
    return [*tree.window.values(), *tree.own_window.values(), *uniform]


def _convert_to_units(end: Fraction | None, unit: int) -> int | None:
    return None if end is None else int(end * unit)


def _compute_rate(law: tuple[Noise, tuple[Fraction, ...]], factor: Fraction) -> Fraction:
    """Return the decay rate of the density, per unit of y."""
    return Fraction(0) if law[0] is Noise.UNIFORM else 1 / (law[1][0] * abs(factor))


def _build_density(
    law: tuple[Noise, tuple[Fraction, ...]], factor: Fraction, unit: int, r: int, rate: int
) -> PiecewiseExponential:
    """Build the density of y, measured in units."""
    noise, parameters = law
    height = Fraction(r, rate)
    if noise is Noise.LAPLACE:
        left: Term = {(0, r, 0): height / 2}
        return PiecewiseExponential(((None, 0, left), (0, None, {(0, -r, 0): height / 2})), rate)
    if noise is Noise.EXPONENTIAL:
        if factor > 0:
            return PiecewiseExponential(((0, None, {(0, -r, 0): height}),), rate)
        return PiecewiseExponential(((None, 0, {(0, r, 0): height}),), rate)
    if noise is Noise.UNIFORM:
        low, high = sorted(int(one * factor * unit) for one in parameters)
        return PiecewiseExponential(((low, high, {(0, 0, 0): Fraction(1, high - low)}),), rate)
    raise OutOfScope(f"{noise} among variables with exponential pieces")


def build_forest(
    variables: tuple[int, ...], region: Region, whole: bool = False
) -> BandForest | None:
    """Arrange the bands as trees; return None if the region is empty, and raise ``OutOfScope`` if
    bands form a cycle or tie three variables.
    """
    if any(len(direction) > 2 for direction in region):
        raise OutOfScope("a condition that ties three noise variables together")
    if sum(len(direction) == 2 for direction in region) >= len(variables):
        reduced = _drop_implied_bands(region, whole)
        if reduced is None:
            return None
        region = reduced
    neighbours: dict[int, list[tuple[int, Fraction, Fraction, Ends]]] = {x: [] for x in variables}
    tree = BandForest([], {}, {}, {}, {})
    edges = 0
    for direction, ends in region.items():
        if len(direction) == 2:
            (x, a), (y, b) = direction
            neighbours[x].append((y, a, b, ends))
            neighbours[y].append((x, b, a, ends))
            edges += 1
    for start in variables:
        if start not in tree.factor:
            _grow_tree(start, neighbours, tree)
    if edges != len(tree.window):
        raise OutOfScope("conditions on the noise that form a cycle")
    for x in variables:
        tree.own_window[x] = (None, None)
    for direction, ends in region.items():
        if len(direction) == 1:
            ((x, a),) = direction
            tree.own_window[x] = _scale_ends(ends, tree.factor[x] / a)
    return tree


def _grow_tree(
    start: int,
    neighbours: Mapping[int, list[tuple[int, Fraction, Fraction, Ends]]],
    tree: BandForest,
) -> None:
    """Grow the tree from ``start``: a x + b y with parent x becomes X - Y, where X = f x and
    Y = -(f b/a) y.
    """
    tree.factor[start], tree.parent[start] = Fraction(1), None
    queue = [start]
    for x in queue:
        tree.order.append(x)
        for y, a, b, ends in neighbours[x]:
            if y not in tree.factor:
                tree.parent[y] = x
                tree.factor[y] = -tree.factor[x] * b / a
                tree.window[y] = _scale_ends(ends, tree.factor[x] / a)
                queue.append(y)


def _scale_ends(ends: Ends, factor: Fraction) -> Ends:
    low, high = (None if end is None else end * factor for end in ends)
    return (low, high) if factor > 0 else (high, low)


def _drop_implied_bands(region: Region, whole: bool) -> Region | None:
    """Drop the bounds on differences x - y that others imply, so that a running maximum becomes a
    tree; return None if the region is empty.
    """
    most: dict[tuple[int, int], Fraction] = {}
    for direction, (low, high) in region.items():
        if _is_difference(direction):
            x, y = direction[0][0], direction[1][0]
            if high is not None:
                most[x, y] = high
            if low is not None:
                most[y, x] = -low
    for x in {x for x, _ in most}:
        cycle = _find_tightest_bound(x, x, most)
        if cycle is not None and (cycle < 0 or (cycle == 0 and not whole)):
            return None
    for pair, bound in list(most.items()):
        others = {edge: end for edge, end in most.items() if edge != pair}
        shortest = _find_tightest_bound(*pair, others)
        if shortest is not None and shortest <= bound:
            most = others
    kept: dict[tuple[tuple[int, Fraction], ...], Ends] = {}
    for direction, (low, high) in region.items():
        if _is_difference(direction):
            x, y = direction[0][0], direction[1][0]
            low, high = (low if (y, x) in most else None), (high if (x, y) in most else None)
        if low is not None or high is not None:
            kept[direction] = (low, high)
    return kept


def _is_difference(direction: tuple[tuple[int, Fraction], ...]) -> bool:
    return len(direction) == 2 and direction[0][1] == 1 and direction[1][1] == -1


def _find_tightest_bound(
    start: int, end: int, most: Mapping[tuple[int, int], Fraction]
) -> Fraction | None:
    """Return the tightest bound on start - end that a chain of at least one difference gives; every
    chain gives a valid bound, so stopping early is sound.
    """
    reached: dict[int, Fraction] = {}
    for _ in range(len({x for x, _ in most}) + 1):
        changed = False
        for (x, y), bound in most.items():
            before = Fraction(0) if x == start else reached.get(x)
            if before is not None and (y not in reached or before + bound < reached[y]):
                reached[y] = before + bound
                changed = True
        if not changed:
            break
    return reached.get(end)
