"""Abstract values: the values of expressions in a mechanism's source while it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from hedgerow.verify.language.classes.modules import ClassSource, FunctionSource
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


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """The full name of a function or class:
    ``hedgerow.numeric.samplers.argmax_sampler.noisy_argmax``.
    """

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


def build_number_node(value: object) -> ast.expr:
    """Build the expression of a number or Boolean."""
    if isinstance(value, bool):
        return ast.Constant(value)
    if isinstance(value, int):
        return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if isinstance(value, Fraction):
        top = build_number_node(value.numerator)
        if value.denominator == 1:
            return top
        return ast.BinOp(top, ast.Div(), ast.Constant(value.denominator))
    raise UnsupportedProgram(
        f"{str(value)[:40]!r} is not a number; use an int, a Fraction or a bool"
    )
