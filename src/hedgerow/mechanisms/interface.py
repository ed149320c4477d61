"""The shapes of mechanisms, as protocols: what a mechanism of your own must have for the rest of
Hedgerow to use and check it.

Nothing has to be inherited. ``hedgerow.verify.laws.check_mechanism`` runs the laws of a shape on
any object that has these members.

All are frozen values, and in all of them

- ``loss(sensitivity)`` is an upper bound on what one use costs, a number or a ``Sensitivity``
  saying how far neighbours lie apart;
- ``sample`` draws, after it has checked its input: ``InvalidArgument`` that says nothing about the
  data, and nothing drawn;
- ``log_prob`` is the natural logarithm of the probability of an output, a double. The proof of the
  mechanism speaks about it, the laws compare ``loss`` and ``sample`` with it;
- ``error(beta, …)`` is a radius that the mechanism leaves with probability at most ``beta``.

Mechanisms that see the data themselves count a move in units, so their ``loss`` takes a whole
number. Those of shape ``"tested"`` come in three kinds, ``ReleaseTest``, ``ThresholdedHistogram``
and ``ThresholdRun``, and state probabilities of their own kind in place of ``log_prob``.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar, Protocol, runtime_checkable

from hedgerow.numeric.exact_number import Number
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

__all__ = [
    "AdditiveMechanism",
    "Mechanism",
    "PointMechanism",
    "ReleaseTest",
    "ResponseMechanism",
    "SelectionMechanism",
    "SmoothMechanism",
    "ThresholdRun",
    "ThresholdedHistogram",
]


class Mechanism(Protocol):
    """What all shapes share."""

    shape: ClassVar[str]

    def loss(self, sensitivity: Number | Sensitivity, /) -> Loss:
        """What one use costs, when one unit moves the input by ``sensitivity``."""

    def sample(self, exact: Any, /) -> Any:
        """One use: the noisy output for an exact input."""


@runtime_checkable
class AdditiveMechanism(Mechanism, Protocol):
    """Numbers in, noisy numbers out; ``shape = "additive"``. Every cell of an array gets noise
    of its own.
    """

    @property
    def grid(self) -> Fraction:
        """Outputs are multiples of it: 1 for whole numbers, a power of two for reals."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """For each cell, the logarithm of the probability of the noisy value given the exact
        one.
        """

    def error(self, beta: Number) -> Any:
        """The smallest radius around the exact value that a noisy one leaves with probability at
        most ``beta``.
        """


@runtime_checkable
class SelectionMechanism(Mechanism, Protocol):
    """Scores in, the place of one candidate out; ``shape = "selection"``."""

    @property
    def monotone(self) -> bool:
        """Whether the loss holds only where one unit moves all scores the same way."""

    def log_prob(self, index: int, scores: Any) -> float:
        """The logarithm of the probability that the candidate at ``index`` is chosen."""

    def error(self, beta: Number, candidates: int) -> float:
        """The smallest distance from the best score that the choice among so many exceeds with
        probability at most ``beta``.
        """


@runtime_checkable
class ResponseMechanism(Mechanism, Protocol):
    """A category in, a category out, for each owner alone; ``shape = "response"``."""

    @property
    def values(self) -> int:
        """The categories are 0, …, values - 1."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """For each owner, the logarithm of the probability of the report given the true
        category.
        """

    def estimate(self, reports: Any) -> Any:
        """For each category, in order, an estimate whose ``share`` is that of its owners."""

    def error(self, beta: Number, reports: int) -> float:
        """How far an estimated share may be off, except with probability ``beta``."""


@runtime_checkable
class PointMechanism(Mechanism, Protocol):
    """A bounded column in, one point of its range out; ``shape = "point"``. ``sample`` takes values
    with ``lower=`` and ``upper=``, or a ``Sample``. Where it holds under one relation only,
    ``neighbours`` names it."""

    def log_prob(self, point: Any, values: Any) -> float:
        """The logarithm of the probability of a point; ``InvalidArgument`` where there is no
        closed form.
        """


@runtime_checkable
class SmoothMechanism(Mechanism, Protocol):
    """A number and its smooth sensitivity in, a noisy number out; ``shape = "smooth"``. Several
    numbers where ``dimension`` says so.
    """

    @property
    def grid(self) -> Fraction:
        """As that of ``AdditiveMechanism``."""

    @property
    def bound(self) -> Fraction:
        """The largest smooth sensitivity."""

    @property
    def beta(self) -> Fraction:
        """By how much, as a logarithm, the smooth sensitivity of neighbours may differ."""

    def log_prob(self, noisy: Any, exact: Any, smooth: Any) -> Any:
        """For each noisy value the logarithm of its probability."""

    def error(self, beta: Number) -> float:
        """The multiple of the smooth sensitivity that the noise leaves with probability at most
        ``beta``.
        """


@runtime_checkable
class ReleaseTest(Mechanism, Protocol):
    """An answer and its distance from trouble in, the answer or None out; ``shape = "tested"``.
    With an additive ``noise``, the answer comes with that noise, and trouble is an answer that
    moves by more than ``bound``; without, trouble is another answer."""

    def release_probability(self, distance: Any) -> float:
        """How likely the answer is released."""


@runtime_checkable
class ThresholdedHistogram(Mechanism, Protocol):
    """Counts by key in, noisy counts from ``threshold`` on out; ``shape = "tested"``. One unit has
    at most ``per_key`` in each of at most ``max_keys`` keys, under the relation ``neighbours``."""

    @property
    def threshold(self) -> int:
        """The smallest noisy count that is published."""

    @property
    def neighbours(self) -> str:
        """The relation."""

    @property
    def max_keys(self) -> int:
        """How many keys one unit has at most."""

    @property
    def per_key(self) -> int:
        """How much one unit has in a key at most."""

    def publish_probability(self, count: Any) -> float:
        """How likely a key with this count is published."""


@runtime_checkable
class ThresholdRun(Mechanism, Protocol):
    """Answers and a threshold in, verdicts out; ``shape = "tested"``. Without a
    ``log_prob(verdicts, answers, threshold)`` the law of a run is the sum over discrete Laplace
    noise of ``threshold_scale`` and ``answer_scale``."""

    @property
    def cutoff(self) -> int:
        """How often a run says "above" before it ends."""

    @property
    def monotone(self) -> bool:
        """Whether the loss holds only where one unit moves all answers the same way."""
