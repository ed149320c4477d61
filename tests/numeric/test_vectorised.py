"""Shared parts of the samplers: checks, chunks, words, and certain floors."""

from __future__ import annotations

from fractions import Fraction
from math import floor

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.numeric import vectorised as chunk
from hedgerow.numeric.vectorised import (
    CHUNK_SIZE,
    check_scale,
    check_size,
    compute_floors,
    draw_uniform_words,
    iterate_chunks,
)


@pytest.mark.parametrize(
    "scale", [Fraction(1, 10**12), Fraction(1, 1000), Fraction(1), Fraction(10**12)]
)
def test_scales_in_range_pass(scale: Fraction) -> None:
    assert check_scale(scale) == scale


@pytest.mark.parametrize(
    ("scale", "shown"),
    [
        (Fraction(0), "0.0"),
        (Fraction(-1, 2), "-0.5"),
        (Fraction(10**13), "10000000000000.0"),
        (Fraction(1, 10**13), "1e-13"),
        (Fraction(10**400), "1000"),
        (Fraction(-(10**5000)), "a very long Fraction"),
    ],
    ids=["0", "negative", "large", "small", "beyond doubles", "beyond words"],
)
def test_scales_out_of_range_are_refused_by_name_and_value(scale: Fraction, shown: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        check_scale(scale, "sigma")
    assert str(refusal.value).startswith("sigma must lie between 10^-12 and 10^12 grid steps")
    assert f"; got {shown}" in str(refusal.value)


@pytest.mark.parametrize("size", [0, 1, 10**9, np.int64(7)])
def test_sizes_pass(size: int) -> None:
    assert check_size(size) == size
    assert type(check_size(size)) is int


@pytest.mark.parametrize(
    "size", [-1, 1.0, True, np.True_, "3", None, np.float64(2), np.array([3])], ids=repr
)
def test_bad_sizes_are_refused(size: object) -> None:
    with pytest.raises(
        InvalidArgument, match="size must be a whole number of draws, 0 or more; got"
    ):
        check_size(size)


@pytest.mark.parametrize(
    "size", [0, 1, CHUNK_SIZE - 1, CHUNK_SIZE, CHUNK_SIZE + 1, 3 * CHUNK_SIZE + 5]
)
def test_chunks_cover_everything_once(size: int) -> None:
    covered = np.zeros(size, dtype=int)
    for part in iterate_chunks(size):
        assert 0 < part.stop - part.start <= CHUNK_SIZE
        covered[part] += 1
    assert (covered == 1).all()


def test_a_word_gives_63_uniform_bits_and_a_fair_bit(monkeypatch: pytest.MonkeyPatch) -> None:
    raw = [0, 1, 2, (1 << 64) - 1, (1 << 64) - 2]
    monkeypatch.setattr(chunk, "draw_words", lambda count: np.array(raw, dtype=np.uint64))
    word, spare = draw_uniform_words(len(raw))
    assert word.tolist() == [0, 0, 1, (1 << 63) - 1, (1 << 63) - 1]
    assert spare.tolist() == [0, 1, 0, 1, 0]
    assert word.dtype == spare.dtype == np.int64


values = (
    st.floats(min_value=-1e15, max_value=1e15)
    | st.floats(min_value=-2, max_value=2)
    | st.integers(-5, 5).map(float)
)
near_integers = st.builds(
    lambda k, bit, sign: k + sign * 2.0**-bit,
    st.integers(-4, 4),
    st.integers(1, 70),
    st.sampled_from([-1, 1]),
)
errors = st.floats(min_value=2.0**-53, max_value=0.6) | st.builds(
    lambda bit: 2.0**-bit, st.integers(2, 53)
)


@given(st.lists(st.tuples(values | near_integers, errors), min_size=1, max_size=30))
def test_a_floor_is_certain_or_reported_as_undecided(pairs: list[tuple[float, float]]) -> None:
    value, error = (np.array(column) for column in zip(*pairs, strict=True))
    whole, undecided = compute_floors(value.copy(), error)
    assert whole.dtype == np.int64
    for place, (at, around) in enumerate(pairs):
        room = Fraction(around) - Fraction(1, 1 << 53)
        ends = floor(Fraction(at) - room), floor(Fraction(at) + room)
        if place not in undecided:
            assert ends == (whole[place], whole[place])
        elif (
            floor(Fraction(at) - 2 * Fraction(around)) == floor(Fraction(at) + 2 * Fraction(around))
            and abs(at) < 1e6
        ):
            pytest.fail("undecided without need")


def test_a_value_without_a_bound_is_never_decided() -> None:
    _, undecided = compute_floors(np.array([0.5, 0.5, 3.5]), np.array([np.inf, np.nan, 0.1]))
    assert undecided.tolist() == [0, 1]
