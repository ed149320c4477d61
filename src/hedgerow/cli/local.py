"""``hedgerow local …``: collect from clients who randomise before they send, and find what is frequent."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.local_files import DRAWN, different_files, draw_to, read_codes, read_metric, read_names, write
from hedgerow.cli.local_plans import chosen, epsilon_up, facts, in_words, reach, reach_in_words, shuffled
from hedgerow.cli.local_simulations import simulation
from hedgerow.cli.terminal import Debug, Json, number, output, print_json, working
from hedgerow.errors import InvalidArgument, Unsupported

if TYPE_CHECKING:
    from hedgerow.local.findings import Finding
    from hedgerow.local.spec import Metric

__all__ = ["local_collect", "local_decode", "local_encode", "local_plan", "local_simulate"]

Metrics = Annotated[list[Path], typer.Argument(metavar="METRIC.json…", help="Metric files, each in its present epoch.")]
OneMetric = Annotated[Path, typer.Argument(metavar="METRIC.json", help="The metric file.")]
Given = Annotated[Path | None, typer.Option("--metric", help="A metric file, instead of --domain and --epsilon.")]
Domain = Annotated[int | None, typer.Option(help="How many values there are; for a mean, how many steps its scale has.")]
Epsilon = Annotated[str | None, typer.Option(help="What one report may give away.")]
Mean = Annotated[bool, typer.Option("--mean", help="Estimate the mean of a number instead of counting values.")]
Repeats = Annotated[bool, typer.Option("--repeats", help="Clients report again and again: answers are remembered.")]
Lifetime = Annotated[
    str | None, typer.Option(help="With --repeats: what all reports of one value may give away; twice epsilon by default.")
]
Size = Annotated[int | None, typer.Option(help="How many bytes a report may have.")]
Frequency = Annotated[str | None, typer.Option(help="A share of clients, such as 0.01: how many clients show a value that so many hold?")]
Delta = Annotated[
    str | None, typer.Option(help="Also say what reports give away that are shuffled among so many clients, but for this probability.")
]
Picture = Annotated[Path | None, typer.Option(metavar="FILE.svg", help="Draw it: estimates with their intervals.")]

_PIECE = 1 << 18  # values randomised at a time
_NORMAL = 1.959964  # standard errors on each side of a 95 % interval


def local_plan(
    domain: Domain = None,
    epsilon: Epsilon = None,
    mean: Mean = False,
    repeats: Repeats = False,
    lifetime: Lifetime = None,
    report_bytes: Size = None,
    metric: Given = None,
    frequency: Frequency = None,
    clients: Annotated[int | None, typer.Option(help="How many clients there are: which share can they show?")] = None,
    delta: Delta = None,
    to: Annotated[Path | None, typer.Option(help="Write the metric file.")] = None,
    name: Annotated[str | None, typer.Option(help="The name of the metric, for --to; 'metric' by default.")] = None,
    epoch: Annotated[int | None, typer.Option(help="The number of the period, for --to; with --metric that of the next one.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Choose a protocol, and say how many clients it takes to see what. Or say it of a metric that there is."""
    kept, reason = chosen(metric, **{wish: value for wish, value in locals().items() if wish in _WISHES})
    with working("planning", quiet=as_json):
        told = reach(kept, number(frequency, "frequency"), clients)
        told["shuffled"] = None if delta is None else shuffled(kept, told, number(delta, "delta") or Decimal(0))
    if to is not None:
        write(to, kept.to_json().encode("ascii"))
    if as_json:
        print_json({**facts(kept), "reason": reason or None, **told, "file": None if to is None else str(to)})
        return 0
    lines = [*in_words(kept), *([f"Chosen for {reason}."] if reason else []), *reach_in_words(kept, told)]
    _say([*lines, *([] if to is None else [f"Written to {to}; its hash is {kept.hash.hex()}."])])
    return 0


_WISHES = ("domain", "epsilon", "mean", "repeats", "lifetime", "report_bytes", "name", "epoch")


def local_simulate(
    domain: Domain = None,
    epsilon: Epsilon = None,
    clients: Annotated[int, typer.Option(help="How many clients report.")] = 100_000,
    mean: Mean = False,
    repeats: Repeats = False,
    lifetime: Lifetime = None,
    report_bytes: Size = None,
    metric: Given = None,
    shape: Annotated[str, typer.Option(help="How values are spread: zipf or uniform.")] = "zipf",
    picture: Picture = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Try it on clients that do not exist: estimates and intervals beside the truth. With a metric of RAPPOR, --domain says how many
    candidates there are."""
    candidates = domain if metric is not None else None
    wishes: dict[str, Any] = {"domain": None if metric else domain, "epsilon": epsilon, "mean": mean, "repeats": repeats}
    kept, _ = chosen(metric, **wishes, lifetime=lifetime, report_bytes=report_bytes)
    with working("simulating", quiet=as_json) as moved:
        found = simulation(kept, candidates, clients, shape, moved)
    if picture is not None:
        draw_to(picture, found.drawn(), f"{clients:,} simulated clients of {kept.protocol}", found.truths)
    if as_json:
        print_json({**facts(kept), "clients": clients, **found.to_dict()})
        return 0
    _say(in_words(kept))
    found.show(output())
    _say([*found.in_words(), *([] if picture is None else [f"Drawn in {picture}."])])
    return 0


def local_encode(
    metric: OneMetric,
    to: Annotated[Path, typer.Option(help="The batch file to write.")],
    values: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Values, a code on each line; standard input without it.")] = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Randomise values, one report each, into a packed batch that a collector takes. A second run on the same values is a second report
    of each client, and costs as much again."""
    import numpy as np

    from hedgerow.local.batches import Batch

    kept = read_metric(metric)
    if kept.scheme.memoised:
        raise Unsupported(
            f"Clients of '{kept.id}' remember their answers: made anew each time they would give more away. Use hedgerow.local.Client."
        )
    with working("randomising", quiet=as_json) as moved:
        codes = np.array(read_codes(values, kept.scheme.domain), np.int64)
        records = []
        for start in range(0, codes.size, _PIECE):
            records.append(kept.scheme.encode(codes[start : start + _PIECE]))
            if moved is not None:
                moved(min(start + _PIECE, codes.size), codes.size)
        batch = Batch(kept.hash, np.concatenate(records))
        write(to, batch.to_bytes())
    if as_json:
        print_json({"metric": kept.id, "epoch": kept.epoch, "hash": kept.hash.hex(), "reports": len(batch), "file": str(to)})
    else:
        size = f"{kept.scheme.record} byte{'' if kept.scheme.record == 1 else 's'}"
        made = f"{len(batch):,} report{'' if len(batch) == 1 else 's'} of {size} in {to}."
        _say([f"{made} Each costs its client epsilon {epsilon_up(kept.epsilon)}."])
    return 0


def local_collect(
    metrics: Metrics,
    store: Annotated[Path, typer.Option(help="Where the counters are kept; made if it is not there.")],
    port: Annotated[int, typer.Option(help="The port to listen at; 0 takes a free one.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    late: Annotated[int, typer.Option(help="How many epochs before the present one are open still.")] = 1,
    candidates: Annotated[
        list[str] | None,
        typer.Option(
            "--candidates",
            "--names",
            metavar="[ID=]FILE",
            help="A text on each line, for the page: what it looks for in RAPPOR reports, or the names of codes 0, 1, … of another metric.",
        ),
    ] = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Serve a collector: batches come in over HTTP, counters are kept, a page shows what they tell."""
    from hedgerow.local.collector import serve
    from hedgerow.local.epochs import Calendar
    from hedgerow.local.store import Store

    calendar = Calendar([read_metric(file) for file in metrics], late=late)
    texts = _candidates(candidates or [], calendar.metrics)

    def ready(address: str) -> None:
        if as_json:
            told = [{"id": metric.id, "epoch": metric.epoch, "hash": metric.hash.hex()} for metric in calendar.metrics]
            print_json({"address": address, "reports": f"{address}/v1/reports", "store": str(store), "metrics": told})
        else:
            names = ", ".join(f"{metric.id} (epoch {metric.epoch})" for metric in calendar.metrics)
            where = f"Open {address} to see what they tell, {address}/demo to see what leaves a client."
            _say([f"Collecting {names}, counters in {store}.", f"Batches go to {address}/v1/reports.", where, "Ctrl-C ends it."])
        sys.stdout.flush()

    with Store(store) as held:
        try:
            serve(held, calendar, host=host, port=port, ready=ready, candidates=texts)
        except KeyboardInterrupt:
            return 0
    return 0


def _candidates(given: list[str], metrics: Sequence[Metric]) -> dict[str, list[str]]:
    """The texts to look for, or the names of codes, by the ids of metrics. Without an id they are for the one that takes texts, or for the
    only one there is."""
    ids, texts, found = [metric.id for metric in metrics], [metric.id for metric in metrics if metric.protocol == "rappor"], {}
    alone = next((names[0] for names in (texts, ids) if len(names) == 1), None)
    for word in given:
        head, _, file = word.partition("=")
        named = (head, file) if head in ids and file else (alone, word)
        if named[0] is None or named[0] in found:
            raise InvalidArgument("candidates", f"must be ID=FILE, once for each of {', '.join(ids)}", word)
        found[named[0]] = read_names(Path(named[1])) or []
    return found


def local_decode(
    store: Annotated[Path | None, typer.Option(help="A collector's store, with --metric.")] = None,
    reports: Annotated[
        list[Path] | None, typer.Option(help="A file of reports instead, a batch or a table, with --metric. Again for each further file.")
    ] = None,
    metric: Annotated[Path | None, typer.Option(help="The metric file.")] = None,
    names: Annotated[Path | None, typer.Option(help="A text on each line: the names of codes 0, 1, …; for RAPPOR the candidates.")] = None,
    counts: Annotated[Path | None, typer.Option(help="counts.csv of google/rappor, with --map and --params.")] = None,
    map: Annotated[Path | None, typer.Option(help="map.csv: the candidates and their bits.")] = None,
    params: Annotated[Path | None, typer.Option(help="params.csv: k, h, m, p, q, f.")] = None,
    control: Annotated[str, typer.Option(help="fdr: false discoveries among those detected; fwer: even one.")] = "fdr",
    level: Annotated[str, typer.Option(help="At most this share, or this probability.")] = "0.05",
    picture: Picture = None,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Say which values are there, and how many clients hold each."""
    given, limit = {name for name, value in locals().items() if name in _SOURCES and value}, number(level, "level") or Decimal(0)
    about: dict[str, Any] = {}
    with working("decoding", quiet=as_json) as moved:
        if counts and map and params and given == {"counts", "map", "params"}:
            detected = _of_google(counts, map, params, control, limit)
        elif metric and given in ({"store", "metric"}, {"reports", "metric"}):
            kept, options = read_metric(metric), {"names": read_names(names), "control": control, "level": limit}
            about, detected = _decoded(kept, store, reports or [], options, moved)
        else:
            raise InvalidArgument(
                "decode", "takes --store and --metric, --reports and --metric, or --counts, --map and --params", sorted(given)
            )
    if picture is not None and detected:
        draw_to(picture, detected[:DRAWN], f"The {min(len(detected), DRAWN)} most frequent values detected", None)
    if as_json:
        print_json({**about, "control": control, "level": float(limit), "detected": [found.to_dict() for found in detected]})
        return 0
    _say(_decoded_in_words(about, detected, control, level))
    return 0


_SOURCES = ("store", "reports", "metric", "counts", "map", "params")


def _of_google(counts: Path, map: Path, params: Path, control: str, level: Decimal) -> list[Finding]:
    from hedgerow.local.findings import Finding
    from hedgerow.local.google import decode_files

    found = decode_files(counts, map, params, control, level)
    ends = [(row["estimate"] - _NORMAL * row["stderr"], row["estimate"] + _NORMAL * row["stderr"]) for row in found]
    return [
        Finding(row["value"], row["estimate"], row["stderr"], low, high, row["p_value"])
        for row, (low, high) in zip(found, ends, strict=True)
    ]


def _decoded(
    metric: Metric, store: Path | None, reports: list[Path], options: dict[str, Any], moved: Any
) -> tuple[dict[str, Any], list[Finding]]:
    """What is said about the metric, and what its counters tell."""
    import numpy as np

    from hedgerow.local.counting import count_files
    from hedgerow.local.findings import findings
    from hedgerow.local.store import Store

    others: list[str] = []
    if metric.protocol == "rappor" and options["names"] is None:
        raise InvalidArgument("names", "must be given for RAPPOR: a file of candidates, one on each line. It cannot list texts itself")
    if store is not None:
        with Store(store, create=False) as held:
            counters = held.counters(metric)
            others = [f"{other.id} (epoch {other.epoch})" for other in held.metrics()]
    else:
        different_files(reports)
        counters = np.zeros(metric.scheme.counters, np.int64)
        for place, file in enumerate(reports, 1):
            counters += count_files(metric, [file])
            if moved is not None:
                moved(place, len(reports) + 1)
    told = {**facts(metric), "reports": int(counters[-1]), "in_store": others}
    return told, findings(metric, counters, **options)


def _decoded_in_words(about: dict[str, Any], detected: list[Finding], control: str, level: str) -> list[str]:
    if about and not about["reports"]:
        held = f" The store has {', '.join(about['in_store'])}." if about["in_store"] else ""
        return [f"No reports of '{about['metric']['id']}' in epoch {about['metric']['epoch']} were counted yet.{held}"]
    among = f" in {about['reports']:,} report{'' if about['reports'] == 1 else 's'}" if about else ""
    if detected and detected[0].p_value is None:
        mean, radius, steps = detected[0].estimate, _NORMAL * detected[0].stderr, about["domain"] - 1
        code = f"as a code from 0 to {steps:,} it is {mean * steps:,.4g} ± {radius * steps:,.2g}"
        return [f"mean: {mean:.4f} ± {radius:.4f} on a scale from 0 to 1; {code}.", f"± is the 95 % interval{among}."]
    told = [f"{found.value}: {found.estimate:,.0f} ± {_NORMAL * found.stderr:,.0f}" for found in detected]
    kept = "false discoveries are" if control == "fdr" else "the chance of even one false discovery is"
    count = f"{len(detected):,} value{'' if len(detected) == 1 else 's'}"
    return [*told, f"{count} detected{among}; {kept} held at {level}. ± is the 95 % interval."]


def _say(lines: list[str]) -> None:
    console = output()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
