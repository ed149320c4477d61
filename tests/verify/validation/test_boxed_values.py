"""Values over boxes of noise: what is decided, and what asks for a division."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.language.program import Apply, Expression, Name, Noise, Number, Truth
from hedgerow.verify.validation.boxed_values import (
    BoxedState,
    BoxedValue,
    CannotEvaluate,
    NeedsBit,
    NeedsSplit,
    NoisySum,
    Word,
    compare,
    decide_bit,
    evaluate,
    find_range,
)
from hedgerow.verify.validation.noise_boxes import NoiseBox
from verify.prove.proving import expression

F = Fraction
BOX = NoiseBox(Noise.LAPLACE, F(1), F(1), F(2))
WHOLE = NoiseBox(Noise.GEOMETRIC, F(1), F(0), F(3))
STATE = BoxedState(
    {
        "x": F(5),
        "z": NoisySum(F(0), F(0), ((0, F(1)),)),
        "k": NoisySum(F(0), F(0), ((1, F(1)),)),
        "b": True,
        "w": Word((0, 1, ("draw", 0))),
    },
    {"q": (F(7), F(8))},
    (BOX, WHOLE),
)


def value(text: str) -> BoxedValue:
    return evaluate(expression(text), STATE)


def test_plain_arithmetic_is_exact() -> None:
    assert value("x * 2 - 1 / 3") == F(29, 3)
    assert value("q[x - 4]") == 8
    assert value("x % 3") == 2
    assert value("not (x < 4 or not b)") is True
    assert evaluate(Apply("floor", (Number(F(-5, 2)),)), STATE) == -3
    assert evaluate(Apply("if", (Truth(False), Name("x"), Number(F(1)))), STATE) == 1
    logarithm = evaluate(Apply("ln", (Name("x"),)), STATE)
    assert isinstance(logarithm, NoisySum)
    assert logarithm.low < Fraction(math.log(5)) < logarithm.high
    assert logarithm.high - logarithm.low < F(1, 10**10)


def test_boxes_decide_comparisons_or_ask_for_a_division() -> None:
    assert value("z < 3") is True
    assert value("z * 2 + x <= 6") is False
    assert value("z <= 2") is True  # equality has probability 0
    assert value("z == 1") is False
    assert value("k <= 3") is True
    assert value("k < 0") is False
    for text in ("z < 3 / 2", "k < 3", "k <= 0", "k == 2", "z < k"):
        with pytest.raises(NeedsSplit):
            value(text)
    form = NoisySum(F(-1), F(-1), ((0, F(2)), (1, F(-1))))
    assert find_range(form, STATE.boxes) == (-2, 3)
    forced = BoxedState(STATE.values, STATE.lists, STATE.boxes, forced={(form, "<"): True})
    assert compare(form, "<", forced) is True


def test_words_are_drawn_bit_by_bit() -> None:
    def with_bits(bits: dict[int, int], one: Expression) -> BoxedValue:
        return evaluate(one, BoxedState(STATE.values, {}, (), bits))

    word = Name("w")
    twice = Apply("bits+", (word, word))
    for drawn in (0, 1):
        number = 2 + 4 * drawn
        total = with_bits({0: drawn}, twice)
        assert isinstance(total, Word)
        state = BoxedState({}, {}, (), {0: drawn})
        assert [decide_bit(one, state) for one in total.bits] == [
            2 * number >> place & 1 for place in range(3)
        ]
        assert with_bits({0: drawn}, Apply("==", (word, word))) is True
    with pytest.raises(NeedsBit):
        value("w == w")
    assert evaluate(Apply("bit", (word, Number(F(1)))), STATE) is True
    masked = evaluate(Apply("xor", (word, Apply("bits~", (word,)))), STATE)
    assert isinstance(masked, Word)
    assert len(masked.bits) == 3


@pytest.mark.parametrize(
    "text", ["z * z", "x / z", "x % z", "q[2]", "y", "q[1 / 2]", "b + 1", "1 / 0 + x", "abs(b)"]
)
def test_expressions_out_of_reach_are_refused(text: str) -> None:
    with pytest.raises((CannotEvaluate, ZeroDivisionError)):
        value(text)
