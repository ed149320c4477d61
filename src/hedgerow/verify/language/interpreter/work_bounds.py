"""Bounds on the size of a program's numbers, from its text and public arguments alone.

``check_resources`` refuses a program before it runs on protected data if, on some data, a number in
it could exceed a limit: ``MAX_BITS`` bits in a coefficient or denominator, ``MAX_FLOOR_BITS`` bits
in noise whose floor is taken, ``MAX_TERMS`` terms or degree ``MAX_DEGREE`` in the draws, or two
irrational constants (``lazy_reals`` explains why); or if a run could exceed a deadline. Otherwise
an analyst could make a run slow, or fail, exactly for certain data.

The analysis is an abstract run. Each variable has a ``SizeBound`` that holds on all data: private
numbers have at most 64 bits, a draw is below 2^64 (the exception has probability e^(-2^64)), and
both sides of a branch are analysed and joined.

| symbol | meaning |
|---|---|
| R | the maximum number of rounds of a loop |
| F | the sizes after one round, joined with those before it |
| s | the sizes before the loop |
| d | the steps by which sizes grow in each round |

A loop is not unrolled R times. Let d be such that F(s) <= s + d and F(s + R d) <= s + (R + 1) d.
Then F(s + k d) <= s + (k + 1) d for all k up to R: sizes are computed by sums, products and maxima
of sizes, which are convex along a line of nonnegative numbers, so that their excess over a line is
largest at an end. By induction, sizes stay below s + (R + 1) d. The search for d starts with F(s) -
s and adds what is missing. If no d is found, because a size doubles or denominators accumulate, the
loop is unrolled if it has few rounds. In a loop that contains loops, an assignment only ever
enlarges the size of a variable, so that one round of everything in it covers a round of any inner
loop.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any, Final

from hedgerow.errors import Refused
from hedgerow.verify.language.interpreter.expression_sizes import ExpressionSizes, SizeState
from hedgerow.verify.language.interpreter.lazy_reals import (
    MixedConstants,
)
from hedgerow.verify.language.interpreter.loop_bounds import bound_rounds
from hedgerow.verify.language.interpreter.number_sizes import (
    MAX_BITS,
    MAX_DEGREE,
    MAX_FLOOR_BITS,
    MAX_TERMS,
    SizeBound,
    TooLarge,
)
from hedgerow.verify.language.program import (
    Assign,
    Block,
    If,
    Kind,
    Output,
    Program,
    Sample,
    Statement,
    While,
    format_expression,
    list_expressions,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind

__all__ = ["MAX_MEMORY", "SECONDS_PER_OPERATION", "check_resources"]

# for one operation on short numbers, on a slow and busy machine
SECONDS_PER_OPERATION: Final = 4e-5
MAX_MEMORY: Final = 2**31  # bytes for all numbers of a run
_MAX_OUTPUT_BITS: Final = 14_000  # Python refuses to print longer integers
_MAX_UNROLLED_ROUNDS: Final = 4096


def check_resources(
    program: Program,
    public: Mapping[str, Any],
    lengths: Mapping[str, int],
    seconds: float | None = None,
    memory: int = MAX_MEMORY,
) -> None:
    """Refuse a program whose numbers could become too large, alone or together, or whose run could
    exceed ``seconds``.

    ``lengths`` are those of the private lists; ``memory`` is the number of bytes available for
    numbers.
    """
    try:
        sizes = _SizeAnalysis(program, public, lengths)
        sizes.analyse_block(program.body)
        needed = sizes.peak_bytes + sum(sizes.variable_bytes.values())
        if needed > min(memory, MAX_MEMORY):
            raise Refused(
                f"{program.name} is not run: on some data its numbers could take"
                f" {needed / 2**20:,.0f} MiB, above the limit of"
                f" {min(memory, MAX_MEMORY) / 2**20:,.0f} MiB. Keep fewer large numbers in"
                " variables."
            )
        if seconds is not None and sizes.operations * SECONDS_PER_OPERATION > seconds:
            raise Refused(
                f"{program.name} is not run: on some data it could take"
                f" {sizes.operations * SECONDS_PER_OPERATION:,.0f} seconds, above the deadline of"
                f" {seconds:g} seconds. Bound its loops by smaller public numbers, or set a later"
                " deadline."
            )
    except MixedConstants as mixed:
        raise Refused(f"{program.name} is not run at these arguments. {mixed}") from None
    except TooLarge:
        raise Refused(
            f"{program.name} is not run: an argument has more than {MAX_BITS:,} bits. Pass shorter"
            " numbers."
        ) from None


class _SizeAnalysis(ExpressionSizes):
    def analyse_block(self, block: Block) -> None:
        for one in block:
            try:
                self.analyse_statement(one)
            except TooLarge:
                line = f"line {one.place.line}: " if one.place.line else ""
                is_loop = isinstance(one, While)
                part = "this loop" if is_loop else format_expression(list_expressions(one)[0])
                raise Refused(
                    f"{self.program.name} is not run: {line}on some data, a number in {part} could"
                    f" exceed {MAX_BITS:,} bits ({MAX_FLOOR_BITS:,} before the point if its floor"
                    f" is taken), {MAX_TERMS:,} draws or degree {MAX_DEGREE}. Multiply and divide"
                    " less, or bound the rounds of the loop by a smaller public number."
                ) from None

    def analyse_statement(self, one: Statement) -> None:
        self.operations, self.statement_bytes = self.operations + self.repetitions, 0
        match one:
            case Assign():
                self.assign(one.name, self.bound_expression(one.value))
            case Sample():
                self.assign(one.name, self.bound_draw(one))
            case If():
                self.bound_expression(one.condition)
                before = dict(self.state)
                self.analyse_block(one.then)
                then, self.state = self.state, before
                self.analyse_block(one.otherwise)
                self.state = _join_states(self.state, then)
            case While() if self.keeps_old_sizes:
                self.bound_expression(one.condition)
                self.analyse_block(one.body)
            case While():
                self.analyse_loop(one)
            case Output():
                size = self.bound_expression(one.value)
                self.count_work(size, decided=True)
                if (
                    size.max_coefficient.bit_length() > _MAX_OUTPUT_BITS
                    and infer_kind(one.value, self.program, self.kinds) is not Kind.REAL
                ):
                    raise TooLarge

    def assign(self, name: str, size: SizeBound) -> None:
        held = self.state.get(name)
        self.state[name] = held.join(size) if self.keeps_old_sizes and held is not None else size
        self.variable_bytes[name] = max(
            self.variable_bytes.get(name, 0), self.state[name].byte_size
        )

    def analyse_loop(self, one: While) -> None:
        rounds = bound_rounds(
            one, self.program, lambda expression: self.bound_expression(expression).exact
        )
        self.keeps_old_sizes = any(isinstance(inner, While) for inner in walk_statements(one.body))
        work, self.repetitions = self.operations, 0
        try:
            found = self.bound_loop(one, rounds)
            self.operations, self.repetitions = work, rounds
            self.state = self.analyse_round(one, found)
        finally:
            self.keeps_old_sizes, self.repetitions = False, 1

    def bound_loop(self, loop: While, rounds: int) -> SizeState:
        """Return sizes that hold after any number of rounds."""
        now = self.state
        for _ in range(min(rounds, len(self.kinds) + 2)):
            now, before = self.analyse_round(loop, now), now
            if now == before:
                return now
        if _collect_shapes(now) == _collect_shapes(before):
            try:
                found = self.bound_linear_growth(loop, now, rounds)
            except (TooLarge, Refused):
                found = None
            if found is not None:
                return found
        if rounds > _MAX_UNROLLED_ROUNDS:
            raise TooLarge
        for _ in range(rounds):
            now = self.analyse_round(loop, now)
        return now

    def bound_linear_growth(self, loop: While, start: SizeState, rounds: int) -> SizeState | None:
        """Return sizes that hold for this many rounds if each round adds at most the same amount;
        otherwise None.
        """
        steps = dict.fromkeys(start, (0, 0))
        far = start
        for _ in range(len(start) + 2):
            for at in (start, far):
                after = self.analyse_round(loop, at)
                if _collect_shapes(after) != _collect_shapes(start):
                    return None
                more = {
                    name: (
                        size.max_coefficient - at[name].max_coefficient,
                        size.terms - at[name].terms,
                    )
                    for name, size in after.items()
                }
                enough = all(
                    more[name][0] <= steps[name][0] and more[name][1] <= steps[name][1]
                    for name in start
                )
                steps = {
                    name: (max(steps[name][0], more[name][0]), max(steps[name][1], more[name][1]))
                    for name in start
                }
            if enough and far is not start:
                return _advance_state(start, steps, rounds + 1)
            far = _advance_state(start, steps, rounds)
        return None

    def analyse_round(self, loop: While, state: SizeState) -> SizeState:
        """Return the state joined with the state after one round."""
        self.state = dict(state)
        self.bound_expression(loop.condition)
        self.analyse_block(loop.body)
        return _join_states(self.state, state)


def _join_states(left: SizeState, right: SizeState) -> SizeState:
    """Return sizes that hold in both states; a variable that only one of them has is not read after
    the join.
    """
    common = left.keys() & right.keys()
    return left | right | {name: left[name].join(right[name]) for name in common}


def _collect_shapes(state: SizeState) -> dict[str, tuple[object, ...]]:
    return {name: size.shape for name, size in state.items()}


def _advance_state(start: SizeState, steps: Mapping[str, tuple[int, int]], count: int) -> SizeState:
    found = {}
    for name, size in start.items():
        most, terms = steps[name]
        found[name] = replace(
            size,
            max_coefficient=size.max_coefficient + count * most,
            terms=size.terms + count * terms,
        ).check()
    return found
