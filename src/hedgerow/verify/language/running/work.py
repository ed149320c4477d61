"""Bounds on the size of a program's numbers, from its text and public arguments alone.

``admit`` refuses a program before it runs on data that somebody protects, if some number in it
could need more than a stated size on any data: more than ``HEIGHT`` bits in a coefficient or
denominator, ``FLOOR`` bits in noise whose floor is taken, more than ``TERMS`` terms or a degree
above ``DEGREE`` in what was drawn, or two irrational constants (``reals`` says why); or if a run
could take longer than a deadline. Otherwise a run could be made to take long, or to fail, just
where a count is so and so.

It is an abstract run. For every variable there is a ``Size`` that holds on all data: private
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
from hedgerow.verify.language.assumptions import constants
from hedgerow.verify.language.kinds import kind_of, kinds
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
    expressions,
    parts,
    replaced,
    statements,
    written,
)
from hedgerow.verify.language.running.interpreter import arithmetic, known_by
from hedgerow.verify.language.running.reals import Mixed, Real, Value, function
from hedgerow.verify.language.running.rounds import most_rounds
from hedgerow.verify.language.running.sizes import (
    DEGREE,
    DRAWN,
    FLOOR,
    HEIGHT,
    TERMS,
    Size,
    TooLarge,
    added,
    divided,
    exactly,
    floored,
    times,
    whole,
)
from hedgerow.verify.price import IRRATIONAL

__all__ = ["ROOM", "UNIT", "admit"]

UNIT: Final = 4e-5  # seconds for one operation on short numbers, on a slow machine that others keep busy
ROOM: Final = 2**31  # bytes that all numbers of a run take at most
_TOLD: Final = 14_000  # bits of a whole number that Python writes down
_STEPS: Final = 4096  # rounds that are gone through one by one
_PRIVATE: Final = 64  # bits
_DRAW: Final = 30  # what a draw takes, in operations


State: TypeAlias = dict[str, Size]
_TRUTH: Final = Size()


def admit(
    program: Program,
    public: Mapping[str, Any],
    lengths: Mapping[str, int],
    seconds: float | None = None,
    memory: int = ROOM,
) -> None:
    """Refuse a program whose numbers could become too large, one of them or all together, or whose run could take longer than so many
    seconds.

    ``lengths`` are those of the private lists, ``memory`` the bytes there are for numbers.
    """
    try:
        sizes = _Sizes(program, public, lengths)
        sizes.block(program.body)
        needed = sizes.peak + sum(sizes.held.values())
        if needed > min(memory, ROOM):
            raise Refused(
                f"{program.name} is not run: on some data its numbers could take {needed / 2**20:,.0f} MiB, and there are "
                f"{min(memory, ROOM) / 2**20:,.0f}. Keep fewer large numbers in variables."
            )
        if seconds is not None and sizes.work * UNIT > seconds:
            raise Refused(
                f"{program.name} is not run: on some data it could take {sizes.work * UNIT:,.0f} seconds, and the deadline is {seconds:g}. "
                "Bound its loops by smaller public numbers, or ask for a later deadline."
            )
    except Mixed as mixed:
        raise Refused(f"{program.name} is not run at these arguments. {mixed}") from None
    except TooLarge:
        raise Refused(f"{program.name} is not run: an argument has more than {HEIGHT:,} bits. Give shorter numbers.") from None


class _Sizes:
    def __init__(self, program: Program, public: Mapping[str, Any], lengths: Mapping[str, int]) -> None:
        self.program, self.kinds = program, kinds(program)
        self.state: State = {}
        self.lists: dict[str, tuple[int, Size]] = {}
        self.weak = False
        self.work, self.times = 0, 1  # operations on short numbers, and how often what is looked at now is done
        self.fixed, self.known = known_by(program, public), constants(program)
        self.held, self.passing, self.peak = dict[str, int](), 0, 0  # bytes of variables, and within one statement
        for one in program.parameters:
            if one.private:
                size, length = whole(_PRIVATE) if one.kind in (Kind.INT, Kind.REAL) else _TRUTH, lengths.get(one.name, 0)
            else:
                given = public[one.name] if one.list else (public[one.name],)
                sizes, length = [_TRUTH if isinstance(value, bool) else exactly(Fraction(value)) for value in given], len(given)
                size = sizes[0] if sizes else _TRUTH
                for other in sizes[1:]:
                    size = size.joined(other)
            if one.list:
                self.lists[one.name] = length, size.joined(Size(exact=None))
            else:
                self.state[one.name] = size

    def block(self, block: Block) -> None:
        for one in block:
            try:
                self.statement(one)
            except TooLarge:
                line = f"line {one.place.line}: " if one.place.line else ""
                what = "a loop makes a number grow" if isinstance(one, While) else f"a number in {written(expressions(one)[0])} may grow"
                raise Refused(
                    f"{self.program.name} is not run: {line}{what} beyond {HEIGHT:,} bits ({FLOOR:,} before the point where a floor "
                    f"is taken), {TERMS:,} draws or degree {DEGREE}, on some data. "
                    "Multiply and divide less, or bound the rounds of the loop by a smaller public number."
                ) from None

    def pay(self, size: Size, *, decided: bool = False) -> None:
        """Count what it takes to make a number of this size, or to decide something about it."""
        words = 1 + max(size.most.bit_length(), size.unit.bit_length() + size.loose.bit_length()) // 64
        each = words + words * isqrt(words) // 4  # a product takes more than its length
        terms = (1 + size.terms) * each // 16 + 1
        self.passing += size.room
        self.peak = max(self.peak, self.passing)
        self.work += self.times * (terms + (10 + 2 * terms * size.degree if decided and size.degree else 0))

    def pay_pairs(self, one: Size, other: Size) -> None:
        """Count what it takes to multiply polynomials, every term by every term."""
        if one.degree and other.degree:
            self.work += self.times * (1 + one.terms) * (1 + other.terms)

    def pay_digits(self, size: Size) -> None:
        """Count what it takes to draw the digits before the point, which a floor needs."""
        words = 1 + size.most.bit_length() // 64
        self.work += self.times * 20 * words * words * (1 + size.terms) if size.degree else 0

    def statement(self, one: Statement) -> None:
        self.work, self.passing = self.work + self.times, 0
        match one:
            case Assign():
                self.put(one.name, self.read(one.value))
            case Sample():
                self.put(one.name, self.drawn(one))
            case If():
                self.read(one.condition)
                before = dict(self.state)
                self.block(one.then)
                then, self.state = self.state, before
                self.block(one.otherwise)
                self.state = _joined(self.state, then)
            case While() if self.weak:
                self.read(one.condition)
                self.block(one.body)
            case While():
                self.loop(one)
            case Output():
                told = self.read(one.value)
                self.pay(told, decided=True)
                if told.most.bit_length() > _TOLD and kind_of(one.value, self.program, self.kinds) is not Kind.REAL:
                    raise TooLarge

    def put(self, name: str, size: Size) -> None:
        held = self.state.get(name)
        self.state[name] = held.joined(size) if self.weak and held is not None else size
        self.held[name] = max(self.held.get(name, 0), self.state[name].room)

    def loop(self, one: While) -> None:
        rounds = most_rounds(one, self.program, lambda expression: self.read(expression).exact)
        self.weak = any(isinstance(inner, While) for inner in statements(one.body))
        work, self.times = self.work, 0
        try:
            found = self.grown(one, rounds)
            self.work, self.times = work, rounds
            self.state = self.round(one, found)
        finally:
            self.weak, self.times = False, 1

    def grown(self, loop: While, rounds: int) -> State:
        """Return sizes that hold after any number of rounds."""
        now = self.state
        for _ in range(min(rounds, len(self.kinds) + 2)):
            now, before = self.round(loop, now), now
            if now == before:
                return now
        if _shape(now) == _shape(before):
            try:
                found = self.stepped(loop, now, rounds)
            except (TooLarge, Refused):
                found = None
            if found is not None:
                return found
        if rounds > _STEPS:
            raise TooLarge
        for _ in range(rounds):
            now = self.round(loop, now)
        return now

    def stepped(self, loop: While, start: State, rounds: int) -> State | None:
        """Return sizes that hold for so many rounds, if every round adds at most the same."""
        steps = dict.fromkeys(start, (0, 0))
        far = start
        for _ in range(len(start) + 2):
            for at in (start, far):
                after = self.round(loop, at)
                if _shape(after) != _shape(start):
                    return None
                more = {name: (size.most - at[name].most, size.terms - at[name].terms) for name, size in after.items()}
                enough = all(more[name][0] <= steps[name][0] and more[name][1] <= steps[name][1] for name in start)
                steps = {name: (max(steps[name][0], more[name][0]), max(steps[name][1], more[name][1])) for name in start}
            if enough and far is not start:
                return _moved(start, steps, rounds + 1)
            far = _moved(start, steps, rounds)
        return None

    def round(self, loop: While, state: State) -> State:
        """Return what was there, joined with what one round makes of it."""
        self.state = dict(state)
        self.read(loop.condition)
        self.block(loop.body)
        return _joined(self.state, state)

    def drawn(self, sample: Sample) -> Size:
        self.work += _DRAW * self.times
        if sample.site in self.fixed:  # every root, power or logarithm in it is enclosed anew for every draw
            chosen = parts(replaced(sample.parameters[0], self.known))
            self.work += _DRAW * self.times * sum(isinstance(one, Apply) and one.operator in IRRATIONAL for one in chosen)
        if sample.noise is Noise.BERNOULLI:
            if sample.site not in self.fixed:
                self.compared(self.read(sample.parameters[0]), Size(terms=1, degree=1))
            return _TRUTH
        if sample.site in self.fixed:
            return Size(max(1, ceil(self.fixed[sample.site](DRAWN)[1])), terms=1, degree=1).checked()
        sizes = [self.read(one) for one in sample.parameters]
        if sample.noise is Noise.BITS:
            return self.width(sizes[0].exact)
        if sample.noise is Noise.UNIFORM:
            width = added(*sizes)
            return added(sizes[0], times(width, Size(terms=1, degree=1))).checked()
        (scale,) = sizes
        if sample.noise is Noise.GEOMETRIC:
            self.sampled(scale.exact)
            return Size(scale.most << DRAWN).checked()
        return times(scale, Size(terms=1, degree=1)).checked()

    def width(self, width: Value | None) -> Size:
        """Return the size of so many bits; a width that is none would fail where data decide whether it is reached."""
        assert isinstance(width, Fraction)  # widths are made of public parameters
        if width < 1:
            raise Refused(
                f"{self.program.name} is not run: a bit string is as wide as a number below 1. "
                "Give arguments at which every width is at least 1."
            )
        return whole(min(int(width), HEIGHT + 1))

    def sampled(self, scale: Value | None) -> None:
        """Refuse a scale that whole noise is not drawn with: that would fail where data decide whether it is reached."""
        try:
            if not isinstance(scale, Fraction):
                raise Refused("the scale of geometric noise must be a rational number that public arguments fix.")
            discrete_laplace(scale, 1)
        except (Refused, InvalidArgument) as problem:
            raise Refused(f"{self.program.name} fails at these arguments, whatever the data are: {problem}") from None

    def compared(self, one: Size, other: Size) -> None:
        """Check the difference that a comparison is decided by."""
        self.pay(self.arithmetic("-", one, other), decided=True)

    def read(self, expression: Expression) -> Size:
        match expression:
            case Number():
                return exactly(expression.value)
            case Truth():
                return _TRUTH
            case Name():
                return self.state[expression.name]
            case Length():
                return exactly(Fraction(self.lists[expression.list][0]))
            case Read():
                self.read(expression.index)
                return self.lists[expression.list][1]
            case Apply():
                return self.applied(expression)

    def applied(self, expression: Apply) -> Size:
        operator, sizes = expression.operator, [self.read(one) for one in expression.arguments]
        one, other = sizes[0], sizes[-1]
        match operator:
            case "and" | "or" | "not" | "bit":
                return _TRUTH
            case "==" | "!=" | "<" | "<=":
                if kind_of(expression.arguments[0], self.program, self.kinds) in (Kind.INT, Kind.REAL):
                    self.compared(one, other)
                return _TRUTH
            case "if":
                return sizes[1].joined(other)
            case "xor" | "bits+" | "bits&" | "bits|" | "bits~":
                return one.joined(other)
            case "concat":
                return Size(one.most * other.most).checked()
        return self.arithmetic(operator, one, other)

    def arithmetic(self, operator: str, one: Size, other: Size) -> Size:
        match operator:
            case "+" | "-":
                found = added(one, other)
            case "*":
                found = times(one, other)
                self.pay_pairs(one, other)
            case "/":
                found = divided(one, other)
            case "negate" | "abs":
                found = one
            case "min" | "max":
                added(one, other).checked()
                found = one.joined(other)
            case "floor":
                self.pay_digits(one)
                found = floored(one)
            case "%":
                self.pay_digits(divided(one, other))
                whole = floored(divided(one, other).checked()).checked()
                found = added(one, times(whole, other).checked())
            case _ if one.exact is not None:
                return exactly(self.function(operator, one.exact))
            case _:
                raise Refused(
                    f"{self.program.name} is not run: {operator} is taken of a number that a choice decides. Choose between its values."
                )
        self.pay(found.checked(), decided=operator in ("min", "max", "abs", "floor", "%"))
        if one.exact is None or other.exact is None:
            return replace(found, exact=None)
        exact = arithmetic(operator, [one.exact, other.exact])
        assert isinstance(exact, Fraction | Real)
        return exactly(exact)

    def function(self, word: str, argument: Value) -> Value:
        try:
            return function(word, argument)
        except Mixed:
            raise
        except Refused as problem:
            raise Refused(f"{self.program.name} fails at these arguments, whatever the data are: {problem}") from None


def _joined(one: State, other: State) -> State:
    """Return what holds either way; a variable that only one of them has is not read where they meet."""
    found = {name: size.joined(other[name]) if name in other else size for name, size in one.items()}
    return found | {name: size for name, size in other.items() if name not in found}


def _shape(state: State) -> dict[str, tuple[object, ...]]:
    return {name: size.shape for name, size in state.items()}


def _moved(start: State, steps: Mapping[str, tuple[int, int]], count: int) -> State:
    """Return the state after so many steps."""
    found = {}
    for name, size in start.items():
        most, terms = steps[name]
        found[name] = replace(size, most=size.most + count * most, terms=size.terms + count * terms).checked()
    return found
