"""Post-processing, composition and group privacy as checks on finite mechanisms, in exact
arithmetic.

Each check measures the distances of the parts and of the whole, and compares the whole with what
the law allows. The laws are theorems: a check that fails on valid input is a bug in this library.

* **Post-processing.** No function of the output, deterministic or randomised, increases the
  distance of two distributions.
* **Sequential composition.** delta(e1 + e2) of the pair of answers <= delta_1(e1) + delta_2(e2),
  even if the first answer determines the second question; delta_2 is then the largest over all
  first answers.
* **Group privacy.** Along a chain of k steps, each with delta at epsilon, delta(k epsilon) <= (1 +
  e^eps + … + e^((k-1) eps)) delta, which is at most k e^((k-1) eps) delta. Proof: apply one(E) <=
  e^eps other(E) + delta k times.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number
from hedgerow.verify.divergence.distance import Distance, epsilon_distance
from hedgerow.verify.divergence.distribution import Distribution, Kernel, Probabilities
from hedgerow.verify.divergence.epsilon import Epsilon
from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.divergence.probability_table import MechanismTable, parse_table

__all__ = ["PropertyCheck", "check_composition", "check_group_privacy", "check_post_processing"]


@dataclass(frozen=True)
class PropertyCheck:
    """The result of a check: the distances of the parts, the distance of the whole, and the most
    that the law allows.
    """

    law: str
    parts: tuple[Distance, ...]
    whole: Distance
    allowed: ExponentialSum

    @property
    def holds(self) -> bool:
        """True if the whole is within the allowed distance, decided exactly."""
        return self.whole.value <= self.allowed

    def __bool__(self) -> bool:
        return self.holds

    def __str__(self) -> str:
        verdict = "holds" if self.holds else "fails"
        return (
            f"{self.law} {verdict}: {float(self.whole):.6g} at epsilon {self.whole.epsilon},"
            f" allowed {float(self.allowed):.6g}"
        )


def check_post_processing(
    one: Probabilities, other: Probabilities, kernel: Kernel, epsilon: Epsilon | Number
) -> PropertyCheck:
    """Check that ``kernel`` does not increase the distance; it maps an outcome to another outcome,
    or to the probabilities of several.
    """
    first, second = Distribution.of(one, "one"), Distribution.of(other, "other")
    before = epsilon_distance(first, second, epsilon)
    after = epsilon_distance(first.push(kernel), second.push(kernel), epsilon)
    return PropertyCheck("post-processing", (before,), after, before.value)


def check_composition(
    first: tuple[Probabilities, Probabilities],
    second: tuple[Kernel, Kernel],
    epsilons: tuple[Epsilon | Number, Epsilon | Number],
) -> PropertyCheck:
    """Check the composition of two questions on a pair of data sets: the distributions of the first
    answer, and kernels from the first answer to the distribution of the second.

    For a second question that ignores the first answer, pass functions that always return the same
    distribution.
    """
    laws = Distribution.of(first[0], "first"), Distribution.of(first[1], "first")
    spent = Epsilon.of(epsilons[0], "epsilons"), Epsilon.of(epsilons[1], "epsilons")
    initial = epsilon_distance(*laws, spent[0])
    answers = [Distribution({answer: 1}) for answer in {**laws[0].atoms, **laws[1].atoms}]
    worst = max(
        (epsilon_distance(law.push(second[0]), law.push(second[1]), spent[1]) for law in answers),
        key=lambda distance: distance.value,
    )
    whole = epsilon_distance(laws[0].then(second[0]), laws[1].then(second[1]), spent[0] + spent[1])
    allowed = initial.value + worst.value
    return PropertyCheck("sequential composition", (initial, worst), whole, allowed)


def check_group_privacy(
    table: MechanismTable, chain: Sequence[Any], epsilon: Epsilon | Number
) -> PropertyCheck:
    """Check group privacy along ``chain``, data sets of ``table`` that are each a neighbour of the
    one before, so that its ends differ by a group of k = len - 1 units.
    """
    laws, single = parse_table(table), Epsilon.of(epsilon)
    if len(chain) < 2 or not all(data in laws for data in chain):
        raise InvalidArgument(
            "chain", "must name at least two data sets, all of them in the table", chain
        )
    steps = tuple(epsilon_distance(laws[a], laws[b], single) for a, b in pairwise(chain))
    whole = epsilon_distance(laws[chain[0]], laws[chain[-1]], len(steps) * single)
    worst = max(step.value for step in steps)
    growth = sum(((k * single).exp for k in range(len(steps))), ExponentialSum())
    return PropertyCheck("group privacy", steps, whole, growth * worst)
