"""The verifier: searches for a counterexample, then for a proof, and reports a verdict.

The refuter goes first: it is fast where it succeeds, and a proof must survive it in any case. If
both succeed, one of them is wrong; the verdict is then UNKNOWN and says so, and it is a bug in
Hedgerow.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction
from time import process_time
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hedgerow.errors import HedgerowError
from hedgerow.numeric.rounding import log_bounds
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.claim_units import THE_CLAIM, compute_degree, find_claim_unit
from hedgerow.verify.language.program import (
    Claim,
    Expression,
    Program,
    Relation,
    collect_names,
    format_expression,
)
from hedgerow.verify.language.taint import TaintFinding, list_findings
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.noise_costs import format_in_runs, list_noise_costs
from hedgerow.verify.verdict import Verdict, VerdictKind

if TYPE_CHECKING:
    from hedgerow.verify.language.judgement import Judgement
    from hedgerow.verify.language.pseudocode import PseudocodeDocument
    from hedgerow.verify.prove.certificate import Certificate, Failure
    from hedgerow.verify.refute.counterexample import Counterexample
    from hedgerow.verify.refute.refute import RefutationResult

__all__ = [
    "compute_claim_multiple",
    "format_claim",
    "parse_document",
    "verify_judgement",
    "verify_program",
]

T = TypeVar("T")

# Searches are limited by counting steps. Seconds only end a run that nobody would wait for, and
# leave the prover its share.
_DEFAULT_SECONDS: Final = 120.0
_REFUTER_SHARE: Final = 0.5
# If the lower bound is below this share of the claim, a smaller claim is searched for.
_TIGHT_RATIO: Final = 0.75
_LARGER_EPSILONS: Final = (4, 10)
_DEFAULT_REASON: Final = "an output is more likely on one neighbour than the claim allows"
# Findings that explain a verdict better than the failed obligation.
_PREFERRED_FINDINGS: Final = frozenset({"scale", "row"})


def verify_program(
    program: Program | UnsupportedProgram, *, seconds: float = _DEFAULT_SECONDS
) -> Verdict:
    """Return the verdict on one program; never raise because of its contents.

    The same program has the same verdict on every machine, unless it is so slow that ``seconds``
    pass.
    """
    started = process_time()
    if isinstance(program, UnsupportedProgram):
        return Verdict(
            program.name, VerdictKind.UNKNOWN, line=program.place.line, reason=program.reason
        )
    try:
        verdict = _Verification(program, started + seconds).run()
    # No error in the prover may look like a proof or end the verification of other programs.
    except Exception as error:
        verdict = Verdict(
            program.name, VerdictKind.UNKNOWN, line=program.place.line, reason=_format_error(error)
        )
    return replace(
        verdict,
        claim=format_claim(program.claim),
        unit=find_claim_unit(program),
        seconds=process_time() - started,
    )


class _Verification:
    """The verification of one program, up to a deadline in processor time."""

    def __init__(self, program: Program, end: float) -> None:
        self.program, self.deadline = program, end
        self.survey: RefutationResult | None = None

    def seconds_left(self, share: float = 1.0) -> float:
        return max(share * (self.deadline - process_time()), 0.01)

    def run(self) -> Verdict:
        self.survey = self.run_refuter()
        if self.survey is not None and self.survey.counterexample is not None:
            witness = self.confirm_witness(self.survey)
            if witness is None:
                self.survey = None
            else:
                return self.report_refutation(witness)
        endless = next((one for one in list_findings(self.program) if one.kind == "endless"), None)
        if endless is not None:
            return Verdict(
                self.program.name,
                VerdictKind.UNKNOWN,
                line=endless.place.line,
                reason=endless.reason,
            )
        found = self.run_prover()
        return self.report_proof(found) if _is_proof(found) else self.report_unknown(found)

    def run_refuter(self) -> RefutationResult | None:
        from hedgerow.verify.refute.refute import run_refuter

        return _try_or_none(
            lambda: run_refuter(self.program, seconds=self.seconds_left(_REFUTER_SHARE))
        )

    def confirm_witness(self, survey: RefutationResult) -> Counterexample | None:
        """Return a counterexample that the independent evaluator confirms."""
        from hedgerow.verify.validation.witness import find_confirmed_witness

        found = find_confirmed_witness((survey.counterexample, survey.strongest))
        return self.confirm_at_larger_epsilon(survey.counterexample) if found is None else found

    def confirm_at_larger_epsilon(self, witness: Counterexample | None) -> Counterexample | None:
        """Return a counterexample on the same private inputs at a larger eps, which may exceed the
        claim so far that coarse bounds confirm it.
        """
        from hedgerow.verify.refute.counterexample import find_epsilon_name
        from hedgerow.verify.refute.input_search import InputPair
        from hedgerow.verify.refute.refute import refute
        from hedgerow.verify.validation.witness import find_confirmed_witness

        name = find_epsilon_name(self.program)
        if witness is None or name is None:
            return None
        for epsilon in _LARGER_EPSILONS:
            one, other = (
                {**side, name: Fraction(epsilon)} for side in (witness.first, witness.second)
            )
            pairs, seconds = [InputPair(one, other, is_ordered=True)], self.seconds_left(0.1)
            again = _try_or_none(
                lambda pairs=pairs, seconds=seconds: refute(  # type: ignore[misc]
                    self.program, seconds=seconds, inputs=pairs
                )
            )
            confirmed = find_confirmed_witness((again,))
            if confirmed is not None:
                return confirmed
        return None

    @property
    def epsilon_lower(self) -> float | None:
        return None if self.survey is None else self.survey.epsilon_lower

    def run_prover(self) -> Any:
        """Return a certificate, or a failure with the bound that was proved instead."""
        from hedgerow.verify.prove.prover import prove

        return prove(self.program, seconds=self.seconds_left())

    def report_proof(self, certificate: Certificate) -> Verdict:
        from hedgerow.verify.prove.checker import check

        doubt = check(self.program, certificate)
        if doubt is not None:
            return self.report_unknown(doubt)
        upper = compute_claim_multiple(self.program.claim.epsilon, self.program)
        lower = self.epsilon_lower
        if lower == math.inf or (
            upper is not None and lower is not None and lower > upper * (1 + 1e-9)
        ):
            # a claim is finite, even if it is no multiple of eps
            return self.report_contradiction()
        if upper is not None and lower is not None and lower < _TIGHT_RATIO * upper:
            upper = min(upper, self.find_smallest_multiple(lower))
        if upper is not None and lower is not None and lower < upper * (1 - 1e-9):
            upper = min(upper, self.find_matching_bound())
        costs = list_noise_costs(self.program, certificate)
        return Verdict(
            self.program.name,
            VerdictKind.PROVED,
            epsilon_lower=lower,
            epsilon_upper=upper,
            certificate=certificate,
            costs=costs,
        )

    def find_smallest_multiple(self, lower: float) -> float:
        from hedgerow.verify.prove.repair import find_smallest_multiple

        found = _try_or_none(
            lambda: find_smallest_multiple(self.program, seconds=self.seconds_left(), least=lower)
        )
        return float(found.multiple) if found is not None else math.inf

    def find_matching_bound(self) -> float:
        """Return the refuter's bound if the claim is a number and that bound can be proved;
        otherwise infinity.
        """
        strongest = None if self.survey is None else self.survey.strongest
        ratio = None if strongest is None else strongest.exact_ratio
        if ratio is None or ratio < 1 or not _try_or_none(lambda: self.is_ratio_enough(ratio)):
            return math.inf
        return float(log_bounds(ratio)[1])

    def is_ratio_enough(self, ratio: Fraction) -> bool:
        from hedgerow.verify.prove.repair import can_prove_ratio

        return can_prove_ratio(self.program, ratio, process_time() + self.seconds_left())

    def report_refutation(self, witness: Counterexample) -> Verdict:
        """Report a counterexample. The prover is run as well, since its failed obligation points to
        the line at fault; if it succeeds, the two contradict each other.
        """
        found = _try_or_none(self.run_prover)
        if found is not None and _is_proof(found):
            return self.report_contradiction()
        blamed, failure = self.find_culprit(), found
        if blamed is None:
            blamed = (
                TaintFinding("obligation", failure.reason, failure.place)
                if failure is not None
                else TaintFinding("output", _DEFAULT_REASON, self.program.place)
            )
        upper = failure.epsilon_upper if failure is not None else None
        if upper is None:
            matching = self.find_matching_bound()
            upper = matching if math.isfinite(matching) else None
        return Verdict(
            self.program.name,
            VerdictKind.REFUTED,
            epsilon_lower=self.epsilon_lower,
            epsilon_upper=upper,
            line=blamed.place.line,
            reason=format_in_runs(blamed.reason, self.program),
            witness=witness,
        )

    def report_contradiction(self) -> Verdict:
        reason = (
            "a proof and a counterexample were found; this is a bug in Hedgerow, and nothing is"
            " claimed. Please report the program"
        )
        return Verdict(self.program.name, VerdictKind.UNKNOWN, reason=reason)

    def report_unknown(self, failure: Failure) -> Verdict:
        from hedgerow.verify.prove.search.failure_reasons import hedge_reason

        blamed = self.find_culprit()
        is_preferred = blamed is not None and blamed.kind in _PREFERRED_FINDINGS
        cause = blamed if blamed is not None and is_preferred else failure
        return Verdict(
            self.program.name,
            VerdictKind.UNKNOWN,
            epsilon_lower=self.epsilon_lower,
            epsilon_upper=failure.epsilon_upper,
            line=cause.place.line,
            reason=hedge_reason(format_in_runs(cause.reason, self.program)),
        )

    def find_culprit(self) -> TaintFinding | None:
        return next(iter(list_findings(self.program)), None)


def _is_proof(found: Any) -> bool:
    from hedgerow.verify.prove.certificate import Certificate

    return isinstance(found, Certificate)


def _try_or_none(action: Callable[[], T]) -> T | None:
    """Return the result of the action, or None if it is outside what the action handles."""
    try:
        return action()
    except (HedgerowError, RecursionError):
        return None


def _format_error(error: Exception) -> str:
    match error:
        case HedgerowError():
            return str(error)
        case RecursionError():
            return "the program is nested too deeply; flatten it"
    return (
        f"Hedgerow failed on this program ({type(error).__name__}), and nothing is claimed; please"
        " report the program"
    )


def parse_document(text: str, name: str) -> PseudocodeDocument:
    """Parse the programs and judgements of a file, by its suffix; an ``UnsupportedProgram`` takes
    the place of each that cannot be read.
    """
    from hedgerow.verify.language.pseudocode import PseudocodeDocument, parse_document
    from hedgerow.verify.language.python import read_programs

    if not name.endswith(".hr"):
        from hedgerow.verify.language.classes import read_class_programs

        return PseudocodeDocument(
            (*read_programs(text, name), *read_class_programs(text, name)), ()
        )
    document = parse_document(text)
    named = tuple(
        one.with_name(name) if isinstance(one, UnsupportedProgram) and not one.name else one
        for one in document.programs
    )
    return replace(document, programs=named)


def verify_judgement(
    judgement: Judgement | UnsupportedProgram, *, seconds: float = _DEFAULT_SECONDS
) -> Verdict:
    """Return the verdict on one judgement."""
    if isinstance(judgement, UnsupportedProgram):
        return Verdict(
            judgement.name, VerdictKind.UNKNOWN, line=judgement.place.line, reason=judgement.reason
        )
    from hedgerow.verify.judgement.symbolic import decide_judgement

    started = process_time()
    name = f"{judgement.left.name} ~ {judgement.right.name}"
    amounts = ", ".join(
        format_expression(one) for one in (judgement.epsilon, judgement.delta) if one is not None
    )
    claim = (
        f"{format_expression(judgement.precondition)} ==>"
        f" {format_expression(judgement.postcondition)}" + (f" [{amounts}]" if amounts else "")
    )
    try:
        found: Any = decide_judgement(judgement, seconds=seconds)
    # As for programs: no error may end the verification of other judgements.
    except Exception as error:
        reason, line = _format_error(error), judgement.place.line
        return Verdict(name, VerdictKind.UNKNOWN, claim, line=line, reason=reason)
    kind = VerdictKind(found.verdict)
    reason, witness = getattr(found, "reason", str(found)), None
    if kind is VerdictKind.REFUTED:
        reason, witness = "", getattr(found, "witness", found)
    return Verdict(
        name,
        kind,
        claim,
        line=judgement.place.line,
        reason=reason,
        witness=witness,
        certificate=found if kind is VerdictKind.PROVED else None,
        seconds=process_time() - started,
    )


def format_claim(claim: Claim) -> str:
    """Format a claim, as in ``2 * eps for all``."""
    delta = f", {format_expression(claim.delta)}" if claim.delta is not None else ""
    k = f" {claim.neighbours.k}" if claim.neighbours.k != 1 else ""
    ordered = claim.neighbours.relation in (Relation.INCREASING, Relation.DECREASING)
    direction = ", in this direction only" if ordered else ""
    return (
        f"{format_expression(claim.epsilon)}{delta} for {claim.neighbours.relation}{k}{direction}"
    )


def compute_claim_multiple(epsilon: Expression, program: Program) -> float | None:
    """Return the claim in its unit: the factor of eps, 1 if the unit is the claim itself, or the
    number; None if there is no such number.
    """
    unit = find_claim_unit(replace(program, claim=replace(program.claim, epsilon=epsilon)))
    if unit == THE_CLAIM:
        return 1.0
    if collect_names(epsilon) - {unit} or (unit and compute_degree(epsilon, unit) != 1):
        return None
    found = _try_or_none(lambda: bound_expression(epsilon, {unit: Fraction(1)} if unit else {})[1])
    return None if found is None else float(found)
