"""The explanation of a service, read from its document."""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any, Self

from hedgerow.answers.answer import Receipt
from hedgerow.answers.explanation import ExplainedAggregate
from hedgerow.answers.render import render_explanation_html, render_explanation_text
from hedgerow.client.remote_answer import read_receipt
from hedgerow.privacy.loss import Loss

__all__ = ["RemoteExplanation"]


@dataclass(frozen=True, slots=True, repr=False)
class RemoteExplanation:
    """The cost and the error of a question that was not run."""

    epsilon: Fraction
    cost: Loss
    lines: tuple[ExplainedAggregate, ...]
    threshold: int | None
    steps: tuple[str, ...]
    notes: tuple[str, ...]
    receipt: Receipt | None
    covered: bool
    questions_left: int
    limited_by: str
    _document: dict[str, Any] = field(repr=False)

    @classmethod
    def read(cls, document: dict[str, Any]) -> Self:
        """Read the document of an explanation."""
        receipt = document["receipt"]
        return cls(
            Fraction(document["epsilon"]),
            Loss.from_dict(document["cost"]),
            tuple(map(_read_aggregate, document["aggregates"])),
            document["threshold"],
            tuple(document["steps"]),
            tuple(document["notes"]),
            None if receipt is None else read_receipt(receipt),
            document["covered"],
            document["questions_left"],
            document["limited_by"],
            document,
        )

    @property
    def free(self) -> bool:
        """True if a stored answer serves the question."""
        return self.receipt is not None

    def to_dict(self) -> dict[str, Any]:
        """Return the document that the service sent."""
        return self._document

    def __repr__(self) -> str:
        return render_explanation_text(self)

    def _repr_html_(self) -> str:
        return render_explanation_html(self)


def _read_aggregate(document: dict[str, Any]) -> ExplainedAggregate:
    return ExplainedAggregate(
        document["aggregate"],
        document["mechanism"],
        document["scale"],
        document["expected_error"],
        document["error_95"],
        document["note"],
    )
