"""Random bits: uniform, never repeated, across forks and threads, and none without entropy."""

from __future__ import annotations

import multiprocessing
import os
import signal
import threading
from collections.abc import Callable

import numpy as np
import pytest

import goodness
from goodness import ALARM
from hedgerow.errors import EntropyError
from hedgerow.numeric import bits
from hedgerow.numeric.bits import BitPool, draw_integer, draw_words

# the point is to fork with threads about
FORKS = pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")


def refuse(_: int) -> bytes:
    raise OSError("no entropy today")


def unsupported(_: int) -> bytes:
    raise NotImplementedError


def in_child(draw: Callable[[], np.ndarray]) -> np.ndarray:
    """Return what a forked child draws; a child that hangs is killed by its alarm and returns
    nothing.
    """
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            os.write(write, draw().tobytes())
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        drawn = pipe.read()
    os.waitpid(child, 0)
    return np.frombuffer(drawn, dtype=np.uint64)


@FORKS
@pytest.mark.parametrize(
    "pool",
    [bits._PROCESS_POOL, BitPool()],
    ids=["the pool of the process", "a pool that no hook knows"],
)
@pytest.mark.parametrize("count", [64, 1024], ids=["buffered", "direct"])
def test_forks_after_warm_up_draw_different_words(pool: BitPool, count: int) -> None:
    before = pool.draw_words(64)
    children = [in_child(lambda: pool.draw_words(count)) for _ in range(8)]
    drawn = np.concatenate([before, *children, pool.draw_words(count)])
    assert drawn.size == 64 + 9 * count
    assert np.unique(drawn).size == drawn.size


@FORKS
def test_a_child_draws_although_the_parent_held_the_lock() -> None:
    with bits._PROCESS_POOL._lock:
        drawn = in_child(lambda: draw_words(4))
    assert drawn.size == 4


@FORKS
@pytest.mark.parametrize("method", ["fork", "spawn"])
def test_worker_processes_draw_different_words(method: str) -> None:
    warm = draw_words(16)
    with multiprocessing.get_context(method).Pool(2) as workers:
        drawn = np.concatenate([warm, *workers.map(draw_words, [100] * 6), draw_words(100)])
    assert np.unique(drawn).size == drawn.size == 716


def test_a_pool_that_finds_itself_in_another_process_starts_over() -> None:
    pool = BitPool()
    pool.draw_words(10)
    old, lock = pool._buffer.copy(), pool._lock
    pool._process = -1
    assert not np.isin(pool.draw_words(1000), old).any()
    assert not np.isin(pool.draw_words(100), old).any()
    assert pool._lock is not lock
    assert pool._process == os.getpid()


def test_the_mark_of_the_process_is_set_last() -> None:
    order: list[str] = []

    class Watched(BitPool):
        def __setattr__(self, name: str, value: object) -> None:
            order.append(name)
            super().__setattr__(name, value)

    Watched()
    # a second thread of a fresh child that sees it set must not find the parent's key
    assert order[-1] == "_process"


def test_threads_draw_different_words() -> None:
    pool, drawn, start = BitPool(), [], threading.Barrier(8)

    def draw() -> None:
        start.wait()
        drawn.append(np.concatenate([pool.draw_words(count) for count in (1, 50, 600, 7) * 25]))

    threads = [threading.Thread(target=draw) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    everything = np.concatenate(drawn)
    assert everything.size == 8 * 25 * 658
    assert np.unique(everything).size == everything.size


@pytest.mark.parametrize(
    "broken",
    [refuse, unsupported, lambda n: b"\x00" * (n - 1), lambda n: b""],
    ids=["fails", "missing", "short", "empty"],
)
@pytest.mark.parametrize("count", [1, 5000])
def test_without_entropy_nothing_is_drawn(
    monkeypatch: pytest.MonkeyPatch, broken: Callable[[int], bytes], count: int
) -> None:
    pool = BitPool()
    with monkeypatch.context() as patch:
        patch.setattr(os, "urandom", broken)
        for _ in range(2):
            with pytest.raises(EntropyError, match="nothing was drawn"):
                pool.draw_words(count)
    assert np.unique(pool.draw_words(count)).size == count, "it works again once the system does"


def test_entropy_that_fails_in_the_middle_of_a_large_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    pool, system, calls = BitPool(), os.urandom, []

    def once(count: int) -> bytes:
        calls.append(count)
        return system(count) if len(calls) == 1 else refuse(count)

    large = 3 * bits._BYTES_PER_KEY // 8
    with monkeypatch.context() as patch:
        patch.setattr(os, "urandom", once)
        with pytest.raises(EntropyError):
            pool.draw_words(large)
        assert len(calls) == 2, "the first key was good, the second did not come"
        with pytest.raises(EntropyError):
            pool.draw_words(1)
    assert np.count_nonzero(pool.draw_words(large)) > large - 3


def test_a_failed_refill_leaves_nothing_of_the_old_buffer(monkeypatch: pytest.MonkeyPatch) -> None:
    pool = BitPool()
    for _ in range(5):
        pool.draw_words(400)
    pool._drawn = bits._BYTES_PER_KEY  # the key is used up
    monkeypatch.setattr(os, "urandom", refuse)
    with pytest.raises(EntropyError):
        pool.draw_words(100)
    with pytest.raises(EntropyError):
        pool.draw_words(1)


def test_every_stretch_has_its_own_key(monkeypatch: pytest.MonkeyPatch) -> None:
    seeds, system = [], os.urandom

    def watched(count: int) -> bytes:
        seeds.append(system(count))
        return seeds[-1]

    monkeypatch.setattr(os, "urandom", watched)
    pool = BitPool()
    drawn = pool.draw_words(3 * bits._BYTES_PER_KEY // 8)
    assert len(seeds) == len(set(seeds)) == 3
    assert all(len(seed) == 48 for seed in seeds)
    assert np.unique(drawn[:: bits._BYTES_PER_KEY // 8]).size == 3


def test_words_handed_out_are_wiped_from_the_buffer() -> None:
    pool = BitPool()
    taken = pool.draw_words(300)
    assert not np.isin(taken, pool._buffer).any()
    assert not pool._buffer[:300].any()
    assert np.count_nonzero(pool._buffer[300:]) == bits._BUFFER_WORDS - 300
    taken[:] = 0
    assert np.count_nonzero(pool.draw_words(300)) == 300, "the caller's array is a copy"


@pytest.mark.parametrize("count", [0, 1, 511, 512, 513, 2048, 40_000])
def test_the_requested_number_of_words_is_returned(count: int) -> None:
    drawn = draw_words(count)
    assert drawn.dtype == np.uint64
    assert drawn.size == count
    assert np.unique(drawn).size == count


def test_words_are_uniform() -> None:
    small = np.concatenate([draw_words(500) for _ in range(200)])
    for drawn in (small, draw_words(100_000)):
        assert np.unique(drawn).size == drawn.size
        for byte in drawn.view(np.uint8).reshape(-1, 8).T:
            assert (
                goodness.chi_square(np.bincount(byte, minlength=256), np.full(256, 1 / 256)) > ALARM
            )
        flips = np.bitwise_count(drawn[1:] ^ drawn[:-1])
        assert abs(flips.mean() - 32) < goodness.FAR * 4 / flips.size**0.5


@pytest.mark.parametrize("size", [0, 1, 7, 63, 64, 65, 200])
def test_integers_have_the_requested_number_of_bits(size: int) -> None:
    drawn = [draw_integer(size) for _ in range(200)]
    assert all(0 <= value < 1 << size for value in drawn)
    if size > 4:
        assert any(value >> (size - 1) for value in drawn)
        assert not all(value >> (size - 1) for value in drawn)


def test_every_bit_of_an_integer_is_fair() -> None:
    drawn = [draw_integer(70) for _ in range(10_000)]
    for bit in range(70):
        ones = sum(value >> bit & 1 for value in drawn)
        assert abs(ones - 5000) < 50 * 7


def test_integers_are_made_of_the_words(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(
        bits, "draw_words", lambda count: np.array([3, 1 << 63][:count], dtype=np.uint64)
    )
    assert draw_integer(64) == 3
    assert draw_integer(63) == 1
    assert draw_integer(128) == (1 << 127) + 3
    assert draw_integer(65) == 1 << 64
