"""The closed list of functions: type, range and meaning of each. A function outside this list does
not exist.

Every function is total: no value of its types makes it raise, so no error can reveal the data.
Division by zero, the root of a negative number and the like are NULL. Arithmetic needs bounds,
because only then can neither an integer overflow nor a real become infinite.

A refusal here names the problem only; the SQL binder adds the place in the question and the fix.
"""

from __future__ import annotations

import math
import operator
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from typing import Any, Final

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.scalar.dates import (
    DATE_PARTS,
    DATE_SHIFTS,
    DATE_TRUNCATIONS,
    count_days_between,
    infer_date_part,
    infer_date_shift,
    infer_date_truncation,
    infer_days_between,
)
from hedgerow.plan.scalar.logic import (
    check_same_type,
    evaluate_and,
    evaluate_case,
    evaluate_coalesce,
    evaluate_in,
    evaluate_like,
    evaluate_nullif,
    evaluate_or,
    infer_case,
    infer_coalesce,
    promote_to_real,
)
from hedgerow.plan.scalar.strings import STRING_FUNCTIONS, infer_string_range
from hedgerow.plan.scalar.timestamps import TIMESTAMP_FUNCTIONS
from hedgerow.plan.values import Range, Type, compute_common_step

__all__ = ["FUNCTIONS", "LOGARITHMS", "Function", "round_half_away"]

RangeRule = Callable[[Sequence[Range]], Range]
_MAX_INTEGER: Final = 2**62  # whole numbers stay within 64 bits, with room for one more step
_MAX_EXACT_REAL: Final = 2**53  # reals up to here become whole numbers without loss
_MAX_REAL: Final = 2**1000
_TYPE_NAMES: Final[dict[Type, str]] = {
    "boolean": "a condition",
    "integer": "an integer",
    "real": "a real number",
    "text": "text",
    "date": "a date",
    "timestamp": "a timestamp",
}
_ZERO: Final = Range("integer", Fraction(0), Fraction(0), Fraction(0), nullable=False)
# The logarithms; their last bit may differ between machines.
LOGARITHMS: Final[dict[str, Callable[[Any], float]]] = {
    "ln": math.log,
    "log10": math.log10,
    "log2": math.log2,
}


@dataclass(frozen=True, slots=True)
class Function:
    """A function: ``infer_range`` returns the range of its value or refuses, ``evaluate`` the
    value. A ``strict`` function is NULL if an argument is.
    """

    name: str
    infer_range: RangeRule
    evaluate: Callable[..., Any]
    strict: bool = True


def round_half_away(value: float | Fraction) -> int:
    """Round to the nearest integer, halves away from zero, as the engines do."""
    exact = Fraction(value)
    size = math.floor(abs(exact) + Fraction(1, 2))
    return size if exact > 0 else -size


def _require_bounds(ranges: Sequence[Range], name: str) -> list[tuple[Fraction, Fraction]]:
    found = []
    for range_ in ranges:
        if range_.type not in ("integer", "real"):
            raise Unsupported(f"{name} needs numbers, but this is {_TYPE_NAMES[range_.type]}.")
        if range_.low is None or range_.high is None:
            raise Unbounded(
                f"{name} needs a number with bounds. Declare min and max of its columns in the"
                " policy, or clamp them: LEAST(GREATEST(x, 0), 100)."
            )
        found.append((range_.low, range_.high))
    return found


def _format_bound(number: Fraction) -> str:
    # a float would not hold all that may come here
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.3g}"


def _build_number_range(
    ranges: Sequence[Range], corners: Sequence[Fraction], name: str, step: Fraction | None
) -> Range:
    whole = all(range_.type == "integer" for range_ in ranges)
    low, high = min(corners), max(corners)
    if max(abs(low), abs(high)) > (_MAX_INTEGER if whole else _MAX_REAL):
        raise Unsupported(
            f"{name} may exceed the largest number: its bounds are {_format_bound(low)} and"
            f" {_format_bound(high)}."
        )
    if whole and (step is None or step.denominator != 1):
        step = Fraction(1)
    return Range(
        "integer" if whole else "real", low, high, step, nullable=any(r.nullable for r in ranges)
    )


def _infer_sum(sign: str, ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _require_bounds(ranges, sign)
    corners = [a + c, b + d] if sign == "+" else [a - d, b - c]
    return _build_number_range(
        ranges, corners, sign, compute_common_step(range_.step for range_ in ranges)
    )


def _infer_product(ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _require_bounds(ranges, "*")
    steps = (
        None
        if ranges[0].step is None or ranges[1].step is None
        else ranges[0].step * ranges[1].step
    )
    if c == d and c != 0 and ranges[0].step is not None:
        steps = ranges[0].step * abs(c)
    elif a == b and a != 0 and ranges[1].step is not None:
        steps = ranges[1].step * abs(a)
    return _build_number_range(ranges, [a * c, a * d, b * c, b * d], "*", steps)


def _infer_quotient(ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _require_bounds(ranges, "/")
    # by next to nothing is no better than by 0
    if c <= 0 <= d or max(abs(a), abs(b)) > min(abs(c), abs(d)) * _MAX_REAL:
        return Range("real")
    bounds = _build_number_range(ranges, [a / c, a / d, b / c, b / d], "/", None)
    return bounds.with_changes(type="real", step=None, nullable=True)


def _infer_remainder(ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _require_bounds(ranges, "%")
    if any(range_.type != "integer" for range_ in ranges):
        raise Unsupported("% needs integers.")
    most = max(abs(c), abs(d), Fraction(1)) - 1
    return Range(
        "integer", max(-most, min(a, Fraction(0))), min(most, max(b, Fraction(0))), Fraction(1)
    )


def _infer_absolute(ranges: Sequence[Range]) -> Range:
    ((low, high),) = _require_bounds(ranges, "ABS")
    corners = [abs(low), abs(high)] + ([Fraction(0)] if low <= 0 <= high else [])
    return _build_number_range(ranges, corners, "ABS", ranges[0].step)


def _infer_rounding(name: str, move: Callable[[Fraction], int], ranges: Sequence[Range]) -> Range:
    ((low, high),) = _require_bounds(ranges, name)
    if ranges[0].type == "integer":
        return ranges[0].with_changes(values=None)
    if max(abs(low), abs(high)) > _MAX_EXACT_REAL:
        raise Unsupported(
            f"{name} gives integers up to 2^53, but the bounds here are {_format_bound(low)} and"
            f" {_format_bound(high)}."
        )
    return Range(
        "integer",
        Fraction(move(low)),
        Fraction(move(high)),
        Fraction(1),
        nullable=ranges[0].nullable,
    )


def _infer_sqrt(ranges: Sequence[Range]) -> Range:
    ((_, high),) = _require_bounds(ranges, "SQRT")
    top = Fraction(math.ceil(math.sqrt(float(max(high, Fraction(0)))) + 1e-9))
    return Range("real", Fraction(0), top)


def _infer_logarithm(name: str, log: Callable[[Any], float], ranges: Sequence[Range]) -> Range:
    ((low, high),) = _require_bounds(ranges, name.upper())
    if float(low) <= 0:  # what is above 0 only as a fraction is 0 as a double
        return Range("real")
    return Range(
        "real",
        Fraction(math.floor(log(low))),
        Fraction(math.ceil(log(high))),
        nullable=ranges[0].nullable,
    )


def _infer_extreme(
    name: str, pick: Callable[[Sequence[Fraction]], Fraction], ranges: Sequence[Range]
) -> Range:
    """Return the range of LEAST or GREATEST of numbers, dates or timestamps; it needs no bounds.

    LEAST has an upper bound if one argument has one, and a lower bound if all have one; GREATEST
    the other way round. So GREATEST(LEAST(x, 9), 0) has both, whatever x is.
    """
    types = {range_.type for range_ in ranges}
    if types not in ({"date"}, {"timestamp"}) and not types <= {"integer", "real"}:
        raise Unsupported(
            f"{name} needs numbers only, or dates only, but these are"
            f" {' and '.join(sorted(types))}."
        )
    type_: Type = types.pop() if len(types) == 1 else "real"
    ends = [
        [end for end in side if end is not None]
        for side in ([r.low for r in ranges], [r.high for r in ranges])
    ]
    needed = (len(ranges), 1) if pick is min else (1, len(ranges))
    low, high = (
        pick(found) if len(found) >= least else None
        for found, least in zip(ends, needed, strict=True)
    )
    step = (
        Fraction(1) if type_ == "integer" else compute_common_step(range_.step for range_ in ranges)
    )
    return Range(type_, low, high, step, nullable=any(range_.nullable for range_ in ranges))


def _infer_real(ranges: Sequence[Range]) -> Range:
    if ranges[0].type not in ("integer", "real"):
        raise Unsupported(
            f"CAST converts numbers only, but this is {_TYPE_NAMES[ranges[0].type]}: declare its"
            " type in the policy instead."
        )
    return ranges[0].with_changes(type="real", values=None)


def _infer_text(ranges: Sequence[Range]) -> Range:
    if ranges[0].type in ("real", "text"):
        raise Unsupported("CAST to text needs a whole number, a date or a condition.")
    texts = sorted(map(_format_text, ranges[0].domain(1000) or ()))
    return Range("text", values=tuple(texts) or None, nullable=ranges[0].nullable)


def _format_text(value: Any) -> str:
    """Write a value as the engines do: timestamps without the zeros behind their seconds."""
    text = str(value)
    return text.lower() if value is True or value is False else text.rstrip("0" * ("." in text))


def _infer_boolean(ranges: Sequence[Range]) -> Range:
    return Range("boolean", nullable=any(range_.nullable for range_ in ranges))


def _infer_comparison(ranges: Sequence[Range]) -> Range:
    check_same_type(ranges, "A comparison")
    return _infer_boolean(ranges)


def _infer_logical(ranges: Sequence[Range]) -> Range:
    for range_ in ranges:
        if range_.type != "boolean":
            raise Unsupported(
                f"AND, OR and NOT need conditions, but this is {_TYPE_NAMES[range_.type]}."
            )
    return _infer_boolean(ranges)


def _infer_like(ranges: Sequence[Range]) -> Range:
    if any(range_.type != "text" for range_ in ranges):
        raise Unsupported("LIKE needs text.")
    return _infer_boolean(ranges)


_COMPARISONS: Final = (
    ("=", operator.eq),
    ("<>", operator.ne),
    ("<", operator.lt),
    ("<=", operator.le),
    (">", operator.gt),
    (">=", operator.ge),
)
_ALL_FUNCTIONS: Final = (
    Function("+", partial(_infer_sum, "+"), promote_to_real(operator.add)),
    Function("-", partial(_infer_sum, "-"), promote_to_real(operator.sub)),
    Function("*", _infer_product, promote_to_real(operator.mul)),
    Function("/", _infer_quotient, lambda a, b: None if b == 0 else float(a) / float(b)),
    Function(
        "%",
        _infer_remainder,
        lambda a, b: None if b == 0 else int(math.copysign(1, a)) * (abs(a) % abs(b)),
    ),
    Function("negate", lambda ranges: _infer_sum("-", [_ZERO, *ranges]), operator.neg),
    Function("abs", _infer_absolute, abs),
    Function("floor", partial(_infer_rounding, "FLOOR", math.floor), math.floor),
    Function("ceil", partial(_infer_rounding, "CEIL", math.ceil), math.ceil),
    Function("round", partial(_infer_rounding, "ROUND", round_half_away), round_half_away),
    Function("sqrt", _infer_sqrt, lambda a: None if a < 0 else math.sqrt(a)),
    *(
        Function(
            name,
            partial(_infer_logarithm, name, log),
            lambda a, log=log: None if a <= 0 else log(a),
        )
        for name, log in LOGARITHMS.items()
    ),
    Function("least", partial(_infer_extreme, "LEAST", min), promote_to_real(min)),
    Function("greatest", partial(_infer_extreme, "GREATEST", max), promote_to_real(max)),
    Function("to real", _infer_real, float),
    Function("to text", _infer_text, _format_text),
    *(Function(name, _infer_comparison, promote_to_real(test)) for name, test in _COMPARISONS),
    Function("in", _infer_comparison, evaluate_in, strict=False),
    Function("like", _infer_like, evaluate_like),
    Function("and", _infer_logical, evaluate_and, strict=False),
    Function("or", _infer_logical, evaluate_or, strict=False),
    Function("not", _infer_logical, lambda a: not a),
    Function(
        "is null", lambda _: Range("boolean", nullable=False), lambda a: a is None, strict=False
    ),
    Function("case", infer_case, evaluate_case, strict=False),
    Function("coalesce", infer_coalesce, evaluate_coalesce, strict=False),
    Function(
        "nullif",
        lambda ranges: ranges[check_same_type(ranges, "NULLIF")].with_changes(nullable=True),
        evaluate_nullif,
        strict=False,
    ),
    *(Function(name, partial(infer_date_part, name), part) for name, part in DATE_PARTS.items()),
    *(
        Function(name, partial(infer_date_truncation, name), start)
        for name, start in DATE_TRUNCATIONS.items()
    ),
    *(Function(name, partial(infer_date_shift, name), move) for name, move in DATE_SHIFTS.items()),
    Function("days between", infer_days_between, count_days_between),
    *(Function(name, *made) for name, made in TIMESTAMP_FUNCTIONS.items()),
    *(
        Function(name, partial(infer_string_range, name), run)
        for name, (_, _, run) in STRING_FUNCTIONS.items()
    ),
)
FUNCTIONS: Final = {function.name: function for function in _ALL_FUNCTIONS}
