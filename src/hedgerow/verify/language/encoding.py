"""Programs as plain JSON data, encoded and decoded by value.

``decode`` builds instances of this package's own classes only, whatever object was encoded. A
program that is checked after decoding is therefore the program that runs, in this process or in
another.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import Field, fields
from enum import StrEnum
from fractions import Fraction
from typing import Any, Final

from hedgerow.errors import InvalidArgument
from hedgerow.verify.language.program import (
    Apply,
    Assign,
    Claim,
    If,
    Kind,
    Length,
    Name,
    Neighbours,
    Noise,
    Number,
    Output,
    Parameter,
    Place,
    Program,
    Read,
    Relation,
    Sample,
    Truth,
    While,
)

__all__ = ["decode", "encode", "rebuild_program"]

_CLASSES: Final[dict[str, Callable[..., Any]]] = {
    one.__name__: one
    for one in (
        *(Place, Number, Truth, Name, Read, Length, Apply, Assign, Sample, If, While, Output),
        *(Parameter, Neighbours, Claim, Program, Kind, Noise, Relation),
    )
}
_EXPRESSIONS: Final = (Number, Truth, Name, Read, Length, Apply)
_STATEMENTS: Final = (Assign, Sample, If, While, Output)
_FIELD_CHECKS: Final[dict[str, Callable[[Any], bool]]] = {
    "Fraction": lambda value: isinstance(value, Fraction),
    "bool": lambda value: isinstance(value, bool),
    "str": lambda value: isinstance(value, str),
    "int": lambda value: isinstance(value, int) and not isinstance(value, bool),
    "Place": lambda value: isinstance(value, Place),
    "Kind": lambda value: isinstance(value, Kind),
    "Noise": lambda value: isinstance(value, Noise),
    "Relation": lambda value: isinstance(value, Relation),
    "Neighbours": lambda value: isinstance(value, Neighbours),
    "Claim": lambda value: isinstance(value, Claim),
    "Expression": lambda value: isinstance(value, _EXPRESSIONS),
    "Expression | None": lambda value: value is None or isinstance(value, _EXPRESSIONS),
    "tuple[Expression, ...]": lambda value: _are_all(value, _EXPRESSIONS),
    "tuple[Parameter, ...]": lambda value: _are_all(value, (Parameter,)),
    "Block": lambda value: _are_all(value, _STATEMENTS),
}


def encode(value: Any) -> Any:
    """Return a program, a part of one, or a number as JSON data."""
    if isinstance(value, Fraction):  # in base 16, which has no limit on digits
        return {"Fraction": [f"{value.numerator:x}", f"{value.denominator:x}"]}
    if isinstance(value, StrEnum):
        return {type(value).__name__: [str(value)]}
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, int):
        return {"int": [f"{value:x}"]}
    if isinstance(value, tuple | list):
        return [encode(one) for one in value]
    for name, one in _CLASSES.items():
        if isinstance(value, one):  # type: ignore[arg-type]
            return {name: [encode(getattr(value, field.name)) for field in fields(value)]}
    raise InvalidArgument(
        "program",
        "must consist of nodes of verify.language.program",
        type(value).__name__,
    )


def decode(plain: Any) -> Any:
    """Return the decoded value, with lists as tuples."""
    match plain:
        case None | bool() | str():
            return plain
        case list():
            return tuple(map(decode, plain))
        case {"Fraction": [str(numerator), str(denominator)]}:
            return Fraction(int(numerator, 16), int(denominator, 16))
        case {"int": [str(digits)]}:
            return int(digits, 16)
        case dict() if len(plain) == 1:
            ((name, parts),) = plain.items()
            if name in _CLASSES:
                return _check_fields(_CLASSES[name](*map(decode, parts)))
    raise InvalidArgument("program", "must be data that encode() produced")


def _check_fields(node: Any) -> Any:
    """Return the node if each field has its declared type."""
    each: tuple[Field[Any], ...] = () if isinstance(node, StrEnum) else fields(node)
    if not all(_FIELD_CHECKS[str(field.type)](getattr(node, field.name)) for field in each):
        raise InvalidArgument(
            "program",
            "must consist of nodes of verify.language.program",
            type(node).__name__,
        )
    return node


def _are_all(value: Any, kinds: tuple[type, ...]) -> bool:
    return isinstance(value, tuple) and all(isinstance(one, kinds) for one in value)


def rebuild_program(program: Program) -> Program:
    """Return a copy of the program that consists of plain nodes only."""
    try:
        found = decode(json.loads(json.dumps(encode(program))))
    except (AttributeError, TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, Program):
        raise InvalidArgument("program", "must consist of nodes of verify.language.program")
    return found
