"""Type inference: the kind of each variable, expression and operator.

``resolve_program`` also resolves overloaded operators, which the front ends cannot: ``+`` of two
bit strings is their sum modulo 2^n, ``&`` of two Booleans is *and*, ``^`` of two Booleans is *not
equal*. It refuses a program that may read a variable before assigning it.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hedgerow.verify.language.bit_widths import check_widths
from hedgerow.verify.language.program import (
    NOISE_KINDS,
    NOWHERE,
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
    Place,
    Program,
    Read,
    Sample,
    Statement,
    Truth,
    While,
    collect_names,
    format_expression,
    walk_statements,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["infer_kind", "infer_kinds", "resolve_program"]

_ARITHMETIC: Final = frozenset({"+", "-", "*", "min", "max", "%"})
_ORDER_OPERATORS: Final = frozenset({"<", "<="})
_EQUALITY_OPERATORS: Final = frozenset({"==", "!="})
_BOOLEAN_OPERATORS: Final = frozenset({"and", "or", "not"})
_BIT_OPERATORS: Final = frozenset({"xor", "bits+", "bits&", "bits|"})
_BIT_OVERLOADS: Final = {"+": "bits+"}
_BOOLEAN_OVERLOADS: Final = {"xor": "!=", "bits&": "and", "bits|": "or", "bits~": "not"}
_KIND_WORDS: Final = {
    Kind.INT: "an integer",
    Kind.REAL: "a number",
    Kind.BOOL: "True or False",
    Kind.BITS: "a bit string",
}


@dataclass
class _KindInference:
    """The kinds inferred so far; ``kinds`` lacks variables that are not inferred yet."""

    program: Program
    kinds: dict[str, Kind]

    def infer(self, expression: Expression) -> Kind | None:
        """Return the kind, or None while a variable in it has none yet."""
        match expression:
            case Number():
                return Kind.INT if expression.value.denominator == 1 else Kind.REAL
            case Truth():
                return Kind.BOOL
            case Name():
                return self.kinds.get(expression.name)
            case Length():
                return Kind.INT
            case Read():
                self.require(expression.index, Kind.INT)
                parameter = self.program.find_parameter(expression.list)
                return parameter.kind if parameter else None
            case Apply():
                return self.infer_application(expression)

    def require(self, expression: Expression, kind: Kind) -> None:
        _check_kind(expression, self.infer(expression), kind)

    def infer_application(self, expression: Apply) -> Kind | None:
        operator, arguments = expression.operator, expression.arguments
        found = [self.infer(one) for one in arguments]  # once each: twice at every depth is 2^depth
        if operator in _BOOLEAN_OVERLOADS and Kind.BOOL in found:
            operator = _BOOLEAN_OVERLOADS[operator]
        if operator in _BIT_OVERLOADS and Kind.BITS in found:
            operator = _BIT_OVERLOADS[operator]
        if operator in _BOOLEAN_OPERATORS:
            return _check_kinds(arguments, found, Kind.BOOL, Kind.BOOL)
        if operator in _BIT_OPERATORS or operator in ("concat", "bits~"):
            return _check_kinds(arguments, found, Kind.BITS, Kind.BITS)
        if operator in _ORDER_OPERATORS:
            return _check_kinds(arguments, found, Kind.REAL, Kind.BOOL)
        if operator in ("/", "ln", "exp", "sqrt"):
            return _check_kinds(arguments, found, Kind.REAL, Kind.REAL)
        if operator == "floor":
            return _check_kinds(arguments, found, Kind.REAL, Kind.INT)
        if operator == "bit":
            _check_kind(arguments[0], found[0], Kind.BITS)
            _check_kind(arguments[1], found[1], Kind.INT)
            return Kind.BOOL
        if operator in _EQUALITY_OPERATORS:
            self.join(found, expression.place)
            return Kind.BOOL
        if operator == "if":
            _check_kind(arguments[0], found[0], Kind.BOOL)
            return self.join(found[1:], expression.place)
        # the arithmetic that keeps whole numbers whole
        _check_kinds(arguments, found, Kind.REAL, Kind.REAL)
        if None in found:
            return None
        return Kind.INT if set(found) == {Kind.INT} else Kind.REAL

    def join(self, found: list[Kind | None], place: Place) -> Kind | None:
        known = {one for one in found if one is not None}
        if known == {Kind.INT, Kind.REAL}:
            return Kind.REAL
        if len(known) > 1:
            first, second = sorted(_KIND_WORDS[one] for one in known)[:2]
            raise UnsupportedProgram(
                f"{first} cannot be combined with {second}; convert one of them", place
            )
        return next(iter(known), None)

    def run(self) -> None:
        """Infer the kind of each variable from all its assignments, up to a fixed point; an integer
        and a real make a real.
        """
        while True:
            before = dict(self.kinds)
            for one in walk_statements(self.program.body):
                if isinstance(one, Assign):
                    self.record(one.name, self.infer(one.value), one.place)
                elif isinstance(one, Sample):
                    self.record(one.name, NOISE_KINDS[one.noise], one.place)
            if self.kinds == before:
                return

    def record(self, name: str, kind: Kind | None, place: Place) -> None:
        if kind is not None:
            try:
                found = self.join([self.kinds.get(name), kind], place)
            except UnsupportedProgram:
                raise UnsupportedProgram(
                    f"{name} is {_KIND_WORDS[self.kinds[name]]} elsewhere and {_KIND_WORDS[kind]}"
                    " here; use two variables",
                    place,
                ) from None
            assert found is not None
            self.kinds[name] = found


def _check_kind(expression: Expression, found: Kind | None, kind: Kind) -> None:
    """Refuse an expression of the wrong kind; an integer is also a real."""
    if found is not None and found is not kind and not (kind is Kind.REAL and found is Kind.INT):
        raise UnsupportedProgram(
            f"{format_expression(expression)} is {_KIND_WORDS[found]}; {_KIND_WORDS[kind]} is"
            " needed here",
            expression.place,
        )


def _check_kinds(
    arguments: tuple[Expression, ...], found: list[Kind | None], kind: Kind, result: Kind
) -> Kind:
    """Return the result kind after checking the kind of each argument."""
    for one, its in zip(arguments, found, strict=True):
        _check_kind(one, its, kind)
    return result


def infer_kinds(program: Program) -> dict[str, Kind]:
    """Return the kind of each variable and parameter (for a list, of its entries)."""
    known = _KindInference(program, {one.name: one.kind for one in program.parameters})
    known.run()
    return known.kinds


def infer_kind(expression: Expression, program: Program, known: dict[str, Kind]) -> Kind:
    """Return the kind of an expression, given the kinds of the program's variables."""
    found = _KindInference(program, known).infer(expression)
    if found is None:
        raise UnsupportedProgram(
            f"the type of {format_expression(expression)} cannot be inferred; assign its variables"
            " first",
            expression.place,
        )
    return found


def resolve_program(program: Program) -> Program:
    """Check a program and return it with its overloaded operators resolved."""
    _check_definitions(program)
    checker = _KindInference(program, {one.name: one.kind for one in program.parameters})
    checker.run()
    _check_block(program.body, checker)
    resolved = replace(program, body=_resolve_operators(program.body, checker))
    check_widths(resolved)
    return resolved


def _check_block(block: Block, checker: _KindInference) -> None:
    for one in walk_statements(block):
        match one:
            case Assign() | Output():
                checker.infer(one.value)
            case If() | While():
                checker.require(one.condition, Kind.BOOL)
            case Sample():
                for parameter in one.parameters:
                    checker.require(parameter, Kind.INT if one.noise is Noise.BITS else Kind.REAL)
    for expression in (checker.program.claim.epsilon, checker.program.claim.delta):
        if expression is not None:
            checker.require(expression, Kind.REAL)


def _resolve_operators(block: Block, checker: _KindInference) -> Block:
    def resolve(expression: Expression) -> Expression:
        match expression:
            case Read():
                return replace(expression, index=resolve(expression.index))
            case Apply():
                found = [checker.infer(one) for one in expression.arguments]
                operator = expression.operator
                if Kind.BOOL in found:
                    operator = _BOOLEAN_OVERLOADS.get(operator, operator)
                if Kind.BITS in found:
                    operator = _BIT_OVERLOADS.get(operator, operator)
                return Apply(operator, tuple(map(resolve, expression.arguments)), expression.place)
            case _:
                return expression

    def resolve_statement(statement: Statement) -> Statement:
        match statement:
            case Assign() | Output():
                return replace(statement, value=resolve(statement.value))
            case Sample():
                return replace(statement, parameters=tuple(map(resolve, statement.parameters)))
            case If(condition, then, otherwise, place):
                then, otherwise = (_resolve_operators(one, checker) for one in (then, otherwise))
                return If(resolve(condition), then, otherwise, place)
            case While(condition, body, place):
                return While(resolve(condition), _resolve_operators(body, checker), place)

    return tuple(map(resolve_statement, block))


def _check_definitions(program: Program) -> None:
    """Refuse a program that may read a variable before assigning it."""
    public = frozenset(one.name for one in program.parameters if not one.private and not one.list)

    def read(expression: Expression, known: frozenset[str], place: Place) -> None:
        for name in sorted(collect_names(expression) - known):
            raise UnsupportedProgram(
                f"{name} may be read before it is assigned; assign it on every path",
                expression.place if expression.place != NOWHERE else place,
            )

    def run(block: Block, known: frozenset[str]) -> frozenset[str]:
        for one in block:
            match one:
                case Assign():
                    read(one.value, known, one.place)
                    known |= {one.name}
                case Output():
                    read(one.value, known, one.place)
                case Sample():
                    for parameter in one.parameters:
                        read(parameter, known, one.place)
                    known |= {one.name}
                case If():
                    read(one.condition, known, one.place)
                    known = run(one.then, known) & run(one.otherwise, known)
                case While():
                    read(one.condition, known, one.place)
                    run(one.body, known)
        return known

    run(program.body, frozenset(one.name for one in program.parameters))
    for one in program.parameters:
        if one.width is not None:
            read(one.width, public, one.place)
