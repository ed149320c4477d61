"""Columns read what they say they read."""

from __future__ import annotations

import math

import numpy as np
import pytest

from hedgerow.verify.audit.features import (
    Coordinate,
    Feature,
    LowBits,
    LowestBit,
    OutputLength,
    RowSummary,
    SignificantBits,
    format_number,
    list_features,
    shorten_threshold,
)
from hedgerow.verify.audit.outputs import read_outputs

VALUES = [0.0, 1.0, -1.0, 3.0, 0.75, 96.0, 2.0**-60, 5e-324, 1.7e308, 0.1, 2.0**60 + 2.0**10, -0.0]


@pytest.mark.parametrize("k", [-1074, -60, -53, -2, -1, 0, 1, 5, 10, 60])
def test_the_lowest_bit_decides_every_power_of_two(k: int) -> None:
    for value, grain in zip(
        VALUES, LowestBit(0, "output").compute(read_outputs(VALUES)), strict=True
    ):
        numerator, denominator = value.as_integer_ratio()
        is_multiple = (
            numerator % 2**k == 0
            if k >= 0 and denominator == 1
            else denominator <= 2**-k
            if k < 0
            else numerator == 0
        )
        assert (grain >= k) == is_multiple, (value, k)


def test_values_that_are_not_finite_have_no_bits() -> None:
    outputs = read_outputs([math.nan, math.inf, None, "x"])
    assert (LowestBit(0, "").compute(outputs) < -1100).all()
    assert SignificantBits(0, "").compute(outputs).tolist() == [0] * 4
    assert not any(
        np.isnan(column.compute(outputs)).any()
        for column in (Coordinate(0, ""), LowestBit(0, ""), SignificantBits(0, ""), LowBits(0, ""))
    )


def test_significant_and_low_bits() -> None:
    assert SignificantBits(0, "output").compute(read_outputs(VALUES)).tolist()[:7] == [
        0,
        1,
        1,
        2,
        2,
        2,
        1,
    ]
    low = LowBits(0, "output").compute(read_outputs([1.0, math.nextafter(1, 2), -1.0, 0.0, -0.0]))
    assert low.tolist() == [0, 1, -16, 0, -16]


def test_summaries_and_length() -> None:
    outputs = read_outputs([(3, 1, 2), (0, 5, None), ()])
    found = {
        kind: RowSummary(kind, kind).compute(outputs).tolist()
        for kind in ("sum", "max", "min", "argmax", "argmin")
    }
    assert found["sum"] == [6, 5, 0]
    assert found["max"] == [3, 5, -math.inf]
    assert found["min"] == [1, 0, math.inf]
    assert found["argmax"][:2] == [0, 1]
    assert found["argmin"][:2] == [1, 0]
    assert OutputLength().compute(outputs).tolist() == [3, 3, 0]
    assert RowSummary("sum", "sum").compute(read_outputs([(), ()])).tolist() == [0, 0]


def test_sums_beyond_every_double_are_ordered_not_nan() -> None:
    with np.errstate(over="ignore", invalid="ignore"):
        assert not np.isnan(
            RowSummary("sum", "sum").compute(
                read_outputs([(1.7e308, 1.7e308), (-1.7e308, -1.7e308)])
            )
        ).any()


def test_words() -> None:
    assert Coordinate(0, "output").describe_event(3.0, True) == "output >= 3"
    assert Coordinate(2, "output[2]").describe_event(0.25, False) == "output[2] < 0.25"
    assert LowestBit(0, "output").describe_event(-53.0, True) == "output is a multiple of 2^-53"
    assert (
        LowestBit(0, "output").describe_event(-53.0, False) == "output is not a multiple of 2^-53"
    )
    assert LowestBit(0, "output").describe_event(2000.0, True) == "output is zero"
    assert LowestBit(0, "output").describe_event(-1999.0, False) == "output is not a finite number"
    assert (
        SignificantBits(0, "output").describe_event(12.0, False)
        == "significant bits of output < 12"
    )
    assert LowBits(0, "output").describe_event(0.0, True) == "signed low bits of output >= 0"
    assert RowSummary("max of output", "max").describe_event(1.0, True) == "max of output >= 1"
    assert OutputLength().describe_event(2.0, False) == "length of output < 2"
    assert (format_number(1e16), format_number(-2.0), format_number(0.1)) == ("1e+16", "-2", "0.1")


@pytest.mark.parametrize(
    "seen",
    [[0.0, 0.3141, 0.3199], [-7.77, -7.71, 4.0], [1e9, 1e9 + 1, 1e9 + 2], [-math.inf, 0.0, 1.0]],
)
def test_the_shortest_threshold_splits_alike(seen: list[float]) -> None:
    ordered = np.array(seen)
    for threshold in seen:
        short = shorten_threshold(ordered, threshold)
        assert np.array_equal(ordered >= short, ordered >= threshold)
        assert len(format_number(short)) <= len(format_number(threshold))


def names(found: tuple[Feature, ...]) -> list[str]:
    return [column.name for column in found]


def test_columns_fit_the_outputs() -> None:
    whole = read_outputs([0, 1, 5])
    assert names(list_features(whole, whole)) == ["output"]
    real = read_outputs([0.5, 1.25])
    assert names(list_features(real, whole)) == [
        "output",
        "lowest set bit of output",
        "significant bits of output",
        "signed low bits of output",
    ]
    text = read_outputs(["a", None])
    assert names(list_features(text, text)) == []
    pair = read_outputs([(1, "a"), (2, "b")])
    assert names(list_features(pair, pair)) == [
        "output[0]",
        *(f"{kind} of output" for kind in ("sum", "max", "min", "argmax", "argmin", "length")),
    ]


def test_the_most_different_coordinates_of_a_wide_output_are_kept() -> None:
    rng = np.random.default_rng(1)
    one, other = rng.normal(size=(200, 40)), rng.normal(size=(200, 40))
    other[:, 17] += 2  # by value
    other[:, 31] = np.rint(other[:, 31] * 4) / 4  # by grain alone
    other[:, 5] = np.nan  # by absence
    kept = {
        name
        for name in names(list_features(read_outputs(one), read_outputs(other)))
        if name.startswith("output[")
    }
    assert len(kept) == 16
    assert {"output[5]", "output[17]", "output[31]"} <= kept
