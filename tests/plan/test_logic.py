"""Three truth values, and picking."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.logic import and_, case, case_range, coalesce, coalesce_range, equal, like, member, nullif, or_, same_types
from hedgerow.plan.values import Range

TRUTH = (True, False, None)
ZERO, ONE, TWO = (Fraction(n) for n in range(3))
NULL = Range("integer", values=())


def test_and_or_are_least_and_greatest_of_false_null_true() -> None:
    order = {False: 0, None: 1, True: 2}
    for values in product(TRUTH, repeat=3):
        assert order[and_(*values)] == min(order[value] for value in values)
        assert order[or_(*values)] == max(order[value] for value in values)


def test_picking() -> None:
    assert case(None, 1, True, 2, 3) == 2
    assert case(False, 1, None, 2, 3) == 3
    assert isinstance(case(True, 1, 2.5), float)
    assert case(True, True, False) is True
    assert coalesce(None, 2, 3) == 2
    assert coalesce(None, None) is None
    assert isinstance(coalesce(2, 0.5), float)
    assert nullif(1, 1) is None
    assert nullif(1, 2) == 1
    assert nullif(None, 1) is None
    assert nullif(1, None) == 1
    assert nullif(2**53 + 1, 2.0**53) is None


def test_equal_compares_mixed_numbers_as_reals() -> None:
    assert equal(2**53 + 1, 2.0**53)
    assert not equal(2**53 + 1, 2**53)
    assert equal("a", "a")


def test_member() -> None:
    assert member(1, 2, 1) is True
    assert member(1, 2, 3) is False
    assert member(1, None, 1) is True
    assert member(1, None, 2) is None
    assert member(None, 1) is None


def test_like_is_the_obvious_regular_expression() -> None:
    texts = ["".join(letters) for n in range(4) for letters in product("ab\n", repeat=n)]
    for pattern in ("".join(letters) for n in range(5) for letters in product("ab%_", repeat=n)):
        obvious = re.compile(pattern.replace("%", ".*").replace("_", "."), re.DOTALL)
        assert all(like(text, pattern) == bool(obvious.fullmatch(text)) for text in texts), pattern
    assert like("a.c\\d", "a.c\\d")
    assert not like("abc", "a.c")
    assert not like("A", "a")


def test_like_never_goes_back() -> None:
    assert not like("a" * 5000, "%a" * 60 + "%b")  # the obvious one would not come back in a lifetime


def test_types_that_mix() -> None:
    assert same_types([Range("integer"), Range("real"), Range("text", values=())], "A test") == 0
    with pytest.raises(Unsupported, match="A test needs values of one type, and here are integer and text"):
        same_types([Range("integer"), Range("text")], "A test")


def test_range_of_what_is_picked() -> None:
    low, high = Range("integer", ZERO, ONE, ONE), Range("integer", ONE, TWO, ONE, nullable=False)
    assert coalesce_range([low, high]) == Range("integer", ZERO, TWO, ONE, nullable=False)
    assert coalesce_range([low, low]).nullable
    assert coalesce_range([NULL, NULL]) == NULL
    assert coalesce_range([NULL, high]).nullable is False
    assert coalesce_range([low, Range("integer", step=ONE)]) == Range("integer", step=ONE)
    assert coalesce_range([low, Range("real", ZERO, TWO, Fraction(1, 2))]) == Range("real", ZERO, TWO, Fraction(1, 2))
    assert coalesce_range([low, Range("real", ZERO, TWO)]).step is None
    assert coalesce_range([Range("text", values=("b",)), Range("text", values=("a", "b"))]) == Range("text", values=("a", "b"))
    assert coalesce_range([Range("text", values=("b",)), Range("text")]).values is None
    assert case_range([Range("boolean"), low, high]) == Range("integer", ZERO, TWO, ONE)
    with pytest.raises(Unsupported, match="CASE WHEN needs a condition"):
        case_range([low, low, high])
