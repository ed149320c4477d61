"""MST on mbi's graphical models: a third of rho for each of single attributes, the choice of a tree, and the tables along the tree.

The mechanism is the published one (McKenna, Miklau, Sheldon 2021), written against the library's interface; the library does the fitting
and makes the rows. Codes below three standard deviations of noise are merged and spread out evenly at the end, as its authors do.
"""

from __future__ import annotations

import itertools
import resource
from importlib.metadata import version

import networkx
import numpy as np
from mbi import Dataset, Domain, LinearMeasurement, estimation
from mbi.marginal_loss import WeightedQuery

VERSION = version("mbi")
FIRST, SECOND = 2_500, 5_000  # iterations of the two fits


def mst(path, sizes, rho, target):
    exact = np.load(path)

    def work():
        rows = _mst(exact, sizes, rho, np.random.default_rng())
        np.save(target, rows)
        return {"peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024}

    return work


def _mst(exact, sizes, rho, rng):
    many = len(sizes)
    names = [f"a{place}" for place in range(many)]
    scale = np.sqrt(many / (2 * rho / 3))
    ones = [np.bincount(exact[:, place], minlength=size) + rng.normal(0, scale, size) for place, size in enumerate(sizes)]
    kept = [one >= 3 * scale for one in ones]
    codes = np.stack([_merge(keep)[exact[:, place]] for place, keep in enumerate(kept)], axis=1)
    merged = [int(keep.sum()) + (not keep.all()) for keep in kept]
    data = Dataset({name: codes[:, place] for place, name in enumerate(names)}, Domain(names, merged))
    log = [_single(name, one, keep, scale) for name, one, keep in zip(names, ones, kept, strict=True)]
    model = estimation.MirrorDescent().estimate(data.domain, log, iters=FIRST)
    for pair in _tree(data, model, names, np.sqrt(8 * (rho / 3) / (many - 1)), rng):
        table = np.asarray(data.project(pair).datavector())
        wide = np.sqrt((many - 1) / (2 * rho / 3))
        log.append(LinearMeasurement(table + rng.normal(0, wide, table.size), pair, stddev=wide))
    made = estimation.MirrorDescent().estimate(data.domain, log, iters=SECOND).synthetic_data().to_dict()
    return np.stack([_spread(np.asarray(made[name], dtype=np.int64), keep, rng) for name, keep in zip(names, kept, strict=True)], axis=1)


def _merge(keep):
    return np.where(keep, np.cumsum(keep) - 1, keep.sum())


def _spread(column, keep, rng):
    common, rare = np.flatnonzero(keep), np.flatnonzero(~keep)
    found = np.append(common, -1)[np.minimum(column, len(common))]
    lost = found < 0
    found[lost] = rng.choice(rare, int(lost.sum())) if lost.any() else 0
    return found


def _single(name, one, keep, scale):
    if keep.all():
        return LinearMeasurement(one, (name,), stddev=scale)
    merged = np.sqrt((~keep).sum())
    weights = np.append(np.ones(keep.sum()), 1 / merged)
    return LinearMeasurement(np.append(one[keep], one[~keep].sum() / merged), (name,), stddev=scale, query=WeightedQuery(weights))


def _tree(data, model, names, epsilon, rng):
    pairs = list(itertools.combinations(names, 2))
    misfit = {
        pair: np.abs(np.asarray(data.project(pair).datavector()) - np.asarray(model.project(pair).datavector())).sum() for pair in pairs
    }
    joined, chosen = networkx.utils.UnionFind(names), []
    for _ in names[1:]:
        left = [pair for pair in pairs if joined[pair[0]] != joined[pair[1]]]
        scores = epsilon / 2 * np.array([misfit[pair] for pair in left])
        chances = np.exp(scores - scores.max())
        chosen.append(left[rng.choice(len(left), p=chances / chances.sum())])
        joined.union(*chosen[-1])
    return chosen
