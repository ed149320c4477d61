"""The list of samplers; every refusal comes before the first bit is drawn."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import EntropyError, InvalidArgument
from hedgerow.numeric import bits, samplers
from hedgerow.numeric import vectorised as chunk
from hedgerow.numeric.samplers import uniform_sampler as uniform

ONE, HALF = Fraction(1), Fraction(1, 2)
CENTRES = np.array([0.25, -3.0])
DRAWS: dict[str, Callable[[], object]] = {
    "bernoulli": lambda: samplers.bernoulli(HALF, 3),
    "bernoulli_exp": lambda: samplers.bernoulli_exp(HALF, 3),
    "truncated_laplace": lambda: samplers.truncated_laplace(ONE, 1, 3),
    "discrete_gaussian": lambda: samplers.discrete_gaussian(ONE, 3),
    "discrete_laplace": lambda: samplers.discrete_laplace(ONE, 3),
    "geometric": lambda: samplers.geometric(ONE, 3),
    "noisy_argmax": lambda: samplers.noisy_argmax(np.arange(3), ONE, "gumbel"),
    "noisy_argmax_with_lead": lambda: samplers.noisy_argmax_with_lead(
        np.arange(3), ONE, "laplace", ONE
    ),
    "rounded_gaussian": lambda: samplers.rounded_gaussian(CENTRES, ONE),
    "rounded_laplace": lambda: samplers.rounded_laplace(CENTRES, ONE),
    "rounded_power": lambda: samplers.rounded_power(CENTRES, ONE, Fraction(4)),
    "uniform_integers": lambda: samplers.uniform_integers(6, 3),
}
SIZED: list[Callable[[object], object]] = [
    lambda size: samplers.bernoulli(HALF, size),
    lambda size: samplers.bernoulli_exp(HALF, size),
    lambda size: samplers.truncated_laplace(ONE, 1, size),
    lambda size: samplers.discrete_gaussian(ONE, size),
    lambda size: samplers.discrete_laplace(ONE, size),
    lambda size: samplers.geometric(ONE, size),
    lambda size: samplers.uniform_integers(6, size),
]
SCALED: list[Callable[[Fraction], object]] = [
    lambda scale: samplers.truncated_laplace(scale, 10**15, 3),
    lambda scale: samplers.discrete_gaussian(scale, 3),
    lambda scale: samplers.discrete_laplace(scale, 3),
    lambda scale: samplers.geometric(scale, 3),
    lambda scale: samplers.rounded_gaussian(CENTRES, scale),
    lambda scale: samplers.rounded_laplace(CENTRES, scale),
    lambda scale: samplers.rounded_power(CENTRES, scale, Fraction(2)),
]


@pytest.fixture
def dry(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (bits, chunk, uniform):
        monkeypatch.setattr(module, "draw_words", lambda count: pytest.fail("a word was drawn"))


def test_the_list_is_complete() -> None:
    assert sorted(samplers.__all__) == samplers.__all__ == sorted(DRAWS)
    assert all(callable(getattr(samplers, name)) for name in samplers.__all__)


@pytest.mark.parametrize("name", DRAWS)
def test_every_sampler_draws(name: str) -> None:
    drawn = np.asarray(DRAWS[name]())
    assert drawn.dtype in (np.int64, np.bool_)


@pytest.mark.parametrize("name", DRAWS)
def test_without_entropy_no_sampler_draws(monkeypatch: pytest.MonkeyPatch, name: str) -> None:
    monkeypatch.setattr(bits, "_PROCESS_POOL", bits.BitPool())
    monkeypatch.setattr(bits.os, "urandom", lambda count: b"")
    with pytest.raises(EntropyError, match="nothing was drawn"):
        DRAWS[name]()


@pytest.mark.usefixtures("dry")
@pytest.mark.parametrize("size", [-1, True, 2.0, "3", None])
def test_a_wrong_size_draws_nothing(size: object) -> None:
    for draw in SIZED:
        with pytest.raises(InvalidArgument, match=r"^size must be a whole number of draws"):
            draw(size)


@pytest.mark.usefixtures("dry")
@pytest.mark.parametrize(
    "scale",
    [Fraction(0), Fraction(-1), Fraction(10**13), Fraction(1, 10**13), Fraction(10**400)],
    ids=["0", "-1", "1e13", "1e-13", "1e400"],
)
def test_a_wrong_scale_draws_nothing(scale: Fraction) -> None:
    for draw in SCALED:
        with pytest.raises(InvalidArgument, match=r"^(scale|sigma) must lie between"):
            draw(scale)


@pytest.mark.usefixtures("dry")
def test_other_wrong_arguments_draw_nothing() -> None:
    for refused, name in (
        (lambda: samplers.bernoulli(Fraction(2), 1), "p"),
        (lambda: samplers.bernoulli_exp(Fraction(-1), 1), "x"),
        (lambda: samplers.uniform_integers(0, 1), "bound"),
        (lambda: samplers.rounded_power(CENTRES, ONE, ONE), "gamma"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            refused()
        assert refusal.value.argument == name
