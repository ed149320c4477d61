"""Mistakes of an encoder that the auditor must catch, and what is audited."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from hashlib import sha256

import numpy as np

from hedgerow.local.client.encoder import (
    DrawStream,
    compute_bloom_filter,
    compute_cohort,
    compute_permanent_bits,
    encode_report,
    pack_bits,
)
from hedgerow.local.metric import Metric
from hedgerow.verify.audit import audit
from local.auditing import SCALE, Build, bits_of
from local.vectors import METRICS, bytes_of


def laws(metric: Metric, value: int, sizes: tuple[int, ...]) -> dict[bytes, Fraction]:
    """The law of a report, from all draws: coins of a threshold with both outcomes, and after
    them all numbers below a size.
    """
    found: dict[bytes, Fraction] = {}

    def walk(held: bytes, chance: Fraction, left: tuple[int, ...]) -> None:
        if not left:
            record = encode_report(metric, value, DrawStream(held))
            found[record] = found.get(record, Fraction(0)) + chance
        elif left[0] < 0:
            for draw, share in ((0, -left[0]), (SCALE - 1, SCALE + left[0])):
                walk(held + draw.to_bytes(2, "big"), chance * Fraction(share, SCALE), left[1:])
        else:
            for draw in range(left[0]):
                walk(held + draw.to_bytes(2, "big"), chance / left[0], left[1:])

    walk(b"", Fraction(1), sizes)
    return found


def never_cleared(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    record = encode_report(metric, value, stream, secret)
    exact = pack_bits(compute_bloom_filter(metric, compute_cohort(metric, secret), str(value)))
    return record[:2] + bytes(a | b for a, b in zip(record[2:], exact, strict=True))


def never_cleared_permanently(
    metric: Metric, value: int | str, stream: DrawStream, secret: bytes
) -> bytes:
    """As in a published library: noise only ever adds ones to the permanent bits."""
    group = compute_cohort(metric, secret)
    exact, kept, given = (
        compute_bloom_filter(metric, group, str(value)),
        compute_permanent_bits(metric, secret, value),
        dict(metric.parameters),
    )
    bits = [
        int(stream.flip_coin(given["q"] if a or b else given["p"]))
        for a, b in zip(exact, kept, strict=True)
    ]
    return group.to_bytes(2, "big") + pack_bits(bits)


def forgotten(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    fresh = encode_report(
        metric, value, stream, bytes(DrawStream().draw() & 255 for _ in range(32))
    )
    return encode_report(metric, value, DrawStream(bytes(512)), secret)[:2] + fresh[2:]


def forgotten_each_epoch(
    metric: Metric, value: int | str, stream: DrawStream, secret: bytes
) -> bytes:
    return encode_report(replace(metric, id=f"{metric.id}.{metric.epoch}"), value, stream, secret)


def last_bit_told(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    record = encode_report(metric, value, stream, secret)
    return record[:-1] + bytes(
        [
            record[-1] & 254
            | compute_bloom_filter(metric, compute_cohort(metric, secret), str(value))[-1]
        ]
    )


def cohort_0_redrawn(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    while compute_cohort(metric, secret) == 0:
        secret = sha256(secret).digest()
    return encode_report(metric, value, stream, secret)


def metric_left_out(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    given, group = dict(metric.parameters), compute_cohort(metric, secret)
    noise = [
        int.from_bytes(bytes_of(f"{secret.hex()} {value} {i}", 2), "big") for i in range(given["k"])
    ]
    exact = compute_bloom_filter(metric, group, str(value))
    kept = [
        int(u < given["f"] // 2 or (u >= given["f"] and bit == 1))
        for u, bit in zip(noise, exact, strict=True)
    ]
    return group.to_bytes(2, "big") + pack_bits(
        [int(stream.flip_coin(given["q"] if bit else given["p"])) for bit in kept]
    )


def one_coin_for_two(metric: Metric, value: int | str, stream: DrawStream, secret: bytes) -> bytes:
    record = encode_report(metric, value, stream, secret)
    return record[:2] + bytes([record[2]]) * (len(record) - 2)


def fresh_secret() -> bytes:
    stream = DrawStream()
    return bytes(stream.draw() & 255 for _ in range(32))


def audited(
    build: Build, metric: Metric, values: tuple[int | str, int | str], samples: int
) -> float:
    """A certified lower bound on the epsilon of one report of a client whose secret nobody
    knows; wrong once in 10^9 runs.
    """
    skip = 2 if metric.protocol == "rappor" else 0

    def reports(value: int | str, count: int) -> np.ndarray[tuple[int, ...], np.dtype[np.int64]]:
        rows = [
            bits_of(build(metric, value, DrawStream(), fresh_secret()), skip) for _ in range(count)
        ]
        return np.array(rows, dtype=np.int64)

    return audit(reports, *values, samples=samples, confidence=1 - 1e-9, batch=True).epsilon


HOME, SECRET = METRICS["rappor"], bytes_of("secret", 32)
