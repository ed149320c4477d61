"""The sort of every variable: its kind, and for bit strings how many bits z3 gives them.

Bit strings of one width n, any, are taken for a single bit when everything done to them is done bit by bit (what holds of one bit then
holds of each), and for whole numbers when they are only added (what holds in the whole numbers then holds modulo 2^n). Otherwise widths
must be numbers, and z3 is given that many bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from hedgerow.verify.language.kinds import kind_of, kinds
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Expression,
    Kind,
    Name,
    Noise,
    Number,
    Program,
    Read,
    Sample,
    expressions,
    names,
    parts,
    statements,
    written,
)
from hedgerow.verify.proof.terms import Sort

__all__ = ["sorts", "speaks_of_bits"]

_BITWISE = frozenset({"xor", "bits&", "bits|", "bits~"})
_WIDEST = 4096


def sorts(program: Program, exact: bool = False) -> dict[str, Sort]:
    """Of every variable and parameter. ``exact``: bit strings have the bits that they have, since chances are counted."""
    known = kinds(program)
    if Kind.BITS not in known.values():
        return {name: Sort(kind) for name, kind in known.items()}
    widths = _widths(program, known)
    one = _any_width(program, known) if len(set(widths.values())) == 1 and not exact else None
    if one is not None:
        return {name: one if kind is Kind.BITS else Sort(kind) for name, kind in known.items()}
    if all(isinstance(width, Number) for width in widths.values()):
        return {name: Sort(kind, _number(widths[name])) if kind is Kind.BITS else Sort(kind) for name, kind in known.items()}
    raise Outside("bit strings of any width are proved with one width, and with xor, and, or, not alone or with + alone.")


def _number(width: Expression) -> int:
    value = width.value if isinstance(width, Number) else Fraction(0)
    if value.denominator != 1 or not 1 <= value <= _WIDEST:
        raise Outside(f"a bit string must have between 1 and {_WIDEST} bits.", width.place)
    return int(value)


def _widths(program: Program, known: dict[str, Kind]) -> dict[str, Expression]:
    widths = {one.name: one.width for one in program.parameters if one.width is not None}
    for _ in range(len(known) + 1):
        for one in statements(program.body):
            if isinstance(one, Sample) and one.noise is Noise.BITS:
                _same(widths, one.name, one.parameters[0])
            elif isinstance(one, Assign) and known[one.name] is Kind.BITS:
                width = _width(one.value, widths)
                if width is not None:
                    _same(widths, one.name, width)
    for name, kind in known.items():
        if kind is Kind.BITS and name not in widths:
            raise Outside(f"how many bits {name} has is not said.")
    return widths


def _same(widths: dict[str, Expression], name: str, width: Expression) -> None:
    if widths.setdefault(name, width) != width:
        raise Outside(f"{name} has {written(widths[name])} bits here and {written(width)} there.")


def _width(expression: Expression, widths: dict[str, Expression]) -> Expression | None:
    if isinstance(expression, Name):
        return widths.get(expression.name)
    if isinstance(expression, Read):
        return widths.get(expression.list)
    if not isinstance(expression, Apply):
        return None
    found = [_width(one, widths) for one in expression.arguments[1 if expression.operator == "if" else 0 :]]
    if expression.operator == "concat":
        left, right = found
        if isinstance(left, Number) and isinstance(right, Number):
            return Number(left.value + right.value)
        return None
    return next((one for one in found if one is not None), None)


def _everything(program: Program) -> Iterator[Expression]:
    for one in statements(program.body):
        for expression in expressions(one):
            yield from parts(expression)


def _any_width(program: Program, known: dict[str, Kind]) -> Sort | None:
    done: set[str] = set()
    for one in _everything(program):
        if isinstance(one, Apply):
            about_bits = any(kind_of(argument, program, known) is Kind.BITS for argument in one.arguments)
            if about_bits and one.operator != "if":
                done.add(one.operator)
    if done <= _BITWISE:
        return Sort(Kind.BITS, 1)
    return Sort(Kind.INT) if done <= {"bits+"} else None


def speaks_of_bits(expression: Expression, program: Program, known: dict[str, Sort], about: str) -> bool:
    """Whether a certificate's expression says of bit strings only what means the same for every width.

    Where a single bit stands for many, that is what is done bit by bit; where whole numbers do, it is sums and differences. Only the
    ``image`` of drawn bits is itself of bits; invariants may say that two bit strings are ``equal``; others must not speak of them.
    """
    bits = {name for name, kind in kinds(program).items() if kind is Kind.BITS}
    allowed = frozenset({"bits+", "-"}) if any(known[name].kind is Kind.INT for name in bits) else _BITWISE

    def mentions(one: Expression) -> bool:
        return any(name.split("@")[0] in bits or (name == "@noise" and about == "image") for name in names(one))

    def holds(one: Expression) -> bool:
        if not mentions(one):
            return about != "image"
        if isinstance(one, Apply):
            same = about == "equal" and one.operator == "==" and one is expression
            return (same or one.operator in allowed) and all(mentions(part) and holds(part) for part in one.arguments)
        return about == "image" or one is not expression

    return holds(expression)


def stands_in(program: Program, known: dict[str, Sort]) -> bool:
    """Whether bit strings are not given to z3 with the bits they have."""
    return any(kind is Kind.BITS and known[name].width <= 1 for name, kind in kinds(program).items())
