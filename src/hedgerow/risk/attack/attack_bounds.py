"""Bounds on the best attacker, from the guarantee alone: guessing one yes/no secret, and belief
in it.

The secret is an **attribute** of a person (does she have the disease?) or her **presence** in the
data.

| symbol | meaning |
|---|---|
| P, N | the distributions of all answers together if the secret is yes, and if it is no |
| R | the distribution of all answers if the person is missing from the data |
| S | the answers on which the attacker says yes |
| x | e^epsilon |
| p | the prior probability of yes |
| r, s | R(S), N(S) |
| t | the total variation between neighbours |
| c | the probability that a bound on belief may fail |

**Factor.** Under change-one the two data sets of an attribute are neighbours; so are those of
presence under add-remove. An attribute under add-remove is two steps, through R. Presence under
change-one is public.

**Success, (epsilon, delta)** (delta may be 0). For neighbours P and N, P(S) <= g(N(S)) with

    g(r) = min(1, x r + delta, 1 - (1 - r - delta)/x),

where the last is N(not S) <= x P(not S) + delta. An attacker with prior p, who says yes on S, is
right with probability at most p g(s) + (1-p) (1-s). Through R: p g(r) + (1-p) g(1-r). Both are
concave and piecewise linear, so the largest value is at a corner. Each is reached by answers of one
bit with these probabilities. At p = 1/2 the corners are (x + delta)/(1 + x), as in randomised
response, and 1 - (1 - 2 delta)/(2x), as for a sum of +1 and -1 with discrete Laplace noise.

**Success, rho.** t is at most sqrt(rho/2) (Pinsker) and sqrt(1 - e^-rho) (Bretagnolle and Huber),
since the divergence of Kullback and Leibler is at most rho; two steps are worth 4 rho. An attacker
with prior p >= 1/2 is right with probability at most p + (1-p) t. At p = 1/2 that is 1/2 +
sqrt(rho/2)/2, and 1/2 + sqrt(rho/2) for two steps.

**Belief.** By Bayes' rule an answer multiplies the odds by P(answer)/N(answer). Pure: at most x, or
x^2 through R. Otherwise some answers may prove everything, and a bound holds except with a stated
probability c: with delta the odds grow by more than e^k with a probability of at most delta/(1 -
e^(epsilon-k)), because P(S) <= x N(S) + delta <= e^(epsilon-k) P(S) + delta on the answers S where
they do; with rho by more than e^(rho + 2 sqrt(rho ln(1/c))) with at most c (Markov's inequality for
the Rényi divergences).

All numbers are rounded up.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from typing import Final, Literal

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact, parse_probability
from hedgerow.numeric.rounding import (
    exp_down,
    exp_up,
    log_down,
    log_up,
    round_down,
    round_up,
    sqrt_up,
)
from hedgerow.privacy.unit import RELATIONS, Relation

__all__ = [
    "EPSILONS",
    "Ceiling",
    "EpsilonChoice",
    "SecretKind",
    "epsilon_for",
    "list_epsilon_choices",
]

SecretKind = Literal["attribute", "presence"]

EPSILONS: Final = tuple(map(Fraction, ("0.01", "0.1", "0.25", "0.5", "1", "2", "3", "5", "10")))
_HALF: Final = Fraction(1, 2)
# Beyond it a bound differs from 1 by less than 10^-200, and exact rationals become too long.
_MAX_EXPONENT: Final = Fraction(500)


@dataclass(frozen=True, slots=True)
class Ceiling:
    """The guarantee over all answers together: ``epsilon`` with or without ``delta``, or
    ``rho``.
    """

    relation: Relation
    secret: SecretKind = "attribute"
    epsilon: Fraction | None = None
    delta: Fraction = Fraction(0)
    rho: Fraction | None = None

    def __post_init__(self) -> None:
        if self.relation not in RELATIONS:
            raise InvalidArgument("relation", "must be 'add-remove' or 'change-one'", self.relation)
        if self.secret not in ("attribute", "presence"):
            raise InvalidArgument("secret", "must be 'attribute' or 'presence'", self.secret)
        if self.secret == "presence" and self.relation == "change-one":
            raise InvalidArgument(
                "secret",
                "must be 'attribute' under change-one, which hides nobody's presence",
                self.secret,
            )
        if (self.epsilon is None) == (self.rho is None):
            raise InvalidArgument("epsilon", "or rho must be given, but not both", self.epsilon)
        for name in ("epsilon", "delta", "rho"):
            value = getattr(self, name)
            if value is not None:
                object.__setattr__(self, name, _check_non_negative(value, name))
        if self.delta >= 1 or (self.delta and self.epsilon is None):
            raise InvalidArgument(
                "delta", "must be below 1, and needs epsilon, not rho", self.delta
            )

    @property
    def steps(self) -> int:
        """The number of steps between the two data sets: 2 for an attribute under add-remove,
        else 1.
        """
        return 2 if self.relation == "add-remove" and self.secret == "attribute" else 1

    def success(self, prior: Number = _HALF) -> Fraction:
        """Return the largest success rate of a guess, if the secret is yes with probability
        ``prior``.
        """
        p = parse_probability(prior, "prior")
        if self.rho is not None:
            variation = _bound_total_variation(self.rho * self.steps**2)
            return min(Fraction(1), max(p, 1 - p) + min(p, 1 - p) * variation)
        epsilon = self.epsilon or Fraction(0)
        if epsilon > _MAX_EXPONENT:
            return Fraction(1)
        factor = _bound_odds_factor(epsilon)
        return min(Fraction(1), round_up(_maximise_success(p, factor, self.delta, self.steps)))

    def belief(self, prior: Number = _HALF, *, but: Number = 0) -> Fraction:
        """Return the largest belief after all answers, from ``prior``, except with probability
        ``but``.

        It is 1 where nothing can be promised: with delta or rho, ``but`` must be above delta
        (through two steps, above (1 + e^epsilon) delta).
        """
        p, chance = parse_probability(prior, "prior"), _check_non_negative(but, "but")
        if chance >= 1:
            raise InvalidArgument("but", "must be below 1", but)
        growth = self._bound_log_odds_growth(chance)
        if growth is None or growth > _MAX_EXPONENT:
            return Fraction(1)
        factor = _bound_odds_factor(growth)
        return min(Fraction(1), round_up(p * factor / (1 - p + p * factor)))

    def belief_curve(
        self, priors: Iterable[Number], *, but: Number = 0
    ) -> tuple[tuple[Fraction, Fraction, Fraction], ...]:
        """Return each prior with the smallest and the largest belief afterwards."""
        curve = []
        for prior in priors:
            p = parse_probability(prior, "prior")
            curve.append((p, 1 - self.belief(1 - p, but=but), self.belief(p, but=but)))
        return tuple(curve)

    def _bound_log_odds_growth(self, chance: Fraction) -> Fraction | None:
        """Bound the growth of the log odds, except with this probability; None if there is no
        bound.
        """
        if self.rho is not None:
            rho = self.rho * self.steps**2
            if rho == 0:
                return Fraction(0)
            return None if chance == 0 else rho + 2 * sqrt_up(rho * log_up(1 / chance))
        epsilon = (self.epsilon or Fraction(0)) * self.steps
        if self.delta == 0 or epsilon > _MAX_EXPONENT:
            return epsilon
        delta = self.delta * (1 + exp_up(epsilon / 2)) if self.steps == 2 else self.delta
        return None if chance <= delta else epsilon + log_up(1 / (1 - delta / chance))


@dataclass(frozen=True, slots=True)
class EpsilonChoice:
    """An epsilon with its largest belief from 50 % and its largest success rate of a guess."""

    epsilon: Fraction
    belief: Fraction
    success: Fraction


def list_epsilon_choices(
    relation: Relation, secret: SecretKind = "attribute", epsilons: Iterable[Number] = EPSILONS
) -> tuple[EpsilonChoice, ...]:
    """Return a table for choosing a pure epsilon: what each total allows."""
    each = (Ceiling(relation, secret, parse_exact(epsilon, "epsilon")) for epsilon in epsilons)
    return tuple(
        EpsilonChoice(ceiling.epsilon or Fraction(0), ceiling.belief(), ceiling.success())
        for ceiling in each
    )


def epsilon_for(
    belief: Number, relation: Relation, secret: SecretKind = "attribute", prior: Number = _HALF
) -> Fraction:
    """Return the largest pure epsilon at which belief rises from ``prior`` to at most
    ``belief``.

    It is rounded down.
    """
    p, limit = parse_probability(prior, "prior"), parse_probability(belief, "belief")
    if limit <= p:
        raise InvalidArgument(
            "belief",
            f"must be above the prior belief of {float(p):g}, which no epsilon can lower",
            belief,
        )
    odds = limit / (1 - limit) * (1 - p) / p
    return round_down(log_down(odds) / Ceiling(relation, secret, Fraction(0)).steps, 10**12)


def _maximise_success(p: Fraction, x: Fraction, delta: Fraction, steps: int) -> Fraction:
    """Return the largest success over the corners; an x that is rounded up still gives a bound."""

    def g(r: Fraction) -> Fraction:
        return min(Fraction(1), x * r + delta, 1 - (1 - r - delta) / x)

    bend = (1 - delta) / (1 + x)  # where the second and the third are equal
    corners = {Fraction(0), Fraction(1), bend, 1 - bend, delta, 1 - delta}
    if steps == 1:
        return max(p * g(r) + (1 - p) * (1 - r) for r in corners)
    return max(p * g(r) + (1 - p) * g(1 - r) for r in corners)


def _bound_odds_factor(growth: Fraction) -> Fraction:
    """Bound e^growth from above; exactly 1 for no growth."""
    return exp_up(growth) if growth else Fraction(1)


def _bound_total_variation(rho: Fraction) -> Fraction:
    """Bound the total variation that this rho allows."""
    tail = exp_down(-min(rho, _MAX_EXPONENT))
    return min(Fraction(1), sqrt_up(rho / 2), sqrt_up(1 - tail))


def _check_non_negative(value: object, argument: str) -> Fraction:
    number = parse_exact(value, argument)
    if number < 0:
        raise InvalidArgument(argument, "must be at least 0", value)
    return number
