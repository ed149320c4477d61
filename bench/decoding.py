"""From counters to values: seconds and megabytes of decoding, beside plain numpy; and what a
collector keeps in memory.

Numpy goes through the values of a projective protocol one by one, of which a hundred are timed;
RAPPOR it decodes as least squares without negative shares (scipy), for a thousand candidates.
Memory is that of a fresh process, less what it had before it began.
"""

from __future__ import annotations

import json
import os
import subprocess
import sys
import urllib.request
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np

from bench import plain_reports as plain
from bench.clock import Contender, fastest, of
from bench.local import pages, vectors
from bench.peers import Peers
from bench.report import Row, Section, ratio, worst
from hedgerow.local.decode.rappor.decoder import decode_candidates
from hedgerow.local.decode.rappor.design_matrix import Candidates
from hedgerow.local.metric import Metric
from hedgerow.local.planning.simulated_frequencies import draw_holders, simulate_counters
from hedgerow.local.protocols import Projective, Rappor
from hedgerow.local.report_batch import ReportBatch

__all__ = ["decoding", "decoding_peak"]

OURS, NUMPY, TIMES, PEAK = "hedgerow, s", "numpy, s", "numpy / ours", "memory, MB"
_ROOT = Path(__file__).parents[1]
_SERVE = "import sys; from hedgerow.cli import main; sys.exit(main())"
_PEAK = (
    "import json, sys; from bench.decoding import decoding_peak;"
    " print(decoding_peak(*json.loads(sys.argv[1])))"
)


def decoding(_: Peers, *, quick: bool = False) -> Section:
    """Seconds and megabytes."""
    domain, cohorts, scales = (
        (1_000, 8, (20, 40, 60)) if quick else (100_000, 32, (1_000, 10_000, 100_000))
    )
    clients = 20_000 if quick else 14_000_000
    many = Metric.of("many", Projective.calibrate(domain=domain, epsilon=1))
    home = pages(cohorts)
    rows: list[Row] = [_projective(many, 10 if quick else 100)]
    rows += [
        _rappor(home, clients, scale, first=scale == scales[0], last=scale == scales[-1])
        for scale in scales
    ]
    rows.append(_hashing(home, scales[1]))
    body, batches = (20_000, 2) if quick else (4 << 20, 12)
    count, seconds, peak = _collector(many, body, batches)
    texts = _collector(pages(8 if quick else 128), body, batches, scales[1])[2]
    rows.append(
        _line(f"a collector, a batch of {count:,} over HTTP", seconds, None, max(peak, texts))
    )
    return Section(
        f"Decoding on one core: projective geometry over {domain:,} values, RAPPOR of 128 bits in"
        f" {cohorts} cohorts",
        rows,
        [
            worst(f"all {domain:,} values decoded in half a second", 0.5, rows[:1], OURS),
            worst(f"{scales[1]:,} candidates of RAPPOR in a second", 1.0, rows[2:3], OURS),
            worst(f"{scales[2]:,} candidates in five seconds", 5.0, rows[3:4], OURS),
            worst(f"within 1.5 GB for {scales[2]:,} candidates", 1500.0, rows[3:4], PEAK),
            worst("a collector within 100 MB for a metric", 100.0, rows[5:], PEAK),
        ],
        [
            (
                "RAPPOR is decoded from a map of its candidates; hashing them, once for each list"
                " and metric, is a line of its own."
            ),
            (
                "A collector's memory is what it grows by under batches and its page: the larger"
                f" one of a projective metric ({peak:.0f} MB) and one of RAPPOR whose page looks"
                f" for {scales[1]:,} texts ({texts:.0f} MB)."
            ),
        ],
    )


def _line(
    what: str, ours: float | None, numpy: float | None = None, peak: float | None = None
) -> Row:
    return {"what": what, OURS: ours, NUMPY: numpy, TIMES: ratio(numpy, ours), PEAK: peak}


def _projective(metric: Metric, some: int) -> Row:
    scheme = metric.scheme
    assert isinstance(scheme, Projective)
    counters = scheme.aggregate(
        scheme.encode(np.random.default_rng().integers(0, scheme.domain, 1_000_000))
    )
    each, share = vectors(scheme), scheme.domain / some
    times = fastest(
        {
            "ours": Contender(of(lambda: scheme.estimate(counters)), 1, 5),
            "numpy": Contender(
                of(lambda: plain.supports(scheme, each, counters[:-1], some)), 1, 1, warm=False
            ),
        }
    )
    numpy = times["numpy"]
    return _line(
        f"projective, {scheme.domain:,} values",
        times["ours"],
        None if numpy is None else numpy * share,
    )


def _case(scheme: Rappor, clients: int, candidates: int) -> tuple[Any, plain.Codes]:
    """What counters of so many clients say, and bits drawn as a hash would draw them."""
    bits = np.random.default_rng(7).integers(0, scheme.k, (candidates, scheme.m, scheme.h))
    return (
        scheme.compute_bit_rates(
            simulate_counters(scheme, bits, draw_holders("zipf", candidates, clients))
        ),
        bits,
    )


def _rappor(metric: Metric, clients: int, candidates: int, *, first: bool, last: bool) -> Row:
    scheme = metric.scheme
    assert isinstance(scheme, Rappor)
    rates, bits = _case(scheme, clients, candidates)
    told = Candidates.of(bits, scheme.k)
    contenders = {"ours": Contender(of(lambda: decode_candidates(rates, told)), 1, 3)}
    if first:
        contenders["numpy"] = Contender(
            of(lambda: plain.rappor_nnls(rates.rates, bits, scheme.k)), 1, 1, warm=False
        )
    times, peak = fastest(contenders), None
    if last:
        command = [sys.executable, "-c", _PEAK, json.dumps([scheme.m, clients, candidates])]
        peak = float(
            subprocess.run(command, capture_output=True, text=True, check=True, cwd=_ROOT).stdout
        )
    return _line(f"rappor, {candidates:,} candidates", times["ours"], times.get("numpy"), peak)


def decoding_peak(cohorts: int, clients: int, candidates: int) -> float:
    """Megabytes beyond those of the imports, in this process."""
    scheme = pages(cohorts).scheme
    assert isinstance(scheme, Rappor)
    before = _status(os.getpid(), "VmRSS")
    rates, bits = _case(scheme, clients, candidates)
    decode_candidates(rates, Candidates.of(bits, scheme.k))
    return _status(os.getpid(), "VmHWM") - before


def _hashing(metric: Metric, candidates: int) -> Row:
    scheme = metric.scheme
    assert isinstance(scheme, Rappor)
    texts = [f"page-{place}.example" for place in range(candidates)]
    times = fastest(
        {
            "ours": Contender(
                of(lambda: scheme.hash_values(texts, metric.permanent_hash)), 1, 1, warm=False
            )
        }
    )
    return _line(f"hashing {candidates:,} candidates", times["ours"])


def _collector(
    metric: Metric, body: int, batches: int, candidates: int = 0
) -> tuple[int, float | None, float]:
    """A collector as it is served: reports in a batch, how long one takes, and how much it grows
    by batches and by its page.
    """
    scheme = metric.scheme
    records = scheme.encode(
        np.random.default_rng().integers(
            0, min(scheme.domain, 100_000), body // scheme.record_size - 4
        )
    )
    content = ReportBatch(metric.hash, records).to_bytes()
    with TemporaryDirectory() as folder:
        file, texts = Path(folder) / "metric.json", Path(folder) / "texts.txt"
        file.write_text(metric.to_json(), encoding="utf-8")
        texts.write_text(
            "".join(f"page-{place}.example\n" for place in range(candidates)), encoding="utf-8"
        )
        words = [
            "local",
            "collect",
            str(file),
            "--store",
            str(Path(folder) / "counters"),
            "--port",
            "0",
            "--json",
        ]
        words += ["--candidates", str(texts)] if candidates else []
        with subprocess.Popen(
            [sys.executable, "-c", _SERVE, *words], stdout=subprocess.PIPE, text=True, cwd=_ROOT
        ) as process:
            try:
                place = _address(process)
                before = _status(process.pid, "VmRSS")
                times = fastest(
                    {"ours": Contender(of(lambda: _send(place, content)), 1, batches, warm=False)}
                )
                with urllib.request.urlopen(place, timeout=300) as page:
                    assert page.status == 200
                peak = _status(process.pid, "VmHWM") - before
            finally:
                process.terminate()
    return len(records), times["ours"], peak


def _address(process: subprocess.Popen[str]) -> str:
    told = ""
    for line in process.stdout or ():
        told += line
        with suppress(ValueError):  # not all of it yet
            return str(json.loads(told)["address"])
    raise AssertionError(told)


def _send(address: str, content: bytes) -> None:
    headers = {"Content-Type": "application/octet-stream", "Batch-Key": os.urandom(16).hex()}
    with urllib.request.urlopen(
        urllib.request.Request(f"{address}/v1/reports", content, headers), timeout=60
    ) as answer:
        assert answer.status == 200


def _status(process: int, name: str) -> float:
    told = dict(
        line.split(":", 1)
        for line in Path(f"/proc/{process}/status").read_text(encoding="utf-8").splitlines()
        if ":" in line
    )
    return int(told[name].split()[0]) / 1024
