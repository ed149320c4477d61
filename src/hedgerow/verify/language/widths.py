"""How wide every bit string is, in public parameters. Strings of different widths do not go together: that is seen before a run."""

from __future__ import annotations

from fractions import Fraction
from typing import TypeAlias

from hedgerow.verify.language.outside import Outside
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
    expressions,
    names,
    parts,
    statements,
)

__all__ = ["check_widths"]

# A sum of products of public parameters, each with its factor: n + 2 is {("n",): 1, (): 2}.
Width: TypeAlias = dict[tuple[str, ...], Fraction]


def check_widths(program: Program) -> None:
    """Raises ``Outside`` where two widths that must be the same are not, or where a width is not made of public parameters."""
    widths = _Widths(program)
    before = -1
    while before != len(widths.known):
        before = len(widths.known)
        for one in statements(program.body):
            if isinstance(one, Assign):
                widths.put(one.name, widths.of(one.value), one.place)
            elif isinstance(one, Sample) and one.noise is Noise.BITS:
                widths.put(one.name, widths.written(one.parameters[0]), one.place)
    for one in statements(program.body):
        for expression in expressions(one):
            for part in parts(expression):
                widths.of(part)


class _Widths:
    """``known`` has the width of every variable that is a bit string."""

    def __init__(self, program: Program) -> None:
        self.public = {one.name for one in program.parameters if not one.private and not one.list}
        self.known: dict[str, Width] = {}
        for one in program.parameters:
            if one.width is not None:
                self.known[one.name] = self.written(one.width)

    def put(self, name: str, width: Width | None, place: Place) -> None:
        if width is not None:
            _same(self.known.setdefault(name, width), width, place)

    def of(self, expression: Expression) -> Width | None:
        """None for what is no bit string, and for what is not known yet."""
        match expression:
            case Name():
                return self.known.get(expression.name)
            case Read():
                return self.known.get(expression.list)
            case Apply(operator="concat"):
                one, other = (self.of(argument) for argument in expression.arguments)
                return _plus(one, other) if one is not None and other is not None else None
            case Apply(operator="bits~"):
                return self.of(expression.arguments[0])
            case Apply(operator="xor" | "bits+" | "bits&" | "bits|" | "==" | "!=" | "if"):
                found = [width for width in map(self.of, expression.arguments[-2:]) if width is not None]
                if len(found) == 2:
                    _same(found[0], found[1], expression.place)
                return found[0] if found and expression.operator not in ("==", "!=") else None
            case _:
                return None

    def written(self, expression: Expression) -> Width:
        """A width as a sum of products."""
        unknown = sorted(names(expression) - self.public)
        if unknown:
            raise Outside(f"the number of bits must be made of public parameters, and {unknown[0]} is none", expression.place)
        match expression:
            case Number():
                return {(): expression.value} if expression.value else {}
            case Name():
                return {(expression.name,): Fraction(1)}
            case Apply(operator="+" | "-" | "*"):
                one, other = (self.written(argument) for argument in expression.arguments)
                if expression.operator == "*":
                    return _times(one, other)
                return _plus(one, other if expression.operator == "+" else _times(other, {(): Fraction(-1)}))
            case Apply(operator="/", arguments=(first, Number() as second)) if second.value:
                return _times(self.written(first), {(): 1 / second.value})
            case _:
                raise Outside("a number of bits is written with +, -, * and division by numbers", expression.place)


def _plus(one: Width, other: Width) -> Width:
    whole = {name: one.get(name, Fraction(0)) + other.get(name, Fraction(0)) for name in one.keys() | other.keys()}
    return {name: factor for name, factor in whole.items() if factor}


def _times(one: Width, other: Width) -> Width:
    whole: Width = {}
    for name, factor in one.items():
        whole = _plus(whole, {tuple(sorted(name + more)): factor * times for more, times in other.items()})
    return whole


def _same(one: Width, other: Width, place: Place) -> None:
    if one != other:
        raise Outside(f"bit strings of {_told(one)} and {_told(other)} bits do not go together", place)


def _told(width: Width) -> str:
    return (
        " + ".join("*".join([*([str(factor)] if factor != 1 or not name else []), *name]) for name, factor in sorted(width.items())) or "0"
    )
