"""dp-accounting: Google's privacy loss distributions, the tightest account of a fixed batch."""

from __future__ import annotations

from importlib.metadata import version

from dp_accounting.pld import privacy_loss_distribution as pld

VERSION = version("dp-accounting")


def epsilon_of(law, scale, count, delta):
    make = {"gaussian": pld.from_gaussian_mechanism, "laplace": pld.from_laplace_mechanism}[law]
    return lambda: float(make(float(scale)).self_compose(count).get_epsilon_for_delta(delta))
