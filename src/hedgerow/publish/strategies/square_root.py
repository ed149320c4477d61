"""The square root of all prefix sums under Gaussian noise, for a list of cells published at once.

``streaming.toeplitz_buffers`` has the matrix and its mathematics.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any, Final

import numpy as np
from scipy.signal import lfilter

from hedgerow.accuracy.noise_sum import bound_sum_radii
from hedgerow.accuracy.noise_variance import compute_noise_variance
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.numeric.exact_number import Number
from hedgerow.publish.privacy_parameters import PrivacyParameters
from hedgerow.publish.strategies.strategy import AdditiveNoise, Floats, Measurement
from hedgerow.publish.streaming.toeplitz_buffers import MAX_SCALE_BITS, ToeplitzBuffers
from hedgerow.release.linear_queries import PrefixSums, QueryBlock

__all__ = ["SquareRootStrategy"]

_BITS: Final = 20
_MIN_BITS: Final = 12
# The weight of the first cell. The last has sqrt(c_0^2 + … + c_(n-1)^2) times that, rounded down.
_FIRST_WEIGHT: Final = 2**8


@dataclass(frozen=True)
class SquareRootStrategy:
    """Gaussian noise on a square root of all sums, in multiples of 2^-bits; weights make all
    columns nearly equally long.
    """

    name = "square root of sums"
    size: int
    position: int
    bits: int
    mechanism: AdditiveNoise

    @classmethod
    def plan(cls, size: int, terms: PrivacyParameters, place: int = 0) -> SquareRootStrategy:
        """Plan the measurement with the whole price, which must be a rho: under Laplace noise a
        tree is far better. The resolution is the finest for which noise can be drawn.
        """
        if not terms.is_gaussian:
            raise InvalidArgument("terms", "must have a rho: the square root is for Gaussian noise")
        block = _build_block(place, size, _BITS)
        scale = float(terms.sensitivity(block).l2) / math.sqrt(2 * float(terms.rho or 0))
        bits = min(_BITS, _BITS + MAX_SCALE_BITS - math.ceil(math.log2(scale)))
        if bits < _MIN_BITS:
            raise Refused(
                "The square root of sums needs more noise than can be drawn here. Give it more"
                " rho, or use another strategy."
            )
        (mechanism,) = terms.calibrate_all([_build_block(place, size, bits)], [1.0])
        return cls(size, place, bits, mechanism)

    @property
    def measurements(self) -> tuple[Measurement, ...]:
        return ((_build_block(self.position, self.size, self.bits), self.mechanism),)

    def reconstruct(self, noisy: Sequence[Any]) -> Floats:
        """Solve for the cells from first to last, divide by their weights, and add them up."""
        (values,) = noisy
        _, triangle = _build_square_root(self.size, self.bits)
        kernel = np.asarray(triangle.kernel, dtype=np.float64)
        cells = lfilter([1.0], kernel / kernel[0], np.asarray(values, dtype=np.float64) / kernel[0])
        return np.asarray(np.cumsum(cells / np.asarray(triangle.weights)))

    @property
    def _scales(self) -> Floats:
        _, triangle = _build_square_root(self.size, self.bits)
        return 1 / (triangle.kernel[0] * np.asarray(triangle.weights, dtype=np.float64))

    def variances(self) -> Floats:
        """Return the variances of the unrounded kernel; rounding changes them by about sqrt(n)
        2^-bits.
        """
        buffers, _ = _build_square_root(self.size, self.bits)
        return compute_noise_variance(self.mechanism) * buffers.variances(self._scales)

    def radii(self, beta: Number) -> Floats:
        """Return the radii. The largest weight is that of the first measurement: the weights of
        cells rise, and the inverse is 1 and then negative.
        """
        return bound_sum_radii(
            self.variances(),
            [self.mechanism],
            compute_noise_variance(self.mechanism) * self._scales[0] ** 2,
            beta,
        )


def _build_block(place: int, size: int, bits: int) -> QueryBlock:
    return QueryBlock(((place, _build_square_root(size, bits)[1]),))


@lru_cache(maxsize=8)
def _build_square_root(size: int, bits: int) -> tuple[ToeplitzBuffers, PrefixSums]:
    """Return the kernel before and after rounding. Coefficients are below 2^(bits + 10), which
    leaves room for tables of 2^32 rows and more.
    """
    buffers = ToeplitzBuffers.for_horizon(size)
    kernel = tuple(np.rint(buffers.kernel * 2**bits).astype(np.int64).tolist())
    weights = tuple(
        (_FIRST_WEIGHT * buffers.weights / buffers.weights[0]).astype(np.int64).tolist()
    )
    return buffers, PrefixSums(kernel, weights)
