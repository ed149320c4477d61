"""Neighbours for mechanisms of shape tested that release or publish: data sets in a row, with
neighbours one step (or one unit of k) apart.

**Release without noise.** On one side of the middle the answer is a, on the other b; the distance
grows with the steps from the middle.

**Release with noise.** From step 0 on, the answers change by the proposed bound per step, and the
distance is the number of the step; below 0, they lie much farther apart than the noise reaches, at
distance 0.

**Publication.** Keys that only one of two neighbours has, and keys of both whose counts change. The
publication probabilities at all counts give the distribution of a noisy count, up to a top above
which all are one outcome.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from fractions import Fraction
from math import inf
from typing import Any

import numpy as np

from hedgerow.mechanisms.interface import ThresholdedHistogram
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.verify.laws.case import LawCase
from hedgerow.verify.laws.integer_distribution import MIN_LOG, IntegerDistribution
from hedgerow.verify.laws.neighbours.additive import (
    compare_shifted_cell,
    compute_noise_distribution,
)
from hedgerow.verify.laws.neighbours.data_sets import (
    DistributionPair,
    MechanismUse,
    NeighbourPair,
    NeighbourSet,
    add_reversed,
    make_categorical,
    make_output_error,
)

__all__ = ["build_tested_neighbours", "compute_key_distribution", "gate_distribution"]

_STEPS = 40
# distance of answers that must not be released, in radii that cover all but 10^-9 of the noise
_JUMP_RADII = 100
_ANSWERS = {"a": 1, "b": 2}


def build_tested_neighbours(case: LawCase) -> NeighbourSet:
    """Build the neighbours for the kind of mechanism."""
    if isinstance(case.mechanism, ThresholdedHistogram):
        return NeighbourSet(
            add_reversed(_list_key_neighbours(case)), tuple(_list_histogram_uses(case))
        )
    if hasattr(case.mechanism, "noise"):
        return _build_noisy_neighbours(case)
    return _build_stable_neighbours(case)


def _take_logs(probabilities: Any) -> Any:
    with np.errstate(divide="ignore"):
        return np.log(np.asarray(probabilities, dtype=np.float64))


def _list_steps(case: LawCase) -> list[int]:
    """Return steps of interest: all around the middle and around the place where a release becomes
    likely, and some in between.
    """
    k, probability = case.units, case.mechanism.release_probability
    likely = 1
    while probability(likely) < 0.5:
        likely *= 2
    far = np.linspace(k, likely + 2 * k, _STEPS).astype(int).tolist()
    return sorted({*range(-2 * k, 2 * k + 1), *far})


def _build_stable_neighbours(case: LawCase) -> NeighbourSet:
    mechanism = case.mechanism

    def at(step: int) -> tuple[str, int]:
        return ("a", step) if step >= 1 else ("b", 1 - step)

    def distribution(step: int) -> IntegerDistribution:
        (answer, distance), found = at(step), [0.0, 0.0, 0.0]
        found[_ANSWERS[answer]] = mechanism.release_probability(distance)
        return make_categorical(_take_logs([1 - sum(found), *found[1:]]))

    def encode(output: Any) -> int:
        if output is not None and output not in _ANSWERS:
            raise make_output_error("an answer or None", output)
        return _ANSWERS.get(output, 0)

    def make_use(step: int) -> MechanismUse:
        stated = distribution(step)
        possible = stated.log > MIN_LOG  # the answer of the other data must never be released
        shown = IntegerDistribution(stated.steps[possible], stated.log[possible])
        return MechanismUse(
            f"distance {at(step)[1]}", lambda: mechanism.sample(*at(step)), encode, shown
        )

    row = _list_steps(case)
    pairs = (
        NeighbourPair(
            ((DistributionPair(distribution(step), distribution(step + by)), 1),),
            f"distances {at(step)[1]} and {at(step + by)[1]}",
        )
        for step in row
        for by in {1, case.units}
    )
    return NeighbourSet(
        add_reversed(pairs),
        tuple(make_use(step) for step in (_find_even_step(row, mechanism, at), 1)),
    )


def _find_even_step(row: list[int], mechanism: Any, at: Any) -> int:
    """Return the step at which release and no release are about equally likely."""
    return min(
        (step for step in row if step >= 1),
        key=lambda step: abs(mechanism.release_probability(at(step)[1]) - 0.5),
    )


def gate_distribution(probability: float, outputs: IntegerDistribution) -> IntegerDistribution:
    """Return the distribution of an output of ``outputs`` with this probability, and otherwise of
    no release, placed just below all outputs.
    """
    log = np.concatenate([_take_logs([1 - probability]), _take_logs(probability) + outputs.log])
    steps = np.concatenate([outputs.steps[:1] - 1, outputs.steps])
    return IntegerDistribution(steps, np.maximum(log, MIN_LOG))


def _build_noisy_neighbours(case: LawCase) -> NeighbourSet:
    mechanism = case.mechanism
    inner = replace(case, mechanism=mechanism.noise, sensitivity=Sensitivity.of(mechanism.bound))
    grid = Fraction(mechanism.noise.grid)
    jump = grid * round(_JUMP_RADII * Fraction(mechanism.noise.error(1e-9)) / grid)
    moves: dict[Fraction, DistributionPair] = {}

    def answer(step: int) -> Fraction:
        return step * (mechanism.bound if step >= 0 else jump)

    def pairs() -> Iterator[NeighbourPair]:
        for step, by in ((step, by) for step in _list_steps(case) for by in {1, case.units}):
            ends = (step, step + by)
            move = answer(ends[1]) - answer(ends[0])
            if move not in moves:
                moves[move] = compare_shifted_cell(inner, move)
            first, second = (mechanism.release_probability(max(end, 0)) for end in ends)
            pair = DistributionPair(
                gate_distribution(first, moves[move].first),
                gate_distribution(second, moves[move].second),
            )
            yield NeighbourPair(
                ((pair, 1),),
                f"distances {max(ends[0], 0)} and {max(ends[1], 0)}, answers {float(move):g} apart",
            )

    def make_use(distance: int | float) -> MechanismUse:
        distribution = gate_distribution(
            mechanism.release_probability(distance), compute_noise_distribution(inner)
        )
        shown = (
            distribution
            if distribution.log[0] > MIN_LOG
            else IntegerDistribution(distribution.steps[1:], distribution.log[1:])
        )
        zero = 0 if grid == 1 else 0.0

        def encode(output: Any) -> int:
            if output is None:
                return int(distribution.steps[0])
            if type(output) is not type(zero) or (Fraction(output) / grid).denominator != 1:
                raise make_output_error(f"None or a multiple of {grid}", output)
            return int(Fraction(output) / grid)

        return MechanismUse(
            f"distance {distance}", lambda: mechanism.sample(zero, distance), encode, shown
        )

    even = _find_even_step(_list_steps(case), mechanism, lambda step: (None, step))
    return NeighbourSet(
        add_reversed(pairs()), tuple(make_use(distance) for distance in (even, 0, inf))
    )


def compute_key_distribution(mechanism: Any, count: int, top: int) -> IntegerDistribution:
    """Return the distribution of the outcome for a key: nothing (0), the threshold (1) and so on,
    and last ``top`` or more. A count of 0 means no key.
    """
    if count == 0:
        return make_categorical(_take_logs([1.0] + [0.0] * (top - mechanism.threshold + 1)))
    # Pr[count + Z >= y] is the probability of publishing count + threshold - y; truncated noise
    # publishes counts from 1 on.
    counts = [count + mechanism.threshold - y for y in range(mechanism.threshold, top + 1)]
    reach = np.array(
        [
            0.0 if x < 1 and _is_noise_cut(mechanism) else mechanism.publish_probability(x)
            for x in counts
        ]
    )
    return make_categorical(_take_logs([1 - reach[0], *(reach[:-1] - reach[1:]), reach[-1]]))


def _is_noise_cut(mechanism: Any) -> bool:
    return getattr(mechanism, "cut", False) is True


def _list_key_neighbours(case: LawCase) -> Iterator[NeighbourPair]:
    mechanism, k = case.mechanism, case.units
    bar, m, keys = mechanism.threshold, mechanism.per_key, mechanism.max_keys
    swap = mechanism.neighbours == "change-one"

    def pair(count: int, other: int) -> DistributionPair:
        top = bar + (
            max(count, other)
            if _is_noise_cut(mechanism)
            else max(1, min(x for x in (count, other) if x)) - 1
        )
        return DistributionPair(
            compute_key_distribution(mechanism, count, top),
            compute_key_distribution(mechanism, other, top),
        )

    for size, count_of_keys in {(m, k * keys), (k * m, keys)}:
        yield NeighbourPair(
            ((pair(size, 0), count_of_keys),),
            f"{count_of_keys} key(s) of {size} in one data set only",
        )
        if swap:
            yield NeighbourPair(
                ((pair(size, 0), count_of_keys), (pair(0, size), count_of_keys)),
                f"{count_of_keys} key(s) of {size} in each data set only",
            )
        # the last count shows all noise if it is truncated
        for count in sorted({1, max(1, bar // 2), bar, bar + 8, 2 * bar}):
            up, down = pair(count + size, count), pair(count, count + size)
            yield NeighbourPair(
                ((up, count_of_keys), (down, count_of_keys)) if swap else ((up, count_of_keys),),
                f"counts of {count} that change by {size}",
            )


def _list_histogram_uses(case: LawCase) -> Iterator[MechanismUse]:
    mechanism, bar = case.mechanism, case.mechanism.threshold
    for counts in ({"a": bar, "b": bar + 3}, {"b": bar + 1, "a": max(bar - 2, 1)}):
        names = sorted(counts)
        tops = {name: bar + min(counts[name], 4) - 1 for name in names}
        distributions = [
            np.exp(compute_key_distribution(mechanism, counts[name], tops[name]).log)
            for name in names
        ]
        joint = np.outer(*distributions)

        def encode(
            output: Any,
            names: list[str] = names,
            tops: dict[str, int] = tops,
            width: int = joint.shape[1],
        ) -> int:
            has_valid_counts = isinstance(output, dict) and all(
                type(y) is int and y >= bar for y in output.values()
            )
            if (
                not has_valid_counts
                or list(output) != [name for name in names if name in output]
                or not set(output) <= set(names)
            ):
                raise make_output_error(
                    f"keys of the data, in order, with integer counts of at least {bar}",
                    output,
                )
            first, second = (
                min(output[name], tops[name]) - bar + 1 if name in output else 0 for name in names
            )
            return first * width + second

        yield MechanismUse(
            f"counts {counts}",
            lambda counts=counts: mechanism.sample(counts),  # type: ignore[misc]
            encode,
            make_categorical(_take_logs(joint.ravel())),
        )
