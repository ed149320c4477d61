"""Columns read what they say they read."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow.verify.audit.columns import Column, Coordinate, Grain, Length, Significant, Summary, Tail, columns, shortest, shown
from hedgerow.verify.audit.outputs import read

VALUES = [0.0, 1.0, -1.0, 3.0, 0.75, 96.0, 2.0**-60, 5e-324, 1.7e308, 0.1, 2.0**60 + 2.0**10, -0.0]


@pytest.mark.parametrize("k", [-1074, -60, -53, -2, -1, 0, 1, 5, 10, 60])
def test_grain_decides_every_power_of_two(k: int) -> None:
    for value, grain in zip(VALUES, Grain(0, "output").of(read(VALUES)), strict=True):
        numerator, denominator = value.as_integer_ratio()
        is_multiple = numerator % 2**k == 0 if k >= 0 and denominator == 1 else denominator <= 2**-k if k < 0 else numerator == 0
        assert (grain >= k) == is_multiple, (value, k)


def test_bits_of_what_is_no_number() -> None:
    outputs = read([math.nan, math.inf, None, "x"])
    assert (Grain(0, "").of(outputs) < -1100).all()
    assert Significant(0, "").of(outputs).tolist() == [0] * 4
    assert not any(np.isnan(column.of(outputs)).any() for column in (Coordinate(0, ""), Grain(0, ""), Significant(0, ""), Tail(0, "")))


def test_significant_and_low_bits() -> None:
    assert Significant(0, "output").of(read(VALUES)).tolist()[:7] == [0, 1, 1, 2, 2, 2, 1]
    low = Tail(0, "output").of(read([1.0, math.nextafter(1, 2), -1.0, 0.0, -0.0]))
    assert low.tolist() == [0, 1, -16, 0, -16]


def test_summaries_and_length() -> None:
    outputs = read([(3, 1, 2), (0, 5, None), ()])
    found = {kind: Summary(kind, kind).of(outputs).tolist() for kind in ("sum", "max", "min", "argmax", "argmin")}
    assert found["sum"] == [6, 5, 0]
    assert found["max"] == [3, 5, -math.inf]
    assert found["min"] == [1, 0, math.inf]
    assert found["argmax"][:2] == [0, 1]
    assert found["argmin"][:2] == [1, 0]
    assert Length().of(outputs).tolist() == [3, 3, 0]
    assert Summary("sum", "sum").of(read([(), ()])).tolist() == [0, 0]


def test_sums_beyond_every_double_are_ordered_not_nan() -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isnan(Summary("sum", "sum").of(read([(1.7e308, 1.7e308), (-1.7e308, -1.7e308)]))).any()


def test_words() -> None:
    assert Coordinate(0, "output").say(3.0, True) == "output >= 3"
    assert Coordinate(2, "output[2]").say(0.25, False) == "output[2] < 0.25"
    assert Grain(0, "output").say(-53.0, True) == "output is a multiple of 2^-53"
    assert Grain(0, "output").say(-53.0, False) == "output is not a multiple of 2^-53"
    assert Grain(0, "output").say(2000.0, True) == "output is zero"
    assert Grain(0, "output").say(-1999.0, False) == "output is not a finite number"
    assert Significant(0, "output").say(12.0, False) == "significant bits of output < 12"
    assert Tail(0, "output").say(0.0, True) == "signed low bits of output >= 0"
    assert Summary("max of output", "max").say(1.0, True) == "max of output >= 1"
    assert Length().say(2.0, False) == "length of output < 2"
    assert (shown(1e16), shown(-2.0), shown(0.1)) == ("1e+16", "-2", "0.1")


@pytest.mark.parametrize("seen", [[0.0, 0.3141, 0.3199], [-7.77, -7.71, 4.0], [1e9, 1e9 + 1, 1e9 + 2], [-math.inf, 0.0, 1.0]])
def test_the_shortest_threshold_splits_alike(seen: list[float]) -> None:
    ordered = np.array(seen)
    for threshold in seen:
        short = shortest(ordered, threshold)
        assert np.array_equal(ordered >= short, ordered >= threshold)
        assert len(shown(short)) <= len(shown(threshold))


def names(found: tuple[Column, ...]) -> list[str]:
    return [column.name for column in found]


def test_columns_fit_the_outputs() -> None:
    whole = read([0, 1, 5])
    assert names(columns(whole, whole)) == ["output"]
    real = read([0.5, 1.25])
    assert names(columns(real, whole)) == ["output", "lowest set bit of output", "significant bits of output", "signed low bits of output"]
    text = read(["a", None])
    assert names(columns(text, text)) == []
    pair = read([(1, "a"), (2, "b")])
    assert names(columns(pair, pair)) == [
        "output[0]", "sum of output", "max of output", "min of output", "argmax of output", "argmin of output", "length of output",
    ]  # fmt: skip


def test_of_a_wide_output_the_telling_coordinates_are_kept() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(200, 40)), rng.normal(size=(200, 40))
    other[:, 17] += 2  # by value
    other[:, 31] = np.rint(other[:, 31] * 4) / 4  # by grain alone
    other[:, 5] = np.nan  # by absence
    kept = {name for name in names(columns(read(one), read(other))) if name.startswith("output[")}
    assert len(kept) == 16
    assert {"output[5]", "output[17]", "output[31]"} <= kept
