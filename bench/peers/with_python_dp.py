"""python-dp (PyDP): Google's C++ library, a call a draw, real noise on a fine grid, rounded to
integers. PipelineDP draws through it.
"""

from __future__ import annotations

from importlib.metadata import version

from pydp.algorithms.numerical_mechanisms import GaussianMechanism, LaplaceMechanism

VERSION = version("python-dp")


def _mechanism(law, scale):
    if law == "laplace":
        return LaplaceMechanism(epsilon=1 / scale, sensitivity=1.0)
    unit = GaussianMechanism(1.0, 1e-6, 1.0)
    return GaussianMechanism(1.0, 1e-6, scale / unit.std)


def scalar(law, scale, calls):
    mechanism = _mechanism(law, scale)

    def work():
        for _ in range(calls):
            mechanism.add_noise(42)

    return work


noise = scalar
