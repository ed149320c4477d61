"""The trusted checker: it accepts a certificate, or names the obligation that fails and its place.

It searches for nothing and derives every obligation anew from the given program. The labels that
say which program a certificate belongs to are for people: its sender can write anything there, so
nothing depends on them.

Why acceptance means privacy. Fix two neighbouring inputs. The certificate maps the noises of the
first run, one after the other, to noises of the second. Given the earlier draws, each map is one
to one and preserves lengths; so the whole map is one to one and preserves volumes. Both runs then
take the same branches and have the same outputs. The probability that the output of the first run
lies in E is an integral over noises. Each noise is matched with a noise of the second run that has
the same output, at a density that is smaller by a factor of at most e^cost; and the cost of every
path through the program is at most epsilon. Excused noise (``bad``) has a probability of at most
delta in the first run. Neighbour relations are symmetric, or the claim is for one direction only;
so one direction is enough.

In a pointwise proof the map may depend on one answer out of countably many, and only paths to that
answer count; the sum over answers covers every event. In zCDP, shifts do not depend on the shifted
noise; then the Rényi divergences of the noises add up along every path.

Regions of coins may be compared by their distributions instead (``rules.finite_noise``): the
outputs of a region, with the values that later statements read, are matched with the same in the
second run, where they are less likely by a factor of at most e^cost.
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

# Words that ``format_expression`` writes.
_RESERVED_WORDS: Final = frozenset({"True", "False", "if", "else", "and", "or", "not", "xor"})


def check(
    program: Program, certificate: Certificate, *, required: Sequence[str] = OBLIGATION_NAMES
) -> Failure | None:
    """Return None if the certificate proves the program's claim, else the failure. Only tests
    shorten ``required``, to show that each name is needed.
    """
    try:
        if (failure := _check_shape(program, certificate, required)) is not None:
            return failure
        for one in derive_obligations(normalise_program(program, certificate.mode), certificate):
            if one.name in required and not is_discharged(one):
                return Failure(one.reason, one.place, obligation=one.name)
            if "possible" in required and not is_satisfiable(one.assumptions, _list_hints(program)):
                return Failure(
                    "the assumptions at this place contradict each other, so they prove nothing",
                    one.place,
                    obligation="possible",
                )
    except UnsupportedProgram as outside:
        return Failure(outside.reason, outside.place)
    # The last two: numbers too large to be written down.
    except (z3.Z3Exception, RecursionError, ArithmeticError, ValueError):
        return Failure(
            "an obligation is too large for the solver; shorten the program", program.place
        )
    # A certificate may contain anything: a boolean in place of a number, or an unknown name.
    except (TypeError, AttributeError, LookupError):
        return Failure(
            "the certificate does not fit this program; prove the program again", program.place
        )
    return None


def normalise_program(program: Program, mode: str = "sequence") -> Program:
    """Return the program in the form that is proved: booleans encoded, noise drawn where it is
    used, and before branches on private data (coins stay in place).
    """
    fixed = {one.name for one in program.parameters}
    if len(fixed) < len(program.parameters):  # one could be private and the other public
        raise UnsupportedProgram("two parameters have the same name; rename one", program.place)
    if len({one.site for one in program.samples}) < len(program.samples):
        # Runs and proofs look up the noise and its shift by the site.
        raise UnsupportedProgram(
            "two sampling statements have the same site; number them anew", program.place
        )
    for name in fixed | {
        one.name for one in walk_statements(program.body) if isinstance(one, Assign | Sample)
    }:
        # It could be confused with a name of the proof, or with a boolean literal.
        if not name.isidentifier() or name in _RESERVED_WORDS:
            raise UnsupportedProgram(
                f"{name} is not a name that a program may use; rename it", program.place
            )
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
    """Derive all obligations in textual order, the cost last."""
    finite = certificate.mode == FINITE
    if program.claim.neighbours.after is not None and certificate.mode != "sequence":
        raise UnsupportedProgram("this kind of proof relates equal results only")
    known = infer_sorts(program, exact=finite)
    if not finite and uses_abstract_bits(program, known):
        for expression, about in _list_bit_expressions(program, certificate):
            if not is_width_independent(expression, program, known, about):
                raise UnsupportedProgram(
                    f"the certificate's {format_expression(expression)} depends on the width of bit"
                    " strings; declare their width"
                )
    product = ProductProgram(program, certificate, known, SymbolicInputs(program, known))
    product.run()
    return product.obligations + derive_conclusions(product)


def _list_bit_expressions(
    program: Program, certificate: Certificate
) -> list[tuple[Expression, str]]:
    """List all expressions of a certificate, each with its subject."""
    kept = [(one, "equal") for loop in certificate.invariants for one in loop]
    rest = [
        (one, "none")
        for several in (certificate.variants, certificate.rates, certificate.excused)
        for listed in several
        for one in (listed if isinstance(listed, tuple) else (listed,))
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
    """Check all properties of the certificate that need no solver."""
    if (certificate.epsilon, certificate.delta) != (program.claim.epsilon, program.claim.delta):
        return Failure(
            "the certificate proves another claim; prove the program again",
            program.place,
            obligation="claim",
        )
    fixed = find_public_scalars(program)
    if (
        not collect_names(program.claim.epsilon)
        | collect_names(program.claim.delta or program.claim.epsilon)
        <= fixed
    ):
        return Failure(
            "the claim must be made of public parameters; remove the others",
            program.place,
            obligation="claim",
        )
    loops = sum(isinstance(one, While) for one in walk_statements(program.body))
    sites = {one.site for one in program.samples}
    if (
        len(certificate.invariants) != loops
        or len(certificate.variants) != loops
        or sites - set(range(len(certificate.shifts)))
    ):
        return Failure(
            "the certificate does not have a shift for each noise and an invariant for each loop;"
            " prove the program again",
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
            "a pointwise proof needs a program that ends with one integer or boolean; use a"
            " sequence proof",
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
    """List small values of public parameters, for assumptions with products that z3 finds hard."""
    small = {Kind.INT: z3.Int, Kind.REAL: z3.Real}
    chosen = [
        one for one in program.parameters if not one.private and not one.list and one.kind in small
    ]
    return [
        small[one.kind](one.name) == (2 if one.kind is Kind.INT else 1)
        for one in chosen
        if one.name != "delta"
    ]
