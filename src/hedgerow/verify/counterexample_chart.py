"""A witness as a picture: what a program tells on either of two neighbouring inputs, as bars.

Where the outputs are few, each has its bars. Where the event bounds a number, the line of that
number is cut into cells, all of them measured exactly like the event itself. Marked are the bars
that make up the event.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

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
    """How likely something is on the first and on the second input; ``event`` says whether it
    belongs to the event.
    """

    label: str
    first: float
    second: float
    in_event: bool


def measure_bars(witness: Counterexample) -> list[EventBar]:
    """At least the event and the rest; more where more can be measured."""
    try:
        found = _list_outputs(witness) or _cut_into_cells(witness)
    except (HedgerowError, OutOfScope, ArithmeticError):  # too much to be listed: a pad of 512 bits
        found = []
    if found:
        return found
    likely, rare = approximate(witness.likely), approximate(witness.rare)
    return [
        EventBar("the event", likely, rare, True),
        EventBar("all else", 1 - likely, 1 - rare, False),
    ]


def _measure_event(
    witness: Counterexample, event: OutputEvent, label: str, inside: bool
) -> EventBar:
    one, other = (
        approximate(compute_event_probability(witness.program, side, [event], _LIMITS))
        for side in (witness.first, witness.second)
    )
    return EventBar(label, one, other, inside)


def _list_outputs(witness: Counterexample) -> list[EventBar]:
    """Every sequence of outputs, if all outputs are truths or words, or whole numbers that no
    noise is in, and there are few.
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
            inside = any(one.restrict(path) is not None for one in witness.events)
            events[OutputEvent(len(path.outputs), tuple(values), tuple(ranges))] = inside
            if len(events) > _MAX_LISTED_EVENTS:
                return []
    return [
        _measure_event(witness, one, _format_event(one), inside) for one, inside in events.items()
    ]


def _format_event(event: OutputEvent) -> str:
    told: dict[int, str] = {place: str(value) for place, value in event.values}
    told |= {one.combination[0][0]: str(one.low) for one in event.ranges}
    text = ", ".join(told[place] for place in sorted(told)) or "nothing"
    return text if len(text) <= 24 else text[:23] + "…"


def _cut_into_cells(witness: Counterexample) -> list[EventBar]:
    """The number that the event bounds first, in cells."""
    event = witness.events[0]
    bounded = next(
        (one for one in event.ranges if one.low is not None or one.high is not None), None
    )
    if bounded is None or len(witness.events) > 1:
        return []
    low, high = bounded.low, bounded.high
    step = high - low if low is not None and high is not None and high > low else Fraction(1)
    first = low if low is not None else high
    assert first is not None
    edges = [first + step * number for number in range(-_CELLS_PER_SIDE, _CELLS_PER_SIDE + 2)]
    found = []
    for start, end in zip([None, *edges], [*edges, None], strict=True):
        inside = (low is None or (start is not None and start >= low)) and (
            high is None or (end is not None and end <= high)
        )
        cell = replace(bounded, low=start, high=end)
        part = replace(event, ranges=tuple(cell if one is bounded else one for one in event.ranges))
        found.append(_measure_event(witness, part, _format_interval(start, end), inside))
    return found


def _format_interval(low: Fraction | None, high: Fraction | None) -> str:
    if low is None or high is None:
        return f"below {float(high):g}" if high is not None else f"above {float(low or 0):g}"
    return f"{float(low):g} to {float(high):g}"


def draw_bars(witness: Counterexample) -> str:
    """The bars as lines of text: a full block for the first input, a shaded one for the second."""
    found = measure_bars(witness)
    top = max(max(one.first, one.second) for one in found) or 1.0
    label = max(len(one.label) for one in found)
    lines = ["█ input 1   ░ input 2   * belongs to the event"]
    for one in found:
        for number, (share, mark) in enumerate(((one.first, "█"), (one.second, "░"))):
            name = one.label if not number else ""
            star = "*" if one.in_event and not number else " "
            lines.append(
                f"{star} {name:>{label}} │{mark * round(share / top * _WIDTH)} {share:.3g}"
            )
    return "\n".join(lines)
