"""Generated inputs are neighbours, and the same every time."""

from __future__ import annotations

import pytest

from hedgerow.verify.language.program import Noise, Program
from hedgerow.verify.prove.search.evaluate import TraceAbandoned
from hedgerow.verify.prove.search.traces import FixedChoices, Trace
from verify.prove.proving import program, shipped


def about(neighbours: str) -> Program:
    return program(f"""
@mechanism(epsilon="eps", neighbours={neighbours})
def one(
    q: private[list], x: private[int], b: private[bool], p: public[list], n: public[int],
    f: public[bool], eps: public[float],
):
    return n + laplace(1 / eps)
""")


def distances(neighbours: str, number: int) -> list[float]:
    trace = Trace(about(neighbours), FixedChoices(str(number)))
    assert trace.read_entry("p", 0, 0) == trace.read_entry("p", 1, 0)
    assert trace.scalars["n"][0] == trace.scalars["n"][1]
    return [trace.read_entry("q", 1, at) - trace.read_entry("q", 0, at) for at in range(4)] + [
        trace.scalars["x"][1] - trace.scalars["x"][0]
    ]


@pytest.mark.parametrize("number", range(20))
def test_neighbours(number: int) -> None:
    one = distances('"one"', number)
    assert sum(move != 0 for move in one) <= 1
    assert max(map(abs, one)) <= 1
    assert max(map(abs, distances('"all"', number))) <= 1
    assert all(0 <= move <= 1 for move in distances('"increasing"', number))
    assert all(-1 <= move <= 0 for move in distances('"decreasing"', number))
    assert sum(map(abs, distances('("l1", 2)', number))) <= 2
    assert sum(move != 0 for move in distances('("group", 2)', number)) <= 2


def test_every_relation_moves_something_in_some_trace() -> None:
    for relation in ('"one"', '"all"', '"increasing"', '("l1", 2)', '("group", 2)', '"secret"'):
        assert any(any(distances(relation, number)) for number in range(10))


def test_the_same_every_time() -> None:
    assert [FixedChoices("a").below(100) for _ in range(3)] == [FixedChoices("a").below(100)] * 3
    first, second = (Trace(shipped()["above_threshold"], FixedChoices("7")) for _ in range(2))
    assert [first.draw_noise(n, 1, Noise.LAPLACE, [1]) for n in range(5)] == [
        second.draw_noise(n, 1, Noise.LAPLACE, [1]) for n in range(5)
    ]
    assert first.draw_noise(2, 1, Noise.LAPLACE, [1]) == first.draw_noise(2, 1, Noise.LAPLACE, [1])


def test_noises_are_of_their_kind() -> None:
    for number in range(20):
        trace = Trace(about('"one"'), FixedChoices(str(number)))
        assert isinstance(trace.draw_noise(0, 0, Noise.BERNOULLI, [0.5]), bool)
        assert isinstance(trace.draw_noise(1, 0, Noise.GEOMETRIC, [1]), int)
        assert trace.draw_noise(2, 0, Noise.EXPONENTIAL, [1]) >= 0
        assert 3 <= trace.draw_noise(3, 0, Noise.UNIFORM, [3, 5]) <= 5
        with pytest.raises(TraceAbandoned):
            trace.draw_noise(4, 0, Noise.BITS, [8])


def test_under_row_lengths_differ() -> None:
    trace = Trace(about('"row"'), FixedChoices("0"))
    first, second = (
        [trace.read_entry("q", run, at) for at in range(trace.length_in_run("q", run))]
        for run in (0, 1)
    )
    assert len(second) == len(first) + 1
    assert any(second[:at] + second[at + 1 :] == first for at in range(len(second)))
    assert trace.length_in_run("p", 0) == trace.length_in_run("p", 1)
    assert trace.scalars["x"][0] == trace.scalars["x"][1]


def test_factors_of_scales_are_positive() -> None:
    about_ = program("""
@mechanism(epsilon="1 / a + c", neighbours="one")
def one(x: private[float], a: public[float], c: public[float]):
    return x + laplace(a)
""")
    found = [
        Trace(about_, FixedChoices(str(number)), frozenset({"a"})).scalars for number in range(40)
    ]
    assert {one["a"][0] for one in found} == {0.5, 1.0, 1.5, 2.0}
    assert min(one["c"][0] for one in found) < 0
