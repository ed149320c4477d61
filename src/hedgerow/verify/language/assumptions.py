"""Checks of public arguments that establish, before a run, what a proof assumes.

Numbers named like an epsilon (``eps``, ``eps1``, ``e2``) are positive, and ``delta`` is between 0
and 1. Wherever public parameters alone determine the parameters of a draw, executed or not, they
are valid: a scale is positive, a probability lies in [0, 1], the high end of uniform noise is not
below the low end. The claim has a value of at least 0. No check looks at private data.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from fractions import Fraction
from typing import Final

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.verify.language.claim_bounds import bound_expression, can_bound
from hedgerow.verify.language.program import (
    Assign,
    Expression,
    Kind,
    Noise,
    Program,
    Sample,
    collect_names,
    format_expression,
    substitute,
    walk_statements,
)

_EPSILON_NAME: Final = re.compile(r"eps(ilon)?(\d+|_\w+)?|e_?\d+")

__all__ = [
    "check_arguments",
    "check_claim",
    "find_constants",
    "find_epsilon_parameters",
    "find_public_scalars",
    "has_checked_parameters",
    "is_epsilon_name",
]


def is_epsilon_name(name: str) -> bool:
    """Return True for a name that means an epsilon: eps, epsilon, eps1, eps_total, e1 and e_2. Such
    a public real parameter is above 0.
    """
    return _EPSILON_NAME.fullmatch(name) is not None


def find_public_scalars(program: Program) -> frozenset[str]:
    """Return the public parameters that are not lists."""
    return frozenset(one.name for one in program.parameters if not one.private and not one.list)


def find_epsilon_parameters(program: Program) -> frozenset[str]:
    """Return the public parameters that are assumed and checked to be above 0 for their name."""
    return frozenset(
        one.name
        for one in program.parameters
        if not one.private
        and not one.list
        and one.kind in (Kind.INT, Kind.REAL)
        and is_epsilon_name(one.name)
    )


def find_constants(program: Program) -> dict[str, Expression]:
    """Return the variables that are assigned once, at the top level, from public parameters, each
    as an expression over these.
    """
    fixed = find_public_scalars(program)
    count = Counter(
        one.name for one in walk_statements(program.body) if isinstance(one, Assign | Sample)
    )
    found: dict[str, Expression] = {}
    for one in program.body:
        if isinstance(one, Assign) and count[one.name] == 1 and one.name not in fixed:
            value = substitute(one.value, found)
            if collect_names(value) <= fixed:
                found[one.name] = value
    return found


def has_checked_parameters(program: Program, sample: Sample) -> bool:
    """Return whether ``check_arguments`` validates the parameters of a draw: public numbers alone
    determine them. Conditional expressions do not qualify; they are not evaluated before the run.
    """
    numbers = {
        one.name
        for one in program.parameters
        if not one.private and not one.list and one.kind in (Kind.INT, Kind.REAL)
    }
    known = find_constants(program)
    values = [substitute(one, known) for one in sample.parameters]
    return all(collect_names(one) <= numbers and can_bound(one) for one in values)


def check_arguments(program: Program, arguments: Mapping[str, object]) -> None:
    """Refuse public arguments that no proof covers."""
    fixed, known = find_public_scalars(program), find_constants(program)
    numbers = {
        name: value
        for name, value in arguments.items()
        if name in fixed and isinstance(value, int | Fraction) and not isinstance(value, bool)
    }
    for name in numbers:
        if not is_epsilon_name(name) and name != "delta":
            continue
        if numbers[name] <= 0 or (name == "delta" and numbers[name] >= 1):
            problem = "must be above 0 and below 1" if name == "delta" else "must be above 0"
            raise InvalidArgument(name, problem, numbers[name])
    for one in program.samples:
        values = [substitute(parameter, known) for parameter in one.parameters]
        # no proof assumes that these are valid
        skipped = one.noise in (Noise.BERNOULLI, Noise.UNIFORM) and not all(map(can_bound, values))
        if (
            one.noise is not Noise.BITS
            and not skipped
            and all(collect_names(value) <= numbers.keys() for value in values)
        ):
            _check_noise_parameters(one, [bound_expression(value, numbers) for value in values])
    check_claim(program, numbers)


def check_claim(program: Program, numbers: Mapping[str, Fraction | int]) -> None:
    """Refuse public numbers at which the claimed epsilon or delta is undefined or may be
    negative.
    """
    for word, claimed in (("epsilon", program.claim.epsilon), ("delta", program.claim.delta)):
        if claimed is not None and bound_expression(claimed, numbers)[0] < 0:
            given = ", ".join(
                f"{name} = {numbers[name]}" for name in sorted(collect_names(claimed))
            )
            raise Refused(
                f"The claimed {word} {format_expression(claimed)} may be negative at"
                f" {given or 'all arguments'}. Pass arguments at which it is at least 0."
            )


def _check_noise_parameters(sample: Sample, ends: list[tuple[Fraction, Fraction]]) -> None:
    line, first = f"line {sample.place.line}: ", format_expression(sample.parameters[0])
    match sample.noise:
        case Noise.BERNOULLI:
            if ends[0][0] < 0 or ends[0][1] > 1:
                raise Refused(f"{line}the probability {first} must be between 0 and 1.")
        case Noise.UNIFORM:
            if ends[1][0] < ends[0][1]:
                raise Refused(
                    f"{line}the high end {format_expression(sample.parameters[1])} of uniform noise"
                    f" must not be below its low end {first}."
                )
        case _:
            if ends[0][0] <= 0:
                raise Refused(f"{line}the scale {first} of {sample.noise} noise must be above 0.")
