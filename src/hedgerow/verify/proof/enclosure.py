"""Numbers that no fraction is equal to, between two fractions."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.numeric.rounding import exp_down, exp_up, log_down, log_up, sqrt_down, sqrt_up
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Expression, Number, written

__all__ = ["enclosed"]

Interval = tuple[Fraction, Fraction]


def enclosed(expression: Expression) -> Interval:
    """A lower and an upper bound of an expression without names."""
    if isinstance(expression, Number):
        return expression.value, expression.value
    if not isinstance(expression, Apply):
        raise Outside(f"{written(expression)} is not a number", expression.place)
    several = [enclosed(one) for one in expression.arguments]
    low, high = several[0]
    match expression.operator:
        case "negate":
            return -high, -low
        case "+":
            return low + several[1][0], high + several[1][1]
        case "-":
            return low - several[1][1], high - several[1][0]
        case "*":
            corners = [a * b for a in several[0] for b in several[1]]
            return min(corners), max(corners)
        case "/" if several[1][0] > 0 or several[1][1] < 0:
            corners = [a / b for a in several[0] for b in several[1]]
            return min(corners), max(corners)
        case "ln" if low > 0:
            return log_down(low), log_up(high)
        case "sqrt" if low >= 0:
            return sqrt_down(low), sqrt_up(high)
        case "exp":
            return exp_down(low), exp_up(high)
    raise Outside(f"{written(expression)} is not a number that can be enclosed", expression.place)
