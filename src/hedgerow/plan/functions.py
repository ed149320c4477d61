"""The closed list of functions: type, range and meaning of each.

Every function is total: no value of its types makes it raise, so no error can tell what the data hold. Division by zero, the root of
a negative number and the like are NULL. Arithmetic wants bounds, because only then can neither a whole number overflow nor a real
become infinite. A function outside this list does not exist.
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
from hedgerow.plan.dates import MOVES, PARTS, STARTS, between, between_range, move_range, part_range, start_range
from hedgerow.plan.logic import and_, case, case_range, coalesce, coalesce_range, like, member, nullif, or_, real_if_mixed, same_types
from hedgerow.plan.texts import TEXTS, text_range
from hedgerow.plan.values import Range, Type, common_step

__all__ = ["FUNCTIONS", "Function", "half_away"]

Rule = Callable[[Sequence[Range]], Range]
_WHOLE: Final = 2**62  # whole numbers stay within 64 bits, with room for one more step
_EXACT: Final = 2**53  # reals up to here become whole numbers without loss
_LARGE: Final = 2**1000


@dataclass(frozen=True, slots=True)
class Function:
    """``result`` gives the range of the value or refuses; ``evaluate`` the value. A ``strict`` one is NULL where an argument is."""

    name: str
    result: Rule
    evaluate: Callable[..., Any]
    strict: bool = True


def half_away(value: float | Fraction) -> int:
    """To the nearest whole number, halves away from zero: as the engines round."""
    exact = Fraction(value)
    size = math.floor(abs(exact) + Fraction(1, 2))
    return size if exact > 0 else -size


def _bounds(ranges: Sequence[Range], name: str) -> list[tuple[Fraction, Fraction]]:
    found = []
    for range_ in ranges:
        if range_.type not in ("integer", "real"):
            raise Unsupported(f"{name} works on numbers, and this is {_a(range_.type)}.")
        if range_.low is None or range_.high is None:
            raise Unbounded(f"{name} needs a number with known bounds: declare min and max of its columns in the policy.")
        found.append((range_.low, range_.high))
    return found


def _a(type_: Type) -> str:
    return {"boolean": "a truth value", "integer": "a whole number", "real": "a real number", "text": "text", "date": "a date"}[type_]


def _brief(number: Fraction) -> str:
    return f"{Decimal(number.numerator) / Decimal(number.denominator):.3g}"  # a float would not hold all that may come here


def _number(ranges: Sequence[Range], corners: Sequence[Fraction], name: str, step: Fraction | None) -> Range:
    whole = all(range_.type == "integer" for range_ in ranges)
    low, high = min(corners), max(corners)
    if max(abs(low), abs(high)) > (_WHOLE if whole else _LARGE):
        raise Unsupported(f"{name} may leave the range of numbers here: its bounds are {_brief(low)} and {_brief(high)}.")
    if whole and (step is None or step.denominator != 1):
        step = Fraction(1)
    return Range("integer" if whole else "real", low, high, step, nullable=any(r.nullable for r in ranges))


def _sum(sign: str, ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _bounds(ranges, sign)
    corners = [a + c, b + d] if sign == "+" else [a - d, b - c]
    return _number(ranges, corners, sign, common_step(range_.step for range_ in ranges))


def _product(ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _bounds(ranges, "*")
    steps = None if ranges[0].step is None or ranges[1].step is None else ranges[0].step * ranges[1].step
    if c == d and c != 0 and ranges[0].step is not None:
        steps = ranges[0].step * abs(c)
    elif a == b and a != 0 and ranges[1].step is not None:
        steps = ranges[1].step * abs(a)
    return _number(ranges, [a * c, a * d, b * c, b * d], "*", steps)


def _quotient(ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _bounds(ranges, "/")
    if c <= 0 <= d or max(abs(a), abs(b)) > min(abs(c), abs(d)) * _LARGE:  # by next to nothing is no better than by 0
        return Range("real")
    bounds = _number(ranges, [a / c, a / d, b / c, b / d], "/", None)
    return bounds.but(type="real", step=None, nullable=True)


def _remainder(ranges: Sequence[Range]) -> Range:
    (a, b), (c, d) = _bounds(ranges, "%")
    if any(range_.type != "integer" for range_ in ranges):
        raise Unsupported("% works on whole numbers.")
    most = max(abs(c), abs(d), Fraction(1)) - 1
    return Range("integer", max(-most, min(a, Fraction(0))), min(most, max(b, Fraction(0))), Fraction(1))


def _opposite(ranges: Sequence[Range]) -> Range:
    ((low, high),) = _bounds(ranges, "-")
    return _number(ranges, [-low, -high], "-", ranges[0].step)


def _absolute(ranges: Sequence[Range]) -> Range:
    ((low, high),) = _bounds(ranges, "ABS")
    corners = [abs(low), abs(high)] + ([Fraction(0)] if low <= 0 <= high else [])
    return _number(ranges, corners, "ABS", ranges[0].step)


def _to_whole(name: str, move: Callable[[Fraction], int], ranges: Sequence[Range]) -> Range:
    ((low, high),) = _bounds(ranges, name)
    if ranges[0].type == "integer":
        return ranges[0].but(values=None)
    if max(abs(low), abs(high)) > _EXACT:
        raise Unsupported(f"{name} gives whole numbers up to 2^53, and the bounds here are {_brief(low)} and {_brief(high)}.")
    return Range("integer", Fraction(move(low)), Fraction(move(high)), Fraction(1), nullable=ranges[0].nullable)


def _root(ranges: Sequence[Range]) -> Range:
    ((_, high),) = _bounds(ranges, "SQRT")
    top = Fraction(math.ceil(math.sqrt(float(max(high, Fraction(0)))) + 1e-9))
    return Range("real", Fraction(0), top)


def _logarithm(ranges: Sequence[Range]) -> Range:
    ((low, high),) = _bounds(ranges, "LN")
    if float(low) <= 0:  # what is above 0 only as a fraction is 0 as a double
        return Range("real")
    return Range("real", Fraction(math.floor(math.log(low))), Fraction(math.ceil(math.log(high))), nullable=ranges[0].nullable)


def _extreme(name: str, pick: Callable[[Sequence[Fraction]], Fraction], ranges: Sequence[Range]) -> Range:
    """Of numbers, or of dates. It computes nothing, and so needs no bounds: LEAST has an upper one where one of its arguments has, and
    a lower one where all have; GREATEST the other way round. So GREATEST(LEAST(x, 9), 0) has both, whatever x is."""
    types = {range_.type for range_ in ranges}
    if types != {"date"} and not types <= {"integer", "real"}:
        raise Unsupported(f"{name} works on numbers, or on dates, and here are {' and '.join(sorted(types))}.")
    type_: Type = types.pop() if len(types) == 1 else "real"
    ends = [[end for end in side if end is not None] for side in ([r.low for r in ranges], [r.high for r in ranges])]
    needed = (len(ranges), 1) if pick is min else (1, len(ranges))
    low, high = (pick(found) if len(found) >= least else None for found, least in zip(ends, needed, strict=True))
    step = Fraction(1) if type_ == "integer" else common_step(range_.step for range_ in ranges)
    return Range(type_, low, high, step, nullable=any(range_.nullable for range_ in ranges))


def _real(ranges: Sequence[Range]) -> Range:
    if ranges[0].type not in ("integer", "real"):
        raise Unsupported(f"CAST turns numbers into numbers, and this is {_a(ranges[0].type)}: declare its type in the policy instead.")
    return ranges[0].but(type="real", values=None)


def _truth(ranges: Sequence[Range]) -> Range:
    return Range("boolean", nullable=any(range_.nullable for range_ in ranges))


def _compared(ranges: Sequence[Range]) -> Range:
    same_types(ranges, "A comparison")
    return _truth(ranges)


def _logical(ranges: Sequence[Range]) -> Range:
    for range_ in ranges:
        if range_.type != "boolean":
            raise Unsupported(f"AND, OR and NOT work on conditions, and this is {_a(range_.type)}.")
    return _truth(ranges)


def _matched(ranges: Sequence[Range]) -> Range:
    if any(range_.type != "text" for range_ in ranges):
        raise Unsupported("LIKE works on text.")
    return _truth(ranges)


def _divide(a: float, b: float) -> float | None:
    return None if b == 0 else float(a) / float(b)


_TESTS: Final = (("=", operator.eq), ("<>", operator.ne), ("<", operator.lt), ("<=", operator.le), (">", operator.gt), (">=", operator.ge))
_LIST: Final = (
    Function("+", partial(_sum, "+"), real_if_mixed(operator.add)),
    Function("-", partial(_sum, "-"), real_if_mixed(operator.sub)),
    Function("*", _product, real_if_mixed(operator.mul)),
    Function("/", _quotient, _divide),
    Function("%", _remainder, lambda a, b: None if b == 0 else int(math.copysign(1, a)) * (abs(a) % abs(b))),
    Function("negate", _opposite, operator.neg),
    Function("abs", _absolute, abs),
    Function("floor", partial(_to_whole, "FLOOR", math.floor), math.floor),
    Function("ceil", partial(_to_whole, "CEIL", math.ceil), math.ceil),
    Function("round", partial(_to_whole, "ROUND", half_away), half_away),
    Function("sqrt", _root, lambda a: None if a < 0 else math.sqrt(a)),
    Function("ln", _logarithm, lambda a: None if a <= 0 else math.log(a)),
    Function("least", partial(_extreme, "LEAST", min), real_if_mixed(min)),
    Function("greatest", partial(_extreme, "GREATEST", max), real_if_mixed(max)),
    Function("to real", _real, float),
    *(Function(name, _compared, real_if_mixed(test)) for name, test in _TESTS),
    Function("in", _compared, member, strict=False),
    Function("like", _matched, like),
    Function("and", _logical, and_, strict=False),
    Function("or", _logical, or_, strict=False),
    Function("not", _logical, lambda a: not a),
    Function("is null", lambda _: Range("boolean", nullable=False), lambda a: a is None, strict=False),
    Function("case", case_range, case, strict=False),
    Function("coalesce", coalesce_range, coalesce, strict=False),
    Function("nullif", lambda ranges: ranges[same_types(ranges, "NULLIF")].but(nullable=True), nullif, strict=False),
    *(Function(name, partial(part_range, name), part) for name, part in PARTS.items()),
    *(Function(name, partial(start_range, name), start) for name, start in STARTS.items()),
    *(Function(name, partial(move_range, name), move) for name, move in MOVES.items()),
    Function("days between", between_range, between),
    *(Function(name, partial(text_range, name), run) for name, (_, _, run) in TEXTS.items()),
)
FUNCTIONS: Final = {function.name: function for function in _LIST}
