"""The Bloom bits of google/rappor's clients, for decoding a fleet that runs them.

The bits of a text in a cohort are read from MD5(be32(cohort) || text): one byte for each hash in
the clients in C++ and in Python, two bytes (the higher first) in the client in Java; each mod k.
"""

from __future__ import annotations

import hashlib
from collections.abc import Mapping, Sequence
from typing import Final

import numpy as np

from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.rappor.design_matrix import Candidates

__all__ = ["HASHING", "hash_candidates", "hash_text"]

HASHING: Final[Mapping[str, int]] = {"cpp": 1, "python": 1, "java": 2}  # bytes of each hash
_DIGEST_BYTES: Final = 16


def hash_candidates(
    values: Sequence[str], k: int, h: int, m: int, hashing: str = "cpp"
) -> Candidates:
    """Hash candidates in every cohort, as these clients do."""
    if not values:
        raise InvalidArgument("names", "must have a candidate: write one on each line")
    width = _check_hashing(k, h, hashing)
    bits = np.empty((len(values), m, h), dtype=np.int32)
    for row, value in enumerate(values):
        text = value.encode("utf-8")
        bits[row] = [_read_bits(text, cohort, k, h, width) for cohort in range(m)]
    return Candidates.of(bits, k)


def hash_text(value: str, cohort: int, k: int, h: int, hashing: str = "cpp") -> list[int]:
    """Return the bit of each hash of a text in a cohort."""
    return _read_bits(value.encode("utf-8"), cohort, k, h, _check_hashing(k, h, hashing))


def _read_bits(text: bytes, cohort: int, k: int, h: int, width: int) -> list[int]:
    digest = hashlib.md5(cohort.to_bytes(4, "big") + text, usedforsecurity=False).digest()
    return [int.from_bytes(digest[width * i : width * (i + 1)], "big") % k for i in range(h)]


def _check_hashing(k: int, h: int, hashing: str) -> int:
    """Return the bytes of a hash; refuse filters that these clients cannot fill."""
    if hashing not in HASHING:
        raise InvalidArgument("hashing", f"must be one of {', '.join(HASHING)}", hashing)
    width = HASHING[hashing]
    if h * width > _DIGEST_BYTES or k > 1 << 8 * width:
        raise InvalidArgument(
            "hashing",
            f"{hashing} has at most {_DIGEST_BYTES // width} hashes and {1 << 8 * width:,} bits."
            " Pass the candidates with their bits in a map instead",
            (k, h),
        )
    return width
