"""What a program's scales and claims are in terms of public parameters, and what is assumed of those throughout a proof.

Assumed: scales are positive, and a claim is not negative. A parameter that is public stays what it was: programs that assign to one are
refused.
"""

from __future__ import annotations

from collections.abc import Callable

from hedgerow.verify.language.assumptions import constants, public
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Name,
    Noise,
    Program,
    expressions,
    names,
    parts,
    replaced,
    statements,
    written,
)
from hedgerow.verify.proof.algebra import Quotient, positive_symbols, quotient, term, without_positive
from hedgerow.verify.proof.solver import Term, z3
from hedgerow.verify.proof.state import Runs, State
from hedgerow.verify.proof.terms import applications, meaning, real

__all__ = [
    "POWER",
    "Value",
    "assumed",
    "below",
    "inverses",
    "positive",
    "ratio_facts",
    "scales",
    "under_claim",
    "value_of",
]

Value = Callable[[str], Term]
POWER = 8
_UNSCALED = (Noise.UNIFORM, Noise.BITS, Noise.BERNOULLI)


def scales(program: Program) -> dict[int, Expression]:
    """The scale of every site that has one, in terms of public parameters, or ``Outside`` when it changes while the program runs."""
    fixed, known = public(program), constants(program)
    found: dict[int, Expression] = {}
    for one in program.samples:
        if one.noise in _UNSCALED:
            continue
        value = replaced(one.parameters[0], known)
        if not names(value) <= fixed or found.setdefault(one.site, value) != value:
            raise Outside(f"the scale {written(one.parameters[0])} is not fixed by public parameters", one.place)
    return found


def value_of(product: Runs, state: State, opaque: dict[str, Expression]) -> Value:
    """What the symbols of a quotient stand for: counters of this state, and public parameters."""

    def value(name: str) -> Term:
        if name.startswith(("@cost", "@rare")):
            return state.costs[name[1:]]
        return real(meaning(opaque[name] if name in opaque else Name(name), product.in_run(0, state, [])))

    return value


def assumed(product: Runs, state: State) -> list[Term]:
    """Scales are positive, and the claim is not negative."""
    program, opaque = product.program, dict[str, Expression]()
    quotients = [quotient(one, opaque) for one in scales(program).values()]
    claim, value = quotient(program.claim.epsilon, opaque), value_of(product, state, opaque)
    known = positive(program, quotients)
    facts = [value(name) > 0 for name in sorted(known)]
    facts += [_sign(one, value) > 0 for one in quotients if not _surely_positive(one, known)]
    facts += [value(name) >= 0 for name in sorted(under_claim(program, known) - known)]
    rest = without_positive(claim.above, known)
    if (
        rest
        and claim.symbols - known
        and not any(name.startswith(("sqrt", "exp")) for name in claim.symbols)
        and {name for monomial in claim.below for name, _ in monomial} <= known
    ):
        facts.append(term(rest, value) >= 0)
    return facts


def under_claim(program: Program, known: frozenset[str]) -> frozenset[str]:
    """The public parameters that are not negative because what stands under a root of the claim is not (ln(1/delta) is positive)."""
    logarithm = "ln(1 / delta)" if "delta" in public(program) else ""
    roots = [part for part in parts(program.claim.epsilon) if isinstance(part, Apply) and part.operator == "sqrt"]
    found = positive_symbols([quotient(root.arguments[0], {}) for root in roots], known | {logarithm, "delta"})
    return found & public(program)


def _surely_positive(one: Quotient, known: frozenset[str]) -> bool:
    factors = [*one.above.values(), *one.below.values()]
    return len(one.above) == len(one.below) == 1 and one.symbols <= known and all(factor > 0 for factor in factors)


def _under_roots(scale: Expression) -> list[Expression]:
    """What stands under a root that is a factor of the scale: it is not 0 either."""
    if isinstance(scale, Apply) and scale.operator in ("*", "/"):
        return [root for one in scale.arguments for root in _under_roots(one)]
    return [scale.arguments[0]] if isinstance(scale, Apply) and scale.operator == "sqrt" else []


def positive(program: Program, quotients: list[Quotient]) -> frozenset[str]:
    """The public parameters that are positive because these scales are."""
    roots = [quotient(root, {}) for scale in scales(program).values() for root in _under_roots(scale)]
    spoken_of = public(program).union(*(one.symbols for one in quotients))
    return spoken_of & positive_symbols([*quotients, *roots], frozenset({"eps", "epsilon"} & public(program)))


def ratio_facts(product: Runs, site: int, ratio: Term) -> list[Term]:
    """That ``ratio`` is e^rate: what of that is needed to compare it with exponentials that stand in the program."""
    program, opaque = product.program, dict[str, Expression]()
    rate = product.certificate.rates[site] if site < len(product.certificate.rates) else None
    value = value_of(product, State(dict(product.inputs.scalars), {}), opaque)
    if rate is None:
        return [ratio == 1]
    if not names(rate) <= public(program):
        raise Outside(f"the rate {written(rate)} is not public")
    if isinstance(rate, Apply) and rate.operator == "ln":
        opaque["argument"] = rate.arguments[0]
        return [ratio == value("argument")]
    worth, facts = quotient(rate, opaque), [ratio > 0]
    known = positive(program, [quotient(one, opaque) for one in scales(program).values()])
    if worth.symbols <= known and all(factor > 0 for side in (worth.above, worth.below) for factor in side.values()):
        facts.append(ratio > 1)
    for one in _exponentials(program):
        times = (quotient(one.arguments[0], opaque) / worth).number if worth.above else None
        opaque["exponential"] = one
        if times is not None and times.denominator == 1 and abs(times) <= POWER:
            power = z3.Product([ratio] * abs(int(times)) or [z3.RealVal(1)])
            facts.append(value("exponential") == power if times >= 0 else value("exponential") * power == 1)
    return facts


def _exponentials(program: Program) -> list[Apply]:
    """exp(…) of public parameters, wherever the program has it."""
    fixed, known, found = public(program), constants(program), dict[Expression, Apply]()
    for one in statements(program.body):
        for expression in expressions(one):
            for part in parts(replaced(expression, known)):
                if isinstance(part, Apply) and part.operator == "exp" and names(part) <= fixed:
                    found[part] = part
    return list(found.values())


def inverses(terms: list[Term]) -> list[Term]:
    """What a quotient means, wherever one stands. Elsewhere it is a symbol, which is enough and keeps z3 to linear arithmetic."""
    return [z3.Implies(one.arg(0) != 0, one.arg(0) * one == 1) for one in applications(terms)]


def _sign(one: Quotient, value: Value) -> Term:
    return term(one.above, value) * term(one.below, value)


def below(one: Quotient, known: frozenset[str], value: Value) -> Term:
    """That what was multiplied with is positive."""
    if len(one.below) == 1 and {name for monomial in one.below for name, _ in monomial} <= known:
        return z3.BoolVal(next(iter(one.below.values())) > 0)
    return term(one.below, value) > 0
