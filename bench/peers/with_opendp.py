"""OpenDP: exact noise in Rust. Integers in vectors; the scalar calls are what its tutorials do."""

from __future__ import annotations

from importlib.metadata import version
from math import sqrt
from time import perf_counter_ns

import numpy as np
import opendp.prelude as dp

dp.enable_features("contrib")

VERSION = version("opendp")
_MAKERS = {
    "laplace": (dp.m.make_laplace, dp.l1_distance(T=dp.i64)),
    "gaussian": (dp.m.make_gaussian, dp.l2_distance(T=float)),
}


def noise(law, scale, size):
    make, metric = _MAKERS[law]
    release = make(dp.vector_domain(dp.atom_domain(T=dp.i64)), metric, scale=float(scale))
    zeros = np.zeros(size, dtype=np.int64)
    return lambda: len(release(zeros))


def _scalar(law, scale, exact=42):
    if isinstance(exact, float):
        return _MAKERS[law][0](
            dp.atom_domain(T=float, nan=False),
            dp.absolute_distance(T=float),
            scale=float(scale),
            k=-20,
        )
    metric = dp.absolute_distance(T=dp.i64 if law == "laplace" else float)
    return _MAKERS[law][0](dp.atom_domain(T=dp.i64), metric, scale=float(scale))


def scalar(law, exact, scale, calls):
    release = _scalar(law, scale, exact)

    def work():
        for _ in range(calls):
            release(exact)

    return work


def first(law, scales):
    def work():
        for scale in scales:
            _scalar(law, scale)(42)

    return work


def timing(law, scale, draws, exact):
    """Noise and nanoseconds of each draw."""
    release = _scalar(law, scale)

    def work():
        noise, taken = [0] * draws, [0] * draws
        for i in range(draws):
            start = perf_counter_ns()
            noisy = release(exact)
            taken[i] = perf_counter_ns() - start
            noise[i] = noisy - exact
        return noise, taken

    return work


def choice(candidates, factor):
    """The nearest it has to the exponential mechanism: permute-and-flip, by noisy maximum."""
    scores = np.random.default_rng(1).normal(0, 10, candidates)
    domain = dp.vector_domain(dp.atom_domain(T=float, nan=False))
    release = dp.m.make_noisy_max(
        domain, dp.linf_distance(T=float), dp.max_divergence(), scale=1 / factor
    )
    return lambda: release(scores)


def median(path, epsilon, lower, upper):
    """Among evenly spaced candidates, which have to be given; data that come and go."""
    values = np.load(path)
    domain, candidates = (
        dp.vector_domain(dp.atom_domain(T=float, nan=False)),
        np.linspace(lower, upper, 1001),
    )

    def made(scale):
        return dp.m.make_private_quantile(
            domain, dp.symmetric_distance(), dp.max_divergence(), candidates, alpha=0.5, scale=scale
        )

    release = dp.binary_search_chain(made, d_in=1, d_out=float(epsilon))
    return lambda: release(values)


def epsilon_of(rho, delta):
    """What its zCDP conversion says of a total rho."""

    def work():
        domain, metric = dp.atom_domain(T=float, nan=False), dp.absolute_distance(T=float)
        release = dp.c.make_zCDP_to_approxDP(
            dp.m.make_gaussian(domain, metric, scale=sqrt(0.5 / rho))
        )
        return release.map(1.0).epsilon(delta)

    return work


def ranges(size, branching, epsilon, runs):
    """The mean squared error over all ranges of its b-ary tree with consistency, on empty data."""
    domain, metric = dp.vector_domain(dp.atom_domain(T=dp.i64)), dp.l1_distance(T=dp.i64)
    tree = dp.t.make_b_ary_tree(domain, metric, leaf_count=size, branching_factor=branching)
    noisy = dp.binary_search_chain(
        lambda scale: tree >> dp.m.then_laplace(scale=scale), d_in=1, d_out=float(epsilon)
    )
    release = noisy >> dp.t.make_consistent_b_ary_tree(
        branching_factor=branching, TIA=dp.i64, TOA=float
    )
    starts, stops = np.triu_indices(size)

    def work():
        errors = []
        for _ in range(runs):
            upto = np.concatenate(
                [[0.0], np.cumsum(np.asarray(release([0] * size), dtype=float)[:size])]
            )
            errors.append(float(np.mean((upto[stops + 1] - upto[starts]) ** 2)))
        return float(np.mean(errors))

    return work
