"""What every value is: whole number, real, truth or bit string. A program in which that does not fit together is refused, with the line.

``resolved`` also settles what the front ends could not know when they read a sign: ``+`` of two bit strings is their sum modulo 2^n, ``&``
of two truths is *and*, ``^`` of two truths is *differ*. And it makes sure that nothing is read before it is assigned, on any path.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Final

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import (
    DRAWN,
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
    names,
    statements,
    written,
)
from hedgerow.verify.language.widths import check_widths

__all__ = ["kind_of", "kinds", "resolved"]

_ARITHMETIC: Final = frozenset({"+", "-", "*", "min", "max", "%"})
_ORDER: Final = frozenset({"<", "<="})
_SAME: Final = frozenset({"==", "!="})
_TRUTHS: Final = frozenset({"and", "or", "not"})
_BITS: Final = frozenset({"xor", "bits+", "bits&", "bits|"})
_BITS_FOR: Final = {"+": "bits+"}
_TRUTHS_FOR: Final = {"xor": "!=", "bits&": "and", "bits|": "or", "bits~": "not"}
_SAID: Final = {Kind.INT: "a whole number", Kind.REAL: "a number", Kind.BOOL: "True or False", Kind.BITS: "a bit string"}


@dataclass
class _Kinds:
    """``known`` is the kind of every variable so far; a variable that is not yet known has none."""

    program: Program
    known: dict[str, Kind]

    def of(self, expression: Expression) -> Kind | None:
        """The kind, or None while a variable in it is not known yet."""
        match expression:
            case Number():
                return Kind.INT if expression.value.denominator == 1 else Kind.REAL
            case Truth():
                return Kind.BOOL
            case Name():
                return self.known.get(expression.name)
            case Length():
                return Kind.INT
            case Read():
                self.need(expression.index, Kind.INT)
                parameter = self.program.parameter(expression.list)
                return parameter.kind if parameter else None
            case Apply():
                return self.applied(expression)

    def need(self, expression: Expression, kind: Kind) -> None:
        _fits(expression, self.of(expression), kind)

    def applied(self, expression: Apply) -> Kind | None:
        operator, arguments = expression.operator, expression.arguments
        found = [self.of(one) for one in arguments]  # once each: twice at every depth is 2^depth
        if operator in _TRUTHS_FOR and Kind.BOOL in found:
            operator = _TRUTHS_FOR[operator]
        if operator in _BITS_FOR and Kind.BITS in found:
            operator = _BITS_FOR[operator]
        if operator in _TRUTHS:
            return _all(arguments, found, Kind.BOOL, Kind.BOOL)
        if operator in _BITS or operator in ("concat", "bits~"):
            return _all(arguments, found, Kind.BITS, Kind.BITS)
        if operator in _ORDER:
            return _all(arguments, found, Kind.REAL, Kind.BOOL)
        if operator in ("/", "ln", "exp", "sqrt"):
            return _all(arguments, found, Kind.REAL, Kind.REAL)
        if operator == "floor":
            return _all(arguments, found, Kind.REAL, Kind.INT)
        if operator == "bit":
            _fits(arguments[0], found[0], Kind.BITS)
            _fits(arguments[1], found[1], Kind.INT)
            return Kind.BOOL
        if operator in _SAME:
            self.joined(found, expression.place)
            return Kind.BOOL
        if operator == "if":
            _fits(arguments[0], found[0], Kind.BOOL)
            return self.joined(found[1:], expression.place)
        _all(arguments, found, Kind.REAL, Kind.REAL)  # the arithmetic that keeps whole numbers whole
        return None if None in found else Kind.INT if all(one is Kind.INT for one in found) else Kind.REAL

    def joined(self, found: list[Kind | None], place: Place) -> Kind | None:
        known = {one for one in found if one is not None}
        if known == {Kind.INT, Kind.REAL}:
            return Kind.REAL
        if len(known) > 1:
            first, second = sorted(_SAID[one] for one in known)[:2]
            raise Outside(f"{first} and {second} do not go together", place)
        return next(iter(known), None)

    def settle(self) -> None:
        """Until nothing changes: a variable has the kind of all that it is assigned; whole numbers and reals make a real."""
        while True:
            before = dict(self.known)
            for one in statements(self.program.body):
                if isinstance(one, Assign):
                    self.put(one.name, self.of(one.value), one.place)
                elif isinstance(one, Sample):
                    self.put(one.name, DRAWN[one.noise], one.place)
            if self.known == before:
                return

    def put(self, name: str, kind: Kind | None, place: Place) -> None:
        if kind is not None:
            try:
                found = self.joined([self.known.get(name), kind], place)
            except Outside:
                raise Outside(f"{name} is {_SAID[self.known[name]]} elsewhere, and {_SAID[kind]} here", place) from None
            assert found is not None
            self.known[name] = found


def _fits(expression: Expression, found: Kind | None, kind: Kind) -> None:
    """Refuse an expression that has another kind than is needed; a whole number is a number."""
    if found is not None and found is not kind and not (kind is Kind.REAL and found is Kind.INT):
        raise Outside(f"{written(expression)} is {_SAID[found]}, and {_SAID[kind]} is needed here", expression.place)


def _all(arguments: tuple[Expression, ...], found: list[Kind | None], kind: Kind, result: Kind) -> Kind:
    """Return the kind of the result, if all arguments have the kind that is needed."""
    for one, its in zip(arguments, found, strict=True):
        _fits(one, its, kind)
    return result


def kinds(program: Program) -> dict[str, Kind]:
    """The kind of every variable and of every parameter (for a list, of its entries)."""
    known = _Kinds(program, {one.name: one.kind for one in program.parameters})
    known.settle()
    return known.known


def kind_of(expression: Expression, program: Program, known: dict[str, Kind]) -> Kind:
    """The kind of an expression of a program whose ``kinds`` are known."""
    found = _Kinds(program, known).of(expression)
    if found is None:
        raise Outside(f"{written(expression)} has no kind", expression.place)
    return found


def resolved(program: Program) -> Program:
    """The program with every sign settled, or ``Outside``."""
    _defined(program)
    checker = _Kinds(program, {one.name: one.kind for one in program.parameters})
    checker.settle()
    _checked(program.body, checker)
    settled = replace(program, body=_signs(program.body, checker))
    check_widths(settled)
    return settled


def _checked(block: Block, checker: _Kinds) -> None:
    for one in statements(block):
        match one:
            case Assign() | Output():
                checker.of(one.value)
            case If() | While():
                checker.need(one.condition, Kind.BOOL)
            case Sample():
                for parameter in one.parameters:
                    checker.need(parameter, Kind.INT if one.noise is Noise.BITS else Kind.REAL)
    for expression in (checker.program.claim.epsilon, checker.program.claim.delta):
        if expression is not None:
            checker.need(expression, Kind.REAL)


def _signs(block: Block, checker: _Kinds) -> Block:
    def sign(expression: Expression) -> Expression:
        match expression:
            case Read():
                return replace(expression, index=sign(expression.index))
            case Apply():
                found = [checker.of(one) for one in expression.arguments]
                operator = expression.operator
                if Kind.BOOL in found:
                    operator = _TRUTHS_FOR.get(operator, operator)
                if Kind.BITS in found:
                    operator = _BITS_FOR.get(operator, operator)
                return Apply(operator, tuple(map(sign, expression.arguments)), expression.place)
            case _:
                return expression

    def one(statement: Statement) -> Statement:
        match statement:
            case Assign() | Output():
                return replace(statement, value=sign(statement.value))
            case Sample():
                return replace(statement, parameters=tuple(map(sign, statement.parameters)))
            case If():
                then, otherwise = _signs(statement.then, checker), _signs(statement.otherwise, checker)
                return If(sign(statement.condition), then, otherwise, statement.place)
            case While():
                return While(sign(statement.condition), _signs(statement.body, checker), statement.place)

    return tuple(map(one, block))


def _defined(program: Program) -> None:
    """Nothing is read that some path has not assigned; and no list is read that is not a parameter."""
    lists = {one.name for one in program.parameters if one.list}

    def read(expression: Expression, known: frozenset[str], place: Place) -> None:
        for name in sorted(names(expression) - known):
            raise Outside(f"{name} may be read before it is assigned", expression.place if expression.place != NOWHERE else place)

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
            read(
                one.width, frozenset(other.name for other in program.parameters if not other.private and other.name not in lists), one.place
            )
