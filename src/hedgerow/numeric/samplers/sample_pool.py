"""Single draws from a small stock, so that the noise of one number costs a microsecond and no
telling amount of time.

A sampler works on whole arrays; used for one draw at a time nearly all its cost is calling numpy.
The stock draws a block and hands it out one by one. How long a call takes then says whether the
stock was empty, never how large the noise was.

Handing out costs the same whatever the noise. Python keeps the integers from -5 to 256 ready-made
and all others in pieces of 30 bits, which shows in the time of an addition; so draws are stocked
with a constant added, which makes each a fresh integer of three pieces.

A forked child starts with an empty stock, as it does with an empty pool of bits: noise drawn before
the fork is the parent's alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

from hedgerow.numeric.vectorised import Integers

__all__ = ["SamplePool"]

_BLOCK_SIZE = 64
_MAX_SCALES = 1024
# in the middle of every piece, so that small noise of either sign carries nowhere
_STORED_OFFSET = (1 << 62) + (1 << 45) + (1 << 29)


class SamplePool:
    """A stock of draws of one ``sampler``, for each scale that is asked for."""

    def __init__(self, sampler: Callable[[Fraction, int], Integers]) -> None:
        self.sampler = sampler
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._blocks: dict[Fraction, list[int]] = {}
        self._process = os.getpid()  # last: whoever sees it must not find the parent's stock

    def draw(self, scale: Fraction, onto: int = 0) -> int:
        """``onto`` plus one draw. A draw leaves the stock as it is handed out; ``list.pop``
        gives no two threads the same.
        """
        if self._process != os.getpid():
            self._reset()
        try:
            lifted = self._blocks[scale].pop()
        except (KeyError, IndexError):
            block: list[int] = (self.sampler(scale, _BLOCK_SIZE) + _STORED_OFFSET).tolist()
            lifted = block.pop()
            if len(self._blocks) >= _MAX_SCALES:
                self._blocks.clear()
            self._blocks[scale] = block
        return onto - _STORED_OFFSET + lifted
