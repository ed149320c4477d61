"""Conditions that no row can meet, by the declared values and bounds of columns."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import Final

from hedgerow.plan.scalar.expressions import (
    Call,
    ColumnRef,
    Constant,
    Expression,
    find_columns,
    infer_range,
)
from hedgerow.plan.values import Range
from hedgerow.sql.predicates.domain_narrowing import (
    MIRRORED,
    mirror_comparison,
    split_conjuncts,
    to_fraction,
)

__all__ = ["find_contradiction", "find_undeclared_value"]

_CAN_HOLD: Final[Mapping[str, Callable[[Range, Fraction], bool]]] = {
    "=": lambda known, value: _lower_end(known) <= value <= _upper_end(known),
    "<": lambda known, value: _lower_end(known) < value,
    "<=": lambda known, value: _lower_end(known) <= value,
    ">": lambda known, value: _upper_end(known) > value,
    ">=": lambda known, value: _upper_end(known) >= value,
}


def _lower_end(known: Range) -> Fraction | float:
    return -float("inf") if known.low is None else _round_end(known, known.low)


def _upper_end(known: Range) -> Fraction | float:
    return float("inf") if known.high is None else _round_end(known, known.high)


def _round_end(known: Range, end: Fraction) -> Fraction | float:
    """Return an end as values are clamped to it: 0.1 is above 1/10 as a double."""
    return float(end) if known.type == "real" else end


def _is_exact(subject: Expression, ranges: Mapping[str, Range]) -> bool:
    """Return whether the range of a subject holds to the last bit: reals that are computed are
    rounded, and x + 0.2 may exceed the sum of the ends."""
    return isinstance(subject, ColumnRef) or not _computes_with_reals(subject, ranges)


def _computes_with_reals(expression: Expression, ranges: Mapping[str, Range]) -> bool:
    return infer_range(expression, ranges).type == "real" or (
        isinstance(expression, Call)
        and any(_computes_with_reals(part, ranges) for part in expression.arguments)
    )


def find_contradiction(
    condition: Expression, ranges: Mapping[str, Range]
) -> tuple[Expression, Range | None] | None:
    """Return the subject of a condition that no row can meet, and the range that rules it out.

    The range is None if the constants contradict each other. Only comparisons, BETWEEN and IN,
    joined by AND and OR, are examined.
    """
    by_subject: dict[Expression, list[Call]] = {}
    for part in map(mirror_comparison, split_conjuncts(condition)):
        if isinstance(part, Call) and part.function == "or":
            each = [find_contradiction(branch, ranges) for branch in part.arguments]
            if None not in each:
                return each[0]
            continue
        if (
            isinstance(part, Call)
            and part.arguments
            and not isinstance(part.arguments[0], Constant)
        ):
            by_subject.setdefault(part.arguments[0], []).append(part)
    for subject, parts in by_subject.items():
        if not set(find_columns(subject)):
            continue
        known = infer_range(subject, ranges)
        is_exact = _is_exact(subject, ranges)
        if is_exact and any(_is_unsatisfiable(part, known) for part in parts):
            return subject, known
        if (
            is_exact
            and known.type == "integer"
            and any(_is_fractional_equality(part) for part in parts)
        ):
            return subject, Range("integer")
        if _has_crossed_ends(parts):
            return subject, None
    return None


def find_undeclared_value(
    condition: Expression, ranges: Mapping[str, Range]
) -> tuple[Expression, Range, str] | None:
    """Return a text in an IN list that its subject never is, with the subject and its range.

    Other values of the list may match, but this one is a mistake.
    """
    for part in split_conjuncts(condition):
        if (
            isinstance(part, Call)
            and part.function == "in"
            and set(find_columns(part.arguments[0]))
        ):
            known = infer_range(part.arguments[0], ranges)
            words = [
                argument.value
                for argument in part.arguments[1:]
                if isinstance(argument, Constant) and isinstance(argument.value, str)
            ]
            for word in words if known.values else ():
                if known.values is not None and word not in known.values:
                    return part.arguments[0], known, word
    return None


def _is_fractional_equality(part: Call) -> bool:
    numbers = [
        to_fraction(argument.value) if isinstance(argument, Constant) else None
        for argument in part.arguments[1:]
    ]
    return (
        part.function in ("=", "in")
        and bool(numbers)
        and all(number is not None and number.denominator > 1 for number in numbers)
    )


def _is_unsatisfiable(part: Call, known: Range) -> bool:
    rest = part.arguments[1:]
    constants = [
        argument.value
        for argument in rest
        if isinstance(argument, Constant) and argument.value is not None
    ]
    if part.function not in ("in", *MIRRORED) or not rest or len(constants) < len(rest):
        return False
    if known.values is not None and part.function in ("in", "=") and known.values:
        return not any(value in known.values for value in constants)
    numbers = [number for value in constants if (number := to_fraction(value)) is not None]
    holds = _CAN_HOLD["=" if part.function == "in" else part.function]
    return (
        bool(numbers)
        and len(numbers) == len(constants)
        and not any(holds(known, number) for number in numbers)
    )


def _has_crossed_ends(parts: Sequence[Call]) -> bool:
    """Return whether the largest lower bound lies above the smallest upper bound."""
    ends: dict[str, list[Fraction]] = {">": [], "<": []}
    for part in parts:
        value = (
            part.arguments[1].value
            if len(part.arguments) == 2 and isinstance(part.arguments[1], Constant)
            else None
        )
        number = to_fraction(value)
        if number is not None and part.function in (">", ">=", "<", "<="):
            ends[part.function[0]].append(number)
    return bool(ends[">"] and ends["<"]) and max(ends[">"]) > min(ends["<"])
