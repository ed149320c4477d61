"""``hedgerow local …``: collect from clients who randomise before they send, and find what is
frequent.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.local.files import (
    MAX_DRAWN,
    draw_findings,
    read_codes,
    read_metric,
    read_names,
    refuse_repeated_files,
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
from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    parse_number,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument, Unsupported

if TYPE_CHECKING:
    from hedgerow.local.decode.value_estimates import ValueEstimate
    from hedgerow.local.metric import Metric

__all__ = ["collect_reports", "decode_reports", "encode_values", "plan_metric", "simulate_clients"]

MetricFiles = Annotated[
    list[Path],
    typer.Argument(metavar="METRIC.json…", help="Metric files, each in its present epoch."),
]
MetricFile = Annotated[Path, typer.Argument(metavar="METRIC.json", help="The metric file.")]
MetricOption = Annotated[
    Path | None, typer.Option("--metric", help="A metric file, instead of --domain and --epsilon.")
]
DomainOption = Annotated[
    int | None,
    typer.Option(help="How many values there are; for a mean, how many steps its scale has."),
]
EpsilonOption = Annotated[str | None, typer.Option(help="What one report may give away.")]
MeanOption = Annotated[
    bool, typer.Option("--mean", help="Estimate the mean of a number instead of counting values.")
]
RepeatsOption = Annotated[
    bool, typer.Option("--repeats", help="Clients report again and again: answers are remembered.")
]
LifetimeOption = Annotated[
    str | None,
    typer.Option(
        help=(
            "With --repeats: what all reports of one value may give away; twice epsilon by default."
        )
    ),
]
ReportBytesOption = Annotated[int | None, typer.Option(help="How many bytes a report may have.")]
FrequencyOption = Annotated[
    str | None,
    typer.Option(
        help="A share of clients, such as 0.01: how many clients show a value that so many hold?"
    ),
]
DeltaOption = Annotated[
    str | None,
    typer.Option(
        help=(
            "Also say what reports give away that are shuffled among so many clients, but for this"
            " probability."
        )
    ),
]
PictureOption = Annotated[
    Path | None, typer.Option(metavar="FILE.svg", help="Draw it: estimates with their intervals.")
]

_CHUNK_VALUES = 1 << 18  # values randomised at a time
_NORMAL_QUANTILE = 1.959964  # standard errors on each side of a 95 % interval


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
        int | None, typer.Option(help="How many clients there are: which share can they show?")
    ] = None,
    delta: DeltaOption = None,
    to: Annotated[Path | None, typer.Option(help="Write the metric file.")] = None,
    name: Annotated[
        str | None, typer.Option(help="The name of the metric, for --to; 'metric' by default.")
    ] = None,
    epoch: Annotated[
        int | None,
        typer.Option(
            help="The number of the period, for --to; with --metric that of the next one."
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> int:
    """Choose a protocol, and say how many clients it takes to see what. Or say it of a metric
    that there is.
    """
    kept, reason = choose_metric(
        metric, **{wish: value for wish, value in locals().items() if wish in _PLAN_OPTIONS}
    )
    with show_progress("planning", quiet=as_json):
        told = compute_reach(kept, parse_number(frequency, "frequency"), clients)
        told["shuffled"] = (
            None
            if delta is None
            else compute_shuffled_loss(kept, told, parse_number(delta, "delta") or Decimal(0))
        )
    if to is not None:
        write_file(to, kept.to_json().encode("ascii"))
    if as_json:
        print_json(
            {
                **describe_metric(kept),
                "reason": reason or None,
                **told,
                "file": None if to is None else str(to),
            }
        )
        return 0
    lines = [
        *format_metric(kept),
        *([f"Chosen for {reason}."] if reason else []),
        *format_reach(kept, told),
    ]
    _print_lines(
        [*lines, *([] if to is None else [f"Written to {to}; its hash is {kept.hash.hex()}."])]
    )
    return 0


_PLAN_OPTIONS = (
    "domain",
    "epsilon",
    "mean",
    "repeats",
    "lifetime",
    "report_bytes",
    "name",
    "epoch",
)


def simulate_clients(
    domain: DomainOption = None,
    epsilon: EpsilonOption = None,
    clients: Annotated[int, typer.Option(help="How many clients report.")] = 100_000,
    mean: MeanOption = False,
    repeats: RepeatsOption = False,
    lifetime: LifetimeOption = None,
    report_bytes: ReportBytesOption = None,
    metric: MetricOption = None,
    shape: Annotated[str, typer.Option(help="How values are spread: zipf or uniform.")] = "zipf",
    picture: PictureOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Try it on clients that do not exist: estimates and intervals beside the truth. With a metric
    of RAPPOR, --domain says how many candidates there are."""
    candidates = domain if metric is not None else None
    wishes: dict[str, Any] = {
        "domain": None if metric else domain,
        "epsilon": epsilon,
        "mean": mean,
        "repeats": repeats,
    }
    kept, _ = choose_metric(metric, **wishes, lifetime=lifetime, report_bytes=report_bytes)
    with show_progress("simulating", quiet=as_json) as moved:
        found = run_simulation(kept, candidates, clients, shape, moved)
    if picture is not None:
        draw_findings(
            picture,
            found.list_drawn(),
            f"{clients:,} simulated clients of {kept.protocol}",
            found.truths,
        )
    if as_json:
        print_json({**describe_metric(kept), "clients": clients, **found.to_dict()})
        return 0
    _print_lines(format_metric(kept))
    found.print_bars(make_output_console())
    _print_lines([*found.format_summary(), *([] if picture is None else [f"Drawn in {picture}."])])
    return 0


def encode_values(
    metric: MetricFile,
    to: Annotated[Path, typer.Option(help="The batch file to write.")],
    values: Annotated[
        Path | None,
        typer.Argument(
            metavar="[FILE]", help="Values, a code on each line; standard input without it."
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Randomise values, one report each, into a packed batch that a collector takes. A second run
    on the same values is a second report of each client, and costs as much again."""
    import numpy as np

    from hedgerow.local.report_batch import ReportBatch

    kept = read_metric(metric)
    if kept.scheme.memoised:
        raise Unsupported(
            f"Clients of '{kept.id}' remember their answers: made anew each time they would give"
            " more away. Use hedgerow.local.Client."
        )
    with show_progress("randomising", quiet=as_json) as moved:
        codes = np.array(read_codes(values, kept.scheme.domain), np.int64)
        records = []
        for start in range(0, codes.size, _CHUNK_VALUES):
            records.append(kept.scheme.encode(codes[start : start + _CHUNK_VALUES]))
            if moved is not None:
                moved(min(start + _CHUNK_VALUES, codes.size), codes.size)
        batch = ReportBatch(kept.hash, np.concatenate(records))
        write_file(to, batch.to_bytes())
    if as_json:
        print_json(
            {
                "metric": kept.id,
                "epoch": kept.epoch,
                "hash": kept.hash.hex(),
                "reports": len(batch),
                "file": str(to),
            }
        )
    else:
        size = f"{kept.scheme.record_size} byte{'' if kept.scheme.record_size == 1 else 's'}"
        made = f"{len(batch):,} report{'' if len(batch) == 1 else 's'} of {size} in {to}."
        _print_lines([f"{made} Each costs its client epsilon {format_epsilon_up(kept.epsilon)}."])
    return 0


def collect_reports(
    metrics: MetricFiles,
    store: Annotated[
        Path, typer.Option(help="Where the counters are kept; made if it is not there.")
    ],
    port: Annotated[int, typer.Option(help="The port to listen at; 0 takes a free one.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    late: Annotated[
        int, typer.Option(help="How many epochs before the present one are open still.")
    ] = 1,
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "--candidates",
            "--names",
            metavar="[ID=]FILE",
            help=(
                "A text on each line, for the page: what it looks for in RAPPOR reports, or the"
                " names of codes 0, 1, … of another metric."
            ),
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Serve a collector: batches come in over HTTP, counters are kept, a page shows what they
    tell.
    """
    from hedgerow.local.collector.app import serve
    from hedgerow.local.collector.counter_store import CounterStore
    from hedgerow.local.collector.epochs import EpochCalendar

    calendar = EpochCalendar([read_metric(file) for file in metrics], late=late)
    texts = _read_candidates(candidates or [], calendar.metrics)

    def ready(address: str) -> None:
        if as_json:
            told = [
                {"id": metric.id, "epoch": metric.epoch, "hash": metric.hash.hex()}
                for metric in calendar.metrics
            ]
            print_json(
                {
                    "address": address,
                    "reports": f"{address}/v1/reports",
                    "store": str(store),
                    "metrics": told,
                }
            )
        else:
            names = ", ".join(f"{metric.id} (epoch {metric.epoch})" for metric in calendar.metrics)
            where = (
                f"Open {address} to see what they tell, {address}/demo to see what leaves a client."
            )
            _print_lines(
                [
                    f"Collecting {names}, counters in {store}.",
                    f"Batches go to {address}/v1/reports.",
                    where,
                    "Ctrl-C ends it.",
                ]
            )
        sys.stdout.flush()

    with CounterStore(store) as held:
        try:
            serve(held, calendar, host=host, port=port, ready=ready, candidates=texts)
        except KeyboardInterrupt:
            return 0
    return 0


def _read_candidates(given: list[str], metrics: Sequence[Metric]) -> dict[str, list[str]]:
    """The texts to look for, or the names of codes, by the ids of metrics. Without an id they are
    for the one that takes texts, or for the only one there is."""
    ids, texts, found = (
        [metric.id for metric in metrics],
        [metric.id for metric in metrics if metric.protocol == "rappor"],
        {},
    )
    alone = next((names[0] for names in (texts, ids) if len(names) == 1), None)
    for word in given:
        head, _, file = word.partition("=")
        named = (head, file) if head in ids and file else (alone, word)
        if named[0] is None or named[0] in found:
            raise InvalidArgument(
                "candidates", f"must be ID=FILE, once for each of {', '.join(ids)}", word
            )
        found[named[0]] = read_names(Path(named[1])) or []
    return found


def decode_reports(
    store: Annotated[Path | None, typer.Option(help="A collector's store, with --metric.")] = None,
    reports: Annotated[
        list[Path] | None,
        typer.Option(
            help=(
                "A file of reports instead, a batch or a table, with --metric. Again for each"
                " further file."
            )
        ),
    ] = None,
    metric: Annotated[Path | None, typer.Option(help="The metric file.")] = None,
    names: Annotated[
        Path | None,
        typer.Option(
            help="A text on each line: the names of codes 0, 1, …; for RAPPOR the candidates."
        ),
    ] = None,
    counts: Annotated[
        Path | None, typer.Option(help="counts.csv of google/rappor, with --map and --params.")
    ] = None,
    map: Annotated[
        Path | None, typer.Option(help="map.csv: the candidates and their bits.")
    ] = None,
    params: Annotated[Path | None, typer.Option(help="params.csv: k, h, m, p, q, f.")] = None,
    control: Annotated[
        str, typer.Option(help="fdr: false discoveries among those detected; fwer: even one.")
    ] = "fdr",
    level: Annotated[str, typer.Option(help="At most this share, or this probability.")] = "0.05",
    picture: PictureOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> int:
    """Say which values are there, and how many clients hold each."""
    given, limit = (
        {name for name, value in locals().items() if name in _SOURCE_OPTIONS and value},
        parse_number(level, "level") or Decimal(0),
    )
    about: dict[str, Any] = {}
    with show_progress("decoding", quiet=as_json) as moved:
        if counts and map and params and given == {"counts", "map", "params"}:
            detected = _decode_google_files(counts, map, params, control, limit)
        elif metric and given in ({"store", "metric"}, {"reports", "metric"}):
            kept, options = (
                read_metric(metric),
                {"names": read_names(names), "control": control, "level": limit},
            )
            about, detected = _decode_metric(kept, store, reports or [], options, moved)
        else:
            raise InvalidArgument(
                "decode",
                "takes --store and --metric, --reports and --metric, or --counts, --map and"
                " --params",
                sorted(given),
            )
    if picture is not None and detected:
        draw_findings(
            picture,
            detected[:MAX_DRAWN],
            f"The {min(len(detected), MAX_DRAWN)} most frequent values detected",
            None,
        )
    if as_json:
        print_json(
            {
                **about,
                "control": control,
                "level": float(limit),
                "detected": [found.to_dict() for found in detected],
            }
        )
        return 0
    _print_lines(_format_decoded(about, detected, control, level))
    return 0


_SOURCE_OPTIONS = ("store", "reports", "metric", "counts", "map", "params")


def _decode_google_files(
    counts: Path, map: Path, params: Path, control: str, level: Decimal
) -> list[ValueEstimate]:
    from hedgerow.local.decode.rappor.google_files import decode_files
    from hedgerow.local.decode.value_estimates import ValueEstimate

    found = decode_files(counts, map, params, control, level)
    ends = [
        (
            row["estimate"] - _NORMAL_QUANTILE * row["stderr"],
            row["estimate"] + _NORMAL_QUANTILE * row["stderr"],
        )
        for row in found
    ]
    return [
        ValueEstimate(row["value"], row["estimate"], row["stderr"], low, high, row["p_value"])
        for row, (low, high) in zip(found, ends, strict=True)
    ]


def _decode_metric(
    metric: Metric, store: Path | None, reports: list[Path], options: dict[str, Any], moved: Any
) -> tuple[dict[str, Any], list[ValueEstimate]]:
    """What is said about the metric, and what its counters tell."""
    import numpy as np

    from hedgerow.local.collector.count_files import count_files
    from hedgerow.local.collector.counter_store import CounterStore
    from hedgerow.local.decode.value_estimates import detect_values

    others: list[str] = []
    if metric.protocol == "rappor" and options["names"] is None:
        raise InvalidArgument(
            "names",
            "must be given for RAPPOR: a file of candidates, one on each line. It cannot list texts"
            " itself",
        )
    if store is not None:
        with CounterStore(store, create=False) as held:
            counters = held.read_counters(metric)
            others = [f"{other.id} (epoch {other.epoch})" for other in held.list_metrics()]
    else:
        refuse_repeated_files(reports)
        counters = np.zeros(metric.scheme.counter_count, np.int64)
        for place, file in enumerate(reports, 1):
            counters += count_files(metric, [file])
            if moved is not None:
                moved(place, len(reports) + 1)
    told = {**describe_metric(metric), "reports": int(counters[-1]), "in_store": others}
    return told, detect_values(metric, counters, **options)


def _format_decoded(
    about: dict[str, Any], detected: list[ValueEstimate], control: str, level: str
) -> list[str]:
    if about and not about["reports"]:
        held = f" The store has {', '.join(about['in_store'])}." if about["in_store"] else ""
        return [
            f"No reports of '{about['metric']['id']}' in epoch {about['metric']['epoch']} were"
            f" counted yet.{held}"
        ]
    among = (
        f" in {about['reports']:,} report{'' if about['reports'] == 1 else 's'}" if about else ""
    )
    if detected and detected[0].p_value is None:
        mean, radius, steps = (
            detected[0].estimate,
            _NORMAL_QUANTILE * detected[0].stderr,
            about["domain"] - 1,
        )
        code = f"as a code from 0 to {steps:,} it is {mean * steps:,.4g} ± {radius * steps:,.2g}"
        return [
            f"mean: {mean:.4f} ± {radius:.4f} on a scale from 0 to 1; {code}.",
            f"± is the 95 % interval{among}.",
        ]
    told = [
        f"{found.value}: {found.estimate:,.0f} ± {_NORMAL_QUANTILE * found.stderr:,.0f}"
        for found in detected
    ]
    kept = (
        "false discoveries are" if control == "fdr" else "the chance of even one false discovery is"
    )
    count = f"{len(detected):,} value{'' if len(detected) == 1 else 's'}"
    return [*told, f"{count} detected{among}; {kept} held at {level}. ± is the 95 % interval."]


def _print_lines(lines: list[str]) -> None:
    console = make_output_console()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
