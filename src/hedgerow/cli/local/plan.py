"""Plans for a metric: the choice of protocol, its privacy loss, and the clients it needs."""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from math import sqrt
from pathlib import Path
from typing import Any

from hedgerow.charts.number_text import format_rounded_up
from hedgerow.cli.local.files import read_metric
from hedgerow.cli.options import parse_number
from hedgerow.cli.terminal import format_count
from hedgerow.errors import InvalidArgument
from hedgerow.local.accounting import SHUFFLING_CONDITIONS, compute_shuffled_epsilon
from hedgerow.local.fixed_point import check_integer
from hedgerow.local.metric import Metric
from hedgerow.local.planning.planner import (
    choose_mean_protocol,
    choose_protocol,
    clients_needed,
    detectable_frequency,
)
from hedgerow.local.protocols import LocalProtocol

__all__ = [
    "choose_metric",
    "compute_reach",
    "compute_shuffled_loss",
    "describe_metric",
    "format_epsilon_up",
    "format_metric",
    "format_reach",
]

_CLIENT_COUNTS = (10_000, 100_000, 1_000_000, 10_000_000)
_MEAN_PROTOCOLS = ("duchi", "piecewise", "hybrid")


def choose_metric(metric: Path | None, **wishes: Any) -> tuple[Metric, str]:
    """Return the metric for the given options, and the reason for its protocol.

    With a metric file it is the one of the file, in the given epoch, without a reason.
    """
    given = {
        f"--{name.replace('_', '-')}": wish
        for name, wish in wishes.items()
        if wish is not None and wish is not False
    }
    if metric is not None:
        if set(given) - {"--epoch"}:
            raise InvalidArgument(
                "--metric", "sets everything but --epoch; leave out the rest", ", ".join(given)
            )
        stored = read_metric(metric)
        return replace(stored, epoch=given.get("--epoch", stored.epoch)), ""
    if not {"--domain", "--epsilon"} <= set(given):
        raise InvalidArgument(
            "The metric",
            "must be set by --domain and --epsilon together, or by --metric alone",
            ", ".join(given) or "neither",
        )
    domain, epsilon = given["--domain"], parse_number(given["--epsilon"], "epsilon") or Decimal(0)
    if "--mean" in given:
        if extra := set(given) & {"--repeats", "--lifetime", "--report-bytes"}:
            raise InvalidArgument(
                "--mean",
                "takes one report of 1 to 4 bytes from each client, so that these options do not"
                " apply: leave them out",
                ", ".join(sorted(extra)),
            )
        choice = choose_mean_protocol(domain=domain, epsilon=epsilon)
    else:
        choice = choose_protocol(
            domain=domain,
            epsilon=epsilon,
            report_bytes=given.get("--report-bytes"),
            repeats="--repeats" in given,
            lifetime=parse_number(given.get("--lifetime"), "lifetime"),
        )
    chosen = Metric.of(given.get("--name", "metric"), choice.scheme, given.get("--epoch", 0))
    return chosen, choice.reason


def compute_reach(metric: Metric, share: Decimal | None, clients: int | None) -> dict[str, Any]:
    """Compute the clients needed to detect a share, and the share or error that clients reach."""
    scheme, default = metric.scheme, _CLIENT_COUNTS if share is None else ()
    sizes = default if clients is None else (clients,)
    if metric.protocol in _MEAN_PROTOCOLS:
        if share is not None:
            raise InvalidArgument(
                "frequency",
                "is for counted values, and a mean has none: use --clients to see its error",
                float(share),
            )
        errors = [{"clients": size, "error": _compute_mean_error(scheme, size)} for size in sizes]
        return {"needed": None, "detectable": [], "mean_error": errors}
    needed = None
    if share is not None:
        needed = {"frequency": float(share), "clients": clients_needed(scheme, share)}
    shares = []
    for size in sizes:
        visible = detectable_frequency(scheme, size)
        shares.append({"clients": size, "frequency": visible if visible <= 1 else None})
    return {"needed": needed, "detectable": shares, "mean_error": []}


def _compute_mean_error(scheme: LocalProtocol, clients: int) -> float:
    """Return the worst standard error of a mean, on a scale from 0 to 1."""
    n = check_integer(clients, "clients", 1, 1 << 62)
    return sqrt(max(scheme.variance(x, n) for x in (0.0, 0.25, 0.5, 0.75, 1.0))) / n


def compute_shuffled_loss(metric: Metric, reach: dict[str, Any], delta: Decimal) -> dict[str, Any]:
    """Compute the loss of one batch of shuffled reports, for each number of clients in
    ``reach``.

    Reports carry a cohort number, so they hide only among those of the same cohort.
    """
    needed = [reach["needed"]] if reach["needed"] else []
    cohorts = int(getattr(metric.scheme, "m", 1))
    batches = []
    for row in (*needed, *reach["detectable"], *reach["mean_error"]):
        alike = max(1, row["clients"] // cohorts)
        epsilon = compute_shuffled_epsilon(metric.scheme, alike, delta)
        batches.append({"clients": row["clients"], "alike": alike, "epsilon": epsilon})
    return {"delta": float(delta), "batches": batches, "conditions": list(SHUFFLING_CONDITIONS)}


def format_reach(metric: Metric, reach: dict[str, Any]) -> list[str]:
    """Format the result of ``compute_reach`` as lines of text."""
    lines = []
    if reach["needed"]:
        share, size = 100 * reach["needed"]["frequency"], reach["needed"]["clients"]
        lines.append(
            f"A value that {share:.4g} % of clients hold is detected, nine times in ten, among"
            f" {size:,} clients."
        )
    for row in reach["detectable"]:
        share, size = row["frequency"], row["clients"]
        values = (
            "no value yet"
            if share is None
            else f"values that {100 * share:.3g} % of them hold ({size * share:,.0f} clients)"
        )
        lines.append(f"{size:,} clients show {values}.")
    lines += [
        f"{row['clients']:,} clients show the mean with a standard error of {row['error']:.3g} of"
        " its range."
        for row in reach["mean_error"]
    ]
    if metric.protocol == "rappor":
        lines.append(
            f"This is for a value that must stand out among {metric.scheme.domain:,} candidates;"
            " among fewer it takes less."
        )
    return lines + (_format_shuffled(metric, reach["shuffled"]) if reach["shuffled"] else [])


def _format_shuffled(metric: Metric, shuffled: dict[str, Any]) -> list[str]:
    lines = []
    for row in shuffled["batches"]:
        within = "" if row["alike"] == row["clients"] else f", {row['alike']:,} in each cohort,"
        price = f"epsilon {format_epsilon_up(row['epsilon'])} at delta {shuffled['delta']:g}"
        lines.append(f"Shuffled among {row['clients']:,} clients{within} a report costs {price}.")
    return [
        *lines,
        "This holds if",
        *(f"- {condition};" for condition in shuffled["conditions"]),
        f"otherwise it is {format_epsilon_up(metric.epsilon)}, as above.",
    ]


def describe_metric(metric: Metric) -> dict[str, Any]:
    """Return the parameters and the privacy loss of a metric for JSON."""
    scheme, lifetime = metric.scheme, metric.lifetime_epsilon(1)
    return {
        "metric": {"id": metric.id, "epoch": metric.epoch, "hash": metric.hash.hex()},
        "protocol": metric.protocol,
        "parameters": dict(metric.parameters),
        "domain": scheme.domain,
        "report_bytes": scheme.record_size,
        "epsilon": metric.epsilon,
        "lifetime_epsilon": lifetime if lifetime < float("inf") else None,
        "memoised": scheme.memoised,
    }


def format_metric(metric: Metric) -> list[str]:
    """Format the parameters and the privacy loss of a metric as lines of text."""
    subject = "texts" if metric.protocol == "rappor" else f"{metric.scheme.domain:,} values"
    lifetime, size = metric.lifetime_epsilon(1), format_count(metric.scheme.record_size, "byte")
    total = format_epsilon_up(lifetime) if lifetime < float("inf") else "without bound"
    further = (
        f"all reports of one value {total}"
        if metric.scheme.memoised
        else "each further one as much again"
    )
    return [
        f"Protocol {metric.protocol}: reports of {size} about {subject}.",
        f"One report costs at most epsilon {format_epsilon_up(metric.epsilon)}, {further}.",
    ]


def format_epsilon_up(epsilon: float) -> str:
    """Return four digits of an epsilon, rounded up so that it never understates the loss."""
    return format_rounded_up(epsilon, 4)
