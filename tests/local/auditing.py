"""An auditor of client builds: what a build does wrong, found from its reports alone, with what is
exact made exact.

A build is a function like ``encode_one``. Fresh coins are 16-bit draws: running through all of them
gives the probability of every bit of a report exactly. Secrets are fixed bytes, so that a verdict
is the same on every run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace
from math import exp, log

from hedgerow.local.client.encoder import DrawStream, compute_bloom_filter, compute_cohort
from hedgerow.local.metric import Metric
from local.vectors import bytes_of

Build = Callable[[Metric, "int | str", DrawStream, bytes], bytes]

SCALE = 1 << 16
LEVEL = 1e-9
VALUES = ("https://example.org/", "b")

AUDITED = [
    ("coin", (0, 1)),
    ("k_ary", (0, 9)),
    ("OUE", (0, 12)),
    ("SUE", (0, 15)),
    ("below", (0, 8)),
    ("longitudinal_unary", (0, 20)),
    ("hadamard", (0, 1)),
    ("projective 2", (0, 14)),
    ("projective", (0, 999)),
    ("duchi", (0, 100)),
    ("piecewise", (0, 100)),
    ("hybrid", (0, 149)),
]
"""Metrics, and two values whose reports differ the most."""


def secrets(count: int) -> Iterator[bytes]:
    return (bytes_of(f"client {i}", 32) for i in range(count))


def bits_of(record: bytes, skip: int = 2) -> list[int]:
    """The bits of a report, after the bytes of its cohort."""
    return [byte >> (7 - i) & 1 for byte in record[skip:] for i in range(8)]


def heads(
    build: Build, metric: Metric, value: int | str, secret: bytes, skip: int, every: int = 1
) -> list[int]:
    """For each bit of a report, how many of all draws make it 1, or of every so many: exact for
    thresholds that are multiples of that.
    """
    total: list[int] = []
    for draw in range(0, SCALE, every):
        bits = bits_of(
            build(metric, value, DrawStream(draw.to_bytes(2, "big") * 256), secret), skip
        )
        total = [a + b for a, b in zip(total or [0] * len(bits), bits, strict=True)]
    return total


def unlikely(hits: int, trials: int, probability: float) -> bool:
    """Whether a binomial count lies outside what happens but once in 1/LEVEL times, by the
    Chernoff bound.
    """
    share = hits / trials
    gain = sum(
        a * log(a / b) for a, b in ((share, probability), (1 - share, 1 - probability)) if a > 0
    )
    return 2 * exp(-trials * gain) < LEVEL


def differing(metric: Metric) -> tuple[str, str]:
    """Two texts without a Bloom bit in common: the worst there are."""
    texts = [f"text {i}" for i in range(100)]
    filters = {text: compute_bloom_filter(metric, 0, text) for text in texts}
    full = [text for text in texts if sum(filters[text]) == dict(metric.parameters)["h"]]
    return next(
        (a, b)
        for a in full
        for b in full
        if not any(x and y for x, y in zip(filters[a], filters[b], strict=True))
    )


def seen(build: Build, metric: Metric, value: str, secret: bytes) -> list[int]:
    """The permanent bits, read off one report: a draw between the two thresholds shows them (p <
    q).
    """
    given = dict(metric.parameters)
    middle = (given["p"] + given["q"]) // 2
    return bits_of(build(metric, value, DrawStream(middle.to_bytes(2, "big") * 256), secret))


def wrong_coins(build: Build, metric: Metric) -> bool:
    """Every bit of a report must be 1 with probability p or q, over all draws of its coin."""
    given, secret = dict(metric.parameters), next(secrets(1))
    every = 16  # p and q are multiples of it
    allowed = {given["p"] // every, given["q"] // every}
    return not set(heads(build, metric, VALUES[0], secret, 2, every)) <= allowed


def entangled(build: Build, metric: Metric) -> bool:
    """Every draw decides one bit, and no other: the bits of a report are independent."""
    secret, stream = next(secrets(1)), bytes_of("coins", 2 * dict(metric.parameters)["k"])
    for i in range(len(stream) // 2):
        ends = [stream[: 2 * i] + end + stream[2 * i + 2 :] for end in (b"\x00\x00", b"\xff\xff")]
        one, zero = (bits_of(build(metric, VALUES[0], DrawStream(end), secret)) for end in ends)
        if [place for place, (a, b) in enumerate(zip(one, zero, strict=True)) if a != b] != [i]:
            return True
    return False


def forgets(build: Build, metric: Metric) -> bool:
    """The same client, value and coins give the same report, now and in a later epoch."""
    secret, stream = next(secrets(1)), bytes_of("coins", 512)
    reports = {
        build(replace(metric, epoch=i % 2), VALUES[0], DrawStream(stream), secret) for i in range(8)
    }
    return len(reports) > 1


def wrong_permanent(build: Build, metric: Metric) -> bool:
    """Each permanent bit is told truly with probability 1 - f/2, whichever bit it is."""
    keep = 1 - dict(metric.parameters)["f"] / (2 * SCALE)
    kept: dict[tuple[int, int], list[bool]] = {}
    for secret in secrets(600):
        for value in VALUES:
            exact = compute_bloom_filter(metric, compute_cohort(metric, secret), value)
            for place, (bit, told) in enumerate(
                zip(exact, seen(build, metric, value, secret), strict=True)
            ):
                kept.setdefault((0, bit), []).append(bit == told)
                kept.setdefault((1, place), []).append(bit == told)
    return any(unlikely(sum(told), len(told), keep) for told in kept.values())


def wrong_cohorts(build: Build, metric: Metric) -> bool:
    """All cohorts are alike: each has its share of clients, 0 too, and a client stays in its
    own.
    """
    cohorts, clients = dict(metric.parameters)["m"], 600
    stream = bytes(512)
    groups = [
        {build(metric, value, DrawStream(stream), secret)[:2] for value in VALUES}
        for secret in secrets(clients)
    ]
    named = [int.from_bytes(next(iter(group)), "big") for group in groups]
    moved = any(len(group) > 1 for group in groups)
    return moved or any(
        unlikely(named.count(group), clients, 1 / cohorts) for group in range(cohorts)
    )


def shared_noise(build: Build, metric: Metric) -> bool:
    """Two metrics of one client: where their Bloom bits agree, permanent bits agree as often as
    independent noise would have them.
    """
    other, keep = (
        replace(metric, id=metric.id + ".other"),
        1 - dict(metric.parameters)["f"] / (2 * SCALE),
    )
    same: list[bool] = []
    for secret in secrets(300):
        filters = [
            compute_bloom_filter(m, compute_cohort(m, secret), VALUES[0]) for m in (metric, other)
        ]
        told = [seen(build, m, VALUES[0], secret) for m in (metric, other)]
        same += [a == b for a, b, x, y in zip(*told, *filters, strict=True) if x == y]
    return unlikely(sum(same), len(same), keep**2 + (1 - keep) ** 2)


CHECKS: dict[str, Callable[[Build, Metric], bool]] = {
    "coins": wrong_coins,
    "entangled": entangled,
    "memo": forgets,
    "permanent": wrong_permanent,
    "cohorts": wrong_cohorts,
    "shared": shared_noise,
}
"""What can be wrong with a build of RAPPOR, and how it is seen."""
