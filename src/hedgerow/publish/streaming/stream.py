"""Continual sums: a stream whose elements arrive one by one, and after each the noisy sum so far.

**Terms.** How many elements there will be, between which bounds each lies, and how many of them one
unit can change: all public, and all declared before the first element, because the price of the
whole stream is paid then. Values are snapped to a grid and clamped to the bounds, so one unit
changes at most ``touched`` elements, each by at most ``upper - lower``.

**Price.** ``compute_stream_cost`` is what the noise of the chosen way costs for its
``sensitivity``; see ``streaming.ways`` for what that bounds. Each element's noise is drawn afresh,
given all that was told before; so losses add up along the stream, also if its elements were chosen
in view of earlier answers.

**Error.** ``compute_expected_errors`` tells it for every way before anything is spent. Among ways
the one of least expected squared error is taken.
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
from hedgerow.numeric.exact_number import Number, parse_exact, parse_whole
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.publish.privacy_parameters import check_epsilon_or_rho
from hedgerow.publish.strategies.strategy import Floats
from hedgerow.publish.streaming.binary_tree import TreeMechanism
from hedgerow.publish.streaming.buffered_toeplitz import BufferedToeplitz
from hedgerow.publish.streaming.mechanism import (
    EachPrefixMechanism,
    StreamMechanism,
    StreamReach,
    StreamState,
)
from hedgerow.publish.streaming.state_file import StateFile
from hedgerow.publish.streaming.toeplitz_buffers import MAX_HORIZON, ToeplitzBuffers

__all__ = [
    "ExpectedError",
    "Stream",
    "StreamParameters",
    "compute_expected_errors",
    "compute_stream_cost",
    "list_stream_mechanisms",
]

_FORMAT = 1
# The names in the state file; renaming a class or an attribute must not change one.
_STORED_PARAMETERS = {
    "horizon": "horizon",
    "lower": "lower",
    "upper": "upper",
    "epsilon": "epsilon",
    "rho": "rho",
    "grid": "grid",
    "touched": "touched",
}
_STORED_NOISE: dict[type[Laplace] | type[Gaussian], str] = {
    Laplace: "Laplace",
    Gaussian: "Gaussian",
}
_TRIED_BRANCHINGS = (2, 3, 4, 5, 6, 8, 10, 12, 16, 20, 24, 32)
_MAX_WIDTH = 2**53


@dataclass(frozen=True, slots=True)
class StreamParameters:
    """A stream of ``horizon`` elements between ``lower`` and ``upper``, on a ``grid``; one unit
    changes at most ``touched`` of them.
    """

    horizon: int
    lower: Fraction
    upper: Fraction
    epsilon: Fraction | None = None
    rho: Fraction | None = None
    grid: Fraction = Fraction(1)
    touched: int = 1

    def __post_init__(self) -> None:
        check_epsilon_or_rho(self)
        object.__setattr__(self, "horizon", parse_whole(self.horizon, "horizon"))
        if self.horizon > MAX_HORIZON:
            raise InvalidArgument(
                "horizon",
                f"must be at most {MAX_HORIZON:,}: declare several streams, one after the other",
                self.horizon,
            )
        object.__setattr__(self, "touched", parse_whole(self.touched, "touched"))
        if self.touched > self.horizon:
            raise InvalidArgument(
                "touched",
                f"must be at most the {self.horizon:,} elements that there are",
                self.touched,
            )
        object.__setattr__(self, "grid", Grid(self.grid).step)
        for name in ("lower", "upper"):
            object.__setattr__(self, name, parse_exact(getattr(self, name), name))
        if not 1 <= self.reach.width <= _MAX_WIDTH:
            raise InvalidArgument(
                "upper",
                "must be above lower, and no farther than 2^53 steps of the grid",
                self.upper,
            )

    @property
    def step_bounds(self) -> tuple[int, int]:
        """The bounds in whole steps, rounded outwards."""
        return math.floor(self.lower / self.grid), math.ceil(self.upper / self.grid)

    @property
    def reach(self) -> StreamReach:
        """How far one unit reaches, in whole steps."""
        low, high = self.step_bounds
        return StreamReach(self.horizon, high - low, self.touched)

    def snap_to_steps(self, value: Any) -> int:
        """An element as the stream takes it: in whole steps, within the bounds."""
        low, high = self.step_bounds
        try:
            found = Grid(self.grid).snap(value, "value")
        except InvalidArgument:
            found = None
        if not isinstance(found, int) or isinstance(value, bool):
            raise InvalidArgument(
                "value", "must be one finite number, and a whole one where the grid is 1"
            )
        return min(max(found, low), high)


@lru_cache(maxsize=16)
def list_stream_mechanisms(terms: StreamParameters) -> tuple[StreamMechanism, ...]:
    """The ways to tell the sums, the one of least expected squared error first. From the terms
    alone.
    """
    reach, epsilon, rho = terms.reach, terms.epsilon, terms.rho
    levels = max(2, terms.horizon.bit_length())
    found: list[StreamMechanism] = [
        EachPrefixMechanism.plan(reach, epsilon, rho),
        TreeMechanism.plan(reach, epsilon, rho),
        TreeMechanism.plan(reach, epsilon, rho, 2, levels, averaged=False),
        min(
            (
                TreeMechanism.plan(reach, epsilon, rho, b, deep)
                for b, deep in _list_tree_shapes(terms.horizon)
            ),
            key=TreeMechanism.total_variance,
        ),
    ]
    if rho is not None:
        found.append(BufferedToeplitz.plan(reach, rho))
    return tuple(sorted(found, key=lambda way: way.total_variance()))


def _list_tree_shapes(horizon: int) -> list[tuple[int, int]]:
    """Branchings and numbers of levels, while the largest sums are ever complete; at least two
    levels.
    """
    return [
        (b, deep)
        for b in _TRIED_BRANCHINGS
        for deep in range(2, 24)
        if deep == 2 or b ** (deep - 1) <= horizon
    ]


def compute_stream_cost(terms: StreamParameters, way: StreamMechanism | None = None) -> Loss:
    """What the whole stream costs; charge it before the first element."""
    chosen = list_stream_mechanisms(terms)[0] if way is None else way
    return chosen.noise.loss(chosen.sensitivity)


def _is_covered(terms: StreamParameters, loss: Loss) -> bool:
    """Whether the terms pay for so much."""
    return (
        loss.epsilon <= terms.epsilon
        if terms.epsilon is not None
        else terms.rho is not None and loss.rho <= terms.rho
    )


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """How far off a way will be: the root of the mean squared error over the stream, and that of
    its worst place.
    """

    name: str
    rms: float
    worst: float

    def __str__(self) -> str:
        return f"{self.name}: off by {self.rms:.4g} on average, {self.worst:.4g} at worst"


def compute_expected_errors(terms: StreamParameters) -> tuple[ExpectedError, ...]:
    """For every way, best first, in the units of the values."""
    step = float(terms.grid)
    return tuple(
        ExpectedError(
            way.name,
            step * math.sqrt(way.total_variance() / terms.horizon),
            step * math.sqrt(float(way.variances().max())),
        )
        for way in list_stream_mechanisms(terms)
    )


class Stream:
    """A stream with its state in a file. ``create`` it once, when its price has been paid;
    ``open`` it ever after.
    """

    def __init__(self, file: StateFile, terms: StreamParameters, way: StreamMechanism) -> None:
        self._file, self.parameters, self.mechanism = file, terms, way

    @classmethod
    def create(
        cls,
        path: str | Path,
        terms: StreamParameters,
        way: StreamMechanism | None = None,
        *,
        anchor: Path | None = None,
    ) -> Self:
        """A new stream. Whoever creates it has charged ``compute_stream_cost(terms, way)``. How far
        it went is kept in its anchor as well, beside it or in another place: an earlier state that
        is put back is refused."""
        chosen = list_stream_mechanisms(terms)[0] if way is None else way
        if chosen.reach != terms.reach or not _is_covered(
            terms, compute_stream_cost(terms, chosen)
        ):
            raise InvalidArgument("way", "must be one of ways(terms)", chosen.name)
        body = {
            "format": _FORMAT,
            "terms": _encode_parameters(terms),
            "way": _encode_mechanism(chosen),
            "price": compute_stream_cost(terms, chosen).to_dict(),
        }
        return cls(
            StateFile.create(path, json.dumps(body), terms.horizon, chosen.initial_state(), anchor),
            terms,
            chosen,
        )

    @classmethod
    def open(cls, path: str | Path, *, moved: bool = False) -> Self:
        """The stream at ``path``, where it stopped. ``moved``: you made sure that this is the
        newest copy and the only one in use.
        """
        file = StateFile(path, moved=moved)
        try:
            body = json.loads(file.parameters)
            terms = StreamParameters(
                **{
                    _STORED_PARAMETERS[key]: _decode_value(value)
                    for key, value in body["terms"].items()
                }
            )
            way = _decode_mechanism(terms.reach, body["way"])
            paid = Loss.from_dict(body["price"])
            if (
                body["format"] != _FORMAT
                or compute_stream_cost(terms, way) != paid
                or not _is_covered(terms, paid)
            ):
                raise ValueError("written by something else")
        except (ValueError, KeyError, TypeError, AttributeError):
            file.close()
            raise SourceError(
                f"The terms of the stream '{path}' are damaged, or of a later version. Nothing was"
                " told."
            ) from None
        return cls(file, terms, way)

    def add(self, value: Any, number: int | None = None) -> float:
        """The sum up to this element, with noise. Durable before it returns.

        With its ``number``, from 1 on, the call may be repeated: an element that was answered gets
        the same answer again, whatever the value.
        """
        steps = self.parameters.snap_to_steps(value)
        wanted = None if number is None else parse_whole(number, "number")
        return self._file.advance(wanted, lambda state, place: self._advance(state, place, steps))[
            1
        ]

    def _advance(self, state: StreamState, place: int, element: int) -> tuple[StreamState, float]:
        """The one place where data get noise."""
        private, exact_ = self.mechanism.measure_element(state.private, place, element)
        noisy = [self.mechanism.noise.sample(value) for value in exact_]
        public, told = self.mechanism.estimate_sum(state.public, place, noisy)
        return StreamState(private, public), told * float(self.parameters.grid)

    @property
    def number(self) -> int:
        """How many elements have arrived."""
        return self._file.number

    @property
    def cost(self) -> Loss:
        """What the whole stream costs."""
        return compute_stream_cost(self.parameters, self.mechanism)

    def answers(self) -> list[float]:
        """All sums told so far."""
        return self._file.answers()

    def radii(self, beta: Number) -> Floats:
        """For each sum of the stream, how far it is from the exact one of clamped values, except
        with probability at most ``beta``.
        """
        return self.mechanism.radii(beta) * float(self.parameters.grid)

    def close(self) -> None:
        """Let go of the file."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()


def _encode_parameters(terms: StreamParameters) -> dict[str, int | str | None]:
    values = {key: getattr(terms, name) for key, name in _STORED_PARAMETERS.items()}
    return {
        key: str(value) if isinstance(value, Fraction) else value for key, value in values.items()
    }


def _decode_value(value: int | str | None) -> Any:
    return Fraction(value) if isinstance(value, str) else value


def _encode_mechanism(way: StreamMechanism) -> dict[str, Any]:
    """The parameters of a way: a later version, or another machine, goes on with the same ones."""
    law = {"noise": _STORED_NOISE[type(way.noise)], "scale": str(way.noise.scale)}
    if isinstance(way, TreeMechanism):
        return law | {
            "way": "forest",
            "branching": way.branching,
            "levels": way.levels,
            "averaged": way.averaged,
        }
    if isinstance(way, BufferedToeplitz):
        return law | {
            "way": "buffered",
            "shares": way.buffers.shares,
            "gaps": way.buffers.gaps,
            "fine": way.noise_bits,
        }
    return law | {"way": "each prefix"}


def _decode_mechanism(reach: StreamReach, kept: Mapping[str, Any]) -> StreamMechanism:
    noises = {name: noise for noise, name in _STORED_NOISE.items()}
    law = noises[kept["noise"]](Fraction(kept["scale"]))
    if kept["way"] == "forest":
        return TreeMechanism(reach, kept["branching"], kept["levels"], law, kept["averaged"])
    if kept["way"] == "buffered":
        return BufferedToeplitz(
            reach,
            ToeplitzBuffers(reach.horizon, tuple(kept["shares"]), tuple(kept["gaps"])),
            kept["fine"],
            law,
        )
    return {"each prefix": EachPrefixMechanism}[kept["way"]](reach, law)
