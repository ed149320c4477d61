"""pure-ldp: from reports to the estimates of all values, by the oracles that are about as exact
as ours.
"""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
from pure_ldp.frequency_oracles.hadamard_response import (
    HadamardResponseClient,
    HadamardResponseServer,
)
from pure_ldp.frequency_oracles.local_hashing import LHClient, LHServer
from pure_ldp.frequency_oracles.unary_encoding import UEClient, UEServer

VERSION = version("pure-ldp")


def olh(domain, epsilon, reports):
    client = LHClient(epsilon, domain, use_olh=True, index_mapper=int)
    return _work(
        client, lambda: LHServer(epsilon, domain, use_olh=True, index_mapper=int), domain, reports
    )


def oue(domain, epsilon, reports):
    client = UEClient(epsilon, domain, use_oue=True, index_mapper=int)
    return _work(
        client, lambda: UEServer(epsilon, domain, use_oue=True, index_mapper=int), domain, reports
    )


def hadamard(domain, epsilon, reports):
    first = HadamardResponseServer(epsilon, domain, index_mapper=int)
    client = HadamardResponseClient(
        epsilon, domain, hash_funcs=first.get_hash_funcs(), index_mapper=int
    )
    return _work(
        client, lambda: HadamardResponseServer(epsilon, domain, index_mapper=int), domain, reports
    )


def _work(client, server, domain, reports):
    sent = [
        client.privatise(int(value))
        for value in np.random.default_rng().integers(0, domain, reports)
    ]

    def work():
        counting = server()
        for report in sent:
            counting.aggregate(report)
        return float(counting.estimate(0, suppress_warnings=True))

    return work
