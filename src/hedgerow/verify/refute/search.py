"""The search of the refuter: candidates are measured exactly, and the best are improved step by
step.

Floating point guides the search, and counts of steps limit it, so that it finds the same on every
machine (the clock is a last resort). Nothing rests on the search: a ``Counterexample`` checks
itself.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from time import process_time

from hedgerow.verify.language.program import Noise, Program
from hedgerow.verify.language.taint import list_findings
from hedgerow.verify.refute.circuits import build_circuit, has_only_bit_noise, iterate_bit_events
from hedgerow.verify.refute.counterexample import (
    Counterexample,
    evaluate_claim,
    evaluate_unit,
    find_epsilon_name,
    is_violation,
)
from hedgerow.verify.refute.event_candidates import (
    bound_tails,
    count_changes,
    increment_constants,
    iterate_base_events,
    repeat_first_output,
    vary_bounds,
)
from hedgerow.verify.refute.events import OutputEvent, relate_events, restrict_paths
from hedgerow.verify.refute.input_search import (
    EPSILONS,
    InputPair,
    iterate_input_pairs,
    shift_levels,
)
from hedgerow.verify.refute.interval_arithmetic import RealNumber, approximate, multiply_reals
from hedgerow.verify.refute.longer_lists import double_lists, lengthen_lists
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.paths import Arguments, PathLimits, ProgramPath, enumerate_paths

__all__ = ["CounterexampleSearch"]

_CLIMB_PATHS, _TRIAL_PATHS = 20, 100
_MAX_STEPS = 20_000
_MAX_GIVEN_PAIRS = 100
# Lengths of lists, number of input pairs, number of best trials from which to climb.
_STAGES = (((1, 2), 16, 3), ((3,), 6, 1), ((5, 4), 2, 0))
_SCALAR_STAGES = (((1,), 48, 4),)  # without lists
_MAX_FAILED_PAIRS = 12  # a stage ends after more failed pairs in a row than this
_MAX_ENDLESS_PAIRS = 2  # the same for a program with an endless loop
_MAX_SIGNATURES = 10
_CLIMB_TRIALS = 50
_MIN_IMPROVEMENT = 1e-3


@dataclass(frozen=True, slots=True)
class EventTrial:
    """One event on two inputs; ``score`` is its loss, relative to the claim that is attacked."""

    pair: InputPair
    events: tuple[OutputEvent, ...]
    likely: RealNumber
    rare: RealNumber
    score: float
    loss: float

    @property
    def event(self) -> OutputEvent:
        return self.events[0]


@dataclass
class CounterexampleSearch:
    """A search for an event that breaks ``multiple`` times the claim, or has the largest loss if
    ``multiple`` is 0.
    """

    program: Program
    multiple: Fraction
    deadline: float
    probabilities: PathProbability = field(default_factory=PathProbability)
    claims: dict[int, tuple[InputPair, RealNumber, RealNumber]] = field(default_factory=dict)
    _best: EventTrial | None = None

    def find_first(self, inputs: Iterable[InputPair]) -> Counterexample | None:
        """Return the first trial that breaks the claim."""
        trials = filter(self.breaks_claim, self.iterate_trials(inputs))
        return next(map(self.build_counterexample, trials), None)

    def find_best(self, inputs: Iterable[InputPair]) -> Counterexample | None:
        """Return the trial with the largest loss."""
        return self.run(inputs, None)[1]

    def run(
        self, inputs: Iterable[InputPair], more: int | None
    ) -> tuple[Counterexample | None, Counterexample | None]:
        """Return the first trial that breaks the claim, and the trial with the largest loss; stop
        ``more`` trials after the first.
        """
        first: EventTrial | None = None
        best: EventTrial | None = None
        left = math.inf
        for trial in self.iterate_trials(inputs):
            if trial.loss > (best.loss * (1 + 1e-9) if best else 0):
                best = trial
            if first is None and self.multiple and self.breaks_claim(trial):
                first, left = trial, math.inf if more is None else more
            left -= 1
            if left < 0 or (
                best is not None
                and best.loss == math.inf
                and (first is not None or not self.multiple)
            ):
                break
        return None if first is None else self.build_counterexample(first), (
            None if best is None else replace(self, multiple=Fraction(0)).build_counterexample(best)
        )

    def iterate_trials(self, inputs: Iterable[InputPair]) -> Iterator[EventTrial]:
        """Try the given inputs, then short lists, then longer lists and other values of eps, each
        with a climb from the best trials.
        """
        yield from self._run_stage([*inputs], _MAX_GIVEN_PAIRS, 2)
        self._best: EventTrial | None = None
        lists = any(one.list for one in self.program.parameters)
        for lengths, count, starts in _STAGES if lists else _SCALAR_STAGES:
            yield from self._run_stage(iterate_input_pairs(self.program, lengths), count, starts)
        if lists:
            yield from self._double_lengths()
        for epsilon in (
            EPSILONS[1:]
            if find_epsilon_name(self.program) is not None and not self._has_endless_loop
            else ()
        ):
            yield from self._run_stage(
                iterate_input_pairs(self.program, (2, 1), epsilon),
                3,
                1 if self._varies_with_epsilon() else 0,
            )

    def _double_lengths(self) -> Iterator[EventTrial]:
        """Double the lists of the best trial as long as its score grows."""
        while (
            (here := self._best) is not None
            and here.score < 1 + _MIN_IMPROVEMENT
            and len(here.events) == 1
        ):
            for pair in double_lists(self.program, here.pair):
                yield from self._run_stage([pair], 1, 0)
            if self._best is None or self._best.score <= here.score * (1 + _MIN_IMPROVEMENT):
                return

    @property
    def _has_endless_loop(self) -> bool:
        """True if the program has an endless loop, so that most trials fail."""
        return any(one.kind == "endless" for one in list_findings(self.program))

    def _varies_with_epsilon(self) -> bool:
        return self.program.claim.delta is not None or any(
            one.noise is Noise.GAUSSIAN for one in self.program.samples
        )

    def _run_stage(
        self, candidates: Iterable[InputPair], count: int, starts: int
    ) -> Iterator[EventTrial]:
        best: dict[object, EventTrial] = {}
        failures = 0
        for pair in islice(candidates, count):
            if process_time() > self.deadline:
                return
            if failures > (_MAX_ENDLESS_PAIRS if self._has_endless_loop else _MAX_FAILED_PAIRS):
                break
            failures += 1
            try:
                for trial in self._try_pair(pair):
                    failures = 0
                    if self._best is None or trial.score > self._best.score:
                        self._best = trial
                    yield trial
                    key = (
                        count_changes(trial.event),
                        sum(one.low != one.high for one in trial.event.ranges),
                    )
                    if key not in best or trial.score > best[key].score:
                        best[key] = trial
            except (OutOfScope, ArithmeticError, RecursionError):
                continue
        for start in sorted(best.values(), key=lambda one: -one.score)[:starts]:
            yield from self._climb(start, _CLIMB_TRIALS)

    def _try_pair(self, pair: InputPair) -> Iterator[EventTrial]:
        # OutOfScope for parameters without a claim: nothing can break it, so skip the run
        self._evaluate_claim(pair)
        if has_only_bit_noise(self.program):
            try:
                yield from self._try_circuits(pair)
                return
            except OutOfScope:
                pass  # small words can also be enumerated
        limits = PathLimits(_TRIAL_PATHS, _MAX_STEPS, deadline=self.deadline)
        one, other = (
            enumerate_paths(self.program, side, limits) for side in (pair.first, pair.second)
        )
        for ordered, first, second in ((pair, one, other), (pair.flipped, other, one)):
            if ordered is not None:
                yield from self._try_paths(ordered, first, second)

    def _try_paths(
        self, pair: InputPair, first: Sequence[ProgramPath], second: Sequence[ProgramPath]
    ) -> Iterator[EventTrial]:
        bases = sorted(iterate_base_events(first, second), key=lambda one: count_changes(one[0]))[
            :_MAX_SIGNATURES
        ]
        gains = list[OutputEvent]()
        for base, path, partner in bases:
            for event in dict.fromkeys((base, *bound_tails(base, path, partner))):
                trial = self._measure_trial(pair, (event,), first, second)
                if trial is not None:
                    yield trial
                    if event is base and self._exceeds_claim(trial):
                        gains.append(event)
        # events that each exceed the claim a little may exceed delta together
        if len(gains) > 1 and self.program.claim.delta is not None:
            trial = self._measure_trial(pair, tuple(gains), first, second)
            if trial is not None:
                yield trial

    def _exceeds_claim(self, trial: EventTrial) -> bool:
        epsilon = self._evaluate_claim(trial.pair)[0]
        return approximate(trial.likely) > math.exp(
            min(700, float(self.multiple or 1) * approximate(epsilon))
        ) * approximate(trial.rare)

    def _try_circuits(self, pair: InputPair) -> Iterator[EventTrial]:
        one, other = (
            build_circuit(self.program, pair.first),
            build_circuit(self.program, pair.second),
        )
        for turned, first, second in ((pair, one, other), (pair.flipped, other, one)):
            for event in iterate_bit_events(first.outputs) if turned is not None else ():
                trial = self._score_trial(
                    turned,  # type: ignore[arg-type]
                    (event,),
                    first.probability(event),
                    second.probability(event),
                )  # not None here
                if trial is not None:
                    yield trial

    def _measure_trial(
        self,
        pair: InputPair,
        events: tuple[OutputEvent, ...],
        first: Sequence[ProgramPath],
        second: Sequence[ProgramPath],
    ) -> EventTrial | None:
        try:
            likely = self.probabilities.compute_sum(restrict_paths(events, first))
            related = relate_events(self.program, events)
            rare = self.probabilities.compute_sum(restrict_paths(related, second))
            return self._score_trial(pair, events, likely, rare)
        except (OutOfScope, ArithmeticError):
            return None

    def _score_trial(
        self, pair: InputPair, events: tuple[OutputEvent, ...], likely: RealNumber, rare: RealNumber
    ) -> EventTrial | None:
        epsilon, delta = self._evaluate_claim(pair)
        over, under = approximate(likely) - approximate(delta), approximate(rare)
        if over <= 0:
            return None
        loss = math.log(over) - math.log(under) if under > 0 else math.inf
        claim = float(self.multiple) * approximate(epsilon)
        return EventTrial(
            pair,
            events,
            likely,
            rare,
            loss / claim if claim else loss,
            loss / float(evaluate_unit(self.program, pair.first)),
        )

    def _evaluate_claim(self, pair: InputPair) -> tuple[RealNumber, RealNumber]:
        if id(pair) not in self.claims:
            # the pair is kept, so that its id stays its own
            self.claims[id(pair)] = (pair, *evaluate_claim(self.program, pair.first))
        return self.claims[id(pair)][1:]

    def breaks_claim(self, trial: EventTrial) -> bool:
        epsilon, delta = self._evaluate_claim(trial.pair)
        if epsilon != Fraction(0) and self.multiple and trial.score < 1 - 1e-6:
            return False
        return is_violation(trial.likely, trial.rare, multiply_reals(self.multiple, epsilon), delta)

    def build_counterexample(self, trial: EventTrial) -> Counterexample:
        return Counterexample(
            self.program,
            trial.pair.first,
            trial.pair.second,
            trial.events,
            trial.likely,
            trial.rare,
            self.multiple,
        )

    def _climb(self, start: EventTrial, left: int) -> Iterator[EventTrial]:
        """Improve the trial while its score grows: other bounds on outputs, longer lists, other
        levels of the inputs; the change that helped last comes first.
        """
        here, changes = start, [self._vary_bounds, self._vary_lengths, self._vary_levels]
        while here.score < math.inf and len(here.events) == 1:
            better: EventTrial | None = None
            for change in changes:
                for trial in change(here):
                    left -= 1
                    if left <= 0 or process_time() > self.deadline:
                        return
                    if (
                        trial is not None
                        and trial.score > here.score * (1 + _MIN_IMPROVEMENT) + 1e-12
                    ):
                        better = trial
                        break
                if better is not None:
                    changes.sort(key=lambda one: one != change)
                    break
            if better is None:
                return
            yield better
            here = better

    def _vary_bounds(self, trial: EventTrial) -> Iterator[EventTrial | None]:
        first, second = self._enumerate_both(trial.event, trial.pair)
        if first is not None and second is not None:
            for event in vary_bounds(trial.event, first, second):
                yield self._measure_trial(trial.pair, (event,), first, second)

    def _vary_lengths(self, trial: EventTrial) -> Iterator[EventTrial | None]:
        for pair in lengthen_lists(self.program, trial.pair):
            for event in (
                repeat_first_output(trial.event),
                increment_constants(trial.event),
                trial.event,
            ):
                if event is not None:
                    yield self._try_event(pair, event)

    def _vary_levels(self, trial: EventTrial) -> Iterator[EventTrial | None]:
        for pair in shift_levels(self.program, trial.pair):
            yield self._try_event(pair, trial.event)

    def _try_event(self, pair: InputPair, event: OutputEvent) -> EventTrial | None:
        one, other = self._enumerate_both(event, pair)
        return (
            None
            if one is None or other is None
            else self._measure_trial(pair, (event,), one, other)
        )

    def _enumerate_both(
        self, event: OutputEvent, pair: InputPair
    ) -> tuple[list[ProgramPath] | None, list[ProgramPath] | None]:
        try:
            (related,) = relate_events(self.program, (event,))
        except OutOfScope:
            return None, None
        return (
            self._enumerate_matching_paths(event, pair.first),
            self._enumerate_matching_paths(related, pair.second),
        )

    def _enumerate_matching_paths(
        self, event: OutputEvent, arguments: Arguments
    ) -> list[ProgramPath] | None:
        try:
            return enumerate_paths(
                self.program,
                arguments,
                PathLimits(_CLIMB_PATHS, _MAX_STEPS, deadline=self.deadline),
                event.is_possible,
            )
        except (OutOfScope, ArithmeticError, RecursionError):
            return None
