"""The last step of a proof: the costs of all sites add up to at most the claim's epsilon, and the
probability of excused noise to at most its delta.
"""

from __future__ import annotations

from fractions import Fraction

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.verify.language.claim_bounds import Bounds, bound_expression
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Noise,
    Number,
    Program,
    collect_names,
    format_expression,
    walk_expression,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import (
    RationalFunction,
    constant_function,
    symbol_function,
    to_rational_function,
)
from hedgerow.verify.prove.obligations import Obligation
from hedgerow.verify.prove.rules.cost_inequality import make_inequality
from hedgerow.verify.prove.rules.gaussian_bounds import compute_largest_rho
from hedgerow.verify.prove.rules.scale_facts import (
    find_nonnegative_parameters,
    find_positive_parameters,
    find_scales,
)
from hedgerow.verify.prove.rules.tail_bounds import derive_tail_bounds
from hedgerow.verify.prove.state import ProductRuns

__all__ = ["compute_allowed_rho", "derive_conclusions"]


def derive_conclusions(product: ProductRuns) -> list[Obligation]:
    """Derive the obligations on the total cost, for every eps, and on the excused probability."""
    concentrated = product.certificate.mode == "zcdp"
    return [
        _derive_zcdp_cost(product) if concentrated else _derive_pure_cost(product),
        *derive_tail_bounds(product),
    ]


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
    return make_inequality(
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
        constant_function(_compute_rho(program, claim.epsilon, claim.delta))
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
    return make_inequality(
        product, "cost", total, allowed, opaque, f"all noise together costs more than {said}"
    )


def _compute_rho(program: Program, epsilon: Expression, delta: Expression) -> Fraction:
    try:
        return compute_largest_rho(program, _bound_constant(epsilon)[0], _bound_constant(delta)[0])
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
