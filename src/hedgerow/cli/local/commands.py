"""The commands ``hedgerow local plan``, ``simulate``, ``encode`` and ``collect``.

Clients randomise their values before they send them; ``cli.local.decode`` estimates from the
reports.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated

import numpy as np
import typer

from hedgerow.cli.local.files import (
    PictureOption,
    draw_findings,
    read_codes,
    read_metric,
    read_names,
    write_file,
)
from hedgerow.cli.local.plan import (
    choose_metric,
    compute_reach,
    compute_shuffled_loss,
    describe_metric,
    format_epsilon_up,
    format_metric,
    format_reach,
)
from hedgerow.cli.local.simulate import run_simulation
from hedgerow.cli.options import DebugOption, JsonOption, parse_number
from hedgerow.cli.terminal import (
    format_count,
    make_output_console,
    print_json,
    print_lines,
    show_progress,
)
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.local.collector.app import serve
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.metric import Metric
from hedgerow.local.report_batch import ReportBatch

__all__ = ["collect_reports", "encode_values", "plan_metric", "simulate_clients"]

MetricFiles = Annotated[
    list[Path],
    typer.Argument(
        metavar="METRIC.json…", help="The metric files to collect, each in its current epoch."
    ),
]
MetricFile = Annotated[Path, typer.Argument(metavar="METRIC.json", help="The metric file.")]
MetricOption = Annotated[
    Path | None,
    typer.Option(
        "--metric", metavar="FILE", help="A metric file, instead of --domain and --epsilon."
    ),
]
DomainOption = Annotated[
    int | None,
    typer.Option(
        metavar="N", help="The number of different values; for a mean, of steps on its scale."
    ),
]
EpsilonOption = Annotated[str | None, typer.Option(metavar="E", help="The epsilon of one report.")]
MeanOption = Annotated[
    bool, typer.Option("--mean", help="Estimate the mean of a number instead of counting values.")
]
RepeatsOption = Annotated[
    bool,
    typer.Option(
        "--repeats", help="Clients report repeatedly; each remembers its randomised answer."
    ),
]
LifetimeOption = Annotated[
    str | None,
    typer.Option(
        metavar="E",
        help="With --repeats: the epsilon of all reports of one value. Default: twice --epsilon.",
    ),
]
ReportBytesOption = Annotated[
    int | None, typer.Option(metavar="N", help="The largest size of a report, in bytes.")
]
FrequencyOption = Annotated[
    str | None,
    typer.Option(
        metavar="SHARE",
        help="Show how many clients it takes to detect a value that this share of them holds,"
        " such as 0.01.",
    ),
]
DeltaOption = Annotated[
    str | None,
    typer.Option(
        metavar="D",
        help="Also show the smaller epsilon of reports that are shuffled before they are read,"
        " at this delta.",
    ),
]

_CHUNK_VALUES = 1 << 18  # values randomised at a time


def plan_metric(
    domain: DomainOption = None,
    epsilon: EpsilonOption = None,
    mean: MeanOption = False,
    repeats: RepeatsOption = False,
    lifetime: LifetimeOption = None,
    report_bytes: ReportBytesOption = None,
    metric: MetricOption = None,
    frequency: FrequencyOption = None,
    clients: Annotated[
        int | None,
        typer.Option(metavar="N", help="Show which share of N clients can be detected."),
    ] = None,
    delta: DeltaOption = None,
    to: Annotated[
        Path | None, typer.Option(metavar="FILE", help="Write the metric file here.")
    ] = None,
    name: Annotated[
        str | None,
        typer.Option(metavar="NAME", help="The name of the metric in --to. Default: metric."),
    ] = None,
    epoch: Annotated[
        int | None,
        typer.Option(
            metavar="N", help="The number of the collection period in --to; also with --metric."
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Choose a local protocol and estimate how many clients it needs.

    With --metric it describes an existing metric file instead.

    Example: hedgerow local plan --domain 100 --epsilon 2 --to colour.json
    """
    chosen, reason = choose_metric(
        metric,
        domain=domain,
        epsilon=epsilon,
        mean=mean,
        repeats=repeats,
        lifetime=lifetime,
        report_bytes=report_bytes,
        name=name,
        epoch=epoch,
    )
    with show_progress("planning", quiet=as_json):
        reach = compute_reach(chosen, parse_number(frequency, "frequency"), clients)
        chance = parse_number(delta, "delta")
        reach["shuffled"] = None if chance is None else compute_shuffled_loss(chosen, reach, chance)
    if to is not None:
        write_file(to, chosen.to_json().encode("ascii"))
    if as_json:
        facts = {"reason": reason or None, **reach, "file": None if to is None else str(to)}
        print_json({**describe_metric(chosen), **facts})
        return 0
    print_lines(format_metric(chosen))
    print_lines([f"Chosen for {reason}."] if reason else [])
    print_lines(format_reach(chosen, reach))
    print_lines([] if to is None else [f"Written to {to}; its hash is {chosen.hash.hex()}."])
    return 0


def simulate_clients(
    domain: DomainOption = None,
    epsilon: EpsilonOption = None,
    clients: Annotated[
        int, typer.Option(metavar="N", help="The number of simulated clients.")
    ] = 100_000,
    mean: MeanOption = False,
    repeats: RepeatsOption = False,
    lifetime: LifetimeOption = None,
    report_bytes: ReportBytesOption = None,
    metric: MetricOption = None,
    shape: Annotated[
        str, typer.Option(metavar="SHAPE", help="The distribution of values: zipf or uniform.")
    ] = "zipf",
    picture: PictureOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Simulate clients and compare estimates with the truth.

    With a RAPPOR metric file, --domain is the number of candidate texts.

    Example: hedgerow local simulate --domain 100 --epsilon 2
    """
    chosen, _ = choose_metric(
        metric,
        domain=None if metric else domain,
        epsilon=epsilon,
        mean=mean,
        repeats=repeats,
        lifetime=lifetime,
        report_bytes=report_bytes,
    )
    with show_progress("simulating", quiet=as_json) as progress:
        view = run_simulation(chosen, domain if metric else None, clients, shape, progress)
    if picture is not None:
        title = f"{clients:,} simulated clients of {chosen.protocol}"
        draw_findings(picture, view.list_drawn(), title, view.truths)
    if as_json:
        print_json({**describe_metric(chosen), "clients": clients, **view.to_dict()})
        return 0
    print_lines(format_metric(chosen))
    view.print_bars(make_output_console())
    print_lines(view.format_summary())
    print_lines([] if picture is None else [f"Chart written to {picture}."])
    return 0


def encode_values(
    metric: MetricFile,
    to: Annotated[Path, typer.Option(metavar="FILE", help="The batch file to write.")],
    values: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]",
            help="The values, one code per line. Default: standard input.",
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Randomise values into a batch of reports.

    Writes one report per value, in a packed file that a collector accepts. Encoding the same values
    again makes a second report of each client, which costs as much again.
    """
    chosen = read_metric(metric)
    if chosen.scheme.memoised:
        raise Unsupported(
            f"Clients of '{chosen.id}' must remember their randomised answers, or they would give"
            " more away with each report. Use hedgerow.local.Client, which does."
        )
    with show_progress("randomising", quiet=as_json) as progress:
        codes = np.array(read_codes(values, chosen.scheme.domain), np.int64)
        records = []
        for start in range(0, codes.size, _CHUNK_VALUES):
            records.append(chosen.scheme.encode(codes[start : start + _CHUNK_VALUES]))
            if progress is not None:
                progress(min(start + _CHUNK_VALUES, codes.size), codes.size)
        batch = ReportBatch(chosen.hash, np.concatenate(records))
        write_file(to, batch.to_bytes())
    if as_json:
        identity = {"metric": chosen.id, "epoch": chosen.epoch, "hash": chosen.hash.hex()}
        print_json({**identity, "reports": len(batch), "file": str(to)})
    else:
        reports = format_count(len(batch), "report")
        size = format_count(chosen.scheme.record_size, "byte")
        cost = format_epsilon_up(chosen.epsilon)
        print_lines([f"{reports} of {size} in {to}. Each costs its client epsilon {cost}."])
    return 0


def collect_reports(
    metrics: MetricFiles,
    store: Annotated[
        Path,
        typer.Option(metavar="FILE", help="The file of counters; created if it does not exist."),
    ],
    port: Annotated[
        int, typer.Option(metavar="N", help="The port to listen on; 0 picks a free one.")
    ] = 8000,
    host: Annotated[
        str, typer.Option(metavar="ADDRESS", help="The address to listen on.")
    ] = "127.0.0.1",
    late: Annotated[
        int, typer.Option(metavar="N", help="How many past epochs still accept reports.")
    ] = 1,
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "--candidates",
            "--names",
            metavar="[ID=]FILE",
            help="A file with one text per line, for the web page: the candidates of a RAPPOR"
            " metric, or the names of codes 0, 1, … of another one.",
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Run a server that collects reports over HTTP.

    It keeps counters, never single reports, and shows estimates on a web page. Ctrl-C stops it.
    """
    calendar = EpochCalendar([read_metric(file) for file in metrics], late=late)
    texts = _read_candidates(candidates or [], calendar.metrics)

    def announce(address: str) -> None:
        if as_json:
            listed = [
                {"id": metric.id, "epoch": metric.epoch, "hash": metric.hash.hex()}
                for metric in calendar.metrics
            ]
            urls = {"address": address, "reports": f"{address}/v1/reports"}
            print_json({**urls, "store": str(store), "metrics": listed})
        else:
            names = ", ".join(f"{metric.id} (epoch {metric.epoch})" for metric in calendar.metrics)
            print_lines(
                [
                    f"Collecting {names}, counters in {store}.",
                    f"Clients send batches to {address}/v1/reports.",
                    f"Open {address} to see estimates, {address}/demo to see what a client sends.",
                    "Ctrl-C stops it.",
                ]
            )
        sys.stdout.flush()

    with CounterStore(store) as counters:
        try:
            serve(counters, calendar, host=host, port=port, ready=announce, candidates=texts)
        except KeyboardInterrupt:
            return 0
    return 0


def _read_candidates(given: list[str], metrics: Sequence[Metric]) -> dict[str, list[str]]:
    """Return the candidate texts, or the names of codes, of each metric.

    A file without an id belongs to the only RAPPOR metric, or to the only metric.
    """
    ids = [metric.id for metric in metrics]
    text_ids = [metric.id for metric in metrics if metric.protocol == "rappor"]
    default = next((names[0] for names in (text_ids, ids) if len(names) == 1), None)
    texts: dict[str, list[str]] = {}
    for word in given:
        head, _, file = word.partition("=")
        metric_id, path = (head, file) if head in ids and file else (default, word)
        if metric_id is None or metric_id in texts:
            raise InvalidArgument(
                "candidates", f"must be ID=FILE, once for each of {', '.join(ids)}", word
            )
        texts[metric_id] = read_names(Path(path)) or []
    return texts
