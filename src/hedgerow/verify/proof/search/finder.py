"""From a program to a certificate: shifts that survive all traces, then invariants, then the checker."""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from hedgerow.verify.language.kinds import kind_of, kinds
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import (
    Kind,
    Length,
    Noise,
    Output,
    Program,
    Read,
    Relation,
    expressions,
    parts,
    statements,
)
from hedgerow.verify.proof.certificate import FINITE, Certificate, Failure, digest
from hedgerow.verify.proof.checker import check, understood
from hedgerow.verify.proof.costs import composed
from hedgerow.verify.proof.effort import Effort
from hedgerow.verify.proof.scales import scales
from hedgerow.verify.proof.search.candidates import candidates, variants
from hedgerow.verify.proof.search.houdini import Houdini
from hedgerow.verify.proof.search.laws import guesses, settles, worths
from hedgerow.verify.proof.search.reasons import reason
from hedgerow.verify.proof.search.shifts import Search
from hedgerow.verify.proof.search.templates import coin_choices, excuses, shift, templates
from hedgerow.verify.proof.solver import MILLISECONDS, z3

__all__ = ["attempt"]

_TRIES = 4
_NO_TIME = "no proof was found in the time given"
_STEPS = 60_000  # a fifth of a minute or so


def attempt(program: Program, deadline: float, tries: int = _TRIES, effort: Effort | None = None) -> Certificate | Failure:
    """A certificate, or why there is none; so many shifts that survive all traces are tried for each kind of proof.

    How much is tried is counted; ``deadline``, on the monotonic clock, is a last resort.
    """
    try:
        return _Proof(program, understood(program), deadline, tries, effort or Effort(_STEPS)).found()
    except Outside as outside:
        return Failure(outside.reason, outside.place)
    except (z3.Z3Exception, RecursionError, ArithmeticError, ValueError):  # the last two: numbers too large to be written down
        return Failure("the solver could not read this program", program.place)


@dataclass
class _Proof:
    program: Program
    read: Program
    deadline: float
    tries: int
    effort: Effort

    def __post_init__(self) -> None:
        self.known = kinds(self.read)
        self.failures: list[Failure] = []

    def found(self) -> Certificate | Failure:
        scales(self.read)  # outside when a scale is private or changes
        unclear = self._length_is_private()
        if unclear is not None:
            return unclear
        for certificate, read in self._in_order():
            if self._over():
                return Failure(_NO_TIME, self.program.place, obligation="time")
            complete = self._with_invariants(certificate, read)
            if complete is not None:
                return complete
            if settles(certificate, read) and self.failures and self.failures[-1].obligation == "answers":
                break
        told = sorted(self.failures, key=lambda one: one.obligation != "answers")  # what a law shows says more than that nothing fits
        if not told and self._over():
            return Failure(_NO_TIME, self.program.place, obligation="time")
        return told[0] if told else Failure("no proof was found", self.program.place)

    def _spend(self, steps: int) -> None:
        self.effort.spend(steps)
        if self._over():
            raise Outside(_NO_TIME, self.program.place)

    def _left(self) -> int:
        """For one question to z3, in milliseconds."""
        return max(1, min(MILLISECONDS, int(1000 * (self.deadline - time.monotonic()))))

    def _over(self) -> bool:
        return self.effort.over or time.monotonic() > self.deadline

    def _in_order(self) -> Iterator[tuple[Certificate, Program]]:
        """One coin is matched with another where that can be done; of several, the laws are known sooner."""
        settled = understood(self.program, FINITE)
        laws = ((one, settled) for one in guesses(settled, self.program))
        others = ((one, self.read) for mode in self._modes() for one in self._guesses(mode))
        several = sum(one.noise is Noise.BERNOULLI for one in self.read.samples) > 1
        yield from chain(laws, others) if several else chain(others, laws)

    def _length_is_private(self) -> Failure | None:
        """Under "row" a list that is read up to something public is read out of range in one of the runs."""
        if self.read.claim.neighbours.relation is not Relation.ROW:
            return None
        everything = [part for one in statements(self.read.body) for expression in expressions(one) for part in parts(expression)]
        measured = {part.list for part in everything if isinstance(part, Length)}
        for part in everything:
            if isinstance(part, Read) and part.list not in measured:
                said = f'the length of {part.list} is private under "row", and this reads it up to something else; write len({part.list})'
                return Failure(said, part.place, obligation="length")
        return None

    def _modes(self) -> list[str]:
        if any(one.noise is Noise.GAUSSIAN for one in self.read.samples):
            return ["zcdp"] if self.read.claim.delta is not None else ["sequence"]
        outputs = [one for one in statements(self.read.body) if isinstance(one, Output)]
        single = len(outputs) == 1 and self.read.body[-1] is outputs[0]
        countable = single and kind_of(outputs[0].value, self.read, self.known) in (Kind.INT, Kind.BOOL)
        modes = ["sequence", "pointwise"] if countable else ["sequence"]
        return [*modes, "zcdp"] if self._composes() else modes

    def _composes(self) -> bool:
        """Whether the claim is one of advanced composition."""
        try:
            return self.read.claim.delta is not None and bool(composed(self.read, {}).above)
        except Outside:
            return False

    def _guesses(self, mode: str) -> Iterator[Certificate]:
        """Certificates without invariants."""
        numbers = templates(self.read, self.known, mode == "pointwise")
        coins = [one.site for one in self.read.samples if one.noise is Noise.BERNOULLI]
        excused = excuses(self.read) if self.read.claim.delta is not None and mode == "sequence" else [{}]
        for bad in excused:
            for fixed in coin_choices(self.read, self.known):
                for worth in worths(self.read) if coins else [self.read.claim.epsilon]:
                    if self._over():
                        return
                    rates = dict.fromkeys(coins, worth)
                    search = Search(self.read, numbers, fixed, rates, mode == "pointwise", bad, mode == "zcdp", effort=self.effort)
                    yield from self._found_by(search, mode)

    def _found_by(self, search: Search, mode: str) -> Iterator[Certificate]:
        sites = sorted({one.site for one in self.read.samples})
        for number, factors in enumerate(search.candidates()):
            shifts = {one.site: shift(one, factors[one.site]) for one in search.templates} | dict(search.fixed)
            yield Certificate(
                program=self.program.name,
                source=digest(self.program),
                epsilon=self.program.claim.epsilon,
                delta=self.program.claim.delta,
                mode=mode,
                shifts=tuple(shifts[site] for site in sites),
                rates=tuple(search.rates.get(site) for site in sites),
                bad=tuple(search.bad.get(site) for site in sites),
            )
            if number + 1 >= self.tries:
                break
        if search.blame:
            self.failures.append(reason(self.read, search.blame))

    def _with_invariants(self, guess: Certificate, read: Program) -> Certificate | None:
        every = candidates(read, self.known, guess.mode == "pointwise")
        filled = replace(guess, invariants=every, variants=tuple(options[0] for options in variants(read)))
        try:
            houdini = Houdini(read, filled, self._spend, self._left)
            houdini.settle()
        except Outside as outside:  # a guess that does not fit, such as a key of another width
            self.failures.append(Failure(outside.reason, outside.place))
            return None
        failing = houdini.first()
        if failing is not None:
            self.failures.append(Failure(failing.reason, failing.place, obligation=failing.name))
            return None
        complete = replace(filled, invariants=houdini.needed())
        failure = check(self.program, complete)
        if failure is None:
            return complete
        self.failures.append(failure)
        return None
