"""Whether suppressed cells of a table with totals can be computed again, or nearly so; and what it
tells that they are missing.

Each hole is unknown; each line or column with a published total is an equation. ``bounds`` then
says between which ends a hole lies, in exact numbers. A single hole in a line with its total is the
total minus the rest.
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
    "Which numbers are missing was chosen by looking at them: a hole says that the cell is a risky"
    " one, or stands beside one. A rule whose outcome depends on the data publishes something about"
    " the data, and no budget has paid for it."
)


@dataclass(frozen=True, slots=True)
class SuppressedCell:
    """A suppressed cell, and the ends between which the rest of the table holds it; ``high`` is
    None where nothing does. ``complete`` is False where a search among whole numbers was cut off,
    so that the ends may be wider than they need be."""

    row: str
    column: str
    low: Fraction
    high: Fraction | None
    is_complete: bool = True

    @property
    def is_recoverable(self) -> bool:
        """Whether it is no hole at all."""
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
    """The holes (None in ``table``) and the findings about them. ``whole`` for counts. ``below`` is
    the public rule "fewer than so many are suppressed", where nothing else was suppressed: it
    narrows every hole, because a hole then says that there are 1 to ``below`` − 1."""
    _check_shape(rows, columns, table, row_totals, column_totals)
    holes = [(i, j) for i, line in enumerate(table) for j, cell in enumerate(line) if cell is None]
    if not holes:
        return [], []
    system = _build_system(holes, table, row_totals, column_totals, total, below)
    if system.find_contradiction() is not None:
        raise InvalidArgument(
            "table", "must add up to its totals: no numbers of at least 0 fill its holes"
        )
    found, findings = [], []
    for place, (i, j) in enumerate(holes):
        system.search_notes.clear()
        low, high = _bound_cell(system, 1 << place, whole=whole)
        hole = SuppressedCell(rows[i], columns[j], low, high, not system.search_notes)
        found.append(hole)
        where = f"{hole.row}, {hole.column}"
        if hole.is_recoverable:
            ends = (int(low), int(low)) if whole else (None, None)
            findings.append(
                DisclosureFinding(
                    "recoverable",
                    f"The suppressed cell {where} is {format_amount(low)}: the totals give it"
                    " away.",
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
    return found, findings


def _bound_cell(
    system: AnswerSystem, bits: int, *, whole: bool
) -> tuple[Fraction, Fraction | None]:
    if whole:
        least, most = system.bound_integers(bits)
        return Fraction(least), None if most is None else Fraction(most)
    high, low = system.bound_above(bits), system.bound_below(bits)[1]
    return (Fraction(0) if low is None else -low.upper_bound), (
        None if high is None else high[1].upper_bound
    )


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
            "table", f"must have {len(rows)} lines of {len(columns)} cells, as the names say"
        )
    for name, given, wanted in zip(
        ("row_totals", "column_totals"), totals, (len(rows), len(columns)), strict=True
    ):
        if given is not None and len(given) != wanted:
            raise InvalidArgument(name, f"must be {wanted}", len(given))


def _to_fraction(given: Any) -> Fraction:
    if isinstance(given, bool) or not hasattr(given, "as_integer_ratio"):
        raise InvalidArgument("table", "must hold numbers, and None for what is suppressed")
    try:
        return Fraction(*given.as_integer_ratio())
    except (ValueError, OverflowError):
        raise InvalidArgument("table", "must hold finite numbers") from None
