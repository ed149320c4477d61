"""Features: one number of an output each, with descriptions of their events.

Besides the values themselves and their summaries there are the *bit patterns* of doubles: noise
from inverting a distribution in floating point reaches only some of the doubles near an answer, and
which ones depends on the answer (Mironov 2012; Haney et al. 2022). "Is a multiple of 2^k", for each
k, is a half-line of the feature ``LowestBit``.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import NDArray

from hedgerow.verify.audit.confidence import Floats
from hedgerow.verify.audit.outputs import Outputs

__all__ = [
    "Coordinate",
    "Feature",
    "GivenEvent",
    "LowBits",
    "LowestBit",
    "OutputLength",
    "RowSummary",
    "SignificantBits",
    "format_number",
    "list_features",
    "shorten_threshold",
]

_MAX_COORDINATES = 16  # of a wide output
_MAX_BINARY_EXPONENT = 1100  # beyond the exponent of every double
_NOT_FINITE = -2000.0  # lowest bit of inf and NaN: below that of every double
_ZERO_VALUE = 2000.0  # lowest bit of zero, which is a multiple of everything


class Feature(Protocol):
    """A function from an output to a number."""

    @property
    def name(self) -> str: ...

    def compute(self, outputs: Outputs) -> Floats:
        """Return the value for each output; never NaN."""
        ...

    def describe_event(self, threshold: float, above: bool) -> str:
        """Describe the event "value >= threshold", or its complement."""
        ...


def format_number(value: float) -> str:
    """Format a number as a literal."""
    return str(int(value)) if value.is_integer() and abs(value) < 1e15 else repr(value)


def shorten_threshold(ordered: Floats, threshold: float) -> float:
    """Return the shortest decimal that splits these values as ``threshold`` does, so that the
    description of the event is exact.
    """
    place = int(np.searchsorted(ordered, threshold, side="left"))
    below = float(ordered[place - 1]) if place else -math.inf
    for digits in range(1, 18):
        short = float(f"{threshold:.{digits}g}")
        if below < short <= threshold:
            return short
    return threshold


def _format_comparison(name: str, threshold: float, above: bool) -> str:
    return f"{name} {'>=' if above else '<'} {format_number(threshold)}"


@dataclass(frozen=True, slots=True)
class GivenEvent:
    """1 for the outputs of an event that the caller fixed in advance, and 0 for the others."""

    holds: Callable[[Any], bool]

    @property
    def name(self) -> str:
        return "the given event"

    def compute(self, outputs: Outputs) -> Floats:
        """Return 1.0 or 0.0 for each output."""
        return np.fromiter((bool(self.holds(one)) for one in outputs.raw), np.float64, len(outputs))

    def describe_event(self, threshold: float, is_above: bool) -> str:  # noqa: ARG002
        """Describe the event."""
        return self.name


@dataclass(frozen=True)
class Coordinate:
    """A number of the output itself; ``has_gaps`` says that some outputs have none there and count
    as -inf.
    """

    index: int
    name: str
    has_gaps: bool = False

    def compute(self, outputs: Outputs) -> Floats:
        return outputs.coordinate(self.index)

    def describe_event(self, threshold: float, above: bool) -> str:
        return _format_comparison(self.name, threshold, above) + (
            " or no number" if self.has_gaps and not above else ""
        )


@dataclass(frozen=True)
class LowestBit:
    """The largest k such that the number is a multiple of 2^k."""

    index: int
    source: str

    @property
    def name(self) -> str:
        return f"lowest set bit of {self.source}"

    def compute(self, outputs: Outputs) -> Floats:
        mantissa, exponent, finite = _split_mantissa(outputs.coordinate(self.index))
        lowest = np.log2(np.maximum(mantissa & -mantissa, 1).astype(np.float64))
        return np.where(
            finite, np.where(mantissa == 0, _ZERO_VALUE, lowest + exponent), _NOT_FINITE
        )

    def describe_event(self, threshold: float, above: bool) -> str:
        power = math.ceil(threshold)
        pattern = f"a multiple of 2^{power}"
        if abs(power) > _MAX_BINARY_EXPONENT:
            pattern = "zero" if power > 0 else "a finite number"
        return f"{self.source} {'is' if above else 'is not'} {pattern}"


@dataclass(frozen=True)
class SignificantBits:
    """The number of mantissa bits from the first to the last that is set."""

    index: int
    source: str

    @property
    def name(self) -> str:
        return f"significant bits of {self.source}"

    def compute(self, outputs: Outputs) -> Floats:
        mantissa, _, finite = _split_mantissa(outputs.coordinate(self.index))
        trailing = np.log2(np.maximum(mantissa & -mantissa, 1).astype(np.float64))
        return np.where(finite & (mantissa != 0), 53.0 - trailing, 0.0)

    def describe_event(self, threshold: float, above: bool) -> str:
        return _format_comparison(self.name, threshold, above)


@dataclass(frozen=True)
class LowBits:
    """The sign and the lowest four bits of the mantissa, as a number from -16 to 15 (negative if
    the sign bit is set).
    """

    index: int
    source: str

    @property
    def name(self) -> str:
        return f"signed low bits of {self.source}"

    def compute(self, outputs: Outputs) -> Floats:
        bits = outputs.coordinate(self.index).view(np.int64)
        return np.where(bits < 0, (bits & 15) - 16, bits & 15).astype(np.float64)

    def describe_event(self, threshold: float, above: bool) -> str:
        return _format_comparison(self.name, threshold, above)


@dataclass(frozen=True)
class RowSummary:
    """A summary of all numbers of a wide output."""

    name: str
    kind: str

    def compute(self, outputs: Outputs) -> Floats:
        if not outputs.width:
            return np.zeros(len(outputs))
        numbers = outputs.numbers
        if self.kind in ("max", "argmax"):
            numbers = np.where(np.isnan(numbers), -np.inf, numbers)
        elif self.kind in ("min", "argmin"):
            numbers = np.where(np.isnan(numbers), np.inf, numbers)
        else:
            numbers = np.where(np.isfinite(numbers), numbers, 0.0)
        values: Floats = np.asarray(getattr(np, self.kind)(numbers, axis=1), dtype=np.float64)
        return np.where(np.isnan(values), -np.inf, values)

    def describe_event(self, threshold: float, above: bool) -> str:
        return _format_comparison(self.name, threshold, above)


@dataclass(frozen=True)
class OutputLength:
    """The number of parts of the output."""

    name: str = "length of output"

    def compute(self, outputs: Outputs) -> Floats:
        return outputs.lengths

    def describe_event(self, threshold: float, above: bool) -> str:
        return _format_comparison(self.name, threshold, above)


def list_features(one: Outputs, other: Outputs) -> tuple[Feature, ...]:
    """Return the features worth trying for outputs like these, the simplest first."""
    return tuple(_iterate_features(one, other))


def _iterate_features(one: Outputs, other: Outputs) -> Iterator[Feature]:
    width = max(one.width, other.width)
    kept = [
        index
        for index in _choose_coordinates(one, other, width)
        if _missing_share(one, index) + _missing_share(other, index) < 2
    ]
    names = {index: "output" if width == 1 else f"output[{index}]" for index in kept}
    yield from (
        Coordinate(index, name, _missing_share(one, index) + _missing_share(other, index) > 0)
        for index, name in names.items()
    )
    if width > 1:
        yield from (
            RowSummary(f"{kind} of output", kind)
            for kind in ("sum", "max", "min", "argmax", "argmin")
        )
        yield OutputLength()
    for index, name in names.items():
        if not _has_only_small_integers(one, other, index):
            yield from (LowestBit(index, name), SignificantBits(index, name), LowBits(index, name))


def _choose_coordinates(one: Outputs, other: Outputs, width: int) -> list[int]:
    """Return the coordinates whose mean value or mean lowest bit differs most between the two
    samples, in standard deviations.
    """
    if width <= _MAX_COORDINATES:
        return list(range(width))
    differences = np.array(
        [
            max(
                _standardised_difference(column.compute(one), column.compute(other))
                for column in (Coordinate(i, ""), LowestBit(i, ""))
            )
            for i in range(width)
        ]
    )
    return sorted(int(i) for i in np.argsort(-differences, kind="stable")[:_MAX_COORDINATES])


def _missing_share(outputs: Outputs, index: int) -> float:
    """Return the share of outputs without a number at this index."""
    return float(np.isnan(outputs.numbers[:, index]).mean()) if index < outputs.width else 1.0


def _standardised_difference(a: Floats, b: Floats) -> float:
    a, b = a[np.isfinite(a)], b[np.isfinite(b)]
    if not a.size or not b.size:
        return math.inf if a.size or b.size else 0.0
    gap = abs(float(a.mean() - b.mean()))
    spread = math.sqrt(float(a.var()) / a.size + float(b.var()) / b.size)
    return gap / spread if spread else (math.inf if gap else 0.0)


def _has_only_small_integers(one: Outputs, other: Outputs, index: int) -> bool:
    """Return whether all values are small integers, whose bit patterns say nothing that their
    values do not.
    """
    values = np.concatenate([one.coordinate(index), other.coordinate(index)])
    values = values[np.isfinite(values)]
    return bool(np.all((values == np.rint(values)) & (np.abs(values) < 64)))


def _split_mantissa(values: Floats) -> tuple[NDArray[np.int64], Floats, NDArray[np.bool_]]:
    """Return integer mantissas and exponents: value = mantissa * 2^exponent, with |mantissa| below
    2^53.
    """
    finite = np.isfinite(values)
    fraction, exponent = np.frexp(np.where(finite, values, 0.0))
    return np.ldexp(fraction, 53).astype(np.int64), exponent.astype(np.float64) - 53.0, finite
