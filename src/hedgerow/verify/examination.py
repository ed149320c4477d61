"""Examine a program: first look for a counterexample, then for a proof, then say what is known.

The refuter goes first: it is fast where it succeeds, and a proof must survive it in any case. Should both succeed, one of them is wrong:
that is reported as UNKNOWN, in plain words, and is a mistake in Hedgerow.
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
from hedgerow.verify.language.flow import Finding, findings
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Claim, Expression, Noise, Number, Program, Sample, names, written
from hedgerow.verify.language.truths import measured
from hedgerow.verify.language.units import THE_CLAIM, degree, unit_of
from hedgerow.verify.price import between
from hedgerow.verify.verdict import Answer, Cost, Verdict

if TYPE_CHECKING:
    from hedgerow.verify.judgement.deciding import Invalid
    from hedgerow.verify.language.hr import Document
    from hedgerow.verify.language.judgements import Judgement
    from hedgerow.verify.proof.certificate import Certificate, Failure
    from hedgerow.verify.refuter.refuter import Survey
    from hedgerow.verify.refuter.witness import Witness

__all__ = ["claim_in_words", "examine", "examine_judgement", "subjects", "units"]

T = TypeVar("T")

# Searches are limited by what they count; seconds only end what would take too long for anybody, and leave the prover its share.
_SECONDS: Final = 120.0
_SHARE: Final = 0.5
# Below this share of the claim, a lower bound makes one look for a smaller claim that holds as well.
_TIGHT: Final = 0.75
# What explains a verdict better than the obligation that failed.
_PLAIN: Final = frozenset({"scale", "row"})


def examine(program: Program | Outside, *, seconds: float = _SECONDS) -> Verdict:
    """The verdict on one program. Nothing that a program contains makes this raise.

    The same program has the same verdict on every machine, unless it is so slow that ``seconds`` are over.
    """
    started = monotonic()
    if isinstance(program, Outside):
        return Verdict(program.name, Answer.UNKNOWN, line=program.place.line, reason=program.reason)
    try:
        verdict = _Examination(program, started + seconds).verdict()
    except (
        Exception
    ) as error:  # whatever goes wrong in a prover of this size, it must not look like a proof, nor end the examination of others
        verdict = Verdict(program.name, Answer.UNKNOWN, line=program.place.line, reason=_sentence(error))
    return replace(verdict, claim=claim_in_words(program.claim), unit=unit_of(program), seconds=monotonic() - started)


class _Examination:
    """Ends at ``end`` on the monotonic clock, whatever is left to do."""

    def __init__(self, program: Program, end: float) -> None:
        self.program, self.end = program, end
        self.survey: Survey | None = None

    def left(self, share: float = 1.0) -> float:
        return max(share * (self.end - monotonic()), 0.01)

    def verdict(self) -> Verdict:
        self.survey = self.surveyed()
        if self.survey is not None and self.survey.witness is not None:
            return self.refuted(self.survey.witness)
        endless = next((one for one in findings(self.program) if one.sort == "endless"), None)
        if endless is not None:
            return Verdict(self.program.name, Answer.UNKNOWN, line=endless.place.line, reason=endless.reason)
        found = self.attempt()
        return self.proved(found) if _is_proof(found) else self.unknown(found)

    def surveyed(self) -> Survey | None:
        from hedgerow.verify.refuter.refuter import survey

        return _tried(lambda: survey(self.program, seconds=self.left(_SHARE)))

    @property
    def lower(self) -> float | None:
        """What epsilon is at least."""
        return None if self.survey is None else self.survey.lower

    def attempt(self) -> Any:
        """A certificate; or a failure, with what could be proved instead."""
        from hedgerow.verify.proof.prover import prove

        return prove(self.program, seconds=self.left())

    def proved(self, certificate: Certificate) -> Verdict:
        from hedgerow.verify.proof.checker import check

        doubt = check(self.program, certificate)
        if doubt is not None:
            return self.unknown(doubt)
        upper, lower = units(self.program.claim.epsilon, self.program), self.lower
        if lower == math.inf or (upper is not None and lower is not None and lower > upper * (1 + 1e-9)):
            return self.both()  # no claim is infinite, also where it is no multiple of eps
        if upper is not None and lower is not None and lower < _TIGHT * upper:
            upper = min(upper, self.smallest(lower))
        if upper is not None and lower is not None and lower < upper * (1 - 1e-9):
            upper = min(upper, self.matching())
        costs = _costs(self.program, certificate)
        return Verdict(self.program.name, Answer.PROVED, epsilon_lower=lower, epsilon_upper=upper, certificate=certificate, costs=costs)

    def smallest(self, lower: float) -> float:
        """The smallest multiple of eps that can be proved."""
        from hedgerow.verify.proof.repair import smallest

        found = _tried(lambda: smallest(self.program, seconds=self.left(), least=lower))
        return float(found.multiple) if found is not None else math.inf

    def matching(self) -> float:
        """Where the claim is a number: what was shown to be needed, if that can be proved to be enough."""
        ratio = self.survey.best.exact_ratio if self.survey is not None and self.survey.best is not None else None
        if ratio is None or ratio < 1 or not _tried(lambda: self.enough(ratio)):
            return math.inf
        return float(log_bounds(ratio)[1])

    def enough(self, ratio: Fraction) -> bool:
        from hedgerow.verify.proof.repair import enough

        return enough(self.program, ratio, monotonic() + self.left())

    def refuted(self, witness: Witness) -> Verdict:
        """The prover says what cannot be shown, and so where to look; should it succeed, something is wrong in here."""
        found = _tried(self.attempt)
        if found is not None and _is_proof(found):
            return self.both()
        blamed, failure = self.blamed(), found
        if blamed is None:
            blamed = Finding("obligation", failure.reason, failure.place) if failure is not None else _last(self.program)
        upper = failure.epsilon_upper if failure is not None else None
        if upper is None:
            matching = self.matching()
            upper = matching if math.isfinite(matching) else None
        name, line, reason = self.program.name, blamed.place.line, _in_runs(blamed.reason, self.program)
        return Verdict(name, Answer.REFUTED, epsilon_lower=self.lower, epsilon_upper=upper, line=line, reason=reason, witness=witness)

    def both(self) -> Verdict:
        reason = "a proof and a counterexample were found; one of them is a mistake in Hedgerow, and nothing is claimed"
        return Verdict(self.program.name, Answer.UNKNOWN, reason=reason)

    def unknown(self, failure: Failure) -> Verdict:
        blamed = self.blamed()
        plain = blamed is not None and blamed.sort in _PLAIN
        reason, place = (blamed.reason, blamed.place) if blamed is not None and plain else (failure.reason, failure.place)
        lower, upper = self.lower, failure.epsilon_upper
        told = _in_runs(reason, self.program)
        return Verdict(self.program.name, Answer.UNKNOWN, epsilon_lower=lower, epsilon_upper=upper, line=place.line, reason=told)

    def blamed(self) -> Finding | None:
        found = findings(self.program)
        return found[0] if found else None


def _is_proof(found: Any) -> bool:
    from hedgerow.verify.proof.certificate import Certificate

    return isinstance(found, Certificate)


def _last(program: Program) -> Finding:
    return Finding("output", "what is told is likelier for one neighbour than the claim allows", program.place)


def _tried(action: Callable[[], T]) -> T | None:
    """What the action gives; nothing where it meets what it cannot treat."""
    try:
        return action()
    except (HedgerowError, RecursionError):
        return None


def _sentence(error: Exception) -> str:
    if isinstance(error, HedgerowError):
        return str(error)
    if isinstance(error, RecursionError):
        return "the program is nested too deeply"
    return f"Hedgerow failed on this program ({type(error).__name__}); nothing is claimed"


def subjects(text: str, name: str) -> Document:
    """The programs and judgements of a file, by how its name ends. What cannot be read stands among them as ``Outside``."""
    from hedgerow.verify.language.hr import Document, parse
    from hedgerow.verify.language.python import programs

    if not name.endswith(".hr"):
        from hedgerow.verify.language.classes import class_programs

        return Document((*programs(text, name), *class_programs(text, name)), ())
    document = parse(text)
    named = tuple(one.of(name) if isinstance(one, Outside) and not one.name else one for one in document.programs)
    return replace(document, programs=named)


@dataclass(frozen=True)
class _Violated:
    """Why a judgement fails, in the shape of a witness."""

    found: Invalid

    def __str__(self) -> str:
        return str(self.found)

    def as_dict(self) -> dict[str, Any]:
        inputs = [{name: str(value) for name, value in side.items()} for side in (self.found.one, self.found.other)]
        chances = [float(self.found.violation.likely), float(self.found.violation.rare)]
        return {"inputs": inputs, "event": str(self.found), "probabilities": chances}


def examine_judgement(judgement: Judgement | Outside, *, seconds: float = _SECONDS) -> Verdict:
    """The verdict on one judgement."""
    if isinstance(judgement, Outside):
        return Verdict(judgement.name, Answer.UNKNOWN, line=judgement.place.line, reason=judgement.reason)
    from hedgerow.verify.judgement.general import decide

    started = monotonic()
    name = f"{judgement.left.name} ~ {judgement.right.name}"
    amounts = ", ".join(written(one) for one in (judgement.epsilon, judgement.delta) if one is not None)
    claim = f"{written(judgement.before)} ==> {written(judgement.after)}" + (f" [{amounts}]" if amounts else "")
    found: Any = decide(judgement, seconds=seconds)
    answer, line = Answer(found.verdict), judgement.place.line
    reason = getattr(found, "reason", str(found)) if answer is not Answer.REFUTED else ""
    witness = None if answer is not Answer.REFUTED else getattr(found, "witness", None) or _Violated(found)
    certificate = found if answer is Answer.PROVED else None
    took = monotonic() - started
    return Verdict(name, answer, claim, line=line, reason=reason, witness=witness, certificate=certificate, seconds=took)


def _costs(program: Program, certificate: Certificate) -> tuple[Cost, ...]:
    from hedgerow.verify.proof.certificate import FINITE
    from hedgerow.verify.proof.regions import regions

    if certificate.mode == FINITE:
        first = [(one.samples[0].place.line, one.site) for one in regions(program.body)]
        prices = [(line, certificate.shifts[site], certificate.rates[site]) for line, site in first]
        return tuple(
            Cost(line, "coins", _in_runs(written(when), program), _in_runs(written(rate), program))
            for line, when, rate in prices
            if rate is not None
        )
    rates: tuple[Expression | None, ...] = certificate.rates or (None,) * len(certificate.shifts)
    return tuple(
        Cost(sample.place.line, sample.noise.value, _in_runs(written(shift), program), _price(program, sample, rate))
        for sample, shift, rate in zip(program.samples, certificate.shifts, rates, strict=False)
    )


def _price(program: Program, sample: Sample, rate: Expression | None) -> str:
    """What a move by 1 costs: as the certificate says, or 1 over the scale of noise that costs so."""
    if rate is not None:
        return _in_runs(written(rate), program)
    if sample.noise not in (Noise.LAPLACE, Noise.GEOMETRIC, Noise.EXPONENTIAL):
        return ""
    above, below = Number(Fraction(1)), sample.parameters[0]
    match below:
        case Apply(operator="/", arguments=(top, bottom)):
            return written(bottom if top == above else Apply("/", (bottom, top)))
        case _:
            return written(Apply("/", (above, below)))


def _in_runs(text: str, program: Program) -> str:
    """``x@1`` of a certificate as judgements write it, ``x<1>``, and what is drawn as ``noise``; a truth, ``0 < x`` to the prover, as x."""
    told = re.sub(r"@(noise|answer)", r"\1", re.sub(r"@([12])", r"<\1>", text))
    truths = "|".join(re.escape(one.name) for one in measured(program))
    return re.sub(rf"\b0 < (({truths})(<[12]>)?(\[[^\]]*\])?)", r"\1", told) if truths else told


def claim_in_words(claim: Claim) -> str:
    """For people: ``2 * eps for all``."""
    delta = f", {written(claim.delta)}" if claim.delta is not None else ""
    k = f" {claim.neighbours.k}" if claim.neighbours.k != 1 else ""
    return f"{written(claim.epsilon)}{delta} for {claim.neighbours.relation}{k}"


def units(epsilon: Expression, program: Program) -> float | None:
    """How many of its units a claim is: eps, where it is a fixed multiple; 1 where it is told in itself; the number where it is one."""
    unit = unit_of(replace(program, claim=replace(program.claim, epsilon=epsilon)))
    if unit == THE_CLAIM:
        return 1.0
    if names(epsilon) - {unit} or (unit and degree(epsilon, unit) != 1):
        return None
    found = _tried(lambda: between(epsilon, {unit: Fraction(1)} if unit else {})[1])
    return None if found is None else float(found)
