"""Widths of bit strings as polynomials in public parameters; strings of different widths are
refused before a run.
"""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Expression,
    Name,
    Noise,
    Number,
    Place,
    Program,
    Read,
    Sample,
    collect_names,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["check_widths"]

# A sum of products of public parameters, each with its factor: n + 2 is {("n",): 1, (): 2}.
WidthPolynomial: TypeAlias = dict[tuple[str, ...], Fraction]


def check_widths(program: Program) -> None:
    """Refuse a program that combines bit strings of different widths, or whose widths depend on
    more than public parameters.
    """
    widths = _WidthInference(program)
    before = -1
    while before != len(widths.widths):
        before = len(widths.widths)
        for one in walk_statements(program.body):
            if isinstance(one, Assign):
                widths.record(one.name, widths.infer(one.value), one.place)
            elif isinstance(one, Sample) and one.noise is Noise.BITS:
                widths.record(one.name, widths.build_polynomial(one.parameters[0]), one.place)
    for one in walk_statements(program.body):
        for expression in list_expressions(one):
            for part in walk_expression(expression):
                widths.infer(part)


class _WidthInference:
    """The widths inferred so far, by variable."""

    def __init__(self, program: Program) -> None:
        self.public = {one.name for one in program.parameters if not one.private and not one.list}
        self.widths: dict[str, WidthPolynomial] = {}
        for one in program.parameters:
            if one.width is not None:
                self.widths[one.name] = self.build_polynomial(one.width)

    def record(self, name: str, width: WidthPolynomial | None, place: Place) -> None:
        if width is not None:
            _check_equal(self.widths.setdefault(name, width), width, place)

    def infer(self, expression: Expression) -> WidthPolynomial | None:
        """Return the width of a bit string, or None for anything else and while it is unknown."""
        match expression:
            case Name():
                return self.widths.get(expression.name)
            case Read():
                return self.widths.get(expression.list)
            case Apply(operator="concat"):
                left, right = map(self.infer, expression.arguments)
                return _add(left, right) if left is not None and right is not None else None
            case Apply(operator="bits~"):
                return self.infer(expression.arguments[0])
            case Apply(operator="xor" | "bits+" | "bits&" | "bits|" | "==" | "!=" | "if"):
                found = [
                    width
                    for width in map(self.infer, expression.arguments[-2:])
                    if width is not None
                ]
                if len(found) == 2:
                    _check_equal(found[0], found[1], expression.place)
                return found[0] if found and expression.operator not in ("==", "!=") else None
            case _:
                return None

    def build_polynomial(self, expression: Expression) -> WidthPolynomial:
        unknown = sorted(collect_names(expression) - self.public)
        if unknown:
            raise UnsupportedProgram(
                f"the number of bits mentions {unknown[0]}; use public parameters only",
                expression.place,
            )
        match expression:
            case Number():
                return {(): expression.value} if expression.value else {}
            case Name():
                return {(expression.name,): Fraction(1)}
            case Apply(operator="+" | "-" | "*"):
                left, right = map(self.build_polynomial, expression.arguments)
                if expression.operator == "*":
                    return _multiply(left, right)
                if expression.operator == "-":
                    right = _multiply(right, {(): Fraction(-1)})
                return _add(left, right)
            case Apply(operator="/", arguments=(first, Number() as second)) if second.value:
                return _multiply(self.build_polynomial(first), {(): 1 / second.value})
            case _:
                raise UnsupportedProgram(
                    "the number of bits must be written with +, -, * and division by numbers",
                    expression.place,
                )


def _add(left: WidthPolynomial, right: WidthPolynomial) -> WidthPolynomial:
    total = {
        name: left.get(name, Fraction(0)) + right.get(name, Fraction(0))
        for name in left.keys() | right.keys()
    }
    return {name: factor for name, factor in total.items() if factor}


def _multiply(left: WidthPolynomial, right: WidthPolynomial) -> WidthPolynomial:
    total: WidthPolynomial = {}
    for name, factor in left.items():
        total = _add(
            total, {tuple(sorted(name + more)): factor * times for more, times in right.items()}
        )
    return total


def _check_equal(left: WidthPolynomial, right: WidthPolynomial, place: Place) -> None:
    if left != right:
        raise UnsupportedProgram(
            f"bit strings of {_format_width(left)} and {_format_width(right)} bits cannot be"
            " combined; make their widths equal",
            place,
        )


def _format_width(width: WidthPolynomial) -> str:
    return (
        " + ".join(
            "*".join([*([str(factor)] if factor != 1 or not name else []), *name])
            for name, factor in sorted(width.items())
        )
        or "0"
    )
