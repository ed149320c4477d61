"""Units of a claim, for reporting bounds: a multiple of eps, of another public number that the
claim is proportional to, or of the claim itself.

"At least 1.25 times eps" is true for every eps. A claim such as ``1/a + 2*n/b`` has no such
parameter; its bounds are reported as multiples of the claim, "at least 0.9 times the claim".
"""

from __future__ import annotations

from fractions import Fraction
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Name,
    Number,
    Program,
    collect_names,
)

__all__ = ["THE_CLAIM", "compute_degree", "find_claim_unit", "find_unit_parameter"]

THE_CLAIM: Final = "the claim"
_EPSILON_NAMES: Final = ("eps", "epsilon")


def find_claim_unit(program: Program) -> str:
    """Return a parameter's name, "the claim", or "" for a claim that is a number."""
    return find_unit_parameter(program) or (
        THE_CLAIM if collect_names(program.claim.epsilon) else ""
    )


def find_unit_parameter(program: Program) -> str | None:
    """Return the public real that serves as unit: eps, or another that the claim is proportional
    to.
    """
    epsilon = program.claim.epsilon
    mentioned = _collect_names_outside_logarithms(epsilon)
    real = [
        one.name
        for one in program.parameters
        if not one.private and one.kind is Kind.REAL and not one.list
    ]
    usual = [name for name in real if name in _EPSILON_NAMES and name in mentioned]
    found = [
        *usual,
        *(name for name in real if name in mentioned and compute_degree(epsilon, name) == 1),
    ]
    return found[0] if found else None


def _collect_names_outside_logarithms(expression: Expression) -> frozenset[str]:
    """Return the names outside ``ln``: p is no unit of ln((1 - p) / p)."""
    if not isinstance(expression, Apply):
        return collect_names(expression)
    return (
        frozenset().union(*map(_collect_names_outside_logarithms, expression.arguments))
        if expression.operator != "ln"
        else frozenset()
    )


def compute_degree(expression: Expression, name: str) -> Fraction | None:
    """Return the power of ``name`` that the expression is proportional to, if its structure shows
    one.
    """
    match expression:
        case Number():
            return Fraction(0)
        case Name():
            return Fraction(expression.name == name)
        case Apply(operator="*" | "/" | "+" | "-" | "min" | "max" as operator):
            first, second = (compute_degree(one, name) for one in expression.arguments)
            if first is None or second is None:
                return None
            if operator in ("*", "/"):
                return first + second if operator == "*" else first - second
            return first if first == second else None
        case Apply(operator="negate" | "abs"):
            return compute_degree(expression.arguments[0], name)
        case Apply(operator="sqrt"):
            inner = compute_degree(expression.arguments[0], name)
            return None if inner is None else inner / 2
    return None if name in collect_names(expression) else Fraction(0)
