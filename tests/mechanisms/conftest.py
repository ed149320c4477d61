"""A world without random bits, to show that nothing was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.numeric import bits
from hedgerow.numeric.samplers import sample_pool as reserve


class Dry:
    """Stands where the pool of random bits stood."""

    def draw_words(self, count: int) -> np.ndarray:
        raise AssertionError(f"{count} words were drawn")


@pytest.fixture
def dry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever draws fails."""

    def draw(self: reserve.SamplePool, *_: object) -> int:
        raise AssertionError("a draw was taken from the reserve")

    monkeypatch.setattr(bits, "_PROCESS_POOL", Dry())
    monkeypatch.setattr(reserve.SamplePool, "draw", draw)
