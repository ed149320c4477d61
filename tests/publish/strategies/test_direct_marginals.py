"""Marginals measured directly and made to agree: least squares, exact variances, a price well
divided.
"""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from scipy.stats import binom

from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.direct_marginals import DirectMarginals
from hedgerow.publish.strategies.residual_basis import MarginalWorkload
from publish.helpers_strategies import (
    FAR,
    best,
    drawn,
    marginals_of,
    measured,
    noise_of,
    off,
    price_of,
    read,
)

SIZES = (2, 3, 4)
WANTED = MarginalWorkload(
    SIZES, (((0, 1), Fraction(1)), ((1, 2), Fraction(4)), ((2,), Fraction(1, 3)), ((), Fraction(1)))
)
PURE = PrivacyParameters(epsilon=Fraction(1, 4))


def sets_of(marginals: MarginalWorkload) -> list[tuple[int, ...]]:
    return [places for places, _ in marginals.wanted]


@pytest.mark.parametrize(
    "terms",
    [
        PURE,
        PrivacyParameters(rho=Fraction(1), rows=2, relation="change-one"),
        PrivacyParameters(epsilon=Fraction(5)),
    ],
    ids=str,
)
@pytest.mark.parametrize("plan", [DirectMarginals.plan, DirectMarginals.plan_divided])
@pytest.mark.parametrize(
    "marginals",
    [
        MarginalWorkload.all_up_to(SIZES, 1),
        MarginalWorkload.all_up_to(SIZES, 2),
        MarginalWorkload.all_up_to((2, 1, 3), 3),
        WANTED,
    ],
    ids=lambda m: str(len(m.wanted)),
)
def test_answers_are_least_squares_and_their_variances_exact(
    marginals: MarginalWorkload, plan: object, terms: PrivacyParameters
) -> None:
    design: DirectMarginals = plan(marginals, terms)  # type: ignore[operator]
    asked, weights = marginals_of(sets_of(marginals), marginals.sizes), read(design)
    assert weights @ measured(design, marginals.sizes) == pytest.approx(asked, abs=1e-9)
    assert weights == pytest.approx(best(design, asked, marginals.sizes), abs=1e-9)
    assert design.variances() == pytest.approx(np.square(weights) @ noise_of(design), rel=1e-9)
    spent = price_of(design, terms)
    assert spent.epsilon == terms.epsilon or float(
        spent.rho if terms.is_gaussian else spent.epsilon
    ) == pytest.approx(float(terms.epsilon or terms.rho or 0), rel=1e-8)
    assert (
        (spent.epsilon <= terms.epsilon)
        if terms.epsilon is not None
        else (spent.rho <= (terms.rho or 0))
    )


def test_few_bits_go_through_the_table_where_people_come_and_go() -> None:
    bits = MarginalWorkload.all_up_to((2, 2, 2), 1)
    assert DirectMarginals.plan(bits, PURE).name == "the whole table"
    # The table of 8 cells: 4 cells to a sum, 2/epsilon^2 each; three tables at a third: 18.
    small = PrivacyParameters(epsilon=Fraction(1, 1000))
    assert DirectMarginals.plan(bits, small).variances() * 1e-6 == pytest.approx(
        np.full(6, 8.0), rel=1e-4
    )
    ten = MarginalWorkload.all_up_to((10,) * 6, 1)
    assert DirectMarginals.plan(ten, PURE).name == "each marginal"


def test_the_price_is_divided_by_cube_roots_where_answers_do_not_help_each_other() -> None:
    """Attributes of many codes share nothing but their total, which is little."""
    apart = MarginalWorkload((100, 800), (((0,), Fraction(1)), ((1,), Fraction(1))))
    design = DirectMarginals.plan_divided(apart, PrivacyParameters(epsilon=Fraction(1, 1000)))
    shares = [1 / float(law.scale) for law in design.mechanisms]
    assert shares[1] / shares[0] == pytest.approx(2, rel=0.02)


def test_dividing_is_never_worse_than_equal_shares_nor_than_cube_roots() -> None:
    for marginals in (WANTED, MarginalWorkload.all_up_to((3, 4, 5, 6), 2)):
        sets = sets_of(marginals)
        design = DirectMarginals.plan_divided(marginals, PURE)
        full = DirectMarginals("", marginals, tuple(sets), tuple(design.mechanisms[:1]) * len(sets))
        blocks = [block for block, _ in full.measurements]
        roots = [
            (float(weight) * marginals.count_cells(places)) ** (-1 / 3)
            for places, weight in marginals.wanted
        ]
        for spreads in ([1.0] * len(sets), roots):
            other = DirectMarginals("", marginals, tuple(sets), PURE.calibrate_all(blocks, spreads))
            assert marginals.weighted_error(
                design.residual_variances()
            ) <= marginals.weighted_error(other.residual_variances()) * (1 + 1e-6)


def test_implied_marginals_are_not_measured() -> None:
    design = DirectMarginals.plan_divided(
        MarginalWorkload((3, 3), (((0, 1), Fraction(1)), ((0,), Fraction(1, 1000)))), PURE
    )
    assert (0, 1) in design.measured_sets
    assert set(sets_of(design.workload)) == {(0, 1), (0,)}
    assert len(design.variances()) == 12


def test_marginals_agree_where_they_overlap() -> None:
    design = DirectMarginals.plan_divided(MarginalWorkload.all_up_to(SIZES, 2), PURE)
    tables = dict(
        design.reconstruct_tables(
            [
                law.sample(np.zeros(block.shape, dtype=np.int64))
                for block, law in design.measurements
            ]
        )
    )
    assert tables[(0, 1)].sum(axis=0) == pytest.approx(tables[(1, 2)].sum(axis=1), abs=1e-9)
    assert tables[(0, 2)].sum(axis=0) == pytest.approx(tables[(2,)], abs=1e-9)


@pytest.mark.parametrize("plan", [DirectMarginals.plan, DirectMarginals.plan_divided])
def test_live_noise_has_the_variance_that_is_said_and_is_covered(plan: object) -> None:
    design: DirectMarginals = plan(WANTED, PURE)  # type: ignore[operator]
    weights, variances = read(design), design.variances()
    errors = drawn(design) @ weights.T
    cells = [0, 7, 20, -1]
    assert (off(errors[:, cells], variances[cells]) < FAR).all()
    assert (off(errors[:, cells], variances[cells] * 1.25) > FAR).any()  # a wrong factor shows
    outside = (np.abs(errors) > design.radii(0.05)).sum(axis=0)
    assert (binom.sf(outside - 1, len(errors), 0.05) > 1e-10).all()


def test_a_marginal_of_hardly_any_weight_is_answered_all_the_same() -> None:
    marginals = MarginalWorkload((3, 4), (((0,), Fraction(1)), ((1,), Fraction(1, 10**24))))
    design = DirectMarginals.plan_divided(marginals, PURE)
    assert np.isfinite(design.variances()).all()
    assert design.variances()[-1] > 10**6 * design.variances()[0]


def test_very_many_marginals_get_a_bound_close_by() -> None:
    marginals = MarginalWorkload.all_up_to((3,) * 14 + (2,), 2)
    design = DirectMarginals.plan_divided(marginals, PURE)
    assert len(design.measured_sets) * len(marginals.wanted) > 10_000
    radii, cells = (
        design.radii(0.05),
        [marginals.count_cells(places) for places, _ in marginals.wanted],
    )
    for index in (0, 14, 20, len(cells) - 1):
        nearly = design._build_profile(
            marginals.wanted[index][0], design.residual_variances()
        ).radius(0.05)
        assert 0.98 * nearly <= radii[sum(cells[:index])] <= 1.1 * nearly
