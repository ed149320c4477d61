"""An inequality between totals of a run, as an obligation at its end."""

from __future__ import annotations

from hedgerow.verify.language.assumptions import find_public_scalars
from hedgerow.verify.language.program import (
    Apply,
    Expression,
)
from hedgerow.verify.prove.algebra import (
    RationalFunction,
    divide_by_positive,
    polynomial_term,
    to_rational_function,
)
from hedgerow.verify.prove.obligations import Obligation
from hedgerow.verify.prove.rules.scale_facts import (
    find_positive_parameters,
    find_scales,
    is_denominator_positive,
    list_inverse_facts,
    make_symbol_lookup,
)
from hedgerow.verify.prove.solver import z3
from hedgerow.verify.prove.state import ProductRuns

__all__ = ["make_inequality"]


def make_inequality(
    product: ProductRuns,
    name: str,
    left: RationalFunction,
    right: RationalFunction,
    opaque: dict[str, Expression],
    reason: str,
) -> Obligation:
    program = product.program
    assert product.final_state is not None
    state, path = product.final_state
    value = make_symbol_lookup(product, state, opaque)
    known = find_positive_parameters(
        program, [to_rational_function(one, opaque) for one in find_scales(program).values()]
    ) | (frozenset({"delta"}) & find_public_scalars(program))
    powers = frozenset(
        name for name, one in opaque.items() if isinstance(one, Apply) and one.operator == "exp"
    )
    known |= powers
    difference = left - right
    goal = z3.And(
        polynomial_term(divide_by_positive(difference.numerator, known), value) <= 0,
        is_denominator_positive(difference, known, value),
    )
    place = max(
        (one.place for one in program.samples), key=lambda place: place.line, default=program.place
    )
    above = [value(power) > 0 for power in sorted(powers)]
    if name == "tail":  # no run starts where the claim has no value
        above.append(polynomial_term(right.denominator, value) != 0)
    return Obligation(
        name, (*path, *above, *list_inverse_facts([*path, goal])), goal, place, reason
    )
