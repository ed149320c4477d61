"""Three-valued logic, and the functions that choose among values."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable, Sequence
from functools import lru_cache
from typing import Any

from hedgerow.errors import Unsupported
from hedgerow.plan.values import Range, Type, compute_common_step

__all__ = [
    "compute_hull",
    "evaluate_and",
    "evaluate_case",
    "evaluate_coalesce",
    "evaluate_like",
    "infer_case",
    "infer_coalesce",
    "is_equal",
]
__all__ += ["check_same_type", "evaluate_in", "evaluate_nullif", "evaluate_or", "promote_to_real"]


def check_same_type(ranges: Sequence[Range], name: str) -> int:
    """Refuse to mix types (integers and reals may mix, NULL fits all). Return 0, so that it can be
    used in an expression.
    """
    _find_common_type(ranges, name)
    return 0


def _find_common_type(ranges: Sequence[Range], name: str) -> Type:
    types = {range_.type for range_ in ranges if range_.values != ()}
    if types == {"integer", "real"}:
        return "real"
    if len(types) > 1:
        raise Unsupported(
            f"{name} needs values of one type, but these are {' and '.join(sorted(types))}."
        )
    return types.pop() if types else ranges[0].type


def compute_hull(ranges: Sequence[Range], name: str, *, nullable: bool) -> Range:
    """Return the range of a value that comes from one of these ranges."""
    type_ = _find_common_type(ranges, name)
    known = [range_ for range_ in ranges if range_.values != ()]
    if not known:
        return Range(type_, values=())
    lows, highs = [range_.low for range_ in known], [range_.high for range_ in known]
    low = None if None in lows else min(low for low in lows if low is not None)
    high = None if None in highs else max(high for high in highs if high is not None)
    lists: list[Any] = [range_.values for range_ in known if type_ != "real"]
    values = (
        tuple(sorted({value for listed in lists for value in listed}))
        if lists and None not in lists
        else None
    )
    return Range(
        type_, low, high, compute_common_step(range_.step for range_ in known), values, nullable
    )


def infer_case(ranges: Sequence[Range]) -> Range:
    """Return the range of CASE WHEN a THEN x WHEN b THEN y ELSE z, with the arguments a, x, b, y,
    z.
    """
    for range_ in ranges[0:-1:2]:
        if range_.type != "boolean":
            raise Unsupported("CASE WHEN needs a condition.")
    picked = [*ranges[1::2], ranges[-1]]
    return compute_hull(picked, "CASE", nullable=any(range_.nullable for range_ in picked))


def infer_coalesce(ranges: Sequence[Range]) -> Range:
    """Return the range of COALESCE, which is nullable only if all arguments are."""
    return compute_hull(ranges, "COALESCE", nullable=all(range_.nullable for range_ in ranges))


def evaluate_and(*values: bool | None) -> bool | None:
    """Return the conjunction: False wins, then NULL."""
    return False if False in values else None if None in values else True


def evaluate_or(*values: bool | None) -> bool | None:
    """Return the disjunction: True wins, then NULL."""
    return True if True in values else None if None in values else False


def evaluate_case(*values: Any) -> Any:
    """Return the value after the first condition that is true, or the last value."""
    taken = next(
        (value for holds, value in zip(values[0:-1:2], values[1::2], strict=True) if holds),
        values[-1],
    )
    return _promote_result(taken, values[1::2] + values[-1:])


def evaluate_coalesce(*values: Any) -> Any:
    """Return the first value that is not NULL."""
    return _promote_result(next((value for value in values if value is not None), None), values)


def _promote_result(value: Any, among: Sequence[Any]) -> Any:
    """Convert an integer that was chosen among reals to a real."""
    mixed = (
        isinstance(value, int)
        and not isinstance(value, bool)
        and any(isinstance(other, float) for other in among)
    )
    return float(value) if mixed else value


def promote_to_real(move: Callable[..., Any]) -> Callable[..., Any]:
    """Wrap a function so that it computes in reals if one of its arguments is real, as the engines
    do.
    """

    def run(*values: Any) -> Any:
        return (
            move(*map(float, values))
            if any(isinstance(value, float) for value in values)
            else move(*values)
        )

    return run


is_equal = promote_to_real(operator.eq)


def evaluate_nullif(a: Any, b: Any) -> Any:
    """Return a, or NULL if it equals b."""
    return None if a is not None and b is not None and is_equal(a, b) else a


def evaluate_in(value: Any, *among: Any) -> bool | None:
    """Return whether a value is in a list; NULL if it is not found and the list has a NULL."""
    return (
        None
        if value is None
        else evaluate_or(*(None if other is None else is_equal(value, other) for other in among))
    )


def evaluate_like(text: str, pattern: str) -> bool:
    """Return whether a text matches a pattern: % is any text, _ one character; case matters."""
    return _compile_like_pattern(pattern).fullmatch(text) is not None


@lru_cache(maxsize=256)
def _compile_like_pattern(pattern: str) -> re.Pattern[str]:
    """Compile a LIKE pattern so that each piece between two % is matched at its first occurrence,
    for good: backtracking would not help, and could take very long.
    """
    pieces = [
        "".join("." if c == "_" else re.escape(c) for c in piece) for piece in pattern.split("%")
    ]
    middle = "".join(f"(?>.*?{piece})" for piece in pieces[1:-1])
    return re.compile(pieces[0] + (f"{middle}.*{pieces[-1]}" if len(pieces) > 1 else ""), re.DOTALL)
