"""Options that several commands share."""

from __future__ import annotations

from decimal import Decimal

import pytest

from hedgerow.cli.options import parse_number, split_names
from hedgerow.errors import InvalidArgument


def test_a_number_is_read_as_typed() -> None:
    assert parse_number("0.1", "epsilon") == Decimal("0.1")
    assert parse_number(None, "epsilon") is None
    with pytest.raises(InvalidArgument, match=r"epsilon must be a number, such as 0\.5; got"):
        parse_number("much", "epsilon")


def test_names_are_split_at_commas() -> None:
    assert split_names(" age, sex,,region ") == ["age", "sex", "region"]
