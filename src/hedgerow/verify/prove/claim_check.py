"""The last step of a proof: the costs of all sites add up to at most the claim's epsilon, and the
probability of excused noise to at most its delta.
"""

from __future__ import annotations

from fractions import Fraction

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.privacy.zcdp_conversion import find_largest_rho
from hedgerow.verify.language.assumptions import find_constants, find_public_scalars
from hedgerow.verify.language.claim_bounds import Bounds, bound_expression
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Noise,
    Number,
    Program,
    Sample,
    collect_names,
    format_expression,
    substitute,
    walk_expression,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import (
    RationalFunction,
    constant_function,
    divide_by_positive,
    polynomial_term,
    symbol_function,
    to_rational_function,
)
from hedgerow.verify.prove.certificate import split_tail
from hedgerow.verify.prove.obligations import Obligation
from hedgerow.verify.prove.rules.scale_facts import (
    MAX_POWER,
    find_nonnegative_parameters,
    find_positive_parameters,
    find_scales,
    is_denominator_positive,
    list_inverse_facts,
    make_symbol_lookup,
)
from hedgerow.verify.prove.solver import z3
from hedgerow.verify.prove.state import ProductRuns

__all__ = ["compute_allowed_rho", "derive_conclusions"]

# Noise of scale b is at least t with probability at most this times e^(-t/b), for every t.
_TAIL_FACTORS = {
    Noise.LAPLACE: Fraction(1, 2),
    Noise.GEOMETRIC: Fraction(1),
    Noise.EXPONENTIAL: Fraction(1),
}


def derive_conclusions(product: ProductRuns) -> list[Obligation]:
    """Derive the obligations on the total cost, for every eps, and on the excused probability."""
    concentrated = product.certificate.mode == "zcdp"
    return [
        _derive_zcdp_cost(product) if concentrated else _derive_pure_cost(product),
        *_derive_tail_bounds(product),
    ]


def _make_inequality(
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
    return Obligation(
        name, (*path, *above, *list_inverse_facts([*path, goal])), goal, place, reason
    )


def _derive_pure_cost(product: ProductRuns) -> Obligation:
    program, certificate = product.program, product.certificate
    opaque: dict[str, Expression] = {}
    total = constant_function(0)
    for site, scale in find_scales(program).items():
        total += symbol_function(f"@cost{site}") / to_rational_function(scale, opaque)
    for one in program.samples:
        if one.noise in (Noise.BERNOULLI, Noise.BITS):
            rate = certificate.rates[one.site] if one.site < len(certificate.rates) else None
            total += symbol_function(f"@cost{one.site}") * (
                constant_function(0) if rate is None else to_rational_function(rate, opaque)
            )
    claim = program.claim.epsilon
    return _make_inequality(
        product,
        "cost",
        total,
        to_rational_function(claim, opaque),
        opaque,
        f"all noise together costs more than {format_expression(claim)}",
    )


def _derive_zcdp_cost(product: ProductRuns) -> Obligation:
    """Compare the sum of shift^2 / (2 scale^2) with the rho that the claim's epsilon and delta
    allow.
    """
    program, claim, opaque = product.program, product.program.claim, dict[str, Expression]()
    if claim.delta is None or any(one is not None for one in product.certificate.excused):
        raise UnsupportedProgram(
            "a zCDP proof needs a claim with a delta and no excused noise; add a delta",
            program.place,
        )
    numbers = not collect_names(claim.epsilon) | collect_names(claim.delta)
    allowed = (
        constant_function(_compute_rho(claim.epsilon, claim.delta))
        if numbers
        else compute_allowed_rho(program, opaque)
    )
    total = constant_function(0)
    for site, scale in find_scales(program).items():
        # Where the claim is in numbers so are the scales, up to a rounding that makes them smaller.
        square = (
            constant_function(_scale_lower_bound(scale) ** 2) if numbers else _square(scale, opaque)
        )
        total += symbol_function(f"@cost{site}") / (constant_function(2) * square)
    said = f"({format_expression(claim.epsilon)}, {format_expression(claim.delta)})"
    return _make_inequality(
        product, "cost", total, allowed, opaque, f"all noise together costs more than {said}"
    )


def _compute_rho(epsilon: Expression, delta: Expression) -> Fraction:
    try:
        return find_largest_rho(_bound_constant(epsilon)[0], _bound_constant(delta)[0])
    except InvalidArgument:
        raise UnsupportedProgram(
            "the claim's epsilon and delta must be positive, and delta below 1; change the claim"
        ) from None


def compute_allowed_rho(program: Program, opaque: dict[str, Expression]) -> RationalFunction:
    """Return the rho that a claim in parameters allows.

    A rho gives epsilon = rho + 2 sqrt(rho L) at delta, where L is ln(1/delta). So a claim a + b
    allows rho = a^2 / (4 L) when b is at least that. This covers the conversion itself
    (a = 2 sqrt(r L), b = r), and advanced composition of k mechanisms of cost e
    (a = e sqrt(2 k L), b = k e (exp(e) - 1)): there rho is k e^2 / 2, and exp(e) - 1 >= e.
    """
    claim, delta = program.claim, program.claim.delta
    unclear = UnsupportedProgram(
        "Gaussian noise needs another form of claim. Write the claim in numbers, or as"
        " r + 2*sqrt(r*ln(1/delta))",
        program.place,
    )
    if (
        not isinstance(delta, Name)
        or delta.name != "delta"
        or not isinstance(claim.epsilon, Apply)
        or claim.epsilon.operator != "+"
    ):
        raise unclear
    logarithm = Apply("ln", (Apply("/", (Number(Fraction(1)), delta)),))
    for root, rest in (claim.epsilon.arguments, claim.epsilon.arguments[::-1]):
        if not any(
            isinstance(part, Apply) and part.operator == "sqrt" for part in walk_expression(root)
        ):
            continue
        rho = _square(root, opaque) / (
            constant_function(4) * to_rational_function(logarithm, opaque)
        )
        known = find_positive_parameters(
            program, [to_rational_function(one, opaque) for one in find_scales(program).values()]
        )
        known |= find_nonnegative_parameters(program, known)
        over = _bound_below(rest, opaque, known) - rho
        first = to_rational_function(root, opaque)
        roots = frozenset(name for name in opaque if name.startswith("sqrt"))
        if _is_not_negative(first, known | roots) and _is_not_negative(over, known):
            return rho
    raise unclear


def _is_not_negative(one: RationalFunction, known: frozenset[str]) -> bool:
    """Decide from the signs of the coefficients alone."""
    return one.symbols <= known and all(
        factor >= 0 for side in (one.numerator, one.denominator) for factor in side.values()
    )


def _bound_below(
    expression: Expression, opaque: dict[str, Expression], known: frozenset[str]
) -> RationalFunction:
    """Bound the expression from below: t replaces a factor exp(t) - 1 where the other factors are
    not negative.
    """
    if isinstance(expression, Apply) and expression.operator == "*":
        left, right = expression.arguments
        if (
            isinstance(right, Apply)
            and right.operator == "-"
            and right.arguments[1] == Number(Fraction(1))
        ):
            power = right.arguments[0]
            if (
                isinstance(power, Apply)
                and power.operator == "exp"
                and _is_not_negative(to_rational_function(left, opaque), known)
            ):
                return to_rational_function(left, opaque) * to_rational_function(
                    power.arguments[0], opaque
                )
    return to_rational_function(expression, opaque)


def _bound_constant(expression: Expression) -> Bounds:
    """Enclose an expression without names between two numbers."""
    try:
        return bound_expression(expression, {})
    except Refused as error:
        raise UnsupportedProgram(str(error), expression.place) from None


def _scale_lower_bound(scale: Expression) -> Fraction:
    least = _bound_constant(scale)[0]
    if least <= 0:
        raise UnsupportedProgram(
            f"the scale {format_expression(scale)} may not be positive; use a positive one",
            scale.place,
        )
    return least


def _square(expression: Expression, opaque: dict[str, Expression]) -> RationalFunction:
    """Return the square of the expression, with its roots removed."""
    if isinstance(expression, Apply) and expression.operator == "sqrt":
        return to_rational_function(expression.arguments[0], opaque)
    if isinstance(expression, Apply) and expression.operator in ("*", "/"):
        left, right = (_square(one, opaque) for one in expression.arguments)
        return left * right if expression.operator == "*" else left / right
    return to_rational_function(expression, opaque) * to_rational_function(expression, opaque)


def _derive_tail_bounds(product: ProductRuns) -> list[Obligation]:
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
            _make_inequality(
                product, "tail", total, to_rational_function(delta, opaque), opaque, reason
            )
        ]
        if some
        else []
    )
    return found + [_require_tail_from_zero(product, site, start) for site, start in later]


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
