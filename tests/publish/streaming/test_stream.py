"""Streams: their terms, their price, their error told beforehand, and answers that survive
whatever happens.
"""

from __future__ import annotations

import contextlib
import json
import math
import os
import random
import signal
import time
from fractions import Fraction
from pathlib import Path
from typing import Any

import apsw
import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused, SourceError
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.privacy.loss import Loss
from hedgerow.publish.streaming.binary_tree import TreeMechanism
from hedgerow.publish.streaming.buffered_toeplitz import BufferedToeplitz
from hedgerow.publish.streaming.mechanism import EachPrefixMechanism, StreamMechanism
from hedgerow.publish.streaming.state_file import StateFile
from hedgerow.publish.streaming.stream import (
    ExpectedError,
    Stream,
    StreamParameters,
    compute_expected_errors,
    compute_stream_cost,
    list_stream_mechanisms,
)

HALF = Fraction(1, 2)


def terms(**changed: Any) -> StreamParameters:
    return StreamParameters(**({"horizon": 50, "lower": 0, "upper": 10, "rho": HALF} | changed))


@pytest.fixture
def unsynced(monkeypatch: pytest.MonkeyPatch) -> None:
    """For tests that add many elements and cut no power: what is only in the machine's memory is
    kept too.
    """
    monkeypatch.setattr(StateFile, "_synchronous", "OFF")
    monkeypatch.setattr(os, "fsync", lambda _: None)


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({"rho": None}, "epsilon or rho must be given"),
        ({"epsilon": 1}, "epsilon or rho must be given"),
        ({"rho": 0}, "rho must be above 0"),
        ({"horizon": 0}, "horizon must be a whole number"),
        ({"horizon": 2**22 + 1}, "horizon must be at most 4,194,304"),
        ({"touched": 0}, "touched must be a whole number"),
        ({"touched": 51}, "touched must be at most the 50 elements"),
        ({"grid": Fraction(1, 3)}, "grid must be 1 .* or a power of two"),
        ({"upper": 0}, "upper must be above lower"),
        ({"upper": 2**54}, r"by at most 2\^53 steps"),
        ({"lower": float("nan")}, "lower must be finite"),
    ],
)
def test_terms_that_make_no_sense_are_refused(changed: dict[str, Any], told: str) -> None:
    with pytest.raises(InvalidArgument, match=told):
        terms(**changed)


def test_elements_are_snapped_and_clamped() -> None:
    assert [terms().snap_to_steps(value) for value in (-5, 0, 7, 10, 11, np.int64(3))] == [
        0,
        0,
        7,
        10,
        10,
        3,
    ]
    fine = terms(lower=-1, upper=0.3, grid=0.25)
    assert fine.step_bounds == (-4, 2)  # rounded outwards
    assert fine.reach.width == 6
    assert [fine.snap_to_steps(value) for value in (-2.0, -0.13, 0.12, 0.2, 9.0)] == [
        -4,
        -1,
        0,
        1,
        2,
    ]


@pytest.mark.parametrize(
    "value", [None, "7", True, math.nan, math.inf, [1], np.array([1, 2]), 1.5, 1 + 2j]
)
def test_an_element_of_another_kind_is_refused_without_showing_it(
    tmp_path: Path, value: Any
) -> None:
    with Stream.create(tmp_path / "sums", terms()) as stream:
        with pytest.raises(InvalidArgument, match=r"^value must ") as caught:
            stream.add(value)
        assert "got" not in str(caught.value)
        assert stream.number == 0


@pytest.mark.parametrize(
    "changed",
    [
        {},
        {"touched": 5},
        {"rho": None, "epsilon": 1},
        {"rho": None, "epsilon": Fraction(1, 7), "touched": 3},
    ],
)
def test_the_best_way_comes_first_and_costs_no_more_than_is_paid(changed: dict[str, Any]) -> None:
    agreed = terms(**changed)
    found = list_stream_mechanisms(agreed)
    assert [way.total_variance() for way in found] == sorted(way.total_variance() for way in found)
    for way in found:
        loss = compute_stream_cost(agreed, way)
        if agreed.epsilon is not None:
            assert isinstance(way.noise, Laplace)
            assert loss.epsilon == agreed.epsilon
        else:
            assert isinstance(way.noise, Gaussian)
            assert agreed.rho is not None
            assert agreed.rho * Fraction(999_999, 10**6) < loss.rho <= agreed.rho
    assert compute_stream_cost(agreed) == compute_stream_cost(agreed, found[0])


def test_the_best_mechanism_depends_on_noise_and_length() -> None:
    assert isinstance(list_stream_mechanisms(terms())[0], BufferedToeplitz)
    assert isinstance(
        list_stream_mechanisms(terms(rho=None, epsilon=1, horizon=4096))[0], TreeMechanism
    )
    assert list_stream_mechanisms(terms(rho=None, epsilon=1, horizon=4))[0].name == "each element"
    assert {way.name.split(",")[0] for way in list_stream_mechanisms(terms(horizon=4096))} == {
        "square root of sums",
        "tree of 2",
        "plain tree of 2",
        "each element",
        "each prefix",
    }


def test_errors_are_stated_beforehand_in_the_units_of_the_values() -> None:
    one, fine = (
        compute_expected_errors(terms(horizon=4096, upper=1)),
        compute_expected_errors(terms(horizon=4096, upper=0.5, grid=2**-10)),
    )
    assert [told.name for told in one] == [told.name for told in fine]
    for whole, half in zip(one, fine, strict=True):
        assert math.isclose(whole.rms, 2 * half.rms, rel_tol=1e-3)
        assert math.isclose(whole.worst, 2 * half.worst, rel_tol=1e-3)
        assert whole.worst >= whole.rms
    assert str(ExpectedError("each prefix", 64, 64)) == "each prefix: expected error 64, worst 64"
    assert str(one[0]) == "square root of sums, 8 buffers: expected error 3.429, worst 3.522"


def all_ways() -> list[tuple[StreamParameters, StreamMechanism]]:
    return [
        (agreed, way)
        for agreed in (terms(), terms(touched=4), terms(rho=None, epsilon=1))
        for way in list_stream_mechanisms(agreed)
    ]


@pytest.mark.usefixtures("unsynced")
@pytest.mark.parametrize(
    ("agreed", "way"), all_ways(), ids=lambda value: getattr(value, "name", None)
)
def test_a_stream_goes_on_where_it_stopped(
    tmp_path: Path, agreed: StreamParameters, way: StreamMechanism
) -> None:
    with Stream.create(tmp_path / "sums", agreed, way) as stream:
        first = [stream.add(3) for _ in range(20)]
        assert stream.cost == compute_stream_cost(agreed, way)
    with Stream.open(tmp_path / "sums") as stream:
        assert (stream.parameters, stream.mechanism, stream.number, stream.answers()) == (
            agreed,
            way,
            20,
            first,
        )
        rest = [stream.add(3, number) for number in range(21, 51)]
        assert [stream.add(9, number) for number in range(1, 51)] == first + rest
        with pytest.raises(Refused, match="for 50 elements"):
            stream.add(3)
        far = np.abs(np.array(first + rest) - 3 * np.arange(1, 51))
        assert (far <= stream.radii(1e-12)).all()


def test_order_and_numbers(tmp_path: Path) -> None:
    with Stream.create(tmp_path / "sums", terms()) as stream:
        stream.add(1)
        with pytest.raises(Refused, match="Element 2 is next; got element 4"):
            stream.add(1, 4)
        for number in (0, -1, 1.5, "2"):
            with pytest.raises(InvalidArgument, match=r"^number must be"):
                stream.add(1, number)  # type: ignore[arg-type]


@pytest.mark.usefixtures("unsynced")
def test_answers_are_doubles_in_the_units_of_the_values(tmp_path: Path) -> None:
    with Stream.create(tmp_path / "sums", terms(lower=0, upper=4, grid=2**-4, rho=10**4)) as stream:
        told = [stream.add(2.5) for _ in range(50)]
    assert np.abs(np.array(told) - 2.5 * np.arange(1, 51)).max() < 1


def test_a_way_for_other_terms_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="mechanism must be one of list_stream_mechanisms"):
        Stream.create(tmp_path / "sums", terms(), list_stream_mechanisms(terms(upper=11))[0])
    assert not list(tmp_path.iterdir())


def test_a_way_that_costs_more_than_the_terms_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InvalidArgument, match="mechanism must be one of list_stream_mechanisms"):
        Stream.create(
            tmp_path / "sums", terms(), EachPrefixMechanism(terms().reach, Gaussian(Fraction(1)))
        )


@pytest.mark.parametrize(
    "change",
    [
        lambda body: body.clear(),
        lambda body: body.update(format=2),
        lambda body: body["way"].update(scale="5/1"),
        lambda body: body["way"].update(way="other"),
        lambda body: body["way"].update(noise="None"),
        lambda body: body["way"].update(fine=20),
        lambda body: body["terms"].update(upper="1000/1"),
        lambda body: body["terms"].update(rho="1/4"),
        lambda body: body["terms"].update(more=1),
        lambda body: body["terms"].update(horizon="x"),
    ],
)
def test_terms_that_were_changed_are_noticed(tmp_path: Path, change: Any) -> None:
    """A smaller scale, wider bounds: the price no longer fits."""
    path = tmp_path / "sums"
    Stream.create(path, terms()).close()
    db = apsw.Connection(str(path))
    body = json.loads(db.execute("SELECT terms FROM stream").get)
    change(body)
    db.execute("UPDATE stream SET terms = ?", (json.dumps(body),))
    db.close()
    with pytest.raises(SourceError, match="are damaged"):
        Stream.open(path)


def test_the_price_is_kept_as_it_was_charged(tmp_path: Path) -> None:
    Stream.create(tmp_path / "sums", terms()).close()
    db = apsw.Connection(str(tmp_path / "sums"))
    assert Loss.from_dict(
        json.loads(db.execute("SELECT terms FROM stream").get)["price"]
    ) == compute_stream_cost(terms())


@pytest.mark.usefixtures("unsynced")
def test_measured_errors_are_those_predicted(tmp_path: Path) -> None:
    """Through files and all: the mean squared error of 60 streams of 12 elements.

    It leaves these limits with probability 2e-12, by Chernoff's bound for the squares of this
    Gaussian noise: few and skewed as they are, their own standard deviation would say too little.
    """
    agreed = terms(horizon=12, upper=3)
    spread = list_stream_mechanisms(agreed)[0].variances()
    ratios = []
    for run in range(60):
        with Stream.create(tmp_path / f"sums-{run}", agreed) as stream:
            off = np.array([stream.add(k % 4) for k in range(12)]) - np.cumsum(
                [k % 4 for k in range(12)]
            )
        ratios.append(float((off**2 / spread).mean()))
    assert 0.5 < np.mean(ratios) < 2


def life(path: Path, told: int) -> None:
    """Adds all elements from the first on, and says each answer once it has it."""
    with Stream.open(path) as stream:
        for number in range(1, 2001):
            os.write(told, f"{number} {stream.add(number % 11, number)!r}\n".encode())


@pytest.mark.long
def test_killed_at_any_moment_no_element_has_two_answers(tmp_path: Path) -> None:
    """kill -9 at moments that nobody chose, four times; each life starts from the first element
    again.
    """
    path = tmp_path / "sums"
    Stream.create(path, terms(horizon=2000)).close()
    heard: dict[int, str] = {}
    lives = 4
    for _ in range(lives):
        ear, told = os.pipe()
        child = os.fork()
        if child == 0:
            with contextlib.suppress(BaseException):
                life(path, told)
            os._exit(0)
        os.close(told)
        with os.fdopen(ear, encoding="utf-8") as lines:
            said = [lines.readline() for _ in range(random.randrange(lives + 1, 60))]  # it lives
            time.sleep(random.uniform(0, 0.02))
            os.kill(child, signal.SIGKILL)
            said += lines.readlines()
        os.waitpid(child, 0)
        for line in said:
            if line.endswith("\n") and line.strip():
                number, value = line.split()
                assert heard.setdefault(int(number), value) == value
    with Stream.open(path) as stream:
        kept = stream.answers()
        assert len(kept) >= len(heard) > lives
        assert all(repr(kept[number - 1]) == value for number, value in heard.items())
        assert stream.add(5, 1) == kept[0]
