"""The attacker's questions, asked of Hedgerow: a real database with a real ledger in memory.

Two analysts use up its budget together. The table is a copy of the secret column beside what the
attacker knows: who is in which group. No other ledger is opened, so no other budget is touched.

Every choice is made in the attacker's favour. The secret is asked for as a sum of +1 and -1, which
has the sensitivity of a count and half the relative noise; questions share the budget equally, in
whichever currency buys more; the two pool all answers and know the noise of each. After the last
answer the budget is exhausted: one more question is refused.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

import numpy as np

from hedgerow.answers.answer import Answer
from hedgerow.database.database import Database
from hedgerow.database.open_database import open_frame
from hedgerow.errors import BudgetExceeded, InvalidArgument, Refused
from hedgerow.numeric.exact_number import parse_delta, parse_epsilon
from hedgerow.numeric.rounding import round_down
from hedgerow.policy import Policy
from hedgerow.policy.records import Noise
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.budget_view import Balance
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.privacy.unit import Relation
from hedgerow.risk.attack.attack_bounds import Ceiling
from hedgerow.risk.attack.baseline_publishers import PublishedCounts
from hedgerow.risk.attack.question_sets import QuestionSet
from hedgerow.risk.attack.reconstruction import Mask

__all__ = ["ANALYSTS", "HedgerowPublisher"]

ANALYSTS: Final = ("ana", "bob")
_EPSILON_GRID: Final = 10**12  # epsilons are multiples of 1 over this
_MAX_UNITS: Final = 10_000_000


@dataclass(frozen=True, slots=True)
class HedgerowPublisher:
    """Hedgerow with a total budget of ``epsilon``, as a policy would set it up."""

    relation: Relation
    epsilon: Fraction
    delta: Fraction | None = None
    noise: Noise = "laplace"
    max_units: int = _MAX_UNITS

    def __post_init__(self) -> None:
        object.__setattr__(self, "epsilon", parse_epsilon(self.epsilon))
        if self.delta is not None:
            object.__setattr__(self, "delta", parse_delta(self.delta))
        if self.noise == "gaussian" and self.delta is None:
            raise InvalidArgument("noise", "must be 'laplace' if there is no delta", self.noise)
        _ = self.ceilings  # refuses bad parameters now rather than after the attack

    @property
    def name(self) -> str:
        """The name in charts."""
        return f"epsilon {float(self.epsilon):g}"

    @property
    def has_laplace_noise(self) -> bool:
        """True if the noise is Laplace.

        The best noise may be Gaussian too, but all questions here have the same, and it closes no
        currency.
        """
        return self.noise != "gaussian"

    @property
    def ceilings(self) -> tuple[Ceiling, ...]:
        """The bounds that hold: of the budget, and of its rho where Gaussian noise has closed
        epsilon.
        """
        whole = Ceiling(self.relation, "attribute", self.epsilon, self.delta or Fraction(0))
        if self.has_laplace_noise:
            return (whole,)
        return whole, Ceiling(self.relation, "attribute", rho=Budget(self.epsilon, self.delta).rho)

    @property
    def ceiling(self) -> Fraction:
        """The largest success rate of a guess at a secret."""
        return min(ceiling.success() for ceiling in self.ceilings)

    def publish(self, grouping: QuestionSet, secret: Mask) -> PublishedCounts:
        """Answer all questions in turn, until the budget is exhausted."""
        frame, policy = self._build_table(grouping, secret)
        answers, scales = [], []
        with open_frame(frame, policy) as database:
            price = _compute_price(database, grouping.questions)
            for place in range(grouping.questions):
                answer = _ask_question(database, place, price)
                answers.append(np.array([row["s"] for row in answer.rows], dtype=np.float64))
                scales.append(
                    np.full(len(answer.rows), self._compute_noise_scale(answer.receipt.epsilon))
                )
            exhausted = _is_exhausted(database, price)
        sizes = grouping.members.sum(axis=1)
        # In a group of this size, a sum s of +1 and -1 means (s + size)/2 people with the secret.
        return PublishedCounts(
            (np.concatenate(answers) + sizes) / 2, np.concatenate(scales), exhausted
        )

    def _compute_noise_scale(self, epsilon: Fraction) -> float:
        """Return the width of the noise, relative to other questions of this kind."""
        if self.has_laplace_noise:
            return float(1 / epsilon)
        return 1 / math.sqrt(compute_pure_rho(epsilon))

    def _build_table(self, grouping: QuestionSet, secret: Mask) -> tuple[Any, Policy]:
        import pyarrow as pa

        keys = {f"group_{place}": grouping.codes[place] for place in range(grouping.questions)}
        frame = pa.table({"sign": np.where(secret, 1, -1), **keys})
        every = list(range(grouping.groups))
        policy = Policy.for_frame(
            frame,
            unit="row",
            neighbours=self.relation,
            columns={"sign": (-1, 1), **dict.fromkeys(keys, every)},
            epsilon=self.epsilon,
            delta=self.delta,
            noise=self.noise,
            max_units=self.max_units,
        )
        return frame, policy


def _ask_question(database: Database, place: int, price: Fraction) -> Answer:
    """Ask a question as the analyst whose turn it is."""
    sql = (
        f"SELECT group_{place}, SUM(sign) AS s FROM data GROUP BY group_{place} ORDER BY"
        f" group_{place}"
    )
    answer = database.query(sql, epsilon=price, analyst=ANALYSTS[place % len(ANALYSTS)])
    assert isinstance(answer, Answer)
    return answer


def _is_exhausted(database: Database, price: Fraction) -> bool:
    """Return whether a further question, by anybody, is refused."""
    try:
        database.query("SELECT SUM(sign) AS s FROM data", epsilon=price, analyst=ANALYSTS[-1])
    except BudgetExceeded:
        return True
    return False


def _compute_price(database: Database, questions: int) -> Fraction:
    """Return the largest epsilon at which all questions can be paid: by epsilon, or by rho if
    that buys more.
    """
    view, noise = database.budget, database.policy.budgets[0].noise
    if isinstance(view, Balance):
        price = round_down(view.left / questions, _EPSILON_GRID)
    else:
        by_rho = _find_epsilon(view.rho.left / questions)
        by_epsilon = round_down(view.epsilon.left / questions, _EPSILON_GRID)
        # No question may ask for more than the total; rho would allow it where epsilon is as small
        # as delta.
        price = min(by_rho if noise == "gaussian" else max(by_rho, by_epsilon), view.epsilon.total)
    if not price:
        raise Refused(
            f"This budget is too small to share among {questions} questions. Use a larger epsilon."
        )
    return price


def _find_epsilon(rho: Fraction) -> Fraction:
    """Return the largest epsilon of a question that costs at most this rho."""
    low, high = 0, _EPSILON_GRID
    while compute_pure_rho(Fraction(high, _EPSILON_GRID)) <= rho:
        high *= 2
    while high - low > 1:
        middle = (low + high) // 2
        affordable = compute_pure_rho(Fraction(middle, _EPSILON_GRID)) <= rho
        low, high = (middle, high) if affordable else (low, middle)
    return Fraction(low, _EPSILON_GRID)
