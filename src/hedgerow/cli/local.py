"""``hedgerow local …``: collect from clients who randomise before they send, and find what is frequent."""

from __future__ import annotations

import sys
from decimal import Decimal
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.terminal import Debug, Json, number, output, print_json, working
from hedgerow.errors import InvalidArgument, SourceError, Unsupported

if TYPE_CHECKING:
    from hedgerow.local.planner import Choice
    from hedgerow.local.simulation import Simulated
    from hedgerow.local.spec import Metric

__all__ = ["local_collect", "local_decode", "local_encode", "local_plan", "local_simulate"]

Metrics = Annotated[list[Path], typer.Argument(metavar="METRIC.json…", help="Metric files, each in its present epoch.")]
OneMetric = Annotated[Path, typer.Argument(metavar="METRIC.json", help="The metric file.")]
Domain = Annotated[int, typer.Option(help="How many values there are.")]
Epsilon = Annotated[str, typer.Option(help="What one report may give away.")]
Repeats = Annotated[bool, typer.Option("--repeats", help="Clients report again and again: answers are remembered.")]
Lifetime = Annotated[
    str | None, typer.Option(help="With --repeats: what all reports of one value may give away; twice epsilon by default.")
]
Size = Annotated[int | None, typer.Option(help="How many bytes a report may have.")]
Frequency = Annotated[str | None, typer.Option(help="A share of clients: how many clients show a value that so many hold?")]

_CROWDS = (10_000, 100_000, 1_000_000, 10_000_000)
_SHOWN = 12  # bars of a simulation
_WIDTH = 48  # cells of one


def local_plan(
    domain: Domain,
    epsilon: Epsilon,
    repeats: Repeats = False,
    lifetime: Lifetime = None,
    report_bytes: Size = None,
    frequency: Frequency = None,
    clients: Annotated[int | None, typer.Option(help="How many clients there are: which share can they show?")] = None,
    to: Annotated[Path | None, typer.Option(help="Write the metric file.")] = None,
    name: Annotated[str, typer.Option(help="The name of the metric, for --to.")] = "metric",
    epoch: Annotated[int, typer.Option(help="The number of the period, for --to.")] = 0,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Choose a protocol, and say how many clients it takes to see what."""
    from hedgerow.local.planner import clients_needed, detectable_frequency
    from hedgerow.local.spec import Metric

    choice = _chosen(domain, epsilon, repeats, lifetime, report_bytes)
    metric, share = Metric.of(name, choice.scheme, epoch), number(frequency, "frequency")
    needed = None if share is None else clients_needed(choice.scheme, share)
    crowds = [clients] if clients is not None else list(_CROWDS) if share is None else []
    seen = {crowd: detectable_frequency(choice.scheme, crowd) for crowd in crowds}
    if to is not None:
        _write(to, metric.to_json().encode("ascii"))
    if as_json:
        shares = [{"clients": crowd, "frequency": found if found <= 1 else None} for crowd, found in seen.items()]
        wanted = None if needed is None else {"frequency": float(share or 0), "clients": needed}
        print_json({**_facts(metric), "reason": choice.reason, "needed": wanted, "detectable": shares, "file": _name(to)})
        return 0
    lines = [*_told(metric), f"Chosen for {choice.reason}."]
    if needed is not None:
        lines.append(f"A value that a share of {frequency} holds is seen, nine times in ten, among {needed:,} clients.")
    for crowd, found in seen.items():
        what = f"values that {found:.3g} of them hold ({crowd * found:,.0f} clients)" if found <= 1 else "nothing yet"
        lines.append(f"{crowd:,} clients show {what}.")
    _say([*lines, *([] if to is None else [f"Written to {to}; its hash is {metric.hash.hex()}."])])
    return 0


def local_simulate(
    domain: Domain,
    epsilon: Epsilon,
    clients: Annotated[int, typer.Option(help="How many clients report.")] = 100_000,
    repeats: Repeats = False,
    lifetime: Lifetime = None,
    report_bytes: Size = None,
    shape: Annotated[str, typer.Option(help="How values are spread: zipf or uniform.")] = "zipf",
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Try it on clients that do not exist: estimates and intervals beside the truth."""
    from hedgerow.local.simulation import simulate
    from hedgerow.local.spec import Metric

    choice = _chosen(domain, epsilon, repeats, lifetime, report_bytes)
    with working("simulating", quiet=as_json) as moved:
        found = simulate(choice.scheme, clients, shape, moved)
    metric = Metric.of("simulated", choice.scheme)
    if as_json:
        error = {"root_mean_square": found.root_mean_square, "expected": found.expected, "covered": found.covered}
        print_json({**_facts(metric), "clients": clients, "error": error, "values": _values(found)})
        return 0
    _say(_told(metric))
    _draw(found)
    detected = int(found.estimates.detected().sum())
    _say(
        [
            f"{detected:,} of {domain:,} values are detected, with false discoveries held at 5 %.",
            f"Error of a count: {found.root_mean_square:,.0f} (root mean square); the exact variance foretells {found.expected:,.0f}.",
            f"{found.covered:.1%} of the 95 % intervals hold the truth.",
        ]
    )
    return 0


def local_encode(
    metric: OneMetric,
    to: Annotated[Path, typer.Option(help="The batch file to write.")],
    values: Annotated[Path | None, typer.Argument(metavar="[FILE]", help="Values, a code on each line; standard input without it.")] = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Randomise values, one report each, into a packed batch that a collector takes."""
    import numpy as np

    from hedgerow.local.batches import Batch

    kept = _metric(metric)
    if kept.scheme.memoised:
        raise Unsupported(
            f"Clients of '{kept.id}' remember their answers: made anew each time they would give more away. Use hedgerow.local.Client."
        )
    codes = np.array(_codes(values, kept.scheme.domain), np.int64)
    batch = Batch(kept.hash, kept.scheme.encode(codes))
    _write(to, batch.to_bytes())
    if as_json:
        print_json({"metric": kept.id, "epoch": kept.epoch, "hash": kept.hash.hex(), "reports": len(batch), "file": str(to)})
    else:
        _say([f"{len(batch):,} reports of {kept.scheme.record} bytes in {to}. Each costs its client epsilon {kept.epsilon:.4g}."])
    return 0


def local_collect(
    metrics: Metrics,
    store: Annotated[Path, typer.Option(help="Where the counters are kept; made if it is not there.")],
    port: Annotated[int, typer.Option(help="The port to listen at; 0 takes a free one.")] = 8000,
    host: Annotated[str, typer.Option(help="The address to listen at.")] = "127.0.0.1",
    late: Annotated[int, typer.Option(help="How many epochs before the present one are open still.")] = 1,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Serve a collector: batches come in over HTTP, counters are kept, a page shows what they tell."""
    from hedgerow.local.collector import serve
    from hedgerow.local.epochs import Calendar
    from hedgerow.local.store import Store

    calendar = Calendar([_metric(file) for file in metrics], late=late)

    def ready(address: str) -> None:
        if as_json:
            told = [{"id": metric.id, "epoch": metric.epoch, "hash": metric.hash.hex()} for metric in calendar.metrics]
            print_json({"address": address, "store": str(store), "metrics": told})
        else:
            names = ", ".join(f"{metric.id} (epoch {metric.epoch})" for metric in calendar.metrics)
            _say([f"Collecting {names} at {address}, counters in {store}. Ctrl-C ends it."])
        sys.stdout.flush()

    with Store(store) as held:
        try:
            serve(held, calendar, host=host, port=port, ready=ready)
        except KeyboardInterrupt:
            return 0
    return 0


def local_decode(
    store: Annotated[Path | None, typer.Option(help="A collector's store, with --metric.")] = None,
    reports: Annotated[list[Path] | None, typer.Option(help="Files of reports instead, batches or tables, with --metric.")] = None,
    metric: Annotated[Path | None, typer.Option(help="The metric file.")] = None,
    names: Annotated[Path | None, typer.Option(help="A text on each line: the names of codes 0, 1, …; for RAPPOR the candidates.")] = None,
    counts: Annotated[Path | None, typer.Option(help="counts.csv of google/rappor, with --map and --params.")] = None,
    map: Annotated[Path | None, typer.Option(help="map.csv: the candidates and their bits.")] = None,
    params: Annotated[Path | None, typer.Option(help="params.csv: k, h, m, p, q, f.")] = None,
    control: Annotated[str, typer.Option(help="fdr: false discoveries among those detected; fwer: even one.")] = "fdr",
    level: Annotated[str, typer.Option(help="At most this share, or this probability.")] = "0.05",
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Say which values are there, and how many clients hold each."""
    from hedgerow.local.google import decode_files

    given, limit = {name for name, value in locals().items() if name in _SOURCES and value}, number(level, "level") or Decimal(0)
    about: dict[str, Any] = {}
    if counts and map and params and given == {"counts", "map", "params"}:
        with working("decoding", quiet=as_json):
            detected = decode_files(counts, map, params, control, limit)
    elif metric and given in ({"store", "metric"}, {"reports", "metric"}):
        about, detected = _decoded(_metric(metric), store, reports or [], {"names": _texts(names), "control": control, "level": limit})
    else:
        raise InvalidArgument(
            "decode", "takes --store and --metric, --reports and --metric, or --counts, --map and --params", sorted(given)
        )
    if as_json:
        print_json({**about, "control": control, "level": float(limit), "detected": detected})
        return 0
    form = ",.0f" if all(found["p_value"] is not None for found in detected) else ".4f"
    told = [f"{found['value']}: {found['estimate']:{form}} ± {1.96 * found['stderr']:{form}}" for found in detected]
    kept = "false discoveries are" if control == "fdr" else "the chance of even one false discovery is"
    _say([*told, f"{len(detected):,} values detected; {kept} held at {level}. ± is the 95 % interval."])
    return 0


_SOURCES = ("store", "reports", "metric", "counts", "map", "params")


def _decoded(
    metric: Metric, store: Path | None, reports: list[Path], options: dict[str, Any]
) -> tuple[dict[str, Any], list[dict[str, Any]]]:
    from hedgerow.local.counting import count_files
    from hedgerow.local.findings import findings
    from hedgerow.local.store import Store

    if store is not None:
        with Store(store, create=False) as held:
            counters = held.counters(metric)
    else:
        counters = count_files(metric, reports)
    return {**_facts(metric), "reports": int(counters[-1])}, [found.to_dict() for found in findings(metric, counters, **options)]


def _chosen(domain: int, epsilon: str, repeats: bool, lifetime: str | None, report_bytes: int | None) -> Choice:
    from hedgerow.local.planner import choose

    price = number(epsilon, "epsilon") or Decimal(0)
    return choose(domain=domain, epsilon=price, report_bytes=report_bytes, repeats=repeats, lifetime=number(lifetime, "lifetime"))


def _facts(metric: Metric) -> dict[str, Any]:
    scheme, lifetime = metric.scheme, metric.lifetime_epsilon(1)
    return {
        "metric": {"id": metric.id, "epoch": metric.epoch, "hash": metric.hash.hex()},
        "protocol": metric.protocol,
        "parameters": dict(metric.parameters),
        "domain": scheme.domain,
        "report_bytes": scheme.record,
        "epsilon": metric.epsilon,
        "lifetime_epsilon": lifetime if lifetime < float("inf") else None,
        "memoised": scheme.memoised,
    }


def _told(metric: Metric) -> list[str]:
    each = f"all reports of one value {metric.lifetime_epsilon(1):.4g}" if metric.scheme.memoised else "each further one as much again"
    return [
        f"Protocol {metric.protocol}: reports of {metric.scheme.record} bytes about {metric.scheme.domain:,} values.",
        f"One report gives away epsilon {metric.epsilon:.4g} at most, {each}.",
    ]


def _values(found: Simulated) -> list[dict[str, Any]]:
    lows, highs = found.estimates.intervals()
    columns = found.truth.tolist(), found.estimates.counts.tolist(), lows.tolist(), highs.tolist()
    names = "truth", "estimate", "low", "high"
    return [{"value": value, **dict(zip(names, row, strict=True))} for value, row in enumerate(zip(*columns, strict=True))]


def _draw(found: Simulated) -> None:
    """The most frequent values: bars with intervals, and the truth as a diamond."""
    from rich.text import Text

    from hedgerow.demo.chapters import Bar
    from hedgerow.demo.plot import bar
    from hedgerow.demo.show import THEME

    rows = sorted(_values(found), key=lambda row: -row["truth"])[:_SHOWN]
    top = max(max(row["high"], row["truth"]) for row in rows)
    console = output()
    with console.use_theme(THEME):
        for row in rows:
            item = Bar(str(row["value"]), row["estimate"], row["low"], row["high"], row["truth"])
            line = Text(f"{row['value']:>8} {row['estimate']:>12,.0f}  ")
            console.print(line.append_text(bar(item, top, _WIDTH)), soft_wrap=True)
        console.print("├─┼─┤ estimate and 95 % interval, ◆ truth", style="faint", soft_wrap=True)


def _metric(file: Path) -> Metric:
    from hedgerow.local.spec import Metric

    try:
        return Metric.from_json(file.read_text(encoding="utf-8").strip())
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument("METRIC", "must be a metric file that can be read", str(file)) from None


def _read(file: Path) -> str:
    try:
        return file.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument("FILE", "must be a file of text that can be read", str(file)) from None


def _texts(file: Path | None) -> list[str] | None:
    return None if file is None else [line.strip() for line in _read(file).splitlines() if line.strip()]


def _codes(file: Path | None, domain: int) -> list[int]:
    """The codes, a line each. Which line is wrong is told, and never what it says."""
    text = sys.stdin.read() if file is None else _read(file)
    codes = []
    for place, line in enumerate(text.splitlines(), 1):
        word = line.strip()
        if word:
            if not (word.isascii() and word.isdecimal() and len(word) < 10 and int(word) < domain):
                raise InvalidArgument("values", f"must be codes from 0 to {domain - 1:,}, one on each line; line {place:,} is not")
            codes.append(int(word))
    if not codes:
        raise InvalidArgument("values", "must be at least one")
    return codes


def _write(file: Path, content: bytes) -> None:
    try:
        file.write_bytes(content)
    except OSError:
        raise SourceError(f"The file '{file}' cannot be written.") from None


def _name(file: Path | None) -> str | None:
    return None if file is None else str(file)


def _say(lines: list[str]) -> None:
    console = output()
    for line in lines:
        console.print(line, markup=False, soft_wrap=True)
