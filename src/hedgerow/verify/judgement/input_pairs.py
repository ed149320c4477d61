"""Enumeration of the pairs of inputs that a precondition allows, if they are finitely many.

Booleans and bit strings are finite. A number is finite if the precondition bounds it: ``0 <= x<1>
and x<1> <= 3``, or ``x<2> = x<1>``, or ``abs(x<1> - x<2>) <= 1`` if the other number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from hedgerow.verify.language.judgement import Judgement, Undecided, tag_name
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Name,
    Parameter,
    collect_names,
    substitute,
)
from hedgerow.verify.language.rewriting import split_conjuncts
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import BitWord, PathValue, evaluate_alone

__all__ = ["TaggedValues", "evaluate", "iterate_related_inputs"]

TaggedValues = Mapping[str, PathValue]
"""Values under their tagged names."""

_MAX_DOMAIN_SIZE = 4096
_MAX_WORD_BITS = 12


def evaluate(expression: Expression, state: TaggedValues) -> PathValue:
    """Evaluate an expression over known names."""
    try:
        return evaluate_alone(expression, state)
    except OutOfScope as beyond:
        raise Undecided(f"{beyond}") from None


@dataclass(frozen=True)
class _UnassignedParameter:
    """A parameter of one run; ``width`` mentions tagged names."""

    name: str
    parameter: Parameter
    width: Expression | None


def iterate_related_inputs(judgement: Judgement) -> Iterator[TaggedValues]:
    """Yield each pair of inputs that ``precondition`` allows, as one state over tagged names; raise
    ``Undecided`` if they are not finite.
    """
    unknown = []
    for run, program in ((1, judgement.left), (2, judgement.right)):
        tags: dict[str, Expression] = {
            one.name: Name(tag_name(one.name, run)) for one in program.parameters
        }
        for one in program.parameters:
            if one.list:
                raise Undecided(
                    f"{one.name} is a list, which has infinitely many values; use scalars",
                    program.place,
                )
            unknown.append(
                _UnassignedParameter(
                    tag_name(one.name, run),
                    one,
                    None if one.width is None else substitute(one.width, tags),
                )
            )
    yield from _assign_parameters({}, unknown, split_conjuncts(judgement.precondition))


def _assign_parameters(
    state: dict[str, PathValue], unknown: list[_UnassignedParameter], conjuncts: list[Expression]
) -> Iterator[TaggedValues]:
    known = [one for one in conjuncts if collect_names(one) <= state.keys()]
    if not all(evaluate(one, state) is True for one in known):
        return
    waiting = [one for one in conjuncts if one not in known]
    if not unknown:
        yield state
        return
    choices = [
        (domain, one)
        for one in unknown
        if (domain := _find_domain(one, state, waiting)) is not None
    ]
    if not choices:
        raise Undecided(
            f"{unknown[0].name} is unbounded; bound it, as in 0 <= {unknown[0].name} and"
            f" {unknown[0].name} <= 3"
        )
    domain, chosen = min(choices, key=lambda choice: len(choice[0]))
    rest = [one for one in unknown if one is not chosen]
    for value in domain:
        yield from _assign_parameters({**state, chosen.name: value}, rest, waiting)


def _find_domain(
    one: _UnassignedParameter, state: TaggedValues, conjuncts: list[Expression]
) -> list[PathValue] | None:
    """Return the possible values of a parameter, or None if they are not finite yet."""
    if one.parameter.kind is Kind.BOOL:
        return [False, True]
    if one.parameter.kind is Kind.BITS:
        width = one.width
        if width is not None and not collect_names(width) <= state.keys():
            return None
        bits = Fraction(1) if width is None else evaluate(width, state)
        if (
            not isinstance(bits, Fraction)
            or bits.denominator != 1
            or not 0 < bits <= _MAX_WORD_BITS
        ):
            raise Undecided(f"{one.name} has too many values to enumerate; restrict it")
        return [BitWord(int(bits), value) for value in range(2 ** int(bits))]
    return _find_number_domain(one, state, conjuncts)


def _find_number_domain(
    one: _UnassignedParameter, state: TaggedValues, conjuncts: list[Expression]
) -> list[PathValue] | None:
    bounds = [_find_bounds(one.name, conjunct, state) for conjunct in conjuncts]
    low = max((ends[0] for ends in bounds if ends and ends[0] is not None), default=None)
    high = min((ends[1] for ends in bounds if ends and ends[1] is not None), default=None)
    if low is None or high is None:
        return None
    if low == high:
        return [low] if one.parameter.kind is Kind.REAL or low.denominator == 1 else []
    if one.parameter.kind is Kind.REAL and low < high:
        return None
    if high - low > _MAX_DOMAIN_SIZE:
        raise Undecided(f"{one.name} has too many values to enumerate; restrict it")
    return [Fraction(value) for value in range(ceil(low), floor(high) + 1)]


def _find_bounds(
    name: str, conjunct: Expression, state: TaggedValues
) -> tuple[Fraction | None, Fraction | None] | None:
    """Return the bounds that a comparison implies for a name, if its other side is known."""
    if not isinstance(conjunct, Apply) or conjunct.operator not in ("==", "<=", "<"):
        return None
    left, right = conjunct.arguments
    distance = (
        _find_distance_bounds(name, left, right, state) if conjunct.operator != "==" else None
    )
    if distance is not None:
        return distance
    for here, there, swapped in ((left, right, False), (right, left, True)):
        if isinstance(here, Name) and here.name == name and collect_names(there) <= state.keys():
            value = evaluate(there, state)
            if not isinstance(value, Fraction):
                return None
            if conjunct.operator == "==":
                return value, value
            return (value, None) if swapped else (None, value)
    return None


def _find_distance_bounds(
    name: str, left: Expression, right: Expression, state: TaggedValues
) -> tuple[Fraction, Fraction] | None:
    """Return the bounds that abs(name - e) <= c or abs(e - name) <= c implies."""
    match left:
        case Apply("abs", (Apply("-", sides),)) if collect_names(right) <= state.keys():
            for here, there in (sides, sides[::-1]):
                is_bounded = isinstance(here, Name) and here.name == name
                if is_bounded and collect_names(there) <= state.keys():
                    centre, radius = evaluate(there, state), evaluate(right, state)
                    if isinstance(centre, Fraction) and isinstance(radius, Fraction):
                        return centre - radius, centre + radius
    return None
