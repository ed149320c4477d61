"""A client that randomises values locally, memoises permanent answers and enforces its cap.

    client = Client(metric, "client.json", cap=2)
    record = client.report("https://example.org/")  # bytes for the collector; nothing else leaves

``cap`` is how often this client may pay ``metric.scheme.lifetime_epsilon``: once for each distinct
value where answers are memoised, else once for each report. Over its life the client therefore
loses at most ``client.lifetime_epsilon`` about *which* values it has. The payment is on disk before
the report exists (``state_file.py``, which also says what deleted storage means).

Timing is not hidden. With a cap above 1, linkable reports show that a memoised value changed or
returned; a client that falls silent has met a new value or made its last report. To hide that, keep
a cap of 1 and, instead of falling silent, report a value fixed beforehand.
"""

from __future__ import annotations

from pathlib import Path

from hedgerow.local.client.encoder import DrawStream, compute_tag, encode_report, encode_value
from hedgerow.local.client.state_file import ClientState
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.metric import Metric

__all__ = ["Client"]


class Client:
    """The reports of one client on one metric.

    ``state`` is a file that several metrics of the same client may share.
    """

    def __init__(
        self, metric: Metric, state: str | Path, *, cap: int = 1, secret: bytes | None = None
    ) -> None:
        self.metric, self.cap = metric, check_integer(cap, "cap", 1, 1_000_000)
        self._state = ClientState(state, secret)

    @property
    def left(self) -> int:
        """The number of distinct values (memoised) or reports that the cap still allows."""
        return max(0, self.cap - self._state.count_payments(self.metric.id))

    @property
    def lifetime_epsilon(self) -> float:
        """The largest loss of this client about its values, however long it reports.

        It assumes that the parameters of the metric's id never changed: what was paid under other
        parameters comes on top.
        """
        return self.metric.lifetime_epsilon(self.cap)

    def report(self, value: int | str) -> bytes:
        """Return one randomised record.

        Raises InvalidArgument for a value outside the domain, at no cost, and BudgetExceeded past
        the cap, before anything is drawn.
        """
        encode_value(self.metric, value)  # a wrong value costs nothing
        secret = self._state.secret
        mark = compute_tag(self.metric, secret, value) if self.metric.scheme.memoised else None
        self._state.charge(self.metric.id, mark, self.cap)
        return encode_report(self.metric, value, DrawStream(), secret)
