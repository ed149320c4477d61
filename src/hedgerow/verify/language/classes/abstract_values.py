"""Abstract values: the values of expressions in a mechanism's source while it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from hedgerow.verify.language.classes.modules import ClassSource, FunctionSource, QualifiedName
from hedgerow.verify.language.program import Noise
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = [
    "AbstractValue",
    "ArraySize",
    "BoundMethod",
    "CellDraw",
    "ConcreteValue",
    "InstanceValue",
    "LossValue",
    "OptionalValue",
    "QualifiedName",
    "SamplePoolValue",
    "SymbolicArray",
    "SymbolicValue",
    "TupleValue",
    "build_number_node",
    "get_entry",
    "merge_draws",
]


@dataclass(frozen=True, slots=True)
class ConcreteValue:
    """A value that is known while reading: a flag, a sensitivity of 1, a name in a message."""

    value: Any


@dataclass(frozen=True, slots=True)
class SymbolicValue:
    """A scalar of the program, as an expression in its variables. ``kind`` is int, real, bool,
    category or bound; a category is one of ``categories`` values.
    """

    node: ast.expr
    kind: str
    categories: int = 0


@dataclass(frozen=True, slots=True)
class SymbolicArray:
    """A list or an array, by its entry at an index and the draws of each cell. Draws are emitted
    when the array is output.
    """

    entry: Callable[[ast.expr], SymbolicValue]
    kind: str
    draws: tuple[CellDraw, ...] = ()
    categories: int = 0


@dataclass(frozen=True, slots=True)
class CellDraw:
    """Noise that each cell draws for itself, under this name."""

    name: str
    call: ast.expr


@dataclass(frozen=True, slots=True)
class OptionalValue:
    """A value if ``condition`` holds, otherwise None."""

    condition: ast.expr
    value: SymbolicValue


@dataclass(frozen=True, slots=True)
class TupleValue:
    values: tuple[AbstractValue, ...]


@dataclass(frozen=True, slots=True)
class ArraySize:
    """The number of cells of a value; 1 for a scalar."""

    array: SymbolicValue | SymbolicArray


@dataclass(frozen=True, slots=True)
class SamplePoolValue:
    """A ``SamplePool(sampler)``; ``noise`` is None if the language lacks its distribution."""

    sampler: str
    noise: Noise | None


@dataclass(frozen=True, slots=True)
class LossValue:
    epsilon: AbstractValue
    delta: AbstractValue | None = None


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class whose source is read."""

    definition: ClassSource
    fields: dict[str, AbstractValue]


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method of ``receiver``."""

    receiver: AbstractValue
    name: str


AbstractValue: TypeAlias = (
    ConcreteValue
    | SymbolicValue
    | SymbolicArray
    | OptionalValue
    | TupleValue
    | ArraySize
    | SamplePoolValue
    | LossValue
    | InstanceValue
    | FunctionSource
    | BoundMethod
    | QualifiedName
)


def get_entry(value: AbstractValue, place: ast.expr) -> AbstractValue:
    """Return the entry of an array at a place; a scalar is the same at each place."""
    return value.entry(place) if isinstance(value, SymbolicArray) else value


def merge_draws(*values: AbstractValue) -> tuple[CellDraw, ...]:
    """Return the draws of all arrays among these values, each once."""
    arrays = [one for one in values if isinstance(one, SymbolicArray)]
    return tuple(dict.fromkeys(draw for one in arrays for draw in one.draws))


def build_number_node(value: object) -> ast.expr:
    """Build the expression of a number or Boolean."""
    match value:
        case bool():
            return ast.Constant(value)
        case int() if value < 0:
            return ast.UnaryOp(ast.USub(), ast.Constant(-value))
        case int():
            return ast.Constant(value)
        case Fraction(denominator=1):
            return build_number_node(value.numerator)
        case Fraction():
            top, bottom = build_number_node(value.numerator), ast.Constant(value.denominator)
            return ast.BinOp(top, ast.Div(), bottom)
    raise UnsupportedProgram(
        f"{str(value)[:40]!r} is not a number; use an int, a Fraction or a bool"
    )
