"""Mechanisms: what it costs to hide a move, and how it is done. One file each, with its statement and proof.

Three shapes, told apart by ``shape``:

- ``"additive"``: numbers in, noisy numbers out.
- ``"selection"``: scores in, the place of one candidate out.
- ``"response"``: a category in, a category out, for data that never leave their owners unrandomised.

All have ``calibrate``, ``loss``, ``sample``, ``log_prob`` and ``error``.
"""

from hedgerow.mechanisms.exponential import Exponential
from hedgerow.mechanisms.gaussian import Gaussian
from hedgerow.mechanisms.laplace import Laplace
from hedgerow.mechanisms.noisy_max import NoisyMax
from hedgerow.mechanisms.permute_and_flip import PermuteAndFlip
from hedgerow.mechanisms.randomized_response import Estimate, RandomizedResponse

ALL = (Laplace, Gaussian, Exponential, PermuteAndFlip, NoisyMax, RandomizedResponse)

__all__ = ["ALL", "Estimate", "Exponential", "Gaussian", "Laplace", "NoisyMax", "PermuteAndFlip", "RandomizedResponse"]
