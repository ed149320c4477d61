"""The shapes of mechanisms as protocols: the members that a custom mechanism must have.

Nothing has to be inherited. ``hedgerow.verify.laws.check_mechanism`` runs the laws of a shape on
any object that has these members.

All mechanisms are immutable values, and in all of them

- ``loss(sensitivity)`` is an upper bound on the loss of one use, given the distance of neighbours
  as a number or a ``Sensitivity``;
- ``sample`` draws, after it has checked its input; ``InvalidArgument`` reveals nothing about the
  data, and nothing is drawn;
- ``log_prob`` is the natural logarithm of the probability of an output, a double. The proof of the
  mechanism is about it; the laws compare ``loss`` and ``sample`` with it;
- ``error(beta, …)`` is a radius that the error exceeds with probability at most ``beta``.

Mechanisms that see the data themselves count neighbours in units, so their ``loss`` takes a whole
number. Those of shape ``"tested"`` come in three kinds, ``ReleaseTest``, ``ThresholdedHistogram``
and ``ThresholdRun``, with their own probabilities in place of ``log_prob``.
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
    """The members that all shapes share."""

    shape: ClassVar[str]

    def loss(self, sensitivity: Number | Sensitivity, /) -> Loss:
        """Return the loss of one use, if one unit moves the input by ``sensitivity``."""

    def sample(self, exact: Any, /) -> Any:
        """Return the noisy output for an exact input."""


@runtime_checkable
class AdditiveMechanism(Mechanism, Protocol):
    """Numbers in, noisy numbers out; ``shape = "additive"``. Each cell has independent noise."""

    @property
    def grid(self) -> Fraction:
        """The step of the outputs: 1 for whole numbers, a power of two for reals."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """Return for each cell the log probability of the noisy value given the exact one."""

    def error(self, beta: Number) -> Any:
        """Return the smallest radius that noise exceeds with probability at most ``beta``."""


@runtime_checkable
class SelectionMechanism(Mechanism, Protocol):
    """Scores in, the index of one candidate out; ``shape = "selection"``."""

    @property
    def monotone(self) -> bool:
        """True if the loss holds only where one unit moves all scores in the same direction."""

    def log_prob(self, index: int, scores: Any) -> float:
        """Return the log probability that the candidate at ``index`` is chosen."""

    def error(self, beta: Number, candidates: int) -> float:
        """Return the smallest distance from the best score, exceeded with probability at most
        ``beta``.

        It holds for any scores of this number of ``candidates``.
        """


@runtime_checkable
class ResponseMechanism(Mechanism, Protocol):
    """A category in, a category out, for each owner separately; ``shape = "response"``."""

    @property
    def values(self) -> int:
        """The number of categories, which are 0, …, values - 1."""

    def log_prob(self, noisy: Any, exact: Any) -> Any:
        """Return for each owner the log probability of the report given the true category."""

    def estimate(self, reports: Any) -> Any:
        """Return an estimate for each category, in order, whose ``share`` is that of its owners."""

    def error(self, beta: Number, reports: int) -> float:
        """Return the error of an estimated share, exceeded with probability at most ``beta``."""


@runtime_checkable
class PointMechanism(Mechanism, Protocol):
    """A bounded column in, one point of its range out; ``shape = "point"``.

    ``sample`` takes values with ``lower=`` and ``upper=``, or a ``SortedSample``. A mechanism that
    holds under one neighbour relation only names it in ``neighbours``.
    """

    def log_prob(self, point: Any, values: Any) -> float:
        """Return the log probability of a point; refuse if there is no closed form."""


@runtime_checkable
class SmoothMechanism(Mechanism, Protocol):
    """A number and its smooth sensitivity in, a noisy number out; ``shape = "smooth"``.

    With a ``dimension`` above 1 it takes and returns several numbers.
    """

    @property
    def grid(self) -> Fraction:
        """The step of the outputs, as for ``AdditiveMechanism``."""

    @property
    def bound(self) -> Fraction:
        """The largest smooth sensitivity."""

    @property
    def beta(self) -> Fraction:
        """The largest difference of the log smooth sensitivities of neighbours."""

    def log_prob(self, noisy: Any, exact: Any, smooth: Any) -> Any:
        """Return the log probability of each noisy value."""

    def error(self, beta: Number) -> float:
        """Return the multiple of S(x) that the noise exceeds with probability at most ``beta``."""


@runtime_checkable
class ReleaseTest(Mechanism, Protocol):
    """An answer and its distance to instability in, the answer or None out; ``shape = "tested"``.

    With an additive ``noise``, the answer is released with that noise, and instability means an
    answer that moves by more than ``bound``; without, it means another answer.
    """

    def release_probability(self, distance: Any) -> float:
        """Return the probability that the answer is released."""


@runtime_checkable
class ThresholdedHistogram(Mechanism, Protocol):
    """Counts by key in, noisy counts of at least ``threshold`` out; ``shape = "tested"``.

    One unit has at most ``per_key`` in each of at most ``max_keys`` keys, under the relation
    ``neighbours``.
    """

    @property
    def threshold(self) -> int:
        """The smallest noisy count that is published."""

    @property
    def neighbours(self) -> str:
        """The neighbour relation."""

    @property
    def max_keys(self) -> int:
        """The largest number of keys of one unit."""

    @property
    def per_key(self) -> int:
        """The largest contribution of one unit to one key."""

    def publish_probability(self, count: Any) -> float:
        """Return the probability that a key with this count is published."""


@runtime_checkable
class ThresholdRun(Mechanism, Protocol):
    """Answers and a threshold in, verdicts out; ``shape = "tested"``.

    Without a ``log_prob(verdicts, answers, threshold)``, the distribution of a run is the sum over
    discrete Laplace noise of ``threshold_scale`` and ``answer_scale``.
    """

    @property
    def cutoff(self) -> int:
        """The number of "above" verdicts after which a run ends."""

    @property
    def monotone(self) -> bool:
        """True if the loss holds only where one unit moves all answers in the same direction."""
