"""Streams: elements arrive one by one, and each is answered with the noisy running total.

**Parameters.** The number of elements, the bounds of each, and the number of elements that one unit
can change are public and declared before the first element, because the whole stream is charged
then. Values are rounded to a grid and clamped to the bounds, so one unit changes at most
``touched`` elements, each by at most ``upper - lower``.

**Cost.** ``compute_stream_cost`` is the loss of the chosen mechanism's noise for its
``sensitivity``; ``streaming.mechanism`` says what that bounds. Each element's noise is drawn
afresh, given all earlier answers, so losses add up along the stream, even if its elements were
chosen in view of earlier answers.

**Error.** ``compute_expected_errors`` returns it for every mechanism before anything is spent. The
mechanism of least expected squared error is used.
"""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from contextlib import AbstractContextManager
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from pathlib import Path
from typing import Any, Self

from hedgerow.errors import InvalidArgument, SourceError
from hedgerow.numeric.exact_number import Number, parse_exact, parse_whole
from hedgerow.privacy.grid import Grid
from hedgerow.privacy.loss import Loss
from hedgerow.publish.privacy_parameters import NOISE_NAMES, check_epsilon_or_rho
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
                f"must be at most {MAX_HORIZON:,}; declare several streams, one after the other",
                self.horizon,
            )
        object.__setattr__(self, "touched", parse_whole(self.touched, "touched"))
        if self.touched > self.horizon:
            raise InvalidArgument(
                "touched",
                f"must be at most the {self.horizon:,} elements of the stream",
                self.touched,
            )
        object.__setattr__(self, "grid", Grid(self.grid).step)
        for name in ("lower", "upper"):
            object.__setattr__(self, name, parse_exact(getattr(self, name), name))
        if not 1 <= self.reach.width <= _MAX_WIDTH:
            raise InvalidArgument(
                "upper",
                "must be above lower, by at most 2^53 steps of the grid",
                self.upper,
            )

    @property
    def step_bounds(self) -> tuple[int, int]:
        """The bounds in integer steps, rounded outwards."""
        return math.floor(self.lower / self.grid), math.ceil(self.upper / self.grid)

    @property
    def reach(self) -> StreamReach:
        """The reach of one unit, in integer steps."""
        low, high = self.step_bounds
        return StreamReach(self.horizon, high - low, self.touched)

    def snap_to_steps(self, value: Any) -> int:
        """Return an element in integer steps, clamped to the bounds."""
        low, high = self.step_bounds
        try:
            steps = Grid(self.grid).snap(value, "value")
        except InvalidArgument:
            steps = None
        if not isinstance(steps, int) or isinstance(value, bool):
            raise InvalidArgument(
                "value", "must be one finite number, and an integer if the grid is 1"
            )
        return min(max(steps, low), high)


@lru_cache(maxsize=16)
def list_stream_mechanisms(terms: StreamParameters) -> tuple[StreamMechanism, ...]:
    """Return the mechanisms by expected squared error, from the parameters alone."""
    reach, epsilon, rho = terms.reach, terms.epsilon, terms.rho
    levels = max(2, terms.horizon.bit_length())
    mechanisms: list[StreamMechanism] = [
        EachPrefixMechanism.plan(reach, epsilon, rho),
        TreeMechanism.plan(reach, epsilon, rho),
        TreeMechanism.plan(reach, epsilon, rho, 2, levels, averaged=False),
        min(
            (
                TreeMechanism.plan(reach, epsilon, rho, *shape)
                for shape in _list_tree_shapes(terms.horizon)
            ),
            key=TreeMechanism.total_variance,
        ),
    ]
    if rho is not None:
        mechanisms.append(BufferedToeplitz.plan(reach, rho))
    return tuple(sorted(mechanisms, key=lambda mechanism: mechanism.total_variance()))


def _list_tree_shapes(horizon: int) -> list[tuple[int, int]]:
    """Return branchings and numbers of levels whose largest sums can be complete; at least two
    levels.
    """
    return [
        (b, levels)
        for b in _TRIED_BRANCHINGS
        for levels in range(2, 24)
        if levels == 2 or b ** (levels - 1) <= horizon
    ]


def compute_stream_cost(terms: StreamParameters, mechanism: StreamMechanism | None = None) -> Loss:
    """Return the loss of the whole stream; charge it before the first element."""
    chosen = list_stream_mechanisms(terms)[0] if mechanism is None else mechanism
    return chosen.noise.loss(chosen.sensitivity)


def _is_covered(terms: StreamParameters, loss: Loss) -> bool:
    if terms.epsilon is not None:
        return loss.epsilon <= terms.epsilon
    return terms.rho is not None and loss.rho <= terms.rho


@dataclass(frozen=True, slots=True)
class ExpectedError:
    """The expected error of a mechanism: the root of the mean squared error over the stream, and
    that of its worst element.
    """

    name: str
    rms: float
    worst: float

    def __str__(self) -> str:
        return f"{self.name}: expected error {self.rms:.4g}, worst {self.worst:.4g}"


def compute_expected_errors(terms: StreamParameters) -> tuple[ExpectedError, ...]:
    """Return the expected error of every mechanism, best first, in units of the values."""
    step = float(terms.grid)
    return tuple(
        ExpectedError(
            mechanism.name,
            step * math.sqrt(mechanism.total_variance() / terms.horizon),
            step * math.sqrt(float(mechanism.variances().max())),
        )
        for mechanism in list_stream_mechanisms(terms)
    )


class Stream(AbstractContextManager["Stream"]):
    """A stream with its state in a file. Use ``create`` once, after it has been charged, and
    ``open`` from then on.
    """

    def __init__(
        self, file: StateFile, terms: StreamParameters, mechanism: StreamMechanism
    ) -> None:
        self._file, self.parameters, self.mechanism = file, terms, mechanism

    @classmethod
    def create(
        cls,
        path: str | Path,
        terms: StreamParameters,
        mechanism: StreamMechanism | None = None,
        *,
        anchor: Path | None = None,
    ) -> Self:
        """Create a new stream, after ``compute_stream_cost(terms, mechanism)`` has been charged.
        Its progress is also kept in an anchor, beside it or elsewhere, so that a restored older
        state is refused.
        """
        chosen = list_stream_mechanisms(terms)[0] if mechanism is None else mechanism
        if chosen.reach != terms.reach or not _is_covered(
            terms, compute_stream_cost(terms, chosen)
        ):
            raise InvalidArgument(
                "mechanism", "must be one of list_stream_mechanisms(terms)", chosen.name
            )
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
        """Open the stream at ``path`` where it stopped. ``moved`` confirms that this is the newest
        copy and the only one in use.
        """
        file = StateFile(path, moved=moved)
        try:
            body = json.loads(file.parameters)
            stored: dict[str, Any] = {
                _STORED_PARAMETERS[key]: Fraction(value) if isinstance(value, str) else value
                for key, value in body["terms"].items()
            }
            terms = StreamParameters(**stored)
            mechanism = _decode_mechanism(terms.reach, body["way"])
            paid = Loss.from_dict(body["price"])
            if (
                body["format"] != _FORMAT
                or compute_stream_cost(terms, mechanism) != paid
                or not _is_covered(terms, paid)
            ):
                raise ValueError("not the parameters of a stream")
        except (ValueError, KeyError, TypeError, AttributeError):
            file.close()
            raise SourceError(
                f"The parameters of the stream '{path}' are damaged, or of a later version. Restore"
                " its newest state, or use that version."
            ) from None
        return cls(file, terms, mechanism)

    def add(self, value: Any, number: int | None = None) -> float:
        """Return the noisy running total up to this element, durable before it returns.

        With its ``number``, from 1 on, the call may be repeated: an answered element gets the same
        answer again, whatever the value.
        """
        steps = self.parameters.snap_to_steps(value)
        wanted = None if number is None else parse_whole(number, "number")
        _, answer = self._file.advance(
            wanted, lambda state, place: self._advance(state, place, steps)
        )
        return answer

    def _advance(self, state: StreamState, place: int, element: int) -> tuple[StreamState, float]:
        """Measure one element: the only place where data get noise."""
        private, exact = self.mechanism.measure_element(state.private, place, element)
        noisy = [self.mechanism.noise.sample(value) for value in exact]
        public, total = self.mechanism.estimate_sum(state.public, place, noisy)
        return StreamState(private, public), total * float(self.parameters.grid)

    @property
    def number(self) -> int:
        """The number of elements so far."""
        return self._file.number

    @property
    def cost(self) -> Loss:
        """The loss of the whole stream."""
        return compute_stream_cost(self.parameters, self.mechanism)

    def answers(self) -> list[float]:
        """Return all running totals so far."""
        return self._file.answers()

    def radii(self, beta: Number) -> Floats:
        """Return for each running total the distance from the exact sum of clamped values that is
        exceeded with probability at most ``beta``.
        """
        return self.mechanism.radii(beta) * float(self.parameters.grid)

    def close(self) -> None:
        self._file.close()

    def __exit__(self, *_: object) -> None:
        self.close()


def _encode_parameters(terms: StreamParameters) -> dict[str, int | str | None]:
    values = {key: getattr(terms, name) for key, name in _STORED_PARAMETERS.items()}
    return {
        key: str(value) if isinstance(value, Fraction) else value for key, value in values.items()
    }


def _encode_mechanism(mechanism: StreamMechanism) -> dict[str, Any]:
    """Return the parameters of a mechanism, so that a later version or another machine continues
    with the same ones.
    """
    noise = {"noise": NOISE_NAMES[type(mechanism.noise)], "scale": str(mechanism.noise.scale)}
    match mechanism:
        case TreeMechanism():
            return noise | {
                "way": "forest",
                "branching": mechanism.branching,
                "levels": mechanism.levels,
                "averaged": mechanism.averaged,
            }
        case BufferedToeplitz():
            return noise | {
                "way": "buffered",
                "shares": mechanism.buffers.shares,
                "gaps": mechanism.buffers.gaps,
                "fine": mechanism.noise_bits,
            }
        case _:
            return noise | {"way": "each prefix"}


def _decode_mechanism(reach: StreamReach, kept: Mapping[str, Any]) -> StreamMechanism:
    noises = {name: kind for kind, name in NOISE_NAMES.items()}
    noise = noises[kept["noise"]](Fraction(kept["scale"]))
    match kept["way"]:
        case "forest":
            return TreeMechanism(reach, kept["branching"], kept["levels"], noise, kept["averaged"])
        case "buffered":
            shares, gaps = tuple(kept["shares"]), tuple(kept["gaps"])
            buffers = ToeplitzBuffers(reach.horizon, shares, gaps)
            return BufferedToeplitz(reach, buffers, kept["fine"], noise)
        case "each prefix":
            return EachPrefixMechanism(reach, noise)
        case unknown:
            raise KeyError(unknown)
