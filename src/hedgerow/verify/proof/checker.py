"""The only part that is trusted: it accepts a certificate, or says which obligation fails and where. It searches for nothing.

Every obligation is derived anew from the program that is given. The certificate's own words about which program it belongs to are for
people: whoever sends it can write anything there, so nothing depends on them.

Why acceptance means privacy. Fix neighbours. The certificate maps the noises of the first run, one after the other, to noises of the
second; each map is one to one given what was drawn before and keeps lengths, so the whole map is one to one and does. Both runs then go
the same way and say the same things. So the chance that the first run says something in E is an integral over noises, each of which is
matched with noises of the second run that say the same, at a density that is smaller by a factor of at most e^cost; and the cost of every
way through the program is at most epsilon. What is excused (``bad``) has a chance of at most delta in the first run. Relations are
symmetric or are claimed in one direction only; so one direction is enough.

In a pointwise proof the map may depend on one answer out of countably many, and only ways to that answer count; adding up over answers
gives every event. In zCDP shifts do not depend on the noise that is shifted; then the Rényi divergences of the noises add up along every
way.

Stretches of coins may be compared by their laws instead (``laws``): what a stretch says, and leaves for later, is then matched with the
same in the second run, where it is less likely by a factor of at most e^cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.verify.language.assumptions import public
from hedgerow.verify.language.kinds import kind_of, resolved
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Assign, Expression, Kind, Noise, Output, Program, Sample, While, names, statements, written
from hedgerow.verify.language.truths import counted
from hedgerow.verify.proof.certificate import FINITE, Certificate, Failure
from hedgerow.verify.proof.costs import conclusions
from hedgerow.verify.proof.hoisting import hoisted
from hedgerow.verify.proof.inputs import Inputs
from hedgerow.verify.proof.obligations import OBLIGATIONS, Obligation
from hedgerow.verify.proof.product import Product
from hedgerow.verify.proof.sinking import sunk
from hedgerow.verify.proof.solver import entailed, possible, z3
from hedgerow.verify.proof.sorts import sorts, speaks_of_bits, stands_in
from hedgerow.verify.proof.wholeness import whole

__all__ = ["check", "discharged", "obligations", "understood"]

_WORDS: Final = frozenset({"True", "False", "if", "else", "and", "or", "not", "xor"})  # of ``program.written``


def check(program: Program, certificate: Certificate, *, required: Sequence[str] = OBLIGATIONS) -> Failure | None:
    """None when the certificate proves the program's claim. ``required`` is shortened by tests only, to see that each name is needed."""
    try:
        failure = _fits(program, certificate, required)
        if failure is not None:
            return failure
        for one in obligations(understood(program, certificate.mode), certificate):
            if one.name in required and not discharged(one):
                return Failure(one.reason, one.place, obligation=one.name)
            if "possible" in required and not possible(one.assumptions, _hints(program)):
                return Failure("what is assumed here cannot happen, so that nothing is shown by it", one.place, obligation="possible")
    except Outside as outside:
        return Failure(outside.reason, outside.place)
    except (z3.Z3Exception, RecursionError, ArithmeticError, ValueError):  # the last two: numbers too large to be written down
        return Failure("the solver could not read an obligation", program.place)
    except (TypeError, AttributeError, LookupError):  # a certificate may say anything: a truth where a number belongs, a name of nothing
        return Failure("the certificate says something that does not fit this program", program.place)
    return None


def understood(program: Program, mode: str = "sequence") -> Program:
    """The program as it is proved: signs settled, noise drawn where it is used, and before branches that private data decide (coins stay
    where they are)."""
    fixed = {one.name for one in program.parameters}
    if len(fixed) < len(program.parameters):  # one could be private and the other public
        raise Outside("two parameters have the same name", program.place)
    if len({one.site for one in program.samples}) < len(program.samples):
        # A run finds what it draws from by the site, and a proof how it is shifted: each by its own.
        raise Outside("two sampling statements have the same site", program.place)
    for name in fixed | {one.name for one in statements(program.body) if isinstance(one, Assign | Sample)}:
        # It could be taken for one of the proof's own names, or be written like a truth.
        if not name.isidentifier() or name in _WORDS:
            raise Outside(f"{name} is not a name that a program may use", program.place)
    for one in statements(program.body):
        if isinstance(one, Assign | Sample) and one.name in fixed:
            raise Outside(f"{one.name} is a parameter and must not be assigned; use another name", one.place)
    whole(program)
    read = counted(resolved(program))
    return read if mode == FINITE else hoisted(sunk(read))


def discharged(one: Obligation) -> bool:
    return bool(z3.is_true(one.goal)) or entailed(one.assumptions, one.goal)


def obligations(program: Program, certificate: Certificate) -> list[Obligation]:
    """Everything that must be shown, in the order of the text, the cost last."""
    finite = certificate.mode == FINITE
    known = sorts(program, exact=finite)
    if not finite and stands_in(program, known):
        for expression, about in _about_bits(program, certificate):
            if not speaks_of_bits(expression, program, known, about):
                raise Outside(f"the certificate's {written(expression)} does not mean the same for bit strings of every width")
    product = Product(program, certificate, known, Inputs(program, known))
    product.run()
    return product.obligations + conclusions(product)


def _about_bits(program: Program, certificate: Certificate) -> list[tuple[Expression, str]]:
    """All expressions of a certificate, with what they are about."""
    kept = [(one, "equal") for loop in certificate.invariants for one in loop]
    rest = [(one, "none") for one in (*certificate.variants, *certificate.rates, *certificate.bad) if one is not None]
    drawn = {one.site for one in program.samples if one.noise is Noise.BITS}
    return kept + rest + [(one, "image" if site in drawn else "none") for site, one in enumerate(certificate.shifts)]


def _fits(program: Program, certificate: Certificate, required: Sequence[str]) -> Failure | None:
    """What is seen without a solver."""
    if (certificate.epsilon, certificate.delta) != (program.claim.epsilon, program.claim.delta):
        return Failure("the certificate proves another claim", program.place, obligation="claim")
    fixed = public(program)
    if not names(program.claim.epsilon) | names(program.claim.delta or program.claim.epsilon) <= fixed:
        return Failure("the claim must be made of public parameters", program.place, obligation="claim")
    loops = sum(isinstance(one, While) for one in statements(program.body))
    sites = {one.site for one in program.samples}
    if len(certificate.invariants) != loops or len(certificate.variants) != loops or sites - set(range(len(certificate.shifts))):
        return Failure("the certificate does not have a shift for each noise and an invariant for each loop", program.place)
    if certificate.mode == "pointwise" and "countable" in required and not _countable(program):
        place = next((one.place for one in statements(program.body) if isinstance(one, Output)), program.place)
        return Failure("one answer at a time is for programs that end with one whole number or truth", place, obligation="countable")
    return None


def _countable(program: Program) -> bool:
    outputs = [one for one in statements(program.body) if isinstance(one, Output)]
    if len(outputs) != 1 or program.body[-1] is not outputs[0]:
        return False
    known = {name: sort.kind for name, sort in sorts(program).items()}
    return kind_of(outputs[0].value, program, known) in (Kind.INT, Kind.BOOL)


def _hints(program: Program) -> list[object]:
    """Small values of public parameters, for assumptions with products that z3 finds hard."""
    small = {Kind.INT: z3.Int, Kind.REAL: z3.Real}
    chosen = [one for one in program.parameters if not one.private and not one.list and one.kind in small]
    return [small[one.kind](one.name) == (2 if one.kind is Kind.INT else 1) for one in chosen if one.name != "delta"]
