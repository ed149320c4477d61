from __future__ import annotations

from decimal import Decimal

import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.service.number_text import parse_number_text


@pytest.mark.parametrize("text", ["0.1", "+1", "-2.50", ".5", "5.", "1e-9", "2E+3", "0" * 60])
def test_a_number_is_what_is_written(text: str) -> None:
    assert str(parse_number_text(text, "epsilon")) == str(Decimal(text))


@pytest.mark.parametrize(
    "text",
    [
        *("", " 1", "1 ", "1_0", "٣", "¹", "1e", "e5", ".", "0x1", "1,5", "inf", "NaN", "sNaN1"),
        *("1\n", "1\0", "--1", "1e9999999999", "0" * 61, "½"),
    ],
)
def test_any_other_writing_is_refused(text: str) -> None:
    with pytest.raises(InvalidArgument, match="epsilon must be a number"):
        parse_number_text(text, "epsilon")
