"""The dual filter: what one population of people may lose in all, however the questions are chosen.

**Statement.** Ask anything, each question chosen in full view of all earlier answers, charges included; stop when ``after`` refuses.
Then the whole conversation is epsilon-DP for a budget without delta, and (epsilon, delta)-DP for a budget with one.

**Rule.** The sums include the charge being asked for.

* without delta: sum of epsilon <= E, and no charge has a delta;
* with delta, split into a conversion share c and a threshold share t, c + t = delta: the charges' deltas sum to at most t, and
  sum of epsilon <= E **or** sum of rho <= R, where R = rho_of(E, c).

The proof is in docs/decisions/0002-dual-filter.md. A pure epsilon sum is cheap for few large questions, rho for many small ones; with
both, a custodian need not know beforehand which it will be. A charge without a pure epsilon (Gaussian noise) closes the first
branch for good.
"""

from __future__ import annotations

import functools
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.errors import BudgetExceeded, InvalidArgument
from hedgerow.numeric.number import positive, privacy_delta, privacy_epsilon
from hedgerow.privacy.account import Account, DualAccount, decimals
from hedgerow.privacy.conversion import rho_of
from hedgerow.privacy.loss import Loss

__all__ = ["Budget"]

_NOTHING = Loss(Fraction(0))


@dataclass(frozen=True, slots=True)
class Budget:
    """A total and what was charged to it so far; a frozen value, ``after`` gives the next one.

    ``conversion`` is the part of delta that pays for reading rho as epsilon; the rest pays for thresholds and tested releases.
    """

    epsilon: Fraction
    delta: Fraction | None = None
    conversion: Fraction = Fraction(1, 2)
    charged: Loss = _NOTHING

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", privacy_epsilon(self.epsilon))
        if self.delta is not None:
            object.__setattr__(self, "delta", privacy_delta(self.delta))
        share = positive(self.conversion, "conversion")
        if share > 1:
            raise InvalidArgument("conversion", "must be at most 1", self.conversion)
        object.__setattr__(self, "conversion", share)
        _check(self.charged, "charged")

    @property
    def rho(self) -> Fraction:
        """R: the rho that the conversion share of delta turns into epsilon; 0 without delta."""
        return Fraction(0) if self.delta is None else _largest_rho(self.epsilon, self.delta * self.conversion)

    @property
    def thresholds(self) -> Fraction:
        """The share of delta that thresholds and tested releases may spend."""
        return Fraction(0) if self.delta is None else self.delta * (1 - self.conversion)

    def covers(self, loss: Loss) -> bool:
        """Whether ``loss`` may still be charged."""
        return self._holds(self.charged + _check(loss, "loss"))

    def after(self, loss: Loss) -> Budget:
        """This budget with ``loss`` charged to it; BudgetExceeded when it does not fit. Nothing is ever given back."""
        if not self.covers(loss):
            raise BudgetExceeded(f"The budget does not cover this question: {self._shortfall(loss)}.")
        return replace(self, charged=self.charged + loss)

    @property
    def view(self) -> Account | DualAccount:
        """Total, spent and left; with delta one line each for epsilon, rho and the threshold share of delta."""
        epsilon = Account(self.epsilon, self.charged.epsilon)
        if self.delta is None:
            return epsilon
        return DualAccount(epsilon, Account(self.rho, self.charged.rho), Account(self.thresholds, self.charged.delta))

    def _holds(self, total: Loss) -> bool:
        if total.delta > self.thresholds:
            return False
        return total.epsilon <= self.epsilon or (self.delta is not None and total.rho <= self.rho)

    def _shortfall(self, loss: Loss) -> str:
        """Asked and left, in words; only the lines that the charge overdraws."""
        view = self.view
        if isinstance(view, Account):
            if loss.delta > 0:
                return f"it asks for a delta of {decimals(loss.delta, up=True)}, and this budget has none"
            return f"it asks for {_asked('epsilon', loss.epsilon, view)}"
        if loss.delta > view.delta.left:
            return f"it asks for {_asked('delta', loss.delta, view.delta)} for thresholds"
        return f"it asks for {_asked('epsilon', loss.epsilon, view.epsilon)}, or {_asked('rho', loss.rho, view.rho)}"


def _asked(name: str, amount: Fraction | float, account: Account) -> str:
    wanted = f"an unlimited {name}" if isinstance(amount, float) else f"{name} {decimals(amount, up=True)}"
    return f"{wanted} with {decimals(account.left)} left"


def _check(loss: object, argument: str) -> Loss:
    if not isinstance(loss, Loss):
        raise InvalidArgument(argument, "must be a Loss", loss)
    return loss


@functools.lru_cache(maxsize=256)
def _largest_rho(epsilon: Fraction, delta: Fraction) -> Fraction:
    return rho_of(epsilon, delta)
