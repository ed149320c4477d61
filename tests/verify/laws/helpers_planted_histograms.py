"""Broken histograms of stability and broken sparse vectors, which the laws must catch."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from typing import Any

import numpy as np

from hedgerow.mechanisms import (
    Laplace,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity

GENERATOR = np.random.default_rng()


class SeededStable(Stable):
    """Noise from a generator that a forked process shares with its parent."""

    def sample(self, answer: Any, distance: Any) -> Any:
        super().sample(answer, distance)
        return answer if GENERATOR.random() < self.release_probability(distance) else None


class Alternating(Stable):
    """The second of two calls says what the first said."""

    kept: list[Any] = []  # noqa: RUF012

    def sample(self, answer: Any, distance: Any) -> Any:
        said = super().sample(answer, distance)
        if self.kept and self.kept[0][0] == distance:
            return self.kept.pop()[1]
        self.kept[:] = [(distance, said)]
        return said


class OneStepLow(StabilityHistogram):
    """Publishes from one below the threshold that its loss is computed for."""

    def loss(self, group: int = 1) -> Loss:
        return StabilityHistogram(
            self.scale, self.threshold + 1, self.neighbours, self.max_keys, self.per_key, self.cut
        ).loss(group)


class KeysForgotten(StabilityHistogram):
    """The delta of a single key, however many a unit has."""

    def loss(self, group: int = 1) -> Loss:
        loss = super().loss(group)
        return Loss(loss.epsilon, loss.delta / self.max_keys)


class AddRemoveNoise(StabilityHistogram):
    """Charges change-one as add-remove."""

    def loss(self, group: int = 1) -> Loss:
        loss = super().loss(group)
        return Loss(Fraction(loss.epsilon) / 2, loss.delta)


class SameNoise(StabilityHistogram):
    """One draw for all keys."""

    def sample(self, counts: Mapping[Any, Any]) -> dict[Any, int]:
        super().sample(counts)
        drawn = Laplace(self.scale).sample(0)
        return {
            key: counts[key] + drawn
            for key in sorted(counts)
            if counts[key] + drawn >= self.threshold
        }


class Unsorted(StabilityHistogram):
    """In the order of the data."""

    def sample(self, counts: Mapping[Any, Any]) -> dict[Any, int]:
        said = super().sample(counts)
        return {key: said[key] for key in counts if key in said}


class CarelessHistogram(StabilityHistogram):
    """A radius one too small."""

    def error(self, beta: Any) -> int:
        return max(super().error(beta) - 1, 0)


class BareAnswers(SparseVector):
    """No noise on the answers (variant 5 of Lyu, Su, Li), charged as if there were."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(2 * Sensitivity.of(sensitivity).linf / self.threshold_scale)


class BareThreshold(SparseVector):
    """No noise on the threshold, charged as if there were."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(3 * Sensitivity.of(sensitivity).linf / self.answer_scale)


class CutoffForgotten(SparseVector):
    """Charges one "above", however many there are (variants 3 and 4)."""

    def loss(self, sensitivity: Any) -> Loss:
        return Loss(
            Sensitivity.of(sensitivity).linf * (1 / self.threshold_scale + 2 / self.answer_scale)
        )


class OneWayOnly(SparseVector):
    """The loss of answers that all move the same way, for any."""

    def loss(self, sensitivity: Any) -> Loss:
        return SparseVector(self.threshold_scale, self.answer_scale, self.cutoff, True).loss(
            sensitivity
        )


class NoCutoff(SparseVector):
    """Never stops (variant 6)."""

    def sample(self, answers: Iterable[Any], threshold: int, **options: Any) -> Iterator[Any]:
        return SparseVector(self.threshold_scale, self.answer_scale, 1000).sample(
            answers, threshold, **options
        )


class ThresholdPerAnswer(SparseVector):
    """A new noisy threshold for every answer, at no charge."""

    def sample(self, answers: Iterable[Any], threshold: int, **options: Any) -> Iterator[Any]:
        super().sample(answers, threshold, **options)
        return self._each(list(answers), threshold)

    def _each(self, answers: list[Any], threshold: int) -> Iterator[Any]:
        left = self.cutoff
        for answer in answers:
            above = next(super().sample([answer], threshold))
            yield above
            left -= above
            if not left:
                return


class NumericAbove(SparseVector):
    """Says the answer itself (variant 3) where it should say that it is above."""

    def sample(self, answers: Iterable[Any], threshold: int, **options: Any) -> Iterator[Any]:
        verdicts = super().sample(answers, threshold, **options)
        return (
            answer if above else False for answer, above in zip(answers, verdicts, strict=False)
        )


class OptimisticRun(SparseVector):
    """A quarter of the radius."""

    def error(self, beta: Any, questions: int) -> int:
        return super().error(beta, questions) // 4
