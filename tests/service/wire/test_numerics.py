from __future__ import annotations

import struct
from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st
from psycopg.types.numeric import NumericBinaryLoader

from hedgerow.service.wire.numerics import decode_numeric, encode_numeric

LOADER = NumericBinaryLoader(1700)


@given(st.decimals(allow_nan=False, allow_infinity=False, places=9) | st.integers().map(Decimal))
def test_numbers_go_both_ways_and_psycopg_agrees(value: Decimal) -> None:
    data = encode_numeric(value)
    assert LOADER.load(data) == decode_numeric(data) == value
    assert -LOADER.load(data).as_tuple().exponent == max(0, -int(value.as_tuple().exponent))


@pytest.mark.parametrize("text", ["NaN", "Infinity", "-Infinity"])
def test_nan_and_infinity_are_written_and_not_read(text: str) -> None:
    data = encode_numeric(Decimal(text))
    assert str(LOADER.load(data)) == text
    with pytest.raises(ValueError, match="not a finite number"):
        decode_numeric(data)


def test_a_short_number_is_refused() -> None:
    with pytest.raises(struct.error):
        decode_numeric(b"\0\1\0\0")
