"""Makes ``src/hedgerow/local/vectors.json`` from the reference: ``python tests/local/vectors.py``
writes it anew.

Whoever writes a client in another language runs these vectors. Bytes are in hex digits. Streams are
plain bytes here, and reach the edges: draws just below and at each threshold, numbers that are
thrown away, the largest domain in one draw and the smallest in two.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow.local
from hedgerow.local.client.encoder import (
    DrawStream,
    compute_bloom_filter,
    compute_cohort,
    compute_permanent_bits,
    compute_tag,
    encode_report,
    pack_bits,
)
from hedgerow.local.metric import Metric
from hedgerow.local.report_batch import ReportBatch

PLACE = Path(hedgerow.local.__file__).with_name("vectors.json")

RAPPOR = {"f": 32768, "h": 2, "k": 32, "m": 8, "p": 32768, "q": 49152}
LONGITUDINAL = {
    "domain": 21,
    "permanent_one": 32768,
    "permanent_zero": 3000,
    "one": 50000,
    "zero": 15536,
}
METRICS = {
    "coin": Metric("survey.coin", "k_ary", (("domain", 2), ("truth", 32768))),
    "k_ary": Metric("age", "k_ary", (("domain", 10), ("truth", 20000)), 7),
    "k_ary 257": Metric("age", "k_ary", (("domain", 257), ("truth", 20000))),
    "k_ary 65536": Metric("page", "k_ary", (("domain", 65536), ("truth", 20000))),
    "k_ary 65537": Metric("page", "k_ary", (("domain", 65537), ("truth", 20000))),
    "hadamard": Metric("page", "hadamard", (("domain", 1000), ("keep", 47911))),
    "hadamard 65537": Metric("page", "hadamard", (("domain", 65537), ("keep", 47911))),
    "OUE": Metric("page", "unary", (("domain", 13), ("one", 32768), ("zero", 17625))),
    "SUE": Metric("page", "unary", (("domain", 16), ("one", 40793), ("zero", 24743)), 2),
    "below": Metric("page", "unary", (("domain", 9), ("one", 20000), ("zero", 40000))),
    "longitudinal_unary": Metric("page", "longitudinal_unary", tuple(LONGITUDINAL.items()), 3),
    "projective 2": Metric(
        "page", "projective", (("dimension", 4), ("domain", 15), ("field", 2), ("truth", 40000))
    ),
    "projective": Metric(
        "page",
        "projective",
        (("dimension", 7), ("domain", 1000), ("field", 3), ("truth", 37000)),
        1,
    ),
    "projective 100k": Metric(
        "page",
        "projective",
        (("dimension", 12), ("domain", 100_000), ("field", 3), ("truth", 37000)),
    ),
    "projective 67": Metric(
        "page", "projective", (("dimension", 3), ("domain", 4557), ("field", 67), ("truth", 30000))
    ),
    "projective wide": Metric(
        "page",
        "projective",
        (("dimension", 2), ("domain", 4000), ("field", 4093), ("truth", 60000)),
    ),
    "duchi": Metric("age", "duchi", (("domain", 101), ("truth", 30000))),
    "duchi coin": Metric("age", "duchi", (("domain", 2), ("truth", 30000))),
    "duchi 65538": Metric("age", "duchi", (("domain", 65538), ("truth", 30000))),
    "piecewise": Metric("age", "piecewise", (("domain", 101), ("truth", 40000), ("window", 61))),
    "piecewise 65538": Metric(
        "age", "piecewise", (("domain", 65538), ("truth", 40000), ("window", 39750))
    ),
    "hybrid": Metric(
        "age",
        "hybrid",
        (("coin", 30000), ("domain", 150), ("mix", 25786), ("truth", 40000), ("window", 90)),
    ),
    "hybrid never": Metric(
        "age",
        "hybrid",
        (("coin", 30000), ("domain", 11), ("mix", 0), ("truth", 40000), ("window", 6)),
    ),
    "hybrid always": Metric(
        "age",
        "hybrid",
        (("coin", 30000), ("domain", 11), ("mix", 65536), ("truth", 40000), ("window", 6)),
    ),
    "rappor": Metric("home.page", "rappor", tuple(RAPPOR.items())),
    "rappor later": Metric("home.page", "rappor", tuple(RAPPOR.items()), 9007199254740991),
    "rappor other": Metric("home.page-2", "rappor", tuple(RAPPOR.items())),
    "rappor one": Metric(
        "w", "rappor", tuple({"f": 32768, "h": 1, "k": 8, "m": 1, "p": 16384, "q": 49152}.items())
    ),
    "rappor wide": Metric(
        "w", "rappor", tuple({"f": 2, "h": 3, "k": 100, "m": 1024, "p": 42598, "q": 22938}.items())
    ),
}
TEXTS = ("https://example.org/", "a", "café ☕ 𝛆", "x" * 100)
_SECRET = "ab" * 32
MEMORIES: tuple[Any, ...] = (
    None,
    [],
    {},
    {"version": 1, "secret": _SECRET, "tags": {}},
    {"version": 1, "secret": _SECRET, "tags": {}, "reports": {}, "more": 1},
    {"version": 2, "secret": _SECRET, "tags": {}, "reports": {}},
    {"version": True, "secret": _SECRET, "tags": {}, "reports": {}},
    {"version": 1, "secret": "00", "tags": {}, "reports": {}},
    {"version": 1, "secret": _SECRET.upper(), "tags": {}, "reports": {}},
    {"version": 1, "secret": [_SECRET], "tags": {}, "reports": {}},
    {"version": 1, "secret": _SECRET, "tags": [], "reports": {}},
    {"version": 1, "secret": _SECRET, "tags": {"m": "aa"}, "reports": {}},
    {"version": 1, "secret": _SECRET, "tags": {"m": [1]}, "reports": {}},
    {"version": 1, "secret": _SECRET, "tags": {}, "reports": None},
    *(
        {"version": 1, "secret": _SECRET, "tags": {}, "reports": {"m": count}}
        for count in (-1, 0.5, "1", None, True, 2**53)
    ),
)
"""Memories that no client may go on from: less than was paid for might be read out of them."""
VALUES: dict[str, tuple[Any, ...]] = {
    "coin": (-1, 2, 0.5, "0", None, True),
    "duchi": (101,),
    "projective": (1000,),
    "rappor": ("", "x" * 4097, "é" * 2049, "\ud800", "a\udc00b", "\udc00\ud800", 1, None),
}
"""Values that are none, by metric: half a surrogate pair has no UTF-8, and replaced it would be
another text's value.
"""
CHANGES: tuple[tuple[str, dict[str, Any]], ...] = (
    *(("coin", {"id": id}) for id in ("A", "", 1, "a" * 65, "constructor", "__proto__")),
    *(("coin", {"epoch": epoch}) for epoch in (-1, 0.5, 2**53, "0", None)),
    *(
        ("coin", change)
        for change in (
            {"version": 2},
            {"more": 1},
            {"protocol": "none"},
            {"protocol": "toString"},
            {"parameters": {"domain": 2}},
        )
    ),
    *(
        ("coin", {"parameters": {"domain": 2, "truth": 1} | change})
        for change in ({"more": 1}, {"truth": 65536}, {"domain": 1}, {"domain": 2**24 + 1})
    ),
    *(
        ("rappor", {"parameters": RAPPOR | change})
        for change in ({"m": 3}, {"m": 65536}, {"k": 1}, {"h": 17}, {"f": 1}, {"f": 65536})
    ),
    *(
        ("rappor", {"parameters": RAPPOR | change})
        for change in ({"p": 0}, {"q": 32768}, {"k": 4096, "m": 2048}, {"k": 2, "h": 3})
    ),
    ("OUE", {"parameters": {"domain": 2, "one": 5, "zero": 5}}),
    ("longitudinal_unary", {"parameters": LONGITUDINAL | {"permanent_one": 3000}}),
    ("hadamard", {"parameters": {"domain": 2, "keep": 32768}}),
    *(
        (
            "projective",
            {"parameters": {"dimension": 7, "domain": 1000, "field": 3, "truth": 37000} | change},
        )
        for change in (
            {"field": 4},
            {"field": 1},
            {"dimension": 6},
            {"dimension": 16},
            {"truth": 21825},
            {"dimension": 1},
        )
    ),
    *(
        ("piecewise", {"parameters": {"domain": 101, "truth": 40000, "window": 61} | change})
        for change in ({"window": 0}, {"window": 102}, {"truth": 24830}, {"domain": 1})
    ),
    (
        "hybrid",
        {"parameters": {"coin": 30000, "domain": 150, "mix": 65537, "truth": 40000, "window": 90}},
    ),
    ("hybrid", {"parameters": {"coin": 0, "domain": 150, "mix": 5, "truth": 40000, "window": 90}}),
    (
        "hybrid",
        {"parameters": {"coin": 30000, "domain": 150, "mix": 5, "truth": 24678, "window": 90}},
    ),
)
"""What makes a metric none."""


_THRESHOLDS = {
    "coin",
    "keep",
    "mix",
    "one",
    "p",
    "permanent_one",
    "permanent_zero",
    "q",
    "truth",
    "zero",
}


def bytes_of(seed: str, size: int) -> bytes:
    """Bytes that anybody can make again."""
    return b"".join(sha256(f"{seed} {block}".encode()).digest() for block in range(-(-size // 32)))[
        :size
    ]


def secrets() -> tuple[bytes, bytes]:
    """Two clients; the second is in cohort 0 of ``rappor``."""
    zero = next(
        secret
        for i in count()
        if compute_cohort(METRICS["rappor"], secret := bytes_of(f"cohort {i}", 32)) == 0
    )
    return bytes_of("secret", 32), zero


def values_of(metric: Metric) -> tuple[int | str, ...]:
    return (
        TEXTS
        if metric.protocol == "rappor"
        else (0, metric.scheme.domain // 2, metric.scheme.domain - 1)
    )


def streams(metric: Metric) -> list[bytes]:
    """Plain bytes; always heads; the edges of all thresholds; numbers that must be thrown away
    first.
    """
    given = dict(metric.parameters)
    size = 2 * (
        given["k"]
        if metric.protocol == "rappor"
        else given["domain"]
        if metric.protocol.endswith("unary")
        else 8
    )
    edges = [
        t for name, t in given.items() if name in _THRESHOLDS and 0 < t < 65536 for t in (t - 1, t)
    ]
    thresholds = b"".join(t.to_bytes(2, "big") for t in edges * size)[:size]
    thresholds += bytes_of("after", 32)  # for numbers that the thresholds do not lie below
    return [bytes_of("stream", size), bytes(size), thresholds, b"\xff" * 8 + bytes_of("high", size)]


class Vectors:
    """Documents, secrets and streams are told once; vectors name them by their place."""

    def __init__(self) -> None:
        names = (
            "metrics",
            "secrets",
            "streams",
            "packing",
            "bloom",
            "cohorts",
            "permanent",
            "reports",
        )
        self.found: dict[str, Any] = {"version": 1} | {name: [] for name in names}
        self.secrets = secrets()
        self.found["secrets"] = [secret.hex() for secret in self.secrets]
        for place, metric in enumerate(METRICS.values()):
            self.found["metrics"].append(
                {
                    "document": metric.to_json(),
                    "hash": metric.hash.hex(),
                    "lasting": metric.permanent_hash.hex(),
                }
            )
            if metric.protocol == "rappor":
                self.blooms(place, metric)
            for number, secret in enumerate(self.secrets):
                if metric.scheme.memoised:
                    self.memos(metric, secret, {"metric": place, "secret": number})
                if metric.scheme.memoised or not number:
                    self.reports(metric, secret, {"metric": place, "secret": number})
        for bits in ([1], [0, 1, 0, 0, 0, 0, 0, 0], [0] * 8 + [1, 1], [1, 0, 1] * 7):
            self.found["packing"].append({"bits": bits, "bytes": pack_bits(bits).hex()})
        self.found["batch"] = batch()
        self.refused()

    def refused(self) -> None:
        """What every client must refuse: documents, values, and memories that were tampered
        with.
        """
        names = list(METRICS)
        self.found["documents"] = [
            json.dumps(json.loads(METRICS[name].to_json()) | change, sort_keys=True)
            for name, change in CHANGES
        ]
        self.found["values"] = [
            {"metric": names.index(name), "value": value}
            for name, values in VALUES.items()
            for value in values
        ]
        self.found["memories"] = ["", "no", *(json.dumps(memory) for memory in MEMORIES)]

    def blooms(self, place: int, metric: Metric) -> None:
        for group in (0, dict(metric.parameters)["m"] - 1):
            for value in TEXTS:
                bits = pack_bits(compute_bloom_filter(metric, group, value)).hex()
                self.found["bloom"].append(
                    {"metric": place, "cohort": group, "value": value, "bits": bits}
                )

    def memos(self, metric: Metric, secret: bytes, named: dict[str, int]) -> None:
        self.found["cohorts"].append(named | {"cohort": compute_cohort(metric, secret)})
        for value in values_of(metric):
            made = {
                "tag": compute_tag(metric, secret, value),
                "bits": pack_bits(compute_permanent_bits(metric, secret, value)).hex(),
            }
            self.found["permanent"].append(named | {"value": value} | made)

    def reports(self, metric: Metric, secret: bytes, named: dict[str, int]) -> None:
        held = self.found["streams"]
        for value in values_of(metric):
            for stream in streams(metric):
                if stream.hex() not in held:
                    held.append(stream.hex())
                record = encode_report(metric, value, DrawStream(stream), secret).hex()
                self.found["reports"].append(
                    named | {"value": value, "stream": held.index(stream.hex()), "record": record}
                )


def batch() -> dict[str, Any]:
    """Two records on their way."""
    metric, (secret, _) = METRICS["rappor"], secrets()
    records = [
        encode_report(metric, value, DrawStream(bytes_of(value, 100)), secret)
        for value in TEXTS[:2]
    ]
    rows = np.frombuffer(b"".join(records), np.uint8).reshape(2, -1)
    return {
        "metric": metric.to_json(),
        "records": [record.hex() for record in records],
        "body": ReportBatch(metric.hash, rows).to_bytes().hex(),
    }


def text() -> str:
    """One vector on each line: a change can be read."""
    parts = []
    for name, held in Vectors().found.items():
        listed = isinstance(held, list)
        rows = (
            ",\n".join(json.dumps(row, ensure_ascii=True) for row in held)
            if listed
            else json.dumps(held, ensure_ascii=True)
        )
        parts.append(f'"{name}": [\n{rows}\n]' if listed else f'"{name}": {rows}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="ascii")
