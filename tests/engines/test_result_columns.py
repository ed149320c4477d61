from __future__ import annotations

from datetime import date

import numpy as np
import pytest

from hedgerow.engines.result_columns import convert_result
from hedgerow.engines.statement import Statement


def test_arrays_have_the_width_that_the_statement_declares() -> None:
    masked = np.ma.masked_array(np.array(["a", "?"], dtype=object), [False, True])
    found = {
        "k": masked,
        "n": np.array([1, 2], dtype=np.int32),
        "w": np.array([str(2**100), "-5"], dtype=object),
    }
    keys, (short, long) = convert_result(found, Statement("", ("text",), (False, True)))
    assert keys == [["a", None]]
    assert (short.dtype, short.tolist()) == (np.dtype(np.int64), [1, 2])
    assert (long.dtype, long.tolist()) == (np.dtype(object), [2**100, -5])
    assert type(long[0]) is int


@pytest.mark.parametrize("wide", [False, True])
def test_numbers_that_were_rounded_or_are_missing_are_not_taken(wide: bool) -> None:
    for array in (
        np.array([2.0**70]),
        np.ma.masked_array(np.array([1]), [True]),
        np.ma.masked_array(np.array(["1"], object), [True]),
    ):
        with pytest.raises(TypeError, match="must be integers"):
            convert_result({"n": array}, Statement("", (), (wide,)))


def test_days_stay_days() -> None:
    days = np.array(["0001-01-01", "9999-12-31"], dtype="datetime64[us]")
    assert convert_result({"k": days}, Statement("", ("date",), ()))[0] == [[date.min, date.max]]


def test_a_tally_has_each_number_in_rising_order_and_how_often() -> None:
    keys, (values, counts) = convert_result(
        {"n": np.array([7, -2, 7], dtype=np.int32)}, Statement("", (), (False, False), (-2, 9))
    )
    assert (keys, values.tolist(), counts.tolist()) == ([], [-2, 7], [1, 2])


@pytest.mark.parametrize(
    ("array", "error"),
    [
        (np.array([1.0]), TypeError),
        (np.ma.masked_array(np.array([1]), [True]), TypeError),
        (np.array([10]), ValueError),
        (np.array([-3]), ValueError),
    ],
)
def test_a_tally_of_unexpected_values_is_refused(array: np.ndarray, error: type[Exception]) -> None:
    with pytest.raises(error):
        convert_result({"n": array}, Statement("", (), (False, False), (-2, 9)))
