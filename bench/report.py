"""What the bench found: tables of figures, the targets beside them, and how both are printed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import asdict, dataclass
from typing import Any

from rich.console import Console
from rich.padding import Padding
from rich.table import Table
from rich.text import Text

__all__ = ["Cell", "Row", "Section", "Target", "ratio", "render", "shown", "worst"]

Cell = float | str | None
Row = Mapping[str, Cell]

_STYLES = {"met": "bold green", "not met": "bold red", "not measured": "yellow"}


@dataclass(frozen=True, slots=True)
class Target:
    """What the project wants, and the worst figure found for it (None: nothing was measured)."""

    text: str
    limit: float
    value: float | None
    where: str = ""
    at_least: bool = False

    @property
    def mark(self) -> str:
        """One of: met, not met, not measured."""
        if self.value is None:
            return "not measured"
        met = self.value >= self.limit if self.at_least else self.value <= self.limit
        return "met" if met else "not met"

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {**asdict(self), "mark": self.mark}


@dataclass(frozen=True, slots=True)
class Section:
    """What one part of the bench found: rows, all with the columns of the first one."""

    title: str
    rows: Sequence[Row]
    targets: Sequence[Target] = ()
    notes: Sequence[str] = ()
    wide: Sequence[Sequence[str]] = ()  # columns of each table, where one would not fit a terminal

    def to_dict(self) -> dict[str, Any]:
        """As plain data."""
        return {
            "title": self.title,
            "rows": [dict(row) for row in self.rows],
            "targets": [target.to_dict() for target in self.targets],
            "notes": list(self.notes),
        }


def ratio(top: Cell, bottom: Cell) -> float | None:
    """How many times ``bottom`` goes into ``top``; None where one is missing."""
    return (
        top / bottom
        if isinstance(top, float) and isinstance(bottom, float) and bottom > 0
        else None
    )


def worst(
    text: str,
    limit: float,
    rows: Iterable[Row],
    column: str,
    *,
    at_least: bool = False,
    size: bool = False,
) -> Target:
    """A target for a whole column, judged by its worst figure (by ``size``: the one farthest
    from 0).
    """
    found = [
        (abs(cell) if size else cell, _label(row))
        for row in rows
        if isinstance(cell := row[column], float)
    ]
    if not found:
        return Target(text, limit, None, at_least=at_least)
    value, where = (min if at_least else max)(found)
    return Target(text, limit, value, where, at_least)


def _label(row: Row) -> str:
    return " ".join(cell for cell in list(row.values())[:2] if isinstance(cell, str))


def shown(cell: Cell) -> str:
    """About four digits that count, without an exponent."""
    if cell is None:
        return "–"
    if isinstance(cell, str):
        return cell
    digits = 0 if abs(cell) >= 100 else 2 if abs(cell) >= 10 else 3 if abs(cell) >= 1 else 4
    return f"{cell:,.{digits}f}"


def _table(section: Section, columns: Sequence[str]) -> Table:
    table = Table(header_style="dim", box=None, pad_edge=False, collapse_padding=True)
    for name in columns:
        words = isinstance(section.rows[0][name], str)
        table.add_column(
            name, justify="left" if words else "right", vertical="bottom", no_wrap=words
        )
    for row in section.rows:
        table.add_row(*(shown(row[name]) for name in columns))
    return table


def _targets(section: Section) -> Table:
    lines = Table.grid(padding=(0, 2))
    lines.add_column(justify="right", width=12)
    for target in section.targets:
        found = "" if target.value is None else f": {shown(target.value)} at worst"
        where = f" ({target.where})" if target.value is not None and target.where else ""
        lines.add_row(
            Text(target.mark, style=_STYLES[target.mark]), Text(target.text + found + where)
        )
    return lines


def render(section: Section, console: Console) -> None:
    """Print one section."""
    console.print(Text(f"\n{section.title}", style="bold"))
    for columns in section.wide or [tuple(section.rows[0])]:
        console.print(_table(section, columns))
    for note in section.notes:
        console.print(Padding(Text(note, style="dim"), (0, 0, 0, 2)))
    if section.targets:
        console.print(_targets(section))
