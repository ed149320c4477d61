"""Protocols: how a client randomises before it sends, and how a collector estimates from what
arrives. One file each, with its proof.

A protocol is a small frozen value made of whole numbers, which are the parameters of a metric.
Reports are rows of bytes of one length; the state of a collector is an array of 64-bit counters,
the last of which is the number of reports. States of different shards add.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, ClassVar
from typing import Protocol as Structure

from hedgerow.local.bit_rows import Records
from hedgerow.local.decode.estimates import Estimates
from hedgerow.local.protocols.hadamard import Hadamard
from hedgerow.local.protocols.k_ary import KAry
from hedgerow.local.protocols.mean import Duchi, Hybrid, Piecewise
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
    """What every protocol offers."""

    name: ClassVar[str]
    memoised: ClassVar[bool]
    """Whether a client must remember its permanent answer to a value: then it has ``permanent``
    and ``instantaneous`` too.
    """

    @property
    def domain(self) -> int:
        """How many values there are, codes 0 to domain-1; for means, how many grid points."""
        ...

    @property
    def record_size(self) -> int:
        """Bytes of one report."""
        ...

    @property
    def counter_count(self) -> int:
        """How many counters the state has."""
        ...

    @property
    def epsilon(self) -> Fraction:
        """What one report gives away at most."""
        ...

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """What each different memoised value gives away however often it is reported (infinity
        where nothing bounds that); what each report does where nothing is memoised."""
        ...

    @property
    def total_variation(self) -> Fraction:
        """The largest total variation distance between single reports of two values."""
        ...

    def encode(self, values: Any) -> Records:
        """A report for each code, with fresh randomness."""
        ...

    def aggregate(self, records: Any) -> Integers:
        """The state that these reports make; any of them wrong is an error, and nothing is
        counted.
        """
        ...

    def estimate(self, counters: Any, values: Any = None) -> Estimates:
        """Unbiased, raw counts from a state: of all values, or of the given codes."""
        ...

    def variance(self, frequency: float, n: int) -> float:
        """The exact variance of one estimated count, where a share ``frequency`` of n clients
        holds the value.
        """
        ...


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
# they estimate the mean of a number, and count no values
MEAN_PROTOCOLS = (Duchi, Piecewise, Hybrid)
