"""The words of authors, and functions that are read, proved and run."""

from __future__ import annotations

import subprocess
import sys

import pytest

import hedgerow.verify as words
from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.verify import (
    ProgramMechanism,
    bits,
    geometric,
    laplace,
    mechanism,
    output,
    private,
    public,
    uniform_bits,
)
from hedgerow.verify.language.signature import NOISE_NAMES
from hedgerow.verify.language.unsupported import UnsupportedProgram


@mechanism(epsilon="eps", neighbours="one")
def noisy(x: private[float], eps: public[float]):
    """Adds noise."""
    return x + laplace(1 / eps)


@mechanism(epsilon="size*eps", neighbours="one")
def several(q: private[list], size: public[int], eps: public[float]):
    for i in range(size):
        output(q[i] + geometric(1 / eps) > 0)


@mechanism(epsilon="0", neighbours="secret")
def pad(m: private[bits[8]]):
    return m ^ uniform_bits(8)


@mechanism(epsilon="eps", neighbours="one")
def outside(x: private[float], eps: public[float]):
    return str(x)


def test_a_mechanism_keeps_its_name_and_its_words() -> None:
    assert isinstance(noisy, ProgramMechanism)
    assert (noisy.name, noisy.__doc__, repr(noisy)) == ("noisy", "Adds noise.", "<mechanism noisy>")
    assert noisy.program.name == "noisy"


def test_calling_it_runs_it() -> None:
    value = noisy(3, eps=10**6)
    assert isinstance(value, float)
    assert abs(value - 3) < 0.01  # 30 scales off: once in e^10000 runs
    assert noisy(3, 1) != noisy(3, 1)  # the same multiple of 2^-40 twice: once in 10^11 runs
    told = several([5, -5, 5], 3, 10**6)
    assert told == [True, False, True]
    assert 0 <= pad(m=200) < 256


def test_arguments_that_do_not_fit_are_named() -> None:
    with pytest.raises(InvalidArgument, match="noisy must match its parameters"):
        noisy(3)
    with pytest.raises(InvalidArgument, match="x must be a finite number"):
        noisy("3", 1)


def test_what_is_outside_of_the_language_neither_runs_nor_is_proved() -> None:
    with pytest.raises(UnsupportedProgram, match="str cannot be called"):
        outside(3, 1)
    verdict = outside.verify()
    assert verdict.verdict == "UNKNOWN"
    assert verdict.name == "outside"
    assert "str cannot be called" in verdict.reason


def test_it_is_proved() -> None:
    verdict = pad.verify()
    assert verdict.verdict == "PROVED"
    assert (verdict.epsilon_lower, verdict.epsilon_upper) == (0, 0)


def test_words_are_only_words() -> None:
    for name in (
        "laplace",
        "geometric",
        "exponential",
        "gaussian",
        "uniform",
        "bernoulli",
        "uniform_bits",
        "output",
        "concat",
        "bit",
    ):
        word = getattr(words, name)
        assert repr(word) == name
        with pytest.raises(Unsupported, match=f"{name} cannot be called here"):
            word(1)
    assert NOISE_NAMES.keys() - {"lap"} <= set(words.__all__)


def test_annotations_can_be_evaluated() -> None:
    assert repr(private[float]) == "private[float]"
    assert repr(private[list]) == "private[list]"
    assert repr(public[bits[8]]) == "public[bits[8]]"


def test_a_claim_takes_what_it_takes() -> None:
    with pytest.raises(TypeError, match="neighbours"):
        mechanism(epsilon=1)  # type: ignore[call-arg]


def test_nothing_heavy_is_imported_for_the_words() -> None:
    code = (
        "import sys, hedgerow.verify; print('z3' in sys.modules, 'hedgerow.verify.language.python'"
        " in sys.modules)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout.split() == ["False", "False"]
