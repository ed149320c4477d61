"""The pytest plug-in: a fixture ``private`` that replays a function on neighbouring data.

    def test_mean_age(private):
        private(mean_age, without_each_row(PATIENTS), epsilon=1)

Pytest loads it through the entry point ``pytest11``; ``-p no:hedgerow`` disables it.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from hedgerow.verify.replay.assertion import assert_private

__all__ = ["private"]


@pytest.fixture
def private() -> Callable[..., Any]:
    """Return ``private(function, pairs, epsilon=…)``, which fails the test unless the function is
    private on every pair (TESTED, not proved).
    """
    return assert_private
