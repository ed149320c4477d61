"""Residuals: unbiased, least squares, exact variances, the least error for the price; and
mistakes that must show.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binom

from hedgerow.errors import InvalidArgument
from hedgerow.plan.contingency_table import ContingencyTable
from hedgerow.privacy.loss import Loss
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.direct_marginals import DirectMarginals
from hedgerow.publish.strategies.residual_basis import MarginalWorkload
from hedgerow.publish.strategies.residual_planner import ResidualPlanner, choose_marginal_strategy
from hedgerow.release.private_table import PrivateTable
from publish.helpers_strategies import (
    FAR,
    best,
    drawn,
    exact_variance,
    marginals_of,
    measured,
    noise_of,
    off,
    price_of,
    read,
)

SIZES = (2, 3, 4)
RHO = PrivacyParameters(rho=Fraction(1, 50))
WANTED = MarginalWorkload(
    SIZES, (((0, 1), Fraction(1)), ((1, 2), Fraction(4)), ((2,), Fraction(1, 3)), ((), Fraction(1)))
)


def sets_of(marginals: MarginalWorkload) -> list[tuple[int, ...]]:
    return [places for places, _ in marginals.wanted]


@pytest.mark.parametrize(
    "terms",
    [RHO, PrivacyParameters(rho=Fraction(2), rows=3, relation="change-one", group=2)],
    ids=str,
)
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
    marginals: MarginalWorkload, terms: PrivacyParameters
) -> None:
    design = ResidualPlanner.plan(marginals, terms)
    asked, weights = marginals_of(sets_of(marginals), marginals.sizes), read(design)
    assert weights @ measured(design, marginals.sizes) == pytest.approx(asked, abs=1e-9)
    assert weights == pytest.approx(best(design, asked, marginals.sizes), abs=1e-9)
    assert design.variances() == pytest.approx(np.square(weights) @ noise_of(design), rel=1e-9)


@pytest.mark.parametrize("rows", [1, 3])
@pytest.mark.parametrize("relation", ["add-remove", "change-one"])
def test_the_price_is_spent_and_never_more(relation: str, rows: int) -> None:
    terms = PrivacyParameters(rho=Fraction(1, 7), rows=rows, relation=relation, group=2)
    spent = price_of(ResidualPlanner.plan(MarginalWorkload.all_up_to(SIZES, 2), terms), terms).rho
    assert spent <= Fraction(1, 7)
    assert float(spent) == pytest.approx(1 / 7, rel=1e-8)


def test_rows_and_groups_widen_the_noise() -> None:
    alone, many = (
        ResidualPlanner.plan(WANTED, PrivacyParameters(rho=Fraction(1, 9), rows=rows, group=group))
        for rows, group in ((1, 1), (3, 2))
    )
    for one, other in zip(alone.mechanisms, many.mechanisms, strict=True):
        assert float(other.scale / one.scale) == pytest.approx(6, rel=1e-8)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(st.lists(st.floats(0.3, 3), min_size=8, max_size=8))
def test_no_other_way_to_share_the_price_is_better(nudges: list[float]) -> None:
    design = ResidualPlanner.plan(WANTED, RHO)
    blocks = [block for block, _ in design.measurements]
    other = ResidualPlanner(
        WANTED,
        design.parts,
        RHO.calibrate_all(
            blocks,
            [float(law.scale) * n for law, n in zip(design.mechanisms, nudges, strict=False)],
        ),
    )
    assert WANTED.weighted_error(design.residual_variances()) <= WANTED.weighted_error(
        other.residual_variances()
    ) * (1 + 1e-9)


def test_the_closed_form() -> None:
    """The least error is (sum of sqrt(p v))^2 / 2 rho."""
    importances = WANTED.importances()
    root = sum(
        math.sqrt(math.prod(1 - 1 / SIZES[i] for i in part) * v) for part, v in importances.items()
    )
    assert WANTED.weighted_error(
        ResidualPlanner.plan(WANTED, RHO).residual_variances()
    ) == pytest.approx(root**2 * 25, rel=1e-8)


def test_never_worse_than_measuring_directly_where_people_come_and_go() -> None:
    for marginals in (
        WANTED,
        MarginalWorkload.all_up_to(SIZES, 2),
        MarginalWorkload.all_up_to((5, 5, 5, 5), 3),
    ):
        residual, direct = (
            ResidualPlanner.plan(marginals, RHO),
            DirectMarginals.plan(marginals, RHO),
        )
        assert marginals.weighted_error(residual.residual_variances()) <= marginals.weighted_error(
            direct.residual_variances()
        ) * (1 + 1e-9)
        assert choose_marginal_strategy(marginals, RHO) == residual


def test_where_one_becomes_another_the_better_is_taken() -> None:
    terms = PrivacyParameters(rho=Fraction(1, 50), relation="change-one")
    few, many = (
        MarginalWorkload.all_up_to(SIZES, 2),
        MarginalWorkload.all_up_to((10,) * 20, 2, least=2),
    )
    for marginals in (few, many):
        errors = [
            marginals.weighted_error(design.plan(marginals, terms).residual_variances())
            for design in (ResidualPlanner, DirectMarginals)
        ]
        assert marginals.weighted_error(
            choose_marginal_strategy(marginals, terms).residual_variances()
        ) == min(errors)
    assert [choose_marginal_strategy(marginals, terms).name for marginals in (few, many)] == [
        "each marginal",
        "residuals",
    ]
    assert isinstance(
        choose_marginal_strategy(few, PrivacyParameters(epsilon=Fraction(1))), DirectMarginals
    )


def test_marginals_agree_where_they_overlap() -> None:
    design = ResidualPlanner.plan(MarginalWorkload.all_up_to((2, 3, 4, 2), 2), RHO)
    tables = dict(
        design.reconstruct_tables(
            [
                law.sample(np.zeros(block.shape, dtype=np.int64))
                for block, law in design.measurements
            ]
        )
    )
    for pair, other in itertools.combinations([places for places in tables if len(places) == 2], 2):
        for place in set(pair) & set(other):
            one, two = (tables[p].sum(axis=1 - p.index(place)) for p in (pair, other))
            assert one == pytest.approx(two, abs=1e-6)
            assert one == pytest.approx(tables[(place,)], abs=1e-6)


def test_live_noise_has_the_variance_that_is_said() -> None:
    design = ResidualPlanner.plan(WANTED, RHO)
    variances, weights = design.variances(), read(design)
    cells = [0, 7, 20, -1]
    errors = drawn(design) @ weights[cells].T
    assert (off(errors, variances[cells]) < FAR).all()
    # A forgotten factor shows: noise in the units of what is measured, not of counts; or the part
    # of the noise that centring removes.
    forgotten = MarginalWorkload.variances(
        WANTED,
        {
            part: exact_variance(law)
            for part, law in zip(design.parts, design.mechanisms, strict=True)
        },
    )
    assert (off(errors, forgotten[cells]) > FAR).any()
    kept = np.square(weights[:1] * 1.2) @ noise_of(design)
    assert (off(errors[:, :1], kept) > FAR).all()


def test_a_wrong_weight_shows() -> None:
    """Parts spread over one code too few are biased, and the matrix says so."""
    design = ResidualPlanner.plan(WANTED, RHO)
    asked = marginals_of(sets_of(WANTED), SIZES)
    wrong = read(design) * (
        1
        + 0.01
        * (np.arange(len(design.parts)) == 0).repeat(
            [law_block.cells for law_block, _ in design.measurements]
        )
    )
    assert abs(wrong @ measured(design, SIZES) - asked).max() > 1e-3


@pytest.mark.parametrize("rho", [Fraction(1, 50), Fraction(200)])
def test_radii_cover(rho: Fraction) -> None:
    design = ResidualPlanner.plan(WANTED, PrivacyParameters(rho=rho))
    errors = drawn(design, 50_000) @ read(design).T
    outside = (np.abs(errors) > design.radii(0.05)).sum(axis=0)
    assert (binom.sf(outside - 1, 50_000, 0.05) > 1e-10).all()
    if rho < 1:  # and are hardly wider than need be
        assert (binom.cdf(outside, 50_000, 0.045) > 1e-10).all()


def test_very_many_kinds_of_marginals_get_a_bound_close_by() -> None:
    marginals = MarginalWorkload.all_up_to(tuple(range(2, 42)), 2)
    design = ResidualPlanner.plan(marginals, RHO)
    radii, cells = (
        design.radii(0.05),
        [marginals.count_cells(places) for places, _ in marginals.wanted],
    )
    for index in (0, 20, 100, len(cells) - 1):
        nearly = design._build_profile(
            marginals.wanted[index][0], dict(zip(design.parts, design.mechanisms, strict=True))
        ).radius(0.05)
        assert 0.99 * nearly <= radii[sum(cells[:index])] <= 1.05 * nearly


def test_a_private_table_pays_for_the_plan_and_the_tables_are_published() -> None:
    codes = np.stack([np.arange(600) % size for size in SIZES], axis=1)
    table = ContingencyTable.from_codes(codes, SIZES)
    design = ResidualPlanner.plan(
        MarginalWorkload.all_up_to(SIZES, 2), PrivacyParameters(rho=Fraction(50))
    )
    purse = PrivateTable(table, Loss(math.inf, rho=Fraction(50)), rows=1, relation="add-remove")
    noisy = [purse.measure(block, law) for block, law in design.measurements]
    assert Fraction(49) < purse.spent.rho <= 50
    for places, found in design.reconstruct_tables(noisy):
        assert found == pytest.approx(table.marginal(places), abs=3)
    assert design.reconstruct(noisy) == pytest.approx(
        np.concatenate([one.ravel() for _, one in design.reconstruct_tables(noisy)])
    )


def test_a_pure_epsilon_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="must have a rho"):
        ResidualPlanner.plan(WANTED, PrivacyParameters(epsilon=Fraction(1)))
