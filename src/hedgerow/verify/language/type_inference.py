"""Type inference: the kind of each variable, expression and operator.

``resolve_program`` also resolves overloaded operators, which the front ends cannot: ``+`` of two
bit strings is their sum modulo 2^n, ``&`` of two Booleans is *and*, ``^`` of two Booleans is *not
equal*. It refuses a program that may read a variable before assigning it.
"""

from __future__ import annotations

from collections.abc import Sequence
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
    Truth,
    While,
    collect_names,
    format_expression,
    list_expressions,
    map_children,
    walk_statements,
)
from hedgerow.verify.language.rewriting import map_expressions
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["infer_kind", "infer_kinds", "resolve_program"]

# Operators that mean another one on arguments of this kind.
_OVERLOADS: Final = {
    (Kind.BITS, "+"): "bits+",
    (Kind.BOOL, "xor"): "!=",
    (Kind.BOOL, "bits&"): "and",
    (Kind.BOOL, "bits|"): "or",
    (Kind.BOOL, "bits~"): "not",
}
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
        arguments = expression.arguments
        found = [self.infer(one) for one in arguments]  # once each: twice at every depth is 2^depth
        match _resolve_operator(expression.operator, found):
            case "and" | "or" | "not":
                return _check_kinds(arguments, found, Kind.BOOL, Kind.BOOL)
            case "xor" | "bits+" | "bits&" | "bits|" | "bits~" | "concat":
                return _check_kinds(arguments, found, Kind.BITS, Kind.BITS)
            case "<" | "<=":
                return _check_kinds(arguments, found, Kind.REAL, Kind.BOOL)
            case "/" | "ln" | "exp" | "sqrt":
                return _check_kinds(arguments, found, Kind.REAL, Kind.REAL)
            case "floor":
                return _check_kinds(arguments, found, Kind.REAL, Kind.INT)
            case "bit":
                _check_kind(arguments[0], found[0], Kind.BITS)
                _check_kind(arguments[1], found[1], Kind.INT)
                return Kind.BOOL
            case "==" | "!=":
                self.join(found, expression.place)
                return Kind.BOOL
            case "if":
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
        before: dict[str, Kind] | None = None
        while self.kinds != before:
            before = dict(self.kinds)
            for one in walk_statements(self.program.body):
                if isinstance(one, Assign):
                    self.record(one.name, self.infer(one.value), one.place)
                elif isinstance(one, Sample):
                    self.record(one.name, NOISE_KINDS[one.noise], one.place)

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


def _resolve_operator(operator: str, kinds: Sequence[Kind | None]) -> str:
    for kind in kinds:
        operator = _OVERLOADS.get((kind, operator), operator) if kind else operator
    return operator


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
        if isinstance(expression, Apply):
            kinds = [checker.infer(one) for one in expression.arguments]
            operator = _resolve_operator(expression.operator, kinds)
            expression = replace(expression, operator=operator)
        return map_children(expression, resolve)

    return map_expressions(block, resolve)


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
            for expression in list_expressions(one):
                read(expression, known, one.place)
            match one:
                case Assign() | Sample():
                    known |= {one.name}
                case If():
                    known = run(one.then, known) & run(one.otherwise, known)
                case While():
                    run(one.body, known)
        return known

    run(program.body, frozenset(one.name for one in program.parameters))
    for one in program.parameters:
        if one.width is not None:
            read(one.width, public, one.place)
