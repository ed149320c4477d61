from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.privacy.whole import whole


@pytest.mark.parametrize("value", [1, 7, 10**30, np.int64(7), np.uint8(3), 4.0, Fraction(6, 2)])
def test_whole_numbers_pass(value: object) -> None:
    number = whole(value, "k")
    assert type(number) is int
    assert number == value


@pytest.mark.parametrize(
    "value", [0, -1, 0.5, Fraction(3, 2), True, np.True_, "1", None, float("nan"), float("inf"), 1e-320, 1e400, np.int64(0)]
)
def test_everything_else_is_refused_by_name(value: object) -> None:
    with pytest.raises(InvalidArgument, match=r"^k must be .*; got ") as caught:
        whole(value, "k")
    assert caught.value.argument == "k"
