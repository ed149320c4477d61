"""The search from a program to a certificate: shifts that survive all traces, then invariants, then
the checker.
"""

from __future__ import annotations

import time
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain

from hedgerow.verify.language.program import (
    Kind,
    Length,
    Noise,
    Output,
    Program,
    Read,
    Relation,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.certificate import FINITE, Certificate, Failure, hash_program
from hedgerow.verify.prove.checker import check, normalise_program
from hedgerow.verify.prove.claim_check import compute_allowed_rho
from hedgerow.verify.prove.rules.scale_facts import find_scales
from hedgerow.verify.prove.search.coin_shifts import list_coin_shifts
from hedgerow.verify.prove.search.excused_tails import list_excused_tails
from hedgerow.verify.prove.search.failure_reasons import explain_failure
from hedgerow.verify.prove.search.finite_noise_guesses import (
    guess_certificates,
    is_decisive,
    list_rates,
)
from hedgerow.verify.prove.search.invariant_candidates import list_invariant_candidates
from hedgerow.verify.prove.search.invariant_pruning import InvariantPruning
from hedgerow.verify.prove.search.noise_uses import ZERO
from hedgerow.verify.prove.search.shifts import ShiftSearch
from hedgerow.verify.prove.search.templates import (
    ShiftTemplate,
    make_shift,
    make_templates,
)
from hedgerow.verify.prove.search.variant_candidates import list_variant_candidates
from hedgerow.verify.prove.solver import MAX_MILLISECONDS, z3
from hedgerow.verify.prove.work_limit import WorkLimit

__all__ = ["find_certificate"]

_DEFAULT_TRIES = 4
_NO_TIME = "no proof was found in the time given"
_DEFAULT_STEPS = 60_000  # about 12 seconds


def find_certificate(
    program: Program, deadline: float, tries: int = _DEFAULT_TRIES, effort: WorkLimit | None = None
) -> Certificate | Failure:
    """Find a certificate, or explain why there is none.

    For each kind of proof, up to ``tries`` shifts that survive all traces are tried. ``effort``
    limits the steps of the search; ``deadline``, in processor time, is a last resort.
    """
    try:
        return _CertificateSearch(
            program,
            normalise_program(program),
            deadline,
            tries,
            effort or WorkLimit(_DEFAULT_STEPS),
        ).run()
    except UnsupportedProgram as outside:
        return Failure(outside.reason, outside.place)
    # The last two: numbers too large to be written down.
    except (z3.Z3Exception, RecursionError, ArithmeticError, ValueError):
        return Failure("the program is too large for the solver; shorten it", program.place)


@dataclass
class _CertificateSearch:
    program: Program
    normalised: Program
    deadline: float
    tries: int
    work_limit: WorkLimit

    def __post_init__(self) -> None:
        self.known = infer_kinds(self.normalised)
        self.failures: list[Failure] = []

    def run(self) -> Certificate | Failure:
        find_scales(self.normalised)  # raises if a scale is private or changes
        if (unclear := self._check_private_lengths()) is not None:
            return unclear
        for certificate, read in self._list_guesses():
            if self._is_over():
                return Failure(_NO_TIME, self.program.place, obligation="time")
            complete = self._add_invariants(certificate, read)
            if complete is not None:
                return complete
            if (
                is_decisive(certificate, read)
                and self.failures
                and self.failures[-1].obligation == "answers"
            ):
                break
        # A comparison of distributions explains more than a search without result.
        failures = sorted(self.failures, key=lambda one: one.obligation != "answers")
        if not failures and self._is_over():
            return Failure(_NO_TIME, self.program.place, obligation="time")
        return failures[0] if failures else Failure("no proof was found", self.program.place)

    def _spend(self, steps: int) -> None:
        self.work_limit.spend(steps)
        if self._is_over():
            raise UnsupportedProgram(_NO_TIME, self.program.place)

    def _milliseconds_left(self) -> int:
        return max(1, min(MAX_MILLISECONDS, int(1000 * (self.deadline - time.process_time()))))

    def _is_over(self) -> bool:
        return self.work_limit.is_exhausted or time.process_time() > self.deadline

    def _list_guesses(self) -> Iterator[tuple[Certificate, Program]]:
        """Yield guesses, each with its program: for a single coin the shifts come first, for
        several coins the comparison of distributions, which is faster there.
        """
        finite = normalise_program(self.program, FINITE)
        guesses = guess_certificates(finite, self.program)
        if self.normalised.claim.neighbours.after is not None:
            guesses = iter(())  # distributions are compared for equal results only
        distributions = ((one, finite) for one in guesses)
        others = (
            (one, self.normalised)
            for mode, templates in self._list_templates()
            for one in self._guess_shifts(mode, templates)
        )
        several = sum(one.noise is Noise.BERNOULLI for one in self.normalised.samples) > 1
        yield from chain(distributions, others) if several else chain(others, distributions)

    def _check_private_lengths(self) -> Failure | None:
        """Refuse a list of private length that is read up to a public bound: under "row" one of the
        runs would read out of range.
        """
        if self.normalised.claim.neighbours.relation is not Relation.ROW:
            return None
        everything = [
            part
            for one in walk_statements(self.normalised.body)
            for expression in list_expressions(one)
            for part in walk_expression(expression)
        ]
        measured = {part.list for part in everything if isinstance(part, Length)}
        for part in everything:
            if isinstance(part, Read) and part.list not in measured:
                reason = (
                    f'the length of {part.list} is private under "row", but the loop has another'
                    f" bound; write len({part.list})"
                )
                return Failure(reason, part.place, obligation="length")
        return None

    def _list_modes(self) -> list[str]:
        if self.normalised.claim.neighbours.after is not None:
            return ["sequence"]
        if any(one.noise is Noise.GAUSSIAN for one in self.normalised.samples):
            return ["zcdp"] if self.normalised.claim.delta is not None else ["sequence"]
        outputs = [one for one in walk_statements(self.normalised.body) if isinstance(one, Output)]
        single = len(outputs) == 1 and self.normalised.body[-1] is outputs[0]
        countable = single and infer_kind(outputs[0].value, self.normalised, self.known) in (
            Kind.INT,
            Kind.BOOL,
        )
        modes = ["sequence", "pointwise"] if countable else ["sequence"]
        return [*modes, "zcdp"] if self._is_advanced_composition() else modes

    def _is_advanced_composition(self) -> bool:
        try:
            return self.normalised.claim.delta is not None and bool(
                compute_allowed_rho(self.normalised, {}).numerator
            )
        except UnsupportedProgram:
            return False

    def _list_templates(self) -> Iterator[tuple[str, tuple[ShiftTemplate, ...]]]:
        """Yield the templates of each mode, then the detailed ones where these differ."""
        first = {
            mode: make_templates(self.normalised, self.known, mode == "pointwise")
            for mode in self._list_modes()
        }
        yield from first.items()
        for mode, templates in first.items():
            more = make_templates(self.normalised, self.known, mode == "pointwise", True)
            if more != templates:
                yield mode, more

    def _guess_shifts(self, mode: str, numbers: tuple[ShiftTemplate, ...]) -> Iterator[Certificate]:
        """Yield certificates without invariants."""
        coins = [one.site for one in self.normalised.samples if one.noise is Noise.BERNOULLI]
        excused = (
            list_excused_tails(self.normalised)
            if self.normalised.claim.delta is not None and mode == "sequence"
            else [{}]
        )
        for bad in excused:
            for fixed in list_coin_shifts(self.normalised, self.known):
                for worth in (
                    list_rates(self.normalised) if coins else [self.normalised.claim.epsilon]
                ):
                    if self._is_over():
                        return
                    rates = dict.fromkeys(coins, worth)
                    search = ShiftSearch(
                        self.normalised,
                        numbers,
                        fixed,
                        rates,
                        mode == "pointwise",
                        bad,
                        mode == "zcdp",
                        work_limit=self.work_limit,
                    )
                    yield from self._certificates_of(search, mode)

    def _certificates_of(self, search: ShiftSearch, mode: str) -> Iterator[Certificate]:
        sites = range(1 + max((one.site for one in self.program.samples), default=-1))
        for number, factors in enumerate(search.list_factors()):
            shifts = {
                one.site: make_shift(one, factors[one.site]) for one in search.templates
            } | dict(search.fixed)
            yield Certificate(
                program=self.program.name,
                source=hash_program(self.program),
                epsilon=self.program.claim.epsilon,
                delta=self.program.claim.delta,
                mode=mode,
                shifts=tuple(shifts.get(site, ZERO) for site in sites),
                rates=tuple(search.rates.get(site) for site in sites),
                excused=tuple(search.excused.get(site) for site in sites),
            )
            if number + 1 >= self.tries:
                break
        if search.blame:
            self.failures.append(explain_failure(self.normalised, search.blame))

    def _add_invariants(self, guess: Certificate, read: Program) -> Certificate | None:
        every = list_invariant_candidates(read, self.known, guess.mode == "pointwise")
        options = list_variant_candidates(read)
        filled = replace(guess, invariants=every, variants=tuple(one[0] for one in options))
        try:
            pruning = InvariantPruning(
                read,
                filled,
                self._spend,
                self._milliseconds_left,
                {loop: one[1:] for loop, one in enumerate(options)},
            )
            pruning.prune()
            filled = replace(filled, variants=pruning.choose_variants())
        # The guess does not fit, such as a key of another width.
        except UnsupportedProgram as outside:
            self.failures.append(Failure(outside.reason, outside.place))
            return None
        failing = pruning.find_first_failing()
        if failing is not None:
            self.failures.append(Failure(failing.reason, failing.place, obligation=failing.name))
            return None
        complete = replace(filled, invariants=pruning.list_needed_invariants())
        if (failure := check(self.program, complete)) is None:
            return complete
        self.failures.append(failure)
        return None
