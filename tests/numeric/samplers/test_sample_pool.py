"""The pool of single draws: each draw once, in no other process, from the right distribution."""

from __future__ import annotations

import os
import signal
import threading
from fractions import Fraction

import numpy as np
import pytest

import goodness
from goodness import ALARM
from hedgerow.errors import EntropyError
from hedgerow.numeric.samplers import sample_pool as reserve
from hedgerow.numeric.samplers.laplace_sampler import discrete_laplace
from hedgerow.numeric.samplers.sample_pool import SamplePool

WIDE = Fraction(10**12)


def counting() -> tuple[SamplePool, list[Fraction]]:
    """Return a pool of a sampler that gives 0, 1, 2, … and records its scales."""
    asked: list[Fraction] = []

    def sampler(scale: Fraction, size: int) -> np.ndarray:
        asked.append(scale)
        return np.arange(size) + size * (len(asked) - 1)

    return SamplePool(sampler), asked


def test_every_draw_is_handed_out_once() -> None:
    stock, asked = counting()
    drawn = [stock.draw(WIDE) for _ in range(3 * reserve._BLOCK_SIZE)]
    assert sorted(drawn) == list(range(3 * reserve._BLOCK_SIZE))
    assert asked == [WIDE] * 3
    assert all(type(value) is int for value in drawn)


def test_every_scale_has_its_own_pool() -> None:
    stock, asked = counting()
    one, two = Fraction(1), Fraction(2)
    assert {stock.draw(one) // reserve._BLOCK_SIZE for _ in range(5)} == {0}
    assert {stock.draw(two) // reserve._BLOCK_SIZE for _ in range(5)} == {1}
    assert stock.draw(one) // reserve._BLOCK_SIZE == 0
    assert asked == [one, two]


def test_the_number_of_scales_is_bounded() -> None:
    stock, _ = counting()
    for scale in range(1, reserve._MAX_SCALES + 2):
        stock.draw(Fraction(scale))
    assert len(stock._blocks) == 1
    stock.draw(Fraction(5))
    assert len(stock._blocks) == 2


def test_draws_follow_the_distribution() -> None:
    stock = SamplePool(discrete_laplace)
    scale = Fraction(15, 2)
    drawn = np.array([stock.draw(scale) for _ in range(50_000)])
    assert goodness.p_value(drawn, goodness.discrete_laplace(scale)) > ALARM
    assert abs(goodness.serial_correlation(drawn, 1)) < goodness.FAR


@pytest.mark.filterwarnings("ignore:.*fork.*:DeprecationWarning")
@pytest.mark.parametrize("hooked", [True, False])
def test_a_forked_child_does_not_draw_from_the_pool_of_its_parent(
    monkeypatch: pytest.MonkeyPatch, hooked: bool
) -> None:
    if not hooked:
        monkeypatch.setattr(os, "register_at_fork", lambda **_: None)
    stock = SamplePool(discrete_laplace)
    stock.draw(WIDE)
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        signal.alarm(30)
        try:
            os.write(
                write, np.array([stock.draw(WIDE) for _ in range(reserve._BLOCK_SIZE)]).tobytes()
            )
        finally:
            os._exit(0)
    os.close(write)
    with os.fdopen(read, "rb") as pipe:
        theirs = np.frombuffer(pipe.read(), dtype=np.int64)
    os.waitpid(child, 0)
    ours = [stock.draw(WIDE) for _ in range(reserve._BLOCK_SIZE - 1)]
    assert theirs.size == reserve._BLOCK_SIZE
    assert len(np.intersect1d(ours, theirs)) <= 1  # one chance meeting has probability 1e-9


def test_a_pool_that_finds_itself_in_another_process_starts_over() -> None:
    stock, asked = counting()
    assert stock.draw(WIDE) < reserve._BLOCK_SIZE
    stock._process = -1
    assert stock.draw(WIDE) >= reserve._BLOCK_SIZE
    assert len(asked) == 2


def test_the_mark_of_the_process_is_set_last() -> None:
    order: list[str] = []

    class Watched(SamplePool):
        def __setattr__(self, name: str, value: object) -> None:
            order.append(name)
            super().__setattr__(name, value)

    Watched(discrete_laplace)
    assert order[-1] == "_process"


def test_threads_never_share_a_draw() -> None:
    stock, drawn, start = SamplePool(discrete_laplace), [], threading.Barrier(6)

    def draw() -> None:
        start.wait()
        drawn.extend([stock.draw(WIDE) for _ in range(1000)])

    threads = [threading.Thread(target=draw) for _ in range(6)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert len(drawn) == 6000
    assert len(set(drawn)) >= 5998


def test_without_entropy_nothing_is_drawn_and_nothing_is_kept() -> None:
    def dry(scale: Fraction, size: int) -> np.ndarray:
        raise EntropyError("nothing was drawn.")

    stock = SamplePool(dry)
    with pytest.raises(EntropyError):
        stock.draw(WIDE)
    assert not stock._blocks
