"""The privacy loss of releases, as plain data, and its composition.

**Meaning.** ``Loss(epsilon, delta, rho)`` says of a release: for every ordered pair of neighbours,
the output distributions P and Q can be written as

    P = (1 - delta) P' + delta P'',      Q = (1 - delta) Q' + delta Q'',

where the *same* good pair (P', Q') has |ln(P'/Q')| <= epsilon everywhere and D_alpha(P' || Q') <=
rho * alpha for every alpha > 1, in both directions. Infinity means that nothing is known. So one
good event, of probability at least 1 - delta in both data sets, gives the epsilon and the rho; this
is why a budget counts delta only once (docs/decisions/0002-dual-filter.md).

An (epsilon, delta)-indistinguishable pair always has such a form with P', Q' pure (Kairouz, Oh,
Viswanath 2015), and pure pairs have rho = epsilon tanh(epsilon/2), which is filled in when rho is
left out. A smaller rho stated next to a delta must hold on that same good pair. For thresholds it
does: there the good event is "no key of a single unit was published".

Every number is an exact upper bound; rounding is upwards (rho to a multiple of 10^-30). Losses are
stored and read again years later: their meaning never changes.
"""

from __future__ import annotations

import math
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context, Decimal
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact, parse_nonnegative, parse_whole
from hedgerow.numeric.rounding import exp_down, exp_up, round_digits_up, round_up
from hedgerow.privacy.zcdp import compute_pure_rho
from hedgerow.privacy.zcdp_conversion import (
    convert_rho_to_delta,
    convert_rho_to_epsilon,
    find_largest_rho,
    parse_bound,
)

__all__ = [
    "Bound",
    "Loss",
    "compute_pure_rho",
    "convert_rho_to_delta",
    "convert_rho_to_epsilon",
    "find_largest_rho",
    "format_bound",
]

Bound = Fraction | float
"""A Fraction or ``math.inf``; no other float."""

_ONE = Fraction(1)
_RATIONAL = re.compile(r"(0|[1-9][0-9]{0,4299})/([1-9][0-9]{0,4299})")
_SHOWN_DIGITS = Context(prec=6, rounding=ROUND_CEILING)


@dataclass(frozen=True, slots=True)
class Loss:
    """An upper bound on what one release, or many together, reveal about one unit."""

    epsilon: Bound
    delta: Fraction = Fraction(0)
    rho: Bound = math.inf

    def __init__(self, epsilon: Number, delta: Number = 0, rho: Number = math.inf) -> None:
        pure, bound = parse_bound(epsilon, "epsilon"), parse_bound(rho, "rho")
        exact_delta = parse_exact(delta, "delta")
        if not 0 <= exact_delta <= 1:
            raise InvalidArgument("delta", "must lie between 0 and 1", delta)
        if isinstance(bound, Fraction):
            bound = round_up(bound)
        elif isinstance(pure, Fraction):
            bound = compute_pure_rho(pure)
        object.__setattr__(self, "epsilon", pure)
        object.__setattr__(self, "delta", exact_delta)
        object.__setattr__(self, "rho", bound)

    def __add__(self, other: Loss) -> Loss:
        """Compose two releases, the second chosen in full view of the first: all parts add up."""
        if not isinstance(other, Loss):
            return NotImplemented
        return _compose((self, other))

    def __mul__(self, count: int) -> Loss:
        """Compose ``count`` releases with this loss each, which is not group privacy.

        Zero releases cost nothing, even where one would cost infinity.
        """
        n = parse_whole(count, "count") if parse_exact(count, "count") else 0
        return Loss(
            _multiply_bound(n, self.epsilon),
            min(_ONE, n * self.delta),
            _multiply_bound(n, self.rho),
        )

    __rmul__ = __mul__

    def group(self, k: int) -> Loss:
        """Return the loss towards k units together, given that this is the loss towards one.

        Between data sets k steps apart, without delta: k * epsilon, because ratios multiply, and
        k^2 * rho (Bun and Steinke 2016).

        With delta: P_0(S) <= e^eps P_1(S) + delta <= … <= e^(k eps) P_k(S) + delta (1 + e^eps + … +
        e^((k-1) eps)), so k * epsilon with delta times that sum, (e^(k eps) - 1) / (e^eps - 1).
        Coins attain it: x_k = 0, x_(i-1) = e^eps x_i + delta for the probability of S. The good
        pairs of the k steps are k different pairs and do not chain, so k^2 * rho is *not* known to
        survive; what holds is the rho of a pure pair at k * epsilon, on the good pair of the new
        (epsilon, delta). Where epsilon is infinite there is no such pair and nothing is known: the
        result is infinite, with delta = 1.
        """
        k = parse_whole(k, "k")
        if k == 1:
            return self
        epsilon = _multiply_bound(k, self.epsilon)
        if self.delta == 0:
            return Loss(epsilon, Fraction(0), _multiply_bound(k**2, self.rho))
        if isinstance(self.epsilon, float):
            return Loss(math.inf, _ONE, math.inf)
        # beyond e^1000 the product is above 1 for every delta in use; 1 always holds, and keeps
        # the rationals short
        if (k - 1) * self.epsilon > 1000:
            return Loss(epsilon, _ONE)
        return Loss(epsilon, min(_ONE, _sum_series(self.epsilon, k) * self.delta))

    @staticmethod
    def parallel(*losses: Loss, k: int = 1, may_move: bool = False) -> Loss:
        """Compose releases on disjoint parts of the data: the k dearest, for rows in at most ``k``
        parts.

        The split must not depend on the data of others, and the bound of k parts must be enforced.

        ``may_move`` is for change-one where the replacement may land in other parts (parts chosen
        by a value, or by the id of the replacement): the old rows leave k parts and the new ones
        enter k others, so the 2k dearest count. Every part's loss must then hold under add-remove
        (a unit is added or removed: the size of a part is private) and under change-one (it stays,
        and changes). Where units cannot move (add-remove; or parts fixed by position or by an id
        that stays), leave it out.

        The dearest are chosen for epsilon, delta and rho separately, which bounds every choice of
        parts.
        """
        touched = parse_whole(k, "k") * (2 if may_move else 1)
        if not losses or not all(isinstance(loss, Loss) for loss in losses):
            raise InvalidArgument("losses", "must be at least one Loss")
        return _compose(losses, touched)

    def epsilon_at(self, delta: Number) -> Bound:
        """Return the least epsilon known at this total ``delta``; infinite if none is.

        It is the pure epsilon, or the one converted from rho. Both need the loss's own delta first;
        only the rest pays for the conversion.
        """
        total = parse_exact(delta, "delta")
        if not 0 <= total < 1:
            raise InvalidArgument("delta", "must be at least 0 and below 1", delta)
        rest = total - self.delta
        if rest <= 0:
            return math.inf if rest else self.epsilon
        return min(self.epsilon, convert_rho_to_epsilon(self.rho, rest))

    def delta_at(self, epsilon: Number) -> Fraction:
        """Return the least delta known at this ``epsilon``; 1 means that nothing is known."""
        target = parse_nonnegative(epsilon, "epsilon")
        if self.epsilon <= target:
            return self.delta
        return min(_ONE, self.delta + convert_rho_to_delta(self.rho, target))

    def to_dict(self) -> dict[str, str]:
        """Return exact text: fractions as "p/q" in lowest terms, infinity as "inf".

        ``from_dict`` reads back the same Loss.
        """
        return {
            "epsilon": _format_exact(self.epsilon),
            "delta": _format_exact(self.delta),
            "rho": _format_exact(self.rho),
        }

    @classmethod
    def from_dict(cls, data: Mapping[str, str]) -> Loss:
        """Read the output of ``to_dict``; refuse anything else."""
        if not isinstance(data, Mapping) or set(data) != {"epsilon", "delta", "rho"}:
            raise InvalidArgument(
                "loss", "must have exactly the entries epsilon, delta and rho", data
            )
        loss = cls(
            _parse_exact_text(data["epsilon"], "epsilon"),
            parse_exact(_parse_exact_text(data["delta"], "delta"), "delta"),
            _parse_exact_text(data["rho"], "rho"),
        )
        if loss.to_dict() != dict(data):
            raise InvalidArgument(
                "loss", "must be written in lowest terms with every entry filled in", data
            )
        return loss

    def __str__(self) -> str:
        parts = [("epsilon", self.epsilon), ("delta", self.delta), ("rho", self.rho)]
        # the loss of Gaussian noise
        only_rho = isinstance(self.epsilon, float) and isinstance(self.rho, Fraction)
        shown = [
            f"{name} {format_bound(value)}"
            for name, value in parts[only_rho:]
            if value != 0 or name == "epsilon"
        ]
        return ", ".join(shown or ["rho 0"]) + " (no pure epsilon)" * only_rho


def _compose(losses: Sequence[Loss], dearest: int | None = None) -> Loss:
    """Return the sum of all losses, or of the ``dearest`` largest of each part."""
    epsilon, delta, rho = (
        _add_bounds(sorted(values, reverse=True)[:dearest])
        for values in zip(*((x.epsilon, x.delta, x.rho) for x in losses), strict=True)
    )
    return Loss(epsilon, min(_ONE, parse_exact(delta, "delta")), rho)


def _add_bounds(values: Sequence[Bound]) -> Bound:
    # adding infinity to a Fraction would convert it to a float, which may overflow
    return math.inf if math.inf in values else sum(values, Fraction(0))


def _multiply_bound(n: int, value: Bound) -> Bound:
    return n * value if isinstance(value, Fraction) else value if n else Fraction(0)


def _sum_series(epsilon: Fraction, k: int) -> Fraction:
    """Return an upper bound of 1 + e^epsilon + … + e^((k-1) epsilon), within one part in 10^15.

    No term is above the last one, which gives a sharper bound where e^epsilon - 1 has lost its
    digits.
    """
    bound, ratio = k * exp_up((k - 1) * epsilon), exp_down(epsilon) - 1
    if ratio > 0:
        bound = min(bound, (exp_up(k * epsilon) - 1) / ratio)
    return round_digits_up(bound, 30)


def _format_exact(value: Bound) -> str:
    return "inf" if isinstance(value, float) else f"{value.numerator}/{value.denominator}"


def _parse_exact_text(text: object, argument: str) -> Bound:
    if text == "inf":
        return math.inf
    match = _RATIONAL.fullmatch(text) if isinstance(text, str) else None
    if match is None:
        raise InvalidArgument(argument, 'must be written as "p/q" or "inf"', text)
    return Fraction(int(match[1]), int(match[2]))


def format_bound(value: Bound) -> str:
    """Format a bound with six significant digits, rounded up."""
    if isinstance(value, float):
        return "infinite"
    number = _SHOWN_DIGITS.divide(Decimal(value.numerator), Decimal(value.denominator)).normalize()
    return f"{number:f}" if -6 < number.adjusted() < 12 else f"{number:e}"
