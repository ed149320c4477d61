"""A witness as bars: shares are those of the two distributions, and the event's bars add up to
the event.
"""

from __future__ import annotations

import pytest

from hedgerow.errors import Refused
from hedgerow.verify import counterexample_chart as room
from hedgerow.verify.counterexample_chart import draw_bars, measure_bars
from hedgerow.verify.refute.counterexample import Counterexample
from hedgerow.verify.refute.refute import refute
from verify.language.reading import read

X = "b: private[bool], n: public[int], eps: public[float]"


def witness(body: str, claim: str = "eps") -> Counterexample:
    found = refute(read(body, X, f'@mechanism(epsilon="{claim}", neighbours="secret")\n'))
    assert found is not None
    return found


def test_a_coin_has_a_bar_for_each_side() -> None:
    found = measure_bars(witness("c = bernoulli(3 / 4)\nreturn b if c else not b", "1/2"))
    assert sorted(one.label for one in found) == ["False", "True"]
    assert {one.first for one in found} == {one.second for one in found} == {0.25, 0.75}


def test_exact_numbers_have_their_bars() -> None:
    found = measure_bars(witness("return 1 if b else 2", "1"))
    assert {(one.label, one.first, one.second) for one in found} in (
        {("1", 1, 0), ("2", 0, 1)},
        {("1", 0, 1), ("2", 1, 0)},
    )
    assert [one.in_event for one in found].count(True) == 1


def test_a_number_is_cut_into_cells() -> None:
    shown = witness("return (1 if b else 0) + laplace(1 / 4)", "1")
    found = measure_bars(shown)
    assert len(found) > 5
    assert sum(one.first for one in found) == pytest.approx(1)
    assert sum(one.second for one in found) == pytest.approx(1)
    inside = [one for one in found if one.in_event]
    assert inside
    assert sum(one.first for one in inside) == pytest.approx(
        float(shown.ratio) * sum(one.second for one in inside), rel=1e-6
    )


def test_unmeasured_probabilities_still_have_two_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> list[object]:
        raise Refused("too many paths.")

    monkeypatch.setattr(room, "_list_outputs", refuse)
    found = measure_bars(witness("return 1 if b else 2", "1"))
    assert [one.label for one in found] == ["the event", "all else"]
    assert found[0].first + found[1].first == 1
    monkeypatch.undo()
    monkeypatch.setattr(room, "_MAX_LISTED_EVENTS", 0)
    many = measure_bars(witness("c = bernoulli(3 / 4)\nreturn b if c else not b", "1/2"))
    assert many[0].label == "the event"


def test_the_picture_has_two_lines_for_each_bar() -> None:
    text = draw_bars(witness("return 1 if b else 2", "1"))
    lines = text.splitlines()
    assert len(lines) == 5
    assert "█ input 1" in lines[0]
    assert sum("█" * 40 in line for line in lines) == 1
    assert sum("░" * 40 in line for line in lines) == 1
    assert sum(line.startswith("*") for line in lines) == 1


def test_long_outputs_are_shortened() -> None:
    body = "for i in range(n):\n    output(b)"
    text = draw_bars(witness(body, "1"))
    assert all(len(line) < 120 for line in text.splitlines())


def test_a_pad_too_wide_to_list_shows_the_event_and_the_rest() -> None:
    program = read(
        "key = uniform_bits(512)\nreturn m & key",
        "m: private[bits[512]]",
        '@mechanism(epsilon="0", neighbours="secret")\n',
    )
    found = refute(program)
    assert found is not None
    assert [one.label for one in measure_bars(found)] == ["the event", "all else"]
