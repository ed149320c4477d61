"""multi-freq-ldpy: from reports to the estimates of all values, by the oracles that are about as
exact as ours.
"""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from multi_freq_ldpy.pure_frequency_oracles.LH import LH_Aggregator_MI, LH_Client
from multi_freq_ldpy.pure_frequency_oracles.UE import UE_Aggregator_MI, UE_Client

VERSION = version("multi-freq-ldpy")


def olh(domain, epsilon, reports):
    sent = [LH_Client(int(value), domain, epsilon) for value in _values(domain, reports)]
    return lambda: float(LH_Aggregator_MI(sent, domain, epsilon)[0])


def oue(domain, epsilon, reports):
    sent = [UE_Client(int(value), domain, epsilon) for value in _values(domain, reports)]
    return lambda: float(UE_Aggregator_MI(sent, epsilon)[0])


def _values(domain, reports):
    return np.random.default_rng().integers(0, domain, reports)
