"""Protocols: the randomisation of a value on the client, and the estimate from all reports.

Each protocol has its own file, with its proof. It is a small frozen dataclass of whole numbers: the
parameters of a metric. Reports are rows of bytes of one length. The state of a collector is an
array of 64-bit counters, the last of which is the number of reports; states of shards are added.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar
from typing import Protocol as Structure

from hedgerow.local.bit_rows import Records
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.protocols.hadamard import Hadamard
from hedgerow.local.protocols.hybrid_mean import Hybrid
from hedgerow.local.protocols.k_ary import KAry
from hedgerow.local.protocols.mean import Duchi, Piecewise
from hedgerow.local.protocols.projective import Projective
from hedgerow.local.protocols.rappor import Rappor
from hedgerow.local.protocols.unary import LongitudinalUnary, Unary
from hedgerow.numeric.vectorised import Integers

__all__ = [
    "ALL",
    "MEAN_PROTOCOLS",
    "Duchi",
    "Hadamard",
    "Hybrid",
    "KAry",
    "LocalProtocol",
    "LongitudinalUnary",
    "Piecewise",
    "Projective",
    "Rappor",
    "Unary",
]


class LocalProtocol(Structure):
    """The interface that every protocol implements."""

    name: ClassVar[str]
    memoised: ClassVar[bool]
    """True if a client remembers a permanent answer to each value.

    Such a protocol also has ``permanent_response`` and ``instantaneous_response``.
    """

    @property
    def domain(self) -> int:
        """The number of values, which have the codes 0 to domain-1; for a mean, of grid points."""

    @property
    def record_size(self) -> int:
        """The size of one report in bytes."""

    @property
    def counter_count(self) -> int:
        """The number of counters in the state."""

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of one report."""

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """The epsilon of all reports of one value if answers are memoised, else of one report.

        Infinite if the loss of repeated reports is unbounded.
        """

    @property
    def total_variation(self) -> Fraction:
        """The largest total variation distance between single reports of two values."""

    def encode(self, values: Any) -> Records:
        """Return a fresh report for each code."""

    def aggregate(self, records: Any) -> Integers:
        """Return the counters of these reports; refuse them all if one is malformed."""

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Estimate unbiased counts from a state, of all values or of the given codes."""

    def variance(self, frequency: float, n: int) -> float:
        """Return the exact variance of the count of a value that n * frequency clients hold."""


ALL: dict[str, type[LocalProtocol]] = {
    KAry.name: KAry,
    Unary.name: Unary,
    LongitudinalUnary.name: LongitudinalUnary,
    Hadamard.name: Hadamard,
    Projective.name: Projective,
    Duchi.name: Duchi,
    Piecewise.name: Piecewise,
    Hybrid.name: Hybrid,
    Rappor.name: Rappor,
}
# These estimate the mean of a number; all others count values.
MEAN_PROTOCOLS = (Duchi, Piecewise, Hybrid)
