"""The only part that is trusted: it accepts a certificate, or says which obligation fails and
where. It searches for nothing.

Every obligation is derived anew from the program that is given. The certificate's own words about
which program it belongs to are for people: whoever sends it can write anything there, so nothing
depends on them.

Why acceptance means privacy. Fix neighbours. The certificate maps the noises of the first run, one
after the other, to noises of the second; each map is one to one given what was drawn before and
keeps lengths, so the whole map is one to one and does. Both runs then go the same way and say the
same things. So the chance that the first run says something in E is an integral over noises, each
of which is matched with noises of the second run that say the same, at a density that is smaller by
a factor of at most e^cost; and the cost of every way through the program is at most epsilon. What
is excused (``bad``) has a chance of at most delta in the first run. Relations are symmetric or are
claimed in one direction only; so one direction is enough.

In a pointwise proof the map may depend on one answer out of countably many, and only ways to that
answer count; adding up over answers gives every event. In zCDP shifts do not depend on the noise
that is shifted; then the Rényi divergences of the noises add up along every way.

Stretches of coins may be compared by their laws instead (``laws``): what a stretch says, and leaves
for later, is then matched with the same in the second run, where it is less likely by a factor of
at most e^cost.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from hedgerow.verify.language.assumptions import find_public_scalars
from hedgerow.verify.language.private_booleans import encode_booleans
from hedgerow.verify.language.program import (
    Assign,
    Expression,
    Kind,
    Noise,
    Output,
    Program,
    Sample,
    While,
    collect_names,
    format_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, resolve_program
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import FINITE, Certificate, Failure
from hedgerow.verify.prove.claim_check import derive_conclusions
from hedgerow.verify.prove.hoisting import hoist_draws
from hedgerow.verify.prove.obligations import OBLIGATION_NAMES, Obligation
from hedgerow.verify.prove.product_program import ProductProgram
from hedgerow.verify.prove.rules.definedness import check_definedness
from hedgerow.verify.prove.sinking import sink_statements
from hedgerow.verify.prove.solver import is_entailed, is_satisfiable, z3
from hedgerow.verify.prove.sorts import infer_sorts, is_width_independent, uses_abstract_bits
from hedgerow.verify.prove.symbolic_inputs import SymbolicInputs

__all__ = ["check", "derive_obligations", "is_discharged", "normalise_program"]

# of ``program.written``
_RESERVED_WORDS: Final = frozenset({"True", "False", "if", "else", "and", "or", "not", "xor"})


def check(
    program: Program, certificate: Certificate, *, required: Sequence[str] = OBLIGATION_NAMES
) -> Failure | None:
    """None when the certificate proves the program's claim. ``required`` is shortened by tests
    only, to see that each name is needed.
    """
    try:
        failure = _check_shape(program, certificate, required)
        if failure is not None:
            return failure
        for one in derive_obligations(normalise_program(program, certificate.mode), certificate):
            if one.name in required and not is_discharged(one):
                return Failure(one.reason, one.place, obligation=one.name)
            if "possible" in required and not is_satisfiable(one.assumptions, _list_hints(program)):
                return Failure(
                    "what is assumed here cannot happen, so that nothing is shown by it",
                    one.place,
                    obligation="possible",
                )
    except UnsupportedProgram as outside:
        return Failure(outside.reason, outside.place)
    # the last two: numbers too large to be written down
    except (z3.Z3Exception, RecursionError, ArithmeticError, ValueError):
        return Failure("the solver could not read an obligation", program.place)
    # a certificate may say anything: a truth where a number belongs, a name of nothing
    except (TypeError, AttributeError, LookupError):
        return Failure(
            "the certificate says something that does not fit this program", program.place
        )
    return None


def normalise_program(program: Program, mode: str = "sequence") -> Program:
    """The program as it is proved: signs settled, noise drawn where it is used, and before branches
    that private data decide (coins stay where they are)."""
    fixed = {one.name for one in program.parameters}
    if len(fixed) < len(program.parameters):  # one could be private and the other public
        raise UnsupportedProgram("two parameters have the same name", program.place)
    if len({one.site for one in program.samples}) < len(program.samples):
        # A run finds what it draws from by the site, and a proof how it is shifted: each by its
        # own.
        raise UnsupportedProgram("two sampling statements have the same site", program.place)
    for name in fixed | {
        one.name for one in walk_statements(program.body) if isinstance(one, Assign | Sample)
    }:
        # It could be taken for one of the proof's own names, or be written like a truth.
        if not name.isidentifier() or name in _RESERVED_WORDS:
            raise UnsupportedProgram(f"{name} is not a name that a program may use", program.place)
    for one in walk_statements(program.body):
        if isinstance(one, Assign | Sample) and one.name in fixed:
            raise UnsupportedProgram(
                f"{one.name} is a parameter and must not be assigned; use another name", one.place
            )
    check_definedness(program)
    read = encode_booleans(resolve_program(program))
    return read if mode == FINITE else hoist_draws(sink_statements(read))


def is_discharged(one: Obligation) -> bool:
    return bool(z3.is_true(one.goal)) or is_entailed(one.assumptions, one.goal)


def derive_obligations(program: Program, certificate: Certificate) -> list[Obligation]:
    """Everything that must be shown, in the order of the text, the cost last."""
    finite = certificate.mode == FINITE
    known = infer_sorts(program, exact=finite)
    if not finite and uses_abstract_bits(program, known):
        for expression, about in _list_bit_expressions(program, certificate):
            if not is_width_independent(expression, program, known, about):
                raise UnsupportedProgram(
                    f"the certificate's {format_expression(expression)} does not mean the same for"
                    " bit strings of every width"
                )
    product = ProductProgram(program, certificate, known, SymbolicInputs(program, known))
    product.run()
    return product.obligations + derive_conclusions(product)


def _list_bit_expressions(
    program: Program, certificate: Certificate
) -> list[tuple[Expression, str]]:
    """All expressions of a certificate, with what they are about."""
    kept = [(one, "equal") for loop in certificate.invariants for one in loop]
    rest = [
        (one, "none")
        for one in (*certificate.variants, *certificate.rates, *certificate.excused)
        if one is not None
    ]
    drawn = {one.site for one in program.samples if one.noise is Noise.BITS}
    return (
        kept
        + rest
        + [
            (one, "image" if site in drawn else "none")
            for site, one in enumerate(certificate.shifts)
        ]
    )


def _check_shape(
    program: Program, certificate: Certificate, required: Sequence[str]
) -> Failure | None:
    """What is seen without a solver."""
    if (certificate.epsilon, certificate.delta) != (program.claim.epsilon, program.claim.delta):
        return Failure("the certificate proves another claim", program.place, obligation="claim")
    fixed = find_public_scalars(program)
    if (
        not collect_names(program.claim.epsilon)
        | collect_names(program.claim.delta or program.claim.epsilon)
        <= fixed
    ):
        return Failure(
            "the claim must be made of public parameters", program.place, obligation="claim"
        )
    loops = sum(isinstance(one, While) for one in walk_statements(program.body))
    sites = {one.site for one in program.samples}
    if (
        len(certificate.invariants) != loops
        or len(certificate.variants) != loops
        or sites - set(range(len(certificate.shifts)))
    ):
        return Failure(
            "the certificate does not have a shift for each noise and an invariant for each loop",
            program.place,
        )
    if (
        certificate.mode == "pointwise"
        and "countable" in required
        and not _has_countable_answer(program)
    ):
        place = next(
            (one.place for one in walk_statements(program.body) if isinstance(one, Output)),
            program.place,
        )
        return Failure(
            "one answer at a time is for programs that end with one whole number or truth",
            place,
            obligation="countable",
        )
    return None


def _has_countable_answer(program: Program) -> bool:
    outputs = [one for one in walk_statements(program.body) if isinstance(one, Output)]
    if len(outputs) != 1 or program.body[-1] is not outputs[0]:
        return False
    known = {name: sort.kind for name, sort in infer_sorts(program).items()}
    return infer_kind(outputs[0].value, program, known) in (Kind.INT, Kind.BOOL)


def _list_hints(program: Program) -> list[object]:
    """Small values of public parameters, for assumptions with products that z3 finds hard."""
    small = {Kind.INT: z3.Int, Kind.REAL: z3.Real}
    chosen = [
        one for one in program.parameters if not one.private and not one.list and one.kind in small
    ]
    return [
        small[one.kind](one.name) == (2 if one.kind is Kind.INT else 1)
        for one in chosen
        if one.name != "delta"
    ]
