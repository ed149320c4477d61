"""The checks of a single column, and of a column as the unit of its table."""

from __future__ import annotations

from collections.abc import Iterator
from datetime import date
from fractions import Fraction
from itertools import chain

from hedgerow.plan.composite_ids import list_id_columns
from hedgerow.policy.declared_values import GRANULARITIES, TYPES, Granularity, Value
from hedgerow.policy.mistake import KeyPath, Mistake, check_name, format_number
from hedgerow.policy.records import ColumnRule

__all__ = ["MAX_STEPS", "check_column"]

MAX_STEPS = 2**40
# The keys of text columns, and the most that they may be.
_MOST = {"max_length": 2**31 - 1, "max_pieces": 20}
_PART_TYPES = ("integer", "text")
_MAX_STEPS_FROM_ZERO = 2**60  # steps from zero: the engine counts them in 64-bit integers


def check_column(rule: ColumnRule, place: KeyPath, unit: str | None) -> Iterator[Mistake]:
    """Check one column; ``unit`` is the unit of its table."""
    yield from check_name(place, rule.name, "a column")
    declared = [
        key
        for key, value in (
            ("min", rule.low),
            ("max", rule.high),
            ("step", rule.step),
            ("values", rule.values),
            *((key, getattr(rule, key)) for key in _MOST),
        )
        if value is not None
    ]
    is_unit = unit not in {None, "row"} and rule.name.casefold() == str(unit).casefold()
    parts = list_id_columns(unit or "row")[1:] and list_id_columns(str(unit))
    if is_unit and rule.hidden:
        yield Mistake(
            (*place, "hidden"),
            f"the unit column {rule.name!r} is always hidden: remove hidden",
        )
    elif is_unit and declared:
        yield Mistake(
            (*place, declared[0]),
            f"the unit column {rule.name!r} may only have a type: remove {', '.join(declared)}",
        )
    elif rule.hidden:
        if rule.type is not None or declared:
            yield Mistake(
                place,
                "a hidden column has no other keys: remove"
                f" {', '.join(['type', *declared] if rule.type else declared)}",
            )
    elif rule.type is None:
        yield Mistake(
            (*place, "type"),
            f"type is missing: write one of {', '.join(TYPES)}, or values, or hidden = true",
        )
    elif rule.name.casefold() in map(str.casefold, parts) and rule.type not in _PART_TYPES:
        yield Mistake(
            (*place, "type"),
            f"{rule.name!r} is a part of the unit and must be integer or text; got {rule.type!r}",
        )
    elif rule.type not in TYPES:
        yield Mistake(
            (*place, "type"), f"type must be one of {', '.join(TYPES)}; got {rule.type!r}"
        )
    else:
        checks = (_check_bounds, _check_values, _check_text)
        yield from chain.from_iterable(check(rule, place) for check in checks)


def _check_bounds(rule: ColumnRule, place: KeyPath) -> Iterator[Mistake]:
    low, high, step = rule.low, rule.high, rule.step
    if rule.type not in {"integer", "real", "timestamp"} and not low is high is step is None:
        fix = (
            'write a range of values, such as values = "2026-01-01 … 2026-12-31"'
            if rule.type == "date"
            else "remove them"
        )
        yield Mistake(
            place,
            f"min, max and step are only allowed for integer, real and timestamp columns: {fix}",
        )
    elif low is None and high is None:
        if step is not None:
            yield Mistake((*place, "step"), "step needs min and max: add both, or remove step")
    elif low is None or high is None:
        present, missing = ("max", "min") if low is None else ("min", "max")
        yield Mistake(
            (*place, present),
            f"{missing} is missing: add it, or remove {present}; one bound alone does not limit how"
            " much one unit can change an answer",
        )
    elif high <= low:
        yield Mistake(
            (*place, "max"),
            f"max must be above min ({format_number(low)}); got {format_number(high)}"
            if rule.type != "timestamp"
            else "the last moment must be after the first: swap the two ends",
        )
    else:
        if rule.type == "integer":
            for key, number in (("min", low), ("max", high), ("step", step)):
                if number is not None and number.denominator != 1:
                    yield Mistake(
                        (*place, key),
                        f"{key} of an integer column must be a whole number; got"
                        f" {format_number(number)}",
                    )
        if step is not None:
            yield from _check_step(low, high, step, place)


def _check_step(low: Fraction, high: Fraction, step: Fraction, place: KeyPath) -> Iterator[Mistake]:
    if step <= 0:
        yield Mistake((*place, "step"), f"step must be above 0; got {format_number(step)}")
    elif step > high - low:
        yield Mistake(
            (*place, "step"),
            f"step must be at most max - min ({format_number(high - low)}); got"
            f" {format_number(step)}",
        )
    elif (high - low) / step > MAX_STEPS or max(-low, high) / step > _MAX_STEPS_FROM_ZERO:
        yield Mistake(
            (*place, "step"),
            f"a step of {format_number(step)} is too small: a range may have at most 2^40 steps,"
            " so use a larger step or a smaller range",
        )


def _check_text(rule: ColumnRule, place: KeyPath) -> Iterator[Mistake]:
    for key, most in _MOST.items():
        given = getattr(rule, key)
        if given is None:
            continue
        if rule.type != "text" or rule.values is not None:
            yield Mistake(
                (*place, key), f"{key} is only allowed for text columns without values: remove it"
            )
        elif not 1 <= given <= most:
            yield Mistake((*place, key), f"{key} must be at most {most}; got {given}")


def _check_values(rule: ColumnRule, place: KeyPath) -> Iterator[Mistake]:
    if rule.values is None:
        return
    place = (*place, "values")
    if rule.grain not in GRANULARITIES or (
        rule.grain != "day"
        and any(_compute_first_day(value, rule.grain) != value for value in rule.values)
    ):
        yield Mistake(place, f"values must be dates on the first day of their {rule.grain}")
    if not rule.values:
        yield Mistake(
            place, "values must not be empty: list every value that may appear in an answer"
        )
    seen = set()
    for value in rule.values:
        if value in seen:
            yield Mistake(
                place,
                f"values must be distinct: remove the second {str(value)!r}",
            )
            break
        seen.add(value)
    if rule.low is not None and rule.high is not None:
        outside = [
            value
            for value in rule.values
            if isinstance(value, (int, Fraction)) and not rule.low <= value <= rule.high
        ]
        if outside:
            yield Mistake(place, f"values must lie between min and max; got {outside[0]}")


def _compute_first_day(value: Value, grain: Granularity) -> date | None:
    if not isinstance(value, date):
        return None
    return value.replace(day=1) if grain == "month" else value.replace(month=1, day=1)
