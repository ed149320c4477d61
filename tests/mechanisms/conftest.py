"""A world without random bits, to show that nothing was drawn."""

from __future__ import annotations

import numpy as np
import pytest

from hedgerow.numeric import bits, reserve


class Dry:
    """Stands where the pool of random bits stood."""

    def words(self, count: int) -> np.ndarray:
        raise AssertionError(f"{count} words were drawn")


@pytest.fixture
def dry(monkeypatch: pytest.MonkeyPatch) -> None:
    """Whoever draws fails."""

    def draw(self: reserve.Reserve, *_: object) -> int:
        raise AssertionError("a draw was taken from the reserve")

    monkeypatch.setattr(bits, "_POOL", Dry())
    monkeypatch.setattr(reserve.Reserve, "draw", draw)
