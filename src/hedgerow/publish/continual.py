"""Continual sums: a stream whose elements arrive one by one, and after each the noisy sum so far.

**Terms.** How many elements there will be, between which bounds each lies, and how many of them one unit can change: all public, and all
declared before the first element, because the price of the whole stream is paid then. Values are snapped to a grid and clamped to the
bounds, so one unit changes at most ``touched`` elements, each by at most ``upper - lower``.

**Price.** ``price`` is what the noise of the chosen way costs for its ``sensitivity``; see ``streaming.ways`` for what that bounds. Each
element's noise is drawn afresh, given all that was told before; so losses add up along the stream, also if its elements were chosen in view
of earlier answers.

**Error.** ``expected`` tells it for every way before anything is spent. Among ways the one of least expected squared error is taken.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.numeric.number import Number, exact, whole
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.publish.designs import Floats
from hedgerow.publish.streaming.buffered import Buffered
from hedgerow.publish.streaming.buffers import LONGEST, Buffers
from hedgerow.publish.streaming.forest import Forest
from hedgerow.publish.streaming.state import StateFile
from hedgerow.publish.streaming.ways import EachPrefix, Reach, State, Way
from hedgerow.publish.terms import check_price

__all__ = ["Expected", "Stream", "StreamTerms", "expected", "price", "ways"]

_FORMAT = 1
_BRANCHINGS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_WIDEST = 2**53


@dataclass(frozen=True, slots=True)
class StreamTerms:
    """A stream of ``horizon`` elements between ``lower`` and ``upper``, on a ``grid``; one unit changes at most ``touched`` of them."""

    horizon: int
    lower: Fraction
    upper: Fraction
    epsilon: Fraction | None = None
    rho: Fraction | None = None
    grid: Fraction = Fraction(1)
    touched: int = 1

    def __post_init__(self) -> None:
        check_price(self)
        object.__setattr__(self, "horizon", whole(self.horizon, "horizon"))
        if self.horizon > LONGEST:
            raise InvalidArgument("horizon", f"must be at most {LONGEST:,}: declare several streams, one after the other", self.horizon)
        object.__setattr__(self, "touched", whole(self.touched, "touched"))
        if self.touched > self.horizon:
            raise InvalidArgument("touched", f"must be at most the {self.horizon:,} elements that there are", self.touched)
        object.__setattr__(self, "grid", Grid(self.grid).step)
        for name in ("lower", "upper"):
            object.__setattr__(self, name, exact(getattr(self, name), name))
        if not 1 <= self.reach.width <= _WIDEST:
            raise InvalidArgument("upper", "must be above lower, and no farther than 2^53 steps of the grid", self.upper)

    @property
    def ends(self) -> tuple[int, int]:
        """The bounds in whole steps, rounded outwards."""
        return math.floor(self.lower / self.grid), math.ceil(self.upper / self.grid)

    @property
    def reach(self) -> Reach:
        """How far one unit reaches, in whole steps."""
        low, high = self.ends
        return Reach(self.horizon, high - low, self.touched)

    def steps(self, value: Any) -> int:
        """An element as the stream takes it: in whole steps, within the bounds."""
        low, high = self.ends
        try:
            found = Grid(self.grid).snap(value, "value")
        except InvalidArgument:
            found = None
        if not isinstance(found, int) or isinstance(value, bool):
            raise InvalidArgument("value", "must be one finite number, and a whole one where the grid is 1")
        return min(max(found, low), high)


@lru_cache(maxsize=16)
def ways(terms: StreamTerms) -> tuple[Way, ...]:
    """The ways to tell the sums, the one of least expected squared error first. From the terms alone."""
    reach, epsilon, rho = terms.reach, terms.epsilon, terms.rho
    levels = max(2, terms.horizon.bit_length())
    found: list[Way] = [
        EachPrefix.plan(reach, epsilon, rho),
        Forest.plan(reach, epsilon, rho),
        Forest.plan(reach, epsilon, rho, 2, levels, averaged=False),
        min((Forest.plan(reach, epsilon, rho, b, deep) for b, deep in _shapes(terms.horizon)), key=Forest.total),
    ]
    if rho is not None:
        found.append(Buffered.plan(reach, rho))
    return tuple(sorted(found, key=lambda way: way.total()))


def _shapes(horizon: int) -> list[tuple[int, int]]:
    """Branchings and numbers of levels, while the largest sums are ever complete; at least two levels."""
    return [(b, deep) for b in _BRANCHINGS for deep in range(2, 24) if deep == 2 or b ** (deep - 1) <= horizon]


def price(terms: StreamTerms, way: Way | None = None) -> Loss:
    """What the whole stream costs; charge it before the first element."""
    chosen = ways(terms)[0] if way is None else way
    return chosen.law.loss(chosen.sensitivity)


def _covers(terms: StreamTerms, loss: Loss) -> bool:
    """Whether the terms pay for so much."""
    return loss.epsilon <= terms.epsilon if terms.epsilon is not None else terms.rho is not None and loss.rho <= terms.rho


@dataclass(frozen=True, slots=True)
class Expected:
    """How far off a way will be: the root of the mean squared error over the stream, and that of its worst place."""

    name: str
    rms: float
    worst: float

    def __str__(self) -> str:
        return f"{self.name}: off by {self.rms:.4g} on average, {self.worst:.4g} at worst"


def expected(terms: StreamTerms) -> tuple[Expected, ...]:
    """For every way, best first, in the units of the values."""
    step = float(terms.grid)
    return tuple(
        Expected(way.name, step * math.sqrt(way.total() / terms.horizon), step * math.sqrt(float(way.variances().max())))
        for way in ways(terms)
    )


class Stream:
    """A stream with its state in a file. ``create`` it once, when its price has been paid; ``open`` it ever after."""

    def __init__(self, file: StateFile, terms: StreamTerms, way: Way) -> None:
        self._file, self.terms, self.way = file, terms, way

    @classmethod
    def create(cls, path: str | Path, terms: StreamTerms, way: Way | None = None, *, anchor: Path | None = None) -> Self:
        """A new stream. Whoever creates it has charged ``price(terms, way)``. How far it went is kept in its anchor as well, beside it or
        in another place: an earlier state that is put back is refused."""
        chosen = ways(terms)[0] if way is None else way
        if chosen.reach != terms.reach or not _covers(terms, price(terms, chosen)):
            raise InvalidArgument("way", "must be one of ways(terms)", chosen.name)
        body = {"format": _FORMAT, "terms": _written(terms), "way": _kept(chosen), "price": price(terms, chosen).to_dict()}
        return cls(StateFile.create(path, json.dumps(body), terms.horizon, chosen.start(), anchor), terms, chosen)

    @classmethod
    def open(cls, path: str | Path, *, moved: bool = False) -> Self:
        """The stream at ``path``, where it stopped. ``moved``: you made sure that this is the newest copy and the only one in use."""
        file = StateFile(path, moved=moved)
        try:
            body = json.loads(file.terms)
            terms = StreamTerms(**{name: _read(value) for name, value in body["terms"].items()})
            way = _restored(terms.reach, body["way"])
            paid = Loss.from_dict(body["price"])
            if body["format"] != _FORMAT or price(terms, way) != paid or not _covers(terms, paid):
                raise ValueError("written by something else")
        except (ValueError, KeyError, TypeError, AttributeError):
            file.close()
            raise SourceError(f"The terms of the stream '{path}' are damaged, or of a later version. Nothing was told.") from None
        return cls(file, terms, way)

    def add(self, value: Any, number: int | None = None) -> float:
        """The sum up to this element, with noise. Durable before it returns.

        With its ``number``, from 1 on, the call may be repeated: an element that was answered gets the same answer again, whatever
        the value.
        """
        steps = self.terms.steps(value)
        wanted = None if number is None else whole(number, "number")
        return self._file.advance(wanted, lambda state, place: self._step(state, place, steps))[1]

    def _step(self, state: State, place: int, element: int) -> tuple[State, float]:
        """The one place where data get noise."""
        private, exact_ = self.way.measured(state.private, place, element)
        noisy = [self.way.law.sample(value) for value in exact_]
        public, told = self.way.told(state.public, place, noisy)
        return State(private, public), told * float(self.terms.grid)

    @property
    def number(self) -> int:
        """How many elements have arrived."""
        return self._file.number

    @property
    def price(self) -> Loss:
        """What the whole stream costs."""
        return price(self.terms, self.way)

    def answers(self) -> list[float]:
        """All sums told so far."""
        return self._file.answers()

    def radii(self, beta: Number) -> Floats:
        """For each sum of the stream, how far it is from the exact one of clamped values, except with probability at most ``beta``."""
        return self.way.radii(beta) * float(self.terms.grid)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _written(terms: StreamTerms) -> dict[str, int | str | None]:
    values = {name: getattr(terms, name) for name in StreamTerms.__slots__}
    return {name: str(value) if isinstance(value, Fraction) else value for name, value in values.items()}


def _read(value: int | str | None) -> Any:
    return Fraction(value) if isinstance(value, str) else value


def _kept(way: Way) -> dict[str, Any]:
    """The parameters of a way: a later version, or another machine, goes on with the same ones."""
    law = {"noise": type(way.law).__name__, "scale": str(way.law.scale)}
    if isinstance(way, Forest):
        return law | {"way": "forest", "branching": way.branching, "levels": way.levels, "averaged": way.averaged}
    if isinstance(way, Buffered):
        return law | {"way": "buffered", "shares": way.buffers.shares, "gaps": way.buffers.gaps, "fine": way.fine}
    return law | {"way": "each prefix"}


def _restored(reach: Reach, kept: Mapping[str, Any]) -> Way:
    noises: dict[str, type[Laplace] | type[Gaussian]] = {"Laplace": Laplace, "Gaussian": Gaussian}
    law = noises[kept["noise"]](Fraction(kept["scale"]))
    if kept["way"] == "forest":
        return Forest(reach, kept["branching"], kept["levels"], law, kept["averaged"])
    if kept["way"] == "buffered":
        return Buffered(reach, Buffers(reach.horizon, tuple(kept["shares"]), tuple(kept["gaps"])), kept["fine"], law)
    return {"each prefix": EachPrefix}[kept["way"]](reach, law)
