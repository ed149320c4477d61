"""Every function of the list: total on its types, and within the range that it announces."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from datetime import date, datetime
from fractions import Fraction
from random import Random

import pytest

from hedgerow.engines.reference.column_casts import read_value
from hedgerow.errors import Refused, Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Call, ColumnRef, evaluate, infer_range, insert_casts
from hedgerow.plan.scalar.functions import FUNCTIONS, round_half_away
from hedgerow.plan.schema import Column
from hedgerow.plan.values import Range, Value
from plan import trees
from plan.scalar.helpers_function_types import KINDS, ONE, PATTERNS, ZERO, column, inside, types_of


def test_the_list_is_closed() -> None:
    assert len(FUNCTIONS) == 30 + 10 + 3 + 8 + 13 + 1 + 3 + 1 + 4 + 2
    assert all(name == function.name for name, function in FUNCTIONS.items())


@pytest.mark.long
@pytest.mark.parametrize("function", FUNCTIONS)
def test_values_lie_in_the_range_that_is_announced(function: str) -> None:
    tried = 0
    for example in range(100):
        random = Random(f"{function} {example}")
        columns = [
            column(random, f"c{i}", type_) for i, type_ in enumerate(types_of(random, function))
        ]
        call, ranges = (
            Call(function, tuple(ColumnRef(c.name) for c in columns)),
            {c.name: c.range for c in columns},
        )
        if function.endswith("pattern"):  # patterns are written in the question
            columns[1:] = [
                Column(c.name, c.type, values=(PATTERNS[c.type, c.name],)) for c in columns[1:]
            ]
            ranges = {c.name: c.range for c in columns}
        try:
            known = infer_range(call, ranges)
        except Refused:
            continue
        tried += 1
        for _ in range(8):
            row: dict[str, Value] = {
                c.name: read_value(
                    c, None if random.random() < 0.1 else trees.value(random, c.type)
                )
                for c in columns
            }
            value = evaluate(insert_casts(call, ranges), row)
            if value is None:
                assert known.nullable or any(v is None for v in row.values()), (example, row)
            else:
                assert type(value) is KINDS[known.type], (example, row, value)
                assert inside(value, known), (example, row, value, known)
    assert tried > 8


@pytest.mark.parametrize(
    ("function", "arguments", "value"),
    [
        ("+", (1, 0.5), 1.5),
        ("+", (2**53 + 1, 0.0), 2.0**53),
        ("-", (1, 3), -2),
        ("*", (2, 0.5), 1.0),
        ("/", (7, 2), 3.5),
        ("/", (7, 0), None),
        ("/", (7.0, -0.0), None),
        ("%", (7, 3), 1),
        ("%", (-7, 3), -1),
        ("%", (7, -3), 1),
        ("%", (7, 0), None),
        ("negate", (3,), -3),
        ("abs", (-3,), 3),
        ("floor", (-1.5,), -2),
        ("ceil", (-1.5,), -1),
        ("round", (-1.5,), -2),
        ("round", (2.5,), 3),
        ("sqrt", (4,), 2.0),
        ("sqrt", (-4,), None),
        ("ln", (1,), 0.0),
        ("ln", (0.0,), None),
        ("log10", (1000,), 3.0),
        ("log2", (8.0,), 3.0),
        ("log2", (-1,), None),
        ("least", (2, 1.5), 1.5),
        ("greatest", (2, 1.5), 2.0),
        ("to real", (2,), 2.0),
        ("to text", (-3,), "-3"),
        ("to text", (True,), "true"),
        ("to text", (date(1, 1, 1),), "0001-01-01"),
        ("to text", (datetime(2020, 1, 1),), "2020-01-01 00:00:00"),
        ("to text", (datetime(2020, 1, 1, 1, 2, 3, 400_000),), "2020-01-01 01:02:03.4"),
        ("=", (2**53 + 1, 2.0**53), True),
        ("<>", ("a", "b"), True),
        ("<", (1, 1), False),
        ("<=", (1, 1), True),
        (">", ("b", "a"), True),
        (">=", (date(2020, 1, 1), date(2020, 1, 2)), False),
        ("in", (1, 2, 1), True),
        ("in", (1, 2, None), None),
        ("like", ("abc", "a%"), True),
        ("and", (True, None, False), False),
        ("or", (None, True), True),
        ("not", (True,), False),
        ("not", (None,), None),
        ("is null", (None,), True),
        ("case", (None, 1, 2), 2),
        ("coalesce", (None, 2), 2),
        ("nullif", (2, 2), None),
        ("quarter", (date(2020, 4, 1),), 2),
        ("start of quarter", (date(2020, 6, 1),), date(2020, 4, 1)),
        ("least", (date(2020, 6, 1), date(2020, 4, 1)), date(2020, 4, 1)),
        ("greatest", (date(2020, 6, 1), None), None),
        ("add days", (date(2020, 2, 28), 2), date(2020, 3, 1)),
        ("add months", (date(2020, 3, 31), -1), date(2020, 2, 29)),
        ("hour", (datetime(2020, 1, 1, 23, 59, 58),), 23),
        ("minute", (datetime(2020, 1, 1, 23, 59, 58),), 59),
        ("second", (datetime(2020, 1, 1, 23, 59, 58, 999999),), 58),
        ("to date", (datetime(1969, 12, 31, 23),), date(1969, 12, 31)),
        ("to timestamp", (date(2020, 1, 1),), datetime(2020, 1, 1)),
        ("start of hour", (datetime(2020, 1, 1, 23, 59),), datetime(2020, 1, 1, 23)),
        ("add microseconds", (datetime(2020, 2, 28, 23), 3600 * 10**6), datetime(2020, 2, 29)),
        ("add microseconds", (datetime.max, 1), datetime.max),
        ("add microseconds", (datetime(2020, 1, 1), -(2**62)), datetime.min),
        ("add calendar months", (datetime(2020, 1, 31, 5), 1), datetime(2020, 2, 29, 5)),
        ("hours between", (datetime(2020, 1, 1, 0, 59), datetime(2020, 1, 1, 1)), 1),
        ("minutes between", (datetime(2020, 1, 1, 1), datetime(2020, 1, 1, 0, 59, 59)), -1),
        ("seconds between", (datetime(2020, 1, 1), datetime(2020, 1, 2)), 86_400),
        ("<", (datetime(2020, 1, 1), datetime(2020, 1, 1, 1)), True),
        ("days between", (date(2020, 1, 1), date(2020, 3, 1)), 60),
        ("length", (None,), None),
        ("position", ("aab", "b"), 3),
        ("position", ("aab", "c"), 0),
        ("position", ("", ""), 1),
        ("concat", ("a", "", "b"), "ab"),
    ],
)
def test_meaning(function: str, arguments: tuple[Value, ...], value: Value) -> None:
    row = {f"c{i}": argument for i, argument in enumerate(arguments)}
    found = evaluate(Call(function, tuple(map(ColumnRef, row))), row)
    assert (type(found), found) == (type(value), value)


def test_half_away() -> None:
    assert [round_half_away(x) for x in (0.5, -0.5, 1.5, 2.4, 0.49999999999999994, -0.0)] == [
        1,
        -1,
        2,
        2,
        0,
        0,
    ]
    assert round_half_away(Fraction(10**400) + Fraction(1, 2)) == 10**400 + 1


def real(low: float, high: float, step: Fraction | None = None) -> Range:
    return Range("real", Fraction(low), Fraction(high), step)


def whole(low: int, high: int) -> Range:
    return Range("integer", Fraction(low), Fraction(high), ONE)


@pytest.mark.parametrize(
    ("function", "ranges", "step"),
    [
        ("+", [real(0, 1, Fraction(1, 4)), real(0, 1, Fraction(1, 6))], Fraction(1, 12)),
        ("-", [real(0, 1, Fraction(1, 4)), real(0, 1)], None),
        ("*", [real(0, 1, Fraction(1, 4)), real(0, 1, Fraction(1, 6))], Fraction(1, 24)),
        ("*", [real(0, 1, Fraction(1, 4)), whole(-3, -3)], Fraction(3, 4)),
        ("*", [real(3, 3), real(0, 1, Fraction(1, 4))], Fraction(3, 4)),
        ("*", [real(0, 1), real(0, 1)], None),
        ("negate", [real(0, 1, Fraction(1, 4))], Fraction(1, 4)),
        ("least", [real(0, 1, Fraction(1, 4)), whole(0, 3)], Fraction(1, 4)),
        ("to real", [whole(0, 3)], Fraction(1)),
        ("to real", [real(0, 3, Fraction(1, 4))], Fraction(1, 4)),
        ("+", [whole(0, 1), whole(0, 1)], ONE),
    ],
)
def test_steps(function: str, ranges: Sequence[Range], step: Fraction | None) -> None:
    assert FUNCTIONS[function].infer_range(ranges).step == step


def test_least_and_greatest_clamp_unbounded_values() -> None:
    free, nine = Range("integer", step=ONE), whole(9, 9)
    below = FUNCTIONS["least"].infer_range([free, nine])
    assert below == Range("integer", None, Fraction(9), ONE)
    assert FUNCTIONS["greatest"].infer_range([below, whole(0, 0)]) == Range(
        "integer", ZERO, Fraction(9), ONE
    )
    assert FUNCTIONS["greatest"].infer_range([free, nine]) == Range(
        "integer", Fraction(9), None, ONE
    )
    assert FUNCTIONS["least"].infer_range([free, Range("real")]) == Range("real")
    days = [
        Range("date", Fraction(low), Fraction(low + 5), nullable=False)
        for low in (700_000, 700_003)
    ]
    assert FUNCTIONS["least"].infer_range(days) == days[0]
    assert FUNCTIONS["greatest"].infer_range(days) == days[1]


def test_bounds_by_hand() -> None:
    def bounds(function: str, *ranges: Range) -> tuple[Fraction | None, Fraction | None]:
        found = FUNCTIONS[function].infer_range(ranges)
        return found.low, found.high

    assert bounds("-", whole(0, 1), whole(2, 5)) == (-5, -1)
    assert bounds("*", whole(-2, 3), whole(-5, 1)) == (-15, 10)
    assert bounds("/", whole(1, 2), whole(4, 8)) == (Fraction(1, 8), Fraction(1, 2))
    assert bounds("/", whole(1, 2), whole(-1, 8)) == (None, None)
    assert bounds("%", whole(-2, 9), whole(0, 5)) == (-2, 4)
    assert bounds("abs", whole(-2, 1)) == (0, 2)
    assert bounds("abs", whole(-3, -2)) == (2, 3)
    assert bounds("round", real(-1.5, 1.4)) == (-2, 1)
    assert bounds("floor", whole(-1, 1)) == (-1, 1)
    assert bounds("sqrt", whole(-4, 4)) == (0, 3)
    assert bounds("ln", whole(1, 3)) == (0, 2)
    assert bounds("ln", whole(0, 3)) == (None, None)
    assert bounds("log10", whole(5, 2000)) == (0, 4)
    assert bounds("log2", whole(5, 8)) == (2, 3)
    assert bounds("ln", Range("real", Fraction(1, 10**400), ONE)) == (None, None)
    assert bounds("greatest", whole(0, 5), whole(3, 4)) == (3, 5)


@pytest.mark.parametrize(
    ("error", "message", "function", "ranges"),
    [
        (Unsupported, "needs numbers, but this is text", "+", [Range("text"), whole(0, 1)]),
        (Unbounded, "a number with bounds", "+", [Range("integer"), whole(0, 1)]),
        (
            Unsupported,
            r"exceed the largest number: its bounds are 0 and 9.22e\+18",
            "*",
            [whole(0, 2**32), whole(0, 2**31)],
        ),
        (
            Unsupported,
            r"bounds are 0 and 1.15e\+602",
            "*",
            [real(0, 2.0**1000), real(0, 2.0**1000)],
        ),
        (Unsupported, "% needs integers", "%", [real(0, 1), whole(0, 1)]),
        (Unsupported, r"up to 2\^53", "floor", [real(0, 1e300)]),
        (
            Unsupported,
            "CAST converts numbers only, but this is a date",
            "to real",
            [Range("date")],
        ),
        (Unsupported, "CAST to text needs a whole number", "to text", [real(0, 1)]),
        (
            Unsupported,
            "AND, OR and NOT need conditions, but this is an integer",
            "and",
            [Range("boolean"), whole(0, 1)],
        ),
        (
            Unsupported,
            "AND, OR and NOT need conditions, but this is a real number",
            "not",
            [real(0, 1)],
        ),
        (Unsupported, "needs numbers, but this is a condition", "abs", [Range("boolean")]),
        (Unsupported, "LIKE needs text", "like", [Range("text"), whole(0, 1)]),
        (Unsupported, "A comparison needs values of one type", "=", [Range("text"), whole(0, 1)]),
        (Unsupported, "NULLIF needs values of one type", "nullif", [Range("text"), whole(0, 1)]),
        (
            Unsupported,
            "needs numbers only, or dates only, but these are date and integer",
            "least",
            [Range("date"), whole(0, 1)],
        ),
        (
            Unsupported,
            "needs numbers only, or dates only, but these are text",
            "greatest",
            [Range("text")] * 2,
        ),
    ],
)
def test_invalid_arguments_are_refused(
    error: type[Exception], message: str, function: str, ranges: Sequence[Range]
) -> None:
    result: Callable[[Sequence[Range]], Range] = FUNCTIONS[function].infer_range
    with pytest.raises(error, match=message):
        result(ranges)
