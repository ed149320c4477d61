"""The sort of every variable: its kind, and for bit strings the number of bits in z3.

Bit strings of one unknown width n are modelled as a single bit when all operations are bitwise (a
fact about one bit then holds for each), and as integers when they are only added (a fact about
integers then holds modulo 2^n). Otherwise widths must be numbers, and z3 gets that many bits.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

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
    collect_names,
    format_expression,
    list_expressions,
    walk_expression,
    walk_statements,
)
from hedgerow.verify.language.type_inference import infer_kind, infer_kinds
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.terms import Sort

__all__ = ["infer_sorts", "is_width_independent"]

_BITWISE = frozenset({"xor", "bits&", "bits|", "bits~"})
_MAX_WIDTH = 4096


def infer_sorts(program: Program, exact: bool = False) -> dict[str, Sort]:
    """Infer the sort of every variable and parameter. With ``exact``, bit strings keep their own
    width, since probabilities are counted.
    """
    known = infer_kinds(program)
    if Kind.BITS not in known.values():
        return {name: Sort(kind) for name, kind in known.items()}
    widths = _infer_widths(program, known)
    one = _width_free_sort(program, known) if len(set(widths.values())) == 1 and not exact else None
    if one is not None:
        return {name: one if kind is Kind.BITS else Sort(kind) for name, kind in known.items()}
    if all(isinstance(width, Number) for width in widths.values()):
        return {
            name: Sort(kind, _constant_width(widths[name])) if kind is Kind.BITS else Sort(kind)
            for name, kind in known.items()
        }
    raise UnsupportedProgram(
        "bit strings of unknown width must share one width, and use either bitwise operations or"
        " + only. Declare the width as a number instead."
    )


def _constant_width(width: Expression) -> int:
    value = width.value if isinstance(width, Number) else Fraction(0)
    if value.denominator != 1 or not 1 <= value <= _MAX_WIDTH:
        raise UnsupportedProgram(
            f"a bit string must have between 1 and {_MAX_WIDTH} bits; change its width.",
            width.place,
        )
    return int(value)


def _infer_widths(program: Program, known: dict[str, Kind]) -> dict[str, Expression]:
    widths = {one.name: one.width for one in program.parameters if one.width is not None}
    for _ in range(len(known) + 1):
        for one in walk_statements(program.body):
            if isinstance(one, Sample) and one.noise is Noise.BITS:
                _set_width(widths, one.name, one.parameters[0])
            elif isinstance(one, Assign) and known[one.name] is Kind.BITS:
                width = _width_of(one.value, widths)
                if width is not None:
                    _set_width(widths, one.name, width)
    for name, kind in known.items():
        if kind is Kind.BITS and name not in widths:
            raise UnsupportedProgram(f"the width of {name} is unknown; declare it, as in bits[8].")
    return widths


def _set_width(widths: dict[str, Expression], name: str, width: Expression) -> None:
    if widths.setdefault(name, width) != width:
        raise UnsupportedProgram(
            f"{name} has {format_expression(widths[name])} bits here and {format_expression(width)}"
            " there; use one width."
        )


def _width_of(expression: Expression, widths: dict[str, Expression]) -> Expression | None:
    if isinstance(expression, Name):
        return widths.get(expression.name)
    if isinstance(expression, Read):
        return widths.get(expression.list)
    if not isinstance(expression, Apply):
        return None
    found = [
        _width_of(one, widths)
        for one in expression.arguments[1 if expression.operator == "if" else 0 :]
    ]
    if expression.operator == "concat":
        left, right = found
        if isinstance(left, Number) and isinstance(right, Number):
            return Number(left.value + right.value)
        return None
    return next((one for one in found if one is not None), None)


def _list_subexpressions(program: Program) -> Iterator[Expression]:
    for one in walk_statements(program.body):
        for expression in list_expressions(one):
            yield from walk_expression(expression)


def _width_free_sort(program: Program, known: dict[str, Kind]) -> Sort | None:
    done: set[str] = set()
    for one in _list_subexpressions(program):
        if isinstance(one, Apply):
            about_bits = any(
                infer_kind(argument, program, known) is Kind.BITS for argument in one.arguments
            )
            if about_bits and one.operator != "if":
                done.add(one.operator)
    if done <= _BITWISE:
        return Sort(Kind.BITS, 1)
    return Sort(Kind.INT) if done <= {"bits+"} else None


def is_width_independent(
    expression: Expression, program: Program, known: dict[str, Sort], about: str
) -> bool:
    """Return True if a certificate's expression means the same for bit strings of every width.

    Bitwise operations do where a single bit models the string; sums and differences do where
    integers model it. Only the ``image`` of drawn bits is itself a bit string; invariants may state
    that two bit strings are ``equal``; other expressions must not mention them.
    """
    bits = {name for name, kind in infer_kinds(program).items() if kind is Kind.BITS}
    allowed = (
        frozenset({"bits+", "-"})
        if any(known[name].kind is Kind.INT for name in bits)
        else _BITWISE
    )

    def mentions(one: Expression) -> bool:
        return any(
            name.split("@")[0] in bits or (name == "@noise" and about == "image")
            for name in collect_names(one)
        )

    def holds(one: Expression) -> bool:
        if not mentions(one):
            return about != "image"
        if isinstance(one, Apply):
            same = about == "equal" and one.operator == "==" and one is expression
            return (same or one.operator in allowed) and all(
                mentions(part) and holds(part) for part in one.arguments
            )
        return about == "image" or one is not expression

    return holds(expression)


def uses_abstract_bits(program: Program, known: dict[str, Sort]) -> bool:
    """Return True if z3 models bit strings without their own width."""
    return any(
        kind is Kind.BITS and known[name].width <= 1 for name, kind in infer_kinds(program).items()
    )
