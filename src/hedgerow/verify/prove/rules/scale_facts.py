"""Scales and claims in terms of public parameters, and the facts that a proof assumes about them.

A proof assumes that scales are positive and that a claim is not negative. A public parameter keeps
its value: programs that assign to one are refused.
"""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.verify.language.assumptions import (
    find_constants,
    find_epsilon_parameters,
    find_public_scalars,
)
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Noise,
    Program,
    collect_names,
    format_expression,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.algebra import (
    RationalFunction,
    divide_by_positive,
    infer_positive_symbols,
    polynomial_term,
    to_rational_function,
)
from hedgerow.verify.prove.solver import Term, z3
from hedgerow.verify.prove.state import PairState, ProductRuns
from hedgerow.verify.prove.terms import find_applications, to_real, translate

__all__ = [
    "MAX_POWER",
    "LookUpSymbol",
    "find_nonnegative_parameters",
    "find_positive_parameters",
    "find_scales",
    "is_denominator_positive",
    "list_assumptions",
    "list_inverse_facts",
    "list_ratio_facts",
    "make_symbol_lookup",
]

LookUpSymbol = Callable[[str], Term]
MAX_POWER = 8
_UNSCALED = (Noise.UNIFORM, Noise.BITS, Noise.BERNOULLI)


def find_scales(program: Program) -> dict[int, Expression]:
    """Return the scale of every site that has one, in terms of public parameters; raise
    ``UnsupportedProgram`` if it changes during a run.
    """
    fixed, known = find_public_scalars(program), find_constants(program)
    found: dict[int, Expression] = {}
    for one in program.samples:
        if one.noise in _UNSCALED:
            continue
        value = substitute(one.parameters[0], known)
        if not collect_names(value) <= fixed or found.setdefault(one.site, value) != value:
            raise UnsupportedProgram(
                f"the scale {format_expression(one.parameters[0])} is not fixed by public"
                " parameters; use public parameters",
                one.place,
            )
    return found


def make_symbol_lookup(
    product: ProductRuns, state: PairState, opaque: dict[str, Expression]
) -> LookUpSymbol:
    """Return a lookup for the symbols of a fraction: counters of this state, public parameters."""

    def value(name: str) -> Term:
        if name.startswith(("@cost", "@rare")):
            return state.costs[name[1:]]
        return to_real(
            translate(
                opaque[name] if name in opaque else Name(name), product.run_symbols(0, state, [])
            )
        )

    return value


def list_assumptions(product: ProductRuns, state: PairState) -> list[Term]:
    """List the assumptions that scales are positive and the claim is not negative."""
    program, opaque = product.program, dict[str, Expression]()
    quotients = [to_rational_function(one, opaque) for one in find_scales(program).values()]
    claim, value = (
        to_rational_function(program.claim.epsilon, opaque),
        make_symbol_lookup(product, state, opaque),
    )
    known = find_positive_parameters(program, quotients)
    facts = [value(name) > 0 for name in sorted(known)]
    facts += [
        _sign_term(one, value) > 0 for one in quotients if not _is_surely_positive(one, known)
    ]
    facts += [
        value(name) >= 0 for name in sorted(find_nonnegative_parameters(program, known) - known)
    ]
    rest = divide_by_positive(claim.numerator, known)
    if (  # a judgement says itself what its numbers are
        program.claim.neighbours.before is None
        and rest
        and claim.symbols - known
        and not any(name.startswith(("sqrt", "exp")) for name in claim.symbols)
        and {name for monomial in claim.denominator for name, _ in monomial} <= known
    ):
        facts.append(polynomial_term(rest, value) >= 0)
    return facts


def find_nonnegative_parameters(program: Program, known: frozenset[str]) -> frozenset[str]:
    """Find the public parameters that are not negative because a radicand of the claim is not
    (ln(1/delta) is positive).
    """
    logarithm = "ln(1 / delta)" if "delta" in find_public_scalars(program) else ""
    roots = [
        part
        for part in walk_expression(program.claim.epsilon)
        if isinstance(part, Apply) and part.operator == "sqrt"
    ]
    found = infer_positive_symbols(
        [to_rational_function(root.arguments[0], {}) for root in roots],
        known | {logarithm, "delta"},
    )
    return found & find_public_scalars(program)


def _is_surely_positive(one: RationalFunction, known: frozenset[str]) -> bool:
    factors = [*one.numerator.values(), *one.denominator.values()]
    return (
        len(one.numerator) == len(one.denominator) == 1
        and one.symbols <= known
        and all(factor > 0 for factor in factors)
    )


def _list_radicands(scale: Expression) -> list[Expression]:
    """List the radicands of roots that are factors of the scale: they are not 0 either."""
    if isinstance(scale, Apply) and scale.operator in ("*", "/"):
        return [root for one in scale.arguments for root in _list_radicands(one)]
    return [scale.arguments[0]] if isinstance(scale, Apply) and scale.operator == "sqrt" else []


def find_positive_parameters(program: Program, quotients: list[RationalFunction]) -> frozenset[str]:
    """Find the public parameters that are positive because these scales are."""
    roots = [
        to_rational_function(root, {})
        for scale in find_scales(program).values()
        for root in _list_radicands(scale)
    ]
    spoken_of = find_public_scalars(program).union(*(one.symbols for one in quotients))
    return spoken_of & infer_positive_symbols(
        [*quotients, *roots], find_epsilon_parameters(program)
    )


def list_ratio_facts(product: ProductRuns, site: int, ratio: Term) -> list[Term]:
    """List facts about ``ratio`` = e^rate that compare it with the exponentials in the program."""
    program, opaque = product.program, dict[str, Expression]()
    rate = product.certificate.rates[site] if site < len(product.certificate.rates) else None
    value = make_symbol_lookup(product, PairState(dict(product.inputs.scalars), {}), opaque)
    if rate is None:
        return [ratio == 1]
    if not collect_names(rate) <= find_public_scalars(program):
        raise UnsupportedProgram(
            f"the rate {format_expression(rate)} is not public; use public parameters"
        )
    if isinstance(rate, Apply) and rate.operator == "ln":
        opaque["argument"] = rate.arguments[0]
        return [ratio == value("argument")]
    worth, facts = to_rational_function(rate, opaque), [ratio > 0]
    known = find_positive_parameters(
        program, [to_rational_function(one, opaque) for one in find_scales(program).values()]
    )
    if worth.symbols <= known and all(
        factor > 0 for side in (worth.numerator, worth.denominator) for factor in side.values()
    ):
        facts.append(ratio > 1)
    for one in _list_exponentials(program):
        times = (
            (to_rational_function(one.arguments[0], opaque) / worth).constant_value
            if worth.numerator
            else None
        )
        opaque["exponential"] = one
        if times is not None and times.denominator == 1 and abs(times) <= MAX_POWER:
            power = z3.Product([ratio] * abs(int(times)) or [z3.RealVal(1)])
            facts.append(
                value("exponential") == power if times >= 0 else value("exponential") * power == 1
            )
    return facts


def _list_exponentials(program: Program) -> list[Apply]:
    fixed, known, found = (
        find_public_scalars(program),
        find_constants(program),
        dict[Expression, Apply](),
    )
    for one in walk_statements(program.body):
        for expression in list_expressions(one):
            for part in walk_expression(substitute(expression, known)):
                if (
                    isinstance(part, Apply)
                    and part.operator == "exp"
                    and collect_names(part) <= fixed
                ):
                    found[part] = part
    return list(found.values())


def list_inverse_facts(terms: list[Term]) -> list[Term]:
    """List the defining facts of all reciprocals; elsewhere they stay symbols, which keeps z3 to
    linear arithmetic.
    """
    return [z3.Implies(one.arg(0) != 0, one.arg(0) * one == 1) for one in find_applications(terms)]


def _sign_term(one: RationalFunction, value: LookUpSymbol) -> Term:
    return polynomial_term(one.numerator, value) * polynomial_term(one.denominator, value)


def is_denominator_positive(
    one: RationalFunction, known: frozenset[str], value: LookUpSymbol
) -> Term:
    """Build the formula that the denominator, by which both sides were multiplied, is positive."""
    if (
        len(one.denominator) == 1
        and {name for monomial in one.denominator for name, _ in monomial} <= known
    ):
        return z3.BoolVal(next(iter(one.denominator.values())) > 0)
    return polynomial_term(one.denominator, value) > 0
