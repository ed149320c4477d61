"""The chooser: public parameters in, all mechanisms out, ranked; and its choices are good on
data of other shapes than the reference.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.advisor import choose
from hedgerow.advisor.options import STATISTICS
from hedgerow.errors import InvalidArgument
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import RELATIONS
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample

BEST = {
    "count": "laplace",
    "sum": "laplace",
    "mean": "laplace, both ends",
    "min": "rank inside",
    "median": "exponential",
    "max": "rank inside",
    "quantile": "exponential",
    "mode": "permute-and-flip",
}


def ask(statistic: str, **more: Any) -> Any:
    given: dict[str, Any] = {
        "epsilon": 1,
        "n": 10_000,
        "neighbours": "add-remove",
        "lower": 0.0,
        "upper": 1000.0,
    }
    return choose(statistic, **(given | ({"p": 0.9} if statistic == "quantile" else {}) | more))


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("delta", [None, 1e-6])
@pytest.mark.parametrize("statistic", STATISTICS)
def test_every_statistic_has_a_best_and_each_option_costs_what_was_asked(
    statistic: str, delta: float | None, relation: str
) -> None:
    choice = ask(statistic, delta=delta, neighbours=relation)
    method = "laplace" if (statistic, relation) == ("mean", "change-one") else BEST[statistic]
    assert choice.best.method == method
    assert [option.expected for option in choice.options] == sorted(
        option.expected for option in choice.options
    )
    assert choice.best.method in choice.why
    for option in choice.options:
        assert option.method in str(choice)
        loss = option.mechanism.loss(
            MOVES[statistic](option.method, relation)
            if option.method.split(",")[0] in ("laplace", "gaussian")
            else 1
        )
        assert loss.delta <= Fraction(str(delta or 0))
        # calibrated to (1, 10^-6) as a single release, of which rho is a bound
        if option.method.startswith("gaussian"):
            assert loss.epsilon_at(1e-6) <= 1.2
        else:
            assert loss.epsilon == 1


TWO = {
    ", both ends": Sensitivity(2, 1000, 1000, 10**6),
    ", centred": Sensitivity.each(2, 500),
    ", plain": Sensitivity.each(2, 1000),
}
MOVES: dict[str, Callable[[str, str], Any]] = {
    "count": lambda method, relation: 1,
    "mean": lambda method, relation: (
        Fraction(1, 10)
        if relation == "change-one"
        else TWO[method.removeprefix("laplace").removeprefix("gaussian")]
    ),
    **{name: lambda method, relation: 1000 for name in ("sum", "min", "median", "max", "quantile")},
}


def test_the_question_is_repeated() -> None:
    assert (
        ask("quantile", delta=1e-6).question
        == "quantile 9/10 of about 10,000 rows between 0.0 and 1000.0, epsilon 1, delta 1e-06,"
        " add-remove"
    )
    assert (
        choose("count", epsilon=0.5, n=10, neighbours="change-one").question
        == "count of about 10 rows, epsilon 0.5, change-one"
    )


def test_a_maximum_by_inverse_sensitivity_is_flagged_and_last() -> None:
    last = ask("max").options[-1]
    assert last.method == "inverse"
    assert "useless" in last.note


def test_few_rows_leave_the_maximum_to_wide_noise() -> None:
    assert ask("max", n=20).best.method == "laplace"
    assert ask("max", n=200).best.method == "rank inside"


def test_mechanisms_that_refuse_are_left_out() -> None:
    wide = ask("median", lower=0, upper=2**53, delta=1e-6)
    assert [option.method for option in wide.options] == ["exponential", "inverse"]
    with pytest.raises(InvalidArgument, match="no mechanism supports this range"):
        ask("sum", lower=0, upper=2**53)


@pytest.mark.parametrize(
    ("argument", "given"),
    [
        ("statistic", {"statistic": "variance"}),
        ("epsilon", {"epsilon": 0}),
        ("delta", {"delta": 1}),
        ("n", {"n": 0}),
        ("neighbours", {"neighbours": "rows"}),
        ("upper", {"upper": -1.0}),
        ("lower", {"lower": None}),
        ("p", {"p": 0.5}),
        ("p", {"statistic": "quantile"}),
        ("p", {"statistic": "quantile", "p": 2}),
        ("at", {"statistic": "quantile", "p": 1}),
    ],
    ids=str,
)
def test_bad_parameters(argument: str, given: dict[str, Any]) -> None:
    arguments: dict[str, Any] = {
        "statistic": "median",
        "epsilon": 1,
        "n": 10,
        "neighbours": "add-remove",
        "lower": 0.0,
        "upper": 1.0,
    } | given
    with pytest.raises(InvalidArgument) as refusal:
        choose(arguments.pop("statistic"), **arguments)
    assert refusal.value.argument == argument


N = 2000
SHAPES: dict[str, Callable[[np.random.Generator], np.ndarray]] = {
    "skewed": lambda rng: rng.lognormal(3, 1, N),
    "heavy-tailed": lambda rng: 10 * (1 + rng.pareto(1, N)),
    "tied": lambda rng: rng.integers(0, 12, N) * 10.0,
    "spiked": lambda rng: np.where(rng.random(N) < 0.3, 20.0, rng.lognormal(3, 1, N)),
}


def rank_error(column: SortedSample, z: float) -> float:
    """How many ranks z is from holding the median."""
    step = np.array([z / float(column.grid)])
    below, up_to, half = (
        int(column.count_below(step)[0]),
        int(column.count_up_to(step)[0]),
        len(column) / 2,
    )
    return max(below - half, half - up_to, 0.0)


def measured(
    method: str, mechanism: Any, column: SortedSample, median: Quantile, runs: int
) -> float:
    """The mean rank error of a method."""
    if method == "exponential":
        release = lambda: mechanism.sample(column)  # noqa: E731
    elif method == "inverse":
        release = lambda: mechanism.quantile(median, column)  # noqa: E731
    else:
        exact, upper = median.value(column) * float(column.grid), column.upper * float(column.grid)
        scale = (
            (median.smooth_sensitivity(column, mechanism.beta) * column.grid,)
            if method.startswith("smooth")
            else ()
        )
        release = lambda: min(max(mechanism.sample(exact, *scale), 0.0), upper)  # noqa: E731
    return float(np.mean([rank_error(column, release()) for _ in range(runs)]))


@pytest.mark.long
@pytest.mark.parametrize("epsilon", [1, 0.1])
def test_the_chosen_median_is_as_good_as_the_best_on_data_of_other_shapes(epsilon: float) -> None:
    median, good = Quantile(Fraction(1, 2), "add-remove"), 0
    choice = ask("median", n=N, epsilon=epsilon)
    for shape in SHAPES.values():
        column = SortedSample.from_values(shape(np.random.default_rng(4)), lower=0.0, upper=1000.0)
        found = {
            o.method: measured(o.method, o.mechanism, column, median, 60) for o in choice.options
        }
        chosen = found[choice.best.method]
        assert chosen < 0.1 * found["laplace"]
        # Means of 60 runs are known to some 15 %; the bench measures with more.
        good += chosen <= 1.5 * min(found.values()) + 2
    assert good >= 3
