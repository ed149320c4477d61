"""Bounds on the size of a program's numbers, from its text and public arguments alone.

``check_resources`` refuses a program before it runs on data that somebody protects, if some number
in it could need more than a stated size on any data: more than ``MAX_BITS`` bits in a coefficient
or denominator, ``MAX_FLOOR_BITS`` bits in noise whose floor is taken, more than ``MAX_TERMS`` terms
or a degree above ``MAX_DEGREE`` in what was drawn, or two irrational constants (``reals`` says
why); or if a run could take longer than a deadline. Otherwise a run could be made to take long, or
to fail, just where a count is so and so.

It is an abstract run. For every variable there is a ``SizeBound`` that holds on all data: private
numbers are of at most 64 bits, a draw is below 2^64 (it is not once in e^(2^64)), both ways of a
branch are taken and joined. A loop of at most R rounds is not gone through R times. Let F be one
round, joined with what was there before it. If sizes are s, with steps d such that F(s) <= s + d
and F(s + R d) <= s + (R + 1) d, then F(s + k d) <= s + (k + 1) d for all k up to R: sizes are made
by sums, products and maxima of sizes, which are convex along a line of numbers that are not
negative, so their excess over a line is largest at an end. By induction, sizes stay below s + (R +
1) d. Steps are looked for by starting with F(s) - s and adding what is missing. Where none are
found, since something doubles or denominators pile up, all rounds are gone through, if that is few
enough. In a loop with loops inside, an assignment only ever adds to what a variable can be, so that
one round of everything in it covers a round of any of its loops.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from math import ceil, isqrt
from typing import Any, Final, TypeAlias

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.samplers import discrete_laplace
from hedgerow.verify.language.assumptions import find_constants
from hedgerow.verify.language.claim_bounds import IRRATIONAL
from hedgerow.verify.language.interpreter.interpreter import (
    apply_arithmetic,
    enclose_irrational_parameters,
)
from hedgerow.verify.language.interpreter.lazy_reals import (
    LazyNumber,
    LazyReal,
    MixedConstants,
    apply_function,
)
from hedgerow.verify.language.interpreter.loop_bounds import bound_rounds
from hedgerow.verify.language.interpreter.number_sizes import (
    DRAW_BITS,
    MAX_BITS,
    MAX_DEGREE,
    MAX_FLOOR_BITS,
    MAX_TERMS,
    SizeBound,
    TooLarge,
    bound_floor,
    bound_integer,
    bound_product,
    bound_quotient,
    bound_sum,
    measure_exact,
)
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Block,
    Expression,
    If,
    Kind,
    Length,
    Name,
    Noise,
    Number,
    Output,
    Program,
    Read,
    Sample,
    Statement,
    Truth,
    While,
    format_expression,
    list_expressions,
    substitute,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds

__all__ = ["MAX_MEMORY", "SECONDS_PER_OPERATION", "check_resources"]

# seconds for one operation on short numbers, on a slow machine that others keep busy
SECONDS_PER_OPERATION: Final = 4e-5
MAX_MEMORY: Final = 2**31  # bytes that all numbers of a run take at most
_MAX_OUTPUT_BITS: Final = 14_000  # bits of a whole number that Python writes down
_MAX_UNROLLED_ROUNDS: Final = 4096  # rounds that are gone through one by one
_PRIVATE_BITS: Final = 64  # bits
_DRAW_OPERATIONS: Final = 30  # what a draw takes, in operations


SizeState: TypeAlias = dict[str, SizeBound]
_BOOLEAN_SIZE: Final = SizeBound()


def check_resources(
    program: Program,
    public: Mapping[str, Any],
    lengths: Mapping[str, int],
    seconds: float | None = None,
    memory: int = MAX_MEMORY,
) -> None:
    """Refuse a program whose numbers could become too large, one of them or all together, or whose
    run could take longer than so many seconds.

    ``lengths`` are those of the private lists, ``memory`` the bytes there are for numbers.
    """
    try:
        sizes = _SizeAnalysis(program, public, lengths)
        sizes.analyse_block(program.body)
        needed = sizes.peak_bytes + sum(sizes.variable_bytes.values())
        if needed > min(memory, MAX_MEMORY):
            raise Refused(
                f"{program.name} is not run: on some data its numbers could take"
                f" {needed / 2**20:,.0f} MiB, and there are {min(memory, MAX_MEMORY) / 2**20:,.0f}."
                " Keep fewer large numbers in variables."
            )
        if seconds is not None and sizes.operations * SECONDS_PER_OPERATION > seconds:
            raise Refused(
                f"{program.name} is not run: on some data it could take"
                f" {sizes.operations * SECONDS_PER_OPERATION:,.0f} seconds, and the deadline is"
                f" {seconds:g}. Bound its loops by smaller public numbers, or ask for a later"
                " deadline."
            )
    except MixedConstants as mixed:
        raise Refused(f"{program.name} is not run at these arguments. {mixed}") from None
    except TooLarge:
        raise Refused(
            f"{program.name} is not run: an argument has more than {MAX_BITS:,} bits. Give shorter"
            " numbers."
        ) from None


class _SizeAnalysis:
    def __init__(
        self, program: Program, public: Mapping[str, Any], lengths: Mapping[str, int]
    ) -> None:
        self.program, self.kinds = program, infer_kinds(program)
        self.state: SizeState = {}
        self.lists: dict[str, tuple[int, SizeBound]] = {}
        self.keeps_old_sizes = False
        # operations on short numbers, and how often what is looked at now is done
        self.operations, self.repetitions = 0, 1
        self.enclosures, self.constants = (
            enclose_irrational_parameters(program, public),
            find_constants(program),
        )
        # bytes of variables, and within one statement
        self.variable_bytes, self.statement_bytes, self.peak_bytes = dict[str, int](), 0, 0
        for one in program.parameters:
            if one.private:
                size, length = (
                    (
                        bound_integer(_PRIVATE_BITS)
                        if one.kind in (Kind.INT, Kind.REAL)
                        else _BOOLEAN_SIZE
                    ),
                    lengths.get(one.name, 0),
                )
            else:
                given = public[one.name] if one.list else (public[one.name],)
                sizes, length = (
                    [
                        _BOOLEAN_SIZE if isinstance(value, bool) else measure_exact(Fraction(value))
                        for value in given
                    ],
                    len(given),
                )
                size = sizes[0] if sizes else _BOOLEAN_SIZE
                for other in sizes[1:]:
                    size = size.join(other)
            if one.list:
                self.lists[one.name] = length, size.join(SizeBound(exact=None))
            else:
                self.state[one.name] = size

    def analyse_block(self, block: Block) -> None:
        for one in block:
            try:
                self.analyse_statement(one)
            except TooLarge:
                line = f"line {one.place.line}: " if one.place.line else ""
                what = (
                    "a loop makes a number grow"
                    if isinstance(one, While)
                    else f"a number in {format_expression(list_expressions(one)[0])} may grow"
                )
                raise Refused(
                    f"{self.program.name} is not run: {line}{what} beyond {MAX_BITS:,} bits"
                    f" ({MAX_FLOOR_BITS:,} before the point where a floor is taken), {MAX_TERMS:,}"
                    f" draws or degree {MAX_DEGREE}, on some data. Multiply and divide less, or"
                    " bound the rounds of the loop by a smaller public number."
                ) from None

    def count_work(self, size: SizeBound, *, decided: bool = False) -> None:
        """Count what it takes to make a number of this size, or to decide something about it."""
        words = (
            1
            + max(
                size.max_coefficient.bit_length(),
                size.denominator.bit_length() + size.extra_denominator.bit_length(),
            )
            // 64
        )
        each = words + words * isqrt(words) // 4  # a product takes more than its length
        terms = (1 + size.terms) * each // 16 + 1
        self.statement_bytes += size.byte_size
        self.peak_bytes = max(self.peak_bytes, self.statement_bytes)
        self.operations += self.repetitions * (
            terms + (10 + 2 * terms * size.degree if decided and size.degree else 0)
        )

    def count_product_work(self, one: SizeBound, other: SizeBound) -> None:
        """Count what it takes to multiply polynomials, every term by every term."""
        if one.degree and other.degree:
            self.operations += self.repetitions * (1 + one.terms) * (1 + other.terms)

    def count_digit_work(self, size: SizeBound) -> None:
        """Count what it takes to draw the digits before the point, which a floor needs."""
        words = 1 + size.max_coefficient.bit_length() // 64
        self.operations += (
            self.repetitions * 20 * words * words * (1 + size.terms) if size.degree else 0
        )

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
                told = self.bound_expression(one.value)
                self.count_work(told, decided=True)
                if (
                    told.max_coefficient.bit_length() > _MAX_OUTPUT_BITS
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
        """Return sizes that hold for so many rounds, if every round adds at most the same."""
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
        """Return what was there, joined with what one round makes of it."""
        self.state = dict(state)
        self.bound_expression(loop.condition)
        self.analyse_block(loop.body)
        return _join_states(self.state, state)

    def bound_draw(self, sample: Sample) -> SizeBound:
        self.operations += _DRAW_OPERATIONS * self.repetitions
        # every root, power or logarithm in it is enclosed anew for every draw
        if sample.site in self.enclosures:
            chosen = walk_expression(substitute(sample.parameters[0], self.constants))
            self.operations += (
                _DRAW_OPERATIONS
                * self.repetitions
                * sum(isinstance(one, Apply) and one.operator in IRRATIONAL for one in chosen)
            )
        if sample.noise is Noise.BERNOULLI:
            if sample.site not in self.enclosures:
                self.count_comparison_work(
                    self.bound_expression(sample.parameters[0]), SizeBound(terms=1, degree=1)
                )
            return _BOOLEAN_SIZE
        if sample.site in self.enclosures:
            return SizeBound(
                max(1, ceil(self.enclosures[sample.site](DRAW_BITS)[1])), terms=1, degree=1
            ).check()
        sizes = [self.bound_expression(one) for one in sample.parameters]
        if sample.noise is Noise.BITS:
            return self.bound_width(sizes[0].exact)
        if sample.noise is Noise.UNIFORM:
            width = bound_sum(*sizes)
            return bound_sum(sizes[0], bound_product(width, SizeBound(terms=1, degree=1))).check()
        (scale,) = sizes
        if sample.noise is Noise.GEOMETRIC:
            self.check_geometric_scale(scale.exact)
            return SizeBound(scale.max_coefficient << DRAW_BITS).check()
        return bound_product(scale, SizeBound(terms=1, degree=1)).check()

    def bound_width(self, width: LazyNumber | None) -> SizeBound:
        """Return the size of so many bits; a width that is none would fail where data decide
        whether it is reached.
        """
        assert isinstance(width, Fraction)  # widths are made of public parameters
        if width < 1:
            raise Refused(
                f"{self.program.name} is not run: a bit string is as wide as a number below 1. "
                "Give arguments at which every width is at least 1."
            )
        return bound_integer(min(int(width), MAX_BITS + 1))

    def check_geometric_scale(self, scale: LazyNumber | None) -> None:
        """Refuse a scale that whole noise is not drawn with: that would fail where data decide
        whether it is reached.
        """
        try:
            if not isinstance(scale, Fraction):
                raise Refused(
                    "the scale of geometric noise must be a rational number that public arguments"
                    " fix."
                )
            discrete_laplace(scale, 1)
        except (Refused, InvalidArgument) as problem:
            raise Refused(
                f"{self.program.name} fails at these arguments, whatever the data are: {problem}"
            ) from None

    def count_comparison_work(self, one: SizeBound, other: SizeBound) -> None:
        """Check the difference that a comparison is decided by."""
        self.count_work(self.bound_arithmetic("-", one, other), decided=True)

    def bound_expression(self, expression: Expression) -> SizeBound:
        match expression:
            case Number():
                return measure_exact(expression.value)
            case Truth():
                return _BOOLEAN_SIZE
            case Name():
                return self.state[expression.name]
            case Length():
                return measure_exact(Fraction(self.lists[expression.list][0]))
            case Read():
                self.bound_expression(expression.index)
                return self.lists[expression.list][1]
            case Apply():
                return self.bound_application(expression)

    def bound_application(self, expression: Apply) -> SizeBound:
        operator, sizes = (
            expression.operator,
            [self.bound_expression(one) for one in expression.arguments],
        )
        one, other = sizes[0], sizes[-1]
        match operator:
            case "and" | "or" | "not" | "bit":
                return _BOOLEAN_SIZE
            case "==" | "!=" | "<" | "<=":
                if infer_kind(expression.arguments[0], self.program, self.kinds) in (
                    Kind.INT,
                    Kind.REAL,
                ):
                    self.count_comparison_work(one, other)
                return _BOOLEAN_SIZE
            case "if":
                return sizes[1].join(other)
            case "xor" | "bits+" | "bits&" | "bits|" | "bits~":
                return one.join(other)
            case "concat":
                return SizeBound(one.max_coefficient * other.max_coefficient).check()
        return self.bound_arithmetic(operator, one, other)

    def bound_arithmetic(self, operator: str, one: SizeBound, other: SizeBound) -> SizeBound:
        match operator:
            case "+" | "-":
                found = bound_sum(one, other)
            case "*":
                found = bound_product(one, other)
                self.count_product_work(one, other)
            case "/":
                found = bound_quotient(one, other)
            case "negate" | "abs":
                found = one
            case "min" | "max":
                bound_sum(one, other).check()
                found = one.join(other)
            case "floor":
                self.count_digit_work(one)
                found = bound_floor(one)
            case "%":
                self.count_digit_work(bound_quotient(one, other))
                whole = bound_floor(bound_quotient(one, other).check()).check()
                found = bound_sum(one, bound_product(whole, other).check())
            case _ if one.exact is not None:
                return measure_exact(self.evaluate_function(operator, one.exact))
            case _:
                raise Refused(
                    f"{self.program.name} is not run: {operator} is taken of a number that a choice"
                    " decides. Choose between its values."
                )
        self.count_work(found.check(), decided=operator in ("min", "max", "abs", "floor", "%"))
        if one.exact is None or other.exact is None:
            return replace(found, exact=None)
        exact = apply_arithmetic(operator, [one.exact, other.exact])
        assert isinstance(exact, Fraction | LazyReal)
        return measure_exact(exact)

    def evaluate_function(self, word: str, argument: LazyNumber) -> LazyNumber:
        try:
            return apply_function(word, argument)
        except MixedConstants:
            raise
        except Refused as problem:
            raise Refused(
                f"{self.program.name} fails at these arguments, whatever the data are: {problem}"
            ) from None


def _join_states(one: SizeState, other: SizeState) -> SizeState:
    """Return what holds either way; a variable that only one of them has is not read where they
    meet.
    """
    found = {name: size.join(other[name]) if name in other else size for name, size in one.items()}
    return found | {name: size for name, size in other.items() if name not in found}


def _collect_shapes(state: SizeState) -> dict[str, tuple[object, ...]]:
    return {name: size.shape for name, size in state.items()}


def _advance_state(start: SizeState, steps: Mapping[str, tuple[int, int]], count: int) -> SizeState:
    """Return the state after so many steps."""
    found = {}
    for name, size in start.items():
        most, terms = steps[name]
        found[name] = replace(
            size,
            max_coefficient=size.max_coefficient + count * most,
            terms=size.terms + count * terms,
        ).check()
    return found
