"""Makes ``src/hedgerow/local/vectors.json`` from the reference: ``python tests/local/vectors.py`` writes it anew.

Whoever writes a client in another language runs these vectors. Bytes are in hex digits. Streams are plain bytes here, and reach the edges:
draws just below and at each threshold, numbers that are thrown away, the largest domain in one draw and the smallest in two.
"""

from __future__ import annotations

import json
from hashlib import sha256
from itertools import count
from pathlib import Path
from typing import Any

import numpy as np

import hedgerow.local
from hedgerow.local.batches import Batch
from hedgerow.local.reference import Stream, bloom, cohort, encode_one, pack, permanent, tag
from hedgerow.local.spec import Metric

PLACE = Path(hedgerow.local.__file__).with_name("vectors.json")

RAPPOR = {"f": 32768, "h": 2, "k": 32, "m": 8, "p": 32768, "q": 49152}
LONGITUDINAL = {"domain": 21, "permanent_one": 32768, "permanent_zero": 3000, "one": 50000, "zero": 15536}
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
    "rappor": Metric("home.page", "rappor", tuple(RAPPOR.items())),
    "rappor later": Metric("home.page", "rappor", tuple(RAPPOR.items()), 9007199254740991),
    "rappor other": Metric("home.page-2", "rappor", tuple(RAPPOR.items())),
    "rappor wide": Metric("w", "rappor", tuple({"f": 2, "h": 3, "k": 100, "m": 1024, "p": 42598, "q": 22938}.items())),
}
TEXTS = ("https://example.org/", "a", "café ☕ 𝛆", "x" * 100)


def bytes_of(seed: str, size: int) -> bytes:
    """Bytes that anybody can make again."""
    return b"".join(sha256(f"{seed} {block}".encode()).digest() for block in range(-(-size // 32)))[:size]


def secrets() -> tuple[bytes, bytes]:
    """Two clients; the second is in cohort 0 of ``rappor``."""
    zero = next(secret for i in count() if cohort(METRICS["rappor"], secret := bytes_of(f"cohort {i}", 32)) == 0)
    return bytes_of("secret", 32), zero


def values_of(metric: Metric) -> tuple[int | str, ...]:
    return TEXTS if metric.protocol == "rappor" else (0, metric.scheme.domain // 2, metric.scheme.domain - 1)


def streams(metric: Metric) -> list[bytes]:
    """Plain bytes; always heads; the edges of all thresholds; numbers that must be thrown away first."""
    given = dict(metric.parameters)
    size = 2 * (given["k"] if metric.protocol == "rappor" else given["domain"] if metric.protocol.endswith("unary") else 8)
    edges = [t for name, t in given.items() if name not in {"domain", "f", "h", "k", "m"} for t in (t - 1, t)]
    thresholds = b"".join(t.to_bytes(2, "big") for t in edges * size)[:size]
    return [bytes_of("stream", size), bytes(size), thresholds, b"\xff" * 8 + bytes_of("high", size)]


class Vectors:
    """Documents, secrets and streams are told once; vectors name them by their place."""

    def __init__(self) -> None:
        names = ("metrics", "secrets", "streams", "packing", "bloom", "cohorts", "permanent", "reports")
        self.found: dict[str, Any] = {"version": 1} | {name: [] for name in names}
        self.secrets = secrets()
        self.found["secrets"] = [secret.hex() for secret in self.secrets]
        for place, metric in enumerate(METRICS.values()):
            self.found["metrics"].append({"document": metric.to_json(), "hash": metric.hash.hex(), "lasting": metric.lasting.hex()})
            if metric.protocol == "rappor":
                self.blooms(place, metric)
            for number, secret in enumerate(self.secrets):
                if metric.scheme.memoised:
                    self.memos(metric, secret, {"metric": place, "secret": number})
                if metric.scheme.memoised or not number:
                    self.reports(metric, secret, {"metric": place, "secret": number})
        for bits in ([1], [0, 1, 0, 0, 0, 0, 0, 0], [0] * 8 + [1, 1], [1, 0, 1] * 7):
            self.found["packing"].append({"bits": bits, "bytes": pack(bits).hex()})
        self.found["batch"] = batch()

    def blooms(self, place: int, metric: Metric) -> None:
        for group in (0, dict(metric.parameters)["m"] - 1):
            for value in TEXTS:
                bits = pack(bloom(metric, group, value)).hex()
                self.found["bloom"].append({"metric": place, "cohort": group, "value": value, "bits": bits})

    def memos(self, metric: Metric, secret: bytes, named: dict[str, int]) -> None:
        self.found["cohorts"].append(named | {"cohort": cohort(metric, secret)})
        for value in values_of(metric):
            made = {"tag": tag(metric, secret, value), "bits": pack(permanent(metric, secret, value)).hex()}
            self.found["permanent"].append(named | {"value": value} | made)

    def reports(self, metric: Metric, secret: bytes, named: dict[str, int]) -> None:
        held = self.found["streams"]
        for value in values_of(metric):
            for stream in streams(metric):
                if stream.hex() not in held:
                    held.append(stream.hex())
                record = encode_one(metric, value, Stream(stream), secret).hex()
                self.found["reports"].append(named | {"value": value, "stream": held.index(stream.hex()), "record": record})


def batch() -> dict[str, Any]:
    """Two records on their way."""
    metric, (secret, _) = METRICS["rappor"], secrets()
    records = [encode_one(metric, value, Stream(bytes_of(value, 100)), secret) for value in TEXTS[:2]]
    rows = np.frombuffer(b"".join(records), np.uint8).reshape(2, -1)
    return {"metric": metric.to_json(), "records": [record.hex() for record in records], "body": Batch(metric.hash, rows).to_bytes().hex()}


def text() -> str:
    """One vector on each line: a change can be read."""
    parts = []
    for name, held in Vectors().found.items():
        listed = isinstance(held, list)
        rows = ",\n".join(json.dumps(row, ensure_ascii=True) for row in held) if listed else json.dumps(held, ensure_ascii=True)
        parts.append(f'"{name}": [\n{rows}\n]' if listed else f'"{name}": {rows}')
    return "{\n" + ",\n".join(parts) + "\n}\n"


if __name__ == "__main__":
    PLACE.write_text(text(), encoding="ascii")
