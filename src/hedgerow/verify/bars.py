"""A witness as a picture: what a program tells on either of two neighbouring inputs, as bars.

Where the outputs are few, each has its bars. Where the event bounds a number, the line of that number is cut into cells, all of them
measured exactly like the event itself. Marked are the bars that make up the event.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final

from hedgerow.errors import HedgerowError
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.events import Event, Range
from hedgerow.verify.refuter.paths import Limits, paths
from hedgerow.verify.refuter.quantity import approximate
from hedgerow.verify.refuter.values import Word
from hedgerow.verify.refuter.witness import Witness, measured

__all__ = ["Bar", "bars", "drawn"]

_WIDTH: Final = 40
_MOST: Final = 12
_CELLS: Final = 5  # on either side of the event
_LIMITS: Final = Limits(paths=2000, steps=50_000)


@dataclass(frozen=True, slots=True)
class Bar:
    """How likely something is on the first and on the second input; ``event`` says whether it belongs to the event."""

    label: str
    one: float
    other: float
    event: bool


def bars(witness: Witness) -> list[Bar]:
    """At least the event and the rest; more where more can be measured."""
    try:
        found = _listed(witness) or _cut(witness)
    except (HedgerowError, Beyond, ArithmeticError):  # too much to be listed: a pad of 512 bits
        found = []
    if found:
        return found
    likely, rare = approximate(witness.likely), approximate(witness.rare)
    return [Bar("the event", likely, rare, True), Bar("all else", 1 - likely, 1 - rare, False)]


def _measured(witness: Witness, event: Event, label: str, inside: bool) -> Bar:
    one, other = (approximate(measured(witness.program, side, [event], _LIMITS)) for side in (witness.one, witness.other))
    return Bar(label, one, other, inside)


def _listed(witness: Witness) -> list[Bar]:
    """Every sequence of outputs, if all outputs are truths or words, or whole numbers that no noise is in, and there are few."""
    events: dict[Event, bool] = {}
    for side in (witness.one, witness.other):
        for path in paths(witness.program, side, _LIMITS):
            values, ranges = list[tuple[int, bool | Word]](), list[Range]()
            for place, value in enumerate(path.outputs):
                if isinstance(value, (bool, Word)):
                    values.append((place, value))
                elif isinstance(value, Fraction):
                    ranges.append(Range(((place, Fraction(1)),), value, value))
                else:
                    return []
            inside = any(one.region(path) is not None for one in witness.events)
            events[Event(len(path.outputs), tuple(values), tuple(ranges))] = inside
            if len(events) > _MOST:
                return []
    return [_measured(witness, one, _told(one), inside) for one, inside in events.items()]


def _told(event: Event) -> str:
    told: dict[int, str] = {place: str(value) for place, value in event.values}
    told |= {one.combination[0][0]: str(one.low) for one in event.ranges}
    text = ", ".join(told[place] for place in sorted(told)) or "nothing"
    return text if len(text) <= 24 else text[:23] + "…"


def _cut(witness: Witness) -> list[Bar]:
    """The number that the event bounds first, in cells."""
    event = witness.events[0]
    bounded = next((one for one in event.ranges if one.low is not None or one.high is not None), None)
    if bounded is None or len(witness.events) > 1:
        return []
    low, high = bounded.low, bounded.high
    step = high - low if low is not None and high is not None and high > low else Fraction(1)
    first = low if low is not None else high
    assert first is not None
    edges = [first + step * number for number in range(-_CELLS, _CELLS + 2)]
    found = []
    for start, end in zip([None, *edges], [*edges, None], strict=True):
        inside = (low is None or (start is not None and start >= low)) and (high is None or (end is not None and end <= high))
        cell = replace(bounded, low=start, high=end)
        part = replace(event, ranges=tuple(cell if one is bounded else one for one in event.ranges))
        found.append(_measured(witness, part, _interval(start, end), inside))
    return found


def _interval(low: Fraction | None, high: Fraction | None) -> str:
    if low is None or high is None:
        return f"below {float(high):g}" if high is not None else f"above {float(low or 0):g}"
    return f"{float(low):g} to {float(high):g}"


def drawn(witness: Witness) -> str:
    """The bars as lines of text: a full block for the first input, a shaded one for the second."""
    found = bars(witness)
    top = max(max(one.one, one.other) for one in found) or 1.0
    label = max(len(one.label) for one in found)
    lines = ["█ input 1   ░ input 2   * belongs to the event"]
    for one in found:
        for number, (share, mark) in enumerate(((one.one, "█"), (one.other, "░"))):
            name = one.label if not number else ""
            star = "*" if one.event and not number else " "
            lines.append(f"{star} {name:>{label}} │{mark * round(share / top * _WIDTH)} {share:.3g}")
    return "\n".join(lines)
