"""Branches, loops and outputs of a sampling method."""

from __future__ import annotations

from verify.language.classes.classes import RUN, read
from verify.language.classes.showing import lines
from verify.language.classes.test_statements import loop, told


def test_branches_and_early_returns() -> None:
    body = loop(
        "if answer > threshold:\n    left -= 1\n    yield left\nelse:\n    yield answer\nif left =="
        " 0:\n    return"
    )
    assert told(body, [1, 9, 2, 7, 3]) == [1, 1, 2, 0]


def test_truths_count_as_numbers() -> None:
    assert told(loop("above = answer >= threshold\nleft -= above\nyield left"), [5, 4, 6]) == [
        1,
        1,
        0,
    ]


def test_none_among_numbers_is_false() -> None:
    assert told(loop("yield answer if answer > threshold else None"), [5, 6]) == [False, 6]


def test_what_the_class_refuses_is_not_run() -> None:
    body = loop("yield answer")
    assert told(body, [1], cutoff=0) == []
    assert lines(read(body, RUN))[0] == "if cutoff < 1"


def test_a_refusal_of_public_numbers_is_passed_over() -> None:
    assert told(
        "if threshold > 9:\n    raise InvalidArgument('threshold', 'large')\n"
        + loop("yield answer"),
        [4],
    ) == [4]
