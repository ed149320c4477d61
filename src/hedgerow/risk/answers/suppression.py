"""Suppressed cells of a table with totals: whether they can be computed, exactly or nearly.

Each missing cell is unknown; each row or column with a published total is an equation.
``lp_bounds`` then bounds each cell in exact numbers. A single missing cell in a row is its total
minus the rest.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.risk.answers.findings import DisclosureFinding, format_amount
from hedgerow.risk.answers.lp_bounds import AnswerSystem

__all__ = ["SUPPRESSION_WARNING", "SuppressedCell", "bound_suppressed_cells"]

SUPPRESSION_WARNING: Final = (
    "The suppressed numbers were chosen by looking at them: a missing cell is a risky one, or next"
    " to one. A rule whose outcome depends on the data publishes something about the data, and no"
    " budget has paid for it."
)


@dataclass(frozen=True, slots=True)
class SuppressedCell:
    """A suppressed cell and the bounds that the rest of the table implies; ``high`` may be None.

    ``is_complete`` is False where a search was cut off, so that the bounds may be wider than
    necessary.
    """

    row: str
    column: str
    low: Fraction
    high: Fraction | None
    is_complete: bool = True

    @property
    def is_recoverable(self) -> bool:
        """True if the cell can be computed exactly."""
        return self.low == self.high


def bound_suppressed_cells(
    rows: Sequence[str],
    columns: Sequence[str],
    table: Sequence[Sequence[Any]],
    *,
    row_totals: Sequence[Any] | None = None,
    column_totals: Sequence[Any] | None = None,
    total: Any = None,
    whole: bool = True,
    below: int | None = None,
) -> tuple[list[SuppressedCell], list[DisclosureFinding]]:
    """Bound the suppressed cells (None in ``table``), and report those that are revealed.

    ``whole`` is for counts. ``below`` is the public rule "fewer than this are suppressed", if
    nothing else was suppressed: it narrows every cell to 1 … ``below`` − 1.
    """
    _check_shape(rows, columns, table, row_totals, column_totals)
    holes = [(i, j) for i, line in enumerate(table) for j, cell in enumerate(line) if cell is None]
    if not holes:
        return [], []
    system = _build_system(holes, table, row_totals, column_totals, total, below)
    if system.find_contradiction() is not None:
        raise InvalidArgument(
            "table", "must add up to its totals: no numbers of at least 0 fit its missing cells"
        )
    cells, findings = [], []
    for place, (i, j) in enumerate(holes):
        system.search_notes.clear()
        low, high = _bound_cell(system, 1 << place, whole=whole)
        cell = SuppressedCell(rows[i], columns[j], low, high, not system.search_notes)
        cells.append(cell)
        where = f"{cell.row}, {cell.column}"
        if cell.is_recoverable:
            ends = (int(low), int(low)) if whole else (None, None)
            findings.append(
                DisclosureFinding(
                    "recoverable",
                    f"The suppressed cell {where} is {format_amount(low)}: it follows from"
                    " the totals.",
                    where,
                    *ends,
                )
            )
        elif high is not None and low > 0 and (high - low) * 10 < low:
            sentence = (
                f"The suppressed cell {where} lies between {format_amount(low)} and"
                f" {format_amount(high)}: within ten percent."
            )
            findings.append(DisclosureFinding("bounded", sentence, where))
    return cells, findings


def _bound_cell(
    system: AnswerSystem, bits: int, *, whole: bool
) -> tuple[Fraction, Fraction | None]:
    if whole:
        minimum, maximum = system.bound_integers(bits)
        return Fraction(minimum), None if maximum is None else Fraction(maximum)
    high, low = system.bound_above(bits), system.bound_below(bits)[1]
    lower = Fraction(0) if low is None else -low.upper_bound
    return lower, None if high is None else high[1].upper_bound


def _build_system(
    holes: Sequence[tuple[int, int]],
    table: Sequence[Sequence[Any]],
    row_totals: Sequence[Any] | None,
    column_totals: Sequence[Any] | None,
    total: Any,
    below: int | None,
) -> AnswerSystem:
    places = {hole: place for place, hole in enumerate(holes)}
    lines = [(total, [(i, j) for i, line in enumerate(table) for j in range(len(line))])]
    lines += [
        (each, [(i, j) for j in range(len(table[i]))]) for i, each in enumerate(row_totals or [])
    ]
    lines += [
        (each, [(i, j) for i in range(len(table))]) for j, each in enumerate(column_totals or [])
    ]
    members, low, high = [], list[Fraction | None](), list[Fraction | None]()
    for each, line in lines:
        if each is None:
            continue
        rest = _to_fraction(each) - sum(
            (_to_fraction(table[i][j]) for i, j in line if (i, j) not in places), Fraction(0)
        )
        members.append(sum(1 << places[cell] for cell in line if cell in places))
        low.append(rest)
        high.append(rest)
    if below is not None:
        members += [1 << place for place in range(len(holes))]
        low += [Fraction(1)] * len(holes)
        high += [Fraction(below - 1)] * len(holes)
    return AnswerSystem(len(holes), tuple(members), tuple(low), tuple(high))


def _check_shape(
    rows: Sequence[str],
    columns: Sequence[str],
    table: Sequence[Sequence[Any]],
    *totals: Sequence[Any] | None,
) -> None:
    if len(table) != len(rows) or any(len(line) != len(columns) for line in table):
        raise InvalidArgument(
            "table", f"must have {len(rows)} rows of {len(columns)} cells, one for each name"
        )
    for name, given, wanted in zip(
        ("row_totals", "column_totals"), totals, (len(rows), len(columns)), strict=True
    ):
        if given is not None and len(given) != wanted:
            raise InvalidArgument(name, f"must be {wanted} numbers", len(given))


def _to_fraction(given: Any) -> Fraction:
    if isinstance(given, bool) or not hasattr(given, "as_integer_ratio"):
        raise InvalidArgument("table", "must hold numbers, and None in suppressed cells")
    try:
        return Fraction(*given.as_integer_ratio())
    except (ValueError, OverflowError):
        raise InvalidArgument("table", "must hold finite numbers") from None
