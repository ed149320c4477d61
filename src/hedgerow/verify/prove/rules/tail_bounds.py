"""The bound on excused noise: its probability is at most the claim's delta."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.language.assumptions import find_constants, find_public_scalars
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Noise,
    Number,
    Sample,
    Truth,
    collect_names,
    format_expression,
    substitute,
    walk_expression,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import (
    RationalFunction,
    constant_function,
    symbol_function,
    to_rational_function,
)
from hedgerow.verify.prove.certificate import split_tail
from hedgerow.verify.prove.obligations import Obligation
from hedgerow.verify.prove.rules.cost_inequality import make_inequality
from hedgerow.verify.prove.rules.scale_facts import (
    MAX_POWER,
    find_positive_parameters,
    find_scales,
    list_inverse_facts,
    make_symbol_lookup,
)
from hedgerow.verify.prove.solver import z3
from hedgerow.verify.prove.state import ProductRuns

__all__ = ["derive_tail_bounds"]

# Noise of scale b is at least t with probability at most this times e^(-t/b), for every t.
_TAIL_FACTORS = {
    Noise.LAPLACE: Fraction(1, 2),
    Noise.GEOMETRIC: Fraction(1),
    Noise.EXPONENTIAL: Fraction(1),
}


def derive_tail_bounds(product: ProductRuns) -> list[Obligation]:
    """Require that the excused noise is at most as likely as the claim's delta."""
    program, opaque, total, later = (
        product.program,
        dict[str, Expression](),
        constant_function(0),
        list[tuple[int, Expression]](),
    )
    delta = program.claim.delta if program.claim.delta is not None else Number(Fraction(0))
    known, some = (
        find_positive_parameters(
            program, [to_rational_function(one, opaque) for one in find_scales(program).values()]
        ),
        False,
    )
    for one in program.samples:
        rare = dict(enumerate(product.certificate.excused)).get(one.site)
        if rare is None:
            continue
        if one.noise is Noise.UNIFORM and rare == Truth(True):
            total += _find_escape_rate(product, one, opaque)
            some = True
            continue
        start, scale, some = (
            _find_tail_start(product, one, rare),
            find_scales(program)[one.site],
            True,
        )
        exponent = to_rational_function(start, opaque) / to_rational_function(scale, opaque)
        power = _find_exponential(-exponent, delta, opaque)
        if power is None:
            power = constant_function(_TAIL_FACTORS[one.noise]) / _bound_exponential(
                exponent, start, known, opaque
            )
        elif (
            one.noise is Noise.GEOMETRIC
            and (
                step := _find_exponential(
                    -(constant_function(1) / to_rational_function(scale, opaque)), delta, opaque
                )
            )
            is not None
        ):
            power /= constant_function(1) + step  # valid for a tail from 0 on
            later.append((one.site, start))
        else:
            power *= constant_function(_TAIL_FACTORS[one.noise])
        total += symbol_function(f"@rare{one.site}") * power
    reason = f"the excused noise is more likely than {format_expression(delta)}"
    found = (
        [
            make_inequality(
                product, "tail", total, to_rational_function(delta, opaque), opaque, reason
            )
        ]
        if some
        else []
    )
    return found + [_require_tail_from_zero(product, site, start) for site, start in later]


def _find_escape_rate(
    product: ProductRuns, sample: Sample, opaque: dict[str, Expression]
) -> RationalFunction:
    """Return the probability that shifted uniform noise leaves its interval: the total shift by the
    width of the interval.
    """
    known = find_constants(product.program)
    low, high = (substitute(one, known) for one in sample.parameters)
    fixed = collect_names(low) | collect_names(high) <= find_public_scalars(product.program)
    if product.certificate.mode == "pointwise" or not fixed:
        raise UnsupportedProgram(
            "uniform noise that leaves its interval needs public ends and a sequence proof",
            sample.place,
        )
    width = to_rational_function(high, opaque) - to_rational_function(low, opaque)
    return symbol_function(f"@rare{sample.site}") / width


def _find_tail_start(product: ProductRuns, sample: Sample, rare: Expression) -> Expression:
    """Return the public start of the excused tail, and refuse a tail without a known bound."""
    # A pointwise proof would excuse noise for each answer anew, and that adds up.
    if product.certificate.mode == "pointwise":
        raise UnsupportedProgram(
            "a pointwise proof cannot excuse noise; use a sequence proof", sample.place
        )
    start = substitute(split_tail(rare)[1], find_constants(product.program))
    public = collect_names(start) <= find_public_scalars(product.program)
    if sample.noise not in _TAIL_FACTORS or not public:
        raise UnsupportedProgram(
            f"the probability of {format_expression(rare)} has no known bound; excuse a tail from"
            " a public number on",
            sample.place,
        )
    return start


def _require_tail_from_zero(product: ProductRuns, site: int, start: Expression) -> Obligation:
    """Require that the excused tail of this site starts at 0 or above."""
    assert product.final_state is not None
    state, path = product.final_state
    value = make_symbol_lookup(product, state, {"start": start})
    goal = z3.Or(value(f"@rare{site}") <= 0, value("start") >= 0)
    place = next(one.place for one in product.program.samples if one.site == site)
    return Obligation(
        "tail",
        (*path, *list_inverse_facts([*path, goal])),
        goal,
        place,
        f"the excused tail from {format_expression(start)} may start below 0",
    )


def _find_exponential(
    exponent: RationalFunction, delta: Expression, opaque: dict[str, Expression]
) -> RationalFunction | None:
    for part in walk_expression(delta):
        if (
            isinstance(part, Apply)
            and part.operator == "exp"
            and not (to_rational_function(part.arguments[0], opaque) - exponent).numerator
        ):
            return to_rational_function(part, opaque)
    return None


def _bound_exponential(
    exponent: RationalFunction,
    start: Expression,
    known: frozenset[str],
    opaque: dict[str, Expression],
) -> RationalFunction:
    """Bound e^exponent from below, where the exponent is a sum of logarithms and positive terms."""
    found = constant_function(1)
    unclear = UnsupportedProgram(
        f"the probability of noise above {format_expression(start)} has no known bound; write it"
        " as scale * ln(...)",
        start.place,
    )
    if set(exponent.denominator) != {()}:
        raise unclear
    for monomial, times in exponent.numerator.items():
        factor = times / exponent.denominator[()]
        logarithm = (
            opaque.get(monomial[0][0]) if len(monomial) == 1 and monomial[0][1] == 1 else None
        )
        if (
            isinstance(logarithm, Apply)
            and logarithm.operator == "ln"
            and factor.denominator == 1
            and abs(factor) <= MAX_POWER
        ):
            base = to_rational_function(logarithm.arguments[0], opaque)
            for _ in range(abs(int(factor))):
                found = found * base if factor > 0 else found / base
        elif factor < 0 or not {name for name, _ in monomial} <= known:
            raise unclear
    return found
