"""A client that reports as those of google/rappor do, so that a fleet can be decoded as a whole.

Statement
    As for ``hedgerow.local.protocols.rappor``, with the same epsilons: the permanent bit of a
    filter's bit is a fair coin with probability f, and a report's bit is 1 with probability q or p.

Proof
    One byte of HMAC-SHA256(secret, be32(filter)) decides one bit. Its lowest bit is the coin, and
    its other seven bits are below 128 f with probability f, independently of the coin, because f is
    a whole multiple of 1/128. A secret that nobody knows makes the bytes of different filters look
    independent and uniform, and texts with the same filter have the same answer. So permanent and
    reported bits have the distributions of that proof.

Edges
    A secret serves one metric: two metrics with the same secret would share the noise of a filter.
    The digest has 32 bytes, so there are at most 32 bits. p and q are rounded to 1/65536, and the
    epsilons are those of the rounded numbers. Nothing limits how many texts a client reports, as in
    the other clients; ``hedgerow.local.client.client`` does, and is the better choice for a new
    fleet.
"""

from __future__ import annotations

import hmac
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.local.client.encoder import DrawStream
from hedgerow.local.decode.rappor.google_files import RapporParameters
from hedgerow.local.decode.rappor.google_hashes import hash_text
from hedgerow.local.fixed_point import SCALE, check_integer
from hedgerow.local.protocols.rappor import Rappor

__all__ = ["GoogleClient", "format_bits"]

_MAX_BITS = 32  # one byte of the digest for each bit
_NOISE_STEPS = 128


@dataclass(frozen=True, slots=True)
class GoogleClient:
    """One client of google/rappor with its secret and its cohort."""

    parameters: RapporParameters
    secret: bytes = field(repr=False)
    cohort: int

    def __post_init__(self) -> None:
        if not isinstance(self.secret, bytes) or not self.secret:
            raise InvalidArgument("secret", "must be bytes that only this client knows")
        check_integer(self.cohort, "cohort", 0, self.parameters.m - 1)
        if self.parameters.k > _MAX_BITS:
            raise InvalidArgument("k", f"must be at most {_MAX_BITS}", self.parameters.k)
        if (self.parameters.f * _NOISE_STEPS).denominator != 1:
            raise InvalidArgument("f", "must be a multiple of 1/128", self.parameters.f)
        _ = self.scheme

    @property
    def scheme(self) -> Rappor:
        """The protocol with these parameters, whose proof and epsilons apply."""
        given = self.parameters
        f, p, q = (round(number * SCALE) for number in (given.f, given.p, given.q))
        return Rappor(given.k, given.h, given.m, f, p, q)

    @property
    def epsilon(self) -> Fraction:
        """The epsilon of one report."""
        return self.scheme.epsilon

    @property
    def lifetime_epsilon(self) -> Fraction | float:
        """The epsilon of all reports of one text together."""
        return self.scheme.lifetime_epsilon

    def compute_bloom_bits(self, value: str) -> list[int]:
        """Compute the Bloom filter of a text, bit 0 first."""
        given = self.parameters
        places = hash_text(value, self.cohort, given.k, given.h)
        return [int(place in places) for place in range(given.k)]

    def compute_permanent_bits(self, value: str) -> list[int]:
        """Compute the permanent answer to a text, bit 0 first; it never changes."""
        bloom = self.compute_bloom_bits(value)
        number = sum(bit << place for place, bit in enumerate(bloom))
        noise = hmac.digest(self.secret, number.to_bytes(4, "big"), "sha256")
        limit = self.parameters.f * _NOISE_STEPS
        return [
            byte & 1 if byte >> 1 < limit else bit for bit, byte in zip(bloom, noise, strict=False)
        ]

    def report(self, value: str, stream: DrawStream | None = None) -> tuple[int, ...]:
        """Draw a report of a text, bit 0 first."""
        scheme, draws = self.scheme, stream or DrawStream()
        return tuple(
            int(draws.flip_coin(scheme.q if bit else scheme.p))
            for bit in self.compute_permanent_bits(value)
        )


def format_bits(bits: Sequence[int]) -> str:
    """Format bits as the files of google/rappor do, the highest one first."""
    return "".join(map(str, reversed(bits)))
