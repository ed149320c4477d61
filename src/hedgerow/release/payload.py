"""A release, and the payload in which the ledger stores it.

The stored names stand in tables of their own: nothing stored derives from the name of a class or a
field, so that renaming one changes no byte.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Final

from hedgerow.ledger.entry import Entry
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.plan.values import Value
from hedgerow.privacy.loss import Loss
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import AdditiveNoise, CentredCounts, CountingStep, ReleaseNoise

__all__ = ["Release", "encode_payload"]

_SELECTION: Final = "pick"
_STORED_MECHANISMS: Final[Mapping[str, type[AdditiveNoise]]] = {
    "laplace": Laplace,
    "gaussian": Gaussian,
}
_STORED_NAMES: Final = {mechanism: name for name, mechanism in _STORED_MECHANISMS.items()}


@dataclass(frozen=True, slots=True)
class Release:
    """Noisy numbers and their cost: a plain value, stored in the ledger and read back from it."""

    keys: tuple[tuple[Value, ...], ...]
    numbers: tuple[tuple[Any, ...], ...]
    noise: ReleaseNoise
    entry: Entry

    @property
    def loss(self) -> Loss:
        """The loss that was charged; with two populations, the smallest bound on both."""
        each = list(self.losses.values())
        return Loss(
            max(loss.epsilon for loss in each),
            max(loss.delta for loss in each),
            max(loss.rho for loss in each),
        )

    @property
    def losses(self) -> dict[str, Loss]:
        """The loss that was charged to each population."""
        return {name: Loss.from_dict(loss) for name, loss in self.entry.body["charges"].items()}

    @property
    def epsilon(self) -> Fraction:
        """The epsilon that was asked for."""
        return Fraction(self.entry.body["epsilon"])

    @classmethod
    def from_payload(cls, entry: Entry, payload: str) -> Release:
        """Decode the payload of an answer in the ledger."""
        stored = json.loads(payload)
        mechanisms = tuple(
            CalibratedSelection.from_dict(parameters)
            if name == _SELECTION
            else _STORED_MECHANISMS[name](Fraction(parameters))
            for name, parameters in stored["laws"]
        )
        threshold = stored["threshold"] and Threshold(
            *stored["threshold"][:2],
            *map(Fraction, stored["threshold"][2:4]),
            *stored["threshold"][4:],
        )
        units, bounds = stored.get("centre", (None, ()))
        centre = None if units is None else CentredCounts(units, tuple(map(tuple, bounds)))
        epsilon = stored.get("at")
        steps = tuple(CountingStep(*step) for step in stored.get("fine", ()))
        return cls(
            tuple(tuple(map(_decode_key, key)) for key in stored["keys"]),
            tuple(map(tuple, stored["numbers"])),
            ReleaseNoise(mechanisms, threshold, centre, epsilon and Fraction(epsilon), steps),
            entry,
        )


def encode_payload(
    keys: Sequence[tuple[Value, ...]], numbers: Sequence[Sequence[int | None]], noise: ReleaseNoise
) -> str:
    """Encode noisy numbers and their noise as the JSON text that the ledger stores."""
    threshold = noise.threshold
    stored: dict[str, Any] = {
        "laws": [
            [_SELECTION, one.to_dict()]
            if isinstance(one, CalibratedSelection)
            else [_STORED_NAMES[type(one)], str(one.scale)]
            for one in noise.mechanisms
        ],
        "threshold": threshold
        and [
            threshold.measure_index,
            threshold.minimum_count,
            str(threshold.delta),
            str(threshold.edge_probability),
            threshold.groups,
            threshold.truncation,
        ],
        "keys": [list(map(_encode_key, key)) for key in keys],
        "numbers": numbers,
    }
    if noise.centre is not None:
        stored["centre"] = [noise.centre.units, noise.centre.bounds]
    if noise.gaussian_epsilon is not None:
        stored["at"] = str(noise.gaussian_epsilon)
    if noise.counting_steps:
        stored["fine"] = [[step.parts_per_step, step.lost_parts] for step in noise.counting_steps]
    return json.dumps(stored, ensure_ascii=False, separators=(",", ":"))


def _encode_key(value: Value) -> Any:
    if isinstance(value, datetime):
        return {"timestamp": value.isoformat()}
    return {"date": value.isoformat()} if isinstance(value, date) else value


def _decode_key(stored: Any) -> Value:
    found: Value = stored
    if isinstance(stored, dict) and "timestamp" in stored:
        found = datetime.fromisoformat(stored["timestamp"])
    elif isinstance(stored, dict):
        found = date.fromisoformat(stored["date"])
    return found
