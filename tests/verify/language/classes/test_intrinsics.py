"""What the words mean. That the functions behind them do that is what the tests of ``numeric``
are for.
"""

from __future__ import annotations

import pytest

from hedgerow.verify.language.classes.intrinsics import (
    CONCRETE_FUNCTIONS,
    INTRINSICS,
    SAMPLER_NOISES,
)
from verify.language.classes.classes import NUMBER, read, refused
from verify.language.classes.showing import lines

SCORES = NUMBER.replace('"additive"', '"selection"').replace("exact", "scores")
ANSWER = NUMBER.replace('"additive"', '"response"').replace(
    "scale: Fraction", "scale: Fraction\n    values: int = 2"
)


def test_every_word_is_the_name_of_something() -> None:
    for name in (*INTRINSICS, *CONCRETE_FUNCTIONS, *SAMPLER_NOISES):
        module, _, attribute = name.rpartition(".")
        owner, _, inner = module.rpartition(".")
        found = __import__(owner if inner[:1].isupper() else module, fromlist=["_"])
        assert callable(
            getattr(getattr(found, inner) if inner[:1].isupper() else found, attribute)
        ), name


def test_noise_for_a_number_and_for_an_array() -> None:
    assert lines(read("return exact + _NOISE.draw(self.scale)")) == [
        "noise ~ geometric(scale)",
        "output exact + noise",
    ]
    assert lines(read("return _NOISE.draw(self.scale, exact)")) == [
        "noise ~ geometric(scale)",
        "output exact + noise",
    ]
    assert lines(read("return exact + discrete_laplace(self.scale, exact.size)")) == [
        "noise ~ geometric(scale)",
        "output exact + noise",
    ]


def test_two_draws_are_two_noises() -> None:
    assert lines(read("return exact + _NOISE.draw(self.scale) + _NOISE.draw(self.scale)")) == [
        "noise ~ geometric(scale)",
        "noise2 ~ geometric(scale)",
        "output exact + noise + noise2",
    ]


def test_a_race() -> None:
    assert lines(
        read(
            'return noisy_argmax(parse_scores(scores), self.scale, "laplace")',
            SCORES.replace("scale: Fraction", "scale: Fraction\n    monotone: bool = False"),
        )
    ) == [
        "best = 0",
        "winner = 0",
        "place = 0",
        "while place < size",
        "  noise ~ laplace(1 / scale)",
        "  noisy = scores[place] + noise",
        "  if place == 0 or best < noisy",
        "    best = noisy",
        "    winner = place",
        "  place = place + 1",
        "output winner",
    ]


@pytest.mark.parametrize(
    ("body", "head", "reason"),
    [
        (
            'return noisy_argmax(parse_scores(scores), self.scale, "gumbel")',
            SCORES,
            "gumbel noise is not in the language",
        ),
        (
            'return noisy_argmax(parse_scores(scores), self.scale, "laplace", 1)',
            SCORES,
            "without weights",
        ),
        (
            "return noisy_argmax(1, 2)",
            SCORES,
            "the arguments of noisy_argmax(1, 2) are not in the language",
        ),
        ("return exact + discrete_laplace(self.scale, 1)", NUMBER, "for each cell"),
        ("return exact + SamplePool(1).draw(self.scale)", NUMBER, "built from one sampler"),
        (
            "return exact + SamplePool(bernoulli).draw(self.scale)",
            NUMBER,
            "bernoulli noise is not in the language",
        ),
        (
            "return uniform_integers(3, exact.size)",
            ANSWER,
            "uniform integers below 3 are not fair bits",
        ),
        ("return uniform_integers(exact, exact.size)", ANSWER, "below a constant bound"),
        ("return bernoulli(self.scale, 1)", ANSWER, "for each cell"),
        ("return np.where(bernoulli(self.scale, exact.size), exact, 1)", ANSWER, "cell by cell"),
        (
            "return np.where(bernoulli(self.scale, exact.size), exact, bernoulli(1, exact.size))",
            ANSWER,
            "of one kind",
        ),
        (
            "return parse_whole(exact, 'exact')",
            NUMBER,
            "only a public parameter can be required to be at least 1",
        ),
        (
            "return parse_private_whole(self.scale, 'scale')",
            NUMBER,
            "the argument of this call must be of kind",
        ),
        ("return int(self.scale)", NUMBER, "the argument of this call must be of kind"),
    ],
)
def test_what_a_word_does_not_mean(body: str, head: str, reason: str) -> None:
    assert reason in refused(body, head)


@pytest.mark.parametrize(
    ("loss", "reason"),
    [
        ("Loss(1 / log_up(self.scale))", "arithmetic on a category or a bound"),
        ("Loss(1, laplace_tail(self.scale, self.cutoff - 2))", "must start at 0 or above"),
        ("Loss(1, laplace_tail(self.scale, self.cutoff))", "must start at 0 or above"),
        ("Loss(inf)", "the claimed epsilon is infinite"),
    ],
)
def test_bounds_in_a_loss(loss: str, reason: str) -> None:
    """What is rounded up must not be divided by, and a tail is known where nothing negative can
    stand.
    """
    before = (
        "\nfrom math import inf\nfrom hedgerow.numeric.tails.laplace import laplace_tail\nfrom"
        " hedgerow.numeric.rounding import log_up\n"
    )
    head = NUMBER.replace("Loss(1 / self.scale)", loss).replace(
        "scale: Fraction", "scale: Fraction\n    cutoff: int"
    )
    assert reason in refused("return exact + _NOISE.draw(self.scale)", head, before)
