"""A probabilistic program as data: what both front ends produce and what prover, checker, refuter
and interpreter read.

A program has parameters, private or public, and a body of five statements. Everything else the
front ends accept (``for``, ``break``, early ``return``, noise inside an expression, a list that is
built up and returned) is written out in these five, so that nobody downstream can treat a construct
by mistake. Numbers are reals; ``int`` says that a value is whole.

    statement  ::=  Assign | Sample | If | While | Output
    expression ::=  Number | Truth | Name | Read | Length | Apply

The outputs of a run are the sequence of values that its ``Output`` statements gave, in order: an
adversary sees all of it, and where it ends. A program that does not end gives no answer; who proves
says under which condition it ends.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from fractions import Fraction
from typing import Final, TypeAlias

from hedgerow.errors import InvalidArgument


class Kind(StrEnum):
    """What a value is. A list is a parameter and read only."""

    INT = "int"
    REAL = "real"
    BOOL = "bool"
    BITS = "bits"


@dataclass(frozen=True, slots=True)
class Place:
    """Where in the source something stands, for messages only."""

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
    """``list[index]``; in range by assumption."""

    list: str
    index: Expression
    place: Place = field(default=NOWHERE, compare=False, repr=False)


@dataclass(frozen=True, slots=True)
class Length:
    """How many entries a list has."""

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
                f"must be one of {', '.join(ARITY)} with its number of arguments",
                self.operator,
            )


Expression: TypeAlias = Number | Truth | Name | Read | Length | Apply

# a > b and a >= b are written b < a and b <= a; ``if`` is a choice between two values; ln, exp,
# sqrt and floor are for public values only.
ARITY: Final[dict[str, int]] = (
    dict.fromkeys(("negate", "abs", "not", "bits~", "ln", "exp", "sqrt", "floor"), 1)
    | dict.fromkeys(("+", "-", "*", "/", "%", "min", "max", "<", "<=", "==", "!=", "and", "or"), 2)
    | dict.fromkeys(("xor", "bits+", "bits&", "bits|", "concat", "bit"), 2)
    | {"if": 3}
)


class Noise(StrEnum):
    """The distributions a program may draw from, and what their parameters are.

    LAPLACE, GEOMETRIC (two-sided, on the whole numbers, P(k) in proportion to e^(-|k|/scale)),
    EXPONENTIAL (from 0 up): scale. GAUSSIAN: standard deviation. UNIFORM: low and high. BERNOULLI:
    the chance of True. BITS: how many fair bits.
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
    """``name`` becomes a fresh draw. ``site`` numbers the sampling statements of a program from
    0 on; a loop visits one many times.
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
                f"{self.noise} takes {NOISE_PARAMETER_COUNTS[self.noise]} parameters",
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
    """An input. ``width`` is the number of bits of a BITS value, any expression over public
    parameters.
    """

    name: str
    kind: Kind
    private: bool
    list: bool = False
    width: Expression | None = None
    place: Place = field(default=NOWHERE, compare=False, repr=False)


class Relation(StrEnum):
    """Which two inputs are neighbours; public parameters are always equal. A truth is turned or
    not, which is a move by 1; bit strings are for SECRET, and for ROW.

    ONE: one private number (one entry of one list, or one scalar) differs, by at most 1. ALL: every
    entry of every list, and every scalar, by at most 1. INCREASING, DECREASING: as ALL, and never
    smaller / never larger in the second run. ROW: one list has one more entry, in any place. L1:
    the absolute differences of all entries add up to at most ``k``. GROUP: at most ``k`` entries
    differ, each by at most 1. SECRET: anything private differs in any way (perfect secrecy,
    non-interference). The relation is symmetric except for INCREASING and DECREASING, where a proof
    and a refutation look at the one direction only.
    """

    ONE = "one"
    ALL = "all"
    INCREASING = "increasing"
    DECREASING = "decreasing"
    ROW = "row"
    L1 = "l1"
    GROUP = "group"
    SECRET = "secret"


@dataclass(frozen=True, slots=True)
class Neighbours:
    relation: Relation
    k: int = 1

    def __post_init__(self) -> None:
        if self.k < 1 or (self.k != 1 and self.relation not in (Relation.L1, Relation.GROUP)):
            raise InvalidArgument(
                "neighbours",
                'must be a word, or ("l1", k) or ("group", k) with k from 1 on',
                (str(self.relation), self.k),
            )


@dataclass(frozen=True, slots=True)
class Claim:
    """What the author says it costs, in terms of public parameters. No delta is delta 0."""

    epsilon: Expression
    neighbours: Neighbours
    delta: Expression | None = None


@dataclass(frozen=True, slots=True)
class Program:
    """``source`` is the text it was read from; its hash is what a certificate names."""

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
        """In the order of their sites."""
        return tuple(
            sorted(
                (one for one in walk_statements(self.body) if isinstance(one, Sample)),
                key=lambda one: one.site,
            )
        )


def walk_statements(block: Block) -> Iterator[Statement]:
    """Every statement, those inside others included, in the order of the text."""
    for statement in block:
        yield statement
        if isinstance(statement, If):
            yield from walk_statements(statement.then)
            yield from walk_statements(statement.otherwise)
        elif isinstance(statement, While):
            yield from walk_statements(statement.body)


def list_expressions(statement: Statement) -> tuple[Expression, ...]:
    """The expressions that stand in this statement itself."""
    match statement:
        case Assign() | Output():
            return (statement.value,)
        case Sample():
            return statement.parameters
        case If() | While():
            return (statement.condition,)


def walk_expression(expression: Expression) -> Iterator[Expression]:
    """The expression and all that it is made of."""
    yield expression
    if isinstance(expression, Apply):
        for argument in expression.arguments:
            yield from walk_expression(argument)
    elif isinstance(expression, Read):
        yield from walk_expression(expression.index)


def collect_names(expression: Expression) -> frozenset[str]:
    """The variables and lists it mentions."""
    found = set()
    for part in walk_expression(expression):
        if isinstance(part, Name):
            found.add(part.name)
        elif isinstance(part, Read | Length):
            found.add(part.list)
    return frozenset(found)


def find_assigned_names(block: Block) -> frozenset[str]:
    """The variables that a block may change."""
    return frozenset(one.name for one in walk_statements(block) if isinstance(one, Assign | Sample))


def substitute(expression: Expression, values: Mapping[str, Expression]) -> Expression:
    """The expression with variables written as other expressions."""
    match expression:
        case Name():
            return values.get(expression.name, expression)
        case Read():
            return Read(expression.list, substitute(expression.index, values), expression.place)
        case Apply():
            return Apply(
                expression.operator,
                tuple(substitute(one, values) for one in expression.arguments),
                expression.place,
            )
        case _:
            return expression


# How tightly an operator binds, for writing expressions as people do.
_PRECEDENCE: Final = (
    {"or": 1, "and": 2}
    | dict.fromkeys(("<", "<=", "==", "!="), 4)
    | dict.fromkeys(("+", "-", "xor", "bits+", "bits|", "concat"), 5)
    | dict.fromkeys(("*", "/", "%", "bits&"), 6)
)
_SYMBOLS: Final = {"bits+": "+", "bits&": "&", "bits|": "|", "concat": "++"}


def format_expression(expression: Expression, outer: int = 0) -> str:
    """As a person would write it."""
    match expression:
        case Number():
            return str(expression.value)
        case Truth():
            return str(expression.value)
        case Name():
            return expression.name
        case Read():
            return f"{expression.list}[{format_expression(expression.index)}]"
        case Length():
            return f"len({expression.list})"
    operator, arguments = expression.operator, expression.arguments
    if operator in _PRECEDENCE:
        binding = _PRECEDENCE[operator]
        text = (
            f"{format_expression(arguments[0], binding)} {_SYMBOLS.get(operator, operator)}"
            f" {format_expression(arguments[1], binding + 1)}"
        )
    elif operator == "not":
        binding, text = 3, f"not {format_expression(arguments[0], 3)}"
    elif operator == "negate":
        binding, text = 7, f"-{format_expression(arguments[0], 7)}"
    elif operator == "if":
        binding, text = (
            0,
            (
                f"{format_expression(arguments[1], 1)} if {format_expression(arguments[0], 1)} else"
                f" {format_expression(arguments[2], 0)}"
            ),
        )
    else:
        binding, text = 8, f"{operator}({', '.join(format_expression(one) for one in arguments)})"
    return f"({text})" if binding < outer else text
