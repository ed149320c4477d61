"""What anybody would write in numpy for randomised reports: the yardstick of bench/local.py and
bench/decoding.py.
"""

from __future__ import annotations

import json

import numpy as np
from numpy.typing import NDArray
from scipy.optimize import nnls

from hedgerow.local.protocols import Projective, Rappor

__all__ = [
    "packed_bits",
    "points",
    "points_packed",
    "rappor_json",
    "rappor_nnls",
    "rappor_packed",
    "rappor_reports",
    "supports",
]

Codes = NDArray[np.int64]
Bytes = NDArray[np.uint8]


def rappor_reports(scheme: Rappor, bits: Codes, codes: Codes) -> Bytes:
    """A report each: a matrix of bits, and a uniform number for every coin."""
    rng, every = np.random.default_rng(), np.arange(codes.size)
    cohorts = rng.integers(0, scheme.m, codes.size)
    filters = np.zeros((codes.size, scheme.k), dtype=bool)
    for place in range(scheme.h):
        filters[every, bits[codes, cohorts, place]] = True
    noisy = rng.random(filters.shape) < scheme.f / 65536
    permanent = np.where(noisy, rng.random(filters.shape) < 0.5, filters)
    ones = rng.random(filters.shape) < np.where(permanent, scheme.q, scheme.p) / 65536
    return np.hstack(
        [cohorts.astype(">u2").view(np.uint8).reshape(-1, 2), np.packbits(ones, axis=1)]
    )


def points(scheme: Projective, vectors: Codes, codes: Codes) -> Codes:
    """A report each: uniform vectors, drawn until they are orthogonal to the value or not, as
    its coin says.
    """
    rng = np.random.default_rng()
    honest, found = (
        rng.random(codes.size) < scheme.truth / 65536,
        np.zeros((codes.size, scheme.dimension), dtype=np.int64),
    )
    left = np.arange(codes.size)
    while left.size:
        drawn = rng.integers(0, scheme.field, (left.size, scheme.dimension))
        orthogonal = (drawn * vectors[codes[left]]).sum(axis=1) % scheme.field == 0
        fits = (orthogonal == honest[left]) & drawn.any(axis=1)
        found[left[fits]] = drawn[fits]
        left = left[~fits]
    return _canonical(found, scheme.field)


def _canonical(vectors: Codes, field: int) -> Codes:
    """Divided by their first entry that is not 0, as numbers."""
    first = vectors[np.arange(len(vectors)), (vectors != 0).argmax(axis=1)]
    inverse = np.array([0] + [pow(number, -1, field) for number in range(1, field)])
    powers = field ** np.arange(vectors.shape[1] - 1, -1, -1)
    return (vectors * inverse[first][:, None] % field) @ powers


def packed_bits(rows: Bytes, scheme: Rappor) -> Codes:
    """How often each bit of each cohort is set."""
    cohorts = rows[:, 0].astype(np.int64) << 8 | rows[:, 1]
    ones, counts = (
        np.unpackbits(rows[:, 2:], axis=1, count=scheme.k),
        np.zeros((scheme.m, scheme.k), dtype=np.int64),
    )
    for cohort in range(scheme.m):
        counts[cohort] = ones[cohorts == cohort].sum(axis=0, dtype=np.int64)
    return counts


def rappor_packed(body: bytes, scheme: Rappor) -> Codes:
    """Count a packed batch."""
    return packed_bits(
        np.frombuffer(body, np.uint8, offset=10).reshape(-1, scheme.record_size), scheme
    )


def rappor_json(body: bytes, scheme: Rappor) -> Codes:
    """Count a batch in JSON."""
    records = [bytes.fromhex(report) for report in json.loads(body)["reports"]]
    return packed_bits(np.array([list(record) for record in records], dtype=np.uint8), scheme)


def points_packed(body: bytes, scheme: Projective) -> Codes:
    """Count a packed batch of points."""
    rows = np.frombuffer(body, np.uint8, offset=10).reshape(-1, scheme.record_size).astype(np.int64)
    return np.bincount(
        rows @ (256 ** np.arange(scheme.record_size - 1, -1, -1)), minlength=scheme.point_count
    )


def supports(scheme: Projective, vectors: Codes, counts: Codes, some: int) -> Codes:
    """How many reports are orthogonal to each of the first so many values, one value after the
    other.
    """
    small = vectors.astype(np.int32)
    return np.array(
        [counts[(small @ small[code]) % scheme.field == 0].sum() for code in range(some)]
    )


def rappor_nnls(rates: NDArray[np.float64], bits: Codes, k: int) -> NDArray[np.float64]:
    """Shares of candidates by least squares without negative ones."""
    many, cohorts, _ = bits.shape
    design = np.zeros((many, cohorts, k))
    np.put_along_axis(design, bits, 1.0, axis=2)
    return nnls(design.reshape(many, -1).T, rates.ravel(), maxiter=100 * many)[0]
