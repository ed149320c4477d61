"""A comparison as an attack would give it, and its target, without an attack."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.policy import BudgetRule, TableRule
from hedgerow.risk.attack.baseline_publishers import BASELINE_PUBLISHERS
from hedgerow.risk.attack.comparison import (
    CROSSING,
    HALVES,
    ONE_BY_ONE,
    AttackComparison,
    AttackResult,
    Crowd,
)
from hedgerow.risk.attack.hedgerow_publisher import HedgerowPublisher
from hedgerow.risk.attack.success_rate import SuccessRate
from hedgerow.risk.attack.target import AttackTarget


def success(rate: float, *, apart: bool) -> SuccessRate:
    return SuccessRate(round(rate * 4000), 200, 20, apart)


def comparison(
    relation: Any = "add-remove", delta: Fraction | None = None, rate: float = 0.8
) -> AttackComparison:
    """Habits are broken by crossing groups; at epsilon 1 the rate is as given, at 10 everything
    is known.
    """
    before = [
        AttackResult(habit.name, attack, success(hit, apart=attack == ONE_BY_ONE))
        for habit in BASELINE_PUBLISHERS
        for attack, hit in ((ONE_BY_ONE, 0.5), (HALVES, 0.999))
    ]
    guards = tuple(HedgerowPublisher(relation, Fraction(epsilon), delta) for epsilon in ("1", "10"))
    after = [
        AttackResult(
            guard.name,
            attack,
            success(hit, apart=attack == ONE_BY_ONE),
            guard.epsilon,
            guard.ceiling,
        )
        for guard, best in zip(guards, (rate, 1.0), strict=True)
        for attack, hit in ((ONE_BY_ONE, best), (CROSSING, 0.6))
    ]
    return AttackComparison(200, 20, tuple(before), tuple(after), guards)


def target(relation: Any = "add-remove", delta: Fraction | None = None) -> AttackTarget:
    rule = TableRule(
        "visits",
        "visits.csv",
        unit="patient",
        neighbours=relation,
        population="people",
        version="<7>",
    )
    tenth = Fraction(1, 10)
    budget = BudgetRule("people", Fraction(3), delta, tenth, None, Fraction(1), "laplace")
    return AttackTarget(
        rule, budget, "smoker", "whether smoker is <yes>", Crowd(np.arange(400) % 2 == 0)
    )
