"""Stored answers to one question, averaged: sums count by inverse variance, and a selected value is
that of the first answer."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.accuracy.weighted_noise import (
    WeightedNoise,
    average_releases,
    find_fineness,
    find_noise,
    read_columns,
)
from hedgerow.plan.measures import Measure
from hedgerow.plan.order_statistics import OrderStatistic
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.noise import NoiseMechanism, ReleaseNoise
from hedgerow.release.payload import Release
from hedgerow.sql.question import Question

__all__ = ["AveragedMeasure", "average_measure", "average_noise", "describe_averaging"]


@dataclass(frozen=True, slots=True)
class AveragedMeasure:
    """The noisy columns of a measure, their noise, and how many parts a step of theirs has."""

    columns: Sequence[Sequence[Any]]
    noise: NoiseMechanism | WeightedNoise
    parts_per_step: int = 1


def average_measure(
    releases: Sequence[Release], measures: Sequence[Measure | OrderStatistic], index: int
) -> AveragedMeasure:
    """Average the columns of a measure over the releases of one answer."""
    columns = [read_columns(release, measures, index) for release in releases]
    return _average([release.noise for release in releases], columns, index)


def average_noise(noises: Sequence[ReleaseNoise], index: int) -> AveragedMeasure:
    """Return the noise that a measure has after averaging, without any columns."""
    return _average(noises, [()] * len(noises), index)


def _average(
    noises: Sequence[ReleaseNoise], columns: Sequence[Sequence[Any]], index: int
) -> AveragedMeasure:
    additive = [
        mechanism
        for noise in noises
        if not isinstance(mechanism := find_noise(noise, index), CalibratedSelection)
    ]
    if not additive:
        return AveragedMeasure(columns[0], noises[0].mechanisms[index])
    factors = [find_fineness(noise, index).parts_per_step for noise in noises]
    return AveragedMeasure(*average_releases(columns, additive, factors))


def describe_averaging(question: Question, releases: Sequence[Release]) -> list[str]:
    """Describe the earlier answers that an answer is averaged with, if it has any sums."""
    earlier = [str(release.entry.seq) for release in releases[1:]]
    if not earlier or all(isinstance(call.measure, OrderStatistic) for call in question.aggregates):
        return []
    which, entries = ("an earlier answer", "entry") if len(earlier) == 1 else (
        "earlier answers", "entries"
    )  # fmt: skip
    return [
        f"Sums are averaged with {which} to this question (ledger {entries} {', '.join(earlier)}),"
        " weighted by inverse variance."
    ]
