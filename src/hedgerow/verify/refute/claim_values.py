"""Claimed epsilon and delta of a program as numbers, for given public parameters."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.errors import Refused
from hedgerow.verify.language.assumptions import check_claim
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.claim_units import THE_CLAIM, find_claim_unit, find_unit_parameter
from hedgerow.verify.language.program import Expression, Kind, Program
from hedgerow.verify.refute.interval_arithmetic import RealNumber
from hedgerow.verify.refute.linear_noise import PathCondition
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import Environment, evaluate_alternatives, require_number
from hedgerow.verify.refute.paths import Arguments

__all__ = ["evaluate_claim", "evaluate_public", "evaluate_unit", "find_epsilon_name"]


def evaluate_claim(program: Program, arguments: Arguments) -> tuple[RealNumber, RealNumber]:
    """Return the epsilon and delta that the program claims for these public parameters, or raise
    ``OutOfScope`` if it claims nothing for them.
    """
    numbers = {name: value for name, value in arguments.items() if isinstance(value, Fraction)}
    try:
        check_claim(program, numbers)
    except Refused as refused:
        raise OutOfScope(str(refused)) from refused
    delta = program.claim.delta
    return (
        evaluate_public(program.claim.epsilon, arguments),
        Fraction(0) if delta is None else evaluate_public(delta, arguments),
    )


def evaluate_public(expression: Expression, arguments: Arguments) -> RealNumber:
    """Evaluate an expression in public parameters as a number."""
    plain = {name: value for name, value in arguments.items() if not isinstance(value, tuple)}
    ((_, value),) = evaluate_alternatives(expression, Environment(plain, {}), PathCondition())
    return require_number(value)


def find_epsilon_name(program: Program) -> str | None:
    """Return the public parameter whose multiple is claimed, or else one named eps or epsilon."""
    real = [
        one.name
        for one in program.parameters
        if not one.private and one.kind is Kind.REAL and not one.list
    ]
    return find_unit_parameter(program) or next(
        (name for name in real if name in ("eps", "epsilon")), None
    )


def evaluate_unit(program: Program, arguments: Arguments) -> Fraction:
    """Return the unit in which losses are reported: the epsilon parameter, the claim itself
    (rounded up), or 1 if the claim is a plain number.
    """
    name = find_epsilon_name(program)
    if name is None and find_claim_unit(program) == THE_CLAIM:
        numbers = {one: value for one, value in arguments.items() if isinstance(value, Fraction)}
        return bound_expression(program.claim.epsilon, numbers)[1] or Fraction(1)
    value = arguments[name] if name else Fraction(1)
    return value if isinstance(value, Fraction) else Fraction(1)
