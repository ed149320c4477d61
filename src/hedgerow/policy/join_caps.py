"""The caps on the rows of a table that enter a join of rows of different units."""

from __future__ import annotations

from collections.abc import Iterator

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.policy.mistake import KeyPath, Mistake
from hedgerow.policy.records import TableRule

__all__ = ["JOIN_CAPS", "check_join_caps", "read_join_cap"]

JOIN_CAPS = _PER_UNIT, _PER_KEY = "max_join_rows_per_unit", "max_join_rows_per_key"


def read_join_cap(value: object, key: str) -> int:
    """Read a cap, which nobody can find privately (docs/decisions/0018)."""
    if value == "auto":
        raise InvalidArgument(
            key,
            "cannot be found privately, because one person can change the numbers of rows of many"
            " join keys: write a number that is publicly known, such as 5",
            value,
        )
    return parse_whole(value, key)


def check_join_caps(rule: TableRule, place: KeyPath) -> Iterator[Mistake]:
    """Check that both caps are whole numbers, or that there are none."""
    caps = {key: getattr(rule, key) for key in JOIN_CAPS}
    for key, count in caps.items():
        if count is not None and (type(count) is not int or count < 1):
            message = f"{key} must be a whole number of at least 1; got {count!r}"
            yield Mistake((*place, key), message)
    if rule.public:
        for key in (key for key, count in caps.items() if count is not None):
            yield Mistake(
                (*place, key), f"a public table protects nobody: remove {key}, or remove public"
            )
    elif rule.unit == "row":
        if caps[_PER_UNIT] not in (None, 1):
            message = f'with unit = "row" a row is one row: remove {_PER_UNIT}'
            yield Mistake((*place, _PER_UNIT), message)
    elif caps[_PER_UNIT] is None and caps[_PER_KEY] is not None:
        yield Mistake(
            (*place, _PER_UNIT),
            f"{_PER_UNIT} is missing: write the number of rows of one unit that enter a join with"
            f" rows of other units, or remove {_PER_KEY}",
        )
    elif caps[_PER_UNIT] is not None and caps[_PER_KEY] is None:
        yield Mistake(
            (*place, _PER_KEY),
            f"{_PER_KEY} is missing: write the number of rows that count for one value of the"
            f" joined columns, or remove {_PER_UNIT}",
        )
