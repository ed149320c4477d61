"""Advice for a claim that is not proved: a claim that can be proved, and the noise to scale.

Both come from proofs of other programs, one with a larger claim and one with more noise, so each
piece of advice has a certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

from hedgerow.verify.language.claim_units import find_unit_parameter
from hedgerow.verify.language.program import (
    Apply,
    Block,
    Expression,
    If,
    Kind,
    Name,
    Noise,
    Number,
    Program,
    Read,
    Sample,
    Statement,
    While,
    collect_names,
    format_expression,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.prove.certificate import Certificate, Failure, hash_program
from hedgerow.verify.prove.checker import check
from hedgerow.verify.prove.search.failure_reasons import EXCEEDS_CLAIM
from hedgerow.verify.prove.search.finder import find_certificate
from hedgerow.verify.prove.work_limit import WorkLimit

__all__ = [
    "ProvedMultiple",
    "add_advice",
    "can_prove_ratio",
    "find_smallest_multiple",
    "scale_noise",
]

# Multiples of eps are reported in sixteenths, or as simpler fractions that can be proved.
_STEPS_PER_EPSILON = 16
_MAX_MULTIPLE = 8
_MAX_SIMPLE_DENOMINATOR = 12
_TRIES_PER_CLAIM = 1
_MAX_MUTANTS = 10
# Work limits in steps: for a smaller epsilon, and for noise that makes the claim true.
_BOUND_STEPS, _REPAIR_STEPS = 8_000, 4_000
_MAX_IMPROVEMENTS = 8  # searches for a smaller multiple with other shifts


@dataclass(frozen=True, slots=True)
class ProvedMultiple:
    """The smallest multiple of eps that could be proved, with the proof of the program with that
    claim.
    """

    multiple: Fraction
    program: Program
    certificate: Certificate


def add_advice(program: Program, failure: Failure, deadline: float) -> Failure:
    """Add the claim or noise that could be proved instead to the failure, as far as time allows."""
    if EXCEEDS_CLAIM not in failure.reason:  # more noise, or a larger claim, would not help
        return failure
    advice = _suggest_scaling(program, deadline)
    found = find_smallest_multiple(program, deadline=deadline, start=Fraction(2))
    upper = float(found.multiple) if found is not None else None
    return replace(failure, reason=f"{failure.reason}{advice or ''}", epsilon_upper=upper)


def _with_claim(program: Program, multiple: Fraction, claim: Expression) -> Program:
    """Replace the claim by a multiple of its unit: eps, or the claim itself if it has no unit."""
    unit = find_unit_parameter(replace(program, claim=replace(program.claim, epsilon=claim)))
    one: Expression = Name(unit) if unit is not None else claim
    epsilon = one if multiple == 1 else Apply("*", (Number(multiple), one))
    return replace(program, claim=replace(program.claim, epsilon=epsilon))


def find_smallest_multiple(
    program: Program,
    *,
    seconds: float = 120,
    deadline: float | None = None,
    start: Fraction = Fraction(1),
    least: float = 0,
) -> ProvedMultiple | None:
    """Find the smallest multiple of eps that can be proved; None if there is none.

    ``start`` is tried first, then twice as much, and so on. Nothing below ``least`` is tried,
    because a counterexample refutes it.
    """
    limit = time.process_time() + seconds if deadline is None else deadline
    unit = program.claim.epsilon
    if not collect_names(unit):
        return None
    best, multiple, effort = None, start, WorkLimit(_BOUND_STEPS)
    while best is None and multiple <= _MAX_MULTIPLE and time.process_time() < limit:
        best = _try_multiple(program, multiple, unit, limit, effort)
        multiple *= 2
    for _ in range(_MAX_IMPROVEMENTS if best is not None else 0):
        assert best is not None
        best = _tighten(best, unit)
        below = best.multiple - Fraction(1, _STEPS_PER_EPSILON)
        better = (
            _try_multiple(program, below, unit, limit, effort) if below > max(0, least) else None
        )
        if better is None:
            break
        best = better
    return best


def _try_multiple(
    program: Program, multiple: Fraction, unit: Expression, deadline: float, effort: WorkLimit
) -> ProvedMultiple | None:
    claiming = _with_claim(program, multiple, unit)
    found = find_certificate(claiming, deadline, _TRIES_PER_CLAIM, effort)
    return ProvedMultiple(multiple, claiming, found) if isinstance(found, Certificate) else None


def can_prove_ratio(program: Program, ratio: Fraction, deadline: float) -> bool:
    """Return True if, for a numeric claim, the probabilities of each answer provably differ by at
    most this ratio.
    """
    claim = Apply("ln", (Number(ratio),))
    if collect_names(program.claim.epsilon) or program.claim.delta is not None:
        return False
    claiming = replace(program, claim=replace(program.claim, epsilon=claim))
    return isinstance(
        find_certificate(claiming, deadline, _TRIES_PER_CLAIM, WorkLimit(_BOUND_STEPS)), Certificate
    )


def _tighten(found: ProvedMultiple, unit: Expression) -> ProvedMultiple:
    """Lower the claim as far as the same shifts and invariants prove it."""
    low, high, best = 0, int(found.multiple * _STEPS_PER_EPSILON), found
    while low < high:
        middle = (low + high) // 2
        better = _recheck_with_multiple(best, Fraction(middle, _STEPS_PER_EPSILON), unit)
        best, low, high = (better, low, middle) if better is not None else (best, middle + 1, high)
    if best.multiple.denominator == _STEPS_PER_EPSILON:  # a third is not a multiple of 1/16
        between = {
            Fraction(n, d)
            for d in range(2, _MAX_SIMPLE_DENOMINATOR + 1)
            for n in range(1, d * _MAX_MULTIPLE)
        }
        simpler = sorted(
            one
            for one in between
            if best.multiple - Fraction(1, _STEPS_PER_EPSILON) < one < best.multiple
        )
        return next(
            (
                better
                for one in simpler
                if (better := _recheck_with_multiple(best, one, unit)) is not None
            ),
            best,
        )
    return best


def _recheck_with_multiple(
    found: ProvedMultiple, multiple: Fraction, unit: Expression
) -> ProvedMultiple | None:
    claiming = _with_claim(found.program, multiple, unit)
    before, after = found.program.claim.epsilon, claiming.claim.epsilon
    # A coin is charged the claim.
    rates = tuple(after if one == before else one for one in found.certificate.rates)
    certificate = replace(
        found.certificate, epsilon=after, source=hash_program(claiming), rates=rates
    )
    return (
        ProvedMultiple(multiple, claiming, certificate)
        if check(claiming, certificate) is None
        else None
    )


def _suggest_scaling(program: Program, deadline: float) -> str | None:
    sites = {
        one.site: one
        for one in program.samples
        if one.noise not in (Noise.UNIFORM, Noise.BERNOULLI, Noise.BITS)
    }
    effort = WorkLimit(_REPAIR_STEPS)
    for number, (sample, factor) in enumerate(
        (sample, factor) for sample in sites.values() for factor in _list_factors(program)
    ):
        if number >= _MAX_MUTANTS or effort.is_exhausted or time.process_time() > deadline:
            return None
        mutant = replace(program, body=scale_noise(program.body, sample.site, factor))
        found = find_certificate(mutant, deadline, _TRIES_PER_CLAIM, effort)
        if isinstance(found, Certificate):
            if isinstance(factor, Number):
                factor = _reduce_factor(program, sample.site, found)
            return f"; scale the noise of line {sample.place.line} by {_format_factor(factor)}"
    return None


def _reduce_factor(program: Program, site: int, proof: Certificate) -> Number:
    """Return the smallest factor up to 2, in hundredths, with which the same shifts prove the
    claim.
    """
    low, high = 101, 200
    while low < high:
        middle = (low + high) // 2
        factor = Number(Fraction(middle, 100))
        mutant = replace(program, body=scale_noise(program.body, site, factor))
        if check(mutant, replace(proof, source=hash_program(mutant))) is None:
            high = middle
        else:
            low = middle + 1
    return Number(Fraction(high, 100))


def _format_factor(factor: Expression) -> str:
    if isinstance(factor, Number):
        return f"{float(factor.value):g}"
    return format_expression(factor)


def _list_factors(program: Program) -> Iterator[Expression]:
    """Yield the factor 2 and public integers, first the ones that are not the length of a list."""
    counts = [
        one.name
        for one in program.parameters
        if one.kind is Kind.INT and not one.private and not one.list
    ]
    reads = [
        part
        for s in walk_statements(program.body)
        for e in list_expressions(s)
        for part in walk_expression(e)
        if isinstance(part, Read)
    ]
    indices = {name for one in reads for name in collect_names(one.index)}
    compared = [
        part
        for s in walk_statements(program.body)
        if isinstance(s, While)
        for part in walk_expression(s.condition)
        if isinstance(part, Apply)
    ]
    lengths = {
        name
        for one in compared
        if len(collect_names(one)) == 2 and collect_names(one) & indices
        for name in collect_names(one)
    }
    two = Number(Fraction(2))
    yield two
    for one in sorted(counts, key=lambda name: name in lengths):
        yield Name(one)
        yield Apply("*", (two, Name(one)))


def scale_noise(block: Block, site: int, factor: Expression) -> Block:
    """Multiply the noise of one site in the program's body by a factor."""

    def one(statement: Statement) -> Statement:
        match statement:
            case Sample() if statement.site == site:
                return replace(
                    statement,
                    parameters=tuple(Apply("*", (factor, scale)) for scale in statement.parameters),
                )
            case If():
                return replace(
                    statement,
                    then=scale_noise(statement.then, site, factor),
                    otherwise=scale_noise(statement.otherwise, site, factor),
                )
            case While():
                return replace(statement, body=scale_noise(statement.body, site, factor))
            case _:
                return statement

    return tuple(map(one, block))
