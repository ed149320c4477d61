"""Shares, parameters and data that quantiles refuse."""

from __future__ import annotations

import traceback

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.selection.quantiles import Quantiles
from mechanisms import helpers_bad_input as bad
from mechanisms.selection.helpers_quantile_laws import (
    HALF,
    F,
)


@pytest.mark.parametrize(
    "at",
    [
        [],
        [0.5, 0.5],
        [0.7, 0.3],
        [HALF, F(1, 1_000_003)],
        [F(1, 999), F(1, 1_000) + HALF, F(998, 1001)],
    ],
    ids=str,
)
def test_shares_that_do_not_rise_are_refused(at: list[float]) -> None:
    with pytest.raises(
        InvalidArgument,
        match="at must be one or more rising shares with a common denominator of at most a million",
    ):
        Quantiles.calibrate(at=at, neighbours="add-remove", epsilon=1)


@pytest.mark.parametrize(
    "p",
    [
        *(value for value in bad.LEVELS if not isinstance(value, (str, list))),
        0,
        1,
        -0.1,
        1.1,
        np.array(0.5),
    ],
    ids=bad.name,
)
def test_shares_of_0_and_1_are_refused(p: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        Quantiles.calibrate(at=p, neighbours="add-remove", epsilon=1)  # type: ignore[arg-type]
    assert refusal.value.argument == "at"


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument):
        Quantiles.calibrate(
            at=0.5,
            neighbours="add-remove",
            epsilon=epsilon,  # type: ignore[arg-type]
        )


def test_other_bad_parameters_are_refused() -> None:
    good = {"at": 0.5, "neighbours": "add-remove", "epsilon": 1}
    for name, value in (("neighbours", "rows"), ("rows", 0), ("rows", 1.5), ("neighbours", None)):
        with pytest.raises(InvalidArgument) as refusal:
            Quantiles.calibrate(**(good | {name: value}))  # type: ignore[arg-type]
        assert refusal.value.argument == name
    mechanism = Quantiles.calibrate(**good)  # type: ignore[arg-type]
    for name, use in (
        ("beta", lambda: mechanism.error(0, 10)),
        ("width", lambda: mechanism.error(0.1, 0)),
        ("n", lambda: mechanism.error(0.1, 10, 0)),
        ("rows", lambda: mechanism.loss(0)),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            use()
        assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="at must be a single quantile for log_prob"):
        Quantiles.calibrate(at=[0.2, 0.5], neighbours="add-remove", epsilon=1).log_prob(
            1, [1], lower=0, upper=2
        )


@pytest.mark.parametrize(
    "values",
    [value for name, value in bad.ARRAYS.items() if name not in ("empty list", "empty array")],
    ids=lambda v: type(v).__name__,
)
@pytest.mark.parametrize("at", [[0.5], [0.2, 0.5]], ids=str)
@pytest.mark.usefixtures("dry")
def test_bad_data_are_refused_before_anything_is_drawn(values: object, at: list[float]) -> None:
    for bounds in ((0, 100), (0.0, 100.0)):
        with pytest.raises(InvalidArgument) as refusal:
            Quantiles.calibrate(at=at, neighbours="add-remove", epsilon=1).sample(
                values, lower=bounds[0], upper=bounds[1]
            )
        assert refusal.value.argument == "values"
        assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))
