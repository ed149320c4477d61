"""Operators on the values of a run."""

from __future__ import annotations

import pytest

from hedgerow.errors import Refused
from hedgerow.verify.language.interpreter.value_operations import BitString, apply_to_bits


def test_two_bit_strings_of_widths_that_only_meet_at_run_time() -> None:
    with pytest.raises(Refused, match="cannot be combined"):
        apply_to_bits("xor", [BitString(1, 2), BitString(1, 3)])
