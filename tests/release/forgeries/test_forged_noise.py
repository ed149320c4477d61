"""Noise that was not calibrated for its plan is refused before anything is charged."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from typing import Any

import pytest

from doorway import (
    DAYS,
    MEDIANS,
    Plain,
    Sampled,
    charge,
    ledger,
    picking,
    plan,
)
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.plan.measures import ClampedGrid, Measure
from hedgerow.plan.nodes import Aggregate
from hedgerow.privacy.unit import Unit
from hedgerow.release.candidate_selection import CalibratedSelection
from hedgerow.release.group_selection import Threshold
from hedgerow.release.noise import CentredCounts, ReleaseNoise
from hedgerow.release.release import (
    release,
)

COUNTS = (Measure("rows"), Measure("total", "v0", ClampedGrid(Fraction(1), 0, 6)), Measure("units"))


CENTRE = CentredCounts(2, ((0, 3), (1, 18)))


def centred(scale: Fraction) -> ReleaseNoise:
    return ReleaseNoise((Gaussian(scale),) * 3, centre=CENTRE)


def test_thresholds_refuse_groups_of_units() -> None:
    """Two who are protected together may be alone in twice as many groups, or twice in each."""
    asked, book, source = plan(), ledger(), Plain()
    laws = (Laplace(Fraction(3)), Laplace(Fraction(3)))
    noise = ReleaseNoise(
        laws[: len(asked.measures)],
        Threshold.calibrate(0, laws[0], max_count=1, groups=3, delta=Fraction(1, 1000)),
    )
    with pytest.raises(InvalidArgument, match="must have a group of 1 if groups are not declared"):
        release(asked, source, book, noise, replace(charge(), unit=Unit("add-remove", "who", 2)))


def test_forged_noise_is_refused_before_it_is_charged() -> None:
    """What noise says of itself decides its price: each number of it is compared with the plan."""
    law, gauss = Laplace(Fraction(10)), Gaussian(Fraction(60))
    open_, moments = (
        plan(MEDIANS, Measure("rows")),
        Measure("moments", "v0", ClampedGrid(Fraction(1), 0, 6)),
    )
    chosen = picking(MEDIANS, open_)
    right = Threshold.calibrate(1, law, max_count=3, groups=2, delta=Fraction(1, 10**7))
    cut = Threshold.calibrate(1, law, max_count=3, groups=2, delta=Fraction(1, 10**7), touched=2)
    assert cut.truncation is not None
    assert cut.delta <= right.delta < cut.delta * 2
    counts, wrong = plan(*COUNTS, domain=DAYS), "must have a threshold that states its full delta"
    forged: list[tuple[Aggregate, ReleaseNoise, str]] = [
        *(
            (open_, ReleaseNoise((chosen, law), one), wrong)
            for one in _forged_thresholds(right, cut)
        ),
        *(
            (open_, ReleaseNoise((chosen, law), replace(right, **said)), "must decide by a count")
            for said in ({"groups": 1}, {"measure_index": -1})
        ),
        (
            open_,
            ReleaseNoise((chosen, law), replace(right, measure_index=0)),
            "must decide by a count",
        ),
        (
            plan(moments),
            ReleaseNoise((law,), replace(right, measure_index=0)),
            "must decide by a count",
        ),
        (open_, ReleaseNoise((chosen, Laplace(Fraction(10), Fraction(2))), right), wrong),
        (open_, ReleaseNoise((chosen, gauss), right), wrong),
        *(
            (open_, ReleaseNoise((one, law), right), "must select what the plan asks for")
            for one in _forged_pickings(chosen)
        ),
        *(
            (
                counts,
                replace(centred(Fraction(10**4)), centre=one),
                "must be centred with the count of units",
            )
            for one in _forged_centres()
        ),
    ]
    for asked, noise, told in forged:
        book, source = ledger(), Plain()
        with pytest.raises(InvalidArgument, match=told):
            release(asked, source, book, noise, charge())
        assert source.runs == 0
        assert len(book.entries()) == 2
    for threshold in (
        right,
        cut,
        replace(right, minimum_count=right.minimum_count + 5),
        replace(right, delta=right.delta * 2),
    ):
        # true, or on the safe side
        release(open_, Sampled(), ledger(), ReleaseNoise((chosen, law), threshold), charge())


def _forged_thresholds(right: Threshold, cut: Threshold) -> list[Threshold]:
    """The first is lower than can be, with a delta of nothing."""
    low = Threshold(1, 1, Fraction(0), groups=2)
    others = [
        replace(right, minimum_count=right.minimum_count - 1),
        replace(right, delta=right.delta * Fraction(999, 1000)),
        replace(right, edge_probability=-right.edge_probability),
    ]
    cuts = [
        {"delta": cut.delta / 2},
        {"minimum_count": cut.minimum_count - 1},
        {"edge_probability": Fraction(1, 2)},
        {"truncation": 2, "minimum_count": 3},
        {"truncation": 3, "minimum_count": 4},
    ]
    return [
        low,
        *others,
        replace(right, edge_probability=Fraction(2)),
        *(replace(cut, **said) for said in cuts),
    ]  # type: ignore[arg-type]


def _forged_pickings(right: CalibratedSelection) -> list[CalibratedSelection]:
    said: list[dict[str, Any]] = [
        {"rows": 1},
        {"groups": 1},
        {"touched": 1},
        {"neighbours": "change-one"},
        {"high": 1},
        {"low": 1},
    ]
    return [
        replace(right, **one)
        for one in [
            *said,
            {"at": (Fraction(1, 2),)},
            {"method": "inverse"},
            {"delta": Fraction(1, 9)},
        ]
    ]


def _forged_centres() -> list[CentredCounts]:
    bounds = [((0, 3000),), ((0, 2), (1, 18)), ((0, 3), (1, 17)), ((2, 3),), ((7, 3),)]
    return [
        *(CentredCounts(2, one) for one in bounds),
        *(CentredCounts(place, CENTRE.bounds) for place in (0, 3, -1)),
    ]


def test_a_sum_that_may_be_negative_cannot_be_centred() -> None:
    asked = plan(
        Measure("total", "v0", ClampedGrid(Fraction(1), -6, 6)), Measure("units"), domain=DAYS
    )
    with pytest.raises(InvalidArgument, match="must be centred with the count of units"):
        release(
            asked,
            Plain(),
            ledger(),
            ReleaseNoise((Gaussian(Fraction(10**4)),) * 2, centre=CentredCounts(1, ((0, 18),))),
            charge(),
        )


def test_change_one_noise_must_not_be_centred() -> None:
    book, source = ledger(), Plain()
    moved = replace(charge(), unit=Unit("change-one", "who"))
    with pytest.raises(InvalidArgument, match="must not be centred for change-one"):
        release(plan(*COUNTS, domain=DAYS), source, book, centred(Fraction(10**4)), moved)
    assert source.runs == 0
    assert len(book.entries()) == 2
