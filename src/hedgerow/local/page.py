"""The page of a collector: what is collected, how much has come in, and what it tells so far. It runs no script and fetches nothing."""

from __future__ import annotations

import math
import threading
from dataclasses import dataclass
from html import escape
from typing import Any

from hedgerow.errors import HedgerowError
from hedgerow.local.epochs import Calendar
from hedgerow.local.findings import Finding, findings, reports
from hedgerow.local.protocols import Rappor
from hedgerow.local.spec import Metric
from hedgerow.local.store import Store

__all__ = ["Overview", "Row"]

_SHOWN = 25  # values of one metric on the page
_REFRESH = 10  # seconds
_STYLE = """body{font:16px/1.5 system-ui,sans-serif;max-width:60em;margin:2em auto;padding:0 1em;color:#222;background:#fff}
h1{font-size:1.5em}h2{font-size:1.15em;margin:2em 0 .2em}table{border-collapse:collapse;width:100%}
td,th{padding:.2em .6em;text-align:right;border-bottom:1px solid #ddd;white-space:nowrap}td:last-child{width:50%}
.bar{position:relative;height:1em;background:#f0f2f4}.bar i{position:absolute;top:0;bottom:0;background:#4a7c59}
.bar b{position:absolute;top:.35em;height:.3em;background:#c8963e}p.facts{color:#555;margin:0 0 .6em}"""


@dataclass(frozen=True, slots=True)
class Row:
    """One metric in one epoch. ``found`` is None where its values cannot be told without candidates."""

    metric: Metric
    reports: int
    present: bool
    found: tuple[Finding, ...] | None

    def to_dict(self) -> dict[str, Any]:
        """For JSON; infinity is null."""
        metric, lifetime = self.metric, self.metric.lifetime_epsilon(1)
        return {
            "id": metric.id,
            "epoch": metric.epoch,
            "hash": metric.hash.hex(),
            "protocol": metric.protocol,
            "parameters": dict(metric.parameters),
            "present": self.present,
            "reports": self.reports,
            "epsilon": metric.epsilon,
            "lifetime_epsilon": lifetime if math.isfinite(lifetime) else None,
            "memoised": metric.scheme.memoised,
            "detected": None if self.found is None else [finding.to_dict() for finding in self.found],
        }


class Overview:
    """Reads the store when asked; what the counters tell is computed anew only when they have grown."""

    def __init__(self, store: Store, calendar: Calendar) -> None:
        self._store, self._present = store, calendar.metrics
        self._kept: dict[bytes, Row] = {}
        self._lock = threading.Lock()

    def rows(self) -> list[Row]:
        """The present metrics, then those of earlier epochs that the store has."""
        others = [metric for metric in reversed(self._store.metrics()) if metric not in self._present]
        with self._lock:
            return [self._row(metric) for metric in (*self._present, *others)]

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        return {"metrics": [row.to_dict() for row in self.rows()]}

    def to_html(self) -> str:
        """The page."""
        parts = "".join(_section(row) for row in self.rows())
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="{_REFRESH}">'
            f'<meta name="viewport" content="width=device-width"><title>Collector</title><style>{_STYLE}</style></head><body>'
            "<h1>What clients report</h1><p>Every client randomises its answer before it is sent. Only sums are kept here: no reports, "
            f"addresses or times.</p>{parts}</body></html>"
        )

    def _row(self, metric: Metric) -> Row:
        counters = self._store.counters(metric)
        kept, count = self._kept.get(metric.hash), reports(counters)
        if kept is None or kept.reports != count:
            try:
                found: tuple[Finding, ...] | None = tuple(findings(metric, counters))
            except HedgerowError:
                found = None
            kept = self._kept[metric.hash] = Row(metric, count, metric in self._present, found)
        return kept


def _section(row: Row) -> str:
    metric, lifetime = row.metric, row.metric.lifetime_epsilon(1)
    for_life = f"{lifetime:.4g}" if math.isfinite(lifetime) else "unbounded"
    each = f"each further value of a client {for_life}" if metric.scheme.memoised else "each further report as much again"
    domain = "any text" if metric.protocol == Rappor.name else f"{metric.scheme.domain:,} values"
    closed = "" if row.present else ", an earlier epoch"
    return (
        f"<section><h2>{escape(metric.id)}, epoch {metric.epoch}{closed}</h2>"
        f'<p class="facts">{row.reports:,} reports · {escape(metric.protocol)} · {domain} · '
        f"one report costs its client epsilon {metric.epsilon:.4g}, {each}</p>{_values(row)}</section>"
    )


def _values(row: Row) -> str:
    if row.found is None:
        return "<p>Its values are told with a list of candidates: hedgerow local decode.</p>"
    if not row.found:
        return "<p>No value stands out from the noise yet.</p>"
    top = max(1.0, *(finding.high for finding in row.found[:_SHOWN]))
    more = f"<p>{len(row.found) - _SHOWN:,} more were detected; see /v1/metrics.</p>" if len(row.found) > _SHOWN else ""
    lines = "".join(_line(finding, top) for finding in row.found[:_SHOWN])
    counted = row.found[0].p_value is not None
    head = f"<tr><th>value</th><th>{'clients, about' if counted else 'about'}</th><th>95 % interval</th><th></th></tr>"
    told = "Detected, with false discoveries held at 5 %:" if counted else "From 0 at the first grid point to 1 at the last:"
    return f"<p>{told}</p><table>{head}{lines}</table>{more}"


def _line(finding: Finding, top: float) -> str:
    form = ",.0f" if finding.p_value is not None else ".4f"
    full, start, end = (100 * min(max(number / top, 0.0), 1.0) for number in (finding.estimate, finding.low, finding.high))
    bar = f'<i style="left:0;width:{full:.1f}%"></i><b style="left:{start:.1f}%;width:{end - start:.1f}%"></b>'
    return (
        f"<tr><td>{escape(str(finding.value))}</td><td>{finding.estimate:{form}}</td>"
        f'<td>{finding.low:{form}} to {finding.high:{form}}</td><td><div class="bar">{bar}</div></td></tr>'
    )
