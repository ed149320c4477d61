"""What ``error(beta)`` says about points, gates and runs, against the laws of their small worlds; and the two checks all shapes share."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from math import ceil, floor
from typing import Any

import numpy as np

from hedgerow.mechanisms.shapes import Published
from hedgerow.numeric.chunk import Floats
from hedgerow.verify.audit.confidence import lowest
from hedgerow.verify.laws.case import ALARM, Case, Finding, LawBroken
from hedgerow.verify.laws.columns import NARROW, WIDE, Chooser, Rows, choosers, column, law
from hedgerow.verify.laws.masses import Masses
from hedgerow.verify.laws.neighbours import choice, world
from hedgerow.verify.laws.runs import law as run_law
from hedgerow.verify.laws.runs import verdicts

__all__ = ["LAW", "LEVELS", "additive_reach", "covers", "gates_reach", "points_reach", "runs_reach", "smallest"]

LAW = "error covers"
LEVELS = (0.5, 0.1, 0.05, 1e-3, 1e-6)
_COLUMNS: list[tuple[Rows, int]] = [
    ((0, 1, 1, 3), NARROW),
    ((0, 3), NARROW),
    ((2, 2, 2, 2, 2), NARROW),
    ((7,) * 40, WIDE),
    (tuple(range(WIDE + 1)) * 2, WIDE),
    ((0,) * 30 + (WIDE,) * 30, WIDE),
]
_QUESTIONS = 4
_CANDIDATES = 5


def covers(outside: float, beta: float, tolerance: float, radius: object) -> None:
    """At most beta lies outside."""
    if not outside <= beta * (1 + tolerance):
        raise LawBroken(LAW, f"at most {beta:g} outside error({beta:g}) = {radius}", f"{outside:.6g}")


def smallest(outside: float, beta: float, tolerance: float, radius: object) -> None:
    """A smaller radius leaves more than beta outside."""
    if not outside >= beta * (1 - tolerance):
        raise LawBroken(LAW, f"error({beta:g}) to be the smallest that covers, not {radius}", f"a smaller one with {outside:.6g} outside")


def additive_reach(masses: Masses, grid: Fraction, error: Callable[[float], Any]) -> None:
    """The radius of noise on a grid, in the units of the answer."""
    slack = 1e-9 if masses.exact else 1e-4
    # Reals are snapped before noise is added: the worst exact value lies just below the middle between two grid points.
    offset = Fraction(0) if grid == 1 else Fraction(499, 1000)
    for beta in LEVELS:
        radius = error(beta)
        steps = Fraction(radius) / grid
        outside = masses.above(floor(steps + offset)) + masses.below(-floor(steps - offset))
        covers(max(outside, masses.above(floor(steps)) + masses.below(-floor(steps))), beta, slack, radius)
        less = floor(steps) - 1 if steps <= 1000 else floor(steps * Fraction(999, 1000))
        if less >= 0:
            smallest(masses.above(less) + masses.below(-less), beta, slack, radius)


def points_reach(case: Case) -> Finding:
    """Points: so many ranks off, values beyond, or rows to change, at most."""
    mechanism = case.mechanism
    if hasattr(mechanism, "quantile_log_prob"):
        for beta in LEVELS:
            radius = mechanism.error(beta, _CANDIDATES)
            others = [floor(radius) + 1] * (_CANDIDATES - 1)
            covers(-np.expm1(choice(case, [0, *others]).log[0]), beta, 1e-6, radius)
            if (less := ceil(radius) - 1) > 0:
                smallest(-np.expm1(choice(case, [0, *[less] * (_CANDIDATES - 1)]).log[0]), beta, 1e-6, radius)
        return Finding(LAW, f"error(0.05, {_CANDIDATES}) = {mechanism.error(0.05, _CANDIDATES):g}, the smallest whole number that covers")
    if not hasattr(mechanism, "at") and not hasattr(mechanism, "depth"):
        return Finding(LAW, "no error in ranks is stated")
    for chooser in choosers(case):
        for rows, width in _COLUMNS:
            stated, off = law(chooser, rows, width), _off(mechanism, chooser.relation, rows, width)
            if stated is None:
                _drawn(case, chooser, rows, width, off)
                continue
            for beta in LEVELS:
                covers(float(np.exp(stated.log)[off[0] > mechanism.error(beta, width)].sum()), beta, 1e-9, mechanism.error(beta, width))
    return Finding(LAW, f"error(0.05, {WIDE}) = {mechanism.error(0.05, WIDE):g} on {len(_COLUMNS)} columns")


def _off(mechanism: Any, relation: str, rows: Rows, width: int) -> list[Floats]:
    """For each quantile how many ranks each point is off; for an extreme how many values lie beyond it."""
    data, points = np.array(rows), np.arange(width + 1)[:, None]
    below, up_to = (data < points).sum(axis=1), (data <= points).sum(axis=1)
    n = data.size
    if hasattr(mechanism, "depth"):
        return [n - up_to if mechanism.side == "max" else below]
    found = []
    for p in map(float, mechanism.at):
        rank = max(1, ceil(p * n - 1e-9))
        away = (below + 1 - rank, rank - up_to) if relation == "change-one" else (below - p * n, p * n - up_to)
        found.append(np.maximum(np.maximum(*away), 0) - 1e-9)
    return found


def _drawn(case: Case, chooser: Chooser, rows: Rows, width: int, off: list[Floats]) -> None:
    """Where no law is stated: how often a draw is farther off, and whether that is certainly too often."""
    count, data = max(case.draws // 1000, 100), column(rows, width)
    worst = np.array([max(ranks[z] for ranks, z in zip(off, chooser.draw(data), strict=True)) for _ in range(count)])
    for beta in LEVELS:
        radius = case.mechanism.error(beta, width)
        covers(float(lowest(int((worst > radius).sum()), count, ALARM / len(LEVELS) / len(_COLUMNS))), beta, 1e-9, radius)


def gates_reach(case: Case) -> Finding:
    """Released: noise within its radius, or a distance that is enough. Published: noise within its radius."""
    mechanism: Any = case.mechanism
    if isinstance(case.mechanism, Published):
        for beta in LEVELS:
            radius = mechanism.error(beta)
            for size, check in ((radius, covers), (radius - 1, smallest)):
                if size >= 0:  # too low by more than that, with noise as wide on the other side
                    check(2 * (1 - mechanism.publish_probability(mechanism.threshold + size)), beta, 1e-6, radius)
        return Finding(LAW, f"error(0.05) = {mechanism.error(0.05)}, the smallest that covers")
    if hasattr(mechanism, "noise"):
        released = world(case).places[-1].law  # at an infinite distance
        assert released is not None
        additive_reach(released, Fraction(mechanism.noise.grid), mechanism.error)
        return Finding(LAW, f"error(0.05) = {float(mechanism.error(0.05)):g}, the smallest that covers")
    for beta in LEVELS:
        distance = mechanism.error(beta)
        covers(1 - mechanism.release_probability(distance), beta, 1e-6, distance)
        if distance > mechanism.threshold:
            smallest(1 - mechanism.release_probability(distance - 1), beta, 1e-6, distance)
    return Finding(LAW, f"the distance error(0.05) = {mechanism.error(0.05)} is the smallest that is enough")


def runs_reach(case: Case) -> Finding:
    """Runs: no verdict is wrong by more than the radius."""
    for beta in LEVELS:
        radius = case.mechanism.error(beta, _QUESTIONS)
        for above in ((True,) * _QUESTIONS, (False,) * _QUESTIONS, (False, True) * (_QUESTIONS // 2)):
            chances = np.exp(run_law(case, tuple(radius if side else -radius - 1 for side in above)).log)
            wrong = [said != above[: len(said)] for said in verdicts(_QUESTIONS, case.mechanism.cutoff)]
            covers(float(chances[wrong].sum()), beta, 1e-9, radius)
    return Finding(LAW, f"error(0.05, {_QUESTIONS}) = {case.mechanism.error(0.05, _QUESTIONS)}")
