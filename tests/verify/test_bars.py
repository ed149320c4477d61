"""A witness as bars: shares are those of the two distributions, and the event's bars add up to the event."""

from __future__ import annotations

import pytest

from hedgerow.errors import Refused
from hedgerow.verify import bars as room
from hedgerow.verify.bars import bars, drawn
from hedgerow.verify.refuter.refuter import refute
from hedgerow.verify.refuter.witness import Witness
from verify.language.reading import read

X = "b: private[bool], n: public[int], eps: public[float]"


def witness(body: str, claim: str = "eps") -> Witness:
    found = refute(read(body, X, f'@mechanism(epsilon="{claim}", neighbours="secret")\n'))
    assert found is not None
    return found


def test_a_coin_has_a_bar_for_each_side() -> None:
    found = bars(witness("c = bernoulli(3 / 4)\nreturn b if c else not b", "1/2"))
    assert sorted(one.label for one in found) == ["False", "True"]
    assert {one.one for one in found} == {one.other for one in found} == {0.25, 0.75}


def test_exact_numbers_have_their_bars() -> None:
    found = bars(witness("return 1 if b else 2", "1"))
    assert {(one.label, one.one, one.other) for one in found} in ({("1", 1, 0), ("2", 0, 1)}, {("1", 0, 1), ("2", 1, 0)})
    assert [one.event for one in found].count(True) == 1


def test_a_number_is_cut_into_cells() -> None:
    shown = witness("return (1 if b else 0) + laplace(1 / 4)", "1")
    found = bars(shown)
    assert len(found) > 5
    assert sum(one.one for one in found) == pytest.approx(1)
    assert sum(one.other for one in found) == pytest.approx(1)
    inside = [one for one in found if one.event]
    assert inside
    assert sum(one.one for one in inside) == pytest.approx(float(shown.ratio) * sum(one.other for one in inside), rel=1e-6)


def test_what_cannot_be_measured_still_has_two_bars(monkeypatch: pytest.MonkeyPatch) -> None:
    def refuse(*_: object) -> list[object]:
        raise Refused("too many paths.")

    monkeypatch.setattr(room, "_listed", refuse)
    found = bars(witness("return 1 if b else 2", "1"))
    assert [one.label for one in found] == ["the event", "all else"]
    assert found[0].one + found[1].one == 1
    monkeypatch.undo()
    monkeypatch.setattr(room, "_MOST", 0)
    many = bars(witness("c = bernoulli(3 / 4)\nreturn b if c else not b", "1/2"))
    assert many[0].label == "the event"


def test_the_picture_has_two_lines_for_each_bar() -> None:
    text = drawn(witness("return 1 if b else 2", "1"))
    lines = text.splitlines()
    assert len(lines) == 5
    assert "█ input 1" in lines[0]
    assert sum("█" * 40 in line for line in lines) == 1
    assert sum("░" * 40 in line for line in lines) == 1
    assert sum(line.startswith("*") for line in lines) == 1


def test_long_outputs_are_shortened() -> None:
    body = "for i in range(n):\n    output(b)"
    text = drawn(witness(body, "1"))
    assert all(len(line) < 120 for line in text.splitlines())


def test_of_a_pad_too_wide_to_list_the_event_and_the_rest_are_shown() -> None:
    program = read("key = uniform_bits(512)\nreturn m & key", "m: private[bits[512]]", '@mechanism(epsilon="0", neighbours="secret")\n')
    found = refute(program)
    assert found is not None
    assert [one.label for one in bars(found)] == ["the event", "all else"]
