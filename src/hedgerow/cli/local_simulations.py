"""What ``hedgerow local simulate`` shows: counts of values, or a mean that closes in on the truth, each beside it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from hedgerow.cli.local_files import DRAWN
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from rich.console import Console
    from rich.text import Text

    from hedgerow.demo.chapters import Bar
    from hedgerow.local.findings import Finding
    from hedgerow.local.simulated_mean import SimulatedMean
    from hedgerow.local.simulation import Simulated
    from hedgerow.local.spec import Metric

__all__ = ["Counts", "Means", "simulation"]

_SHOWN = 12  # bars
_WIDTH = 48  # cells of a bar
_FULL = "█"


def simulation(metric: Metric, candidates: int | None, clients: int, shape: str, moved: Any) -> Counts | Means:
    """Clients of this metric; of RAPPOR with so many candidates."""
    from hedgerow.local.protocols import MEANS
    from hedgerow.local.simulated_mean import simulate_mean
    from hedgerow.local.simulation import holders, simulate, simulate_texts

    if metric.protocol != "rappor":
        if candidates is not None:
            raise InvalidArgument("domain", "is what the metric says; leave it out", candidates)
        if isinstance(metric.scheme, MEANS):
            return Means(tuple(simulate_mean(metric.scheme, clients, shape, moved)), metric.scheme.domain - 1)
        return Counts(simulate(metric.scheme, clients, shape, moved))
    if candidates is None:
        raise InvalidArgument("domain", "must say how many candidates there are: RAPPOR is about texts")
    held = holders(shape, candidates, clients)
    return Counts(simulate_texts(metric, {f"text {place}": count for place, count in enumerate(held.tolist(), 1)}, moved=moved))


@dataclass(frozen=True, slots=True)
class Counts:
    """Values, the most frequent first."""

    found: Simulated

    @property
    def truths(self) -> Mapping[Any, float]:
        """How many clients hold each that is drawn."""
        return self.found.truths(self.drawn())

    def drawn(self) -> list[Finding]:
        """The lines of a picture."""
        return self.found.frequent(DRAWN)

    def to_dict(self) -> dict[str, Any]:
        """For JSON."""
        found = self.found
        lows, highs = found.estimates.intervals()
        columns = found.truth.tolist(), found.estimates.counts.tolist(), lows.tolist(), highs.tolist()
        named, fields = range(len(found.truth)) if found.names is None else found.names, ("truth", "estimate", "low", "high")
        rows = zip(named, zip(*columns, strict=True), strict=True)
        values = [{"value": value, **dict(zip(fields, row, strict=True))} for value, row in rows]
        error = {"root_mean_square": found.root_mean_square, "expected": found.expected, "covered": found.covered}
        return {"error": error, "values": values}

    def show(self, console: Console) -> None:
        """Bars with intervals, and the truth as a diamond."""
        _bars(console, self.drawn()[:_SHOWN], self.truths, "12,.0f")

    def in_words(self) -> list[str]:
        """How well it went."""
        found, detected = self.found, int(self.found.estimates.detected().sum())
        return [
            f"{detected:,} of {len(found.truth):,} values are detected, with false discoveries held at 5 %.",
            f"Error of a count: {found.root_mean_square:,.0f} (root mean square); the exact variance foretells {found.expected:,.0f}.",
            f"{100 * found.covered:.1f} % of the 95 % intervals hold the truth.",
        ]


@dataclass(frozen=True, slots=True)
class Means:
    """A mean after some clients, and last after all; ``steps`` from the first grid point to the last."""

    found: tuple[SimulatedMean, ...]
    steps: int

    @property
    def truths(self) -> Mapping[Any, float]:
        """The true mean of each crowd."""
        return {_crowd(part): part.truth for part in self.found}

    def drawn(self) -> list[Finding]:
        """The lines of a picture."""
        return [replace(part.found, value=_crowd(part)) for part in self.found]

    def to_dict(self) -> dict[str, Any]:
        """For JSON, from 0 at the first grid point to 1 at the last."""
        rows = [{"clients": part.clients, "truth": part.truth, **part.found.to_dict(), "expected": part.expected} for part in self.found]
        last = self.found[-1]
        return {"error": {"found": last.error, "expected": last.expected, "covered": last.covered}, "means": rows}

    def show(self, console: Console) -> None:
        """Brackets that become narrower, and the truth as a diamond."""
        _bars(console, self.drawn(), self.truths, "7.4f")

    def in_words(self) -> list[str]:
        """How well it went."""
        last = self.found[-1]
        estimate, radius = last.found.estimate, (last.found.high - last.found.low) / 2
        holds = "holds" if last.covered else "does not hold"
        return [
            f"mean: {estimate:.4f} ± {radius:.4f} on a scale from 0 to 1, in truth {last.truth:.4f}; the 95 % interval {holds} it.",
            f"As a code from 0 to {self.steps:,} it is {estimate * self.steps:,.4g} ± {radius * self.steps:,.2g}, "
            f"in truth {last.truth * self.steps:,.4g}.",
            f"Error: {abs(last.error):.2g}; the exact variance foretells {last.expected:.2g}.",
        ]


def _crowd(part: SimulatedMean) -> str:
    return f"{part.clients:,} client{'' if part.clients == 1 else 's'}"


def _bars(console: Console, rows: list[Finding], truths: Mapping[Any, float], form: str) -> None:
    """Counts as bars from 0; means as brackets, because few clients may leave 0 far behind."""
    from rich.text import Text

    from hedgerow.demo.chapters import Bar
    from hedgerow.demo.plot import bar, span
    from hedgerow.demo.show import THEME

    ends = [(min(row.low, truths[row.value]), max(row.high, truths[row.value])) for row in rows]
    start, top, width = min(low for low, _ in ends), max(high for _, high in ends), max(9, *(len(str(row.value)) for row in rows))
    with console.use_theme(THEME):
        for row in rows:
            item = Bar(str(row.value), row.estimate, row.low, row.high, truths[row.value])
            line = Text(f"{row.value!s:>{width}} {row.estimate:>{form}}  ")
            drawn = _marked(bar(item, top, _WIDTH), item, top) if row.p_value is not None else span(item, start, top, _WIDTH)
            console.print(line.append_text(drawn), soft_wrap=True)
        console.print("├─┼─┤ estimate and 95 % interval, ◆ truth", style="faint", soft_wrap=True)


def _marked(drawn: Text, item: Bar, top: float) -> Text:
    """The bar with its truth where an interval begins above it: a bar is full there, and would hide that the interval missed it."""
    place = round(max(item.truth, 0.0) * (_WIDTH - 1) / top)
    if item.truth >= item.low or drawn.plain[place : place + 1] != _FULL:
        return drawn
    return drawn[:place].append("◆", style="truth").append_text(drawn[place + 1 :])
