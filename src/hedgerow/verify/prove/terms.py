"""Expressions of the language as z3 terms.

Numbers are z3's integers and reals, without rounding or overflow. Quotients and remainders by
anything but a number, logarithms and roots become uninterpreted functions, which z3 should not
reason about: equal arguments give equal values, and nothing else is assumed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Kind,
    Length,
    Name,
    Number,
    Read,
    Truth,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram
from hedgerow.verify.prove.solver import Term, z3

__all__ = [
    "Sort",
    "SymbolTable",
    "absolute_value",
    "find_applications",
    "fresh_constant",
    "reciprocal_term",
    "to_z3_sort",
    "translate",
]


@dataclass(frozen=True, slots=True)
class Sort:
    """The kind of a value, with the number of bits of a bit string."""

    kind: Kind
    width: int = 0


@dataclass(frozen=True, slots=True)
class SymbolTable:
    """The terms of names, list entries and lengths in one run. ``add_fact`` receives facts that
    hold wherever the term occurs.
    """

    look_up: Callable[[str], Term]
    read_entry: Callable[[str, Term], Term]
    look_up_length: Callable[[str], Term]
    add_fact: Callable[[Term], None]


def to_z3_sort(sort: Sort) -> Term:
    if sort.kind is Kind.BITS:
        return z3.BitVecSort(sort.width)
    return {Kind.INT: z3.IntSort(), Kind.REAL: z3.RealSort(), Kind.BOOL: z3.BoolSort()}[sort.kind]


def fresh_constant(name: str, sort: Sort, number: int) -> Term:
    return z3.Const(f"{name}!{number}", to_z3_sort(sort))


def absolute_value(term: Term) -> Term:
    return z3.If(term >= 0, term, -term)


def to_real(term: Term) -> Term:
    return z3.ToReal(term) if z3.is_int(term) else term


def _real_function(name: str, arguments: int) -> Term:
    return z3.Function(name, *[z3.RealSort()] * (arguments + 1))


_RECIPROCAL: Final = "reciprocal"


def reciprocal_term(term: Term) -> Term:
    return _real_function(_RECIPROCAL, 1)(to_real(term))


def find_applications(terms: Iterable[Term], function: str = _RECIPROCAL) -> list[Term]:
    """Find all applications of a function symbol inside the terms, each once."""
    found: dict[int, Term] = {}
    seen: set[int] = set()
    queue = list(terms)
    while queue:
        one = queue.pop()
        if one.get_id() in seen:
            continue
        seen.add(one.get_id())
        if (
            z3.is_app(one)
            and one.num_args()
            and one.decl().kind() == z3.Z3_OP_UNINTERPRETED
            and one.decl().name() == function
        ):
            found[one.get_id()] = one
        queue += one.children()
    return list(found.values())


def translate(expression: Expression, given: SymbolTable) -> Term:
    """Translate the expression to a term. Raise ``UnsupportedProgram`` when sorts do not fit, which
    never happens in a well-typed program.
    """
    match expression:
        case Number():
            value = expression.value
            return (
                z3.IntVal(value.numerator)
                if value.denominator == 1
                else z3.RealVal(f"{value.numerator}/{value.denominator}")
            )
        case Truth():
            return z3.BoolVal(expression.value)
        case Name():
            return given.look_up(expression.name)
        case Length():
            return given.look_up_length(expression.list)
        case Read():
            index = translate(expression.index, given)
            if not z3.is_int(index):
                raise UnsupportedProgram(
                    f"the index of {expression.list} must be an integer; use floor().",
                    expression.place,
                )
            return given.read_entry(expression.list, index)
    arguments = [translate(one, given) for one in expression.arguments]
    try:
        return _apply_operator(expression, arguments, given)
    except (z3.Z3Exception, TypeError, AttributeError) as error:
        raise UnsupportedProgram(
            f"{expression.operator} does not fit the types of its operands; change them.",
            expression.place,
        ) from error


def _divide(left: Term, right: Term, given: SymbolTable) -> Term:
    if z3.is_rational_value(right) or z3.is_int_value(right):
        if right.as_fraction() == 0 if z3.is_rational_value(right) else right.as_long() == 0:
            raise UnsupportedProgram("division by 0; divide by another number.")
        return to_real(left) / to_real(right)
    inverse = reciprocal_term(right)
    given.add_fact(z3.Implies(right > 0, inverse > 0))
    return to_real(left) * inverse


def _take_remainder(left: Term, right: Term, given: SymbolTable) -> Term:
    if z3.is_int(left) and z3.is_int_value(right) and right.as_long() > 0:
        return left % right
    if z3.is_int(left) and z3.is_int(right):
        rest = z3.Function("remainder", z3.IntSort(), z3.IntSort(), z3.IntSort())(left, right)
        given.add_fact(z3.Implies(right > 0, z3.And(rest >= 0, rest < right)))
        return rest
    return _real_function("remainder of reals", 2)(to_real(left), to_real(right))


_NUMERIC_OPERATORS: Final = frozenset(
    {
        "negate",
        "abs",
        "+",
        "-",
        "*",
        "/",
        "%",
        "min",
        "max",
        "<",
        "<=",
        "floor",
        "ln",
        "exp",
        "sqrt",
    }
)
_SIMPLE_OPERATORS: Final[dict[str, Callable[..., Term]]] = {
    "negate": lambda a: -a,
    "abs": absolute_value,
    "not": z3.Not,
    "+": lambda a, b: a + b,
    "-": lambda a, b: a - b,
    "*": lambda a, b: a * b,
    "min": lambda a, b: z3.If(a <= b, a, b),
    "max": lambda a, b: z3.If(a >= b, a, b),
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
    "and": z3.And,
    "or": z3.Or,
    "if": z3.If,
    "bits~": lambda a: ~a,
    "bits+": lambda a, b: a + b,
    "bits&": lambda a, b: a & b,
    "bits|": lambda a, b: a | b,
    "concat": z3.Concat,
}


def _apply_operator(expression: Apply, arguments: list[Term], given: SymbolTable) -> Term:
    operator = expression.operator
    if operator in _NUMERIC_OPERATORS and any(map(z3.is_bool, arguments)):
        raise TypeError(operator)  # z3 would convert a boolean to 0 or 1
    if operator == "/":
        return _divide(arguments[0], arguments[1], given)
    if operator == "%":
        return _take_remainder(arguments[0], arguments[1], given)
    if operator == "floor":
        return z3.ToInt(to_real(arguments[0]))
    if operator == "xor":
        left, right = arguments
        return z3.Xor(left, right) if z3.is_bool(left) else left ^ right
    if operator == "bit":
        if not z3.is_int_value(arguments[1]):
            raise UnsupportedProgram(
                "the index of a bit must be a number; write a literal.", expression.place
            )
        place = arguments[1].as_long()
        return z3.Extract(place, place, arguments[0]) == 1
    if operator in ("ln", "exp", "sqrt"):
        return _real_function(operator, 1)(to_real(arguments[0]))
    return _SIMPLE_OPERATORS[operator](*arguments)
