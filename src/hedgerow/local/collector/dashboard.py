"""The page of a collector: what is collected, how much has come in, and what it tells so far. It
runs no script and fetches nothing.

How many reports there are is always what the store has. What they tell may be older by a while: it
is computed anew only when reports have come in, and never takes more than a tenth of the time,
however often the page is asked for.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import ROUND_CEILING, Context
from html import escape
from typing import Any

from hedgerow.errors import InvalidArgument
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.collector.loss_monitor import (
    SHOWN_CAPS,
    MetricLoss,
    compute_joint_epsilon,
    compute_losses,
    finite_or_none,
)
from hedgerow.local.decode.value_estimates import ValueEstimate, detect_values
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import MEAN_PROTOCOLS, Rappor

__all__ = ["MAX_CANDIDATES", "Dashboard", "MetricRow"]

MAX_CANDIDATES = 10_000  # texts for one metric on the page
# bits of all of them in all cohorts: each takes 4 bytes, and as much again while it is decoded
_MAX_CANDIDATE_CELLS = 1 << 22
_MAX_COUNTERS = 1 << 19  # beyond, to decode takes more memory than a collector shall have
_MAX_EARLIER_EPOCHS = 4  # epochs of one metric before the present one
_IDLE_FACTOR = 9  # times as long as it took to compute, nothing is computed
_DIGITS = Context(prec=5, rounding=ROUND_CEILING)
_MAX_SHOWN_VALUES = 25  # values of one metric on the page
_REFRESH_SECONDS = 10  # seconds
_STYLE = """:root{color-scheme:light dark;--ink:#1d2b24;--soft:#5b6b62;--paper:#fbfaf6;--line:#d9d6ca;--bar:#2f6b46;--back:#eceadf;
--edge:#c8963e}@media(prefers-color-scheme:dark){:root{--ink:#e8ece6;--soft:#9fb0a5;--paper:#141a17;--line:#2f3a34;--bar:#4f9a6b;
--back:#232c27;--edge:#e3b765}}*{box-sizing:border-box}
body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:0 auto;padding:2rem 1rem 4rem;color:var(--ink);background:var(--paper)}
h1{font-size:1.6rem;margin:0 0 .3rem}h2{font-size:1.15rem;margin:2.2rem 0 .1rem}p{margin:.2rem 0 .7rem}.soft{color:var(--soft)}
.wide{overflow-x:auto}table{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums}
td,th{padding:.25rem .45rem;text-align:right;border-bottom:1px solid var(--line);white-space:nowrap}th{font-weight:600;color:var(--soft)}
td:first-child,th:first-child{text-align:left;max-width:22rem;overflow:hidden;text-overflow:ellipsis}.values td:last-child{width:45%}
.bar{position:relative;height:1rem;background:var(--back);border-radius:2px}.bar i{position:absolute;top:0;bottom:0;background:var(--bar);
border-radius:2px}.bar b{position:absolute;top:.35rem;height:.3rem;background:var(--edge)}.total td{border-top:2px solid var(--line)}"""


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric in one epoch. ``found`` is what its first ``told`` reports tell; None where
    ``why`` says why its values are not told.
    """

    metric: Metric
    reports: int
    present: bool
    decoded_reports: int
    estimates: tuple[ValueEstimate, ...] | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """For JSON; infinity is null."""
        metric = self.metric
        return {
            "id": metric.id,
            "epoch": metric.epoch,
            "hash": metric.hash.hex(),
            "protocol": metric.protocol,
            "parameters": dict(metric.parameters),
            "present": self.present,
            "reports": self.reports,
            "epsilon": metric.epsilon,
            "lifetime_epsilon": finite_or_none(metric.lifetime_epsilon(1)),
            "memoised": metric.scheme.memoised,
            "detected": (
                None
                if self.estimates is None
                else [finding.to_dict() for finding in self.estimates]
            ),
            "detected_in": self.decoded_reports,
        }


@dataclass(frozen=True, slots=True)
class _DecodedMetric:
    """What so many reports tell; not to be computed anew before ``rested``."""

    reports: int
    estimates: tuple[ValueEstimate, ...]
    next_decode: float


class Dashboard:
    """Reads the store when asked, by one thread. ``candidates``: for the ids of RAPPOR metrics, the
    texts to look for; for those of others the names of their codes, which hold in earlier epochs
    too as long as there are as many of them."""

    def __init__(
        self,
        store: CounterStore,
        calendar: EpochCalendar,
        candidates: Mapping[str, Sequence[str]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._present, self._clock = store, calendar.metrics, clock
        self._candidates = {
            id: _check_candidates(calendar, id, texts) for id, texts in (candidates or {}).items()
        }
        self._decoded: dict[bytes, _DecodedMetric] = {}

    def rows(self) -> list[MetricRow]:
        """The present metrics, then the last epochs before them."""
        return [
            self._build_row(metric)
            for metric in (*self._present, *self._list_earlier(self._store.list_metrics()))
        ]

    def losses(self) -> list[MetricLoss]:
        """What each present metric costs a client."""
        return compute_losses(self._present, self._store.list_metrics())

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        costs = {loss.metric.id: loss.to_dict() for loss in self.losses()}
        return {
            "metrics": [{**row.to_dict(), "loss": costs.get(row.metric.id)} for row in self.rows()]
        }

    def to_html(self) -> str:
        """The page."""
        parts = "".join(_render_metric(row) for row in self.rows())
        return (
            '<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh"'
            f' content="{_REFRESH_SECONDS}"><meta name="viewport"'
            f' content="width=device-width"><title>Collector</title><style>{_STYLE}</style></head><body><h1>What'
            ' clients report</h1><p class="soft">Every client randomises its answer before it is'
            " sent. Only sums are kept here: no reports, addresses or"
            f" times.</p>{_render_losses(self.losses())}{parts}</body></html>"
        )

    def _list_earlier(self, counted: list[Metric]) -> list[Metric]:
        seen: Counter[str] = Counter()
        shown = []
        for metric in sorted(counted, key=lambda metric: (-metric.epoch, metric.id, metric.hash)):
            if metric not in self._present and seen[metric.id] < _MAX_EARLIER_EPOCHS:
                seen[metric.id] += 1
                shown.append(metric)
        self._decoded = {
            hash: told
            for hash, told in self._decoded.items()
            if hash in {metric.hash for metric in (*self._present, *shown)}
        }
        return shown

    def _build_row(self, metric: Metric) -> MetricRow:
        reports, present, names = (
            self._store.count_reports(metric),
            metric in self._present,
            self._find_names(metric),
        )
        why = _explain_missing(metric, names)
        if why:
            return MetricRow(metric, reports, present, 0, None, why)
        kept = self._decoded.get(metric.hash)
        if kept is None or (kept.reports != reports and self._clock() >= kept.next_decode):
            kept = self._decoded[metric.hash] = self._decode_metric(metric, names)
        return MetricRow(metric, reports, present, kept.reports, kept.estimates)

    def _find_names(self, metric: Metric) -> Sequence[str] | None:
        """Candidates or names that fit: an earlier epoch may have had other rules under the same
        id.
        """
        names, scheme = self._candidates.get(metric.id, ()), metric.scheme
        if not any(
            other.id == metric.id and isinstance(other.scheme, Rappor) == isinstance(scheme, Rappor)
            for other in self._present
        ):
            return None
        fit = (
            len(names) * scheme.m * scheme.h <= _MAX_CANDIDATE_CELLS
            if isinstance(scheme, Rappor)
            else len(names) == scheme.domain
        )
        return names if names and fit else None

    def _decode_metric(self, metric: Metric, names: Sequence[str] | None) -> _DecodedMetric:
        start, counters = self._clock(), self._store.read_counters(metric)
        found = tuple(detect_values(metric, counters, names=names))
        end = self._clock()
        return _DecodedMetric(int(counters[-1]), found, end + _IDLE_FACTOR * (end - start))


def _check_candidates(calendar: EpochCalendar, id: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Candidates that can be looked for, or a name for each code."""
    scheme = next((metric.scheme for metric in calendar.metrics if metric.id == id), None)
    if scheme is None or isinstance(scheme, MEAN_PROTOCOLS):
        raise InvalidArgument(
            "candidates", "must be for a metric that is collected here, and counts values", id
        )
    different = tuple(dict.fromkeys(texts))
    if not isinstance(scheme, Rappor):
        if len(different) != scheme.domain or len(texts) != scheme.domain:
            raise InvalidArgument(
                "candidates",
                f"of '{id}' must be a different name for each of its {scheme.domain:,} codes",
                len(texts),
            )
        return different
    most = min(MAX_CANDIDATES, _MAX_CANDIDATE_CELLS // (scheme.m * scheme.h))
    if not 0 < len(different) <= most:
        raise InvalidArgument(
            "candidates",
            f"for the page must be 1 to {most:,} texts in so many cohorts; hedgerow local decode"
            " takes more",
            len(different),
        )
    return different


def _explain_missing(metric: Metric, names: Sequence[str] | None) -> str:
    if isinstance(metric.scheme, Rappor) and names is None:
        return (
            "Its values are told with a list of candidates: collect with --candidates, or hedgerow"
            " local decode."
        )
    if metric.scheme.counter_count > _MAX_COUNTERS:
        return "It has too many values for this page: hedgerow local decode tells them."
    return ""


def _render_metric(row: MetricRow) -> str:
    metric = row.metric
    domain = "any text" if metric.protocol == Rappor.name else f"{metric.scheme.domain:,} values"
    closed = "" if row.present else ", an earlier epoch"
    return (
        f"<section><h2>{escape(metric.id)}, epoch {metric.epoch}{closed}</h2>"
        f'<p class="soft">{row.reports:,} report{"" if row.reports == 1 else "s"} ·'
        f" {escape(metric.protocol)} · {domain} · "
        "one report costs its client epsilon"
        f" {_format_epsilon(metric.epsilon)}</p>{_render_values(row)}</section>"
    )


def _render_values(row: MetricRow) -> str:
    if row.estimates is None:
        return f"<p>{row.reason}</p>"
    late = (
        ""
        if row.decoded_reports == row.reports
        else f" From the first {row.decoded_reports:,} reports."
    )
    if not row.estimates:
        return f"<p>No value stands out from the noise yet.{late}</p>"
    top = max(1.0, *(finding.high for finding in row.estimates[:_MAX_SHOWN_VALUES]))
    more = (
        f"<p>{len(row.estimates) - _MAX_SHOWN_VALUES:,} more were detected; see /v1/metrics.</p>"
        if len(row.estimates) > _MAX_SHOWN_VALUES
        else ""
    )
    lines = "".join(_render_value(finding, top) for finding in row.estimates[:_MAX_SHOWN_VALUES])
    counted = row.estimates[0].p_value is not None
    head = (
        f"<tr><th>value</th><th>{'clients, about' if counted else 'about'}</th><th>95 %"
        " interval</th><th></th></tr>"
    )
    told = (
        "Detected, with false discoveries held at 5 %."
        if counted
        else "From 0 at the first grid point to 1 at the last."
    )
    return (
        f'<p>{told}{late}</p><div class="wide"><table'
        f' class="values">{head}{lines}</table></div>{more}'
    )


def _render_value(finding: ValueEstimate, top: float) -> str:
    form = ",.0f" if finding.p_value is not None else ".4f"
    full, start, end = (
        100 * min(max(number / top, 0.0), 1.0)
        for number in (finding.estimate, finding.low, finding.high)
    )
    bar = (
        f'<i style="left:0;width:{full:.1f}%"></i><b'
        f' style="left:{start:.1f}%;width:{end - start:.1f}%"></b>'
    )
    return (
        f"<tr><td>{escape(str(finding.value))}</td><td>{finding.estimate:{form}}</td>"
        f"<td>{finding.low:{form}} to {finding.high:{form}}</td><td><div"
        f' class="bar">{bar}</div></td></tr>'
    )


def _render_losses(held: list[MetricLoss]) -> str:
    """A line for each metric and, where there are several, one for all: what a client gives away
    by its cap, and has so far.
    """
    caps = "".join(f"<th>cap {cap}</th>" for cap in SHOWN_CAPS)
    head = f"<tr><th>metric</th><th>one report</th>{caps}<th>epochs</th><th>so far</th></tr>"
    lines = "".join(_render_loss(loss) for loss in held)
    if len(held) > 1:
        whole = [loss.metric for loss in held]
        sums = "".join(
            f"<td>{_format_epsilon(compute_joint_epsilon(whole, cap))}</td>" for cap in SHOWN_CAPS
        )
        so_far = _format_epsilon(sum(loss.paid_epsilon for loss in held))
        lines += (
            f'<tr class="total"><td>all together</td><td></td>{sums}<td></td><td>{so_far}</td></tr>'
        )
    return (
        '<section><h2>What a client gives away at most</h2><p class="soft">Epsilon over a'
        " client's lifetime, by the cap that it keeps for itself: so many different values where"
        " answers are remembered, so many reports where they are not. Past its cap a client"
        " refuses. <em>So far</em> is for one that answered once in every epoch that was counted,"
        " always with the same value.</p><div"
        f' class="wide"><table>{head}{lines}</table></div></section>'
    )


def _render_loss(loss: MetricLoss) -> str:
    metric = loss.metric
    caps = "".join(
        f"<td>{_format_epsilon(metric.lifetime_epsilon(cap))}</td>" for cap in SHOWN_CAPS
    )
    kind = "value" if metric.scheme.memoised else "report"
    rules = f", {loss.parameter_sets} rules" if loss.parameter_sets > 1 else ""
    return (
        f'<tr><td>{escape(metric.id)} <span class="soft">per'
        f" {kind}</span></td><td>{_format_epsilon(metric.epsilon)}</td>{caps}"
        f"<td>{loss.epoch_count:,}{rules}</td><td>{_format_epsilon(loss.paid_epsilon)}</td></tr>"
    )


def _format_epsilon(number: float) -> str:
    """Five digits, rounded up: less is never said than is given away."""
    return (
        "unbounded"
        if finite_or_none(number) is None
        else f"{_DIGITS.create_decimal_from_float(number).normalize():f}"
    )
