"""The error that is told before publishing is the error there is: for every way to measure, to a
standard error of one percent.
"""

from __future__ import annotations

import itertools
import math
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from hedgerow.privacy.unit import RELATIONS
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.direct_marginals import DirectMarginals
from hedgerow.publish.strategies.hierarchical_tree import RangeTree, RangeWorkload
from hedgerow.publish.strategies.prefix_sums import list_prefix_strategies
from hedgerow.publish.strategies.residual_basis import MarginalWorkload
from hedgerow.publish.strategies.residual_planner import ResidualPlanner
from hedgerow.publish.strategies.strategy import CellStrategy, Strategy
from hedgerow.publish.strategies.workload_matrix import LinearQueries
from publish.helpers_contribution_bounds import ROWS, SHAPES
from publish.test_row_parts import KINDS, checked

PURE, RHO, CHANGED = (
    PrivacyParameters(epsilon=Fraction(1)),
    PrivacyParameters(rho=Fraction(1, 8)),
    PrivacyParameters(rho=Fraction(1, 8), rows=2, relation="change-one"),
)
THREE = MarginalWorkload.all_up_to((2, 3, 4), 2)
MATRIX = np.array([[1, 1, 0, 0, 1], [0, 1, 1, 1, 0], [1, 0, 0, 0, 2]])


def _designs() -> list[Any]:
    found: list[tuple[str, Strategy]] = []
    for name, terms in (("pure", PURE), ("rho", RHO), ("changed", CHANGED)):
        found.append((f"cells, {name}", CellStrategy.plan((3, 4), (0, 1), terms)))
        found.append((f"tree, {name}", RangeTree.plan(0, RangeWorkload.all_ranges(20), terms)))
        found.extend(
            (f"queries {way.name}, {name}", way)
            for way in LinearQueries.list_candidates(0, MATRIX, terms)
        )
        found.extend(
            (f"prefix {way.name}, {name}", way) for way in list_prefix_strategies(33, terms)
        )
        found.append((f"direct, {name}", DirectMarginals.plan(THREE, terms)))
        if terms.is_gaussian:
            found.append((f"residuals, {name}", ResidualPlanner.plan(THREE, terms)))
    return [pytest.param(design, id=name) for name, design in found]


@pytest.mark.parametrize("design", _designs())
def test_the_error_matches_the_stated_error(design: Strategy) -> None:
    """Errors depend on the noise alone, so the exact counts may be 0. The mean over answers of
    the squared error, run by run.
    """
    said = design.variances()
    for look in range(
        3
        # one in 16,000 is off by chance; a second look has four times the runs, and finds it twice
        # as far off or not at all
    ):
        means, outside = _measured(design, 10_000 * 4**look, 0.01 * float(said.mean()) / 2**look)
        error = float(np.std(means)) / len(means) ** 0.5
        assert error <= 0.01 * said.mean()
        # Every interval covers at least at its level, up to what chance allows among so many.
        assert outside.max() / len(means) <= 0.05 + 6 * (0.05 * 0.95 / len(means)) ** 0.5
        if abs(np.mean(means) - said.mean()) <= 4 * error:
            return
    pytest.fail(f"{design.name} is off by more than four standard errors, three times")


def _measured(design: Strategy, least: int, error: float) -> tuple[list[float], np.ndarray]:
    """The mean squared error of each run, from so many runs on until its standard error is this;
    and how often each interval missed.
    """
    shapes, radii = (
        [(block.shape, law) for block, law in design.measurements],
        design.radii(Fraction(1, 20)),
    )
    means, outside = list[float](), np.zeros(len(radii))
    while len(means) < 40 * least:
        drawn = [law.sample(np.zeros((2_000, *shape), dtype=np.int64)) for shape, law in shapes]
        for run in range(2_000):
            answers = design.reconstruct([one[run] for one in drawn])
            means.append(float(np.mean(answers**2)))
            outside += np.abs(answers) > radii + 1e-9
        if len(means) >= least and np.std(means) / len(means) ** 0.5 <= error:
            break
    return means, outside


def test_a_hundred_attributes_of_ten_codes() -> None:
    marginals = MarginalWorkload.all_up_to((10,) * 100, 2, least=2)
    terms = PrivacyParameters(rho=Fraction(1))
    design = ResidualPlanner.plan(marginals, terms)
    assert len(design.measurements) == 5051
    assert sum(terms.measurement_cost(block, law).rho for block, law in design.measurements) <= 1
    noisy = [
        law.sample(np.zeros(block.shape, dtype=np.int64)) for block, law in design.measurements
    ]
    errors, variances = design.reconstruct(noisy), design.variances()
    # Cells of one marginal share their noise, different marginals nearly none: far more than 5,000
    # independent squares.
    assert np.square(errors).mean() == pytest.approx(variances.mean(), rel=7 * math.sqrt(2 / 4950))
    assert np.isfinite(design.radii(0.05)).all()


@pytest.mark.parametrize("relation", RELATIONS)
@pytest.mark.parametrize("noise", ["laplace", "gaussian"])
@pytest.mark.parametrize("kind", [kind for kind in KINDS if kind != "sparse"])
def test_publications_of_people_with_many_rows_are_correct(
    kind: str, noise: str, relation: str
) -> None:
    """Over all shapes, numbers of rows and caps: means within what is lost, and intervals that
    hold.
    """
    for shape, rows, most in itertools.product(SHAPES, ROWS, (1, 2)):
        checked(kind, noise, relation, 200, shape=shape, rows=rows, most=most)
