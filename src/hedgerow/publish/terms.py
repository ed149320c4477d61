"""What a publication may cost, and towards whom: the public terms from which all noise follows."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from functools import partial
from math import inf
from typing import Any, Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.linear import Block
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.number import privacy_epsilon, whole
from hedgerow.privacy.loss import Loss, rho_of_pure
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS
from hedgerow.purse import measurement_loss

__all__ = ["Law", "Terms", "check_price"]

Law = Laplace | Gaussian

_FINE: Final = 10**9  # noise is at most so small a part of itself larger than it need be


def check_price(terms: Any) -> None:
    """Of ``epsilon`` and ``rho`` one is given, and is exact from here on."""
    if (terms.epsilon is None) == (terms.rho is None):
        raise InvalidArgument("epsilon", "or rho must be given, and not both", terms.epsilon)
    for name in ("epsilon", "rho"):
        if getattr(terms, name) is not None:
            object.__setattr__(terms, name, privacy_epsilon(getattr(terms, name), name))


@dataclass(frozen=True, slots=True)
class Terms:
    """A price, ``epsilon`` (pure, Laplace noise) or ``rho`` (Gaussian noise), towards one unit of at most ``rows`` rows, or a group of
    such units, that comes and goes or is replaced.

    Where caps may bite, what is counted are parts of 1/``fine`` of a row, and sensitivities and noise are in parts. The rows of a unit in
    one combination lack less than one part. So many units, and so many rows in all, are ``losing`` at most: both bounds are public."""

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    rows: int = 1
    relation: str = "add-remove"
    group: int = 1
    fine: int = 1
    losing: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        check_price(self)
        for name in ("rows", "group", "fine"):
            object.__setattr__(self, name, whole(getattr(self, name), name))
        if self.relation not in RELATIONS:
            raise InvalidArgument("relation", 'must be "add-remove" or "change-one"', self.relation)

    @classmethod
    def question(cls, epsilon: Fraction, noise: str, *, rows: int = 1, relation: str = "add-remove", group: int = 1) -> Terms:
        """What the epsilon of a question buys under a policy's noise: Gaussian noise at the rho of the dearest question of that epsilon."""
        if noise == "gaussian":
            return cls(None, rho_of_pure(epsilon), rows, relation, group)
        return cls(epsilon, None, rows, relation, group)

    @property
    def pure(self) -> bool:
        """Whether the price is an epsilon."""
        return self.epsilon is not None

    @property
    def total(self) -> Loss:
        """All that may be spent."""
        return Loss(self.epsilon) if self.epsilon is not None else Loss(inf, rho=self.rho if self.rho is not None else inf)

    def share(self, part: Fraction) -> Terms:
        """The same terms with a part of the price."""
        epsilon, rho = (None if price is None else price * part for price in (self.epsilon, self.rho))
        return replace(self, epsilon=epsilon, rho=rho)

    @property
    def gaussian(self) -> bool:
        """Whether the noise is Gaussian."""
        return self.rho is not None

    def reach(self, block: Block) -> Sensitivity:
        """How far those who are protected together move the answers of a block."""
        return block.sensitivity(self.rows * self.fine, self.relation).group(self.group)

    def lost(self, combinations: int) -> float:
        """Return how much a count may lack, in rows, where it is the sum of so many combinations of codes. Each unit lacks less than a part
        in each of them that it has rows in, and together units have no more of these than there are rows."""
        units, rows = self.losing
        return min(units * combinations, rows) / self.fine

    @property
    def facts(self) -> dict[str, Any]:
        """Return the facts of parts, if there are any."""
        return {"fine": self.fine, "losing": list(self.losing)} if self.fine > 1 else {}

    def laws(self, blocks: Sequence[Block], spreads: Sequence[float]) -> tuple[Law, ...]:
        """Noise whose scales are as the ``spreads`` are to each other, the smallest that the price allows.

        A block costs l1/scale, or l2^2/(2 scale^2). All inverse scales are multiples of one number, rounded down: the costs have one
        denominator, and thousands of them are added up exactly in no time.
        """
        if len(blocks) != len(spreads) or not all(0 < spread < math.inf for spread in spreads):
            raise InvalidArgument("spreads", "must be numbers above 0, one for each block")
        moves = [self.reach(block) for block in blocks]
        if len(blocks) == 1:
            return (self._one(moves[0]),)
        size = self._size(moves, spreads)
        # A multiple of the parts: in parts, scales are just so many times those in rows.
        fine = _FINE * self.fine * 10 ** max(0, math.ceil(math.log10(size / self.fine * max(spreads))))
        while not self._fits(moves, steps := [int(fine / (size * spread)) for spread in spreads], fine):
            size *= 1 + 1e-12
        kind = Gaussian if self.gaussian else Laplace
        return tuple(_drawn(partial(kind, Fraction(fine, step))) for step in steps)

    def _one(self, move: Sensitivity) -> Law:
        if self.rho is not None:
            return _drawn(lambda: Gaussian.calibrate(sensitivity=move, rho=self.rho, grid=1))
        return _drawn(lambda: Laplace.calibrate(sensitivity=move, epsilon=self.epsilon, grid=1))

    def _size(self, moves: Sequence[Sensitivity], spreads: Sequence[float]) -> float:
        """How many times the spreads the scales are, but for rounding."""
        if self.rho is not None:
            return math.sqrt(
                sum(float(move.l2_squared) / spread**2 for move, spread in zip(moves, spreads, strict=True)) / float(2 * self.rho)
            )
        assert self.epsilon is not None
        return sum(float(move.l1) / spread for move, spread in zip(moves, spreads, strict=True)) / float(self.epsilon)

    def _fits(self, moves: Sequence[Sensitivity], steps: Sequence[int], fine: int) -> bool:
        """Whether noise of the scales fine/step costs no more than there is: exactly."""
        if self.rho is not None:
            return sum(move.l2_squared * step**2 for move, step in zip(moves, steps, strict=True)) <= 2 * self.rho * fine**2
        assert self.epsilon is not None
        return sum(move.l1 * step for move, step in zip(moves, steps, strict=True)) <= self.epsilon * fine

    def law(self, block: Block) -> Law:
        """The least noise with which a block alone costs the whole price."""
        return self._one(self.reach(block))

    def price(self, block: Block, law: Law) -> Loss:
        """What measuring a block with this noise costs."""
        return measurement_loss(block, law, rows=self.rows * self.fine, relation=self.relation, group=self.group)


def _drawn(law: Callable[[], Law]) -> Law:
    try:
        return law()
    except InvalidArgument as wrong:
        raise Refused("This takes more noise than can be drawn: spend more, or ask for fewer or smaller tables.") from wrong
