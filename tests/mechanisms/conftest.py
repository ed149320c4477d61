"""A fixture without random bits, which proves that nothing was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.numeric import bits
from hedgerow.numeric.samplers import sample_pool as reserve


class Dry:
    """A replacement of the bit pool that fails on any draw."""

    def draw_words(self, count: int) -> np.ndarray:
        raise AssertionError(f"{count} words were drawn")


@pytest.fixture
def dry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Make every draw fail."""

    def draw(self: reserve.SamplePool, *_: object) -> int:
        raise AssertionError("a draw was taken from the reserve")

    monkeypatch.setattr(bits, "_PROCESS_POOL", Dry())
    monkeypatch.setattr(reserve.SamplePool, "draw", draw)
