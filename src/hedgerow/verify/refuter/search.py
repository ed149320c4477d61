"""The search behind the refuter: candidates are measured exactly, and the best of them improved step by step.

It is guided by floating point and limited by counts of steps, so that it finds the same on any machine (a clock is only the last resort).
Nothing that it finds is believed for that: see ``Witness``.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from fractions import Fraction
from itertools import islice
from time import monotonic

from hedgerow.verify.language.flow import findings
from hedgerow.verify.language.program import Noise, Program
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.candidates import base_events, changes, longer, raised, tailed, variants
from hedgerow.verify.refuter.chances import Chances
from hedgerow.verify.refuter.circuits import Circuit, bit_events, circuit, only_bits
from hedgerow.verify.refuter.events import Event, regions
from hedgerow.verify.refuter.inputs import EPSILONS, Pair, claimed, has_epsilon, longer_lists, nearby, pairs, unit
from hedgerow.verify.refuter.paths import Arguments, Limits, Path, paths
from hedgerow.verify.refuter.quantity import Real, approximate, times
from hedgerow.verify.refuter.witness import Witness, violates

__all__ = ["Search"]

_PATHS, _FEW_PATHS = 20, 100
_STEPS = 20_000
_GIVEN = 100
# Lengths of lists, how many pairs of inputs, from how many of the best trials to climb.
_STAGES = (((1, 2), 16, 3), ((3,), 6, 1), ((5, 4), 2, 0))
_SCALARS = (((1,), 48, 4),)  # without lists
_VAIN = 12  # so many pairs in a row with which nothing can be done, and no more are tried
_ENDLESS = 2  # the same, where a loop is seen that does not end
_SIGNATURES = 10
_CLIMB = 50
_BETTER = 1e-3


@dataclass(frozen=True, slots=True)
class Trial:
    """One event on two inputs, in the order in which they are compared. ``score`` says how near it is to what is looked for."""

    pair: Pair
    events: tuple[Event, ...]
    likely: Real
    rare: Real
    score: float
    loss: float

    @property
    def event(self) -> Event:
        return self.events[0]


@dataclass
class Search:
    """``multiple`` of the claim is to be broken; 0: as large a loss as possible is looked for."""

    program: Program
    multiple: Fraction
    until: float
    chances: Chances = field(default_factory=Chances)
    claims: dict[int, tuple[Pair, Real, Real]] = field(default_factory=dict)

    def first(self, inputs: Iterable[Pair]) -> Witness | None:
        """The first trial that breaks the claim."""
        for trial in self.trials(inputs):
            if self.breaks(trial):
                return self.witness(trial)
        return None

    def best(self, inputs: Iterable[Pair]) -> Witness | None:
        """The trial with the largest loss."""
        return self.survey(inputs, None)[1]

    def survey(self, inputs: Iterable[Pair], more: int | None) -> tuple[Witness | None, Witness | None]:
        """The first trial that breaks the claim, and the one with the largest loss: of all, or of so many more after the first."""
        first: Trial | None = None
        best: Trial | None = None
        left = math.inf
        for trial in self.trials(inputs):
            if trial.loss > (best.loss * (1 + 1e-9) if best else 0):
                best = trial
            if first is None and self.multiple and self.breaks(trial):
                first, left = trial, math.inf if more is None else more
            left -= 1
            if left < 0 or (best is not None and best.loss == math.inf and (first is not None or not self.multiple)):
                break
        return None if first is None else self.witness(first), None if best is None else replace(self, multiple=Fraction(0)).witness(best)

    def trials(self, inputs: Iterable[Pair]) -> Iterator[Trial]:
        """A look at short lists, a climb from the best of them; longer lists and other values of eps last."""
        yield from self._stage([*inputs], _GIVEN, 2)
        lists = any(one.list for one in self.program.parameters)
        for lengths, count, starts in _STAGES if lists else _SCALARS:
            yield from self._stage(pairs(self.program, lengths), count, starts)
        for epsilon in EPSILONS[1:] if has_epsilon(self.program) and not self._endless else ():
            yield from self._stage(pairs(self.program, (2, 1), epsilon), 3, 1 if self._uneven() else 0)

    @property
    def _endless(self) -> bool:
        """Whether a loop is seen that does not end, so that most of what is tried is in vain."""
        return any(one.sort == "endless" for one in findings(self.program))

    def _uneven(self) -> bool:
        """Whether other values of eps may be worth a climb of their own."""
        return self.program.claim.delta is not None or any(one.noise is Noise.GAUSSIAN for one in self.program.samples)

    def _stage(self, candidates: Iterable[Pair], count: int, starts: int) -> Iterator[Trial]:
        best: dict[object, Trial] = {}
        vain = 0
        for pair in islice(candidates, count):
            if monotonic() > self.until:
                return
            if vain > (_ENDLESS if self._endless else _VAIN):
                break
            vain += 1
            try:
                for trial in self._on(pair):
                    vain = 0
                    yield trial
                    key = changes(trial.event), sum(one.low != one.high for one in trial.event.ranges)
                    if key not in best or trial.score > best[key].score:
                        best[key] = trial
            except (Beyond, ArithmeticError, RecursionError):
                continue
        for start in sorted(best.values(), key=lambda one: -one.score)[:starts]:
            yield from self._climb(start, _CLIMB)

    def _on(self, pair: Pair) -> Iterator[Trial]:
        self._claimed(pair)  # Beyond where nothing is claimed, so that nothing can break it, and no run is needed
        if only_bits(self.program):
            try:
                yield from self._on_circuits(pair)
                return
            except Beyond:
                pass  # small words can also be enumerated
        limits = Limits(_FEW_PATHS, _STEPS, until=self.until)
        one, other = (paths(self.program, side, limits) for side in (pair.one, pair.other))
        for turned, first, second in ((pair, one, other), (pair.flipped, other, one)):
            if turned is not None:
                yield from self._on_paths(turned, first, second)

    def _on_paths(self, pair: Pair, first: Sequence[Path], second: Sequence[Path]) -> Iterator[Trial]:
        bases = sorted(base_events(first, second), key=lambda one: changes(one[0]))[:_SIGNATURES]
        gains = list[Event]()
        for base, path, partner in bases:
            for event in dict.fromkeys((base, *tailed(base, path, partner))):
                trial = self._trial(pair, (event,), first, second)
                if trial is not None:
                    yield trial
                    if event is base and self._gains(trial):
                        gains.append(event)
        if len(gains) > 1 and self.program.claim.delta is not None:  # many events that gain a little may together gain more than delta
            trial = self._trial(pair, tuple(gains), first, second)
            if trial is not None:
                yield trial

    def _gains(self, trial: Trial) -> bool:
        epsilon = self._claimed(trial.pair)[0]
        return approximate(trial.likely) > math.exp(min(700, float(self.multiple or 1) * approximate(epsilon))) * approximate(trial.rare)

    def _on_circuits(self, pair: Pair) -> Iterator[Trial]:
        one, other = circuit(self.program, pair.one), circuit(self.program, pair.other)
        for turned, first, second in ((pair, one, other), (pair.flipped, other, one)):
            for event in bit_events(first.outputs) if turned is not None else ():
                trial = self._judged(turned, (event,), *self._on_bits(event, first, second))  # type: ignore[arg-type]  # not None here
                if trial is not None:
                    yield trial

    @staticmethod
    def _on_bits(event: Event, first: Circuit, second: Circuit) -> tuple[Fraction, Fraction]:
        return first.probability(event), second.probability(event)

    def _trial(self, pair: Pair, events: tuple[Event, ...], first: Sequence[Path], second: Sequence[Path]) -> Trial | None:
        try:
            likely = self.chances.sum(regions(events, first))
            rare = self.chances.sum(regions(events, second))
            return self._judged(pair, events, likely, rare)
        except (Beyond, ArithmeticError):
            return None

    def _judged(self, pair: Pair, events: tuple[Event, ...], likely: Real, rare: Real) -> Trial | None:
        epsilon, delta = self._claimed(pair)
        over, under = approximate(likely) - approximate(delta), approximate(rare)
        if over <= 0:
            return None
        loss = math.log(over) - math.log(under) if under > 0 else math.inf
        claim = float(self.multiple) * approximate(epsilon)
        return Trial(pair, events, likely, rare, loss / claim if claim else loss, loss / float(unit(self.program, pair.one)))

    def _claimed(self, pair: Pair) -> tuple[Real, Real]:
        if id(pair) not in self.claims:
            self.claims[id(pair)] = (pair, *claimed(self.program, pair.one))  # the pair is kept, so that its id stays its own
        return self.claims[id(pair)][1:]

    def breaks(self, trial: Trial) -> bool:
        epsilon, delta = self._claimed(trial.pair)
        if epsilon != Fraction(0) and self.multiple and trial.score < 1 - 1e-6:
            return False
        return violates(trial.likely, trial.rare, times(self.multiple, epsilon), delta)

    def witness(self, trial: Trial) -> Witness:
        return Witness(self.program, trial.pair.one, trial.pair.other, trial.events, trial.likely, trial.rare, self.multiple)

    def _climb(self, start: Trial, left: int) -> Iterator[Trial]:
        """As long as something is gained: other bounds on outputs, longer lists, other levels of the inputs; what helped last first."""
        here, ways = start, [self._bounded, self._lengthened, self._levelled]
        while here.score < math.inf and len(here.events) == 1:
            better: Trial | None = None
            for way in ways:
                for trial in way(here):
                    left -= 1
                    if left <= 0 or monotonic() > self.until:
                        return
                    if trial is not None and trial.score > here.score * (1 + _BETTER) + 1e-12:
                        better = trial
                        break
                if better is not None:
                    ways.sort(key=lambda one: one != way)
                    break
            if better is None:
                return
            yield better
            here = better

    def _bounded(self, trial: Trial) -> Iterator[Trial | None]:
        first, second = self._kept(trial.event, trial.pair.one), self._kept(trial.event, trial.pair.other)
        if first is not None and second is not None:
            for event in variants(trial.event, first, second):
                yield self._trial(trial.pair, (event,), first, second)

    def _lengthened(self, trial: Trial) -> Iterator[Trial | None]:
        for pair in longer_lists(self.program, trial.pair):
            for event in (longer(trial.event), raised(trial.event), trial.event):
                if event is not None:
                    yield self._elsewhere(pair, event)

    def _levelled(self, trial: Trial) -> Iterator[Trial | None]:
        for pair in nearby(self.program, trial.pair):
            yield self._elsewhere(pair, trial.event)

    def _elsewhere(self, pair: Pair, event: Event) -> Trial | None:
        one, other = self._kept(event, pair.one), self._kept(event, pair.other)
        return None if one is None or other is None else self._trial(pair, (event,), one, other)

    def _kept(self, event: Event, arguments: Arguments) -> list[Path] | None:
        try:
            return paths(self.program, arguments, Limits(_PATHS, _STEPS, until=self.until), event.possible)
        except (Beyond, ArithmeticError, RecursionError):
            return None
