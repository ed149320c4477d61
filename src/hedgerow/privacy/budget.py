"""The dual filter: a bound on the total loss of one population, for adaptively chosen questions.

**Statement.** Let an analyst choose each question in full view of all earlier answers, charges
included, and stop when ``charge`` refuses. Then the whole interaction is epsilon-DP for a budget
without delta, and (epsilon, delta)-DP for a budget with one.

**Rule.** E is the budget's epsilon. The sums include the charge being asked for.

- without delta: sum of epsilon <= E, and no charge has a delta;
- with delta, split into a conversion share c and a threshold share t, c + t = delta: the deltas of
  all charges sum to at most t, and sum of epsilon <= E **or** sum of rho <= R, where R =
  find_largest_rho(E, c).

The proof is in docs/decisions/0002-dual-filter.md. A sum of pure epsilons is cheap for few large
questions, rho for many small ones; with both, the data owner need not know in advance which it will
be. A charge without a pure epsilon (Gaussian noise) closes the first branch for good.

A charge may name the parts of a table that it reads (``parallel_composition``). The sums are then
the most that one unit pays: ``unit_loss``.
"""

from __future__ import annotations

import functools
from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from fractions import Fraction

from hedgerow.errors import BudgetExceeded, InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_delta, parse_epsilon, parse_positive
from hedgerow.privacy.budget_view import Balance, DualBalance, format_digits
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.parallel_composition import PartLosses, TableParts
from hedgerow.privacy.zcdp_conversion import find_largest_rho

__all__ = ["Budget"]

_NO_LOSS = Loss(Fraction(0))

PartsByTable = Mapping[str, PartLosses]


@dataclass(frozen=True, slots=True)
class Budget:
    """A total and its charges so far: an immutable value; ``charge`` returns the next one.

    ``conversion`` is the share of delta that pays for converting rho to epsilon; the rest pays for
    thresholds and tested releases. ``charged`` is the loss charged to every unit; ``parts`` has, by
    table, the losses charged to parts only.
    """

    epsilon: Fraction
    delta: Fraction | None = None
    conversion: Fraction = Fraction(1, 2)
    charged: Loss = _NO_LOSS
    parts: PartsByTable = field(default_factory=dict, hash=False)

    def __init__(
        self,
        epsilon: Number,
        delta: Number | None = None,
        conversion: Number = 0.5,
        charged: Loss = _NO_LOSS,
        parts: PartsByTable | None = None,
    ) -> None:
        share = parse_positive(conversion, "conversion")
        if share > 1:
            raise InvalidArgument("conversion", "must be at most 1", conversion)
        checked = {
            "epsilon": parse_epsilon(epsilon),
            "delta": None if delta is None else parse_delta(delta),
            "conversion": share,
            "charged": _check_loss(charged, "charged"),
            "parts": {} if parts is None else parts,
        }
        for name, value in checked.items():
            object.__setattr__(self, name, value)

    @property
    def rho(self) -> Fraction:
        """R: the rho that the conversion share of delta converts to epsilon; 0 without delta."""
        if self.delta is None:
            return Fraction(0)
        return _find_budget_rho(self.epsilon, self.delta * self.conversion)

    @property
    def threshold_delta(self) -> Fraction:
        """The share of delta that thresholds and tested releases may spend."""
        return Fraction(0) if self.delta is None else self.delta * (1 - self.conversion)

    @property
    def unit_loss(self) -> Loss:
        """The most that one unit has paid: common charges, and the dearest parts of each table."""
        return sum((parts.unit_loss for parts in self.parts.values()), self.charged)

    def covers(self, loss: Loss, at: TableParts | None = None) -> bool:
        """Return whether ``loss`` may still be charged; with ``at``, to those parts only."""
        return self.add_charge(loss, at).is_within

    def charge(self, loss: Loss, at: TableParts | None = None) -> Budget:
        """Return this budget with ``loss`` charged, or raise BudgetExceeded. Charges are never
        refunded.
        """
        if not self.covers(loss, at):
            raise BudgetExceeded(
                f"The budget does not cover this question: {self._describe_shortfall(loss, at)}."
            )
        return self.add_charge(loss, at)

    def add_charge(self, loss: Loss, at: TableParts | None = None) -> Budget:
        """Return this budget with ``loss`` charged, even if it overdraws the total."""
        _check_loss(loss, "loss")
        if at is None:
            return replace(self, charged=self.charged + loss)
        if at.table not in self.parts:
            raise InvalidArgument("parts", "must belong to a table with declared parts", at.table)
        charged = self.parts[at.table].charge(at.names, loss)
        return replace(self, parts={**self.parts, at.table: charged})

    @property
    def is_within(self) -> bool:
        """True if the charges are within the total."""
        total = self.unit_loss
        if total.delta > self.threshold_delta:
            return False
        return total.epsilon <= self.epsilon or (self.delta is not None and total.rho <= self.rho)

    @property
    def balance(self) -> Balance | DualBalance:
        """The total, spent and left; with delta, one line each for epsilon, rho and the threshold
        delta.

        Its ``parts`` have the same for each part: ``spent`` is the most that a unit in that part
        has paid, ``left`` is what may still be asked of that part alone.
        """
        paid = self.unit_loss
        balances = {
            table: self._build_part_balances(parts, paid) for table, parts in self.parts.items()
        }
        return replace(self._build_balance(paid), parts=balances)

    def _build_balance(self, spent: Loss) -> Balance | DualBalance:
        epsilon = Balance(self.epsilon, spent.epsilon)
        if self.delta is None:
            return epsilon
        rho, delta = Balance(self.rho, spent.rho), Balance(self.threshold_delta, spent.delta)
        return DualBalance(epsilon, rho, delta, conversion_delta=self.delta * self.conversion)

    def _build_part_balances(
        self, parts: PartLosses, paid: Loss
    ) -> dict[str, Balance | DualBalance]:
        elsewhere = (other.unit_loss for other in self.parts.values() if other is not parts)
        base = sum(elsewhere, self.charged)
        return {
            name: self._build_balance(self._close_overdrawn(paid, base + loss))
            for name, loss in parts.unit_loss_by_part.items()
        }

    def _close_overdrawn(self, paid: Loss, here: Loss) -> Loss:
        """Return the loss of a part, with each line closed that is overdrawn for any unit.

        A line is overdrawn after the total was lowered, or by Gaussian noise.
        """
        return Loss(
            paid.epsilon if paid.epsilon > self.epsilon else here.epsilon,
            paid.delta if paid.delta > self.threshold_delta else here.delta,
            paid.rho if paid.rho > self.rho else here.rho,
        )

    def _describe_shortfall(self, loss: Loss, at: TableParts | None) -> str:
        """Describe the request and the rest, for the lines that the charge overdraws."""
        view = self.balance
        if at is not None:
            view = min(
                (view.parts[at.table][name] for name in at.names),
                key=lambda part: part.left if isinstance(part, Balance) else part.epsilon.left,
            )
        if isinstance(view, Balance):
            if loss.delta > 0:
                return (
                    f"it asks for a delta of {format_digits(loss.delta, up=True)}, and this budget"
                    " has none"
                )
            if isinstance(loss.epsilon, float):
                fix = "add delta = 1e-9 under [budget], or write noise = 'laplace'"
                return (
                    "it asks for Gaussian noise, which has no pure epsilon, and this budget has no"
                    f" delta; {fix}"
                )
            return f"it asks for {_format_request('epsilon', loss.epsilon, view)}"
        if loss.delta > view.delta.left:
            return f"it asks for {_format_request('delta', loss.delta, view.delta)} for thresholds"
        # Gaussian noise is charged in rho alone
        pure = isinstance(loss.epsilon, Fraction) or isinstance(loss.rho, float)
        return (
            "it asks for "
            + f"{_format_request('epsilon', loss.epsilon, view.epsilon)}, or " * pure
            + _format_request("rho", loss.rho, view.rho)
        )


def _format_request(name: str, amount: Fraction | float, balance: Balance) -> str:
    wanted = f"an unlimited {name}"
    if isinstance(amount, Fraction):
        wanted = f"{name} {format_digits(amount, up=True)}"
    return f"{wanted} with {format_digits(balance.left)} left"


def _check_loss(loss: object, argument: str) -> Loss:
    if not isinstance(loss, Loss):
        raise InvalidArgument(argument, "must be a Loss", loss)
    return loss


_find_budget_rho = functools.lru_cache(maxsize=256)(find_largest_rho)
