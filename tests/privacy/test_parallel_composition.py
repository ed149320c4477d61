from __future__ import annotations

import itertools
import math
from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from hedgerow.errors import InvalidArgument
from hedgerow.privacy import Loss, PartLosses

NAMES = ("a", "b", "c", "d")
losses = st.sampled_from(
    [
        Loss(1),
        Loss(0.5, Fraction(1, 100)),
        Loss(0.25, Fraction(0), Fraction(1, 1000)),
        Loss(math.inf, Fraction(0), 2),
    ]
)
charges = st.lists(st.tuples(st.sets(st.sampled_from(NAMES), min_size=1), losses), max_size=6)


def filled(most: int, charged: list[tuple[set[str], Loss]]) -> PartLosses:
    parts = PartLosses(most, NAMES)
    for names, loss in charged:
        parts = parts.charge(sorted(names), loss)
    return parts


def everybody(
    most: int, charged: list[tuple[set[str], Loss]], within: str | None = None
) -> tuple[object, ...]:
    """Return the largest sums of charges over every choice of parts, by brute force."""
    places = [
        set(choice) for size in range(most + 1) for choice in itertools.combinations(NAMES, size)
    ]
    chosen = [place for place in places if within is None or within in place]
    totals = [
        [
            [getattr(loss, number) for names, loss in charged for _ in names & place]
            for place in chosen
        ]
        for number in ("epsilon", "delta", "rho")
    ]
    epsilon, delta, rho = (
        max(sum(amounts, Fraction(0)) for amounts in number) for number in totals
    )
    return epsilon, min(delta, Fraction(1)), rho


@settings(derandomize=True, deadline=None, max_examples=80)
@given(st.integers(1, 5), charges)
def test_no_choice_of_parts_pays_more(most: int, charged: list[tuple[set[str], Loss]]) -> None:
    parts = filled(most, charged)
    assert (parts.unit_loss.epsilon, parts.unit_loss.delta, parts.unit_loss.rho) == everybody(
        most, charged
    )
    for name, paid in parts.unit_loss_by_part.items():
        assert (paid.epsilon, paid.delta, paid.rho) == everybody(most, charged, within=name)


def test_parts_without_charges_cost_nothing() -> None:
    parts = PartLosses(2, NAMES)
    assert parts.unit_loss == Loss(0)
    assert parts.unit_loss_by_part == dict.fromkeys(NAMES, Loss(0))
    assert parts.charge(["a"], Loss(1)).without_charges == parts
    assert hash(parts) == hash(parts.charge(["a"], Loss(1)))


@pytest.mark.parametrize("names", [[], ["a", "a"], ["e"], ["a", "e"]])
def test_unknown_and_repeated_parts_are_refused(names: list[str]) -> None:
    with pytest.raises(
        InvalidArgument, match="must be one or more parts of the table, without repetition"
    ):
        PartLosses(1, NAMES).charge(names, Loss(1))


def test_bad_part_definitions_are_refused() -> None:
    with pytest.raises(InvalidArgument, match="most must be"):
        PartLosses(0, NAMES)
    for names in ((), ("a", "a")):
        with pytest.raises(
            InvalidArgument, match="names must list at least one part, without repetition"
        ):
            PartLosses(1, names)
    with pytest.raises(InvalidArgument, match="sums must refer to declared parts only"):
        PartLosses(1, NAMES, {"e": Loss(1)})
