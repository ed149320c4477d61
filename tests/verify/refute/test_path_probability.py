from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.divergence.exponential_sum import ExponentialSum
from hedgerow.verify.language.interpreter import run_program
from hedgerow.verify.language.program import Noise
from hedgerow.verify.refute.events import OutputEvent, OutputRange, restrict_paths
from hedgerow.verify.refute.interval_arithmetic import (
    RealInterval,
    RealNumber,
    approximate,
    compute_log,
    compute_sqrt,
    enclose,
)
from hedgerow.verify.refute.linear_noise import (
    LinearForm,
    NoiseDistribution,
    PathCondition,
    add,
    scale,
)
from hedgerow.verify.refute.out_of_scope import OutOfScope
from hedgerow.verify.refute.path_probability import PathProbability
from hedgerow.verify.refute.paths import enumerate_paths
from verify.refute.programs import gallery, given


def _store(*laws: tuple[Noise, RealNumber]) -> tuple[PathCondition, list[LinearForm]]:
    store, variables = PathCondition(), []
    for noise, parameter in laws:
        store, variable = store.add_variable(NoiseDistribution(noise, (parameter,)))
        variables.append(variable)
    return store, variables


def _below(store: PathCondition, *forms: LinearForm | RealNumber) -> PathCondition:
    for form in forms:
        assert isinstance(form, LinearForm)
        narrowed = store.restrict_below(form, True)
        assert narrowed is not None
        store = narrowed
    return store


def test_groups_multiply_and_free_variables_do_not_count() -> None:
    store, (x, y, _) = _store(*[(Noise.LAPLACE, Fraction(1))] * 3)
    both = _below(store, x, add(y, Fraction(1)))
    assert PathProbability().compute(both) == ExponentialSum(((Fraction(-1), Fraction(1, 4)),))
    assert PathProbability().compute(store.multiply_weight(Fraction(1, 3))) == Fraction(1, 3)
    assert PathProbability().compute_sum(
        [both.multiply_weight(Fraction(1, 2)), both.multiply_weight(Fraction(1, 2))]
    ) == PathProbability().compute(both)


def test_ends_that_are_not_rational_are_enclosed() -> None:
    store, (x,) = _store((Noise.LAPLACE, Fraction(1)))
    ln2 = compute_log(Fraction(2))
    above = _below(store, add(scale(x, Fraction(-1)), ln2))
    found = PathProbability().compute(above)
    assert isinstance(found, RealInterval)
    assert found.low < Fraction(1, 4) < found.high
    assert found.high - found.low < Fraction(1, 10**50)
    nothing = _below(store, add(x, ln2), add(scale(x, Fraction(-1)), scale(ln2, Fraction(-1))))
    low, high = enclose(PathProbability().compute(nothing))
    assert low == 0
    assert high < Fraction(1, 10**50)


def test_normal_combinations() -> None:
    store, (x, y) = _store(
        (Noise.GAUSSIAN, Fraction(3)), (Noise.GAUSSIAN, compute_sqrt(Fraction(16)))
    )
    both = _below(store, add(add(x, y), Fraction(5)))
    assert approximate(PathProbability().compute(both)) == pytest.approx(
        math.erfc(1 / math.sqrt(2)) / 2
    )
    with pytest.raises(OutOfScope, match="closed form"):
        PathProbability().compute(_below(both, x))


def test_mixtures_are_given_up() -> None:
    store, (x, y) = _store((Noise.GAUSSIAN, Fraction(1)), (Noise.LAPLACE, Fraction(1)))
    with pytest.raises(OutOfScope, match="closed form"):
        PathProbability().compute(_below(store, add(x, y)))
    wide, (z,) = _store((Noise.LAPLACE, compute_sqrt(Fraction(2))))
    with pytest.raises(OutOfScope, match="not rational"):
        PathProbability().compute(_below(wide, z))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "arguments", "outputs"),
    [
        (
            "above_threshold",
            {"q": [1, 0, 2], "size": 3, "T": 1, "N": 2, "eps": 2},
            [False, False, True],
        ),
        ("geometric_mechanism", {"x": 3, "eps": 1}, [3]),
    ],
)
def test_probabilities_agree_with_running_the_program(
    name: str, arguments: dict[str, object], outputs: list[object]
) -> None:
    """By Hoeffding's inequality a share of n runs is farther than sqrt(ln(2/a)/(2n)) from its
    probability with a chance of at most a.
    """
    program, runs, alarm = gallery()[name], 600, 1e-10
    truths = tuple((place, value) for place, value in enumerate(outputs) if isinstance(value, bool))
    numbers = tuple(
        OutputRange(((place, Fraction(1)),), Fraction(value), Fraction(value))
        for place, value in enumerate(outputs)
        if type(value) is int
    )
    event = OutputEvent(len(outputs), truths, numbers)
    exact = approximate(
        PathProbability().compute_sum(
            restrict_paths([event], enumerate_paths(program, given(**arguments)))
        )
    )
    share = sum(run_program(program, arguments) == outputs for _ in range(runs)) / runs
    assert abs(share - exact) < math.sqrt(math.log(2 / alarm) / (2 * runs)) < 0.15
    assert exact > 0.15, "an event that can tell"
