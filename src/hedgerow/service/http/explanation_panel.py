"""The cost and the error of a question as facts that fit on a page, before it is paid for."""

from __future__ import annotations

from dataclasses import dataclass

from hedgerow.answers.explanation import ExplainedAggregate, Explanation
from hedgerow.charts.number_text import format_size

__all__ = ["ExplanationPanel", "PanelFact", "build_explanation_panel"]


@dataclass(frozen=True, slots=True)
class PanelFact:
    """A number with its name, and what must be known beside it."""

    name: str
    value: str
    hint: str = ""


@dataclass(frozen=True, slots=True)
class ExplanationPanel:
    """The parts of an explanation's panel. ``epsilon`` and ``error`` are plain numbers for the
    fields of the form; ``error`` is "" where no public number describes it."""

    facts: tuple[PanelFact, ...]
    notes: tuple[str, ...]
    steps: tuple[str, ...]
    epsilon: str
    error: str
    is_free: bool
    is_covered: bool


def build_explanation_panel(explanation: Explanation) -> ExplanationPanel:
    """Build the parts of an explanation's panel."""
    errors = [line.expected_error for line in explanation.lines if line.expected_error is not None]
    return ExplanationPanel(
        (
            _describe_cost(explanation),
            *map(_describe_error, explanation.lines),
            _describe_remainder(explanation),
        ),
        explanation.notes,
        explanation.steps,
        format_field(float(explanation.epsilon)),
        format_field(max(errors)) if errors else "",
        explanation.free,
        explanation.covered,
    )


def format_field(value: float) -> str:
    """Format a number for a field of a form: four digits, no separators, no exponent."""
    text = f"{float(f'{value:.4g}'):.12f}"
    return text.rstrip("0").rstrip(".")


def _describe_cost(explanation: Explanation) -> PanelFact:
    receipt = explanation.receipt
    if receipt is not None:
        return PanelFact("Cost", "free", f"answered before, ledger entry {receipt.entry}")
    first, *others = str(explanation.cost).split(", ")
    return PanelFact("Cost", first, ", ".join(others))


def _describe_error(line: ExplainedAggregate) -> PanelFact:
    name = f"Error of {line.aggregate}"
    if line.expected_error is None or line.error_95 is None:
        return PanelFact(name, "", line.note)
    return PanelFact(
        name,
        f"± {format_size(line.error_95)}",
        f"in 95 % of answers; about {format_size(line.expected_error)} on average",
    )


def _describe_remainder(explanation: Explanation) -> PanelFact:
    source = "your quota" if explanation.limited_by == "quota" else "the budget"
    if not explanation.covered:
        return PanelFact("Questions like this left", "none", f"{source} does not cover it")
    paid = ", if they were paid for anew" if explanation.free else ""
    count = f"{explanation.questions_left:,}"
    return PanelFact("Questions like this left", count, f"in {source}{paid}")
