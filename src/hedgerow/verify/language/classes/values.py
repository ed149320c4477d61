"""What an expression of a mechanism's source stands for while it is read."""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, TypeAlias

from hedgerow.verify.language.classes.modules import Class, Routine
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Noise

__all__ = [
    "Arm",
    "Cells",
    "Cost",
    "Known",
    "Maybe",
    "Method",
    "Several",
    "Size",
    "Stock",
    "Thing",
    "Told",
    "Value",
    "Word",
    "number_node",
]


@dataclass(frozen=True, slots=True)
class Known:
    """A value that is fixed while reading: a flag, a sensitivity of 1, a name in a message."""

    value: Any


@dataclass(frozen=True, slots=True)
class Told:
    """One value of the program: an expression in its variables. ``kind`` is int, real, bool or category; a category is one of so many."""

    node: ast.expr
    kind: str
    of: int = 0


@dataclass(frozen=True, slots=True)
class Cells:
    """A list or an array: what stands at a place, and what is drawn for it. Nothing is drawn before the whole is told."""

    entry: Callable[[ast.expr], Told]
    kind: str
    draws: tuple[Arm, ...] = ()
    of: int = 0


@dataclass(frozen=True, slots=True)
class Arm:
    """Noise that every cell draws for itself, under this name."""

    name: str
    call: ast.expr


@dataclass(frozen=True, slots=True)
class Maybe:
    """A value, or None."""

    condition: ast.expr
    value: Told


@dataclass(frozen=True, slots=True)
class Several:
    """A tuple."""

    values: tuple[Value, ...]


@dataclass(frozen=True, slots=True)
class Size:
    """How many cells something has; one, for a number."""

    like: Told | Cells


@dataclass(frozen=True, slots=True)
class Stock:
    """``Reserve(sampler)``; without a noise where the language has none of that name."""

    sampler: str
    noise: Noise | None


@dataclass(frozen=True, slots=True)
class Cost:
    """A ``Loss``."""

    epsilon: Value
    delta: Value | None = None


@dataclass(frozen=True, slots=True)
class Thing:
    """An instance of a class whose source is read."""

    kind: Class
    fields: dict[str, Value]


@dataclass(frozen=True, slots=True)
class Method:
    """A method of what stands before the dot."""

    of: Value
    name: str


@dataclass(frozen=True, slots=True)
class Word:
    """A name whose meaning is known, and not read: ``hedgerow.numeric.race.race``."""

    name: str


Value: TypeAlias = Known | Told | Cells | Maybe | Several | Size | Stock | Cost | Thing | Routine | Method | Word


def number_node(value: object) -> ast.expr:
    """A number as the program writes it."""
    if isinstance(value, bool):
        return ast.Constant(value)
    if isinstance(value, int):
        return ast.Constant(value) if value >= 0 else ast.UnaryOp(ast.USub(), ast.Constant(-value))
    if isinstance(value, Fraction):
        top = number_node(value.numerator)
        return top if value.denominator == 1 else ast.BinOp(top, ast.Div(), ast.Constant(value.denominator))
    raise Outside(f"{str(value)[:40]!r} is not a number that a program knows")
