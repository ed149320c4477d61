"""Judgement of one question: what its answers say on average, cover and miss, against the oracle.

Ratios are not right on average, since a noisy number divides. For a mean of values between bounds
U - L apart the bias is of second order: with A and B the noisy totals above L and below U, each
number with variance v, E[A/(A+B)] differs from the exact share by at most 1.5 v/(A+B)^2, while the
variance s^2 of the answers is at least v/2 (A+B)^2; so the bias is at most 3 s^2/(U - L) as long as
noise is small beside the totals. Where it is not, or the exact mean lies at a bound (to which
answers are moved), and for variances and what is made of them (which are moved into the range that
such numbers have), one standard deviation of the answers is allowed.

A bias that is stated must be small beside the noise: a wide statement would be true of anything.
"""

from __future__ import annotations

import math
import statistics
from collections.abc import Sequence
from fractions import Fraction
from functools import lru_cache
from typing import Any

from truth.aggregates import AGGREGATES, Aggregate
from truth.alarms import OUTSIDE, exceeds_share, measure_excess
from truth.draws import Asked, Draws, stated_bias
from truth.oracle import WHOLE, Grid, Group, Row, find_meaning, find_sample, measure_rank_error
from truth.worlds import World

__all__ = ["judge"]


def judge(
    world: World, names: Sequence[str], asked: Asked, *, factor: float, rounds: int, draws: int
) -> tuple[list[str], float]:
    """Return what is false about the answers to a question, and the worst ratio of a mean."""
    reasons, worst = list[str](), 0.0
    drawn = [asked.draw(draws, names)]
    for name in names:
        for key in world.groups:
            values = drawn[0].values.get(key, {}).get(name, [])
            if len(values) != draws:
                reasons.append(
                    f"{name} of {key} is hidden in {draws - len(values)} of {draws} draws"
                )
                continue
            meaning = _find_meaning(world, key, name, tuple(asked.grids(name)))
            if meaning is None:
                continue
            ratio = _measure_mean(asked, name, values, meaning, factor)
            worst = max(worst, ratio)
            vague = _measure_vagueness(asked, name, values)
            if vague > 1:
                reasons.append(f"the bias of {name} is stated as {vague:.3g} times what is useful")
            if ratio > 1:
                reasons.append(
                    f"the mean of {name} of {key} is off by {ratio:.3g} times what is allowed"
                )
            if _fails(asked, drawn, names, name, key, meaning, rounds):
                what = (
                    "is too many ranks off"
                    if isinstance(meaning, tuple)
                    else f"misses {float(meaning):g}"
                )
                reasons.append(f"{name} of {key} {what}, in too many draws")
    return reasons, worst


@lru_cache(maxsize=2_000)
def _find_meaning(world: World, key: Any, name: str, grids: tuple[Grid, ...]) -> Any:
    """Return the exact value, or for an order statistic the sorted sample; None if there is
    none.
    """
    aggregate, group = AGGREGATES[name], world.groups[key]
    if aggregate.reads == "y":
        people = [[Row(row.y) for row in rows] for rows in group.people]
        group = Group(people, group.cap)
    if aggregate.family == "order":
        return tuple(find_sample(group, _find_grid(grids))) or None
    return find_meaning(aggregate.function, group, grids, filtered=aggregate.filtered)


def _find_grid(grids: Sequence[Grid]) -> Grid:
    return grids[0] if grids else WHOLE


def _measure_mean(
    asked: Asked, name: str, values: Sequence[Any], meaning: Any, factor: float
) -> float:
    """Return the distance of mean and meaning over what is allowed, 0 where no mean is promised."""
    family = AGGREGATES[name].family
    if family == "order" or any(value is None for value in values):
        return 0.0
    bias = stated_bias(asked.answer, name)
    if family == "ratio":
        bias += _find_ratio_bias(AGGREGATES[name], values, meaning, asked.grids(name)[0])
    return measure_excess(values, Fraction(meaning), bias=bias, factor=factor)


def _measure_vagueness(asked: Asked, name: str, values: Sequence[Any]) -> float:
    """Return the stated bias over a tenth of the spread of the answers, rounding included."""
    bias = stated_bias(asked.answer, name)
    if bias == 0:
        return 0.0
    hidden = 0.0 if isinstance(values[0], float) else 0.5
    return bias / ((statistics.pstdev(values) + hidden) / 10)


def _find_ratio_bias(
    aggregate: Aggregate, values: Sequence[float], meaning: Any, grid: Grid
) -> float:
    spread = statistics.pstdev(values)
    low, high = (float(end * grid.step) for end in (grid.low, grid.high))
    inside = min(float(meaning) - low, high - float(meaning))
    if aggregate.function != "AVG" or spread > (high - low) / 10 or inside < 6 * spread:
        return spread
    return 3 * spread**2 / (high - low)


def _fails(
    asked: Asked,
    drawn: list[Draws],
    names: Sequence[str],
    name: str,
    key: Any,
    meaning: Any,
    rounds: int,
) -> bool:
    """Return whether a statement is wrong too often in every round, drawn when needed."""
    for turn in range(rounds):
        if turn == len(drawn):
            drawn.append(asked.draw(drawn[0].count, names))
        if not exceeds_share(
            _count_outside(asked, drawn[turn], name, key, meaning), drawn[0].count
        ):
            return False
    return True


def _count_outside(asked: Asked, drawn: Draws, name: str, key: Any, meaning: Any) -> int:
    """Return how many draws break what is stated: the interval, or the number of ranks."""
    if not isinstance(meaning, tuple):
        pairs = drawn.intervals[key][name]
        slack = 1e-9 * max(1.0, abs(float(meaning)))
        return sum(
            pair is not None and not pair[0] - slack <= meaning <= pair[1] + slack for pair in pairs
        )
    stated = asked.stated_ranks(name, Fraction(OUTSIDE).limit_denominator())
    if stated is None:
        return 0
    aggregate, grid = AGGREGATES[name], _find_grid(asked.grids(name))
    errors = {
        value: measure_rank_error(aggregate.function, aggregate.share, meaning, grid.place(value))
        for value in set(drawn.values[key][name])
    }
    # The exact order statistic has a whole rank, the share of it need not.
    most = math.floor(stated) + (0 if aggregate.function == "MODE" else 1)
    return sum(errors[value] > most for value in drawn.values[key][name])
