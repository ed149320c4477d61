"""The protocols are those of the mechanisms we ship."""

from __future__ import annotations

import dataclasses
from fractions import Fraction

import pytest

from hedgerow.mechanisms import ALL, Exponential, Gaussian, Laplace, NoisyMax, PermuteAndFlip, RandomizedResponse
from hedgerow.mechanisms.shapes import Additive, Response, Selection

SHAPES = {"additive": Additive, "selection": Selection, "response": Response}
ONE_OF_EACH = (
    Laplace(Fraction(1)),
    Gaussian(Fraction(1)),
    Exponential(Fraction(1)),
    PermuteAndFlip(Fraction(1)),
    NoisyMax(Fraction(1)),
    RandomizedResponse(Fraction(1, 2)),
)


def test_one_of_each() -> None:
    assert tuple(type(one) for one in ONE_OF_EACH) == tuple(cls for cls in ALL if cls.shape in SHAPES)


@pytest.mark.parametrize("mechanism", ONE_OF_EACH, ids=lambda m: type(m).__name__)
def test_every_mechanism_has_the_members_of_its_shape_and_of_no_other(mechanism: object) -> None:
    fitting = {name for name, shape in SHAPES.items() if isinstance(mechanism, shape)}
    assert mechanism.shape in fitting  # type: ignore[attr-defined]
    assert not isinstance(object(), SHAPES[mechanism.shape])  # type: ignore[attr-defined]


@pytest.mark.parametrize("mechanism", ONE_OF_EACH, ids=lambda m: type(m).__name__)
def test_mechanisms_are_frozen_values(mechanism: object) -> None:
    fields = [field.name for field in dataclasses.fields(mechanism)]  # type: ignore[arg-type]
    assert mechanism == type(mechanism)(*(getattr(mechanism, name) for name in fields))
    assert hash(mechanism) == hash(dataclasses.replace(mechanism))  # type: ignore[type-var]
    with pytest.raises(dataclasses.FrozenInstanceError):
        setattr(mechanism, fields[0], 2)
