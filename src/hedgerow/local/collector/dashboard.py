"""The collector's page: the metrics, their numbers of reports, and the values decoded so far.

The numbers of reports are always those of the store. Decoded values may be a little older: they are
computed again only after new reports, and decoding takes at most a tenth of the time, however often
the page is requested.
"""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from hedgerow.charts.html_page import Figure, PageSection, render_page
from hedgerow.charts.number_text import count_items, format_rounded_up
from hedgerow.charts.plots import Bar, draw_bar_chart
from hedgerow.charts.svg import format_number
from hedgerow.errors import InvalidArgument
from hedgerow.local.accounting import (
    SHOWN_CAPS,
    MetricLoss,
    compute_joint_epsilon,
    compute_losses,
    finite_or_none,
)
from hedgerow.local.collector.counter_store import CounterStore
from hedgerow.local.collector.epochs import EpochCalendar
from hedgerow.local.decode.value_estimates import ValueEstimate, detect_values
from hedgerow.local.metric import Metric
from hedgerow.local.protocols import MEAN_PROTOCOLS, Rappor

__all__ = ["MAX_CANDIDATES", "Dashboard", "MetricRow"]

MAX_CANDIDATES = 10_000  # texts for one metric
# bits of all candidates in all cohorts: each takes 4 bytes, and as much again while decoding
_MAX_CANDIDATE_CELLS = 1 << 22
_MAX_COUNTERS = 1 << 19  # decoding more takes more memory than a collector should use
_MAX_EARLIER_EPOCHS = 4  # of one metric
_IDLE_FACTOR = 9  # idle time after decoding, in multiples of the time it took
_MAX_SHOWN_VALUES = 25  # of one metric
_REFRESH_SECONDS = 10


@dataclass(frozen=True, slots=True)
class MetricRow:
    """One metric in one epoch. ``estimates`` come from the first ``decoded_reports`` reports; they
    are None if the values are not decoded here, and ``reason`` says why.
    """

    metric: Metric
    reports: int
    present: bool
    decoded_reports: int
    estimates: tuple[ValueEstimate, ...] | None
    reason: str = ""

    def to_dict(self) -> dict[str, Any]:
        """Return the row for JSON; infinity is null."""
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
    """The estimates from the first ``reports`` reports, kept until ``next_decode`` at least."""

    reports: int
    estimates: tuple[ValueEstimate, ...]
    next_decode: float


class Dashboard:
    """The page of one collector; reads the store on every request, from one thread.

    ``candidates`` maps the id of a RAPPOR metric to the texts to look for, and the id of any other
    metric to the names of its codes. The names also apply to earlier epochs with as many codes.
    """

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
        """Return the present metrics, then the last epochs before them."""
        return [
            self._build_row(metric)
            for metric in (*self._present, *self._list_earlier(self._store.list_metrics()))
        ]

    def losses(self) -> list[MetricLoss]:
        """Return the loss of a client in each present metric."""
        return compute_losses(self._present, self._store.list_metrics())

    def to_dict(self) -> dict[str, Any]:
        """Return all rows and losses for JSON."""
        costs = {loss.metric.id: loss.to_dict() for loss in self.losses()}
        return {
            "metrics": [{**row.to_dict(), "loss": costs.get(row.metric.id)} for row in self.rows()]
        }

    def to_html(self) -> str:
        return render_page(
            "What clients report",
            "Every client randomises its answer before it is sent. Only sums are stored here: no"
            " reports, addresses or times.",
            (),
            [_build_loss_section(self.losses()), *map(_build_metric_section, self.rows())],
            refresh_seconds=_REFRESH_SECONDS,
        )

    def _list_earlier(self, counted: list[Metric]) -> list[Metric]:
        seen: Counter[str] = Counter()
        shown = []
        for metric in sorted(counted, key=lambda metric: (-metric.epoch, metric.id, metric.hash)):
            if metric not in self._present and seen[metric.id] < _MAX_EARLIER_EPOCHS:
                seen[metric.id] += 1
                shown.append(metric)
        self._decoded = {
            hash: decoded
            for hash, decoded in self._decoded.items()
            if hash in {metric.hash for metric in (*self._present, *shown)}
        }
        return shown

    def _build_row(self, metric: Metric) -> MetricRow:
        reports, present = self._store.count_reports(metric), metric in self._present
        names = self._find_names(metric)
        reason = _explain_missing(metric, names)
        if reason:
            return MetricRow(metric, reports, present, 0, None, reason)
        kept = self._decoded.get(metric.hash)
        if kept is None or (kept.reports != reports and self._clock() >= kept.next_decode):
            kept = self._decoded[metric.hash] = self._decode_metric(metric, names)
        return MetricRow(metric, reports, present, kept.reports, kept.estimates)

    def _find_names(self, metric: Metric) -> Sequence[str] | None:
        """Return the candidates or names if they fit the metric: an earlier epoch may have had
        other parameters under the same id.
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
        estimates = tuple(detect_values(metric, counters, names=names))
        end = self._clock()
        return _DecodedMetric(int(counters[-1]), estimates, end + _IDLE_FACTOR * (end - start))


def _check_candidates(calendar: EpochCalendar, id: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Return the candidates without repetitions, or refuse a list that does not fit its metric."""
    scheme = next((metric.scheme for metric in calendar.metrics if metric.id == id), None)
    if scheme is None or isinstance(scheme, MEAN_PROTOCOLS):
        raise InvalidArgument(
            "candidates", "must belong to a metric of this collector that counts values", id
        )
    different = tuple(dict.fromkeys(texts))
    if not isinstance(scheme, Rappor):
        if len(different) != scheme.domain or len(texts) != scheme.domain:
            raise InvalidArgument(
                "candidates",
                f"of '{id}' must have one distinct name for each of its {scheme.domain:,} codes",
                len(texts),
            )
        return different
    limit = min(MAX_CANDIDATES, _MAX_CANDIDATE_CELLS // (scheme.m * scheme.h))
    if not 0 < len(different) <= limit:
        raise InvalidArgument(
            "candidates",
            f"of '{id}' must be 1 to {limit:,} texts with {scheme.m:,} cohorts; hedgerow local"
            " decode takes more",
            len(different),
        )
    return different


def _explain_missing(metric: Metric, names: Sequence[str] | None) -> str:
    if isinstance(metric.scheme, Rappor) and names is None:
        return (
            "Decoding needs a list of candidates. Pass --candidates to hedgerow local collect, or"
            " use hedgerow local decode."
        )
    if metric.scheme.counter_count > _MAX_COUNTERS:
        return "This metric has too many values for the page. Use hedgerow local decode."
    return ""


def _build_metric_section(row: MetricRow) -> PageSection:
    metric = row.metric
    domain = "any text" if metric.protocol == Rappor.name else f"{metric.scheme.domain:,} values"
    closed = "" if row.present else ", an earlier epoch"
    summary = (
        f"{count_items(row.reports, 'report')} · {metric.protocol} · {domain} · one report costs"
        f" its client epsilon {_format_epsilon(metric.epsilon)}"
    )
    text, figures = _describe_values(row)
    heading = f"{metric.id}, epoch {metric.epoch}{closed}"
    return PageSection(heading, (summary, text), figures=figures)


def _describe_values(row: MetricRow) -> tuple[str, tuple[Figure, ...]]:
    if row.estimates is None:
        return row.reason, ()
    late = (
        ""
        if row.decoded_reports == row.reports
        else f" From the first {row.decoded_reports:,} reports."
    )
    if not row.estimates:
        return f"No value stands out from the noise yet.{late}", ()
    shown = row.estimates[:_MAX_SHOWN_VALUES]
    more = len(row.estimates) - len(shown)
    counted = shown[0].p_value is not None
    text = (
        "Detected values; the false discovery rate is at most 5 %."
        if counted
        else "From 0 at the first grid point to 1 at the last."
    )
    bars = [Bar(str(each.value), each.estimate, each.low, each.high) for each in shown]
    rows = tuple((bar.label, *map(format_number, (bar.value, *bar.extent))) for bar in bars)
    caption = "Estimated clients with each value" if counted else "Estimated mean"
    figure = Figure(
        caption,
        draw_bar_chart(bars, f"Bars: {caption.lower()}, with 95 % intervals"),
        ("value", "estimate", "95 % low", "95 % high"),
        rows,
        f"{more:,} more were detected; see /v1/metrics." if more else "",
    )
    return text + late, (figure,)


def _build_loss_section(losses: list[MetricLoss]) -> PageSection:
    """Build the table of a client's loss by its cap and so far: a row for each metric and, if
    there are several, one for all together.
    """
    rows = [_format_loss(loss) for loss in losses]
    if len(losses) > 1:
        metrics = [loss.metric for loss in losses]
        joint = (_format_epsilon(compute_joint_epsilon(metrics, cap)) for cap in SHOWN_CAPS)
        paid = _format_epsilon(sum(loss.paid_epsilon for loss in losses))
        rows.append(("all together", "", *joint, "", paid))
    return PageSection(
        "Privacy loss of a client at most",
        (
            "Epsilon over a client's lifetime, by the cap that the client enforces itself: the"
            " number of distinct values if answers are memoised, the number of reports if not. At"
            " its cap a client stops answering. The last column is for a client that answered once"
            " in every counted epoch, always with the same value.",
        ),
        ("metric", "one report", *(f"cap {cap}" for cap in SHOWN_CAPS), "epochs", "so far"),
        tuple(rows),
    )


def _format_loss(loss: MetricLoss) -> tuple[str, ...]:
    metric = loss.metric
    kind = "value" if metric.scheme.memoised else "report"
    rules = f", {loss.parameter_sets} parameter sets" if loss.parameter_sets > 1 else ""
    return (
        f"{metric.id} per {kind}",
        _format_epsilon(metric.epsilon),
        *(_format_epsilon(metric.lifetime_epsilon(cap)) for cap in SHOWN_CAPS),
        f"{loss.epoch_count:,}{rules}",
        _format_epsilon(loss.paid_epsilon),
    )


def _format_epsilon(number: float) -> str:
    """Format epsilon with five digits, rounded up so that the loss is never understated."""
    return "unbounded" if finite_or_none(number) is None else format_rounded_up(number, 5)
