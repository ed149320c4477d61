"""A metric: the document that client and collector share, with what is collected, how it is
randomised, and for which period.

The document is canonical JSON (sorted keys, no spaces, ASCII) and holds integers only; epsilon is
computed from them. Its hash travels with every batch, so that a report made under other parameters
is not counted. ``permanent_hash`` leaves the epoch out: a permanent answer must outlive its epoch,
since every new permanent answer to the same value costs its lifetime epsilon again.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from hashlib import sha256
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.protocols import ALL, LocalProtocol

__all__ = ["LAST_EPOCH", "Metric", "round_float_up"]

_ID_PATTERN = re.compile(r"[a-z0-9._-]{1,64}")
_RESERVED_IDS = {"constructor", "__proto__"}
_DOCUMENT_KEYS = {"epoch", "id", "parameters", "protocol", "version"}
# Protocol -> parameter in the document -> attribute of its class. Documents are stored and hashed,
# also by clients: renaming an attribute must not change a parameter.
_PARAMETERS: Final[Mapping[str, Mapping[str, str]]] = {
    "k_ary": {"domain": "domain", "truth": "truth"},
    "unary": {"domain": "domain", "one": "one", "zero": "zero"},
    "longitudinal_unary": {
        "domain": "domain",
        "permanent_one": "permanent_one",
        "permanent_zero": "permanent_zero",
        "one": "one",
        "zero": "zero",
    },
    "hadamard": {"domain": "domain", "keep": "keep"},
    "projective": {
        "domain": "domain",
        "field": "field",
        "dimension": "dimension",
        "truth": "truth",
    },
    "duchi": {"domain": "domain", "truth": "truth"},
    "piecewise": {"domain": "domain", "window": "window", "truth": "truth"},
    "hybrid": {
        "domain": "domain",
        "window": "window",
        "truth": "truth",
        "coin": "coin",
        "mix": "mix",
    },
    "rappor": {"k": "k", "h": "h", "m": "m", "f": "f", "p": "p", "q": "q"},
}
LAST_EPOCH = (1 << 53) - 1  # the largest integer that JavaScript reads without rounding
_MAX_DOCUMENT_CHARACTERS = 10_000


@dataclass(frozen=True, slots=True)
class Metric:
    """The protocol of a metric with its parameters by name, and the number of its period."""

    id: str
    protocol: str
    parameters: tuple[tuple[str, int], ...]
    epoch: int = 0
    version: int = 1

    def __post_init__(self) -> None:
        if not isinstance(self.id, str) or not _ID_PATTERN.fullmatch(self.id):
            raise InvalidArgument(
                "id", "must be 1 to 64 of the characters a-z, 0-9, '.', '_' and '-'", self.id
            )
        if self.id in _RESERVED_IDS:
            raise InvalidArgument(
                "id", "is reserved by JavaScript clients; choose another name", self.id
            )
        if not isinstance(self.protocol, str) or self.protocol not in ALL:
            raise InvalidArgument("protocol", f"must be one of {', '.join(ALL)}", self.protocol)
        object.__setattr__(self, "epoch", check_integer(self.epoch, "epoch", 0, LAST_EPOCH))
        object.__setattr__(self, "version", check_integer(self.version, "version", 1, 1))
        wanted = list(_PARAMETERS[self.protocol])
        given = dict(self.parameters)
        if sorted(given) != sorted(wanted) or len(given) != len(self.parameters):
            raise InvalidArgument(
                "parameters", f"of {self.protocol} must be {', '.join(wanted)}", self.parameters
            )
        whole = {name: check_integer(value, name, 0, LAST_EPOCH) for name, value in given.items()}
        object.__setattr__(self, "parameters", tuple(sorted(whole.items())))
        _ = self.scheme  # the protocol checks its own parameters

    @classmethod
    def of(cls, id: str, scheme: LocalProtocol, epoch: int = 0) -> Metric:
        """Build the metric that collects with this protocol."""
        attributes = _PARAMETERS[scheme.name].items()
        given = tuple((parameter, getattr(scheme, name)) for parameter, name in attributes)
        return cls(id, scheme.name, given, epoch)

    @classmethod
    def from_json(cls, text: str) -> Metric:
        """Read a document; refuse unknown keys."""
        document = _parse_json(text)
        if (
            not isinstance(document, dict)
            or set(document) != _DOCUMENT_KEYS
            or not isinstance(document["parameters"], dict)
        ):
            raise InvalidArgument(
                "metric",
                f"must be a JSON object with {', '.join(sorted(_DOCUMENT_KEYS))} and nothing else",
                text,
            )
        return cls(**{**document, "parameters": tuple(document["parameters"].items())})

    def to_json(self) -> str:
        """Return the canonical text."""
        return _write_canonical_json({"epoch": self.epoch, **self._epochless_document()})

    @property
    def hash(self) -> bytes:
        """The first 8 bytes of the document's hash, which every batch carries."""
        return sha256(self.to_json().encode("ascii")).digest()[:8]

    @property
    def permanent_hash(self) -> bytes:
        """The hash of the document without its epoch, from which permanent answers are derived.

        All 32 bytes: the author of metrics could find two with the same 8 bytes, whose permanent
        answers would then share their noise.
        """
        return sha256(_write_canonical_json(self._epochless_document()).encode("ascii")).digest()

    @property
    def scheme(self) -> LocalProtocol:
        """The protocol with these parameters."""
        names = _PARAMETERS[self.protocol]
        return ALL[self.protocol](**{names[key]: value for key, value in self.parameters})

    @property
    def epsilon(self) -> float:
        """The epsilon of one report, rounded up."""
        return round_float_up(self.scheme.epsilon)

    def lifetime_epsilon(self, values: int) -> float:
        """Return the epsilon of a client after ``values`` distinct values (memoised) or reports."""
        return (
            round_float_up(
                check_integer(values, "values", 0, LAST_EPOCH) * self.scheme.lifetime_epsilon
            )
            if values
            else 0.0
        )

    def _epochless_document(self) -> dict[str, Any]:
        return {
            "id": self.id,
            "parameters": dict(self.parameters),
            "protocol": self.protocol,
            "version": self.version,
        }


def _write_canonical_json(document: dict[str, Any]) -> str:
    return json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True)


def _parse_json(text: str) -> Any:
    def once(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        if len(dict(pairs)) != len(pairs):
            raise InvalidArgument("metric", "must not name a key twice", text)
        return dict(pairs)

    if not isinstance(text, str) or len(text) > _MAX_DOCUMENT_CHARACTERS:
        raise InvalidArgument(
            "metric", f"must be a text of at most {_MAX_DOCUMENT_CHARACTERS} characters", text
        )
    try:
        return json.loads(text, object_pairs_hook=once)
    except (ValueError, RecursionError) as failure:  # also a number of thousands of digits
        raise InvalidArgument("metric", "must be JSON", text) from failure


def round_float_up(number: Fraction | float) -> float:
    """Return the least float that is at least ``number``."""
    near = float(number)
    return near if near >= number else math.nextafter(near, math.inf)
