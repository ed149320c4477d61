"""Random expressions and rows: columns of every type, bounded and not, with NULLs and numbers at
the ends.

They are drawn from a plain generator, since thousands are wanted in a second; the number that a
test starts it with names the example.
"""

from __future__ import annotations

import sys
from collections.abc import Sequence
from datetime import date, datetime, timedelta
from fractions import Fraction
from random import Random
from typing import Any

from hedgerow.engines.reference.column_casts import read_value
from hedgerow.errors import Refused
from hedgerow.plan.scalar.expressions import Call, ColumnRef, Constant, Expression, infer_range
from hedgerow.plan.schema import Column, Schema
from hedgerow.plan.values import Range, Type, Value, number_date

COLUMNS = (
    Column("i", "integer", Fraction(-3), Fraction(3)),
    Column("h", "integer", Fraction(-(2**61)), Fraction(2**61)),
    Column("j", "integer"),
    Column("r", "real", Fraction(-2), Fraction(2), Fraction(1, 8)),
    Column("q", "real", Fraction(1, 10), Fraction(10**300)),
    Column("s", "real"),
    Column("t", "text", values=("a", "b", "%")),
    Column("u", "text"),
    Column("b", "boolean"),
    Column("c", "boolean"),
    Column(
        "d",
        "date",
        Fraction(date(2019, 12, 30).toordinal()),
        Fraction(date(2021, 2, 3).toordinal()),
    ),
    Column("e", "date"),
    Column(
        "y",
        "timestamp",
        Fraction(number_date(datetime(2019, 12, 31, 22))),
        Fraction(number_date(datetime(2020, 1, 2, 7, 30))),
    ),
    Column("z", "timestamp"),
)
SCHEMA = Schema("visits", COLUMNS, "id")
RANGES: dict[str, Range] = {column.name: column.range for column in COLUMNS}

NUMBERS: tuple[Type, ...] = ("integer", "real")
ALL: tuple[Type, ...] = ("integer", "real", "text", "boolean", "date", "timestamp")
COMPARISONS = ("=", "<>", "<", "<=", ">", ">=")
_INTEGERS = (2**53, 2**53 + 1, 2**62, -(2**62), 2**63 - 1, -(2**63))
_REALS = (
    -0.0,
    0.1,
    0.49999999999999994,
    2.0**53,
    5e-324,
    -5e-324,
    1e300,
    -1e300,
    sys.float_info.max,
    -sys.float_info.max,
)
_TEXTS = ("", "a", "b", "ab", "%", "a%b", "_", "%b", "ä", "a\nb", " B ", "ß", "İ")
_DAYS = (
    date.min,
    date.max,
    date(2020, 2, 29),
    date(2020, 1, 1),
    date(2020, 12, 31),
    date(2021, 1, 31),
)
_MOMENTS = (
    datetime.min,
    datetime.max,
    datetime(1969, 12, 31, 23, 59, 59, 999_999),
    datetime(2020, 2, 29, 12),
    datetime(2020, 1, 31, 23, 59, 59),
)


def value(random: Random, type_: Type) -> Any:
    """Mostly small, so that equal ones meet; now and then at the ends."""
    rare = random.random() < 0.2
    if type_ == "integer":
        return random.choice(_INTEGERS) if rare else random.randint(-4, 4)
    if type_ == "real":
        return random.choice(_REALS) if rare else random.randint(-6, 6) / 2
    if type_ == "text":
        return random.choice(_TEXTS)
    if type_ == "boolean":
        return random.random() < 0.5
    if type_ == "timestamp":
        minutes = timedelta(minutes=random.randint(-200, 4000))
        return random.choice(_MOMENTS) if rare else datetime(2020, 1, 1) + minutes
    return random.choice(_DAYS) if rare else date(2020, 1, 1) + timedelta(random.randint(-40, 400))


def row(random: Random) -> dict[str, Value]:
    found: dict[str, Value] = {}
    for column in COLUMNS:
        raw = None if random.random() < 0.2 else value(random, column.type)
        if column.type == "real" and random.random() < 0.05:
            raw = random.choice([float("inf"), float("-inf"), float("nan")])
        found[column.name] = read_value(column, raw)
    return found


def _leaf(random: Random, type_: Type) -> Expression:
    if random.random() < 0.6:
        return ColumnRef(random.choice([column.name for column in COLUMNS if column.type == type_]))
    return Constant(None if random.random() < 0.1 else value(random, type_), type_)


def expression(random: Random, type_: Type | None = None, depth: int = 3) -> Expression:
    """An expression of the type, or any; where the rules refuse what was drawn, a leaf."""
    type_ = type_ or random.choice(ALL)
    if depth == 0 or random.random() < 0.15:
        return _leaf(random, type_)
    function, types = random.choice(_forms(random, type_))
    call = Call(function, tuple(expression(random, argument, depth - 1) for argument in types))
    try:
        return call if infer_range(call, RANGES).type == type_ else _leaf(random, type_)
    except Refused:
        return _leaf(random, type_)


def _forms(random: Random, type_: Type) -> Sequence[tuple[str, Sequence[Type]]]:
    x, y = (random.choice(NUMBERS) if type_ in NUMBERS else type_ for _ in range(2))
    forms: list[tuple[str, Sequence[Type]]] = [
        ("coalesce", (x, y, type_)),
        ("case", ("boolean", x, "boolean", y, type_)),
        ("case", ("boolean", type_, type_)),
        ("nullif", (type_, y)),
    ]
    if type_ in NUMBERS:
        forms += [
            (name, (x, y)) for name in ("+", "-", "*", "+", "-", "*", "least", "greatest")
        ] + [(name, (type_,)) for name in ("negate", "abs")]
    if type_ == "integer":
        forms += [(name, (x,)) for name in ("floor", "ceil", "round")] + [
            ("%", ("integer", "integer"))
        ]
        forms += [
            (
                random.choice(("year", "quarter", "month", "day", "day of week", "day of year")),
                ("date",),
            )
        ]
        forms += [("length", ("text",)), ("days between", ("date", "date"))]
    if type_ == "real":
        forms += [(name, (x,)) for name in ("sqrt", "ln", "log2", "to real")] + [("/", (x, y))] * 2
    if type_ == "integer":
        forms += [(random.choice(("hour", "minute", "second")), ("timestamp",))]
        forms += [("hours between", ("timestamp", "timestamp"))]
    if type_ == "timestamp":
        forms += [(random.choice(("start of hour", "start of minute")), ("timestamp",))]
        forms += [("to timestamp", ("date",)), ("least", ("timestamp", "timestamp"))]
        forms += [
            (random.choice(("add microseconds", "add calendar months")), ("timestamp", "integer"))
        ]
    if type_ == "date":
        forms += [("to date", ("timestamp",))]
        forms += [
            (random.choice(("start of year", "start of quarter", "start of month")), ("date",))
        ]
        forms += [(name, ("date", "integer")) for name in ("add days", "add months")]
        forms += [(name, ("date", "date")) for name in ("least", "greatest")]
    if type_ == "text":
        forms += [("to text", (random.choice(("integer", "boolean", "date", "timestamp")),))]
        forms += [(name, ("text",)) for name in ("lower", "upper", "trim")] + [
            ("concat", ("text", "text", "text"))
        ]
        forms += [("substring", ("text", "integer", "integer")), ("right", ("text", "integer"))]
    return [*forms, *_conditions(random)] if type_ == "boolean" else forms


def _conditions(random: Random) -> list[tuple[str, Sequence[Type]]]:
    a = random.choice(ALL)
    b = random.choice(NUMBERS) if a in NUMBERS else a
    return [
        *((random.choice(COMPARISONS), (a, b)) for _ in range(4)),
        *(("in", (a, *(random.choice((a, b)) for _ in range(length)))) for length in (1, 2, 3)),
        ("like", ("text", "text")),
        ("starts with", ("text", "text")),
        *((random.choice(("and", "or")), ("boolean",) * length) for length in (2, 2, 3)),
        ("not", ("boolean",)),
        ("not", ("boolean",)),
        ("is null", (a,)),
    ]
