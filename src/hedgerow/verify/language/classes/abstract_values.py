"""What an expression of a mechanism's source stands for while it is read."""

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
    "ReserveValue",
    "SymbolicArray",
    "SymbolicValue",
    "TupleValue",
    "build_number_node",
]


@dataclass(frozen=True, slots=True)
class ConcreteValue:
    """A value that is fixed while reading: a flag, a sensitivity of 1, a name in a message."""

    value: Any


@dataclass(frozen=True, slots=True)
class SymbolicValue:
    """One value of the program: an expression in its variables. ``kind`` is int, real, bool or
    category; a category is one of so many.
    """

    node: ast.expr
    kind: str
    categories: int = 0


@dataclass(frozen=True, slots=True)
class SymbolicArray:
    """A list or an array: what stands at a place, and what is drawn for it. Nothing is drawn
    before the whole is told.
    """

    entry: Callable[[ast.expr], SymbolicValue]
    kind: str
    draws: tuple[CellDraw, ...] = ()
    categories: int = 0


@dataclass(frozen=True, slots=True)
class CellDraw:
    """Noise that every cell draws for itself, under this name."""

    name: str
    call: ast.expr


@dataclass(frozen=True, slots=True)
class OptionalValue:
    """A value, or None."""

    condition: ast.expr
    value: SymbolicValue


@dataclass(frozen=True, slots=True)
class TupleValue:
    """A tuple."""

    values: tuple[AbstractValue, ...]


@dataclass(frozen=True, slots=True)
class ArraySize:
    """How many cells something has; one, for a number."""

    array: SymbolicValue | SymbolicArray


@dataclass(frozen=True, slots=True)
class ReserveValue:
    """``Reserve(sampler)``; without a noise where the language has none of that name."""

    sampler: str
    noise: Noise | None


@dataclass(frozen=True, slots=True)
class LossValue:
    """A ``Loss``."""

    epsilon: AbstractValue
    delta: AbstractValue | None = None


@dataclass(frozen=True, slots=True)
class InstanceValue:
    """An instance of a class whose source is read."""

    definition: ClassSource
    fields: dict[str, AbstractValue]


@dataclass(frozen=True, slots=True)
class BoundMethod:
    """A method of what stands before the dot."""

    receiver: AbstractValue
    name: str


@dataclass(frozen=True, slots=True)
class QualifiedName:
    """A name whose meaning is known, and not read:
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
    | ReserveValue
    | LossValue
    | InstanceValue
    | FunctionSource
    | BoundMethod
    | QualifiedName
)


def build_number_node(value: object) -> ast.expr:
    """A number as the program writes it."""
    if isinstance(value, bool):
        return ast.Constant(value)
    if isinstance(value, int):
        return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if isinstance(value, Fraction):
        top = build_number_node(value.numerator)
        return (
            top
            if value.denominator == 1
            else ast.BinOp(top, ast.Div(), ast.Constant(value.denominator))
        )
    raise UnsupportedProgram(f"{str(value)[:40]!r} is not a number that a program knows")
