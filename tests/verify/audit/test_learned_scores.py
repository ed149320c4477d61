"""Learned scores rank outputs by how much they speak for one data set, and say so in words."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.verify.audit.features import Coordinate
from hedgerow.verify.audit.learned_scores import LogisticScore, RangeScore, ValueScore, learn_scores
from hedgerow.verify.audit.outputs import read_outputs

OUTPUT = Coordinate(0, "output")


def test_ranges_find_a_middle_bump() -> None:
    # Neither half-line tells these apart: one lies in the middle, the other at both ends.
    one, other = (
        read_outputs(np.linspace(-1, 1, 400)),
        read_outputs(np.r_[np.linspace(-3, -1.01, 200), np.linspace(1.01, 3, 200)]),
    )
    score = RangeScore.learn(OUTPUT, one, other)
    assert np.mean(score.compute(one) > 0) > 0.95
    assert np.mean(score.compute(other) < 0) > 0.9
    assert score.compute(read_outputs([0.0, 2.0, -2.0, 99.0, None])).tolist()[0] > 0
    assert " or " not in score.describe_event(0.0, True)
    assert " or " in score.describe_event(0.0, False)


def test_ranges_over_few_values_are_those_values() -> None:
    one, other = read_outputs([0] * 9 + [2] * 1), read_outputs([0] * 1 + [1] * 4 + [2] * 5)
    score = RangeScore.learn(OUTPUT, one, other)
    assert score.edges.tolist() == [0, 1, 2]
    assert score.compute(read_outputs([0]))[0] == pytest.approx(np.log(9.5 / 1.5))
    assert score.describe_event(0.5, True) == "output in [0, 1)"
    assert score.name == "likelihood ratio of output"


def test_values_score_what_repeats() -> None:
    one, other = (
        read_outputs(["a"] * 8 + ["b"] * 2 + ["rare"]),
        read_outputs(["a"] * 2 + ["b"] * 8 + [None] * 3),
    )
    *singles, score = ValueScore.learn(one, other)
    found = dict(
        zip(
            "abnru",
            score.compute(read_outputs(["a", "b", None, "rare", "never seen"])),
            strict=True,
        )
    )
    assert found["a"] == pytest.approx(np.log(8.5 / 2.5))
    assert found["b"] == pytest.approx(-np.log(8.5 / 2.5))
    assert found["n"] < 0
    assert found["r"] == found["u"] == 0
    assert score.describe_event(0.1, True) == "output == 'a'"
    assert score.describe_event(0.1, False) == "output != 'a'"
    assert score.describe_event(-0.1, False) in ("output in {'b', None}", "output in {None, 'b'}")
    assert score.describe_event(-0.1, True).startswith("output not in {")
    assert {single.describe_event(1.0, True) for single in singles} == {
        "output == 'a'",
        "output == 'b'",
        "output == None",
    }


def test_values_shown_are_plain() -> None:
    one = other = read_outputs(np.array([[1, 2]] * 5))
    assert ValueScore.learn(one, other)[-1].describe_event(0.0, False) == "output in {}"
    assert ValueScore.learn(one, other)[0].describe_event(1.0, True) == "output == [1, 2]"


def test_nothing_repeats_nothing_to_learn() -> None:
    assert ValueScore.learn(read_outputs([0.1, 0.2]), read_outputs([0.3, 0.4])) == ()


def test_many_values_are_cut_short() -> None:
    one, other = (
        read_outputs([i for i in range(20) for _ in range(5)]),
        read_outputs([i + 100 for i in range(20) for _ in range(5)]),
    )
    assert ValueScore.learn(one, other)[-1].describe_event(0.1, True).endswith(", 14 more}")


def test_blend_uses_several_coordinates() -> None:
    rng = np.random.default_rng(4)
    one, other = (
        read_outputs(rng.normal(size=(3_000, 2)) + 1),
        read_outputs(rng.normal(size=(3_000, 2))),
    )
    parts = (Coordinate(0, "output[0]"), Coordinate(1, "output[1]"))
    blend = LogisticScore.learn(parts, one, other)
    alone = np.mean(one.coordinate(0) > 0.5) - np.mean(other.coordinate(0) > 0.5)
    both = np.mean(blend.compute(one) > 0) - np.mean(blend.compute(other) > 0)
    assert both > alone + 0.08
    assert "output[0]" in blend.describe_event(0.5, True)
    assert blend.describe_event(0.5, False).startswith("learned score < 0.5")
    assert blend.name == "learned score"


def test_learn_puts_the_plain_first() -> None:
    outputs = read_outputs([0.5, 0.25, 0.5, 1.5])
    scores = learn_scores(outputs, outputs)
    assert scores[0] == OUTPUT
    assert isinstance(scores[-1], LogisticScore)
    assert any(isinstance(score, RangeScore) for score in scores)
    assert any(isinstance(score, ValueScore) for score in scores)
    assert not any(
        isinstance(score, LogisticScore)
        for score in learn_scores(read_outputs([1, 2]), read_outputs([1, 2]))
    )
