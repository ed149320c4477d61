from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.policy.mistake import Mistake
from hedgerow.policy.toml.section_reader import (
    Section,
    ValueReader,
    build_choice_reader,
    read_count,
    read_delta,
    read_epsilon,
    read_flag,
    read_number,
    read_text,
)


@pytest.mark.parametrize(
    ("read", "value", "wanted"),
    [
        (read_text, "x", "x"),
        (read_flag, False, False),
        (read_number, -0.1, Fraction(-1, 10)),
        (read_number, np.float64(0.1), Fraction(1, 10)),
        (read_count, np.int64(3), 3),
        (read_epsilon, 1, Fraction(1)),
        (read_delta, 1e-9, Fraction(1, 10**9)),
        (build_choice_reader("a", "b"), "b", "b"),
    ],
)
def test_right_values_are_taken(read: ValueReader[object], value: object, wanted: object) -> None:
    section = Section(("t",), {"key": value}, [])
    assert section.read_optional("key", read) == wanted
    assert not section.mistakes


@pytest.mark.parametrize(
    ("read", "value"),
    [
        (read_text, 3),
        (read_text, "  "),
        (read_flag, 1),
        (read_flag, np.bool_(True)),
        (read_number, "3"),
        (read_number, True),
        (read_number, np.bool_(True)),
        (read_number, float("inf")),
        (read_count, 0),
        (read_count, 2.5),
        (read_epsilon, 0),
        (read_delta, 1),
        (read_delta, 0),
        (build_choice_reader("a", "b"), "c"),
        (build_choice_reader("a", "b"), ["a"]),
    ],
)
def test_wrong_values_are_noted_and_reading_goes_on(
    read: ValueReader[object], value: object
) -> None:
    section = Section(("t",), {"key": value, "other": "fine"}, [])
    assert section.read_optional("key", read) is None
    (mistake,) = section.mistakes
    assert mistake.path == ("t", "key")
    assert mistake.message.startswith("key must")
    assert section.bad_keys == {"key"}
    assert section.read_optional("other", read_text) == "fine"


def test_absent_keys_are_none_or_missing() -> None:
    section = Section(("t",), {}, [])
    assert section.read_optional("key", read_text) is None
    assert not section.mistakes
    assert section.read_required("key", read_text, "write it") is None
    assert section.mistakes == [Mistake(("t", "key"), "key is missing: write it")]


def test_tables_within() -> None:
    section = Section((), {"a": {"x": 1}, "b": 2}, [])
    assert [(name, inner.path, inner.content) for name, inner in section.list_sections()] == [
        ("a", ("a",), {"x": 1})
    ]
    assert section.mistakes == [
        Mistake(("b",), "b must be a table, such as { key = value }; got 2")
    ]
    assert section.read_section("c") is None


def test_unknown_keys_name_the_nearest_known_one() -> None:
    section = Section(("t",), {"Epsilonn": 1, "zzz": 2, "delta": 3}, [])
    section.check_keys("epsilon", "delta")
    assert [mistake.message for mistake in section.mistakes] == [
        "'Epsilonn' is not a key of this table; did you mean 'epsilon'?",
        "'zzz' is not a key of this table; use one of epsilon, delta",
    ]


@pytest.mark.parametrize("door", [read_epsilon, read_delta])
def test_epsilon_and_delta_are_short(door: Callable[[object, str], Fraction]) -> None:
    with pytest.raises(InvalidArgument, match="must be written with at most 120 digits"):
        door(Fraction(1, 3) + Fraction(1, 3**300), "it")
