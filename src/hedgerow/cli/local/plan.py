"""What ``hedgerow local plan`` and its neighbours say about a metric: what reports give away,
and how many clients show what.
"""

from __future__ import annotations

from dataclasses import replace
from decimal import Decimal
from math import sqrt
from pathlib import Path
from typing import TYPE_CHECKING, Any

from hedgerow.cli.local.files import read_metric
from hedgerow.cli.terminal import parse_number
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.formatting import format_rounded_up

if TYPE_CHECKING:
    from hedgerow.local.metric import Metric
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
    """The metric that is wished for, and why its protocol; or the one of a file, for which no
    reason is known, in the epoch wished for.
    """
    from hedgerow.local.metric import Metric
    from hedgerow.local.planning.planner import choose_mean_protocol, choose_protocol

    given = {
        f"--{name.replace('_', '-')}": wish
        for name, wish in wishes.items()
        if wish is not None and wish is not False
    }
    if metric is not None:
        if set(given) - {"--epoch"}:
            raise InvalidArgument(
                "--metric", "says everything but --epoch; leave out the rest", ", ".join(given)
            )
        kept = read_metric(metric)
        return replace(kept, epoch=given.get("--epoch", kept.epoch)), ""
    if not {"--domain", "--epsilon"} <= set(given):
        raise InvalidArgument(
            "This",
            "takes --domain and --epsilon together, or --metric alone",
            ", ".join(given) or "neither",
        )
    domain, epsilon = given["--domain"], parse_number(given["--epsilon"], "epsilon") or Decimal(0)
    if "--mean" in given:
        if more := set(given) & {"--repeats", "--lifetime", "--report-bytes"}:
            raise InvalidArgument(
                "--mean", "reports once, in 1 to 4 bytes; leave out", ", ".join(sorted(more))
            )
        choice = choose_mean_protocol(domain=domain, epsilon=epsilon)
    else:
        lifetime, size = (
            parse_number(given.get("--lifetime"), "lifetime"),
            given.get("--report-bytes"),
        )
        choice = choose_protocol(
            domain=domain,
            epsilon=epsilon,
            report_bytes=size,
            repeats="--repeats" in given,
            lifetime=lifetime,
        )
    return (
        Metric.of(given.get("--name", "metric"), choice.scheme, given.get("--epoch", 0)),
        choice.reason,
    )


def compute_reach(metric: Metric, share: Decimal | None, clients: int | None) -> dict[str, Any]:
    """How many clients show a share, and which share, or how exact a mean, so many clients show."""
    from hedgerow.local.planning.planner import clients_needed, detectable_frequency

    scheme, crowds = (
        metric.scheme,
        [clients] if clients is not None else list(_CLIENT_COUNTS) if share is None else [],
    )
    if metric.protocol in _MEAN_PROTOCOLS:
        if share is not None:
            raise InvalidArgument(
                "frequency", "is for values that are counted; a mean has an error", float(share)
            )
        errors = [
            {"clients": crowd, "error": _compute_mean_error(scheme, crowd)} for crowd in crowds
        ]
        return {"needed": None, "detectable": [], "mean_error": errors}
    needed = (
        None
        if share is None
        else {"frequency": float(share), "clients": clients_needed(scheme, share)}
    )
    found = [(crowd, detectable_frequency(scheme, crowd)) for crowd in crowds]
    shares = [{"clients": crowd, "frequency": seen if seen <= 1 else None} for crowd, seen in found]
    return {"needed": needed, "detectable": shares, "mean_error": []}


def _compute_mean_error(scheme: LocalProtocol, clients: int) -> float:
    """The standard error of a mean at worst, on the scale from 0 to 1."""
    from hedgerow.local.fixed_point import check_integer

    n = check_integer(clients, "clients", 1, 1 << 62)
    return sqrt(max(scheme.variance(x, n) for x in (0.0, 0.25, 0.5, 0.75, 1.0))) / n


def compute_shuffled_loss(metric: Metric, told: dict[str, Any], delta: Decimal) -> dict[str, Any]:
    """What one batch of shuffled reports gives away, for each crowd that was spoken of. A cohort
    number splits a crowd.
    """
    from hedgerow.local.accounting import SHUFFLING_CONDITIONS, compute_shuffled_epsilon

    crowds = [
        row["clients"]
        for row in (
            *([told["needed"]] if told["needed"] else []),
            *told["detectable"],
            *told["mean_error"],
        )
    ]
    parts = int(getattr(metric.scheme, "m", 1))
    batches = [
        {
            "clients": crowd,
            "alike": max(1, crowd // parts),
            "epsilon": compute_shuffled_epsilon(metric.scheme, max(1, crowd // parts), delta),
        }
        for crowd in crowds
    ]
    return {"delta": float(delta), "batches": batches, "conditions": list(SHUFFLING_CONDITIONS)}


def format_reach(metric: Metric, told: dict[str, Any]) -> list[str]:
    """The same for people."""
    lines = []
    if told["needed"]:
        share, crowd = 100 * told["needed"]["frequency"], told["needed"]["clients"]
        lines.append(
            f"A value that {share:.4g} % of clients hold is seen, nine times in ten, among"
            f" {crowd:,} clients."
        )
    for row in told["detectable"]:
        seen, crowd = row["frequency"], row["clients"]
        what = (
            "nothing yet"
            if seen is None
            else f"values that {100 * seen:.3g} % of them hold ({crowd * seen:,.0f} clients)"
        )
        lines.append(f"{crowd:,} clients show {what}.")
    lines += [
        f"{row['clients']:,} clients show the mean with a standard error of {row['error']:.3g} of"
        " its range."
        for row in told["mean_error"]
    ]
    if metric.protocol == "rappor":
        lines.append(
            f"A value is seen here when it stands out among {metric.scheme.domain:,} candidates;"
            " among fewer it takes less."
        )
    return lines + (_format_shuffled(metric, told["shuffled"]) if told["shuffled"] else [])


def _format_shuffled(metric: Metric, told: dict[str, Any]) -> list[str]:
    lines = []
    for row in told["batches"]:
        within = "" if row["alike"] == row["clients"] else f", {row['alike']:,} in each cohort,"
        price = f"epsilon {format_epsilon_up(row['epsilon'])} at delta {told['delta']:g}"
        lines.append(
            f"Shuffled among {row['clients']:,} clients{within} a report gives away {price}."
        )
    return [
        *lines,
        "That holds if",
        *(f"- {condition};" for condition in told["conditions"]),
        f"else it is {format_epsilon_up(metric.epsilon)}, as above.",
    ]


def describe_metric(metric: Metric) -> dict[str, Any]:
    """What a metric is and gives away, for programs."""
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
    """The same for people."""
    about = "texts" if metric.protocol == "rappor" else f"{metric.scheme.domain:,} values"
    lifetime, size = metric.lifetime_epsilon(1), metric.scheme.record_size
    for_life = format_epsilon_up(lifetime) if lifetime < float("inf") else "without bound"
    each = (
        f"all reports of one value {for_life}"
        if metric.scheme.memoised
        else "each further one as much again"
    )
    return [
        (
            f"Protocol {metric.protocol}: reports of {size} byte{'' if size == 1 else 's'} about"
            f" {about}."
        ),
        f"One report gives away epsilon {format_epsilon_up(metric.epsilon)} at most, {each}.",
    ]


def format_epsilon_up(epsilon: float) -> str:
    """Format epsilon with four digits, rounded up so that the loss is never understated."""
    return format_rounded_up(epsilon, 4)
