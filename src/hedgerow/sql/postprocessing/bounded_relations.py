"""Tables of exact and noisy columns, some of which have intervals."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BoundedColumn", "BoundedRelation", "NoIntervalsError"]


class NoIntervalsError(Exception):
    """The form of a query is not one for which intervals are known."""


@dataclass(frozen=True, slots=True)
class BoundedColumn:
    """A column, its name if it is known, whether it is exact, and whether it has ends."""

    name: str | None
    is_exact: bool
    has_ends: bool = False


@dataclass(frozen=True, slots=True)
class BoundedRelation:
    """The columns of a table; ``has_all_rows`` unless noise has chosen its rows."""

    columns: tuple[BoundedColumn, ...]
    has_all_rows: bool = True

    def find(self, name: str) -> BoundedColumn | None:
        """Return the column of a name; None if there is none, or several."""
        found = [one for one in self.columns if (one.name or "").casefold() == name.casefold()]
        return found[0] if len(found) == 1 else None
