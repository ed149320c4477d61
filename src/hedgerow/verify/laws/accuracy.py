"""The law about ``error(beta)``: it covers at its level, and is the smallest that does. Computed from ``log_prob``."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np

from hedgerow.numeric.chunk import Floats
from hedgerow.verify.laws.case import Case, Finding, LawBroken
from hedgerow.verify.laws.neighbours import choice, noise, reports

__all__ = ["error_covers"]

_LAW = "error covers"
_LEVELS = (0.5, 0.1, 0.05, 1e-3, 1e-6)
_CANDIDATES = 5
_REPORTS = 40


def error_covers(case: Case) -> Finding:
    """Outside ``error(beta)`` lies at most beta; a radius a little smaller leaves more outside (a response: only the first)."""
    return {"additive": _additive, "selection": _selection, "response": _response}[case.shape](case)


def _check(outside: float, beta: float, tolerance: float, radius: object) -> None:
    if not outside <= beta * (1 + tolerance):
        raise LawBroken(_LAW, f"at most {beta:g} outside error({beta:g}) = {radius}", f"{outside:.6g}")


def _check_smallest(outside: float, beta: float, tolerance: float, radius: object) -> None:
    if not outside >= beta * (1 - tolerance):
        raise LawBroken(_LAW, f"error({beta:g}) to be the smallest that covers, not {radius}", f"a smaller one with {outside:.6g} outside")


def _additive(case: Case) -> Finding:
    law, grid = noise(case), Fraction(case.mechanism.grid)
    slack = 1e-9 if law.exact else 1e-4
    # Reals are snapped before noise is added: the worst exact value lies just below the middle between two grid points.
    offset = Fraction(0) if grid == 1 else Fraction(499, 1000)
    for beta in _LEVELS:
        radius = case.mechanism.error(beta)
        steps = Fraction(radius) / grid
        outside = law.above(floor(steps + offset)) + law.below(-floor(steps - offset))
        _check(max(outside, law.above(floor(steps)) + law.below(-floor(steps))), beta, slack, radius)
        less = floor(steps) - 1 if steps <= 1000 else floor(steps * Fraction(999, 1000))
        if less >= 0:
            _check_smallest(law.above(less) + law.below(-less), beta, slack, radius)
    return Finding(_LAW, f"error(0.05) = {float(case.mechanism.error(0.05)):g}, the smallest that covers")


def _selection(case: Case) -> Finding:
    for beta in _LEVELS:
        radius = case.mechanism.error(beta, _CANDIDATES)
        below = max(radius, 1e-9) * (1 + 1e-9)  # the others, just too far from the best
        _check(-np.expm1(choice(case, [0.0] + [-below] * (_CANDIDATES - 1)).log[0]), beta, 1e-6, radius)
        if radius > 0:
            closer = choice(case, [0.0] + [-radius * 0.999] * (_CANDIDATES - 1))
            _check_smallest(-np.expm1(closer.log[0]), beta, 1e-6, radius)
    return Finding(_LAW, f"error(0.05, {_CANDIDATES}) = {case.mechanism.error(0.05, _CANDIDATES):g}, the smallest that covers")


def _response(case: Case) -> Finding:
    counts = (0, _REPORTS // 2, _REPORTS)  # an unbiased estimate is a straight line in the count
    known = [case.mechanism.estimate(np.repeat([0, 1], [count, _REPORTS - count]))[0].share for count in counts]
    shares = np.interp(np.arange(_REPORTS + 1), counts, known)
    kept, changed = (float(np.exp(reports(case, truth).log[0])) for truth in (0, 1))
    for owners in (0, 10, 20, _REPORTS):
        hits = np.convolve(_binomial(owners, kept), _binomial(_REPORTS - owners, changed))
        for beta in _LEVELS:
            radius = case.mechanism.error(beta, _REPORTS)
            _check(float(hits[np.abs(shares - owners / _REPORTS) > radius].sum()), beta, 1e-9, radius)
    return Finding(_LAW, f"error(0.05, {_REPORTS}) = {case.mechanism.error(0.05, _REPORTS):g}")


def _binomial(trials: int, chance: float) -> Floats:
    law = np.ones(1)
    for _ in range(trials):
        law = np.convolve(law, [1 - chance, chance])
    return law
