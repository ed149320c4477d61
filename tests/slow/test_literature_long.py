"""The whole table of the literature."""

from __future__ import annotations

import pytest

from verify.literature.test_literature import decide, expected_verdict, literature

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", sorted(literature()))
def test_the_verdict_is_that_of_the_literature(name: str) -> None:
    verdict = decide(name)
    assert verdict.verdict.value == expected_verdict(name)
    assert verdict.verdict.value != "UNKNOWN" or verdict.reason
