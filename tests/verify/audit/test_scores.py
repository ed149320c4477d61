"""Learned scores rank outputs by how much they speak for one data set, and say so in words."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.verify.audit.columns import Coordinate
from hedgerow.verify.audit.outputs import read
from hedgerow.verify.audit.scores import Blend, Ranges, Values, learn

OUTPUT = Coordinate(0, "output")


def test_ranges_find_a_middle_bump() -> None:
    # Neither half-line tells these apart: one lies in the middle, the other at both ends.
    one, other = read(np.linspace(-1, 1, 400)), read(np.r_[np.linspace(-3, -1.01, 200), np.linspace(1.01, 3, 200)])
    score = Ranges.learn(OUTPUT, one, other)
    assert np.mean(score.of(one) > 0) > 0.95
    assert np.mean(score.of(other) < 0) > 0.9
    assert score.of(read([0.0, 2.0, -2.0, 99.0, None])).tolist()[0] > 0
    assert " or " not in score.say(0.0, True)
    assert " or " in score.say(0.0, False)


def test_ranges_over_few_values_are_those_values() -> None:
    one, other = read([0] * 9 + [2] * 1), read([0] * 1 + [1] * 4 + [2] * 5)
    score = Ranges.learn(OUTPUT, one, other)
    assert score.edges.tolist() == [0, 1, 2]
    assert score.of(read([0]))[0] == pytest.approx(np.log(9.5 / 1.5))
    assert score.say(0.5, True) == "output in [0, 1)"
    assert score.name == "likelihood ratio of output"


def test_values_score_what_repeats() -> None:
    one, other = read(["a"] * 8 + ["b"] * 2 + ["rare"]), read(["a"] * 2 + ["b"] * 8 + [None] * 3)
    *singles, score = Values.learn(one, other)
    found = dict(zip("abnru", score.of(read(["a", "b", None, "rare", "never seen"])), strict=True))
    assert found["a"] == pytest.approx(np.log(8.5 / 2.5))
    assert found["b"] == pytest.approx(-np.log(8.5 / 2.5))
    assert found["n"] < 0
    assert found["r"] == found["u"] == 0
    assert score.say(0.1, True) == "output == 'a'"
    assert score.say(0.1, False) == "output != 'a'"
    assert score.say(-0.1, False) in ("output in {'b', None}", "output in {None, 'b'}")
    assert score.say(-0.1, True).startswith("output not in {")
    assert {single.say(1.0, True) for single in singles} == {"output == 'a'", "output == 'b'", "output == None"}


def test_values_shown_are_plain() -> None:
    one = other = read(np.array([[1, 2]] * 5))
    assert Values.learn(one, other)[-1].say(0.0, False) == "output in {}"
    assert Values.learn(one, other)[0].say(1.0, True) == "output == [1, 2]"


def test_nothing_repeats_nothing_to_learn() -> None:
    assert Values.learn(read([0.1, 0.2]), read([0.3, 0.4])) == ()


def test_many_values_are_cut_short() -> None:
    one, other = read([i for i in range(20) for _ in range(5)]), read([i + 100 for i in range(20) for _ in range(5)])
    assert Values.learn(one, other)[-1].say(0.1, True).endswith(", 14 more}")


def test_blend_uses_several_coordinates() -> None:
    rng = np.random.default_rng(4)
    one, other = read(rng.normal(size=(3_000, 2)) + 1), read(rng.normal(size=(3_000, 2)))
    parts = (Coordinate(0, "output[0]"), Coordinate(1, "output[1]"))
    blend = Blend.learn(parts, one, other)
    alone = np.mean(one.coordinate(0) > 0.5) - np.mean(other.coordinate(0) > 0.5)
    both = np.mean(blend.of(one) > 0) - np.mean(blend.of(other) > 0)
    assert both > alone + 0.08
    assert "output[0]" in blend.say(0.5, True)
    assert blend.say(0.5, False).startswith("learned score < 0.5")
    assert blend.name == "learned score"


def test_learn_puts_the_plain_first() -> None:
    outputs = read([0.5, 0.25, 0.5, 1.5])
    scores = learn(outputs, outputs)
    assert scores[0] == OUTPUT
    assert isinstance(scores[-1], Blend)
    assert any(isinstance(score, Ranges) for score in scores)
    assert any(isinstance(score, Values) for score in scores)
    assert not any(isinstance(score, Blend) for score in learn(read([1, 2]), read([1, 2])))
