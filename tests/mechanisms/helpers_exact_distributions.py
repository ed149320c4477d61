"""Exact output distributions of the tested mechanisms, for noise Pr[Z = z] = (1-q)/(1+q) q^|z|.

q is rational. With q = 1/2 everything is a fraction and epsilon = ln 2 is exact. For the scale of a
real mechanism q is e^(-1/scale) to 60 digits, which moves no probability by more than 10^-50;
``HAIR`` covers that.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

from hedgerow.numeric.rounding import exp_up

HAIR = Fraction(1, 10**40)
ONE = Fraction(1)


def q_of(scale: Fraction) -> Fraction:
    return exp_up(-1 / scale, 60)


def at(q: Fraction, z: int) -> Fraction:
    """Return Pr[Z = z]; q = 0 means no noise."""
    return (1 - q) / (1 + q) * q ** abs(z)


def at_least(q: Fraction, m: int) -> Fraction:
    """Return Pr[Z >= m]."""
    return q**m / (1 + q) if m >= 1 else 1 - q ** (1 - m) / (1 + q)


def threshold(q: Fraction, level: Fraction) -> int:
    """Return the smallest m >= 1 with Pr[Z >= m] <= level, by counting."""
    m = 1
    while at_least(q, m) > level:
        m += 1
    return m


def noisy(q: Fraction, exact: int, low: int, high: int) -> dict[Any, Fraction]:
    """Return the distribution of exact + Z, with everything outside low … high lumped together.

    Where low and high enclose the exact values of all data sets, the ratios are constant inside
    both lumps: nothing is lost.
    """
    law: dict[Any, Fraction] = {y: at(q, y - exact) for y in range(low, high + 1)}
    return law | {"lower": at_least(q, exact - low + 1), "higher": at_least(q, high + 1 - exact)}


def tested(release: Fraction, law: dict[Any, Fraction]) -> dict[Any, Fraction]:
    """Return the distribution of None, or with probability ``release`` of an outcome of ``law``."""
    return {None: 1 - release} | {outcome: release * weight for outcome, weight in law.items()}


def run(
    answers: Sequence[int],
    first: Fraction,
    second: Fraction,
    cutoff: int | None,
    leads: int | None = None,
) -> dict[Any, Fraction]:
    """Return the distribution of a run of the sparse vector technique against the threshold 0.

    ``first`` is the noise of the threshold, ``second`` that of the answers. An output is a tuple of
    booleans, or with ``leads`` of leads 0, …, leads - 1, ``leads`` (that much or more) and None.

    The sum over the threshold noise t is exact: beyond all answers, every factor is a linear
    function of second^|t|, so that the two tails are finite sums of geometric series.
    """
    high = max(*answers, 0) + 1
    low = min(*answers, 0) - (leads or 0) - 1
    law = {}
    for output in _outputs(len(answers), cutoff, leads):
        shown = list(zip(answers, output, strict=False))
        middle = sum(
            (at(first, t) * _chance(shown, t, second, leads) for t in range(low + 1, high)),
            Fraction(0),
        )
        ends = (
            _polynomial(shown, end, second, leads, side) for end, side in ((high, 1), (low, -1))
        )
        tails = (
            (1 - first)
            / (1 + first)
            * sum(
                (c * first ** abs(end) / (1 - first * second**k) for k, c in enumerate(p)),
                Fraction(0),
            )
            for end, p in zip((high, low), ends, strict=True)
        )
        law[output] = middle + sum(tails, Fraction(0))
    return law


def _outputs(length: int, cutoff: int | None, leads: int | None) -> Iterator[tuple[Any, ...]]:
    below, above = (False, (True,)) if leads is None else (None, tuple(range(leads + 1)))
    seen = set()
    for full in product((below, *above), repeat=length):
        stops = [i + 1 for i, verdict in enumerate(full) if verdict is not below]
        cut = full[: stops[cutoff - 1]] if cutoff is not None and len(stops) >= cutoff else full
        if cut not in seen:
            seen.add(cut)
            yield cut


def _chance(shown: list[tuple[int, Any]], t: int, q: Fraction, leads: int | None) -> Fraction:
    chance = ONE
    for x, verdict in shown:
        reach = [at_least(q, t - x + g) for g in _ends(verdict, leads)]
        chance *= _of(verdict, reach, leads, ONE)
    return chance


def _ends(verdict: Any, leads: int | None) -> tuple[int, ...]:
    return (verdict, verdict + 1) if leads is not None and verdict is not None else (0,)


def _of(verdict: Any, reach: list[Any], leads: int | None, one: Any) -> Any:
    """Return the factor of one verdict, from the probabilities of its lead and the next one."""
    if verdict is None or verdict is False:
        return one - reach[0]
    return reach[0] if leads is None or verdict == leads else reach[0] - reach[1]


class _Linear:
    """The linear function a + b y."""

    def __init__(self, a: Fraction, b: Fraction) -> None:
        self.a, self.b = a, b

    def __sub__(self, other: _Linear) -> _Linear:
        return _Linear(self.a - other.a, self.b - other.b)


def _polynomial(
    shown: list[tuple[int, Any]], end: int, q: Fraction, leads: int | None, side: int
) -> list[Fraction]:
    """Return the product of the factors beyond ``end``, in powers of y = q^|t - end|."""
    coefficients = [ONE]
    for x, verdict in shown:
        reach = [
            (
                _Linear(Fraction(0), q ** (end - x + g) / (1 + q))
                if side > 0
                else _Linear(ONE, -(q ** (1 - (end - x + g))) / (1 + q))
            )
            for g in _ends(verdict, leads)
        ]
        factor = _of(verdict, reach, leads, _Linear(ONE, Fraction(0)))
        shifted = [Fraction(0), *(factor.b * c for c in coefficients)]
        coefficients = [
            factor.a * c + s for c, s in zip([*coefficients, Fraction(0)], shifted, strict=True)
        ]
    return coefficients
