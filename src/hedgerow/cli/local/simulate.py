"""Views of a simulation of clients: estimates of counts or of a mean, beside the truth."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from rich.console import Console
from rich.text import Text

from hedgerow.charts.text_bars import TextBar, draw_bar, draw_span
from hedgerow.cli.local.files import MAX_DRAWN
from hedgerow.cli.terminal import format_count
from hedgerow.demo.layout import THEME
from hedgerow.errors import InvalidArgument
from hedgerow.local.decode.value_estimates import ValueEstimate
from hedgerow.local.metric import Metric
from hedgerow.local.planning.simulated_frequencies import (
    SimulatedFrequencies,
    draw_holders,
    simulate_frequencies,
    simulate_rappor,
)
from hedgerow.local.planning.simulated_mean import SimulatedMean, simulate_mean
from hedgerow.local.protocols import MEAN_PROTOCOLS

__all__ = ["CountsView", "MeansView", "run_simulation"]

_MAX_BARS = 12
_BAR_WIDTH = 48  # cells
_FULL_CELL = "█"


def run_simulation(
    metric: Metric, candidates: int | None, clients: int, shape: str, progress: Any
) -> CountsView | MeansView:
    """Simulate the clients of a metric; RAPPOR needs the number of candidate texts."""
    if metric.protocol != "rappor":
        if candidates is not None:
            raise InvalidArgument("domain", "is set by the metric file; leave it out", candidates)
        if isinstance(metric.scheme, MEAN_PROTOCOLS):
            means = tuple(simulate_mean(metric.scheme, clients, shape, progress))
            return MeansView(means, metric.scheme.domain - 1)
        return CountsView(simulate_frequencies(metric.scheme, clients, shape, progress))
    if candidates is None:
        raise InvalidArgument(
            "domain", "must be given with a RAPPOR metric: the number of candidate texts"
        )
    counts = draw_holders(shape, candidates, clients).tolist()
    holders = {f"text {place}": count for place, count in enumerate(counts, 1)}
    return CountsView(simulate_rappor(metric, holders, moved=progress))


@dataclass(frozen=True, slots=True)
class CountsView:
    """A view of simulated counts, the most frequent values first."""

    simulated: SimulatedFrequencies

    @property
    def truths(self) -> Mapping[Any, float]:
        """The true counts of the drawn values."""
        return self.simulated.find_true_counts(self.list_drawn())

    def list_drawn(self) -> list[ValueEstimate]:
        """Return the estimates that a chart shows."""
        return self.simulated.list_most_frequent(MAX_DRAWN)

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation as plain data for JSON."""
        result = self.simulated
        lows, highs = result.estimates.intervals()
        columns = (
            range(len(result.true_counts)) if result.names is None else result.names,
            result.true_counts.tolist(),
            result.estimates.counts.tolist(),
            lows.tolist(),
            highs.tolist(),
        )
        fields = ("value", "truth", "estimate", "low", "high")
        values = [dict(zip(fields, row, strict=True)) for row in zip(*columns, strict=True)]
        error = {
            "root_mean_square": result.root_mean_square_error,
            "expected": result.expected_error,
            "covered": result.coverage,
        }
        return {"error": error, "values": values}

    def print_bars(self, console: Console) -> None:
        """Print bars with intervals, and the truth as a diamond."""
        _print_bars(console, self.list_drawn()[:_MAX_BARS], self.truths, "12,.0f")

    def format_summary(self) -> list[str]:
        """Return lines of text about the accuracy."""
        result, detected = self.simulated, int(self.simulated.estimates.detect().sum())
        return [
            (
                f"{detected:,} of {len(result.true_counts):,} values are detected, with false"
                " detections limited to 5 %."
            ),
            (
                f"Error of a count: {result.root_mean_square_error:,.0f} (root mean square); the"
                f" exact variance predicts {result.expected_error:,.0f}."
            ),
            f"{100 * result.coverage:.1f} % of the 95 % intervals contain the truth.",
        ]


@dataclass(frozen=True, slots=True)
class MeansView:
    """A view of a simulated mean after some clients and after all.

    ``steps`` is the number of steps on the scale of codes.
    """

    simulated: tuple[SimulatedMean, ...]
    steps: int

    @property
    def truths(self) -> Mapping[Any, float]:
        """The true mean after each number of clients."""
        return {format_count(part.clients, "client"): part.true_mean for part in self.simulated}

    def list_drawn(self) -> list[ValueEstimate]:
        """Return the estimates that a chart shows."""
        return [
            replace(part.mean_estimate, value=format_count(part.clients, "client"))
            for part in self.simulated
        ]

    def to_dict(self) -> dict[str, Any]:
        """Return the simulation as plain data for JSON, on a scale from 0 to 1."""
        rows = [
            {
                "clients": part.clients,
                "truth": part.true_mean,
                **part.mean_estimate.to_dict(),
                "expected": part.expected_error,
            }
            for part in self.simulated
        ]
        last = self.simulated[-1]
        return {
            "error": {
                "found": last.error,
                "expected": last.expected_error,
                "covered": last.is_covered,
            },
            "means": rows,
        }

    def print_bars(self, console: Console) -> None:
        """Print brackets that become narrower, and the truth as a diamond."""
        _print_bars(console, self.list_drawn(), self.truths, "7.4f")

    def format_summary(self) -> list[str]:
        """Return lines of text about the accuracy."""
        last = self.simulated[-1]
        estimate = last.mean_estimate.estimate
        radius = (last.mean_estimate.high - last.mean_estimate.low) / 2
        contains = "contains" if last.is_covered else "does not contain"
        return [
            (
                f"mean: {estimate:.4f} ± {radius:.4f} on a scale from 0 to 1; the truth is"
                f" {last.true_mean:.4f}, and the 95 % interval {contains} it."
            ),
            (
                f"As a code from 0 to {self.steps:,} it is {estimate * self.steps:,.4g} ±"
                f" {radius * self.steps:,.2g}; the truth is {last.true_mean * self.steps:,.4g}."
            ),
            (
                f"Error: {abs(last.error):.2g}; the exact variance predicts"
                f" {last.expected_error:.2g}."
            ),
        ]


def _print_bars(
    console: Console, rows: list[ValueEstimate], truths: Mapping[Any, float], number_format: str
) -> None:
    """Print counts as bars from 0, and means as brackets: their intervals may be far from 0."""
    start = min(min(row.low, truths[row.value]) for row in rows)
    top = max(max(row.high, truths[row.value]) for row in rows)
    width = max(9, *(len(str(row.value)) for row in rows))
    with console.use_theme(THEME):
        for row in rows:
            item = TextBar(str(row.value), row.estimate, row.low, row.high, truths[row.value])
            line = Text(f"{row.value!s:>{width}} {row.estimate:>{number_format}}  ")
            drawn = (
                _mark_truth(draw_bar(item, top, _BAR_WIDTH), item, top)
                if row.p_value is not None
                else draw_span(item, start, top, _BAR_WIDTH)
            )
            console.print(line.append_text(drawn), soft_wrap=True)
        console.print("├─┼─┤ estimate and 95 % interval, ◆ truth", style="faint", soft_wrap=True)


def _mark_truth(drawn: Text, item: TextBar, top: float) -> Text:
    """Draw the truth inside a bar when the interval missed it.

    A bar is full below its interval and would hide that.
    """
    place = round(max(item.truth, 0.0) * (_BAR_WIDTH - 1) / top)
    if item.truth >= item.low or drawn.plain[place : place + 1] != _FULL_CELL:
        return drawn
    return drawn[:place].append("◆", style="truth").append_text(drawn[place + 1 :])
