"""Twenty rewrites of every proved program of the literature."""

from __future__ import annotations

import pytest

from verify.attacks.test_rewrites import PROVED, find_unproved

pytestmark = pytest.mark.slow


@pytest.mark.parametrize("name", PROVED)
def test_rewrites_are_proved(name: str) -> None:
    assert find_unproved(name, range(20)) == []
