"""Functions of text: what each means, by hand and against an obvious reading, and what is known
of the results.
"""

from __future__ import annotations

import sys
import unicodedata
from datetime import date, datetime
from fractions import Fraction
from random import Random

import pytest

from hedgerow.errors import Unbounded, Unsupported
from hedgerow.plan.scalar.expressions import Constant
from hedgerow.plan.scalar.strings import STRING_FUNCTIONS, infer_string_range
from hedgerow.plan.values import Range, Value

RUN = {name: run for name, (_, _, run) in STRING_FUNCTIONS.items()}
TEXT, ONE = Range("text"), Fraction(1)


@pytest.mark.parametrize(
    ("function", "arguments", "value"),
    [
        ("lower", ("ÄbΣ Ǆ",), "äbσ ǆ"),
        ("lower", ("İ",), "i"),
        ("upper", ("äbς ǆ",), "ÄBΣ Ǆ"),
        ("upper", ("ßŉﬁᾳ",), "ẞŉﬁᾼ"),
        ("trim", ("  a b ",), "a b"),
        ("trim", ("\ta\u3000",), "\ta\u3000"),
        ("trim", ("   ",), ""),
        ("length", ("a😀é",), 3),
        ("length", ("",), 0),
        ("substring", ("abcde", 2, 3), "bcd"),
        ("substring", ("abcde", 4, 9), "de"),
        ("substring", ("abcde", 0, 3), "ab"),
        ("substring", ("abcde", -1, 2), ""),
        ("substring", ("abcde", -1, 3), "a"),
        ("substring", ("abcde", 3, 0), ""),
        ("substring", ("abcde", 3, -2), ""),
        ("substring", ("abcde", 6, 1), ""),
        ("right", ("abc", 2), "bc"),
        ("right", ("abc", 5), "abc"),
        ("right", ("abc", 0), ""),
        ("right", ("abc", -1), ""),
        ("concat", ("a", "b", "c"), "abc"),
        ("starts with", ("abc", "ab"), True),
        ("starts with", ("abc", ""), True),
        ("starts with", ("abc", "b"), False),
        ("parse integer", (" -012 ",), -12),
        ("parse integer", ("1.0",), None),
        ("parse integer", ("1" * 19,), None),
        ("parse integer", ("١",), None),
        ("parse real", ("1.",), 1.0),
        ("parse real", ("+.5e-3",), 0.0005),
        ("parse real", ("1e100",), None),
        ("parse real", ("nan",), None),
        ("parse date", ("2024-02-29",), date(2024, 2, 29)),
        ("parse date", ("1900-02-29",), None),
        ("parse date", ("0000-01-01",), None),
        ("parse date", ("2024-02-29 10:00",), None),
        ("parse timestamp", ("2024-02-29",), datetime(2024, 2, 29)),
        ("parse timestamp", ("2024-02-29T10:00:01.5",), datetime(2024, 2, 29, 10, 0, 1, 500_000)),
        ("parse timestamp", ("2024-02-29 24:00",), None),
    ],
)
def test_meaning(function: str, arguments: tuple[Value, ...], value: Value) -> None:
    found = RUN[function](*arguments)
    assert (type(found), found) == (type(value), value)


def test_exactly_the_dates_that_exist_are_read() -> None:
    days = {date.fromordinal(n).isoformat() for n in range(1, date.max.toordinal(), 7)}
    random = Random(2)
    written = [
        f"{random.choice((0, 4, 96, 100, 400, 1900, 2023, 2024, 9999)):04}"
        f"-{random.randint(0, 13):02}-{random.randint(0, 32):02}"
        for _ in range(3000)
    ]
    assert all(str(RUN["parse date"](day)) == day for day in days)
    for text in written:
        try:
            expected = date.fromisoformat(text)
        except ValueError:
            expected = None
        assert RUN["parse date"](text) == expected, text


def test_a_parsed_text_has_no_bounds_and_may_be_null() -> None:
    for type_ in ("integer", "real", "date", "timestamp"):
        listed = Range("text", values=("1",), nullable=False)
        assert infer_string_range(f"parse {type_}", [listed]) == Range(type_)


@pytest.mark.long
def test_case_goes_code_point_by_code_point() -> None:
    every = "".join(map(chr, range(sys.maxunicode + 1)))
    low, up = RUN["lower"](every), RUN["upper"](every)
    assert len(low) == len(up) == len(every)
    letters = [
        c for c, small, large in zip(every, low, up, strict=True) if (small, large) != (c, c)
    ]
    assert len(letters) > 2000
    assert {unicodedata.category(c) for c in letters} <= {"Lu", "Ll", "Lt", "Nl", "So", "Mn"}


def test_substring_returns_the_characters_at_its_positions() -> None:
    random = Random(1)
    for _ in range(500):
        text, start, count = (
            "abcdefg"[: random.randint(0, 7)],
            random.randint(-9, 9),
            random.randint(-9, 9),
        )
        assert RUN["substring"](text, start, count) == "".join(
            c for p, c in enumerate(text, 1) if start <= p < start + count
        )


def test_results_are_listed_where_the_arguments_are() -> None:
    listed = Range("text", values=("Ab", "aB", "c"))
    two, nothing = Constant(2, "integer").range, Constant(None, "text").range
    assert infer_string_range("lower", [listed]) == Range("text", values=("ab", "c"))
    assert infer_string_range("length", [listed]) == Range("integer", ONE, Fraction(2), ONE, (1, 2))
    assert infer_string_range("length", [nothing]) == Range("integer", values=())
    assert infer_string_range("length", [TEXT.with_changes(nullable=False)]) == Range(
        "integer", Fraction(0), None, ONE, nullable=False
    )
    assert infer_string_range("right", [listed, two]) == Range("text", values=("Ab", "aB", "c"))
    assert infer_string_range("concat", [listed, Constant("!", "text").range]) == Range(
        "text", values=("Ab!", "aB!", "c!")
    )
    assert infer_string_range("concat", [listed, TEXT]) == TEXT
    assert infer_string_range("starts with", [listed, listed]) == Range("boolean")
    many = Range("text", values=tuple(map(str, range(40))))
    assert infer_string_range("concat", [many, many]).values is None
    assert infer_string_range("upper", [many]).values == tuple(sorted(map(str, range(40))))


@pytest.mark.parametrize(
    ("error", "message", "function", "ranges"),
    [
        (Unsupported, r"LOWER needs text\.", "lower", [Range("integer")]),
        (
            Unsupported,
            "SUBSTRING needs text and integers",
            "substring",
            [TEXT, Range("real"), Range("integer")],
        ),
        (Unsupported, "SUBSTRING needs", "substring", [TEXT]),
        (Unsupported, "CONCAT needs text", "concat", [TEXT]),
        (Unsupported, "CONCAT needs text", "concat", [TEXT, Range("date")]),
        (Unsupported, "STARTS_WITH needs text", "starts with", [TEXT, Range("boolean")]),
        (Unbounded, "RIGHT needs positions with bounds", "right", [TEXT, Range("integer", ONE)]),
        (
            Unsupported,
            r"RIGHT needs positions within 2\^31",
            "right",
            [TEXT, Range("integer", ONE, Fraction(2**31 + 1))],
        ),
    ],
)
def test_invalid_arguments_are_refused(
    error: type[Exception], message: str, function: str, ranges: list[Range]
) -> None:
    with pytest.raises(error, match=message):
        infer_string_range(function, ranges)
