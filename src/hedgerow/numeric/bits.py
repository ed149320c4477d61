"""Random bits from the operating system, fast enough for millions of draws.

The bits are the AES-256 counter-mode keystream of the ``cryptography`` package, under a key and a
starting counter read from ``os.urandom``. A new key is read every few megabytes. Reading from the
system directly would be fifteen times slower.

Guarantees:

- **No seed.** Nothing in the package can fix, save or restore the stream.
- **Fork-safe.** A forked child drops the key and the buffer before it draws its first bit.
- **Thread-safe.** One lock; no two callers ever see the same word.
- **Fails closed.** When the system gives no entropy, or too little, nothing is drawn:
  ``EntropyError``.
- **Forward secrecy.** A word is wiped from the buffer when it is handed out, and its key is dropped
  within a few megabytes: memory read later reveals no older noise.
"""

from __future__ import annotations

import os
import threading

import numpy as np
from cryptography.hazmat.primitives.ciphers import Cipher, CipherContext, algorithms, modes
from numpy.typing import NDArray

from hedgerow.errors import EntropyError

__all__ = ["BitPool", "draw_integer", "draw_words"]

_WORD = 8
_BUFFER_WORDS = 2048  # words kept ready for small requests
_BYTES_PER_KEY = 1 << 22  # bytes drawn under one key
_ZEROS = bytes(1 << 18)  # encrypted in counter mode they are the keystream


class BitPool:
    """A buffered keystream. The process has one; tests create their own."""

    def __init__(self) -> None:
        self._reset()

    def _reset(self) -> None:
        """Drop key and buffer, and create a lock that no thread of a parent process can hold."""
        self._lock = threading.Lock()
        self._cipher: CipherContext | None = None
        self._drawn = 0
        self._buffer = np.zeros(_BUFFER_WORDS, dtype=np.uint64)
        self._next = _BUFFER_WORDS
        self._process = (
            os.getpid()
        )  # set last: a thread that sees it must not find the parent's key

    def draw_words(self, count: int) -> NDArray[np.uint64]:
        """Draw ``count`` independent uniform 64-bit words."""
        if self._process != os.getpid():
            self._reset()
        with self._lock:
            if count > _BUFFER_WORDS // 4:
                fresh = np.empty(count, dtype=np.uint64)
                self._fill(fresh)
                return fresh
            if self._next + count > _BUFFER_WORDS:
                # so that after a failed refill nothing of the old buffer is handed out
                self._next = _BUFFER_WORDS
                self._fill(self._buffer)
                self._next = 0
            taken = self._buffer[self._next : self._next + count]
            result = taken.copy()
            taken[:] = 0
            self._next += count
            return result

    def _fill(self, target: NDArray[np.uint64]) -> None:
        view = target.data.cast("B")
        for start in range(0, len(view), len(_ZEROS)):
            piece = view[start : start + len(_ZEROS)]
            if self._cipher is None or self._drawn >= _BYTES_PER_KEY:
                self._cipher, self._drawn = None, 0
                self._cipher = _open_keystream()
            self._cipher.update_into(_ZEROS[: len(piece)], piece)
            self._drawn += len(piece)


def _open_keystream() -> CipherContext:
    try:
        seed = os.urandom(48)
    except (OSError, NotImplementedError) as failure:
        raise EntropyError(
            "The operating system gave no random bits, so nothing was drawn. Try again, or check"
            " that os.urandom works on this system."
        ) from failure
    if len(seed) != 48:
        raise EntropyError(
            "The operating system gave too few random bits, so nothing was drawn. Try again, or"
            " check that os.urandom works on this system."
        )
    return Cipher(algorithms.AES(seed[:32]), modes.CTR(seed[32:])).encryptor()


_PROCESS_POOL = BitPool()
os.register_at_fork(after_in_child=_PROCESS_POOL._reset)


def draw_words(count: int) -> NDArray[np.uint64]:
    """Draw ``count`` independent uniform 64-bit words from the process's pool."""
    return _PROCESS_POOL.draw_words(count)


def draw_integer(bits: int) -> int:
    """Draw a uniform integer of ``bits`` bits, of any size."""
    count = -(-bits // 64)
    return int.from_bytes(draw_words(count).tobytes(), "little") >> (64 * count - bits)
