"""A comparison as an attack would give it, and its target, without an attack."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.policy import BudgetRule, TableRule
from hedgerow.risk.attack.comparison import CROSSING, HALVES, ONE_BY_ONE, Comparison, Crowd, Line
from hedgerow.risk.attack.guarded import Guarded
from hedgerow.risk.attack.publisher import HABITS
from hedgerow.risk.attack.secret import Target
from hedgerow.risk.attack.success import Success


def success(rate: float, *, apart: bool) -> Success:
    return Success(round(rate * 4000), 200, 20, apart)


def comparison(relation: Any = "add-remove", delta: Fraction | None = None, rate: float = 0.8) -> Comparison:
    """Habits are broken by crossing groups; at epsilon 1 the rate is as given, at 10 everything is known."""
    before = [
        Line(habit.name, attack, success(hit, apart=attack == ONE_BY_ONE))
        for habit in HABITS
        for attack, hit in ((ONE_BY_ONE, 0.5), (HALVES, 0.999))
    ]
    guards = tuple(Guarded(relation, Fraction(epsilon), delta) for epsilon in ("1", "10"))
    after = [
        Line(guard.name, attack, success(hit, apart=attack == ONE_BY_ONE), guard.epsilon, guard.ceiling)
        for guard, best in zip(guards, (rate, 1.0), strict=True)
        for attack, hit in ((ONE_BY_ONE, best), (CROSSING, 0.6))
    ]
    return Comparison(200, 20, tuple(before), tuple(after), guards)


def target(relation: Any = "add-remove", delta: Fraction | None = None) -> Target:
    rule = TableRule("visits", "visits.csv", unit="patient", neighbours=relation, population="people", version="<7>")
    tenth = Fraction(1, 10)
    budget = BudgetRule("people", Fraction(3), delta, tenth, None, Fraction(1), "laplace")
    return Target(rule, budget, "smoker", "whether smoker is <yes>", Crowd(np.arange(400) % 2 == 0))
