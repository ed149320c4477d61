"""A stream of numbers that arrive one by one, paid for from the budget of a population before the first of them."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger.sqlite import Ledger
from hedgerow.ledger.store import Store
from hedgerow.privacy.loss import Loss
from hedgerow.publish.continual import Expected, Stream, StreamTerms, expected, price

__all__ = ["ContinualDraft"]


@dataclass(frozen=True, slots=True, eq=False)
class ContinualDraft:
    """A stream that has not begun. It costs nothing until it does."""

    name: str
    terms: StreamTerms
    population: str
    epsilon: Fraction
    _ledger: Store
    _digest: str
    _analyst: str

    @property
    def cost(self) -> Loss:
        """What the whole stream will cost, however many of its elements come."""
        return price(self.terms)

    @property
    def expected(self) -> tuple[Expected, ...]:
        """How far off each way of adding up would be, best first; the first is taken."""
        return expected(self.terms)

    def __repr__(self) -> str:
        terms = self.terms
        first = f"Stream {self.name}: {terms.horizon:,} numbers from {float(terms.lower):g} to {float(terms.upper):g}."
        whom = f"Cost: {self.cost}, towards whoever changes at most {terms.touched:,} of them, charged when it begins."
        return "\n".join([first, whom, *map(str, self.expected)])

    def begin(self, path: str | Path) -> Stream:
        """Charge the whole stream and begin it, with its state in a new file. ``Stream.open`` goes on with it after a restart.

        A crash on the way costs nothing more: the same again goes on with what was charged. The anchor lies beside the ledger, and a stream
        that told something is never begun a second time.
        """
        place = Path(path)
        if place.exists():
            raise InvalidArgument("path", "must be a new file: there is something already. Stream.open goes on with a stream", str(place))
        if not place.parent.is_dir():
            raise InvalidArgument("path", "must be in a folder that there is", str(place))
        key = hashlib.sha256(f"stream\n{self.name}".encode()).hexdigest()
        if self._ledger.answers(key, "1"):
            raise Refused(f"A stream called {self.name} has begun already: {_ANOTHER}")
        entry = self._ledger.charge(
            {self.population: self.cost},
            analyst=self._analyst,
            epsilon=self.epsilon,
            question=key,
            version="1",
            request=f"stream {key}",
            about={"stream": self.name, "horizon": self.terms.horizon},
            policy=self._digest,
        )
        stream = Stream.create(place, self.terms, anchor=self._anchor(key))
        payload = json.dumps({"place": str(place.absolute())})
        if self._ledger.answer(entry, payload).body.get("payload") != payload:  # another was faster; nothing was told of this one
            stream.close()
            raise Refused(f"A stream called {self.name} began elsewhere just now: {_ANOTHER}")
        return stream

    def _anchor(self, key: str) -> Path | None:
        """Beside the ledger, where it has a file: what puts back the state of the stream does not put back that."""
        return self._ledger.path.with_name(f"{self._ledger.path.name}.{key[:16]}.stream") if isinstance(self._ledger, Ledger) else None


_ANOTHER = "go on with its file, or give this one another name."
