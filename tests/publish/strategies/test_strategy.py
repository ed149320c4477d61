"""Designs: the variance of discrete noise, each cell by itself, the best of several."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.hierarchical_tree import RangeTree, RangeWorkload
from hedgerow.publish.strategies.strategy import (
    CellStrategy,
    Strategy,
    choose_strategy,
    compute_errors,
    compute_expected_error,
)
from publish.helpers_strategies import FAR, drawn, off, price_of

PURE = PrivacyParameters(epsilon=Fraction(1))


@pytest.mark.parametrize(
    "terms",
    [
        PURE,
        PrivacyParameters(rho=Fraction(1, 2), relation="change-one"),
        PrivacyParameters(epsilon=Fraction(1, 3), rows=2),
    ],
    ids=str,
)
def test_each_cell(terms: PrivacyParameters) -> None:
    design = CellStrategy.plan((2, 5, 3), (0, 2), terms)
    ((block, law),) = design.measurements
    assert (design.name, block.shape, law) == ("each cell", (2, 3), design.mechanism)
    assert design.reconstruct([np.arange(6).reshape(2, 3)]).tolist() == [0, 1, 2, 3, 4, 5]
    spent = price_of(design, terms)
    assert float(spent.rho if terms.is_gaussian else spent.epsilon) == pytest.approx(
        float(terms.epsilon or terms.rho or 0), rel=1e-9
    )
    assert design.radii(0.05).tolist() == [float(law.error(0.05))] * 6
    assert (off(drawn(design), design.variances()) < FAR).all()
    assert (off(drawn(design), design.variances() * 1.25) > FAR).all()


def test_places_outside_are_refused() -> None:
    for place in (2, -1):
        with pytest.raises(InvalidArgument, match="places"):
            CellStrategy.plan((2, 2), (place,), PURE)


def test_the_least_expected_error_is_chosen() -> None:
    ranges = RangeWorkload.all_prefixes(64)
    flat, tree = (RangeTree.from_widths(0, ranges, widths, PURE) for widths in ((1,), (1, 8)))
    designs: list[Strategy] = [flat, tree]
    assert choose_strategy(designs) is tree
    assert compute_expected_error(tree) == pytest.approx(tree.variances().sum())
    # Those who ask for the first few codes only are better off with each cell.
    first = (np.arange(64) < 3).astype(np.float64)
    assert choose_strategy(designs, first) is flat
    assert choose_strategy([flat, RangeTree.from_widths(0, ranges, (1,), PURE)]) is flat
    with pytest.raises(InvalidArgument, match="at least one"):
        choose_strategy([])


def test_errors_in_rows_have_room_for_what_is_lost() -> None:
    rows, parts = (
        PURE,
        PrivacyParameters(epsilon=Fraction(1), parts_per_row=1024, truncation_bounds=(10, 100)),
    )
    lost = np.array([0.0, 0.0, parts.truncation_error(1)])
    whole, fine = (CellStrategy.plan((3,), (0,), terms) for terms in (rows, parts))
    assert (
        compute_errors(whole, rows, 0.05, np.zeros(3)).radii.tolist() == whole.radii(0.05).tolist()
    )
    errors = compute_errors(fine, parts, 0.05, lost)
    assert errors.rms == pytest.approx(2**0.5, rel=1e-6)
    assert errors.variances == pytest.approx([2.0] * 3, rel=1e-6)
    assert errors.radii == pytest.approx(np.log(20) + lost, rel=1e-3)
    assert errors.relative_truncation == pytest.approx(10 / 1024 / 2**0.5, rel=1e-6)
