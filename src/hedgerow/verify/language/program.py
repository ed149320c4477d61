"""The abstract syntax of a probabilistic program: the front ends produce it; the prover, the
checker, the refuter and the interpreter read it.

A program has private and public parameters and a body of five kinds of statement. The front ends
rewrite everything else they accept (``for``, ``break``, early ``return``, noise inside an
expression, a list that is built up and returned) into these five, so that no later stage has to
handle more. Numbers are reals; ``int`` marks a value as whole.

    statement  ::=  Assign | Sample | If | While | Output
    expression ::=  Number | Truth | Name | Read | Length | Apply

The output of a run is the sequence of values of its ``Output`` statements, in order. An adversary
sees the whole sequence and where it ends. A program that does not end gives no answer; a proof
states the condition under which the program ends.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.errors import InvalidArgument


class Kind(StrEnum):
    """The type of a value. A list is always a parameter and is read-only."""

    INT = "int"
    REAL = "real"
    BOOL = "bool"
    BITS = "bits"


@dataclass(frozen=True, slots=True)
class Place:
    """A position in the source, for messages only."""

    line: int
    column: int = 0


NOWHERE: Final = Place(0)


@dataclass(frozen=True, slots=True)
class Number:
    value: Fraction
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Truth:
    value: bool
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Name:
    name: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Read:
    """A list entry, ``list[index]``; the index is in range by assumption."""

    list: str
    index: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Length:
    """The number of entries of a list."""

    list: str
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Apply:
    """An operator of ``ARITY`` on expressions."""

    operator: str
    arguments: tuple[Expression, ...]
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __post_init__(self) -> None:
        if ARITY.get(self.operator) != len(self.arguments):
            raise InvalidArgument(
                "operator",
                f"must be one of {', '.join(ARITY)}, with the number of arguments it takes",
                self.operator,
            )


Expression: TypeAlias = Number | Truth | Name | Read | Length | Apply

# a > b and a >= b are stored as b < a and b <= a. ``if`` is a conditional expression. ln, exp, sqrt
# and floor apply to public values only.
ARITY: Final[dict[str, int]] = (
    dict.fromkeys(("negate", "abs", "not", "bits~", "ln", "exp", "sqrt", "floor"), 1)
    | dict.fromkeys(("+", "-", "*", "/", "%", "min", "max", "<", "<=", "==", "!=", "and", "or"), 2)
    | dict.fromkeys(("xor", "bits+", "bits&", "bits|", "concat", "bit"), 2)
    | {"if": 3}
)


class Noise(StrEnum):
    """A distribution that a program can draw from, with its parameters.

    LAPLACE, GEOMETRIC (two-sided, on the integers, P(k) proportional to e^(-|k|/scale)) and
    EXPONENTIAL (on [0, inf)) take a scale. GAUSSIAN takes a standard deviation, UNIFORM a low and a
    high end, BERNOULLI the probability of True, and BITS the number of fair bits.
    """

    LAPLACE = "laplace"
    GEOMETRIC = "geometric"
    EXPONENTIAL = "exponential"
    GAUSSIAN = "gaussian"
    UNIFORM = "uniform"
    BERNOULLI = "bernoulli"
    BITS = "bits"


NOISE_PARAMETER_COUNTS: Final[dict[Noise, int]] = {
    noise: 2 if noise is Noise.UNIFORM else 1 for noise in Noise
}
NOISE_KINDS: Final[dict[Noise, Kind]] = {
    Noise.LAPLACE: Kind.REAL,
    Noise.GEOMETRIC: Kind.INT,
    Noise.EXPONENTIAL: Kind.REAL,
    Noise.GAUSSIAN: Kind.REAL,
    Noise.UNIFORM: Kind.REAL,
    Noise.BERNOULLI: Kind.BOOL,
    Noise.BITS: Kind.BITS,
}


@dataclass(frozen=True, slots=True)
class Assign:
    name: str
    value: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Sample:
    """A statement that sets ``name`` to a fresh draw. ``site`` numbers the sampling statements of a
    program from 0; a loop can execute the same site several times.
    """

    name: str
    noise: Noise
    parameters: tuple[Expression, ...]
    site: int
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def __post_init__(self) -> None:
        if len(self.parameters) != NOISE_PARAMETER_COUNTS[self.noise]:
            raise InvalidArgument(
                "noise",
                f"{self.noise} must have {NOISE_PARAMETER_COUNTS[self.noise]} parameters",
                len(self.parameters),
            )


@dataclass(frozen=True, slots=True)
class If:
    condition: Expression
    then: Block
    otherwise: Block
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class While:
    condition: Expression
    body: Block
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Output:
    value: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


Statement: TypeAlias = Assign | Sample | If | While | Output
Block: TypeAlias = tuple[Statement, ...]


@dataclass(frozen=True, slots=True)
class Parameter:
    """An input. ``width`` is the number of bits of a BITS value, an expression over public
    parameters.
    """

    name: str
    kind: Kind
    private: bool
    list: bool = False
    width: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


class Relation(StrEnum):
    """A neighbouring relation between two inputs. Public parameters are always equal.

    ONE: one private number (an entry of a list, or a scalar) differs by at most 1. ALL: every entry
    of every list and every scalar may differ by at most 1. INCREASING, DECREASING: like ALL, and
    never smaller / never larger in the second run. ROW: one list has one more entry, at any index.
    L1: the absolute differences of all entries add up to at most ``k``. GROUP: at most ``k``
    entries differ, each by at most 1. SECRET: private data differ in any way (perfect secrecy,
    non-interference). JUDGEMENT: private numbers are related as a judgement's precondition states;
    no program can claim this itself.

    A flipped Boolean has moved by 1; bit strings are allowed under SECRET and ROW. Every relation
    is symmetric except INCREASING, DECREASING and JUDGEMENT, where proofs and refutations consider
    only the stated direction.
    """

    ONE = "one"
    ALL = "all"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    ROW = "row"
    L1 = "l1"
    GROUP = "group"
    SECRET = "secret"
    JUDGEMENT = "judgement"


@dataclass(frozen=True, slots=True)
class Neighbours:
    """A relation with its parameters. Under JUDGEMENT ``before`` relates the inputs and ``after``
    the results (None if these are equal), over x<1> and x<2>, and x for public x.
    """

    relation: Relation
    k: int = 1
    before: Expression | None = None
    after: Expression | None = None

    def __post_init__(self) -> None:
        if (self.before is None) is (self.relation is Relation.JUDGEMENT):
            raise InvalidArgument(
                "neighbours", "must have a precondition if they are those of a judgement"
            )
        if self.k < 1 or (self.k != 1 and self.relation not in (Relation.L1, Relation.GROUP)):
            raise InvalidArgument(
                "neighbours",
                'must be the name of a relation, or ("l1", k) or ("group", k) with k at least 1',
                (str(self.relation), self.k),
            )


@dataclass(frozen=True, slots=True)
class Claim:
    """The privacy loss that the author claims, in terms of public parameters. No delta means delta
    0.
    """

    epsilon: Expression
    neighbours: Neighbours
    delta: Expression | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """A program with its claim. ``source`` is the text it was read from; a certificate names the
    hash of that text.
    """

    name: str
    parameters: tuple[Parameter, ...]
    body: Block
    claim: Claim
    source: str = field(default="", compare=False, repr=False)
    place: Place = field(default=NOWHERE, compare=False, repr=False)

    def find_parameter(self, name: str) -> Parameter | None:
        return next((one for one in self.parameters if one.name == name), None)

    @property
    def samples(self) -> tuple[Sample, ...]:
        """The sampling statements, ordered by site."""
        return tuple(
            sorted(
                (one for one in walk_statements(self.body) if isinstance(one, Sample)),
                key=lambda one: one.site,
            )
        )


def walk_statements(block: Block) -> Iterator[Statement]:
    """Yield every statement, including nested ones, in source order."""
    for statement in block:
        yield statement
        if isinstance(statement, If):
            yield from walk_statements(statement.then)
            yield from walk_statements(statement.otherwise)
        elif isinstance(statement, While):
            yield from walk_statements(statement.body)


def list_expressions(statement: Statement) -> tuple[Expression, ...]:
    """Return the top-level expressions of one statement."""
    match statement:
        case Assign() | Output():
            return (statement.value,)
        case Sample():
            return statement.parameters
        case If() | While():
            return (statement.condition,)


def walk_expression(expression: Expression) -> Iterator[Expression]:
    """Yield the expression and all its subexpressions."""
    yield expression
    if isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from walk_expression(argument)
    elif isinstance(expression, Read):
        yield from walk_expression(expression.index)


def collect_names(expression: Expression) -> frozenset[str]:
    """Return the variables and lists that an expression mentions."""
    return frozenset(
        part.name if isinstance(part, Name) else part.list
        for part in walk_expression(expression)
        if isinstance(part, Name | Read | Length)
    )


def find_assigned_names(block: Block) -> frozenset[str]:
    """Return the variables that a block may change."""
    return frozenset(one.name for one in walk_statements(block) if isinstance(one, Assign | Sample))


def map_children(expression: Expression, change: Callable[[Expression], Expression]) -> Expression:
    """Return the expression with each of its direct subexpressions changed."""
    match expression:
        case Read(name, index, place):
            return Read(name, change(index), place)
        case Apply(operator, arguments, place):
            return Apply(operator, tuple(map(change, arguments)), place)
        case _:
            return expression


def substitute(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """Return the expression with variables replaced by other expressions."""
    if isinstance(expression, Name):
        return values.get(expression.name, expression)
    return map_children(expression, lambda one: substitute(one, values))


_PRECEDENCE: Final = (
    {"or": 1, "and": 2}
    | dict.fromkeys(("<", "<=", "==", "!="), 4)
    | dict.fromkeys(("+", "-", "xor", "bits+", "bits|", "concat"), 5)
    | dict.fromkeys(("*", "/", "%", "bits&"), 6)
)
_SYMBOLS: Final = {"bits+": "+", "bits&": "&", "bits|": "|", "concat": "++"}


def format_expression(expression: Expression, outer: int = 0) -> str:
    """Format an expression with the fewest parentheses. ``outer`` is the precedence of the operator
    around it.
    """
    match expression:
        case Number() | Truth():
            return str(expression.value)
        case Name():
            return expression.name
        case Read():
            return f"{expression.list}[{format_expression(expression.index)}]"
        case Length():
            return f"len({expression.list})"
        case Apply("not", (value,)):
            binding, text = 3, f"not {format_expression(value, 3)}"
        case Apply("negate", (value,)):
            binding, text = 7, f"-{format_expression(value, 7)}"
        case Apply("if", (condition, then, otherwise)):
            first = f"{format_expression(then, 1)} if {format_expression(condition, 1)}"
            binding, text = 0, f"{first} else {format_expression(otherwise)}"
        case Apply(operator, (left, right)) if operator in _PRECEDENCE:
            binding, symbol = _PRECEDENCE[operator], _SYMBOLS.get(operator, operator)
            first = format_expression(left, binding)
            text = f"{first} {symbol} {format_expression(right, binding + 1)}"
        case Apply(operator, arguments):
            binding, text = 8, f"{operator}({', '.join(map(format_expression, arguments))})"
    return f"({text})" if binding < outer else text
