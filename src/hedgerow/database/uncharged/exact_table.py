"""An exact table of public rows, with the interface of an answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction
from html import escape
from typing import Any, Final

from hedgerow.answers.dataframes import FrameConversions, build_typed_table, encode_json_value
from hedgerow.answers.render import (
    format_omitted_rows,
    render_table_html,
    render_table_text,
)
from hedgerow.errors import InvalidArgument
from hedgerow.plan.values import Type
from hedgerow.privacy.loss import Loss

__all__ = ["ExactTable"]

_FREE_NOTE: Final = "Free: no protected data were read."


@dataclass(frozen=True, slots=True, repr=False)
class ExactTable(FrameConversions):
    """A table without noise; ``types`` has its columns in order."""

    types: Mapping[str, Type]
    rows: list[dict[str, Any]]
    reason: str = _FREE_NOTE

    @property
    def columns(self) -> tuple[str, ...]:
        """The names of the columns."""
        return tuple(self.types)

    @property
    def cost(self) -> Loss:
        """A loss of 0."""
        return Loss(Fraction(0))

    @property
    def receipt(self) -> Any:
        """None: no ledger entry paid for it."""
        return None

    @property
    def notes(self) -> tuple[str, ...]:
        """The note that says why it is free."""
        return (self.reason,)

    @property
    def keys(self) -> frozenset[str]:
        """All columns: there is no noise."""
        return frozenset(self.types)

    def interval(
        self,
        column: str,
        level: object = None,  # noqa: ARG002
        *,
        rows: int | None = None,
    ) -> list[None]:
        """Return None for each row: there is no noise."""
        if column not in self.types:
            raise InvalidArgument("column", f"must be one of {', '.join(self.types)}", column)
        return [None] * len(self.rows[:rows])

    def to_dict(self) -> dict[str, Any]:
        """Return plain data for JSON, with dates and infinities as text."""
        return {
            "columns": list(self.columns),
            "types": dict(self.types),
            "keys": list(self.columns),
            "rows": [
                {
                    name: str(value) if value == float("inf") else encode_json_value(value)
                    for name, value in row.items()
                }
                for row in self.rows
            ],
            "intervals": {name: [None] * len(self.rows) for name in self.columns},
            "cost": self.cost.to_dict(),
            "receipt": None,
            "notes": list(self.notes),
        }

    def to_arrow(self, *, intervals: bool = False) -> Any:  # noqa: ARG002
        """Return the rows as a pyarrow table; no column has intervals: there is no noise."""
        return build_typed_table(self.types, self.rows)

    def __repr__(self) -> str:
        return render_table_text(self, [*format_omitted_rows(len(self.rows)), self.reason])

    def _repr_html_(self) -> str:
        titles = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        rows = (
            "".join(f"<td>{escape(_format_cell(value))}</td>" for value in row.values())
            for row in self.rows
        )
        return render_table_html(titles, "".join(f"<tr>{row}</tr>" for row in rows), self.notes)


def _format_cell(value: object) -> str:
    return (
        "NULL" if value is None else str(value).lower() if isinstance(value, bool) else str(value)
    )
