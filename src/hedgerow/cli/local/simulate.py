"""What ``hedgerow local simulate`` shows: counts of values, or a mean that closes in on the
truth, each beside it.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hedgerow.cli.local.files import MAX_DRAWN
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.formatting import count_items

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from hedgerow.charts.text_bars import TextBar
    from hedgerow.local.decode.value_estimates import ValueEstimate
    from hedgerow.local.metric import Metric
    from hedgerow.local.planning.simulated_frequencies import SimulatedFrequencies
    from hedgerow.local.planning.simulated_mean import SimulatedMean

__all__ = ["CountsView", "MeansView", "run_simulation"]

_MAX_BARS = 12  # bars
_BAR_WIDTH = 48  # cells of a bar
_FULL_CELL = "█"


def run_simulation(
    metric: Metric, candidates: int | None, clients: int, shape: str, moved: Any
) -> CountsView | MeansView:
    """Clients of this metric; of RAPPOR with so many candidates."""
    from hedgerow.local.planning.simulated_frequencies import (
        draw_holders,
        simulate_frequencies,
        simulate_rappor,
    )
    from hedgerow.local.planning.simulated_mean import simulate_mean
    from hedgerow.local.protocols import MEAN_PROTOCOLS

    if metric.protocol != "rappor":
        if candidates is not None:
            raise InvalidArgument("domain", "is what the metric says; leave it out", candidates)
        if isinstance(metric.scheme, MEAN_PROTOCOLS):
            return MeansView(
                tuple(simulate_mean(metric.scheme, clients, shape, moved)), metric.scheme.domain - 1
            )
        return CountsView(simulate_frequencies(metric.scheme, clients, shape, moved))
    if candidates is None:
        raise InvalidArgument(
            "domain", "must say how many candidates there are: RAPPOR is about texts"
        )
    held = draw_holders(shape, candidates, clients)
    return CountsView(
        simulate_rappor(
            metric,
            {f"text {place}": count for place, count in enumerate(held.tolist(), 1)},
            moved=moved,
        )
    )


@dataclass(frozen=True, slots=True)
class CountsView:
    """Values, the most frequent first."""

    simulated: SimulatedFrequencies

    @property
    def truths(self) -> Mapping[Any, float]:
        """How many clients hold each that is drawn."""
        return self.simulated.find_true_counts(self.list_drawn())

    def list_drawn(self) -> list[ValueEstimate]:
        """The lines of a picture."""
        return self.simulated.list_most_frequent(MAX_DRAWN)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = self.simulated
        lows, highs = found.estimates.intervals()
        columns = (
            found.true_counts.tolist(),
            found.estimates.counts.tolist(),
            lows.tolist(),
            highs.tolist(),
        )
        named, fields = (
            range(len(found.true_counts)) if found.names is None else found.names,
            ("truth", "estimate", "low", "high"),
        )
        rows = zip(named, zip(*columns, strict=True), strict=True)
        values = [{"value": value, **dict(zip(fields, row, strict=True))} for value, row in rows]
        error = {
            "root_mean_square": found.root_mean_square_error,
            "expected": found.expected_error,
            "covered": found.coverage,
        }
        return {"error": error, "values": values}

    def print_bars(self, console: Console) -> None:
        """Bars with intervals, and the truth as a diamond."""
        _print_bars(console, self.list_drawn()[:_MAX_BARS], self.truths, "12,.0f")

    def format_summary(self) -> list[str]:
        """How well it went."""
        found, detected = self.simulated, int(self.simulated.estimates.detect().sum())
        return [
            (
                f"{detected:,} of {len(found.true_counts):,} values are detected, with false"
                " discoveries held at 5 %."
            ),
            (
                f"Error of a count: {found.root_mean_square_error:,.0f} (root mean square); the"
                f" exact variance foretells {found.expected_error:,.0f}."
            ),
            f"{100 * found.coverage:.1f} % of the 95 % intervals hold the truth.",
        ]


@dataclass(frozen=True, slots=True)
class MeansView:
    """A mean after some clients, and last after all; ``steps`` from the first grid point to the
    last.
    """

    simulated: tuple[SimulatedMean, ...]
    steps: int

    @property
    def truths(self) -> Mapping[Any, float]:
        """The true mean of each crowd."""
        return {_format_crowd(part): part.true_mean for part in self.simulated}

    def list_drawn(self) -> list[ValueEstimate]:
        """The lines of a picture."""
        return [replace(part.mean_estimate, value=_format_crowd(part)) for part in self.simulated]

    def to_dict(self) -> dict[str, Any]:
        """For JSON, from 0 at the first grid point to 1 at the last."""
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
        """Brackets that become narrower, and the truth as a diamond."""
        _print_bars(console, self.list_drawn(), self.truths, "7.4f")

    def format_summary(self) -> list[str]:
        """How well it went."""
        last = self.simulated[-1]
        estimate, radius = (
            last.mean_estimate.estimate,
            (last.mean_estimate.high - last.mean_estimate.low) / 2,
        )
        holds = "holds" if last.is_covered else "does not hold"
        return [
            (
                f"mean: {estimate:.4f} ± {radius:.4f} on a scale from 0 to 1, in truth"
                f" {last.true_mean:.4f}; the 95 % interval {holds} it."
            ),
            (
                f"As a code from 0 to {self.steps:,} it is {estimate * self.steps:,.4g} ±"
                f" {radius * self.steps:,.2g}, in truth {last.true_mean * self.steps:,.4g}."
            ),
            (
                f"Error: {abs(last.error):.2g}; the exact variance foretells"
                f" {last.expected_error:.2g}."
            ),
        ]


def _format_crowd(part: SimulatedMean) -> str:
    return count_items(part.clients, "client")


def _print_bars(
    console: Console, rows: list[ValueEstimate], truths: Mapping[Any, float], form: str
) -> None:
    """Counts as bars from 0; means as brackets, because few clients may leave 0 far behind."""
    from rich.text import Text

    from hedgerow.charts.text_bars import TextBar, draw_bar, draw_span
    from hedgerow.demo.pager import THEME

    ends = [(min(row.low, truths[row.value]), max(row.high, truths[row.value])) for row in rows]
    start, top, width = (
        min(low for low, _ in ends),
        max(high for _, high in ends),
        max(9, *(len(str(row.value)) for row in rows)),
    )
    with console.use_theme(THEME):
        for row in rows:
            item = TextBar(str(row.value), row.estimate, row.low, row.high, truths[row.value])
            line = Text(f"{row.value!s:>{width}} {row.estimate:>{form}}  ")
            drawn = (
                _mark_truth(draw_bar(item, top, _BAR_WIDTH), item, top)
                if row.p_value is not None
                else draw_span(item, start, top, _BAR_WIDTH)
            )
            console.print(line.append_text(drawn), soft_wrap=True)
        console.print("├─┼─┤ estimate and 95 % interval, ◆ truth", style="faint", soft_wrap=True)


def _mark_truth(drawn: Text, item: TextBar, top: float) -> Text:
    """The bar with its truth where an interval begins above it: a bar is full there, and would
    hide that the interval missed it.
    """
    place = round(max(item.truth, 0.0) * (_BAR_WIDTH - 1) / top)
    if item.truth >= item.low or drawn.plain[place : place + 1] != _FULL_CELL:
        return drawn
    return drawn[:place].append("◆", style="truth").append_text(drawn[place + 1 :])
