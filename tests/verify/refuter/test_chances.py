from __future__ import annotations

import math
from fractions import Fraction

import pytest

from hedgerow.verify.divergence.amount import Amount
from hedgerow.verify.language.program import Noise
from hedgerow.verify.language.running import run
from hedgerow.verify.refuter.beyond import Beyond
from hedgerow.verify.refuter.chances import Chances
from hedgerow.verify.refuter.events import Event, Range, regions
from hedgerow.verify.refuter.linear import Law, Linear, Store, add, scale
from hedgerow.verify.refuter.paths import paths
from hedgerow.verify.refuter.quantity import Interval, Real, approximate, bounds, logarithm, root
from verify.refuter.programs import gallery, given


def _store(*laws: tuple[Noise, Real]) -> tuple[Store, list[Linear]]:
    store, variables = Store(), []
    for noise, parameter in laws:
        store, variable = store.drawn(Law(noise, (parameter,)))
        variables.append(variable)
    return store, variables


def _below(store: Store, *forms: Linear | Real) -> Store:
    for form in forms:
        assert isinstance(form, Linear)
        narrowed = store.below(form, True)
        assert narrowed is not None
        store = narrowed
    return store


def test_groups_multiply_and_free_variables_do_not_count() -> None:
    store, (x, y, _) = _store(*[(Noise.LAPLACE, Fraction(1))] * 3)
    both = _below(store, x, add(y, Fraction(1)))
    assert Chances().of(both) == Amount(((Fraction(-1), Fraction(1, 4)),))
    assert Chances().of(store.weighted(Fraction(1, 3))) == Fraction(1, 3)
    assert Chances().sum([both.weighted(Fraction(1, 2)), both.weighted(Fraction(1, 2))]) == Chances().of(both)


def test_ends_that_are_not_rational_are_enclosed() -> None:
    store, (x,) = _store((Noise.LAPLACE, Fraction(1)))
    ln2 = logarithm(Fraction(2))
    above = _below(store, add(scale(x, Fraction(-1)), ln2))
    found = Chances().of(above)
    assert isinstance(found, Interval)
    assert found.low < Fraction(1, 4) < found.high
    assert found.high - found.low < Fraction(1, 10**50)
    nothing = _below(store, add(x, ln2), add(scale(x, Fraction(-1)), scale(ln2, Fraction(-1))))
    low, high = bounds(Chances().of(nothing))
    assert low == 0
    assert high < Fraction(1, 10**50)


def test_normal_combinations() -> None:
    store, (x, y) = _store((Noise.GAUSSIAN, Fraction(3)), (Noise.GAUSSIAN, root(Fraction(16))))
    both = _below(store, add(add(x, y), Fraction(5)))
    assert approximate(Chances().of(both)) == pytest.approx(math.erfc(1 / math.sqrt(2)) / 2)
    with pytest.raises(Beyond, match="closed form"):
        Chances().of(_below(both, x))


def test_mixtures_are_given_up() -> None:
    store, (x, y) = _store((Noise.GAUSSIAN, Fraction(1)), (Noise.LAPLACE, Fraction(1)))
    with pytest.raises(Beyond, match="closed form"):
        Chances().of(_below(store, add(x, y)))
    wide, (z,) = _store((Noise.LAPLACE, root(Fraction(2))))
    with pytest.raises(Beyond, match="not rational"):
        Chances().of(_below(wide, z))


@pytest.mark.long
@pytest.mark.parametrize(
    ("name", "arguments", "told"),
    [
        ("above_threshold", {"q": [1, 0, 2], "size": 3, "T": 1, "N": 2, "eps": 2}, [False, False, True]),
        ("geometric_mechanism", {"x": 3, "eps": 1}, [3]),
    ],
)
def test_probabilities_agree_with_running_the_program(name: str, arguments: dict[str, object], told: list[object]) -> None:
    """By Hoeffding's inequality a share of n runs is farther than sqrt(ln(2/a)/(2n)) from its probability with a chance of at most a."""
    program, runs, alarm = gallery()[name], 600, 1e-10
    truths = tuple((place, value) for place, value in enumerate(told) if isinstance(value, bool))
    numbers = tuple(
        Range(((place, Fraction(1)),), Fraction(value), Fraction(value)) for place, value in enumerate(told) if type(value) is int
    )
    event = Event(len(told), truths, numbers)
    exact = approximate(Chances().sum(regions([event], paths(program, given(**arguments)))))
    share = sum(run(program, arguments) == told for _ in range(runs)) / runs
    assert abs(share - exact) < math.sqrt(math.log(2 / alarm) / (2 * runs)) < 0.15
    assert exact > 0.15, "an event that can tell"
