"""A pool of prepared draws: the noise of one number in a microsecond, in time independent of it.

A sampler works on arrays; for a single draw nearly all its cost is the numpy calls. The pool draws
a block and hands it out one by one. The duration of a call then shows whether the pool was empty,
never how large the noise was.

Handing out a draw takes the same time for every value. Python caches the integers from -5 to 256
and stores all others in digits of 30 bits, which shows in the time of an addition. So draws are
stored with a constant added, which makes each a fresh integer of three digits.

A forked child starts with an empty pool, like the pool of bits: noise drawn before the fork belongs
to the parent alone.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from fractions import Fraction

from hedgerow.numeric.vectorised import Integers

__all__ = ["SamplePool"]

_BLOCK_SIZE = 64
_MAX_SCALES = 1024
# in the middle of each 30-bit digit, so that small noise of either sign causes no carry
_STORED_OFFSET = (1 << 62) + (1 << 45) + (1 << 29)


class SamplePool:
    """A pool of draws of one ``sampler``, by scale."""

    def __init__(self, sampler: Callable[[Fraction, int], Integers]) -> None:
        self.sampler = sampler
        self._reset()
        os.register_at_fork(after_in_child=self._reset)

    def _reset(self) -> None:
        self._blocks: dict[Fraction, list[int]] = {}
        self._process = (
            os.getpid()
        )  # set last: a thread that sees it must not find the parent's draws

    def draw(self, scale: Fraction, onto: int = 0) -> int:
        """Return ``onto`` plus one draw, and remove the draw from the pool.

        ``list.pop`` never gives two threads the same draw.
        """
        if self._process != os.getpid():
            self._reset()
        try:
            stored = self._blocks[scale].pop()
        except (KeyError, IndexError):
            block: list[int] = (self.sampler(scale, _BLOCK_SIZE) + _STORED_OFFSET).tolist()
            stored = block.pop()
            if len(self._blocks) >= _MAX_SCALES:
                self._blocks.clear()
            self._blocks[scale] = block
        return onto - _STORED_OFFSET + stored
