"""What to do about a claim that is not proved: what it costs instead, and which noise to scale.

Both are found by proving other programs: the same with a larger claim, and the same with more noise. What is said has a certificate.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction

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
    expressions,
    names,
    parts,
    statements,
    written,
)
from hedgerow.verify.language.units import parameter_of
from hedgerow.verify.proof.certificate import Certificate, Failure, digest
from hedgerow.verify.proof.checker import check
from hedgerow.verify.proof.effort import Effort
from hedgerow.verify.proof.search.finder import attempt
from hedgerow.verify.proof.search.reasons import TOO_DEAR

__all__ = ["Smallest", "advised", "enough", "scaled", "smallest"]

_STEPS = 16  # multiples of eps are told in sixteenths, or as simpler fractions where these can be proved
_LARGEST = 8
_SIMPLE = 12
_TRIES = 1
_MUTANTS = 10
_ADVICE, _MENDING = 8_000, 4_000  # steps of effort: for a smaller epsilon, and for noise that mends it
_BETTER = 8  # how often a smaller multiple is looked for with other shifts


@dataclass(frozen=True, slots=True)
class Smallest:
    """The smallest multiple of eps that could be proved, and its proof (of the program with that claim)."""

    multiple: Fraction
    program: Program
    certificate: Certificate


def advised(program: Program, failure: Failure, deadline: float) -> Failure:
    """The failure with what could be proved instead, as far as time allows."""
    if TOO_DEAR not in failure.reason:  # more noise, or a larger claim, would not help
        return failure
    advice = _mended(program, deadline)
    found = smallest(program, deadline=deadline, start=Fraction(2))
    upper = float(found.multiple) if found is not None else None
    return replace(failure, reason=f"{failure.reason}{advice or ''}", epsilon_upper=upper)


def _claiming(program: Program, multiple: Fraction, claim: Expression) -> Program:
    """So many times the unit: eps, or where the claim is told in none, the claim."""
    unit = parameter_of(replace(program, claim=replace(program.claim, epsilon=claim)))
    one: Expression = Name(unit) if unit is not None else claim
    epsilon = one if multiple == 1 else Apply("*", (Number(multiple), one))
    return replace(program, claim=replace(program.claim, epsilon=epsilon))


def smallest(
    program: Program, *, seconds: float = 120, deadline: float | None = None, start: Fraction = Fraction(1), least: float = 0
) -> Smallest | None:
    """The smallest multiple of eps that can be proved, or nothing; ``start`` is tried first, then twice as much, and so on.

    Below ``least`` nothing is tried: a witness has shown that it would be in vain.
    """
    limit = time.monotonic() + seconds if deadline is None else deadline
    unit = program.claim.epsilon
    if not names(unit):
        return None
    best, multiple, effort = None, start, Effort(_ADVICE)
    while best is None and multiple <= _LARGEST and time.monotonic() < limit:
        best = _tried(program, multiple, unit, limit, effort)
        multiple *= 2
    for _ in range(_BETTER if best is not None else 0):
        assert best is not None
        best = _tightened(best, unit)
        below = best.multiple - Fraction(1, _STEPS)
        better = _tried(program, below, unit, limit, effort) if below > max(0, least) else None
        if better is None:
            break
        best = better
    return best


def _tried(program: Program, multiple: Fraction, unit: Expression, deadline: float, effort: Effort) -> Smallest | None:
    claiming = _claiming(program, multiple, unit)
    found = attempt(claiming, deadline, _TRIES, effort)
    return Smallest(multiple, claiming, found) if isinstance(found, Certificate) else None


def enough(program: Program, ratio: Fraction, deadline: float) -> bool:
    """Whether it can be proved that no answer is likelier than by this ratio, where the claim is a number."""
    claim = Apply("ln", (Number(ratio),))
    if names(program.claim.epsilon) or program.claim.delta is not None:
        return False
    claiming = replace(program, claim=replace(program.claim, epsilon=claim))
    return isinstance(attempt(claiming, deadline, _TRIES, Effort(_ADVICE)), Certificate)


def _tightened(found: Smallest, unit: Expression) -> Smallest:
    """The same shifts and invariants for a smaller claim."""
    low, high, best = 0, int(found.multiple * _STEPS), found
    while low < high:
        middle = (low + high) // 2
        better = _again(best, Fraction(middle, _STEPS), unit)
        best, low, high = (better, low, middle) if better is not None else (best, middle + 1, high)
    if best.multiple.denominator == _STEPS:  # thirds are no sixteenths
        between = {Fraction(n, d) for d in range(2, _SIMPLE + 1) for n in range(1, d * _LARGEST)}
        simpler = sorted(one for one in between if best.multiple - Fraction(1, _STEPS) < one < best.multiple)
        return next((better for one in simpler if (better := _again(best, one, unit)) is not None), best)
    return best


def _again(found: Smallest, multiple: Fraction, unit: Expression) -> Smallest | None:
    claiming = _claiming(found.program, multiple, unit)
    before, after = found.program.claim.epsilon, claiming.claim.epsilon
    rates = tuple(after if one == before else one for one in found.certificate.rates)  # coins are charged what is claimed
    certificate = replace(found.certificate, epsilon=after, source=digest(claiming), rates=rates)
    return Smallest(multiple, claiming, certificate) if check(claiming, certificate) is None else None


def _mended(program: Program, deadline: float) -> str | None:
    """Which noise to scale by what, so that the claim is proved."""
    sites = {one.site: one for one in program.samples if one.noise not in (Noise.UNIFORM, Noise.BERNOULLI, Noise.BITS)}
    effort = Effort(_MENDING)
    for number, (sample, factor) in enumerate((sample, factor) for sample in sites.values() for factor in _factors(program)):
        if number >= _MUTANTS or effort.over or time.monotonic() > deadline:
            return None
        mutant = replace(program, body=scaled(program.body, sample.site, factor))
        if isinstance(attempt(mutant, deadline, _TRIES, effort), Certificate):
            return f"; scale the noise of line {sample.place.line} by {written(factor)}"
    return None


def _factors(program: Program) -> Iterator[Expression]:
    """Twice; or by a public number, first those that are not the length of a list."""
    counts = [one.name for one in program.parameters if one.kind is Kind.INT and not one.private and not one.list]
    reads = [part for s in statements(program.body) for e in expressions(s) for part in parts(e) if isinstance(part, Read)]
    indices = {name for one in reads for name in names(one.index)}
    compared = [part for s in statements(program.body) if isinstance(s, While) for part in parts(s.condition) if isinstance(part, Apply)]
    lengths = {name for one in compared if len(names(one)) == 2 and names(one) & indices for name in names(one)}
    two = Number(Fraction(2))
    yield two
    for one in sorted(counts, key=lambda name: name in lengths):
        yield Name(one)
        yield Apply("*", (two, Name(one)))


def scaled(block: Block, site: int, factor: Expression) -> Block:
    """The program's body with one noise as many times as wide."""

    def one(statement: Statement) -> Statement:
        match statement:
            case Sample() if statement.site == site:
                return replace(statement, parameters=tuple(Apply("*", (factor, scale)) for scale in statement.parameters))
            case If():
                return replace(statement, then=scaled(statement.then, site, factor), otherwise=scaled(statement.otherwise, site, factor))
            case While():
                return replace(statement, body=scaled(statement.body, site, factor))
            case _:
                return statement

    return tuple(map(one, block))
