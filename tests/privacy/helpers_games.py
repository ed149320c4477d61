"""Games of an analyst against a filter, and filters with a mistake."""

from __future__ import annotations

import math
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.numeric.rounding import log_up
from hedgerow.privacy import Budget, Loss, PartLosses
from hedgerow.privacy.parallel_composition import TableParts
from privacy.helpers_adversary import Toss

INF = math.inf


HUNDREDTH = Fraction(1, 100)


def spend(budget: Budget, loss: Loss) -> tuple[Budget, int]:
    """Charge the same loss until it is refused."""
    count = 0
    while budget.covers(loss):
        budget, count = budget.charge(loss), count + 1
    return budget, count


def split(epsilon: object = 1, delta: object = None, **most: int) -> Budget:
    """Return a budget whose tables have three parts, with a unit in at most ``most`` of them."""
    return Budget(
        epsilon, delta, parts={table: PartLosses(k, ("a", "b", "c")) for table, k in most.items()}
    )  # type: ignore[arg-type]


@dataclass(frozen=True)
class Game:
    base: Fraction
    target: int
    delta: Fraction
    tosses: tuple[Toss, ...]
    conversion: Fraction = Fraction(1, 2)

    @property
    def budget(self) -> Budget:
        return Budget(self.target * log_up(self.base), self.delta, self.conversion)


SMALL = Game(Fraction(11, 10), 10, HUNDREDTH, (Toss(1), Toss(3), Toss(10)), Fraction(1))


COARSE = Game(Fraction(6, 5), 8, Fraction(1, 10), (Toss(1), Toss(2), Toss(8)), Fraction(1))


LEAKY = Game(Fraction(11, 10), 12, HUNDREDTH, (Toss(1), Toss(1, HUNDREDTH / 10), Toss(12)))


GAMES = [
    SMALL,
    COARSE,
    LEAKY,
    Game(Fraction(11, 10), 21, HUNDREDTH, (Toss(1), Toss(4), Toss(21)), Fraction(1)),
    Game(Fraction(21, 20), 12, Fraction(1, 1000), (Toss(1), Toss(2), Toss(12)), Fraction(1)),
    Game(Fraction(6, 5), 6, Fraction(1, 10), (Toss(1), Toss(2, HUNDREDTH), Toss(6, HUNDREDTH))),
]


class Late(Budget):
    """Planted mistake: checks the earlier charges only, not the one being asked for."""

    def covers(self, loss: Loss, at: TableParts | None = None) -> bool:
        return self.is_within


@dataclass(frozen=True)
class SeparateAccounts:
    """Planted mistake: charges epsilon while it lasts and rho after that, separately."""

    budget: Budget
    epsilon: Fraction | float = Fraction(0)
    rho: Fraction | float = Fraction(0)

    def covers(self, loss: Loss) -> bool:
        return (
            self.epsilon + loss.epsilon <= self.budget.epsilon
            or self.rho + loss.rho <= self.budget.rho
        )

    def add_charge(self, loss: Loss) -> SeparateAccounts:
        if self.epsilon + loss.epsilon <= self.budget.epsilon:
            return replace(self, epsilon=self.epsilon + loss.epsilon)
        return replace(self, rho=self.rho + loss.rho)


class FreeThresholds(Budget):
    """Planted mistake: ignores the deltas of thresholds."""

    def add_charge(self, loss: Loss, at: TableParts | None = None) -> Budget:
        return super().add_charge(Loss(loss.epsilon, Fraction(0), loss.rho), at)
