"""Enumeration of the pairs of inputs that a precondition allows, if they are finitely many.

Booleans and bit strings are finite. A number is finite if the precondition bounds it: ``0 <= x<1>
and x<1> <= 3``, or ``x<2> = x<1>``, or ``abs(x<1> - x<2>) <= 1`` if the other number is known.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from math import ceil, floor

from hedgerow.verify.judgement.undecided import Undecided
from hedgerow.verify.language.judgement import Judgement, tag_name
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Name,
    Parameter,
    collect_names,
    substitute,
)
from hedgerow.verify.refute.linear_noise import PathCondition
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_values import (
    BitWord,
    Environment,
    PathValue,
    evaluate_alternatives,
)

__all__ = ["TaggedValues", "evaluate", "iterate_related_inputs", "split_conjuncts"]

TaggedValues = Mapping[str, PathValue]
"""Values under their tagged names."""

_MAX_DOMAIN_SIZE = 4096
_MAX_WORD_BITS = 12


def evaluate(expression: Expression, state: TaggedValues) -> PathValue:
    """Evaluate an expression over known names."""
    try:
        ((_, value),) = evaluate_alternatives(expression, Environment(state, {}), PathCondition())
    except OutOfScope as beyond:
        raise Undecided(f"{beyond}") from None
    return value


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


def split_conjuncts(expression: Expression) -> list[Expression]:
    """Return the operands of nested ``and``."""
    if isinstance(expression, Apply) and expression.operator == "and":
        return [part for one in expression.arguments for part in split_conjuncts(one)]
    return [expression]


def _assign_parameters(
    state: dict[str, PathValue], unknown: list[_UnassignedParameter], conjuncts: list[Expression]
) -> Iterator[TaggedValues]:
    waiting = []
    for conjunct in conjuncts:
        if collect_names(conjunct) <= state.keys():
            if evaluate(conjunct, state) is not True:
                return
        else:
            waiting.append(conjunct)
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
    low: Fraction | None = None
    high: Fraction | None = None
    for conjunct in conjuncts:
        ends = _find_bounds(one.name, conjunct, state)
        if ends is not None:
            low = max((end for end in (low, ends[0]) if end is not None), default=None)
            high = min((end for end in (high, ends[1]) if end is not None), default=None)
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
    if not (
        isinstance(left, Apply) and left.operator == "abs" and collect_names(right) <= state.keys()
    ):
        return None
    inner = left.arguments[0]
    if not (isinstance(inner, Apply) and inner.operator == "-"):
        return None
    for here, there in (inner.arguments, inner.arguments[::-1]):
        if isinstance(here, Name) and here.name == name and collect_names(there) <= state.keys():
            centre, radius = evaluate(there, state), evaluate(right, state)
            if isinstance(centre, Fraction) and isinstance(radius, Fraction):
                return centre - radius, centre + radius
    return None
