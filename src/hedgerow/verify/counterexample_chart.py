"""A chart of a counterexample: the output probabilities on two neighbouring inputs, as text bars.

If there are few outputs, each has its bars. If the event bounds a number, the number line is cut
into cells, each measured exactly like the event itself. The bars of the event are marked.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.charts.text_bars import EMPTY, FULL, fill_cells
from hedgerow.errors import HedgerowError
from hedgerow.verify.refute.counterexample import Counterexample, compute_event_probability
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.interval_arithmetic import approximate
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord
from hedgerow.verify.refute.paths import PathLimits, enumerate_paths

__all__ = ["EventBar", "draw_bars", "measure_bars"]

_WIDTH: Final = 40
_MAX_LISTED_EVENTS: Final = 12
_CELLS_PER_SIDE: Final = 5  # on either side of the event
_LIMITS: Final = PathLimits(paths=2000, steps=50_000)


@dataclass(frozen=True, slots=True)
class EventBar:
    """The probability of an outcome on the first and on the second input; ``in_event`` marks the
    outcomes of the event.
    """

    label: str
    first: float
    second: float
    in_event: bool


def measure_bars(witness: Counterexample) -> list[EventBar]:
    """Return the bars: each output or cell if they can be measured, else the event and the rest."""
    try:
        bars = _list_outputs(witness) or _cut_into_cells(witness)
    except (HedgerowError, OutOfScope, ArithmeticError):  # too many to list, as a pad of 512 bits
        bars = []
    if bars:
        return bars
    likely, rare = approximate(witness.likely), approximate(witness.rare)
    return [
        EventBar("the event", likely, rare, True),
        EventBar("all else", 1 - likely, 1 - rare, False),
    ]


def _measure_event(
    witness: Counterexample, event: OutputEvent, label: str, inside: bool
) -> EventBar:
    first, second = (
        approximate(compute_event_probability(witness.program, side, [event], _LIMITS))
        for side in (witness.first, witness.second)
    )
    return EventBar(label, first, second, inside)


def _list_outputs(witness: Counterexample) -> list[EventBar]:
    """Return a bar for each sequence of outputs, or nothing if there are too many or an output is
    a noisy number.
    """
    events: dict[OutputEvent, bool] = {}
    for side in (witness.first, witness.second):
        for path in enumerate_paths(witness.program, side, _LIMITS):
            values, ranges = list[tuple[int, bool | BitWord]](), list[OutputRange]()
            for place, value in enumerate(path.outputs):
                if isinstance(value, (bool, BitWord)):
                    values.append((place, value))
                elif isinstance(value, Fraction):
                    ranges.append(OutputRange(((place, Fraction(1)),), value, value))
                else:
                    return []
            inside = any(event.restrict(path) is not None for event in witness.events)
            events[OutputEvent(len(path.outputs), tuple(values), tuple(ranges))] = inside
            if len(events) > _MAX_LISTED_EVENTS:
                return []
    return [
        _measure_event(witness, event, _format_event(event), inside)
        for event, inside in events.items()
    ]


def _format_event(event: OutputEvent) -> str:
    outputs: dict[int, str] = {place: str(value) for place, value in event.values}
    outputs |= {bounds.combination[0][0]: str(bounds.low) for bounds in event.ranges}
    text = ", ".join(outputs[place] for place in sorted(outputs)) or "nothing"
    return text if len(text) <= 24 else text[:23] + "…"


def _cut_into_cells(witness: Counterexample) -> list[EventBar]:
    """Return a bar for each cell of the first number that the event bounds."""
    event = witness.events[0]
    bounded = next(
        (each for each in event.ranges if each.low is not None or each.high is not None), None
    )
    if bounded is None or len(witness.events) > 1:
        return []
    low, high = bounded.low, bounded.high
    step = high - low if low is not None and high is not None and high > low else Fraction(1)
    first = low if low is not None else high
    assert first is not None
    edges = [first + step * number for number in range(-_CELLS_PER_SIDE, _CELLS_PER_SIDE + 2)]
    bars = []
    for start, end in zip([None, *edges], [*edges, None], strict=True):
        inside = (low is None or (start is not None and start >= low)) and (
            high is None or (end is not None and end <= high)
        )
        cell = replace(bounded, low=start, high=end)
        ranges = tuple(cell if each is bounded else each for each in event.ranges)
        part = replace(event, ranges=ranges)
        bars.append(_measure_event(witness, part, _format_interval(start, end), inside))
    return bars


def _format_interval(low: Fraction | None, high: Fraction | None) -> str:
    if low is None or high is None:
        return f"below {float(high):g}" if high is not None else f"above {float(low or 0):g}"
    return f"{float(low):g} to {float(high):g}"


def draw_bars(witness: Counterexample) -> str:
    """Draw the bars as text: full blocks for the first input, shaded ones for the second."""
    bars = measure_bars(witness)
    top = max(max(bar.first, bar.second) for bar in bars) or 1.0
    width = max(len(bar.label) for bar in bars)
    lines = [f"{FULL} input 1   {EMPTY} input 2   * belongs to the event"]
    for bar in bars:
        star = "*" if bar.in_event else " "
        for head, share, mark in (
            (f"{star} {bar.label:>{width}}", bar.first, FULL),
            (" " * (width + 2), bar.second, EMPTY),
        ):
            lines.append(f"{head} │{fill_cells(share, top, _WIDTH, mark)} {share:.3g}")
    return "\n".join(lines)
