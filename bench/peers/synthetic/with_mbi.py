"""MST and AIM on mbi's graphical models. The mechanisms are the published ones, written against the
library's interface; the library does the fitting and makes the rows.

MST (McKenna, Miklau, Sheldon 2021): a third of rho for each of single attributes, the choice of a
tree, and the tables along the tree. Codes below three standard deviations of noise are merged and
spread out evenly at the end, as its authors do.

AIM (McKenna, Mullins, Sheldon, Miklau 2022), for the tables of all pairs: single attributes first;
then, round by round, the table that is told worst, chosen and measured for a small part of rho, and
larger parts as soon as a round changes less than its noise does.
"""

from __future__ import annotations

import itertools
from importlib.metadata import version

import networkx
import numpy as np
from mbi import Dataset, Domain, LinearMeasurement, estimation, junction_tree
from mbi.marginal_loss import WeightedQuery

VERSION = version("mbi")
FIRST, SECOND = 2_500, 5_000  # iterations of the two fits of MST
MEASURED = 0.9  # the part of a round of AIM that measures; the rest chooses


def mst(path, sizes, rho, target):
    exact = np.load(path)

    def work():
        rows = _mst(exact, sizes, rho, np.random.default_rng())
        np.save(target, rows)
        return {}

    return work


def _mst(exact, sizes, rho, rng):
    many = len(sizes)
    names = [f"a{place}" for place in range(many)]
    scale = np.sqrt(many / (2 * rho / 3))
    ones = [
        np.bincount(exact[:, place], minlength=size) + rng.normal(0, scale, size)
        for place, size in enumerate(sizes)
    ]
    kept = [one >= 3 * scale for one in ones]
    codes = np.stack([_merge(keep)[exact[:, place]] for place, keep in enumerate(kept)], axis=1)
    merged = [int(keep.sum()) + (not keep.all()) for keep in kept]
    data = Dataset(
        {name: codes[:, place] for place, name in enumerate(names)}, Domain(names, merged)
    )
    log = [
        _single(name, one, keep, scale) for name, one, keep in zip(names, ones, kept, strict=True)
    ]
    model = estimation.MirrorDescent().estimate(data.domain, log, iters=FIRST)
    for pair in _tree(data, model, names, np.sqrt(8 * (rho / 3) / (many - 1)), rng):
        table = np.asarray(data.project(pair).datavector())
        wide = np.sqrt((many - 1) / (2 * rho / 3))
        log.append(LinearMeasurement(table + rng.normal(0, wide, table.size), pair, stddev=wide))
    made = (
        estimation.MirrorDescent()
        .estimate(data.domain, log, iters=SECOND)
        .synthetic_data()
        .to_dict()
    )
    return np.stack(
        [
            _spread(np.asarray(made[name], dtype=np.int64), keep, rng)
            for name, keep in zip(names, kept, strict=True)
        ],
        axis=1,
    )


def aim(path, sizes, rho, target, megabytes, iterations, rounds):
    """``megabytes`` is the largest model, ``iterations`` are those of a fit, ``rounds`` so many
    times the columns: 80, 1000 and 16 are the authors' defaults."""
    exact = np.load(path)

    def work():
        made, tables = _aim(
            exact, sizes, rho, megabytes, iterations, rounds * len(sizes), np.random.default_rng()
        )
        np.save(target, made)
        return {"tables": tables}

    return work


def _aim(exact, sizes, rho, megabytes, iterations, rounds, rng):
    names = [f"a{place}" for place in range(len(sizes))]
    data = Dataset(
        {name: exact[:, place] for place, name in enumerate(names)}, Domain(names, sizes)
    )
    weights = _weights(list(itertools.combinations(names, 2)))
    truth = {clique: np.asarray(data.project(clique).datavector()) for clique in weights}
    scale, spent, log = np.sqrt(rounds / (2 * MEASURED * rho)), 0.0, []

    def measure(clique):
        log.append(
            LinearMeasurement(
                truth[clique] + rng.normal(0, scale, truth[clique].size), clique, stddev=scale
            )
        )

    for name in names:
        measure((name,))
        spent += 1 / (2 * scale**2)
    model = estimation.MirrorDescent().estimate(data.domain, log, iters=iterations)
    while True:
        price = 1 / (2 * scale**2 * MEASURED)
        last = rho - spent < 2 * price
        if last:
            price, scale = rho - spent, np.sqrt(1 / (2 * MEASURED * (rho - spent)))
        spent += price
        clique = _told_worst(
            truth,
            weights,
            model,
            scale,
            np.sqrt(8 * (1 - MEASURED) * price),
            megabytes * spent / rho,
            rng,
        )
        measure(clique)
        before = np.asarray(model.project(clique).datavector())
        model = estimation.MirrorDescent().estimate(
            data.domain, log, iters=iterations, warm_start=model
        )
        if last:
            break
        if (
            np.abs(np.asarray(model.project(clique).datavector()) - before).sum()
            <= np.sqrt(2 / np.pi) * scale * before.size
        ):
            scale /= 2
    made = model.synthetic_data().to_dict()
    return np.stack([np.asarray(made[name], dtype=np.int64) for name in names], axis=1), len(log)


def _weights(workload):
    """Of every table inside one that is wanted: how many attributes it shares with all that are."""
    inside = {
        part
        for clique in workload
        for many in range(1, len(clique) + 1)
        for part in itertools.combinations(clique, many)
    }
    return {
        part: sum(len(set(part) & set(clique)) for clique in workload) for part in sorted(inside)
    }


def _told_worst(truth, weights, model, scale, epsilon, megabytes, rng):
    """Chosen by how far off the model is, less what noise would put it off; of tables that keep
    the model small, or that it has already.
    """
    known = [set(clique) for clique in model.cliques]
    able = [
        clique
        for clique in truth
        if any(set(clique) <= each for each in known)
        or junction_tree.hypothetical_model_size(model.domain, [*model.cliques, clique])
        <= megabytes
    ]
    off = [
        np.abs(truth[clique] - np.asarray(model.project(clique).datavector())).sum()
        for clique in able
    ]
    noise = [np.sqrt(2 / np.pi) * scale * truth[clique].size for clique in able]
    scores = np.array(
        [weights[clique] * (far - bias) for clique, far, bias in zip(able, off, noise, strict=True)]
    )
    chances = epsilon / 2 / max(weights[clique] for clique in able) * scores
    chances = np.exp(chances - chances.max())
    return able[rng.choice(len(able), p=chances / chances.sum())]


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
    return LinearMeasurement(
        np.append(one[keep], one[~keep].sum() / merged),
        (name,),
        stddev=scale,
        query=WeightedQuery(weights),
    )


def _tree(data, model, names, epsilon, rng):
    pairs = list(itertools.combinations(names, 2))
    misfit = {
        pair: (
            np.abs(
                np.asarray(data.project(pair).datavector())
                - np.asarray(model.project(pair).datavector())
            ).sum()
        )
        for pair in pairs
    }
    joined, chosen = networkx.utils.UnionFind(names), []
    for _ in names[1:]:
        left = [pair for pair in pairs if joined[pair[0]] != joined[pair[1]]]
        scores = epsilon / 2 * np.array([misfit[pair] for pair in left])
        chances = np.exp(scores - scores.max())
        chosen.append(left[rng.choice(len(left), p=chances / chances.sum())])
        joined.union(*chosen[-1])
    return chosen
