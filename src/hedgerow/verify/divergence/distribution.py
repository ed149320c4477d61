"""Distributions on finitely many outcomes, in exact arithmetic."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.verify.divergence.exponential_sum import sum_fractions

__all__ = ["Distribution", "Kernel", "Probabilities"]

Probabilities = Mapping[Any, Number]
"""Outcome -> probability. Floats are read as their decimals: 0.1 is one tenth."""

Kernel = Mapping[Any, Any] | Callable[[Any], Any]
"""Outcome -> another outcome, or a mapping with the probabilities of several outcomes."""


class Distribution(Mapping[Any, Fraction]):
    """Exact probabilities by outcome, never negative, with sum 1, or at most 1 if ``partial`` (the
    rest is the probability that a run does not end).

    It is a mapping, equal to a dict of the same probabilities. Outcomes of probability 0 are
    allowed.
    """

    __slots__ = ("_weights", "mass")

    def __init__(
        self, probabilities: Probabilities, *, partial: bool = False, argument: str = "distribution"
    ) -> None:
        self._weights = _parse_weights(probabilities, argument)
        self.mass = sum_fractions(self._weights.values())
        if not 0 < self.mass <= 1 if partial else self.mass != 1:
            rule = (
                "must sum to more than 0 and at most 1"
                if partial
                else "must sum to exactly 1 (write thirds as Fraction(1, 3))"
            )
            raise InvalidArgument(argument, rule, float(self.mass))

    @classmethod
    def of(cls, probabilities: Probabilities, argument: str) -> Distribution:
        """Convert a mapping of probabilities; return a distribution unchanged."""
        return (
            probabilities
            if isinstance(probabilities, Distribution)
            else cls(probabilities, argument=argument)
        )

    @classmethod
    def proportional(cls, weights: Probabilities) -> Distribution:
        """Build the distribution that is proportional to ``weights``, such as q^|z|."""
        read = _parse_weights(weights, "weights")
        mass = sum_fractions(read.values())
        if not mass:
            raise InvalidArgument("weights", "must not all be 0")
        return cls({outcome: weight / mass for outcome, weight in read.items()})

    def __getitem__(self, outcome: Any) -> Fraction:
        return self._weights[outcome]

    def __iter__(self) -> Iterator[Any]:
        return iter(self._weights)

    def __len__(self) -> int:
        return len(self._weights)

    def __repr__(self) -> str:
        entries = (f"{outcome!r}: {weight}" for outcome, weight in self.items())
        return f"Distribution({{{', '.join(entries)}}})"

    @property
    def atoms(self) -> dict[Any, Fraction]:
        """The outcomes of positive probability, with their probabilities."""
        return {outcome: weight for outcome, weight in self.items() if weight}

    def at(self, outcome: Any) -> Fraction:
        """Return the probability of one outcome, 0 if it is not listed."""
        return self._weights.get(outcome, Fraction(0))

    def probability(self, event: Iterable[Any] | Callable[[Any], bool]) -> Fraction:
        """Return the probability of an event, a set of outcomes or a predicate."""
        if callable(event):
            return sum_fractions(weight for outcome, weight in self.items() if event(outcome))
        return sum_fractions(self.at(outcome) for outcome in set(event))

    def then(self, kernel: Kernel) -> Distribution:
        """Return the joint distribution of an outcome and the result of ``kernel`` on it: a second
        step that depends on the first.
        """
        steps = {outcome: _apply_kernel(kernel, outcome) for outcome in self.atoms}
        joint = {(x, y): self[x] * weight for x, law in steps.items() for y, weight in law.items()}
        return Distribution(joint, partial=True)

    def push(self, kernel: Kernel) -> Distribution:
        """Return the distribution after ``kernel`` is applied to the outcome: deterministic or
        randomised post-processing.
        """
        weights: defaultdict[Any, Fraction] = defaultdict(Fraction)
        for (_, y), weight in self.then(kernel).items():
            weights[y] += weight
        return Distribution(weights, partial=True)

    def product(self, other: Probabilities) -> Distribution:
        """Return the joint distribution of two independent draws."""
        second = Distribution.of(other, "other")
        return self.then(lambda _: second)


def _parse_weights(probabilities: Probabilities, argument: str) -> dict[Any, Fraction]:
    if not isinstance(probabilities, Mapping) or not probabilities:
        raise InvalidArgument(
            argument,
            "must be a mapping from outcomes to probabilities, and not empty",
            probabilities,
        )
    for outcome, weight in probabilities.items():
        if outcome != outcome:
            raise InvalidArgument(
                argument, "must have outcomes that equal themselves; NaN does not", outcome
            )
        if parse_exact(weight, argument) < 0:
            raise InvalidArgument(argument, f"must not be negative at outcome {outcome!r}", weight)
    return {outcome: parse_exact(weight, argument) for outcome, weight in probabilities.items()}


def _apply_kernel(kernel: Kernel, outcome: Any) -> Distribution:
    match kernel:
        case Mapping() if outcome in kernel:
            result = kernel[outcome]
        case Mapping():
            raise InvalidArgument(
                "kernel",
                "must map every outcome of positive probability; add an entry for the missing one",
                outcome,
            )
        case Callable():
            result = kernel(outcome)
        case _:
            raise InvalidArgument("kernel", "must be a mapping or a function", kernel)
    if isinstance(result, Mapping):
        return Distribution.of(result, "kernel")
    if not isinstance(result, Hashable):
        raise InvalidArgument(
            "kernel",
            "must lead to hashable outcomes, or to mappings from outcomes to probabilities",
            result,
        )
    return Distribution({result: 1})
