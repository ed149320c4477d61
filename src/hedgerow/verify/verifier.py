"""Examine a program: first look for a counterexample, then for a proof, then say what is known.

The refuter goes first: it is fast where it succeeds, and a proof must survive it in any case.
Should both succeed, one of them is wrong: that is reported as UNKNOWN, in plain words, and is a
mistake in Hedgerow.
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from fractions import Fraction
from time import monotonic
from typing import TYPE_CHECKING, Any, Final, TypeVar

from hedgerow.errors import HedgerowError
from hedgerow.numeric.rounding import log_bounds
from hedgerow.verify.language.claim_bounds import bound_expression
from hedgerow.verify.language.claim_units import THE_CLAIM, compute_degree, find_claim_unit
from hedgerow.verify.language.private_booleans import list_measured_booleans
from hedgerow.verify.language.program import (
    Apply,
    Claim,
    Expression,
    Noise,
    Number,
    Program,
    Sample,
    collect_names,
    format_expression,
)
from hedgerow.verify.language.taint import TaintFinding, list_findings
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.verdict import NoiseCost, Verdict, VerdictKind

if TYPE_CHECKING:
    from hedgerow.verify.judgement.finite import FiniteCounterexample
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

# Searches are limited by what they count; seconds only end what would take too long for anybody,
# and leave the prover its share.
_DEFAULT_SECONDS: Final = 120.0
_REFUTER_SHARE: Final = 0.5
# Below this share of the claim, a lower bound makes one look for a smaller claim that holds as
# well.
_TIGHT_RATIO: Final = 0.75
# What explains a verdict better than the obligation that failed.
_PREFERRED_FINDINGS: Final = frozenset({"scale", "row"})


def verify_program(
    program: Program | UnsupportedProgram, *, seconds: float = _DEFAULT_SECONDS
) -> Verdict:
    """The verdict on one program. Nothing that a program contains makes this raise.

    The same program has the same verdict on every machine, unless it is so slow that ``seconds``
    are over.
    """
    started = monotonic()
    if isinstance(program, UnsupportedProgram):
        return Verdict(
            program.name, VerdictKind.UNKNOWN, line=program.place.line, reason=program.reason
        )
    try:
        verdict = _Verification(program, started + seconds).run()
    except (
        Exception
        # whatever goes wrong in a prover of this size, it must not look like a proof, nor end the
        # examination of others
    ) as error:
        verdict = Verdict(
            program.name, VerdictKind.UNKNOWN, line=program.place.line, reason=_format_error(error)
        )
    return replace(
        verdict,
        claim=format_claim(program.claim),
        unit=find_claim_unit(program),
        seconds=monotonic() - started,
    )


class _Verification:
    """Ends at ``end`` on the monotonic clock, whatever is left to do."""

    def __init__(self, program: Program, end: float) -> None:
        self.program, self.deadline = program, end
        self.survey: RefutationResult | None = None

    def seconds_left(self, share: float = 1.0) -> float:
        return max(share * (self.deadline - monotonic()), 0.01)

    def run(self) -> Verdict:
        self.survey = self.run_refuter()
        if self.survey is not None and self.survey.counterexample is not None:
            return self.report_refutation(self.survey.counterexample)
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

    @property
    def epsilon_lower(self) -> float | None:
        """What epsilon is at least."""
        return None if self.survey is None else self.survey.epsilon_lower

    def run_prover(self) -> Any:
        """A certificate; or a failure, with what could be proved instead."""
        from hedgerow.verify.prove.prover import prove

        return prove(self.program, seconds=self.seconds_left())

    def report_proof(self, certificate: Certificate) -> Verdict:
        from hedgerow.verify.prove.checker import check

        doubt = check(self.program, certificate)
        if doubt is not None:
            return self.report_unknown(doubt)
        upper, lower = (
            compute_claim_multiple(self.program.claim.epsilon, self.program),
            self.epsilon_lower,
        )
        if lower == math.inf or (
            upper is not None and lower is not None and lower > upper * (1 + 1e-9)
        ):
            # no claim is infinite, also where it is no multiple of eps
            return self.report_contradiction()
        if upper is not None and lower is not None and lower < _TIGHT_RATIO * upper:
            upper = min(upper, self.find_smallest_multiple(lower))
        if upper is not None and lower is not None and lower < upper * (1 - 1e-9):
            upper = min(upper, self.find_matching_bound())
        costs = _list_noise_costs(self.program, certificate)
        return Verdict(
            self.program.name,
            VerdictKind.PROVED,
            epsilon_lower=lower,
            epsilon_upper=upper,
            certificate=certificate,
            costs=costs,
        )

    def find_smallest_multiple(self, lower: float) -> float:
        """The smallest multiple of eps that can be proved."""
        from hedgerow.verify.prove.repair import find_smallest_multiple

        found = _try_or_none(
            lambda: find_smallest_multiple(self.program, seconds=self.seconds_left(), least=lower)
        )
        return float(found.multiple) if found is not None else math.inf

    def find_matching_bound(self) -> float:
        """Where the claim is a number: what was shown to be needed, if that can be proved to be
        enough.
        """
        ratio = (
            self.survey.strongest.exact_ratio
            if self.survey is not None and self.survey.strongest is not None
            else None
        )
        if ratio is None or ratio < 1 or not _try_or_none(lambda: self.is_ratio_enough(ratio)):
            return math.inf
        return float(log_bounds(ratio)[1])

    def is_ratio_enough(self, ratio: Fraction) -> bool:
        from hedgerow.verify.prove.repair import can_prove_ratio

        return can_prove_ratio(self.program, ratio, monotonic() + self.seconds_left())

    def report_refutation(self, witness: Counterexample) -> Verdict:
        """The prover says what cannot be shown, and so where to look; should it succeed,
        something is wrong in here.
        """
        found = _try_or_none(self.run_prover)
        if found is not None and _is_proof(found):
            return self.report_contradiction()
        blamed, failure = self.find_culprit(), found
        if blamed is None:
            blamed = (
                TaintFinding("obligation", failure.reason, failure.place)
                if failure is not None
                else _default_finding(self.program)
            )
        upper = failure.epsilon_upper if failure is not None else None
        if upper is None:
            matching = self.find_matching_bound()
            upper = matching if math.isfinite(matching) else None
        name, line, reason = (
            self.program.name,
            blamed.place.line,
            _format_in_runs(blamed.reason, self.program),
        )
        return Verdict(
            name,
            VerdictKind.REFUTED,
            epsilon_lower=self.epsilon_lower,
            epsilon_upper=upper,
            line=line,
            reason=reason,
            witness=witness,
        )

    def report_contradiction(self) -> Verdict:
        reason = (
            "a proof and a counterexample were found; one of them is a mistake in Hedgerow, and"
            " nothing is claimed"
        )
        return Verdict(self.program.name, VerdictKind.UNKNOWN, reason=reason)

    def report_unknown(self, failure: Failure) -> Verdict:
        blamed = self.find_culprit()
        plain = blamed is not None and blamed.kind in _PREFERRED_FINDINGS
        reason, place = (
            (blamed.reason, blamed.place)
            if blamed is not None and plain
            else (failure.reason, failure.place)
        )
        lower, upper = self.epsilon_lower, failure.epsilon_upper
        told = _format_in_runs(reason, self.program)
        return Verdict(
            self.program.name,
            VerdictKind.UNKNOWN,
            epsilon_lower=lower,
            epsilon_upper=upper,
            line=place.line,
            reason=told,
        )

    def find_culprit(self) -> TaintFinding | None:
        found = list_findings(self.program)
        return found[0] if found else None


def _is_proof(found: Any) -> bool:
    from hedgerow.verify.prove.certificate import Certificate

    return isinstance(found, Certificate)


def _default_finding(program: Program) -> TaintFinding:
    return TaintFinding(
        "output", "what is told is likelier for one neighbour than the claim allows", program.place
    )


def _try_or_none(action: Callable[[], T]) -> T | None:
    """What the action gives; nothing where it meets what it cannot treat."""
    try:
        return action()
    except (HedgerowError, RecursionError):
        return None


def _format_error(error: Exception) -> str:
    if isinstance(error, HedgerowError):
        return str(error)
    if isinstance(error, RecursionError):
        return "the program is nested too deeply"
    return f"Hedgerow failed on this program ({type(error).__name__}); nothing is claimed"


def parse_document(text: str, name: str) -> PseudocodeDocument:
    """The programs and judgements of a file, by how its name ends. What cannot be read stands
    among them as ``UnsupportedProgram``.
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


@dataclass(frozen=True)
class _JudgementWitness:
    """Why a judgement fails, in the shape of a witness."""

    invalid: FiniteCounterexample

    def __str__(self) -> str:
        return str(self.invalid)

    def as_dict(self) -> dict[str, Any]:
        inputs = [
            {name: str(value) for name, value in side.items()}
            for side in (self.invalid.first, self.invalid.second)
        ]
        chances = [float(self.invalid.violation.likely), float(self.invalid.violation.rare)]
        return {"inputs": inputs, "event": str(self.invalid), "probabilities": chances}


def verify_judgement(
    judgement: Judgement | UnsupportedProgram, *, seconds: float = _DEFAULT_SECONDS
) -> Verdict:
    """The verdict on one judgement."""
    if isinstance(judgement, UnsupportedProgram):
        return Verdict(
            judgement.name, VerdictKind.UNKNOWN, line=judgement.place.line, reason=judgement.reason
        )
    from hedgerow.verify.judgement.symbolic import decide_judgement

    started = monotonic()
    name = f"{judgement.left.name} ~ {judgement.right.name}"
    amounts = ", ".join(
        format_expression(one) for one in (judgement.epsilon, judgement.delta) if one is not None
    )
    claim = (
        f"{format_expression(judgement.precondition)} ==>"
        f" {format_expression(judgement.postcondition)}" + (f" [{amounts}]" if amounts else "")
    )
    found: Any = decide_judgement(judgement, seconds=seconds)
    answer, line = VerdictKind(found.verdict), judgement.place.line
    reason = getattr(found, "reason", str(found)) if answer is not VerdictKind.REFUTED else ""
    witness = (
        None
        if answer is not VerdictKind.REFUTED
        else getattr(found, "witness", None) or _JudgementWitness(found)
    )
    certificate = found if answer is VerdictKind.PROVED else None
    took = monotonic() - started
    return Verdict(
        name,
        answer,
        claim,
        line=line,
        reason=reason,
        witness=witness,
        certificate=certificate,
        seconds=took,
    )


def _list_noise_costs(program: Program, certificate: Certificate) -> tuple[NoiseCost, ...]:
    from hedgerow.verify.prove.certificate import FINITE
    from hedgerow.verify.prove.rules.finite_regions import list_regions

    if certificate.mode == FINITE:
        first = [(one.samples[0].place.line, one.site) for one in list_regions(program.body)]
        prices = [(line, certificate.shifts[site], certificate.rates[site]) for line, site in first]
        return tuple(
            NoiseCost(
                line,
                "coins",
                _format_in_runs(format_expression(when), program),
                _format_in_runs(format_expression(rate), program),
            )
            for line, when, rate in prices
            if rate is not None
        )
    rates: tuple[Expression | None, ...] = certificate.rates or (None,) * len(certificate.shifts)
    return tuple(
        NoiseCost(
            sample.place.line,
            sample.noise.value,
            _format_in_runs(format_expression(shift), program),
            _format_unit_cost(program, sample, rate),
        )
        for sample, shift, rate in zip(program.samples, certificate.shifts, rates, strict=False)
    )


def _format_unit_cost(program: Program, sample: Sample, rate: Expression | None) -> str:
    """What a move by 1 costs: as the certificate says, or 1 over the scale of noise that costs
    so.
    """
    if rate is not None:
        return _format_in_runs(format_expression(rate), program)
    if sample.noise not in (Noise.LAPLACE, Noise.GEOMETRIC, Noise.EXPONENTIAL):
        return ""
    above, below = Number(Fraction(1)), sample.parameters[0]
    match below:
        case Apply(operator="/", arguments=(top, bottom)):
            return format_expression(bottom if top == above else Apply("/", (bottom, top)))
        case _:
            return format_expression(Apply("/", (above, below)))


def _format_in_runs(text: str, program: Program) -> str:
    """``x@1`` of a certificate as judgements write it, ``x<1>``, and what is drawn as ``noise``;
    a truth, ``0 < x`` to the prover, as x.
    """
    told = re.sub(r"@(noise|answer)", r"\1", re.sub(r"@([12])", r"<\1>", text))
    truths = "|".join(re.escape(one.name) for one in list_measured_booleans(program))
    return re.sub(rf"\b0 < (({truths})(<[12]>)?(\[[^\]]*\])?)", r"\1", told) if truths else told


def format_claim(claim: Claim) -> str:
    """For people: ``2 * eps for all``."""
    delta = f", {format_expression(claim.delta)}" if claim.delta is not None else ""
    k = f" {claim.neighbours.k}" if claim.neighbours.k != 1 else ""
    return f"{format_expression(claim.epsilon)}{delta} for {claim.neighbours.relation}{k}"


def compute_claim_multiple(epsilon: Expression, program: Program) -> float | None:
    """How many of its units a claim is: eps, where it is a fixed multiple; 1 where it is told in
    itself; the number where it is one.
    """
    unit = find_claim_unit(replace(program, claim=replace(program.claim, epsilon=epsilon)))
    if unit == THE_CLAIM:
        return 1.0
    if collect_names(epsilon) - {unit} or (unit and compute_degree(epsilon, unit) != 1):
        return None
    found = _try_or_none(lambda: bound_expression(epsilon, {unit: Fraction(1)} if unit else {})[1])
    return None if found is None else float(found)
