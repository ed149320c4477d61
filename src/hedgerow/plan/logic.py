"""Conditions with three truth values, and the functions that pick among values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from hedgerow.errors import Unsupported
from hedgerow.plan.values import Range, Type, common_step

__all__ = ["and_", "case", "case_range", "coalesce", "coalesce_range", "equal", "hull", "like"]
__all__ += ["member", "nullif", "or_", "real_if_mixed", "same_types"]


def same_types(ranges: Sequence[Range], name: str) -> int:
    """Refuses to mix types (whole numbers and reals may mix, NULL goes with all). Always 0, so that it fits in an expression."""
    _common(ranges, name)
    return 0


def _common(ranges: Sequence[Range], name: str) -> Type:
    types = {range_.type for range_ in ranges if range_.values != ()}
    if types == {"integer", "real"}:
        return "real"
    if len(types) > 1:
        raise Unsupported(f"{name} needs values of one type, and here are {' and '.join(sorted(types))}.")
    return types.pop() if types else ranges[0].type


def hull(ranges: Sequence[Range], name: str, *, nullable: bool) -> Range:
    """The range of a value that comes from one of these."""
    type_ = _common(ranges, name)
    known = [range_ for range_ in ranges if range_.values != ()]
    if not known:
        return Range(type_, values=())
    lows, highs = [range_.low for range_ in known], [range_.high for range_ in known]
    low = None if None in lows else min(low for low in lows if low is not None)
    high = None if None in highs else max(high for high in highs if high is not None)
    lists: list[Any] = [range_.values for range_ in known if type_ != "real"]
    values = tuple(sorted({value for listed in lists for value in listed})) if lists and None not in lists else None
    return Range(type_, low, high, common_step(range_.step for range_ in known), values, nullable)


def case_range(ranges: Sequence[Range]) -> Range:
    """CASE WHEN a THEN x WHEN b THEN y ELSE z: the arguments are a, x, b, y, z."""
    for range_ in ranges[0:-1:2]:
        if range_.type != "boolean":
            raise Unsupported("CASE WHEN needs a condition.")
    picked = [*ranges[1::2], ranges[-1]]
    return hull(picked, "CASE", nullable=any(range_.nullable for range_ in picked))


def coalesce_range(ranges: Sequence[Range]) -> Range:
    """NULL only where all may be."""
    return hull(ranges, "COALESCE", nullable=all(range_.nullable for range_ in ranges))


def and_(*values: bool | None) -> bool | None:
    """False wins, then NULL."""
    return False if False in values else None if None in values else True


def or_(*values: bool | None) -> bool | None:
    """True wins, then NULL."""
    return True if True in values else None if None in values else False


def case(*values: Any) -> Any:
    """The value after the first condition that holds, or the last one."""
    taken = next((value for holds, value in zip(values[0:-1:2], values[1::2], strict=True) if holds), values[-1])
    return _alike(taken, values[1::2] + values[-1:])


def coalesce(*values: Any) -> Any:
    """The first value that is not NULL."""
    return _alike(next((value for value in values if value is not None), None), values)


def _alike(value: Any, among: Sequence[Any]) -> Any:
    """A whole number picked among reals is a real."""
    mixed = isinstance(value, int) and not isinstance(value, bool) and any(isinstance(other, float) for other in among)
    return float(value) if mixed else value


def real_if_mixed(move: Callable[..., Any]) -> Callable[..., Any]:
    """The same, of reals where one is among the values: a whole number beside a real is taken for one, as the engines do."""

    def run(*values: Any) -> Any:
        return move(*map(float, values)) if any(isinstance(value, float) for value in values) else move(*values)

    return run


equal = real_if_mixed(operator.eq)


def nullif(a: Any, b: Any) -> Any:
    """a, but NULL where it equals b."""
    return None if a is not None and b is not None and equal(a, b) else a


def member(value: Any, *among: Any) -> bool | None:
    """Whether the value is one of those listed; there is no telling when it is none of the others and one of them is NULL."""
    return None if value is None else or_(*(None if other is None else equal(value, other) for other in among))


def like(text: str, pattern: str) -> bool:
    """% stands for any text, _ for one character; upper and lower case differ."""
    return _pattern(pattern).fullmatch(text) is not None


@lru_cache(maxsize=256)
def _pattern(pattern: str) -> re.Pattern[str]:
    """Each piece between two % is found where it first occurs, for good: going back would help nothing and could take ages."""
    pieces = ["".join("." if c == "_" else re.escape(c) for c in piece) for piece in pattern.split("%")]
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1])
    return re.compile(pieces[0] + (f"{middle}.*{pieces[-1]}" if len(pieces) > 1 else ""), re.DOTALL)
