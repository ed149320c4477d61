from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.section import Reader, Section, a_choice, a_delta, a_flag, a_number, a_text, a_whole, an_epsilon


@pytest.mark.parametrize(
    ("read", "value", "wanted"),
    [
        (a_text, "x", "x"),
        (a_flag, False, False),
        (a_number, -0.1, Fraction(-1, 10)),
        (a_number, np.float64(0.1), Fraction(1, 10)),
        (a_whole, np.int64(3), 3),
        (an_epsilon, 1, Fraction(1)),
        (a_delta, 1e-9, Fraction(1, 10**9)),
        (a_choice("a", "b"), "b", "b"),
    ],
)
def test_right_values_are_taken(read: Reader[object], value: object, wanted: object) -> None:
    section = Section(("t",), {"key": value}, [])
    assert section.take("key", read) == wanted
    assert not section.mistakes


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (a_text, 3),
        (a_text, "  "),
        (a_flag, 1),
        (a_flag, np.bool_(True)),
        (a_number, "3"),
        (a_number, True),
        (a_number, np.bool_(True)),
        (a_number, float("inf")),
        (a_whole, 0),
        (a_whole, 2.5),
        (an_epsilon, 0),
        (a_delta, 1),
        (a_delta, 0),
        (a_choice("a", "b"), "c"),
        (a_choice("a", "b"), ["a"]),
    ],
)
def test_wrong_values_are_noted_and_reading_goes_on(read: Reader[object], value: object) -> None:
    section = Section(("t",), {"key": value, "other": "fine"}, [])
    assert section.take("key", read) is None
    ((mistake),) = section.mistakes
    assert mistake.place == ("t", "key")
    assert mistake.says.startswith("key must")
    assert section.bad == {"key"}
    assert section.take("other", a_text) == "fine"


def test_absent_keys_are_none_or_missing() -> None:
    section = Section(("t",), {}, [])
    assert section.take("key", a_text) is None
    assert not section.mistakes
    assert section.need("key", a_text, "write it") is None
    assert section.mistakes == [Mistake(("t", "key"), "key is missing: write it")]


def test_tables_within() -> None:
    section = Section((), {"a": {"x": 1}, "b": 2}, [])
    assert [(name, inner.place, inner.content) for name, inner in section.each()] == [("a", ("a",), {"x": 1})]
    assert section.mistakes == [Mistake(("b",), "b must be a table, such as { key = value }; got 2")]
    assert section.inner("c") is None


def test_unknown_keys_name_the_nearest_known_one() -> None:
    section = Section(("t",), {"Epsilonn": 1, "zzz": 2, "delta": 3}, [])
    section.only("epsilon", "delta")
    assert [mistake.says for mistake in section.mistakes] == [
        "'Epsilonn' is not known here; did you mean 'epsilon'?",
        "'zzz' is not known here; known are epsilon, delta",
    ]


@pytest.mark.parametrize("door", [an_epsilon, a_delta])
def test_epsilon_and_delta_are_short(door: Callable[[object, str], Fraction]) -> None:
    with pytest.raises(InvalidArgument, match="must be written with at most 120 digits"):
        door(Fraction(1, 3) + Fraction(1, 3**300), "it")
