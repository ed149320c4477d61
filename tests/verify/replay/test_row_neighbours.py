"""Neighbours to try."""

from __future__ import annotations

import numpy as np
import pandas as pd
import polars as pl
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.verify.replay import without_each_row


def test_each_row_is_left_out_once() -> None:
    assert [other for _, other in without_each_row([1, 2, 3])] == [[2, 3], [1, 3], [1, 2]]
    assert [other for _, other in without_each_row((1, 2))] == [(2,), (1,)]
    assert [other.tolist() for _, other in without_each_row(np.array([[1, 2], [3, 4]]))] == [
        [[3, 4]],
        [[1, 2]],
    ]
    assert [other["x"].tolist() for _, other in without_each_row(pd.DataFrame({"x": [5, 6]}))] == [
        [6],
        [5],
    ]
    assert [other["x"].to_list() for _, other in without_each_row(pl.DataFrame({"x": [5, 6]}))] == [
        [6],
        [5],
    ]
    assert [other.tolist() for _, other in without_each_row(pd.Series([5, 6]))] == [[6], [5]]


def test_all_rows_of_a_unit_go_together() -> None:
    table = pd.DataFrame({"who": ["a", "b", "a"], "x": [1, 2, 3]})
    assert [other["x"].tolist() for _, other in without_each_row(table, unit="who")] == [
        [2],
        [1, 3],
    ]
    assert [
        other["x"].to_list() for _, other in without_each_row(pl.DataFrame(table), unit="who")
    ] == [[2], [1, 3]]


def test_only_some_of_many_rows_are_left_out() -> None:
    found = [other for _, other in without_each_row(list(range(1000)), most=3)]
    assert [len(other) for other in found] == [999] * 3
    assert 0 not in found[0]
    assert 999 not in found[-1]


def test_bad_data() -> None:
    with pytest.raises(InvalidArgument, match="at least one row"):
        list(without_each_row([]))
    with pytest.raises(InvalidArgument, match="pairs of your own"):
        list(without_each_row("abc"))
    with pytest.raises(InvalidArgument, match="column of the data frame"):
        list(without_each_row([1, 2], unit="who"))
