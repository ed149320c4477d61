"""Programs as plain JSON data, encoded and decoded by value.

``decode`` builds instances of this package's own classes only, whatever object was encoded. A
program that is checked after decoding is therefore the program that runs, in this process or in
another.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping
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

__all__ = ["decode", "encode", "format_program", "rebuild_program"]

Check = Callable[[Any], bool]
_EXPRESSIONS: Final = (Number, Truth, Name, Read, Length, Apply)
_STATEMENTS: Final = (Assign, Sample, If, While, Output)


def _is(*kinds: type) -> Check:
    return lambda value: isinstance(value, kinds)


def _are(*kinds: type) -> Check:
    return lambda value: isinstance(value, tuple) and all(isinstance(one, kinds) for one in value)


def _is_integer(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool)


# The names in documents and hashes. They are stored: renaming a class or an attribute must not
# change one. Each part: its class, and for each stored field the attribute and its check.
_ENUMS: Final[Mapping[str, type[StrEnum]]] = {"Kind": Kind, "Noise": Noise, "Relation": Relation}
_PLACE: Final[Mapping[str, tuple[str, Check]]] = {"place": ("place", _is(Place))}
_PARTS: Final[Mapping[str, tuple[type, Mapping[str, tuple[str, Check]]]]] = {
    "Place": (Place, {"line": ("line", _is_integer), "column": ("column", _is_integer)}),
    "Number": (Number, {"value": ("value", _is(Fraction)), **_PLACE}),
    "Truth": (Truth, {"value": ("value", _is(bool)), **_PLACE}),
    "Name": (Name, {"name": ("name", _is(str)), **_PLACE}),
    "Read": (Read, {"list": ("list", _is(str)), "index": ("index", _is(*_EXPRESSIONS)), **_PLACE}),
    "Length": (Length, {"list": ("list", _is(str)), **_PLACE}),
    "Apply": (
        Apply,
        {
            "operator": ("operator", _is(str)),
            "arguments": ("arguments", _are(*_EXPRESSIONS)),
            **_PLACE,
        },
    ),
    "Assign": (
        Assign,
        {"name": ("name", _is(str)), "value": ("value", _is(*_EXPRESSIONS)), **_PLACE},
    ),
    "Sample": (
        Sample,
        {
            "name": ("name", _is(str)),
            "noise": ("noise", _is(Noise)),
            "parameters": ("parameters", _are(*_EXPRESSIONS)),
            "site": ("site", _is_integer),
            **_PLACE,
        },
    ),
    "If": (
        If,
        {
            "condition": ("condition", _is(*_EXPRESSIONS)),
            "then": ("then", _are(*_STATEMENTS)),
            "otherwise": ("otherwise", _are(*_STATEMENTS)),
            **_PLACE,
        },
    ),
    "While": (
        While,
        {
            "condition": ("condition", _is(*_EXPRESSIONS)),
            "body": ("body", _are(*_STATEMENTS)),
            **_PLACE,
        },
    ),
    "Output": (Output, {"value": ("value", _is(*_EXPRESSIONS)), **_PLACE}),
    "Parameter": (
        Parameter,
        {
            "name": ("name", _is(str)),
            "kind": ("kind", _is(Kind)),
            "private": ("private", _is(bool)),
            "list": ("list", _is(bool)),
            "width": ("width", _is(*_EXPRESSIONS, type(None))),
            **_PLACE,
        },
    ),
    "Neighbours": (
        Neighbours,
        {"relation": ("relation", _is(Relation)), "k": ("k", _is_integer)},
    ),
    "Claim": (
        Claim,
        {
            "epsilon": ("epsilon", _is(*_EXPRESSIONS)),
            "neighbours": ("neighbours", _is(Neighbours)),
            "delta": ("delta", _is(*_EXPRESSIONS, type(None))),
        },
    ),
    "Program": (
        Program,
        {
            "name": ("name", _is(str)),
            "parameters": ("parameters", _are(Parameter)),
            "body": ("body", _are(*_STATEMENTS)),
            "claim": ("claim", _is(Claim)),
            "source": ("source", _is(str)),
            **_PLACE,
        },
    ),
}
_UNHASHED_FIELDS: Final = {"place", "source"}  # of the source text, not of the meaning


def encode(value: Any) -> Any:
    """Return a program, a part of one, or a number as JSON data."""
    match value:
        case Fraction():  # in base 16, which has no limit on digits
            return {"Fraction": [f"{value.numerator:x}", f"{value.denominator:x}"]}
        case StrEnum():
            return {_find_name(value): [str(value)]}
        case None | bool() | str():
            return value
        case int():
            return {"int": [f"{value:x}"]}
        case tuple() | list():
            return [encode(one) for one in value]
    name = _find_name(value)
    attributes = [attribute for attribute, _ in _PARTS[name][1].values()]
    return {name: [encode(getattr(value, attribute)) for attribute in attributes]}


def _find_name(value: Any) -> str:
    kinds = {**_ENUMS, **{name: kind for name, (kind, _) in _PARTS.items()}}
    for name, kind in kinds.items():
        if isinstance(value, kind):
            return name
    raise InvalidArgument("program", "must be made of the parts that programs have", str(value))


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
            if name in _ENUMS:
                return _ENUMS[name](*map(decode, parts))
            if name in _PARTS:
                kind, fields = _PARTS[name]
                made = kind(*map(decode, parts))
                if all(check(getattr(made, attribute)) for attribute, check in fields.values()):
                    return made
                raise InvalidArgument(
                    "program", "must be made of the parts that programs have", name
                )
    raise InvalidArgument("program", "must be data that encode() produced")


def format_program(value: Any) -> str:
    """Return the text of a program that its hash covers: all of its meaning, not its source."""
    match value:
        case StrEnum():
            return f"<{_find_name(value)}.{str(value).upper()}: {str(value)!r}>"
        case tuple():
            return f"({', '.join(map(format_program, value))}{',' if len(value) == 1 else ''})"
        case None | Fraction() | int() | str():
            return repr(value)
    name = _find_name(value)
    fields = ", ".join(
        f"{stored}={format_program(getattr(value, attribute))}"
        for stored, (attribute, _) in _PARTS[name][1].items()
        if stored not in _UNHASHED_FIELDS
    )
    return f"{name}({fields})"


def rebuild_program(program: Program) -> Program:
    """Return a copy of the program that consists of plain nodes only."""
    try:
        found = decode(json.loads(json.dumps(encode(program))))
    except (AttributeError, TypeError, ValueError, RecursionError):
        found = None
    if not isinstance(found, Program):
        raise InvalidArgument("program", "must consist of nodes of verify.language.program")
    return found
