"""Candidate events for the paths of two inputs.

Paths are grouped by signature: the number of outputs, the values of booleans and words, the
constants, and which outputs carry noise. For each signature, noise that earlier outputs already
reveal is subtracted from later ones, and the remaining noisy combinations are bounded on the side
to which the two runs differ.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from typing import TypeAlias

from hedgerow.verify.refute.events import Combination, OutputEvent, OutputRange
from hedgerow.verify.refute.interval_arithmetic import RealNumber, approximate
from hedgerow.verify.refute.linear_noise import LinearForm, add, scale
from hedgerow.verify.refute.path_values import BitWord
from hedgerow.verify.refute.paths import ProgramPath

__all__ = [
    "bound_tails",
    "compute_signature",
    "count_changes",
    "increment_constants",
    "iterate_base_events",
    "repeat_first_output",
    "vary_bounds",
]

OutputSignature: TypeAlias = tuple[object, ...]


def compute_signature(path: ProgramPath) -> OutputSignature:
    """Return the outputs of a path as an adversary sees them, without the values of noisy ones."""
    return tuple(
        "noise" if isinstance(value, LinearForm) else (type(value).__name__, str(value))
        for value in path.outputs
    )


def iterate_base_events(
    one: Sequence[ProgramPath], other: Sequence[ProgramPath]
) -> Iterator[tuple[OutputEvent, ProgramPath, ProgramPath | None]]:
    """Iterate over the signatures of ``one``: its event with noisy outputs unbounded, and a path
    of each input that has this signature.
    """
    constants: dict[int, set[Fraction]] = {}
    for path in (*one, *other):
        for place, value in enumerate(path.outputs):
            if isinstance(value, Fraction) and not isinstance(value, bool):
                constants.setdefault(place, set()).add(value)
    here: dict[OutputSignature, ProgramPath] = {}
    there: dict[OutputSignature, ProgramPath] = {}
    for known, paths in ((here, one), (there, other)):
        for path in paths:
            known.setdefault(compute_signature(path), path)
    for key, path in here.items():
        yield _build_event(path, constants), path, there.get(key)


def _build_event(path: ProgramPath, constants: dict[int, set[Fraction]]) -> OutputEvent:
    values, ranges = list[tuple[int, bool | BitWord]](), list[OutputRange]()
    forms: list[tuple[Combination, LinearForm]] = []
    for place, value in enumerate(path.outputs):
        if isinstance(value, (bool, BitWord)):
            values.append((place, value))
        elif isinstance(value, LinearForm):
            combination, rest = _cancel_known_noise(place, value, forms)
            if isinstance(rest, LinearForm):
                forms.append((combination, rest))
                ranges.append(
                    OutputRange(
                        combination,
                        excluded=(
                            frozenset(constants.get(place, ()))
                            if len(combination) == 1
                            else frozenset()
                        ),
                    )
                )
            elif isinstance(rest, Fraction):
                ranges.append(OutputRange(combination, rest, rest))
        elif isinstance(value, Fraction):
            ranges.append(OutputRange(((place, Fraction(1)),), value, value))
    return OutputEvent(len(path.outputs), tuple(values), tuple(ranges))


def _cancel_known_noise(
    place: int, form: LinearForm, forms: Sequence[tuple[Combination, LinearForm]]
) -> tuple[Combination, LinearForm | RealNumber]:
    """Subtract multiples of earlier outputs as long as fewer noise variables remain."""
    weights, rest = {place: Fraction(1)}, form
    for combination, earlier in reversed(forms):
        coefficients = dict(rest.terms)
        for variable, coefficient in earlier.terms:
            factor = -coefficients.get(variable, Fraction(0)) / coefficient
            shorter = add(rest, scale(earlier, factor))
            if factor and (
                not isinstance(shorter, LinearForm) or len(shorter.terms) < len(rest.terms)
            ):
                for other, weight in combination:
                    weights[other] = weights.get(other, Fraction(0)) + factor * weight
                # Returned just below where it is not linear.
                rest = shorter  # type: ignore[assignment]
                break
        if not isinstance(rest, LinearForm):
            break
    return tuple(sorted((other, weight) for other, weight in weights.items() if weight)), rest


def _combine_outputs(one: OutputRange, path: ProgramPath) -> LinearForm | RealNumber:
    total: LinearForm | RealNumber = Fraction(0)
    for place, factor in one.combination:
        value = path.outputs[place]
        assert not isinstance(value, (bool, BitWord))
        total = add(total, scale(value, factor))
    return total


def _compute_centre(one: OutputRange, path: ProgramPath) -> Fraction:
    """Return the value of the combination without its noise, rounded to a thousandth."""
    total = _combine_outputs(one, path)
    constant = total.constant if isinstance(total, LinearForm) else total
    return (
        constant
        if isinstance(constant, Fraction)
        else Fraction(round(approximate(constant) * 1000), 1000)
    )


def _is_unbounded(one: OutputRange) -> bool:
    return one.low is None and one.high is None


def bound_tails(
    event: OutputEvent, path: ProgramPath, partner: ProgramPath | None
) -> list[OutputEvent]:
    """Bound every noisy combination on the side where the first run is likelier: from its own
    centre outwards, and from the centre of the other run.

    If both centres are equal, the bound lies far out, where the run with the wider noise is
    likelier. If the noise is an integer and the centres are not an integer apart, the centre itself
    is also tried: only one of the runs can output it.
    """
    if partner is None:
        return []
    own, others, points = list[OutputRange](), list[OutputRange](), list[OutputRange]()
    for one in event.ranges:
        near = far = point = one
        if _is_unbounded(one):
            first, second = _compute_centre(one, path), _compute_centre(one, partner)
            if (first - second).denominator != 1 and _has_integer_noise(one, path):
                point = replace(one, low=first, high=first)
            if first > second:
                near, far = replace(one, low=first), replace(one, low=second)
            elif first < second:
                near, far = replace(one, high=first), replace(one, high=second)
            else:
                far = replace(one, low=first + 4 * _compute_spread(one, path))
        own.append(near)
        others.append(far)
        points.append(point)
    found = [own, others] + ([points] if points != list(event.ranges) else [])
    return [replace(event, ranges=tuple(ranges)) for ranges in found]


def _has_integer_noise(one: OutputRange, path: ProgramPath) -> bool:
    form = _combine_outputs(one, path)
    return isinstance(form, LinearForm) and path.condition.is_integer(form.terms)


def vary_bounds(
    event: OutputEvent, one: Sequence[ProgramPath], other: Sequence[ProgramPath]
) -> Iterator[OutputEvent]:
    """Vary the bounds of one noisy combination: none, from the centres outwards, or shifted."""
    path, partner = (
        next((p for p in one if event.restrict(p)), None),
        next((p for p in other if event.restrict(p)), None),
    )
    if path is None:
        return
    for place, bounded in enumerate(event.ranges):
        if bounded.low is not None and bounded.low == bounded.high:
            continue
        for choice in dict.fromkeys(_iterate_bounds(bounded, path, partner)):
            if choice != bounded:
                yield replace(
                    event, ranges=(*event.ranges[:place], choice, *event.ranges[place + 1 :])
                )


def _iterate_bounds(
    bounded: OutputRange, path: ProgramPath, partner: ProgramPath | None
) -> Iterator[OutputRange]:
    centres = [_compute_centre(bounded, path)] + (
        [_compute_centre(bounded, partner)] if partner else []
    )
    spread = _compute_spread(bounded, path)
    for step in (
        2,
        -2,
        Fraction(1, 2),
        Fraction(-1, 2),
        Fraction(1, 8),
        Fraction(-1, 8),
        Fraction(1, 32),
        Fraction(-1, 32),
    ):
        if bounded.low is not None:
            yield replace(bounded, low=bounded.low + step * spread)
        elif bounded.high is not None:
            yield replace(bounded, high=bounded.high + step * spread)
    for step in (0, 1, 4, 16):
        yield replace(bounded, low=max(centres) + step * spread, high=None)
        yield replace(bounded, low=None, high=min(centres) - step * spread)
    yield replace(bounded, low=None, high=None)


def _compute_spread(bounded: OutputRange, path: ProgramPath) -> Fraction:
    """Return the largest noise scale of the combination, as a short fraction."""
    form = _combine_outputs(bounded, path)
    scales = [Fraction(1)] if not isinstance(form, LinearForm) else []
    for variable, coefficient in form.terms if isinstance(form, LinearForm) else ():
        law = path.condition.distributions[variable]
        width = approximate(law.parameters[-1]) - (
            approximate(law.parameters[0]) if len(law.parameters) > 1 else 0
        )
        scales.append(abs(coefficient) * Fraction(width).limit_denominator(8))
    return max(*scales, Fraction(1, 8))


def count_changes(event: OutputEvent) -> tuple[int, int]:
    """Count the changes between consecutive outputs, as a sort key: runs of equal answers are the
    simplest events.
    """
    outputs: dict[int, object] = dict(event.values)
    outputs |= {
        one.combination[-1][0]: one.low if one.low == one.high else "noise" for one in event.ranges
    }
    sequence = [outputs.get(place) for place in range(event.length)]
    return sum(a != b for a, b in pairwise(sequence)), event.length


def repeat_first_output(event: OutputEvent) -> OutputEvent | None:
    """Return the event with its first output twice, or None if that output is noisy."""
    constants = [one for one in event.ranges if one.combination[0][0] == 0]
    if not event.length or any(
        one.low is None or one.low != one.high or len(one.combination) > 1 for one in constants
    ):
        return None
    values = tuple((place + 1, value) for place, value in event.values)
    ranges = tuple(
        replace(one, combination=tuple((place + 1, factor) for place, factor in one.combination))
        for one in event.ranges
    )
    first = tuple((place, value) for place, value in event.values if place == 0)
    return OutputEvent(event.length + 1, (*first, *values), (*constants, *ranges))


def increment_constants(event: OutputEvent) -> OutputEvent | None:
    """Raise every constant number by one, as for an index into a list that has grown at its
    front; return None if there is none.
    """
    ranges = tuple(
        (
            replace(one, low=one.low + 1, high=one.low + 1)
            if one.low is not None and one.low == one.high
            else one
        )
        for one in event.ranges
    )
    return None if ranges == event.ranges else replace(event, ranges=ranges)
