from __future__ import annotations

import pytest

from hedgerow.service.wire.catalog.result_types import find_oid


@pytest.mark.parametrize(
    ("type_", "oid"),
    [
        ("UINTEGER", 26),
        ("VARCHAR[]", 1009),
        ("DECIMAL(18,3)", 1700),
        ("STRUCT(x INTEGER)", 25),
        ('"NULL"', 25),
    ],
)
def test_types_of_the_engine_are_types_of_postgresql(type_: str, oid: int) -> None:
    assert find_oid(type_) == oid
