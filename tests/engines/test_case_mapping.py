from __future__ import annotations

import pytest

from hedgerow.engines.case_mapping import list_case_pairs
from hedgerow.plan.scalar.strings import STRING_FUNCTIONS


@pytest.mark.parametrize("function", ["lower", "upper"])
def test_every_code_point_beyond_ascii_that_changes_is_listed_once(function: str) -> None:
    before, after = list_case_pairs(function)
    assert len(before) == len(after) == len(set(before)) > 1000
    change = STRING_FUNCTIONS[function][2]
    assert change(before) == after
    assert min(map(ord, before)) >= 0x80
