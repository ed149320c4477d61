"""The square root of sums: which noise it takes, and what coarser coefficients change.

Its answers, variances and errors are tested with the other strategies in ``test_prefix_sums``.
"""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.prefix_sums import list_prefix_strategies
from hedgerow.publish.strategies.square_root import SquareRootStrategy
from publish.strategies.helpers_prefix_sums import list_variances, read_weights, root_mean_square

HALF = Fraction(1, 2)
PURE = PrivacyParameters(epsilon=Fraction(1))
RHO = PrivacyParameters(rho=HALF)


def test_a_square_root_needs_gaussian_noise_that_can_be_drawn() -> None:
    with pytest.raises(InvalidArgument, match="terms must have a rho"):
        SquareRootStrategy.plan(8, PURE)
    dear = PrivacyParameters(rho=Fraction(1, 10**10), rows=1000)
    with pytest.raises(Refused, match="more noise than can be drawn"):
        SquareRootStrategy.plan(8, dear)
    assert SquareRootStrategy not in {type(design) for design in list_prefix_strategies(8, dear)}


def test_rows_that_need_much_noise_get_coarser_coefficients_and_the_same_error() -> None:
    many = PrivacyParameters(rho=HALF, rows=100_000)
    coarse, fine = SquareRootStrategy.plan(30, many), SquareRootStrategy.plan(30, RHO)
    assert coarse.bits < fine.bits == 20
    assert math.isclose(root_mean_square(coarse), 100_000 * root_mean_square(fine), rel_tol=2e-3)
    assert np.allclose(
        coarse.variances(), read_weights(coarse) ** 2 @ list_variances(coarse), rtol=2e-3
    )
