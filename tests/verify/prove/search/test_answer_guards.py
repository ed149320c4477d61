"""Guards of pointwise proofs."""

from __future__ import annotations

from hedgerow.verify.language.program import format_expression
from hedgerow.verify.prove.search.answer_guards import list_answer_guards


def test_a_rising_index_passes_the_answer() -> None:
    assert list(map(format_expression, list_answer_guards("i", False, ["best"]))) == [
        "i@1 <= @answer",
        "@answer < i@1@0",
        "@answer < i@1 and best@1 == @answer",
        "not @answer < i@1@0 and (@answer < i@1 and best@1 == @answer)",
    ]


def test_a_falling_index_passes_it_from_above() -> None:
    assert list(map(format_expression, list_answer_guards("i", True, []))) == [
        "@answer <= i@1",
        "i@1@0 < @answer",
    ]
