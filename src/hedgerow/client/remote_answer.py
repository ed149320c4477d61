"""The answer of a service, read from its document: the same table as that of a local database."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from fractions import Fraction
from typing import Any, Self

from hedgerow.answers.answer import DEFAULT_LEVEL, Receipt
from hedgerow.answers.dataframes import (
    FrameConversions,
    add_interval_columns,
    build_partly_typed_table,
)
from hedgerow.answers.estimates.estimate import Interval
from hedgerow.answers.render import render_answer_html, render_answer_text
from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import Number, parse_exact
from hedgerow.plan.values import Type
from hedgerow.privacy.loss import Loss

__all__ = ["RemoteAnswer", "read_receipt", "read_rows"]


@dataclass(frozen=True, slots=True, repr=False)
class RemoteAnswer(FrameConversions):
    """A table of noisy values: ``rows`` holds them, ``interval`` bounds their noise."""

    types: Mapping[str, Type | None]
    rows: list[dict[str, Any]]
    cost: Loss
    receipts: tuple[Receipt, ...]
    notes: tuple[str, ...]
    keys: frozenset[str]
    _receipt: Receipt
    _intervals: Mapping[str, Sequence[Interval]] = field(repr=False)
    _document: dict[str, Any] = field(repr=False)

    @classmethod
    def read(cls, document: dict[str, Any]) -> Self:
        """Read the document of an answer."""
        receipt = read_receipt(document["receipt"])
        several = document.get("receipts")
        return cls(
            document["types"],
            read_rows(document),
            Loss.from_dict(document["cost"]),
            (receipt,) if several is None else tuple(map(read_receipt, several)),
            tuple(document["notes"]),
            frozenset(document["keys"]),
            receipt,
            {
                name: [None if pair is None else (_read_number(pair[0]), _read_number(pair[1]))
                       for pair in pairs]
                for name, pairs in document["intervals"].items()
            },
            document,
        )  # fmt: skip

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.types)

    @property
    def receipt(self) -> Receipt:
        """The receipt of the answer; of a statement of several questions, the first that was
        charged."""
        return self._receipt

    def interval(
        self, column: str, level: Number = DEFAULT_LEVEL, *, rows: int | None = None
    ) -> Sequence[Interval]:
        """Return for each row, or the first ``rows`` of them, an interval that holds the exact
        value after clamping and contribution bounds with probability 95 %; None for keys and
        NULL."""
        if column not in self.types:
            raise InvalidArgument("column", f"must be one of {', '.join(self.types)}", column)
        if parse_exact(level, "level") != DEFAULT_LEVEL:
            raise InvalidArgument(
                "level", "must be 0.95 for an answer of a service, which sends no other", level
            )
        return self._intervals[column][:rows]

    def to_dict(self) -> dict[str, Any]:
        """Return the document that the service sent."""
        return self._document

    def to_arrow(self, *, intervals: bool = False) -> Any:
        """Return the rows as a pyarrow table; ``intervals`` adds <name>_low and <name>_high, the
        ends of the 95 % intervals, after each column that has intervals."""
        table = build_partly_typed_table(self.types, self.rows)
        return add_interval_columns(table, self.interval) if intervals else table

    def __repr__(self) -> str:
        return render_answer_text(self)

    def _repr_html_(self) -> str:
        return render_answer_html(self)


def read_rows(document: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return the rows of a document with values of their types."""
    types = document["types"]
    return [
        {name: _read_value(row[name], types[name]) for name in types} for row in document["rows"]
    ]


def read_receipt(document: Mapping[str, Any]) -> Receipt:
    """Read the receipt in a document."""
    epsilon = Fraction(document["epsilon"])
    return Receipt(
        document["entry"], document["hash"], document["time"], epsilon, document["reused"]
    )


def _read_value(value: Any, type_: Type | None) -> Any:
    """Return a value of JSON as one of its type: dates and infinities are written as text."""
    if value is None:
        return None
    if type_ == "date":
        return date.fromisoformat(value)
    if type_ == "timestamp":
        return datetime.fromisoformat(value)
    return _read_number(value) if type_ in ("integer", "real") else value


def _read_number(value: Any) -> Any:
    return float(value) if isinstance(value, str) else value
