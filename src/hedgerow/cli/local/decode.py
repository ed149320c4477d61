"""The command ``hedgerow local decode``: estimates from collected reports."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path
from typing import Annotated, Any

import numpy as np
import typer

from hedgerow.cli.local.files import (
    MAX_DRAWN,
    PictureOption,
    draw_findings,
    read_metric,
    read_names,
    refuse_repeated_files,
)
from hedgerow.cli.local.plan import describe_metric
from hedgerow.cli.options import DebugOption, JsonOption, parse_number
from hedgerow.cli.terminal import format_count, print_json, print_lines, show_progress
from hedgerow.errors import InvalidArgument
from hedgerow.local.collector.count_files import count_files
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.decode.rappor.google_files import decode_files
from hedgerow.local.decode.value_estimates import ValueEstimate, detect_values
from hedgerow.local.metric import Metric

__all__ = ["decode_reports"]
StoreOption = Annotated[
    Path | None, typer.Option(metavar="FILE", help="A collector's file; needs --metric.")
]
ReportsOption = Annotated[
    list[Path] | None,
    typer.Option(
        metavar="FILE",
        help="A file of reports instead, a batch or a table; needs --metric. May be repeated.",
    ),
]
NamesOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE",
        help="A file with one text per line: the names of codes 0, 1, …; for RAPPOR the"
        " candidates, with --counts instead of --map.",
    ),
]
CountsOption = Annotated[
    Path | None,
    typer.Option(
        metavar="FILE", help="counts.csv of google/rappor; needs --params, and --map or --names."
    ),
]
MapOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="map.csv of google/rappor: candidates and their bits."),
]
ParamsOption = Annotated[
    Path | None,
    typer.Option(metavar="FILE", help="params.csv of google/rappor: k, h, m, p, q, f."),
]
HashingOption = Annotated[
    str,
    typer.Option(
        metavar="CLIENT",
        help="The clients of google/rappor whose hashes --names gets: cpp, python or java.",
    ),
]
ControlOption = Annotated[
    str,
    typer.Option(
        metavar="RATE",
        help="fdr limits the share of false detections; fwer the chance of even one.",
    ),
]
LevelOption = Annotated[str, typer.Option(metavar="P", help="The limit on that share or chance.")]

_NORMAL_QUANTILE = 1.959964  # standard errors on each side of a 95 % interval


@dataclass(frozen=True, slots=True)
class _Detection:
    """Detected values, with the facts about their metric if there is one."""

    facts: dict[str, Any]
    values: list[ValueEstimate]


def decode_reports(
    store: StoreOption = None,
    reports: ReportsOption = None,
    metric: Annotated[Path | None, typer.Option(metavar="FILE", help="The metric file.")] = None,
    names: NamesOption = None,
    counts: CountsOption = None,
    map: MapOption = None,
    params: ParamsOption = None,
    hashing: HashingOption = "cpp",
    control: ControlOption = "fdr",
    level: LevelOption = "0.05",
    picture: PictureOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Estimate which values clients hold, from their reports.

    Takes --store and --metric, or --reports and --metric, or --counts, --params and either --map
    or --names.
    """
    names_given = ("store", "reports", "metric", "counts", "map", "params")
    values_given = (store, reports, metric, counts, map, params)
    given = {name for name, value in zip(names_given, values_given, strict=True) if value}
    limit = parse_number(level, "level") or Decimal(0)
    with show_progress("decoding", quiet=as_json) as progress:
        if counts and params and given | {"map"} == {"counts", "map", "params"} and (map or names):
            candidates = read_names(names) or ()
            found = decode_files(
                counts, map, params, control, limit, names=candidates, hashing=hashing
            )
            detection = _Detection({}, _to_estimates(found))
        elif metric and given in ({"store", "metric"}, {"reports", "metric"}):
            options = {"names": read_names(names), "control": control, "level": limit}
            detection = _decode_metric(read_metric(metric), store, reports or [], options, progress)
        else:
            raise InvalidArgument(
                "decode",
                "takes --store and --metric, --reports and --metric, or --counts, --params and"
                " either --map or --names",
                sorted(given),
            )
    if picture is not None and detection.values:
        drawn = detection.values[:MAX_DRAWN]
        draw_findings(picture, drawn, f"The {len(drawn)} most frequent values detected", None)
    if as_json:
        detected = [value.to_dict() for value in detection.values]
        outcome = {"control": control, "level": float(limit), "detected": detected}
        print_json({**detection.facts, **outcome})
        return 0
    print_lines(_format_detection(detection, control, level))
    return 0


def _to_estimates(found: list[dict[str, Any]]) -> list[ValueEstimate]:
    estimates = []
    for row in found:
        radius = _NORMAL_QUANTILE * row["stderr"]
        low, high = row["estimate"] - radius, row["estimate"] + radius
        estimates.append(
            ValueEstimate(row["value"], row["estimate"], row["stderr"], low, high, row["p_value"])
        )
    return estimates


def _decode_metric(
    metric: Metric,
    store: Path | None,
    reports: list[Path],
    options: dict[str, Any],
    progress: Callable[[int, int], None] | None,
) -> _Detection:
    stored: list[str] = []
    if metric.protocol == "rappor" and options["names"] is None:
        raise InvalidArgument(
            "names",
            "must be given for RAPPOR: a file with one candidate per line. Reports can confirm"
            " texts, not list them",
        )
    if store is not None:
        with CounterStore(store, create=False) as opened:
            counters = opened.read_counters(metric)
            stored = [f"{other.id} (epoch {other.epoch})" for other in opened.list_metrics()]
    else:
        refuse_repeated_files(reports)
        counters = np.zeros(metric.scheme.counter_count, np.int64)
        for place, file in enumerate(reports, 1):
            counters += count_files(metric, [file])
            if progress is not None:
                progress(place, len(reports) + 1)
    facts = {**describe_metric(metric), "reports": int(counters[-1]), "in_store": stored}
    return _Detection(facts, detect_values(metric, counters, **options))


def _format_detection(found: _Detection, control: str, level: str) -> list[str]:
    facts, values = found.facts, found.values
    if facts and not facts["reports"]:
        stored = f" The store has {', '.join(facts['in_store'])}." if facts["in_store"] else ""
        name, epoch = facts["metric"]["id"], facts["metric"]["epoch"]
        return [f"No reports of '{name}' in epoch {epoch} have been counted yet.{stored}"]
    among = f" in {format_count(facts['reports'], 'report')}" if facts else ""
    if values and values[0].p_value is None:
        mean, radius = values[0].estimate, _NORMAL_QUANTILE * values[0].stderr
        steps = facts["domain"] - 1
        code = f"as a code from 0 to {steps:,} it is {mean * steps:,.4g} ± {radius * steps:,.2g}"
        return [
            f"mean: {mean:.4f} ± {radius:.4f} on a scale from 0 to 1; {code}.",
            f"± is the 95 % interval{among}.",
        ]
    lines = [
        f"{value.value}: {value.estimate:,.0f} ± {_NORMAL_QUANTILE * value.stderr:,.0f}"
        for value in values
    ]
    rate = "false detections are" if control == "fdr" else "the chance of even one false one is"
    return [
        *lines,
        f"{format_count(len(values), 'value')} detected{among}; {rate} limited to {level}. ± is the"
        " 95 % interval.",
    ]
