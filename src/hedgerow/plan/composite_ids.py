"""Composite unit ids: a unit that several columns identify together, such as store and customer.

A plan knows such a unit by one name, ``(store, customer)``, and one id: a text that is made of the
parts when a row is read. Everything above reads that id like any other.

Let t_1, …, t_n be the parts of a row as text: integers in decimal, without leading zeros, and text
as it is. The id is e(t_1) … e(t_n), where e(t) is the number of characters of t, a colon, and t.

**Statement.** Rows have the same id if and only if all their parts are equal.

**Proof.** From the left, an id is read back in one way only: the digits before the first colon say
how many characters follow it; they are t_1, and the rest is the id of the other parts. So e is
injective on lists of n texts. In one table a column has one type, whose values have different
texts. Ids of two tables meet only where the parts have the same types, column by column.

A row that lacks one part (NULL, NaN, blank text) has no id, like a row whose only id is missing: it
belongs to nobody and is dropped. Kept, all rows that lack it would be one unit of any size.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from hedgerow.errors import InvalidArgument

__all__ = ["encode_id", "list_id_columns", "name_composite_unit"]

_RESERVED = frozenset("(),\0")


def name_composite_unit(columns: Sequence[str], key: str = "unit") -> str:
    """Return the name of the unit that these columns identify; one column is its own name."""
    if not columns or len({name.casefold() for name in columns}) != len(columns):
        raise InvalidArgument(key, "must name one or more different columns", list(columns))
    for name in columns:
        if len(columns) > 1 and (name == "row" or not name.strip() or set(name) & _RESERVED):
            raise InvalidArgument(
                key, "must be of columns whose names have no comma and no parenthesis", name
            )
    return columns[0] if len(columns) == 1 else f"({', '.join(columns)})"


def list_id_columns(unit: str) -> tuple[str, ...]:
    """Return the columns of a unit by its name: the parts of a composite id, or the id column."""
    parts = unit[1:-1].split(", ") if unit.startswith("(") and unit.endswith(")") else []
    return tuple(parts) if len(parts) > 1 else (unit,)


def encode_id(parts: Iterable[int | str]) -> str:
    """Return the id of these parts."""
    return "".join(f"{len(text)}:{text}" for text in map(str, parts))
