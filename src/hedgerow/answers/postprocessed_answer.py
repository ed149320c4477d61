"""The answer to a statement that was split: SQL over noisy answers. It reads nothing else, so it
costs what its pieces cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from hedgerow.answers.answer import DEFAULT_LEVEL, Answer, Receipt
from hedgerow.answers.dataframes import (
    FrameConversions,
    add_interval_columns,
    build_typed_table,
    encode_json_value,
)
from hedgerow.answers.estimates.estimate import Interval
from hedgerow.answers.render import render_answer_html, render_answer_text
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.plan.values import Type
from hedgerow.privacy.loss import Loss

__all__ = ["PostprocessedAnswer"]

INTERVALS_NOTE: Final = (
    "Intervals follow from those of the noisy answers, all of which hold together at 95 %. They do"
    " not account for a choice of rows by noisy values."
)
NO_INTERVALS_NOTE: Final = (
    "Values without intervals are computed from noisy answers in a way that has none."
    " answer.pieces has the noisy answers with theirs."
)


@dataclass(frozen=True, slots=True, repr=False)
class PostprocessedAnswer(FrameConversions):
    """A table computed from noisy answers; ``pieces`` are these answers, with their intervals."""

    types: Mapping[str, Type]
    rows: list[dict[str, Any]]
    pieces: tuple[Answer, ...] = field(repr=False)
    intervals: Mapping[str, Sequence[Interval]] = field(default_factory=dict)
    exact_columns: frozenset[str] = frozenset()
    remarks: tuple[str, ...] = ()

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.types)

    @property
    def cost(self) -> Loss:
        """The sum of what the pieces cost; those that were stored cost nothing."""
        first, *rest = (piece.cost for piece in self.pieces)
        return sum(rest, first)

    @property
    def receipts(self) -> tuple[Receipt, ...]:
        """The receipts of the pieces."""
        return tuple(piece.receipt for piece in self.pieces)

    @property
    def receipt(self) -> Receipt:
        """The receipt of the first piece that was charged, or of the first one if none was."""
        charged = (receipt for receipt in self.receipts if not receipt.reused)
        return next(charged, self.receipts[0])

    @property
    def notes(self) -> tuple[str, ...]:
        """The notes of the statement and its pieces, each once, and the ones about intervals."""
        notes = dict.fromkeys(self.remarks) | dict.fromkeys(
            note for piece in self.pieces for note in piece.notes
        )
        if self.intervals:
            notes[INTERVALS_NOTE] = None
        if any(name not in self.intervals for name in self.types if name not in self.keys):
            notes[NO_INTERVALS_NOTE] = None
        return tuple(notes)

    @property
    def keys(self) -> frozenset[str]:
        """The columns without noise, and those of text, dates and booleans."""
        plain = (name for name, type_ in self.types.items() if type_ in _PLAIN_TYPES)
        return self.exact_columns.union(plain)

    def interval(
        self, column: str, level: Number = DEFAULT_LEVEL, *, rows: int | None = None
    ) -> Sequence[Interval]:
        """Return for each row the values that it takes while all noisy answers stay in their
        intervals, which hold together at 95 %; None where that is not known."""
        if column not in self.types:
            raise InvalidArgument("column", f"must be one of {', '.join(self.types)}", column)
        if parse_exact(level, "level") != parse_exact(DEFAULT_LEVEL, "level"):
            raise InvalidArgument(
                "level", "must be 0.95 here; answer.pieces have intervals of any level", level
            )
        return self.intervals.get(column, [None] * len(self.rows))[:rows]

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON: dates, and the exact numbers of the cost, as text."""
        return {
            "columns": list(self.columns),
            "types": dict(self.types),
            "keys": [name for name in self.columns if name in self.keys],
            "rows": [
                {name: encode_json_value(value) for name, value in row.items()} for row in self.rows
            ],
            "intervals": {name: list(self.interval(name)) for name in self.columns},
            "cost": self.cost.to_dict(),
            "receipt": self.receipt.to_dict(),
            "receipts": [receipt.to_dict() for receipt in self.receipts],
            "notes": list(self.notes),
        }

    def to_arrow(self, *, intervals: bool = False) -> Any:
        """Return the rows as a pyarrow table; ``intervals`` adds <name>_low and <name>_high after
        each column that has intervals."""
        table = build_typed_table(self.types, self.rows)
        return add_interval_columns(table, self.interval) if intervals else table

    def __repr__(self) -> str:
        return render_answer_text(self)

    def _repr_html_(self) -> str:
        return render_answer_html(self)


_PLAIN_TYPES: Final = ("text", "date", "timestamp", "boolean")
