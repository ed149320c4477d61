"""A client: randomises on the spot, remembers what it must, and refuses past its cap.

    client = Client(metric, "client.json", cap=2) record = client.report("https://example.org/")
    # bytes for the collector; nothing else leaves

``cap`` is how often this client may pay ``metric.scheme.lifetime``: for each different value where
answers are memoised, for each report where they are not. So over its life it gives away at most
``client.lifetime_epsilon`` about *which* values it has. Payment is on disk before the report exists
(``memory.py``, which also says what deleted storage means).

Not hidden is *when* something happens: with a cap above 1, that a memoised value changed, or came
back, shows in reports that can be linked; and a client that falls silent has met a new value, or
made its last report. Who must hide that keeps a cap of 1 and, instead of falling silent, sends
reports of a value fixed beforehand.
"""

from __future__ import annotations

from pathlib import Path

from hedgerow.local.client.encoder import DrawStream, compute_tag, encode_report, encode_value
from hedgerow.local.client.state_file import ClientState
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.metric import Metric

__all__ = ["Client"]


class Client:
    """One person's reports on one metric. ``state`` is a file that several metrics of the same
    person may share.
    """

    def __init__(
        self, metric: Metric, state: str | Path, *, cap: int = 1, secret: bytes | None = None
    ) -> None:
        self.metric, self.cap = metric, check_integer(cap, "cap", 1, 1_000_000)
        self._state = ClientState(state, secret)

    @property
    def left(self) -> int:
        """How many more different values (memoised) or reports (otherwise) the cap allows."""
        return max(0, self.cap - self._state.count_payments(self.metric.id))

    @property
    def lifetime_epsilon(self) -> float:
        """What this client gives away at most, however long it reports, about which values it has;
        for an id whose parameters never changed (what was paid under others comes on top)."""
        return self.metric.lifetime_epsilon(self.cap)

    def report(self, value: int | str) -> bytes:
        """One record. BudgetExceeded past the cap, and then nothing was drawn; InvalidArgument
        for a value outside the domain.
        """
        encode_value(self.metric, value)  # a wrong value costs nothing
        secret = self._state.secret
        mark = compute_tag(self.metric, secret, value) if self.metric.scheme.memoised else None
        self._state.charge(self.metric.id, mark, self.cap)
        return encode_report(self.metric, value, DrawStream(), secret)
