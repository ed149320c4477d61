"""The stock of single draws: fresh, in order of nothing, empty after a fork."""

import os
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.numeric import reserve
from hedgerow.numeric.reserve import Reserve


def counting(start: int = 0):
    """A sampler whose draws are 0, 1, 2, …: what is handed out twice shows."""
    made = {"next": start, "blocks": 0}

    def sampler(scale: Fraction, size: int) -> np.ndarray:
        block = np.arange(made["next"], made["next"] + size)
        made["next"] += size
        made["blocks"] += 1
        return block

    return sampler, made


def test_no_draw_is_handed_out_twice():
    sampler, made = counting()
    stock = Reserve(sampler)
    drawn = [stock.draw(Fraction(1)) for _ in range(200)]
    assert len(set(drawn)) == 200
    assert made["blocks"] == 4  # 64 at a time


def test_each_scale_has_its_own_stock():
    seen = []

    def sampler(scale: Fraction, size: int) -> np.ndarray:
        seen.append(scale)
        return np.zeros(size, dtype=np.int64)

    stock = Reserve(sampler)
    for scale in (Fraction(1), Fraction(2), Fraction(1), Fraction(2)):
        stock.draw(scale)
    assert seen == [1, 2]


def test_the_number_of_scales_is_bounded(monkeypatch: pytest.MonkeyPatch):
    monkeypatch.setattr(reserve, "_SCALES", 3)
    sampler, _ = counting()
    stock = Reserve(sampler)
    for scale in range(1, 11):
        stock.draw(Fraction(scale))
    assert len(stock._ready) <= 3


def test_a_forked_child_starts_empty():
    sampler, _ = counting()
    stock = Reserve(sampler)
    stock.draw(Fraction(1))
    read, write = os.pipe()
    child = os.fork()
    if child == 0:
        os.write(write, bytes([len(stock._ready)]))
        os._exit(0)
    os.waitpid(child, 0)
    assert os.read(read, 1) == b"\0"
    assert len(stock._ready[Fraction(1)]) == 63


def test_another_process_is_noticed_without_the_fork_hook():
    sampler, made = counting()
    stock = Reserve(sampler)
    stock.draw(Fraction(1))
    stock._process = -1  # as after a fork that Python did not see
    stock.draw(Fraction(1))
    assert made["blocks"] == 2
    assert stock._process == os.getpid()


def test_a_sampler_that_fails_leaves_nothing_behind():
    def sampler(scale: Fraction, size: int) -> np.ndarray:
        raise RuntimeError("no bits")

    stock = Reserve(sampler)
    with pytest.raises(RuntimeError):
        stock.draw(Fraction(1))
    assert stock._ready == {}
