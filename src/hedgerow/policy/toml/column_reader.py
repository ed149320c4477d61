"""The reader of the columns of a table, with the default step of their grid filled in."""

from __future__ import annotations

from datetime import date
from fractions import Fraction

from hedgerow.errors import InvalidArgument
from hedgerow.numeric.exact_number import parse_whole
from hedgerow.plan.values import number_date
from hedgerow.policy.declared_values import (
    TYPES,
    Granularity,
    Value,
    read_moment,
    read_moments,
    read_values,
)
from hedgerow.policy.records import ColumnRule
from hedgerow.policy.toml.section_reader import (
    Section,
    build_choice_reader,
    read_flag,
    read_number,
)

__all__ = ["compute_default_step", "read_columns"]

_TEXT_KEYS = ("max_length", "max_pieces")


def read_columns(table: Section) -> tuple[tuple[ColumnRule, ...], bool]:
    """Read the columns of a table; also return whether all could be read."""
    section = table.read_section("columns")
    rules = (
        [_read_column(name, inner) for name, inner in section.list_sections()]
        if section is not None
        else []
    )
    found = tuple(rule for rule in rules if rule is not None)
    return found, len(found) == len(rules)


def _read_column(name: str, section: Section) -> ColumnRule | None:
    section.check_keys("type", "min", "max", "step", "values", "max_length", "max_pieces", "hidden")
    kind = section.read_optional("type", build_choice_reader(*TYPES))
    if kind == "timestamp":
        return _read_timestamp(name, section)
    low, high = section.read_optional("min", _read_bound), section.read_optional("max", _read_bound)
    step = section.read_optional("step", read_number)
    length, pieces = (section.read_optional(key, parse_whole) for key in _TEXT_KEYS)
    hidden = section.read_optional("hidden", read_flag) or False
    found = (
        section.read_optional("values", lambda written, _: read_values(written, kind))
        if not section.bad_keys
        else None
    )
    if section.bad_keys:
        return None
    values: tuple[Value, ...] | None = None
    grain: Granularity = "day"
    if found is not None:
        kind, values, grain = found
    if kind == "boolean" and values is None and not hidden:
        values = (False, True)
    if step is None and low is not None and high is not None and low < high:
        step = compute_default_step(kind, low, high)
    return ColumnRule(
        name,
        kind,
        low,
        high,
        step,
        values,
        hidden=hidden,
        grain=grain,
        max_length=length,
        max_pieces=pieces,
    )


def _read_timestamp(name: str, section: Section) -> ColumnRule | None:
    """Read a timestamp column; its bounds are the numbers of timestamps."""
    section.check_keys("type", "min", "max", "values", "hidden")
    hidden = section.read_optional("hidden", read_flag) or False
    ends = section.read_optional("values", lambda written, _: read_moments(written)) or (
        section.read_optional("min", read_moment),
        section.read_optional("max", lambda value, key: read_moment(value, key, is_end=True)),
    )
    if section.bad_keys:
        return None
    low, high = (None if end is None else Fraction(number_date(end)) for end in ends)
    return ColumnRule(name, "timestamp", low, high, hidden=hidden)


def _read_bound(value: object, key: str) -> Fraction:
    if isinstance(value, date):
        raise InvalidArgument(
            key,
            'must be a number; for dates write a range, such as values = "2026-01-01 … 2026-12-31"',
            value.isoformat(),
        )
    return read_number(value, key)


def compute_default_step(kind: str | None, low: Fraction, high: Fraction) -> Fraction | None:
    """Return 1 for integers; for reals, the largest power of two that fits 2^20 times between the
    bounds.
    """
    if kind != "real":
        return Fraction(1) if kind == "integer" else None
    wanted = (high - low) / 2**20
    # exact, or one too high
    power = wanted.numerator.bit_length() - wanted.denominator.bit_length()
    step = Fraction(2) ** power
    return step if step <= wanted else step / 2
