"""Parameters and counts that the stability histogram refuses."""

from __future__ import annotations

import traceback
from fractions import Fraction
from math import inf, nan
from typing import Any

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms.data_dependent.stability_histogram import StabilityHistogram
from mechanisms import helpers_bad_input as bad
from mechanisms.data_dependent.helpers_histogram_laws import (
    COUNTS,
)


def test_bad_truncations_are_refused() -> None:
    for cut in (None, 1, "yes", np.True_):
        with pytest.raises(InvalidArgument) as refusal:
            StabilityHistogram(Fraction(1), 5, "add-remove", cut=cut)  # type: ignore[arg-type]
        assert refusal.value.argument == "cut"
    with pytest.raises(
        InvalidArgument, match="False unless the threshold is above a quarter of the scale"
    ):
        StabilityHistogram(Fraction(100), 25, "add-remove", cut=True)
    assert StabilityHistogram(Fraction(100), 26, "add-remove", cut=True).loss().delta < 1
    assert StabilityHistogram(Fraction(1), 3, "add-remove", per_key=3, cut=True).loss().delta == 1


@pytest.mark.parametrize("epsilon", bad.EPSILONS, ids=bad.name)
def test_bad_epsilon_is_refused(epsilon: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram.calibrate(
            epsilon=epsilon,  # type: ignore[arg-type]
            delta=1e-6,
            neighbours="add-remove",
        )
    assert refusal.value.argument == "epsilon"


@pytest.mark.parametrize("delta", bad.DELTAS, ids=bad.name)
def test_bad_delta_is_refused(delta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram.calibrate(
            epsilon=1,
            delta=delta,  # type: ignore[arg-type]
            neighbours="add-remove",
        )
    assert refusal.value.argument == "delta"


def test_missing_parameters_are_refused() -> None:
    for given, missing in (
        ({"epsilon": 1, "delta": 0.1}, "neighbours"),
        ({"epsilon": 1, "neighbours": "add-remove"}, "delta"),
    ):
        with pytest.raises(TypeError, match=missing):
            StabilityHistogram.calibrate(**given)  # type: ignore[arg-type]


@pytest.mark.parametrize("value", [0, -1, 1.5, nan, None, "1", True], ids=bad.name)
@pytest.mark.parametrize("name", ["max_keys", "per_key", "group"])
def test_bad_bounds_are_refused(value: object, name: str) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram.calibrate(
            epsilon=1,
            delta=0.1,
            neighbours="add-remove",
            **{name: value},  # type: ignore[arg-type]
        )
    assert refusal.value.argument == name
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram(Fraction(1), 5, "add-remove").loss(value)  # type: ignore[arg-type]
    assert refusal.value.argument == "group"


@pytest.mark.parametrize("neighbours", ["", "row", None, 1, ["add-remove"], "Add-Remove"], ids=str)
def test_bad_neighbours_are_refused(neighbours: Any) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram.calibrate(epsilon=1, delta=0.1, neighbours=neighbours)
    assert refusal.value.argument == "neighbours"


def test_bad_fields_are_refused() -> None:
    for fields, name in (
        ((0, 1), "scale"),
        ((1e-13, 1), "scale"),
        ((1, 0), "threshold"),
        ((1, 2.5), "threshold"),
    ):
        with pytest.raises(InvalidArgument) as refusal:
            StabilityHistogram(*fields, "add-remove")  # type: ignore[arg-type]
        assert refusal.value.argument == name
    with pytest.raises(InvalidArgument, match="scale"):
        StabilityHistogram.calibrate(
            epsilon=1e-9, delta=0.1, neighbours="add-remove", per_key=10**6
        )


@pytest.mark.parametrize("beta", bad.LEVELS, ids=bad.name)
def test_bad_beta_is_refused(beta: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram(Fraction(1), 5, "add-remove").error(beta)  # type: ignore[arg-type]
    assert refusal.value.argument == "beta"


@pytest.mark.parametrize("counts", COUNTS.values(), ids=COUNTS)
@pytest.mark.usefixtures("dry")
def test_bad_counts_are_refused_before_anything_is_drawn(counts: Any) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram(Fraction(1), 5, "add-remove").sample(counts)
    assert refusal.value.argument == "counts"
    assert str(bad.SECRET) not in "".join(traceback.format_exception(refusal.value))


@pytest.mark.parametrize("count", [0, -1, 0.5, nan, inf, None, "1", True], ids=bad.name)
def test_a_bad_count_is_refused(count: object) -> None:
    with pytest.raises(InvalidArgument) as refusal:
        StabilityHistogram(Fraction(1), 5, "add-remove").publish_probability(count)
    assert refusal.value.argument == "count"


@pytest.mark.usefixtures("dry")
def test_good_counts_reach_the_sampler() -> None:
    with pytest.raises(AssertionError, match="draw"):
        StabilityHistogram(Fraction(1), 5, "add-remove").sample({"a": 5})
