"""The protocols match the shipped mechanisms."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from hedgerow.mechanisms import (
    ALL,
    Exponential,
    Extreme,
    Gaussian,
    InverseSensitivity,
    Laplace,
    NoisyMax,
    PermuteAndFlip,
    ProposeTestRelease,
    Quantiles,
    RandomizedResponse,
    SmoothSensitivity,
    SparseVector,
    StabilityHistogram,
    Stable,
)
from hedgerow.mechanisms.interface import (
    AdditiveMechanism,
    PointMechanism,
    ReleaseTest,
    ResponseMechanism,
    SelectionMechanism,
    SmoothMechanism,
    ThresholdedHistogram,
    ThresholdRun,
)

SHAPES = {
    "additive": (AdditiveMechanism,),
    "selection": (SelectionMechanism,),
    "response": (ResponseMechanism,),
    "point": (PointMechanism,),
    "smooth": (SmoothMechanism,),
    "tested": (ReleaseTest, ThresholdedHistogram, ThresholdRun),
}
ONE_OF_EACH = (
    Laplace(Fraction(1)),
    Gaussian(Fraction(1)),
    Exponential(Fraction(1)),
    PermuteAndFlip(Fraction(1)),
    NoisyMax(Fraction(1)),
    RandomizedResponse(Fraction(1, 2)),
    Quantiles((Fraction(1, 2),), "add-remove", Fraction(1)),
    Extreme("max", 3, Fraction(1)),
    InverseSensitivity(Fraction(1)),
    SmoothSensitivity.calibrate(epsilon=1, bound=12),
    ProposeTestRelease.calibrate(bound=1, epsilon=1, delta=1e-6),
    Stable.calibrate(epsilon=1, delta=1e-6),
    StabilityHistogram.calibrate(epsilon=1, delta=1e-6, neighbours="add-remove"),
    SparseVector(Fraction(1), Fraction(1)),
)


def test_there_is_an_example_of_every_mechanism() -> None:
    assert tuple(type(one) for one in ONE_OF_EACH) == ALL


@pytest.mark.parametrize("mechanism", ONE_OF_EACH, ids=lambda m: type(m).__name__)
def test_every_mechanism_has_the_members_of_its_shape(mechanism: object) -> None:
    fitting = {name for name, shape in SHAPES.items() if isinstance(mechanism, shape)}
    assert mechanism.shape in fitting  # type: ignore[attr-defined]
    assert not isinstance(object(), SHAPES[mechanism.shape])  # type: ignore[attr-defined]


def test_a_tested_mechanism_matches_one_protocol() -> None:
    kinds = [
        [kind for kind in SHAPES["tested"] if isinstance(mechanism, kind)]
        for mechanism in ONE_OF_EACH[-4:]
    ]
    assert kinds == [[ReleaseTest], [ReleaseTest], [ThresholdedHistogram], [ThresholdRun]]


@pytest.mark.parametrize("mechanism", ONE_OF_EACH, ids=lambda m: type(m).__name__)
def test_mechanisms_are_frozen_values(mechanism: object) -> None:
    fields = [field.name for field in dataclasses.fields(mechanism) if field.init]  # type: ignore[arg-type]
    assert mechanism == type(mechanism)(*(getattr(mechanism, name) for name in fields))
    assert hash(mechanism) == hash(dataclasses.replace(mechanism))  # type: ignore[type-var]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(mechanism, fields[0], 2)
