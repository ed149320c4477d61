from __future__ import annotations

import pytest

from hedgerow.engines.statement import Statement


def test_a_statement_is_a_value() -> None:
    made = Statement("SELECT 1", ("text",), (False,))
    assert {made, Statement("SELECT 1", ("text",), (False,), None)} == {made}
    assert made != Statement("SELECT 1", ("text",), (False,), (0, 9))
    with pytest.raises(AttributeError):
        made.sql = "SELECT 2"  # type: ignore[misc]
