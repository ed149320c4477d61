"""Outputs of any kind become numbers and keys; equal outputs have equal keys on every path."""

from __future__ import annotations

import math
from decimal import Decimal
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.verify.audit.outputs import read_outputs


def test_numbers_in_any_dress() -> None:
    expected = np.array([[1.0], [0.5], [0.0]])
    for raw in (
        [1, 0.5, False],
        np.array([1, 0.5, 0]),
        [Fraction(1), Decimal("0.5"), np.bool_(False)],
        [np.float32(1), 0.5, 0],
    ):
        outputs = read_outputs(raw)
        assert np.array_equal(outputs.numbers, expected)
        assert np.array_equal(outputs.keys, read_outputs([1.0, 0.5, 0.0]).keys)


def test_missing_numbers_keep_their_place() -> None:
    outputs = read_outputs([(1, None), (2, "x", 3), None, ()])
    assert outputs.width == 3
    assert np.array_equal(
        outputs.numbers,
        [[1, math.nan, math.nan], [2, math.nan, 3], [math.nan] * 3, [math.nan] * 3],
        equal_nan=True,
    )
    assert outputs.lengths.tolist() == [2, 3, 1, 0]
    assert outputs.coordinate(0).tolist() == [1, 2, -math.inf, -math.inf]
    assert outputs.coordinate(9).tolist() == [-math.inf] * 4


@pytest.mark.parametrize(
    "output",
    [
        3,
        2.5,
        -0.0,
        math.nan,
        math.inf,
        10**400,
        True,
        (1, 2),
        (1.5, True),
        np.array([1.0, 2.0]),
        np.array([[1, 2], [3, 4]]),
    ],
    ids=repr,
)
def test_a_key_does_not_depend_on_the_company(output: object) -> None:
    # Alone it is read the quick way; beside a None, the slow way.
    assert read_outputs([output]).keys[0] == read_outputs([None, output]).keys[1]


def test_different_outputs_have_different_keys() -> None:
    outputs = [
        0.0,
        -0.0,
        1,
        2,
        "1",
        None,
        "None",
        (1, 2),
        (2, 1),
        {"a": 1},
        {"b": 1},
        math.nan,
        math.inf,
        "",
        (1, None),
        (None, 1),
    ]
    assert len(set(read_outputs(outputs).keys.tolist())) == len(outputs)


def test_a_set_is_read_in_one_order() -> None:
    a, b = {f"name {i}" for i in range(50)}, {f"name {i}" for i in reversed(range(50))}
    assert len(set(read_outputs([a, b, frozenset(a)]).keys.tolist())) == 1


def test_arrays_are_rows() -> None:
    grid = np.arange(12).reshape(3, 2, 2)
    assert read_outputs(grid).numbers.shape == (3, 4)
    assert np.array_equal(read_outputs(list(grid)).keys, read_outputs(grid).keys)
    ragged = read_outputs([np.array([1.0]), np.array([1.0, 2.0])])
    assert ragged.lengths.tolist() == [1, 2]
    assert read_outputs(np.array(["a", "b", "a"])).keys[0] == read_outputs(["a"]).keys[0]


def test_numbers_beyond_every_double() -> None:
    assert read_outputs([10**400, -(10**400)]).numbers.ravel().tolist() == [math.inf, -math.inf]
