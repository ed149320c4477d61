"""The types of parameters that a client leaves open: from casts, from what a question compares
them with, or, in a catalogue statement, the first type that can be read."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from types import MappingProxyType
from typing import Final

from hedgerow.service.wire.parameter_uses import ParameterUse
from hedgerow.service.wire.statement_text import count_parameters, write_parameters

__all__ = ["guess_parameter_types", "infer_parameter_types", "write_stand_ins"]

_BOOL, _INT8, _TEXT, _OID, _NUMERIC = 16, 20, 25, 26, 1700
_DATE, _TIMESTAMP, _TIMESTAMPTZ, _TEXT_ARRAY = 1082, 1114, 1184, 1009
# A literal that stands for a parameter of a type while its statement is described.
_STAND_INS: Final[Mapping[int, str]] = {
    _BOOL: "TRUE",
    _DATE: "DATE '2000-01-01'",
    _TIMESTAMP: "TIMESTAMP '2000-01-01 00:00:00'",
    _TIMESTAMPTZ: "TIMESTAMP '2000-01-01 00:00:00'",
    **dict.fromkeys((_INT8, 21, 23, _OID, 700, 701, _NUMERIC), "1"),
    **dict.fromkeys((1005, 1007, 1016, 1028), "'{1}'"),
    **dict.fromkeys((1003, _TEXT_ARRAY, 1015), "'{a}'"),
}
_CATALOG_GUESSES: Final = (_TEXT, _INT8)
_CASTS: Final = re.compile(
    r"\$(?P<a>\d+)\s*::\s*(?P<x>[\w.]+(?:\[\])?)"
    r"|\bCAST\s*\(\s*\$(?P<b>\d+)\s+AS\s+(?P<y>[\w.]+(?:\[\])?)"
    r"|\b(?:epsilon|delta)\s*=\s*\$(?P<c>\d+)",
    re.IGNORECASE,
)
_ARRAYS: Final = re.compile(r"\b(?:ANY|ALL)\s*\(\s*\$(?P<number>\d+)\s*\)", re.IGNORECASE)
_TYPE_OIDS: Final[Mapping[str, int]] = {
    "bool": _BOOL,
    "boolean": _BOOL,
    "smallint": 21,
    "int2": 21,
    "int": 23,
    "integer": 23,
    "int4": 23,
    "bigint": _INT8,
    "int8": _INT8,
    "oid": _OID,
    "real": 700,
    "float4": 700,
    "double": 701,
    "float8": 701,
    "numeric": _NUMERIC,
    "decimal": _NUMERIC,
    "text": _TEXT,
    "name": _TEXT,
    "varchar": _TEXT,
    "regclass": _TEXT,
    "regtype": _TEXT,
    "date": _DATE,
    "timestamp": _TIMESTAMP,
    "timestamptz": _TIMESTAMPTZ,
    "text[]": _TEXT_ARRAY,
    "name[]": _TEXT_ARRAY,
    "varchar[]": _TEXT_ARRAY,
    "oid[]": 1028,
    "int[]": 1007,
    "int4[]": 1007,
    "integer[]": 1007,
    "int8[]": 1016,
    "bigint[]": 1016,
}


def infer_parameter_types(
    text: str, declared: Sequence[int], uses: Mapping[int, ParameterUse]
) -> tuple[int, ...]:
    """Return the types of the parameters of a question."""
    known = _read_known_types(text, declared)
    return tuple(
        oid or (uses[place].oid if place in uses else _TEXT)
        for place, oid in enumerate(known, start=1)
    )


def guess_parameter_types(
    text: str, declared: Sequence[int], can_read: Callable[[str], bool]
) -> tuple[int, ...]:
    """Return the types of the parameters of a catalogue statement."""
    arrays = {int(match["number"]) for match in _ARRAYS.finditer(text)}
    known = [
        oid or (_TEXT_ARRAY if place in arrays else 0)
        for place, oid in enumerate(_read_known_types(text, declared), start=1)
    ]
    found = [oid or _CATALOG_GUESSES[0] for oid in known]
    for place, oid in enumerate(known):
        if oid == 0:
            for guess in _CATALOG_GUESSES:
                found[place] = guess
                if can_read(write_stand_ins(text, found)):
                    break
            else:
                found[place] = _TEXT
    return tuple(found)


def write_stand_ins(
    text: str, oids: Sequence[int], uses: Mapping[int, ParameterUse] = MappingProxyType({})
) -> str:
    """Return a statement with a value in place of each parameter: one that it may be compared
    with, or else one of its type."""
    return write_parameters(
        text,
        [
            uses[place].stand_in if place in uses else _STAND_INS.get(oid, "'a'")
            for place, oid in enumerate(oids, start=1)
        ],
    )


def _read_known_types(text: str, declared: Sequence[int]) -> list[int]:
    """Return the types that the client or the statement names; 0 for each other parameter."""
    count = count_parameters(text)
    cast = _read_casts(text)
    return [
        oid or cast.get(place, 0)
        for place, oid in enumerate([*declared, *[0] * count][:count], start=1)
    ]


def _read_casts(text: str) -> dict[int, int]:
    """Return the types that a statement itself gives its parameters."""
    found: dict[int, int] = {}
    for match in _CASTS.finditer(text):
        number = int(match["a"] or match["b"] or match["c"])
        name = (match["x"] or match["y"] or "numeric").lower().rpartition(".")[2]
        if name in _TYPE_OIDS:
            found.setdefault(number, _TYPE_OIDS[name])
    return found
