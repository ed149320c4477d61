"""Randomised reports: how many a second one core makes and counts, beside plain numpy, pure-ldp and
multi-freq-ldpy.

Counting goes the whole way of a collector but for HTTP: a body of four megabytes is read, checked,
added up and, in the sums of its metric, written to disk. The peers are asked for the estimates of
100,000 values by the protocols that are about as exact as projective geometry: optimised local
hashing and unary encoding; and by the Hadamard response, which is fast and has a quarter more
variance.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable
from pathlib import Path
from tempfile import TemporaryDirectory

import numpy as np

from bench import plain_reports as plain
from bench.clock import Contender, fastest, of
from bench.peers import Peers
from bench.peers.local import join
from bench.report import Row, Section, ratio, worst
from hedgerow.local.collector.batch_parsing import parse_addition
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import Projective, Rappor
from hedgerow.local.report_batch import ReportBatch

__all__ = ["local", "pages", "vectors"]

OURS, NUMPY, PEER = "ours, k/s", "numpy, k/s", "peer, k/s"
TIMES_NUMPY, TIMES_PEER = "ours / numpy", "ours / peer"
TEXTS = 100  # different values: hashing them is no part of a report
_BODY = 4 << 20


def pages(cohorts: int = 128) -> Metric:
    """Chromium's eTLD+1 filter with the noise of the home-page study."""
    return Metric.of("home-page", Rappor(k=128, h=2, m=cohorts, f=49_152, p=32_768, q=49_152))


def vectors(scheme: Projective) -> plain.Codes:
    """The vector of each point, in the order of their numbers."""
    numbers = np.concatenate(
        [
            np.arange(scheme.field**place, 2 * scheme.field**place)
            for place in range(scheme.dimension)
        ]
    )
    return (
        numbers[:, None] // scheme.field ** np.arange(scheme.dimension - 1, -1, -1) % scheme.field
    )


def local(peers: Peers, *, quick: bool = False) -> Section:
    """Reports a second."""
    join(peers)
    domain, size = (1_000, 2_000) if quick else (100_000, 1_000_000)
    home, many = (
        pages(8 if quick else 128),
        Metric.of("many", Projective.calibrate(domain=domain, epsilon=1)),
    )
    rows: list[Row] = [
        *_encoding(home, many, size),
        *_counting(home, many, 20_000 if quick else _BODY),
    ]
    rows += _estimating(peers, many, domain, size)
    cohorts = home.scheme.m  # type: ignore[attr-defined]
    return Section(
        f"Randomised reports on one core: RAPPOR of 128 bits in {cohorts} cohorts, projective"
        f" geometry over {domain:,} values",
        rows,
        [
            worst("a million reports made a second", 1e3, rows[:2], OURS, at_least=True),
            worst(
                "two million packed reports counted a second", 2e3, rows[2:4], OURS, at_least=True
            ),
            worst(
                "two hundred thousand reports in JSON counted a second",
                200,
                rows[4:5],
                OURS,
                at_least=True,
            ),
            worst(
                "a thousand times as many counted as by a peer that is as exact",
                1e3,
                rows[6:10],
                TIMES_PEER,
                at_least=True,
            ),
        ],
        [
            (
                "k/s: thousand reports a second. Numpy draws from its own generator and its coins"
                " are doubles: fast, and not private."
            ),
            (
                "Counting includes the sums' way to disk. A peer's line: from its reports to"
                " estimates, beside our counting without disk;"
            ),
            "ours with its estimates is the line above them.",
        ],
    )


def _encoding(home: Metric, many: Metric, size: int) -> list[Row]:
    rappor, projective, rng = home.scheme, many.scheme, np.random.default_rng()
    assert isinstance(rappor, Rappor)
    assert isinstance(projective, Projective)
    texts, few = rng.integers(0, TEXTS, size), max(1, size // 50)
    bits, codes, points = (
        rappor.hash_values(range(TEXTS)),
        rng.integers(0, projective.domain, size),
        vectors(projective),
    )
    times = fastest(
        {
            "rappor": Contender(of(lambda: rappor.encode(texts)), size, 3),
            "rappor, numpy": Contender(
                of(lambda: plain.rappor_reports(rappor, bits, texts[:few])), few, 3
            ),
            "projective": Contender(of(lambda: projective.encode(codes)), size, 3),
            "projective, numpy": Contender(
                of(lambda: plain.points(projective, points, codes[:few])), few, 3
            ),
        }
    )
    return [
        _line(f"make: {name}", times[name], times[f"{name}, numpy"])
        for name in ("rappor", "projective")
    ]


def _counting(home: Metric, many: Metric, body: int) -> list[Row]:
    rappor, projective, rng = home.scheme, many.scheme, np.random.default_rng()
    assert isinstance(rappor, Rappor)
    assert isinstance(projective, Projective)
    reports, points = body // rappor.record_size - 1, body // projective.record_size - 4
    texts = ReportBatch(home.hash, rappor.encode(rng.integers(0, TEXTS, reports)))
    told, written = (
        texts.to_bytes(),
        ReportBatch(home.hash, texts.records[: reports // 3]).to_json().encode(),
    )
    coded = ReportBatch(
        many.hash, projective.encode(rng.integers(0, projective.domain, points))
    ).to_bytes()
    with TemporaryDirectory() as folder, CounterStore(Path(folder) / "counters") as store:
        keys, calendar = itertools.count(), EpochCalendar([home, many])

        def take(kind: str, content: bytes) -> Callable[[], object]:
            return lambda: store.add(
                [parse_addition(calendar, f"application/{kind}", f"{next(keys):032}", content)]
            )

        times = fastest(
            {
                "rappor": Contender(of(take("octet-stream", told)), reports, 5),
                "rappor, numpy": Contender(
                    of(lambda: plain.rappor_packed(told, rappor)), reports, 3
                ),
                "projective": Contender(of(take("octet-stream", coded)), points, 5),
                "projective, numpy": Contender(
                    of(lambda: plain.points_packed(coded, projective)), points, 5
                ),
                "rappor in JSON": Contender(of(take("json", written)), reports // 3, 5),
                "rappor in JSON, numpy": Contender(
                    of(lambda: plain.rappor_json(written, rappor)), reports // 3, 3
                ),
            }
        )
    return [
        _line(f"count: {name}", times[name], times[f"{name}, numpy"])
        for name in ("rappor", "projective", "rappor in JSON")
    ]


def _estimating(peers: Peers, many: Metric, domain: int, size: int) -> list[Row]:
    scheme = many.scheme
    records = scheme.encode(np.random.default_rng().integers(0, domain, size))
    asked = {
        "olh of pure-ldp": ("pure-ldp", "olh", 10),
        "olh of multi-freq-ldpy": ("multi-freq-ldpy", "olh", 10),
        "oue of pure-ldp": ("pure-ldp", "oue", 300),
        "oue of multi-freq-ldpy": ("multi-freq-ldpy", "oue", 300),
        "hadamard of pure-ldp": ("pure-ldp", "hadamard", 100_000),
    }
    contenders = {
        "counted": Contender(of(lambda: scheme.aggregate(records)), size, 5),
        "estimated": Contender(of(lambda: scheme.estimate(scheme.aggregate(records))), size, 3),
    }
    for name, (who, task, reports) in asked.items():
        contenders[name] = Contender(
            peers.round(who, task, domain, 1.0, reports), reports, 2, warm=False
        )
    times = fastest(contenders)
    first = _line("count, estimate: projective", times["estimated"], None)
    return [first, *(_line(f"than {name}", times["counted"], None, times[name]) for name in asked)]


def _line(what: str, ours: float | None, numpy: float | None, peer: float | None = None) -> Row:
    return {
        "what": what,
        OURS: ratio(1e-3, ours),
        NUMPY: ratio(1e-3, numpy),
        TIMES_NUMPY: ratio(numpy, ours),
        PEER: ratio(1e-3, peer),
        TIMES_PEER: ratio(peer, ours),
    }
