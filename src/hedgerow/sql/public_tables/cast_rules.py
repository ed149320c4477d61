"""Rules for CAST and INTERVAL over public tables: from syntax nodes to fragments."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import Final

from sqlglot import exp

from hedgerow.sql.public_tables.expressions import (
    FragmentReader,
    FragmentRule,
    check_node,
    join_fragments,
)
from hedgerow.sql.public_tables.keywords import CAST_TYPES, INTERVALS
from hedgerow.sql.public_tables.phrases import Fragment, NumberLiteral

__all__ = ["CAST_RULES"]

_WHOLE_NUMBER: Final = re.compile(r"[0-9]{1,6}")
_TYPE_NAMES: Final = ", ".join(dict.fromkeys(CAST_TYPES.values()))


def _build_cast_reader(word: str) -> Callable[[exp.Expr, FragmentReader], Fragment]:
    def read(node: exp.Expr, reader: FragmentReader) -> Fragment:
        to = node.args["to"]
        kind = to.this if type(to) is exp.DataType else None
        type_ = CAST_TYPES.get(kind) if isinstance(kind, exp.DType) else None
        if type_ is None:
            reader.refuse(node, "CAST does not support this type", f"The types are {_TYPE_NAMES}.")
        written: Fragment = type_
        if type_ == "DECIMAL" and to.expressions:
            check_node(to, reader, exp.DataType, "this", "expressions")
            digits = map(reader.read_expression, _read_digits(to, reader))
            written = (type_, "(", join_fragments(digits), ")")
        else:
            check_node(to, reader, exp.DataType, "this")
        return (word, "(", reader.read_expression(node.this), "AS", written, ")")

    return read


def _read_digits(type_: exp.Expr, reader: FragmentReader) -> list[exp.Expr]:
    """Read the digits of a DECIMAL, and those behind the point."""
    found = [check_node(part, reader, exp.DataTypeParam, "this").this for part in type_.expressions]
    for part in found:
        if not (isinstance(part, exp.Literal) and part.is_int):
            reader.refuse(type_, "DECIMAL takes two whole numbers", "Write DECIMAL(15, 2).")
    return found


def _read_interval(node: exp.Interval, reader: FragmentReader) -> Fragment:
    """Read INTERVAL '30' DAY as to_days(30)."""
    unit, number = node.args.get("unit"), node.args.get("this")
    function = INTERVALS.get(unit.name.upper().removesuffix("S")) if type(unit) is exp.Var else None
    many = number.this if type(number) is exp.Literal else None
    if function is None or type(many) is not str or not _WHOLE_NUMBER.fullmatch(many):
        reader.refuse(
            node,
            "This INTERVAL is not supported over public tables and answers",
            "Write a whole number of days, weeks, months or years: INTERVAL 30 DAY.",
        )
    return (function, "(", NumberLiteral(int(many)), ")")


CAST_RULES: Final[Mapping[type[exp.Expr], FragmentRule]] = {
    exp.Cast: FragmentRule(_build_cast_reader("CAST"), ("this", "to")),
    exp.TryCast: FragmentRule(_build_cast_reader("TRY_CAST"), ("this", "to", "safe")),
    exp.Interval: FragmentRule(_read_interval, ("this", "unit")),
}
