"""Bounds on the probability of an event, by running the program on boxes of noise.

Where a box does not decide a comparison, it is divided: at the zero of the comparison if only the
last draw is undecided, and otherwise first into cells of the earlier draws. Cells leave a sliver in
which the comparison stays open. A lower bound leaves it out; an upper bound counts it on both
sides. Finer cells give closer bounds.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.verify.language.program import (
    Assign,
    Block,
    Expression,
    If,
    Noise,
    Output,
    Program,
    Sample,
    Statement,
    While,
)
from hedgerow.verify.refute.events import OutputEvent, OutputRange
from hedgerow.verify.refute.path_values import BitWord, PathValue
from hedgerow.verify.refute.paths import Arguments
from hedgerow.verify.validation.boxed_values import (
    BoxedState,
    BoxedValue,
    CannotEvaluate,
    NeedsBit,
    NeedsSplit,
    NoisySum,
    Word,
    add_scaled,
    compare,
    decide_bit,
    evaluate,
    find_range,
    require_sum,
)
from hedgerow.verify.validation.noise_boxes import MARGIN, NoiseBox, NoiseEnd, draw_whole_box

__all__ = ["Precision", "bound_event_probability", "evaluate_plainly"]

_UNLIKELY: Final = Fraction(1, 1000)  # irrational probabilities closer to 0 or 1 are refused
_MAX_WORD_BITS: Final = 4096
_Rest: TypeAlias = tuple[Block, int, object] | None


@dataclass(frozen=True, slots=True)
class _Run:
    """A run under way: the statements left, the state, the outputs so far, and the probability of
    its coins and bits.
    """

    rest: _Rest
    state: BoxedState
    outputs: tuple[BoxedValue, ...] = ()
    weight: float = 1.0


@dataclass(frozen=True, slots=True)
class Precision:
    """The number of cells of one draw, the number of statements that may be run on them, and the
    probability below which a box is not divided any more.
    """

    cells: int
    steps: int
    negligible: float = 0.0


def bound_event_probability(
    program: Program,
    arguments: Arguments,
    events: Sequence[OutputEvent],
    precision: Precision,
    *,
    upper: bool,
) -> float:
    """Return an upper or a lower bound on the probability that the outputs lie in an event."""
    state = BoxedState(*_convert_arguments(arguments))
    return _BoxSearch(tuple(events), precision, upper).bound(_Run((program.body, 0, None), state))


def evaluate_plainly(expression: Expression, arguments: Arguments) -> BoxedValue:
    """Evaluate an expression without noise."""
    try:
        return evaluate(expression, BoxedState(*_convert_arguments(arguments)))
    except (NeedsSplit, NeedsBit):
        raise CannotEvaluate("a comparison that the precision does not decide") from None


def _convert_arguments(
    arguments: Arguments,
) -> tuple[Mapping[str, BoxedValue], Mapping[str, tuple[BoxedValue, ...]]]:
    values: dict[str, BoxedValue] = {}
    lists: dict[str, tuple[BoxedValue, ...]] = {}
    for name, value in arguments.items():
        if isinstance(value, tuple):
            lists[name] = tuple(map(_convert_value, value))
        else:
            values[name] = _convert_value(value)
    return values, lists


def _convert_value(value: PathValue) -> BoxedValue:
    match value:
        case bool():
            return value
        case Fraction():
            return value
        case BitWord():
            return Word(tuple(value.value >> place & 1 for place in range(value.width)))
    raise CannotEvaluate("an input that is not a plain value")


@dataclass
class _BoxSearch:
    events: tuple[OutputEvent, ...]
    precision: Precision
    upper: bool
    bit_count: int = 0
    steps: int = 0

    def bound(self, start: _Run) -> float:
        """Run every part until its end or its next division, and add up their probabilities."""
        total, waiting = 0.0, [start]
        while waiting:
            self.steps += 1
            if self.steps > self.precision.steps:
                raise CannotEvaluate("too many cells")
            run = waiting.pop()
            statement, rest = _pop_statement(run.rest)
            try:
                if statement is None:
                    total += _weigh(run) if self._is_in_event(run) else 0.0
                else:
                    waiting += self._follow(statement, replace(run, rest=rest))
            except NeedsSplit as split:
                for part in self._divide(run, split.form):
                    mass = _weigh(part)
                    if mass > self.precision.negligible:
                        waiting.append(part)
                    elif self.upper:
                        total += mass
            except NeedsBit as bit:
                waiting += [
                    replace(
                        run,
                        state=replace(run.state, bits={**run.state.bits, bit.number: value}),
                        weight=run.weight / 2,
                    )
                    for value in (0, 1)
                ]
        return total * (1 + MARGIN if self.upper else 1 - MARGIN)

    def _follow(self, statement: Statement, run: _Run) -> Iterator[_Run]:
        state = run.state
        match statement:
            case Assign():
                yield _bind(run, statement.name, evaluate(statement.value, state))
            case Sample():
                yield from self._draw(statement, run)
            case If():
                holds = evaluate(statement.condition, state)
                yield replace(
                    run, rest=(statement.then if holds else statement.otherwise, 0, run.rest)
                )
            case While():
                again: _Rest = (statement.body, 0, ((statement,), 0, run.rest))
                yield replace(run, rest=again) if evaluate(statement.condition, state) else run
            case Output():
                outputs = (*run.outputs, evaluate(statement.value, state))
                if any(_may_match(event, outputs, state) for event in self.events):
                    yield replace(run, outputs=outputs)

    def _draw(self, statement: Sample, run: _Run) -> Iterator[_Run]:
        values = [require_sum(evaluate(one, run.state)) for one in statement.parameters]
        if any(not one.is_plain for one in values):
            raise CannotEvaluate("a scale that depends on noise")
        if statement.noise is Noise.BERNOULLI:
            chance = (values[0].low + values[0].high) / 2
            is_exact = values[0].low == values[0].high
            if not 0 <= chance <= 1 or not (is_exact or _UNLIKELY < chance < 1 - _UNLIKELY):
                raise CannotEvaluate("a probability that is not known well enough")
            for value, share in ((True, float(chance)), (False, float(1 - chance))):
                if share > 0:
                    yield replace(_bind(run, statement.name, value), weight=run.weight * share)
            return
        if statement.noise is Noise.BITS:
            width = int(values[0].exact)
            if not 0 < width <= _MAX_WORD_BITS:
                raise CannotEvaluate("a word with too many bits")
            drawn = Word(tuple(("draw", self.bit_count + place) for place in range(width)))
            self.bit_count += width
            yield _bind(run, statement.name, drawn)
            return
        scales = tuple((one.low + one.high) / 2 for one in values)
        box = draw_whole_box(statement.noise, scales)
        if box.scale <= 0:
            raise CannotEvaluate("a scale that is not above 0")
        number = len(run.state.boxes)
        state = replace(run.state, boxes=(*run.state.boxes, box))
        form = NoisySum(Fraction(0), Fraction(0), ((number, Fraction(1)),))
        yield _bind(replace(run, state=state), statement.name, form)

    def _is_in_event(self, run: _Run) -> bool:
        return any(_matches(event, run.outputs, run.state) for event in self.events)

    def _divide(self, run: _Run, form: NoisySum) -> Iterator[_Run]:
        """Divide the box of one draw so that the comparison of the form with 0 has one answer."""
        if not form.terms:
            raise CannotEvaluate("a comparison that the precision does not decide")
        boxes = run.state.boxes
        *earlier, (last, factor) = form.terms
        low, high = find_range(NoisySum(form.low, form.high, tuple(earlier)), boxes)
        cells = self._cut_next(earlier, boxes) if earlier else None
        if cells is not None:
            yield from (_put_box(run, *cell) for cell in cells)
            return
        ends: list[NoiseEnd] = sorted((-low / factor, -high / factor))
        if low == high:
            yield from (_put_box(run, last, one) for one in boxes[last].cut_at(Fraction(ends[0])))
            return
        # Below the first end the form has one sign, above the second end the other.
        for below in (True, False):
            limit = ends[below is self.upper]
            part = boxes[last].keep_below(limit) if below else boxes[last].keep_above(limit)
            if part is None:
                continue
            forced = dict(run.state.forced)
            if self.upper:
                negative = below is (factor > 0)
                opposite = add_scaled(NoisySum(Fraction(0), Fraction(0)), form, Fraction(-1))
                for relation in ("<", "<="):
                    forced[form, relation] = negative
                    forced[opposite, relation] = not negative
                forced[form, "=="] = forced[opposite, "=="] = False
            yield _put_box(replace(run, state=replace(run.state, forced=forced)), last, part)

    def _cut_next(
        self, terms: Sequence[tuple[int, Fraction]], boxes: tuple[NoiseBox, ...]
    ) -> list[tuple[int, NoiseBox]] | None:
        """Cut the first of these draws that is not in a cell yet."""
        for number, _ in terms:
            if not boxes[number].is_cell and not boxes[number].is_point:
                return [(number, one) for one in boxes[number].cut_into_cells(self.precision.cells)]
        return None


def _weigh(run: _Run) -> float:
    mass = run.weight
    for box in run.state.boxes:
        mass *= box.probability
    return mass


def _put_box(run: _Run, number: int, box: NoiseBox) -> _Run:
    boxes = run.state.boxes
    state = replace(run.state, boxes=(*boxes[:number], box, *boxes[number + 1 :]))
    return replace(run, state=state)


def _bind(run: _Run, name: str, value: BoxedValue) -> _Run:
    return replace(run, state=replace(run.state, values={**run.state.values, name: value}))


def _pop_statement(rest: _Rest) -> tuple[Statement | None, _Rest]:
    while rest is not None:
        block, number, outer = rest
        if number < len(block):
            return block[number], (block, number + 1, outer)
        rest = outer  # type: ignore[assignment]
    return None, None


def _may_match(event: OutputEvent, outputs: Sequence[BoxedValue], state: BoxedState) -> bool:
    """Return whether a run with these outputs so far may end in the event."""
    last = len(outputs) - 1
    if last >= event.length:
        return False
    ranges = [one for one in event.ranges if {place for place, _ in one.combination} == {last}]
    return _admits(event, outputs, state, last) and all(
        _is_in_range(one, outputs, state) for one in ranges
    )


def _matches(event: OutputEvent, outputs: Sequence[BoxedValue], state: BoxedState) -> bool:
    return (
        len(outputs) == event.length
        and all(_admits(event, outputs, state, place) for place in range(event.length))
        and all(_is_in_range(one, outputs, state) for one in event.ranges)
    )


def _admits(
    event: OutputEvent, outputs: Sequence[BoxedValue], state: BoxedState, place: int
) -> bool:
    found = outputs[place]
    for here, wanted in event.values:
        if here != place:
            continue
        if isinstance(wanted, bool):
            if found is not wanted:
                return False
        elif not isinstance(found, Word) or [decide_bit(one, state) for one in found.bits] != [
            wanted.value >> number & 1 for number in range(wanted.width)
        ]:
            return False
    word = Word((int(found),)) if isinstance(found, bool) else found
    return all(
        isinstance(word, Word)
        and bit < len(word.bits)
        and decide_bit(word.bits[bit], state) == value
        for here, bit, value in event.bits
        if here == place
    )


def _is_in_range(one: OutputRange, outputs: Sequence[BoxedValue], state: BoxedState) -> bool:
    """Return whether a combination of outputs lies in a range; a Boolean or a word never does."""
    total = NoisySum(Fraction(0), Fraction(0))
    for place, factor in one.combination:
        value = outputs[place]
        if isinstance(value, (bool, Word)):
            return False
        total = add_scaled(total, require_sum(value), factor)
    if one.low is not None and one.low == one.high:
        return compare(add_scaled(total, require_sum(-one.low)), "==", state)
    return (
        (one.high is None or compare(add_scaled(total, require_sum(-one.high)), "<=", state))
        and (
            one.low is None
            or compare(add_scaled(require_sum(one.low), total, Fraction(-1)), "<=", state)
        )
        and not any(
            compare(add_scaled(total, require_sum(-number)), "==", state) for number in one.excluded
        )
    )
