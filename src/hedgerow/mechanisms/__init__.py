"""Mechanisms: one file each, with its statement and proof.

Every mechanism has a ``shape``:

- ``"additive"``: numbers in, noisy numbers out.
- ``"selection"``: scores in, the index of one candidate out.
- ``"response"``: a category in, a category out, for data that leave their owner randomised only.
- ``"point"``: a bounded column in, one point of its range out (quantiles and extremes).
- ``"smooth"``: a number and its smooth sensitivity in, a noisy number out.
- ``"tested"``: may answer "no release".

All have ``calibrate``, ``loss``, ``sample`` and ``error``. ``hedgerow.verify.laws`` checks them
against ``log_prob``, or against the release probabilities of a tested mechanism.
"""

from hedgerow.mechanisms.data_dependent.inverse_sensitivity import InverseSensitivity
from hedgerow.mechanisms.data_dependent.propose_test_release import ProposeTestRelease
from hedgerow.mechanisms.data_dependent.smooth_sensitivity import SmoothSensitivity
from hedgerow.mechanisms.data_dependent.sparse_vector import SparseVector
from hedgerow.mechanisms.data_dependent.stability_histogram import StabilityHistogram
from hedgerow.mechanisms.data_dependent.stable_value import Stable
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.randomized_response import RandomizedResponse, ShareEstimate
from hedgerow.mechanisms.selection.exponential import Exponential
from hedgerow.mechanisms.selection.extremes import Extreme
from hedgerow.mechanisms.selection.noisy_max import NoisyMax
from hedgerow.mechanisms.selection.permute_and_flip import PermuteAndFlip
from hedgerow.mechanisms.selection.quantiles import Quantiles

ALL = (
    Laplace,
    Gaussian,
    Exponential,
    PermuteAndFlip,
    NoisyMax,
    RandomizedResponse,
    Quantiles,
    Extreme,
    InverseSensitivity,
    SmoothSensitivity,
    ProposeTestRelease,
    Stable,
    StabilityHistogram,
    SparseVector,
)

__all__ = [
    "ALL",
    "Exponential",
    "Extreme",
    "Gaussian",
    "InverseSensitivity",
    "Laplace",
    "NoisyMax",
    "PermuteAndFlip",
    "ProposeTestRelease",
    "Quantiles",
    "RandomizedResponse",
    "ShareEstimate",
    "SmoothSensitivity",
    "SparseVector",
    "StabilityHistogram",
    "Stable",
]
