from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.neighbours import are_neighbours
from hedgerow.verify.refute.path_values import BitWord
from verify.refute.programs import given, one

PARAMETERS = "q: private[list], x: private[float], b: private[bool], n: public[int]"


def program(relation: str) -> Program:
    return one("return n", PARAMETERS, f'@mechanism(epsilon="1", neighbours={relation})\n')


@pytest.mark.parametrize(
    ("relation", "move", "expected"),
    [
        ('"one"', {"q": [1, 3]}, True),
        ('"one"', {"x": 6}, True),
        ('"one"', {"q": [1, 3], "x": 6}, False),
        ('"one"', {"q": [1, 4]}, False),
        ('"one"', {"q": [2, 3]}, False),
        ('"one"', {}, True),
        ('"all"', {"q": [2, 1], "x": 4}, True),
        ('"all"', {"q": [2, 4]}, False),
        ('"increasing"', {"q": [2, 3], "x": 6}, True),
        ('"increasing"', {"q": [0, 3]}, False),
        ('"decreasing"', {"q": [0, 2]}, True),
        ('"decreasing"', {"q": [0, 3]}, False),
        ('("l1", 2)', {"q": [3, 2]}, True),
        ('("l1", 2)', {"q": [2, 1]}, True),
        ('("l1", 2)', {"q": [3, 2], "x": 6}, False),
        ('("group", 2)', {"q": [0, 3]}, True),
        ('("group", 2)', {"q": [0, 3], "x": 6}, False),
        ('("group", 2)', {"q": [3, 2]}, False),
        ('"row"', {"q": [1, 9, 2]}, True),
        ('"row"', {"q": [9, 1, 2]}, True),
        ('"row"', {"q": [2]}, True),
        ('"row"', {"q": [1, 3]}, False),
        ('"row"', {"q": [1, 9, 3]}, False),
        ('"row"', {"x": 6}, False),
        ('"row"', {}, True),
        ('"secret"', {"q": [8, 9], "x": -100, "b": True}, True),
        ('"secret"', {"q": [8]}, False),
        ('"one"', {"b": True}, True),
        ('"one"', {"n": 3}, False),
        ('"secret"', {"n": 3}, False),
        ('"one"', {"q": [1, 2, 3]}, False),
        ('"one"', {"q": 1}, False),
    ],
)
def test_every_relation(relation: str, move: dict[str, object], expected: bool) -> None:
    base: dict[str, object] = {"q": [1, 2], "x": 5, "b": False, "n": 2}
    assert are_neighbours(program(relation), given(**base), given(**{**base, **move})) is expected


def test_inputs_must_be_whole() -> None:
    base: dict[str, object] = {"q": [1, 2], "x": 5, "b": False, "n": 2}
    assert not are_neighbours(program('"one"'), given(**base), given(q=[1, 2], x=5, b=False))
    assert not are_neighbours(program('"one"'), given(**{**base, "x": True}), given(**base)), (
        "a truth is no number"
    )


def test_widths_of_words_are_public() -> None:
    pad = one("return m", "m: private[bits[2]]", '@mechanism(epsilon="0", neighbours="secret")\n')
    assert are_neighbours(pad, given(m=BitWord(2, 0)), given(m=BitWord(2, 3)))
    assert not are_neighbours(pad, given(m=BitWord(2, 0)), given(m=BitWord(3, 0)))
