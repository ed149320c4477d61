"""The shapes of mechanisms, as protocols: what a mechanism of your own must have for the rest of Hedgerow to use and check it.

Nothing has to be inherited. ``hedgerow.verify.laws.check_mechanism`` runs the laws of a shape on any object that has these members.

All are frozen values, and in all of them

- ``loss(sensitivity)`` is an upper bound on what one use costs, a number or a ``Sensitivity`` saying how far neighbours lie apart;
- ``sample`` draws, after it has checked its input: ``InvalidArgument`` that says nothing about the data, and nothing drawn;
- ``log_prob`` is the natural logarithm of the probability of an output, a double. The proof of the mechanism speaks about it, the
  laws compare ``loss`` and ``sample`` with it;
- ``error(beta, …)`` is a radius that the mechanism leaves with probability at most ``beta``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

from hedgerow.numeric.number import Number
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = ["Additive", "Mechanism", "Response", "Selection"]


class Mechanism(Protocol):
    """What all shapes share."""

    shape: ClassVar[str]

    def loss(self, sensitivity: Number | Sensitivity, /) -> Loss:
        """What one use costs, when one unit moves the input by ``sensitivity``."""

    def sample(self, exact: Any, /) -> Any:
        """One use: the noisy output for an exact input."""


@runtime_checkable
class Additive(Mechanism, Protocol):
    """Numbers in, noisy numbers out; ``shape = "additive"``. Every cell of an array gets noise of its own."""

    @property
    def grid(self) -> Fraction:
        """Outputs are multiples of it: 1 for whole numbers, a power of two for reals."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """For each cell, the logarithm of the probability of the noisy value given the exact one."""

    def error(self, beta: Number) -> Any:
        """The smallest radius around the exact value that a noisy one leaves with probability at most ``beta``."""


@runtime_checkable
class Selection(Mechanism, Protocol):
    """Scores in, the place of one candidate out; ``shape = "selection"``."""

    @property
    def monotone(self) -> bool:
        """Whether the loss holds only where one unit moves all scores the same way."""

    def log_prob(self, index: int, scores: Any) -> float:
        """The logarithm of the probability that the candidate at ``index`` is chosen."""

    def error(self, beta: Number, candidates: int) -> float:
        """The smallest distance from the best score that the choice among so many exceeds with probability at most ``beta``."""


@runtime_checkable
class Response(Mechanism, Protocol):
    """A category in, a category out, for each owner alone; ``shape = "response"``."""

    @property
    def values(self) -> int:
        """The categories are 0, …, values - 1."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """For each owner, the logarithm of the probability of the report given the true category."""

    def estimate(self, reports: Any) -> Any:
        """For each category, in order, an estimate whose ``share`` is that of its owners."""

    def error(self, beta: Number, reports: int) -> float:
        """How far an estimated share may be off, except with probability ``beta``."""
