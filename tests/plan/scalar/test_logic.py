"""Three truth values, and picking."""

from __future__ import annotations

import re
from fractions import Fraction
from itertools import product

import pytest

from hedgerow.errors import Unsupported
from hedgerow.plan.scalar.logic import (
    check_same_type,
    evaluate_and,
    evaluate_case,
    evaluate_coalesce,
    evaluate_in,
    evaluate_like,
    evaluate_nullif,
    evaluate_or,
    infer_case,
    infer_coalesce,
    is_equal,
)
from hedgerow.plan.values import Range

TRUTH = (True, False, None)
ZERO, ONE, TWO = (Fraction(n) for n in range(3))
NULL = Range("integer", values=())


def test_and_or_are_least_and_greatest_of_false_null_true() -> None:
    order = {False: 0, None: 1, True: 2}
    for values in product(TRUTH, repeat=3):
        assert order[evaluate_and(*values)] == min(order[value] for value in values)
        assert order[evaluate_or(*values)] == max(order[value] for value in values)


def test_case_and_coalesce_return_the_first_matching_value() -> None:
    assert evaluate_case(None, 1, True, 2, 3) == 2
    assert evaluate_case(False, 1, None, 2, 3) == 3
    assert isinstance(evaluate_case(True, 1, 2.5), float)
    assert evaluate_case(True, True, False) is True
    assert evaluate_coalesce(None, 2, 3) == 2
    assert evaluate_coalesce(None, None) is None
    assert isinstance(evaluate_coalesce(2, 0.5), float)
    assert evaluate_nullif(1, 1) is None
    assert evaluate_nullif(1, 2) == 1
    assert evaluate_nullif(None, 1) is None
    assert evaluate_nullif(1, None) == 1
    assert evaluate_nullif(2**53 + 1, 2.0**53) is None


def test_equal_compares_mixed_numbers_as_reals() -> None:
    assert is_equal(2**53 + 1, 2.0**53)
    assert not is_equal(2**53 + 1, 2**53)
    assert is_equal("a", "a")


def test_member() -> None:
    assert evaluate_in(1, 2, 1) is True
    assert evaluate_in(1, 2, 3) is False
    assert evaluate_in(1, None, 1) is True
    assert evaluate_in(1, None, 2) is None
    assert evaluate_in(None, 1) is None


def test_like_is_the_obvious_regular_expression() -> None:
    texts = ["".join(letters) for n in range(4) for letters in product("ab\n", repeat=n)]
    for pattern in ("".join(letters) for n in range(5) for letters in product("ab%_", repeat=n)):
        obvious = re.compile(pattern.replace("%", ".*").replace("_", "."), re.DOTALL)
        assert all(
            evaluate_like(text, pattern) == bool(obvious.fullmatch(text)) for text in texts
        ), pattern
    assert evaluate_like("a.c\\d", "a.c\\d")
    assert not evaluate_like("abc", "a.c")
    assert not evaluate_like("A", "a")


def test_like_never_goes_back() -> None:
    # the obvious one would not come back in a lifetime
    assert not evaluate_like("a" * 5000, "%a" * 60 + "%b")


def test_types_that_mix() -> None:
    assert (
        check_same_type([Range("integer"), Range("real"), Range("text", values=())], "A test") == 0
    )
    with pytest.raises(
        Unsupported, match="A test needs values of one type, but these are integer and text"
    ):
        check_same_type([Range("integer"), Range("text")], "A test")


def test_case_and_coalesce_ranges_cover_every_branch() -> None:
    low, high = Range("integer", ZERO, ONE, ONE), Range("integer", ONE, TWO, ONE, nullable=False)
    assert infer_coalesce([low, high]) == Range("integer", ZERO, TWO, ONE, nullable=False)
    assert infer_coalesce([low, low]).nullable
    assert infer_coalesce([NULL, NULL]) == NULL
    assert infer_coalesce([NULL, high]).nullable is False
    assert infer_coalesce([low, Range("integer", step=ONE)]) == Range("integer", step=ONE)
    assert infer_coalesce([low, Range("real", ZERO, TWO, Fraction(1, 2))]) == Range(
        "real", ZERO, TWO, Fraction(1, 2)
    )
    assert infer_coalesce([low, Range("real", ZERO, TWO)]).step is None
    assert infer_coalesce(
        [Range("text", values=("b",)), Range("text", values=("a", "b"))]
    ) == Range("text", values=("a", "b"))
    assert infer_coalesce([Range("text", values=("b",)), Range("text")]).values is None
    assert infer_case([Range("boolean"), low, high]) == Range("integer", ZERO, TWO, ONE)
    with pytest.raises(Unsupported, match="CASE WHEN needs a condition"):
        infer_case([low, low, high])
