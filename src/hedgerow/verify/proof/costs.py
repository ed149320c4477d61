"""The last step of a proof: what all sites have cost adds up to the claim at most, and what was excused is as rare as its delta."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.privacy.conversion import rho_of
from hedgerow.verify.language.assumptions import constants, public
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Expression, Name, Noise, Number, Program, names, parts, replaced, written
from hedgerow.verify.price import Between, between
from hedgerow.verify.proof.algebra import Quotient, constant, quotient, symbol, term, without_positive
from hedgerow.verify.proof.certificate import tail_of
from hedgerow.verify.proof.obligations import Obligation
from hedgerow.verify.proof.scales import POWER, below, inverses, positive, scales, under_claim, value_of
from hedgerow.verify.proof.solver import z3
from hedgerow.verify.proof.state import Runs

__all__ = ["composed", "conclusions"]

# How likely noise of scale b is to be at least t: at most this times e^(-t/b), for every t.
_TAILS = {Noise.LAPLACE: Fraction(1, 2), Noise.GEOMETRIC: Fraction(1), Noise.EXPONENTIAL: Fraction(1)}


def conclusions(product: Runs) -> list[Obligation]:
    """The cost, for every eps; and how rare is what was excused."""
    concentrated = product.certificate.mode == "zcdp"
    return [_concentrated(product) if concentrated else _pure(product), *_rare(product)]


def _shown(product: Runs, name: str, left: Quotient, right: Quotient, opaque: dict[str, Expression], reason: str) -> Obligation:
    """That left <= right, multiplied out."""
    program = product.program
    assert product.final is not None
    state, path = product.final
    value = value_of(product, state, opaque)
    known = positive(program, [quotient(one, opaque) for one in scales(program).values()]) | (frozenset({"delta"}) & public(program))
    powers = frozenset(name for name, one in opaque.items() if isinstance(one, Apply) and one.operator == "exp")
    known |= powers
    difference = left - right
    goal = z3.And(term(without_positive(difference.above, known), value) <= 0, below(difference, known, value))
    place = max((one.place for one in program.samples), key=lambda place: place.line, default=program.place)
    above = [value(power) > 0 for power in sorted(powers)]
    return Obligation(name, (*path, *above, *inverses([*path, goal])), goal, place, reason)


def _pure(product: Runs) -> Obligation:
    program, certificate = product.program, product.certificate
    opaque: dict[str, Expression] = {}
    total = constant(0)
    for site, scale in scales(program).items():
        total += symbol(f"@cost{site}") / quotient(scale, opaque)
    for one in program.samples:
        if one.noise in (Noise.BERNOULLI, Noise.BITS):
            rate = certificate.rates[one.site] if one.site < len(certificate.rates) else None
            total += symbol(f"@cost{one.site}") * (constant(0) if rate is None else quotient(rate, opaque))
    claim = program.claim.epsilon
    return _shown(product, "cost", total, quotient(claim, opaque), opaque, f"all noise together costs more than {written(claim)}")


def _concentrated(product: Runs) -> Obligation:
    """In zCDP: the sum of shift^2 / (2 scale^2), against the rho that the claim's epsilon and delta allow."""
    program, claim, opaque = product.program, product.program.claim, dict[str, Expression]()
    if claim.delta is None or any(one is not None for one in product.certificate.bad):
        raise Outside("zCDP is for claims with a delta, all of which pays for the conversion", program.place)
    numbers = not names(claim.epsilon) | names(claim.delta)
    allowed = constant(_rho(claim.epsilon, claim.delta)) if numbers else composed(program, opaque)
    total = constant(0)
    for site, scale in scales(program).items():
        # Where the claim is in numbers so are the scales, up to a rounding that makes them smaller.
        square = constant(_least(scale) ** 2) if numbers else _squared(scale, opaque)
        total += symbol(f"@cost{site}") / (constant(2) * square)
    said = f"({written(claim.epsilon)}, {written(claim.delta)})"
    return _shown(product, "cost", total, allowed, opaque, f"all noise together costs more than {said}")


def _rho(epsilon: Expression, delta: Expression) -> Fraction:
    try:
        return rho_of(_ends(epsilon)[0], _ends(delta)[0])
    except InvalidArgument:
        raise Outside("the claim's epsilon and delta must be positive, and delta below 1") from None


def composed(program: Program, opaque: dict[str, Expression]) -> Quotient:
    """The rho that a claim in parameters allows. A rho gives epsilon rho + 2 sqrt(rho L) at delta, where L is ln(1/delta).

    So a claim a + b allows rho = a^2 / (4 L) when b is at least that. This is the conversion itself (a = 2 sqrt(r L), b = r), and it is
    advanced composition of k mechanisms of cost e (a = e sqrt(2 k L), b = k e (exp(e) - 1)): there rho is k e^2 / 2, and exp(e) - 1 >= e.
    """
    claim, delta = program.claim, program.claim.delta
    unclear = Outside("Gaussian noise is proved for claims in numbers, or for r + 2*sqrt(r*ln(1/delta))", program.place)
    if not isinstance(delta, Name) or delta.name != "delta" or not isinstance(claim.epsilon, Apply) or claim.epsilon.operator != "+":
        raise unclear
    logarithm = Apply("ln", (Apply("/", (Number(Fraction(1)), delta)),))
    for root, rest in (claim.epsilon.arguments, claim.epsilon.arguments[::-1]):
        if not any(isinstance(part, Apply) and part.operator == "sqrt" for part in parts(root)):
            continue
        rho = _squared(root, opaque) / (constant(4) * quotient(logarithm, opaque))
        known = positive(program, [quotient(one, opaque) for one in scales(program).values()])
        known |= under_claim(program, known)
        over = _at_least(rest, opaque, known) - rho
        first = quotient(root, opaque)
        roots = frozenset(name for name in opaque if name.startswith("sqrt"))
        if _not_negative(first, known | roots) and _not_negative(over, known):
            return rho
    raise unclear


def _not_negative(one: Quotient, known: frozenset[str]) -> bool:
    """Seen from its signs alone."""
    return one.symbols <= known and all(factor >= 0 for side in (one.above, one.below) for factor in side.values())


def _at_least(expression: Expression, opaque: dict[str, Expression], known: frozenset[str]) -> Quotient:
    """The expression, or less: t for a factor exp(t) - 1, where the other factors are not negative."""
    if isinstance(expression, Apply) and expression.operator == "*":
        left, right = expression.arguments
        if isinstance(right, Apply) and right.operator == "-" and right.arguments[1] == Number(Fraction(1)):
            power = right.arguments[0]
            if isinstance(power, Apply) and power.operator == "exp" and _not_negative(quotient(left, opaque), known):
                return quotient(left, opaque) * quotient(power.arguments[0], opaque)
    return quotient(expression, opaque)


def _ends(expression: Expression) -> Between:
    """What an expression without names lies between."""
    try:
        return between(expression, {})
    except Refused as error:
        raise Outside(str(error), expression.place) from None


def _least(scale: Expression) -> Fraction:
    """A positive number that the scale is not below."""
    least = _ends(scale)[0]
    if least <= 0:
        raise Outside(f"the scale {written(scale)} is not seen to be positive", scale.place)
    return least


def _squared(expression: Expression, opaque: dict[str, Expression]) -> Quotient:
    """The square, in which roots are gone."""
    if isinstance(expression, Apply) and expression.operator == "sqrt":
        return quotient(expression.arguments[0], opaque)
    if isinstance(expression, Apply) and expression.operator in ("*", "/"):
        left, right = (_squared(one, opaque) for one in expression.arguments)
        return left * right if expression.operator == "*" else left / right
    return quotient(expression, opaque) * quotient(expression, opaque)


def _rare(product: Runs) -> list[Obligation]:
    """What is excused is as rare as the claim's delta."""
    program, opaque, total, later = product.program, dict[str, Expression](), constant(0), list[tuple[int, Expression]]()
    delta = program.claim.delta if program.claim.delta is not None else Number(Fraction(0))
    known, some = positive(program, [quotient(one, opaque) for one in scales(program).values()]), False
    for one in program.samples:
        rare = product.certificate.bad[one.site] if one.site < len(product.certificate.bad) else None
        if rare is None:
            continue
        if product.certificate.mode == "pointwise":  # each answer would be excused anew, and that adds up over all answers
            raise Outside("noise is not excused in a proof for one answer at a time", one.place)
        start, scale, some = replaced(tail_of(rare)[1], constants(program)), scales(program)[one.site], True
        if one.noise not in _TAILS or not names(start) <= public(program):
            raise Outside(f"how rare {written(rare)} is cannot be said", one.place)
        exponent = quotient(start, opaque) / quotient(scale, opaque)
        power = _power(-exponent, delta, opaque)
        if power is None:
            power = constant(_TAILS[one.noise]) / _likelihood(exponent, start, known, opaque)
        elif one.noise is Noise.GEOMETRIC and (step := _power(-(constant(1) / quotient(scale, opaque)), delta, opaque)) is not None:
            power /= constant(1) + step  # from 0 on
            later.append((one.site, start))
        else:
            power *= constant(_TAILS[one.noise])
        total += symbol(f"@rare{one.site}") * power
    reason = f"the noise goes wrong more often than {written(delta)}"
    found = [_shown(product, "tail", total, quotient(delta, opaque), opaque, reason)] if some else []
    return found + [_not_before(product, site, start) for site, start in later]


def _not_before(product: Runs, site: int, start: Expression) -> Obligation:
    """That noise of this site is excused from 0 on only."""
    assert product.final is not None
    state, path = product.final
    value = value_of(product, state, {"start": start})
    goal = z3.Or(value(f"@rare{site}") <= 0, value("start") >= 0)
    place = next(one.place for one in product.program.samples if one.site == site)
    return Obligation(
        "tail", (*path, *inverses([*path, goal])), goal, place, f"how rare noise above {written(start)} is is known from 0 on"
    )


def _power(exponent: Quotient, delta: Expression, opaque: dict[str, Expression]) -> Quotient | None:
    """e^exponent, where the claim's delta speaks of it."""
    for part in parts(delta):
        if isinstance(part, Apply) and part.operator == "exp" and not (quotient(part.arguments[0], opaque) - exponent).above:
            return quotient(part, opaque)
    return None


def _likelihood(exponent: Quotient, start: Expression, known: frozenset[str], opaque: dict[str, Expression]) -> Quotient:
    """A lower bound of e^exponent, where that is a sum of logarithms and of something positive."""
    found = constant(1)
    unclear = Outside(f"how rare noise above {written(start)} is cannot be said", start.place)
    if set(exponent.below) != {()}:
        raise unclear
    for monomial, times in exponent.above.items():
        factor = times / exponent.below[()]
        logarithm = opaque.get(monomial[0][0]) if len(monomial) == 1 and monomial[0][1] == 1 else None
        if isinstance(logarithm, Apply) and logarithm.operator == "ln" and factor.denominator == 1 and abs(factor) <= POWER:
            base = quotient(logarithm.arguments[0], opaque)
            for _ in range(abs(int(factor))):
                found = found * base if factor > 0 else found / base
        elif factor < 0 or not {name for name, _ in monomial} <= known:
            raise unclear
    return found
