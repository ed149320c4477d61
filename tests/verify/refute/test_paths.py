from __future__ import annotations

from fractions import Fraction
from time import process_time

import pytest

from hedgerow.verify.refute.interval_arithmetic import RealNumber, approximate, enclose
from hedgerow.verify.refute.linear_noise import LinearForm
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.paths import PathLimits, ProgramPath, enumerate_paths
from verify.refute.programs import gallery, given, one

GALLERY = gallery()


def total(found: list[ProgramPath]) -> RealNumber:
    return PathProbability().compute_sum(path.condition for path in found)


@pytest.mark.parametrize(
    ("name", "arguments", "count"),
    [
        ("above_threshold", {"q": [1, 0, 2], "size": 3, "T": 0, "N": 2, "eps": 1}, 7),
        ("noisy_max", {"q": [1, 0, 2], "size": 3, "eps": 1}, 4),
        ("bad_noisy_max_value", {"q": [1, 0, 2], "size": 3, "eps": 1}, 4),
        (
            "adaptive_above_threshold",
            {"q": [1, 0], "size": 2, "T": 0, "N": 1, "sigma": 2, "eps": 1},
            9,
        ),
        ("smart_sum", {"q": [1, 0, 2], "size": 3, "T": 3, "M": 2, "eps": 1}, 1),
        ("noisy_max_exponential", {"q": [1, 0, 2], "size": 3, "eps": 1}, 4),
        ("geometric_mechanism", {"x": 3, "eps": 1}, 1),
        ("randomised_response", {"x": True}, 2),
        ("one_time_pad_any_length", {"m": None, "n": 3}, 8),
    ],
)
def test_paths_share_all_of_the_probability(
    name: str, arguments: dict[str, object], count: int
) -> None:
    from hedgerow.verify.refute.path_values import BitWord

    values = {key: BitWord(3, 5) if value is None else value for key, value in arguments.items()}
    found = enumerate_paths(GALLERY[name], given(**values))
    assert len(found) == count
    assert total(found) == 1, "exactly"


def test_outputs_are_linear_in_the_noise() -> None:
    (path,) = enumerate_paths(GALLERY["prefix_sum"], given(q=[2, 3], size=2, eps=2))
    assert path.outputs == (
        LinearForm(((0, Fraction(1)),), Fraction(2)),
        LinearForm(((0, Fraction(1)), (1, Fraction(1))), Fraction(5)),
    )
    assert path.variables["i"] == 2
    assert [law.parameters for law in path.condition.distributions] == [(Fraction(1, 2),)] * 2


def test_a_condition_that_is_known_does_not_fork_again() -> None:
    program = one(
        "z = laplace(1)\nif z > x:\n    output(1)\nif z > x:\n    output(2)\nif z > x + 1:\n   "
        " output(3)"
    )
    outputs = sorted(path.outputs for path in enumerate_paths(program, given(x=0, eps=1)))
    assert outputs == [(), (1, 2), (1, 2, 3)]


def test_outputs_that_are_not_wanted_are_not_followed() -> None:
    arguments = given(q=[0] * 6, size=6, T=0, N=6, eps=1)
    found = enumerate_paths(
        GALLERY["above_threshold"],
        arguments,
        PathLimits(paths=20),
        lambda outputs, _: outputs[-1] is False,
    )
    assert [path.outputs for path in found] == [(False,) * 6]


def test_irrational_probabilities_of_coins_are_enclosed() -> None:
    found = enumerate_paths(GALLERY["randomised_response_for_eps"], given(x=True, eps=1))
    low, high = enclose(total(found))
    assert low <= 1 <= high
    assert approximate(found[0].condition.weight) == pytest.approx(0.2689414213699951)


@pytest.mark.parametrize(
    ("body", "reason"),
    [
        ("while True:\n    x_ = 1\nreturn x", "more paths than the limits allow"),
        ("z = laplace(x)\nreturn z", "a scale that is not above 0"),
        ("z = uniform(1, x)\nreturn z", "a scale that is not above 0"),
        ("b = bernoulli(2 + x)\nreturn b", "a probability outside 0 to 1"),
        ("k = uniform_bits(40)\nreturn k", "too many bits"),
        ("z = laplace(sqrt(2))\nreturn z + x", "not rational"),
        ("z = laplace(1)\ny = laplace(abs(z) + 1)\nreturn y", "a plain number is needed"),
    ],
)
def test_unsupported_statements_are_out_of_scope(body: str, reason: str) -> None:
    with pytest.raises(OutOfScope, match=reason):
        enumerate_paths(one(body), given(x=0, eps=1))


def test_limits_of_paths_and_of_time() -> None:
    arguments = given(q=[0] * 6, size=6, T=0, N=6, eps=1)
    with pytest.raises(OutOfScope, match="limits"):
        enumerate_paths(GALLERY["above_threshold"], arguments, PathLimits(paths=20))
    with pytest.raises(OutOfScope, match="limits"):
        enumerate_paths(
            GALLERY["above_threshold"], arguments, PathLimits(deadline=process_time() - 1)
        )
    with pytest.raises(OutOfScope, match="limits"):
        enumerate_paths(GALLERY["above_threshold"], arguments, PathLimits(steps=20))
