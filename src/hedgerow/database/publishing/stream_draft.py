"""The draft of a stream: numbers that arrive one by one, charged to a population before the first
of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hedgerow.errors import InvalidArgument, Refused, trim_tracebacks
from hedgerow.ledger.anchored_ledger import AnchoredLedger
from hedgerow.ledger.interface import LedgerBase
from hedgerow.privacy.loss import Loss
from hedgerow.publish.streaming.stream import (
    ExpectedError,
    Stream,
    StreamParameters,
    compute_expected_errors,
    compute_stream_cost,
)

__all__ = ["StreamDraft"]


@dataclass(frozen=True, slots=True, eq=False)
class StreamDraft:
    """A stream that has not begun, and costs nothing until then."""

    name: str
    terms: StreamParameters
    population: str
    epsilon: Fraction
    _ledger: LedgerBase
    _policy_digest: str
    _analyst: str

    @property
    def cost(self) -> Loss:
        """The cost of the whole stream, however many numbers arrive."""
        return compute_stream_cost(self.terms)

    @property
    def expected(self) -> tuple[ExpectedError, ...]:
        """The expected error of each stream mechanism, best first; the first one is used."""
        return compute_expected_errors(self.terms)

    def __repr__(self) -> str:
        terms = self.terms
        first = (
            f"Stream {self.name}: {terms.horizon:,} numbers from {float(terms.lower):g} to"
            f" {float(terms.upper):g}."
        )
        whom = (
            f"Cost: {self.cost} for each unit that changes at most {terms.touched:,} of them,"
            " charged when it begins."
        )
        return "\n".join([first, whom, *map(str, self.expected)])

    @trim_tracebacks
    def begin(self, path: str | Path) -> Stream:
        """Charge the whole stream and begin it, with its state in a new file; ``Stream.open``
        continues it after a restart.

        After a crash, calling this again continues with the same charge. The anchor lies beside the
        ledger, so a stream that has released anything never begins a second time.
        """
        place = Path(path)
        if place.exists():
            raise InvalidArgument(
                "path",
                "must be a new file; to continue a stream, use Stream.open",
                str(place),
            )
        if not place.parent.is_dir():
            raise InvalidArgument("path", "must be in a folder that exists", str(place))
        key = hashlib.sha256(f"stream\n{self.name}".encode()).hexdigest()
        if self._ledger.answers(key, "1"):
            raise Refused(f"A stream called {self.name} has begun already. {_NAME_TAKEN_FIX}")
        entry = self._ledger.charge(
            {self.population: self.cost},
            analyst=self._analyst,
            epsilon=self.epsilon,
            question=key,
            version="1",
            request=f"stream {key}",
            about={"stream": self.name, "horizon": self.terms.horizon},
            policy=self._policy_digest,
        )
        stream = Stream.create(place, self.terms, anchor=self._find_anchor_path(key))
        payload = json.dumps({"place": str(place.absolute())})
        # Another process was faster, and nothing was released from this one.
        if self._ledger.answer(entry, payload).body.get("payload") != payload:
            stream.close()
            raise Refused(
                f"A stream called {self.name} began elsewhere just now. {_NAME_TAKEN_FIX}"
            )
        return stream

    def _find_anchor_path(self, key: str) -> Path | None:
        """Return the path of the anchor beside that of the ledger: restoring the state file of the
        stream does not restore the anchor."""
        if not isinstance(self._ledger, AnchoredLedger):
            return None
        return self._ledger.path.with_name(f"{self._ledger.path.name}.{key[:16]}.stream")


_NAME_TAKEN_FIX = "Continue it with Stream.open, or give this one another name."
