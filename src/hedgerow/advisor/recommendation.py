"""A recommendation: all mechanisms that apply, the best first."""

from __future__ import annotations

from dataclasses import dataclass
from math import inf
from typing import Any

__all__ = ["Option", "Recommendation"]


@dataclass(frozen=True, slots=True)
class Option:
    """One way to release a statistic: a calibrated ``mechanism``, its expected and worst error, and
    a note."""

    method: str
    mechanism: Any
    expected: float
    worst: float | None
    note: str


@dataclass(frozen=True, slots=True)
class Recommendation:
    """All options that apply, the best first; errors are in ``unit``."""

    question: str
    unit: str
    reference: str
    options: tuple[Option, ...]

    @property
    def best(self) -> Option:
        """The option with the least expected error."""
        return self.options[0]

    @property
    def why(self) -> str:
        """The reason for the best option, in one sentence."""
        best, *others = self.options
        if not others:
            return (
                f"{best.method}, with an expected error of {_format_error(best.expected)}"
                f" {self.unit}: no other method applies."
            )
        ahead, next_best = best.expected, others[0].expected
        lead = (
            f"{next_best / ahead:.3g} times better than"
            if 0 < ahead * 1.05 < next_best < 1e6 * ahead
            else "far better than"
        )
        lead = "as good as" if next_best <= ahead * 1.05 else lead
        return (
            f"{best.method}, with an expected error of {_format_error(best.expected)} {self.unit},"
            f" {lead} {others[0].method}: {best.note}."
        )

    def __str__(self) -> str:
        width = max(len("method"), *(len(option.method) for option in self.options))
        rows = [f"  {'method':<{width}}  {'expected':>10}  {'worst, 95 %':>11}"]
        rows += [
            f"  {o.method:<{width}}  {_format_error(o.expected):>10}  {_format_error(o.worst):>11} "
            f" {o.note}"
            for o in self.options
        ]
        return "\n".join([f"{self.question}; errors in {self.unit}, {self.reference}", *rows])


def _format_error(value: float | None) -> str:
    if value is None or value == inf:
        return "–"
    return f"{value:,.0f}" if value >= 100 or value < 1e-3 else f"{value:.3g}"
