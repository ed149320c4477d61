"""The types and the values that every function may be given."""

from __future__ import annotations

import math
from datetime import date, datetime
from fractions import Fraction
from random import Random
from typing import Any

from hedgerow.plan.scalar.dates import DATE_SHIFTS
from hedgerow.plan.scalar.functions import LOGARITHMS
from hedgerow.plan.scalar.strings import STRING_FUNCTIONS
from hedgerow.plan.scalar.timestamps import TIMESTAMP_FUNCTIONS
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range, Type, Value, number_date
from hedgerow.sql.syntax.pattern_matching import Pattern
from plan import trees

ARITY = {
    "case": (3, 5),
    "coalesce": (1, 3),
    "in": (2, 4),
    "and": (2, 3),
    "or": (2, 3),
    "least": (2, 3),
    "greatest": (2, 3),
}


UNARY = {
    "negate",
    "abs",
    "floor",
    "ceil",
    "round",
    "sqrt",
    *LOGARITHMS,
    "to real",
    "to text",
    "not",
    "is null",
}


KINDS: dict[Type, type] = {
    "boolean": bool,
    "integer": int,
    "real": float,
    "text": str,
    "date": date,
    "timestamp": datetime,
}


PATTERNS: dict[tuple[Type, str], Value] = {
    ("text", "c1"): Pattern(["or", ["set", 97, 98], ["$"]]),
    ("text", "c2"): r"<\0",
    ("integer", "c2"): 0,
    ("boolean", "c3"): False,
}


ZERO, ONE = Fraction(0), Fraction(1)


def column(random: Random, name: str, type_: Type) -> Column:
    """Bounds anywhere, also at the ends and on one point; sometimes none."""
    if type_ in ("text", "boolean") or random.random() < 0.15:
        return Column(name, type_)
    ends = [trees.value(random, type_) for _ in range(2)]
    if random.random() < 0.3:
        ends[1] = ends[0]
    most = Fraction(2**1000)
    low, high = sorted(
        min(max(Fraction(number_date(end) if isinstance(end, date) else end), -most), most)
        for end in ends
    )
    return Column(name, type_, low, most if type_ == "real" and random.random() < 0.1 else high)


def types_of(random: Random, function: str) -> list[Type]:
    """Types that the function may accept, or not: then it must refuse."""
    if function in STRING_FUNCTIONS:
        return (
            [*STRING_FUNCTIONS[function][0], *random.choice([["text"], []])]
            if function == "concat"
            else list(STRING_FUNCTIONS[function][0])
        )
    if function in ("days between", *DATE_SHIFTS):
        return ["date", "date" if function == "days between" else "integer"]
    if function in TIMESTAMP_FUNCTIONS:
        if function.startswith("add"):
            return ["timestamp", "integer"]
        unary = not function.endswith("between")
        return ["date" if function == "to timestamp" else "timestamp"] * (1 if unary else 2)
    if function.startswith(("start of", "day", "year", "quarter", "month")):
        return ["date"]
    if function in ("and", "or", "not"):
        return ["boolean"] * (1 if function == "not" else random.choice(ARITY[function]))
    if function == "to text":
        return [random.choice(trees.ALL)]
    if function == "like":
        return ["text", "text"]
    if function in ("least", "greatest") and random.random() < 0.3:
        return [random.choice(("date", "timestamp"))] * random.choice(ARITY[function])
    count = 1 if function in UNARY else random.choice(ARITY.get(function, (2,)))
    first = random.choice(
        trees.ALL
        if function
        in (
            "=",
            "<>",
            "<",
            "<=",
            ">",
            ">=",
            "in",
            "case",
            "coalesce",
            "nullif",
            "is null",
        )
        else trees.NUMBERS
    )
    types: list[Type] = [
        random.choice(trees.NUMBERS) if first in trees.NUMBERS else first for _ in range(count)
    ]
    return [
        "boolean" if function == "case" and i % 2 == 0 and i < count - 1 else type_
        for i, type_ in enumerate(types)
    ]


def inside(value: Any, known: Range) -> bool:
    """In the list and between the bounds; reals may be off by rounding, which is relative to the
    larger bound.
    """
    number = Fraction(number_date(value)) if isinstance(value, date) else value
    if known.values is not None and value not in known.values:
        return False
    if (known.low is None and known.high is None) or isinstance(value, bool | str):
        return True
    slack = Fraction(0)
    if known.type == "real":
        slack = max(abs(known.low or 0), abs(known.high or 0)) / 2**50 + Fraction(1, 2**1060)
        if math.isinf(value):
            return (known.high if value > 0 else known.low) is None
    exact = Fraction(number)
    return (known.low is None or known.low - slack <= exact) and (
        known.high is None or exact <= known.high + slack
    )
