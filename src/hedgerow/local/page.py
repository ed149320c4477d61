"""The page of a collector: what is collected, how much has come in, and what it tells so far. It runs no script and fetches nothing.

How many reports there are is always what the store has. What they tell may be older by a while: it is computed anew only when reports have
come in, and never takes more than a tenth of the time, however often the page is asked for.
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
from hedgerow.local.epochs import Calendar
from hedgerow.local.findings import Finding, findings
from hedgerow.local.losses import CAPS, Loss, finite, losses, together
from hedgerow.local.protocols import MEANS, Rappor
from hedgerow.local.spec import Metric
from hedgerow.local.store import Store

__all__ = ["MOST_CANDIDATES", "Overview", "Row"]

MOST_CANDIDATES = 10_000  # texts for one metric on the page
_MOST_PLACES = 1 << 22  # bits of all of them in all cohorts: each takes 4 bytes, and as much again while it is decoded
_MOST_COUNTERS = 1 << 19  # beyond, to decode takes more memory than a collector shall have
_EARLIER = 4  # epochs of one metric before the present one
_REST = 9  # times as long as it took to compute, nothing is computed
_DIGITS = Context(prec=5, rounding=ROUND_CEILING)
_SHOWN = 25  # values of one metric on the page
_REFRESH = 10  # seconds
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
class Row:
    """One metric in one epoch. ``found`` is what its first ``told`` reports tell; None where ``why`` says why its values are not told."""

    metric: Metric
    reports: int
    present: bool
    told: int
    found: tuple[Finding, ...] | None
    why: str = ""

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
            "lifetime_epsilon": finite(metric.lifetime_epsilon(1)),
            "memoised": metric.scheme.memoised,
            "detected": None if self.found is None else [finding.to_dict() for finding in self.found],
            "detected_in": self.told,
        }


@dataclass(frozen=True, slots=True)
class _Told:
    """What so many reports tell; not to be computed anew before ``rested``."""

    reports: int
    found: tuple[Finding, ...]
    rested: float


class Overview:
    """Reads the store when asked, by one thread. ``candidates``: for the ids of RAPPOR metrics, the texts to look for; for those of others
    the names of their codes, which hold in earlier epochs too as long as there are as many of them."""

    def __init__(
        self,
        store: Store,
        calendar: Calendar,
        candidates: Mapping[str, Sequence[str]] | None = None,
        clock: Callable[[], float] = time.monotonic,
    ) -> None:
        self._store, self._present, self._clock = store, calendar.metrics, clock
        self._candidates = {id: _checked(calendar, id, texts) for id, texts in (candidates or {}).items()}
        self._kept: dict[bytes, _Told] = {}

    def rows(self) -> list[Row]:
        """The present metrics, then the last epochs before them."""
        return [self._row(metric) for metric in (*self._present, *self._earlier(self._store.metrics()))]

    def losses(self) -> list[Loss]:
        """What each present metric costs a client."""
        return losses(self._present, self._store.metrics())

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        costs = {loss.metric.id: loss.to_dict() for loss in self.losses()}
        return {"metrics": [{**row.to_dict(), "loss": costs.get(row.metric.id)} for row in self.rows()]}

    def to_html(self) -> str:
        """The page."""
        parts = "".join(_section(row) for row in self.rows())
        return (
            f'<!doctype html><html lang="en"><head><meta charset="utf-8"><meta http-equiv="refresh" content="{_REFRESH}">'
            f'<meta name="viewport" content="width=device-width"><title>Collector</title><style>{_STYLE}</style></head><body>'
            '<h1>What clients report</h1><p class="soft">Every client randomises its answer before it is sent. Only sums are kept here: no '
            f"reports, addresses or times.</p>{_monitor(self.losses())}{parts}</body></html>"
        )

    def _earlier(self, counted: list[Metric]) -> list[Metric]:
        seen: Counter[str] = Counter()
        shown = []
        for metric in sorted(counted, key=lambda metric: (-metric.epoch, metric.id, metric.hash)):
            if metric not in self._present and seen[metric.id] < _EARLIER:
                seen[metric.id] += 1
                shown.append(metric)
        self._kept = {hash: told for hash, told in self._kept.items() if hash in {metric.hash for metric in (*self._present, *shown)}}
        return shown

    def _row(self, metric: Metric) -> Row:
        reports, present, names = self._store.reports(metric), metric in self._present, self._names(metric)
        why = _untold(metric, names)
        if why:
            return Row(metric, reports, present, 0, None, why)
        kept = self._kept.get(metric.hash)
        if kept is None or (kept.reports != reports and self._clock() >= kept.rested):
            kept = self._kept[metric.hash] = self._computed(metric, names)
        return Row(metric, reports, present, kept.reports, kept.found)

    def _names(self, metric: Metric) -> Sequence[str] | None:
        """Candidates or names that fit: an earlier epoch may have had other rules under the same id."""
        names, scheme = self._candidates.get(metric.id, ()), metric.scheme
        if not any(other.id == metric.id and isinstance(other.scheme, Rappor) == isinstance(scheme, Rappor) for other in self._present):
            return None
        fit = len(names) * scheme.m * scheme.h <= _MOST_PLACES if isinstance(scheme, Rappor) else len(names) == scheme.domain
        return names if names and fit else None

    def _computed(self, metric: Metric, names: Sequence[str] | None) -> _Told:
        start, counters = self._clock(), self._store.counters(metric)
        found = tuple(findings(metric, counters, names=names))
        end = self._clock()
        return _Told(int(counters[-1]), found, end + _REST * (end - start))


def _checked(calendar: Calendar, id: str, texts: Sequence[str]) -> tuple[str, ...]:
    """Candidates that can be looked for, or a name for each code."""
    scheme = next((metric.scheme for metric in calendar.metrics if metric.id == id), None)
    if scheme is None or isinstance(scheme, MEANS):
        raise InvalidArgument("candidates", "must be for a metric that is collected here, and counts values", id)
    different = tuple(dict.fromkeys(texts))
    if not isinstance(scheme, Rappor):
        if len(different) != scheme.domain or len(texts) != scheme.domain:
            raise InvalidArgument("candidates", f"of '{id}' must be a different name for each of its {scheme.domain:,} codes", len(texts))
        return different
    most = min(MOST_CANDIDATES, _MOST_PLACES // (scheme.m * scheme.h))
    if not 0 < len(different) <= most:
        raise InvalidArgument(
            "candidates", f"for the page must be 1 to {most:,} texts in so many cohorts; hedgerow local decode takes more", len(different)
        )
    return different


def _untold(metric: Metric, names: Sequence[str] | None) -> str:
    if isinstance(metric.scheme, Rappor) and names is None:
        return "Its values are told with a list of candidates: collect with --candidates, or hedgerow local decode."
    if metric.scheme.counters > _MOST_COUNTERS:
        return "It has too many values for this page: hedgerow local decode tells them."
    return ""


def _section(row: Row) -> str:
    metric = row.metric
    domain = "any text" if metric.protocol == Rappor.name else f"{metric.scheme.domain:,} values"
    closed = "" if row.present else ", an earlier epoch"
    return (
        f"<section><h2>{escape(metric.id)}, epoch {metric.epoch}{closed}</h2>"
        f'<p class="soft">{row.reports:,} report{"" if row.reports == 1 else "s"} · {escape(metric.protocol)} · {domain} · '
        f"one report costs its client epsilon {_epsilon(metric.epsilon)}</p>{_values(row)}</section>"
    )


def _values(row: Row) -> str:
    if row.found is None:
        return f"<p>{row.why}</p>"
    late = "" if row.told == row.reports else f" From the first {row.told:,} reports."
    if not row.found:
        return f"<p>No value stands out from the noise yet.{late}</p>"
    top = max(1.0, *(finding.high for finding in row.found[:_SHOWN]))
    more = f"<p>{len(row.found) - _SHOWN:,} more were detected; see /v1/metrics.</p>" if len(row.found) > _SHOWN else ""
    lines = "".join(_line(finding, top) for finding in row.found[:_SHOWN])
    counted = row.found[0].p_value is not None
    head = f"<tr><th>value</th><th>{'clients, about' if counted else 'about'}</th><th>95 % interval</th><th></th></tr>"
    told = "Detected, with false discoveries held at 5 %." if counted else "From 0 at the first grid point to 1 at the last."
    return f'<p>{told}{late}</p><div class="wide"><table class="values">{head}{lines}</table></div>{more}'


def _line(finding: Finding, top: float) -> str:
    form = ",.0f" if finding.p_value is not None else ".4f"
    full, start, end = (100 * min(max(number / top, 0.0), 1.0) for number in (finding.estimate, finding.low, finding.high))
    bar = f'<i style="left:0;width:{full:.1f}%"></i><b style="left:{start:.1f}%;width:{end - start:.1f}%"></b>'
    return (
        f"<tr><td>{escape(str(finding.value))}</td><td>{finding.estimate:{form}}</td>"
        f'<td>{finding.low:{form}} to {finding.high:{form}}</td><td><div class="bar">{bar}</div></td></tr>'
    )


def _monitor(held: list[Loss]) -> str:
    """A line for each metric and, where there are several, one for all: what a client gives away by its cap, and has so far."""
    caps = "".join(f"<th>cap {cap}</th>" for cap in CAPS)
    head = f"<tr><th>metric</th><th>one report</th>{caps}<th>epochs</th><th>so far</th></tr>"
    lines = "".join(_cost(loss) for loss in held)
    if len(held) > 1:
        whole = [loss.metric for loss in held]
        sums = "".join(f"<td>{_epsilon(together(whole, cap))}</td>" for cap in CAPS)
        so_far = _epsilon(sum(loss.so_far for loss in held))
        lines += f'<tr class="total"><td>all together</td><td></td>{sums}<td></td><td>{so_far}</td></tr>'
    return (
        '<section><h2>What a client gives away at most</h2><p class="soft">Epsilon over a client\'s lifetime, by the cap that it keeps for '
        "itself: so many different values where answers are remembered, so many reports where they are not. Past its cap a client refuses. "
        "<em>So far</em> is for one that answered once in every epoch that was counted, always with the same value.</p>"
        f'<div class="wide"><table>{head}{lines}</table></div></section>'
    )


def _cost(loss: Loss) -> str:
    metric = loss.metric
    caps = "".join(f"<td>{_epsilon(metric.lifetime_epsilon(cap))}</td>" for cap in CAPS)
    kind = "value" if metric.scheme.memoised else "report"
    rules = f", {loss.rules} rules" if loss.rules > 1 else ""
    return (
        f'<tr><td>{escape(metric.id)} <span class="soft">per {kind}</span></td><td>{_epsilon(metric.epsilon)}</td>{caps}'
        f"<td>{loss.counted:,}{rules}</td><td>{_epsilon(loss.so_far)}</td></tr>"
    )


def _epsilon(number: float) -> str:
    """Five digits, rounded up: less is never said than is given away."""
    return "unbounded" if finite(number) is None else f"{_DIGITS.create_decimal_from_float(number).normalize():f}"
