"""The privacy parameters of a publication: price, privacy unit, and the noise that follows."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from fractions import Fraction
from math import inf
from typing import Any, Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.exact_number import parse_epsilon, parse_whole
from hedgerow.privacy.loss import Loss, compute_pure_rho
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS
from hedgerow.release.linear_queries import QueryBlock
from hedgerow.release.private_table import compute_measurement_loss

__all__ = [
    "NOISE_NAMES",
    "AdditiveNoise",
    "PrivacyParameters",
    "calibrate_noise",
    "check_epsilon_or_rho",
]

AdditiveNoise = Laplace | Gaussian
# in receipts and states and, in lower case, in facts: stored, whatever the classes are called
NOISE_NAMES: Final[dict[type[AdditiveNoise], str]] = {Laplace: "Laplace", Gaussian: "Gaussian"}

_SCALE_RESOLUTION: Final = 10**9  # rounding enlarges noise by less than one part in this many


def check_epsilon_or_rho(terms: Any) -> None:
    """Check that exactly one of ``epsilon`` and ``rho`` is given, and make it exact."""
    if (terms.epsilon is None) == (terms.rho is None):
        raise InvalidArgument("epsilon", "or rho must be given, but not both", terms.epsilon)
    for name in ("epsilon", "rho"):
        if getattr(terms, name) is not None:
            object.__setattr__(terms, name, parse_epsilon(getattr(terms, name), name))


@dataclass(frozen=True, slots=True)
class PrivacyParameters:
    """The price of a publication, ``epsilon`` (pure, Laplace noise) or ``rho`` (Gaussian noise),
    towards one unit of at most ``rows`` rows, or a group of such units, that is added, removed or
    replaced.

    Where a contribution bound may apply, counts are in parts of 1/``parts_per_row`` of a row, and
    so are sensitivities and noise. The rows of a unit in one combination lack less than one part.
    ``truncation_bounds`` are public upper bounds on the units, and on their rows, that may lack
    parts.
    """

    epsilon: Fraction | None = None
    rho: Fraction | None = None
    rows: int = 1
    relation: str = "add-remove"
    group: int = 1
    parts_per_row: int = 1
    truncation_bounds: tuple[int, int] = (0, 0)

    def __post_init__(self) -> None:
        check_epsilon_or_rho(self)
        for name in ("rows", "group", "parts_per_row"):
            object.__setattr__(self, name, parse_whole(getattr(self, name), name))
        if self.relation not in RELATIONS:
            raise InvalidArgument("relation", 'must be "add-remove" or "change-one"', self.relation)

    @classmethod
    def from_epsilon(
        cls,
        epsilon: Fraction,
        noise: str,
        *,
        rows: int = 1,
        relation: str = "add-remove",
        group: int = 1,
    ) -> PrivacyParameters:
        """Return the parameters that the epsilon of a question buys under a policy's noise: for
        Gaussian noise, the rho of the most expensive question of that epsilon.
        """
        if noise == "gaussian":
            return cls(None, compute_pure_rho(epsilon), rows, relation, group)
        return cls(epsilon, None, rows, relation, group)

    @property
    def total(self) -> Loss:
        """The loss of the whole price."""
        if self.epsilon is not None:
            return Loss(self.epsilon)
        return Loss(inf, rho=inf if self.rho is None else self.rho)

    def with_share(self, part: Fraction) -> PrivacyParameters:
        """Return the same parameters with a share of the price."""
        epsilon, rho = (
            None if price is None else price * part for price in (self.epsilon, self.rho)
        )
        return replace(self, epsilon=epsilon, rho=rho)

    @property
    def is_gaussian(self) -> bool:
        return self.rho is not None

    def sensitivity(self, block: QueryBlock) -> Sensitivity:
        """Return the sensitivity of a block of queries to the units that are protected together."""
        return block.sensitivity(self.rows * self.parts_per_row, self.relation).group(self.group)

    def truncation_error(self, combinations: int) -> float:
        """Return the rows that a sum over ``combinations`` of codes may lack at most. Each unit
        lacks less than a part in each combination in which it has rows, and all units together have
        at most as many of these as there are rows.
        """
        units, rows = self.truncation_bounds
        return min(units * combinations, rows) / self.parts_per_row

    @property
    def facts(self) -> dict[str, Any]:
        """The facts about row parts for a receipt, if rows count in parts."""
        return (
            {"fine": self.parts_per_row, "losing": list(self.truncation_bounds)}
            if self.parts_per_row > 1
            else {}
        )

    def calibrate_all(
        self, blocks: Sequence[QueryBlock], spreads: Sequence[float]
    ) -> tuple[AdditiveNoise, ...]:
        """Return the least noise that the price allows with scales in the ratio of ``spreads``.

        A block costs l1/scale, or l2^2/(2 scale^2). All inverse scales are multiples of one number,
        rounded down: the costs then have one denominator, so that thousands of them are added
        exactly in little time.
        """
        if len(blocks) != len(spreads) or not all(0 < spread < math.inf for spread in spreads):
            raise InvalidArgument("spreads", "must be one finite number above 0 for each block")
        if len(blocks) == 1:
            return (self.calibrate(blocks[0]),)
        norms = [self._compute_norm(block) for block in blocks]
        kind, power, price = (
            (Laplace, 1, self.epsilon) if self.rho is None else (Gaussian, 2, 2 * self.rho)
        )
        assert price is not None
        # the ratio of the scales to the spreads, before rounding
        size = sum(
            float(norm) / spread**power for norm, spread in zip(norms, spreads, strict=True)
        ) / float(price)
        if self.is_gaussian:
            size = math.sqrt(size)
        # A multiple of the parts per row: scales in parts are exact multiples of those in rows.
        denominator = (
            _SCALE_RESOLUTION
            * self.parts_per_row
            * 10 ** max(0, math.ceil(math.log10(size / self.parts_per_row * max(spreads))))
        )
        while True:
            steps = [int(denominator / (size * spread)) for spread in spreads]
            costs = (norm * step**power for norm, step in zip(norms, steps, strict=True))
            if sum(costs) <= price * denominator**power:
                break
            size *= 1 + 1e-12
        with _refuse_undrawable_noise():
            return tuple(kind(Fraction(denominator, step)) for step in steps)

    def calibrate(self, block: QueryBlock) -> AdditiveNoise:
        """Return the least noise with which one block costs the whole price."""
        with _refuse_undrawable_noise():
            return calibrate_noise(self.sensitivity(block), self.epsilon, self.rho)

    def _compute_norm(self, block: QueryBlock) -> Fraction:
        """Return what a block costs at scale 1: its l1, or its squared l2 for twice the rho."""
        sensitivity = self.sensitivity(block)
        return sensitivity.l2_squared if self.is_gaussian else sensitivity.l1

    def noise_factor(self, block: QueryBlock) -> float:
        """Return the factor to which the scale of a block's noise is proportional."""
        norm = float(self._compute_norm(block))
        return math.sqrt(norm) if self.is_gaussian else norm

    def total_cost(self, measurements: Sequence[tuple[QueryBlock, AdditiveNoise]]) -> Loss:
        """Return the loss of all measurements of a strategy."""
        costs = [self.measurement_cost(block, mechanism) for block, mechanism in measurements]
        return sum(costs[1:], costs[0])

    def measurement_cost(self, block: QueryBlock, mechanism: AdditiveNoise) -> Loss:
        """Return the loss of measuring a block with this noise."""
        return compute_measurement_loss(
            block,
            mechanism,
            rows=self.rows * self.parts_per_row,
            relation=self.relation,
            group=self.group,
        )


def calibrate_noise(
    sensitivity: Sensitivity, epsilon: Fraction | None, rho: Fraction | None
) -> AdditiveNoise:
    """Return the least noise on integers for a pure epsilon, or for a rho."""
    if rho is not None:
        return Gaussian.calibrate(sensitivity=sensitivity, rho=rho, grid=1)
    return Laplace.calibrate(sensitivity=sensitivity, epsilon=epsilon, grid=1)


@contextmanager
def _refuse_undrawable_noise() -> Iterator[None]:
    try:
        yield
    except InvalidArgument as wrong:
        raise Refused(
            "This publication needs more noise than can be drawn. Give it more epsilon, or ask for"
            " fewer or smaller tables."
        ) from wrong
