"""OpenDP's Polars interface: a question is resolved once, and released anew for each run. Values
are whole steps, since its sums of reals get more noise; quantiles are chosen among 1,001 evenly
spaced candidates, as theirs have to be given."""

from __future__ import annotations

from importlib.metadata import version

import numpy as np
import opendp.prelude as dp
import polars as pl

dp.enable_features("contrib")

VERSION = version("opendp")
STEPS = 128  # in one unit of x
MOST = 100_000  # rows, a public bound
CANDIDATES = 1001
AT_ONCE = 50  # sums, or counts of values; more take minutes to prepare
X = pl.col("steps")


def _data(path, cell):
    steps = (
        (pl.col("x").clip(cell["low"], cell["high"]) * STEPS).round().cast(pl.Int64).alias("steps")
    )
    return pl.read_parquet(path).select("who", "g", "k", steps).lazy()


def _query(data, cell, loss):
    """By group it is told that people are in so many groups, where they are: what it could do about
    that keeps one group fewer than it adds noise for. Else it truncates by itself, and it is told
    of one group more."""
    key = "k" if cell["task"] == "keys" else "g"
    grouped = cell["groups"] or cell["task"] == "keys"
    told = [dp.polars.Bound(by=[key], num_groups=cell["max_groups"], per_group=cell["max_rows"])]
    unit = (
        dp.unit_of(contributions=told)
        if grouped and not cell["biting"]
        else dp.unit_of(contributions=1, identifier=pl.col("who"))
    )
    by_key = dp.polars.Margin(by=[key], max_length=MOST, max_groups=2_000)
    context = dp.Context.compositor(
        data=data,
        privacy_unit=unit,
        privacy_loss=loss,
        split_evenly_over=1,
        margins=[dp.polars.Margin(max_length=MOST), by_key],
    )
    if grouped and cell["biting"]:
        few = context.query().truncate_per_group(cell["max_rows"], by=[key])
        return few.truncate_num_groups(cell["max_groups"] + 1, by=[key], keep="first")
    return (
        context.query()
        if grouped
        else context.query().truncate_per_group(1 if cell["task"] == "people" else cell["max_rows"])
    )


def _loss(cell, epsilon):
    """Gaussian noise where a person is in many groups: the rho that is this epsilon at this
    delta.
    """
    return (
        dp.loss_of(rho=cell["rho"]) if cell["noise"] == "gaussian" else dp.loss_of(epsilon=epsilon)
    )


def _released(select, divisor=1):
    """``select`` gives the expressions of a cell."""

    def task(path, cell, epsilon, delta, runs):  # noqa: ARG001 - all tasks are called alike
        data = _data(path, cell)
        query = _query(data, cell, _loss(cell, epsilon))
        if cell["groups"]:
            keys = pl.LazyFrame(
                {"g": list(range(cell["groups"]))}, schema={"g": data.collect_schema()["g"]}
            )
            measurement = query.group_by("g").agg(*select(cell)).with_keys(keys).resolve()
            return lambda: [
                _numbers(measurement(data).collect().sort("g").discard("g"), divisor)
                for _ in range(runs)
            ]
        measurement = query.select(*select(cell)).resolve()
        return lambda: [_numbers(measurement(data).collect(), divisor) for _ in range(runs)]

    return task


def _numbers(frame, divisor):
    return (frame.to_numpy().astype(float) / np.array(divisor)).ravel().tolist()


def keys(path, cell, epsilon, delta, runs):
    data = _data(path, cell)
    measurement = (
        _query(data, cell, dp.loss_of(epsilon=epsilon, delta=delta))
        .group_by("k")
        .agg(dp.len())
        .resolve()
    )
    return lambda: [[measurement(data).collect().height] for _ in range(runs)]


def _bounds(cell):
    return (int(cell["low"] * STEPS), int(cell["high"] * STEPS))


count = people = _released(lambda cell: [dp.len()])  # noqa: ARG005
mean = _released(lambda cell: [X.fill_null(0).dp.mean(_bounds(cell))], STEPS)
together = _released(lambda cell: [dp.len(), X.fill_null(0).dp.mean(_bounds(cell))], [1, STEPS])


def _at_once(expression, divisor=1):
    """Without groups many at once, for as many times epsilon: each time it goes through all rows,
    which takes it long. What it would put for NULL, of which there are none, differs, since equal
    expressions get one noise."""
    one_by_one = _released(lambda cell: [expression(cell, 0)], divisor)

    def task(path, cell, epsilon, delta, runs):
        # rows are sampled anew each time, and shared by all at once
        if cell["groups"] or cell["biting"]:
            return one_by_one(path, cell, epsilon, delta, runs)
        data, many = _data(path, cell), min(runs, AT_ONCE)
        each = [expression(cell, i).alias(f"v{i}") for i in range(many)]
        measurement = _query(data, cell, dp.loss_of(epsilon=epsilon * many)).select(*each).resolve()
        return lambda: [
            [v]
            for _ in range(0, runs, many)
            for v in _numbers(measurement(data).collect(), divisor)
        ]

    return task


sum = _at_once(lambda cell, i: X.fill_null(i).dp.sum(_bounds(cell)), STEPS)
distinct = _at_once(lambda cell, i: pl.col("k").fill_null(i).dp.n_unique())  # noqa: ARG005


def quantile(path, cell, epsilon, delta, runs):  # noqa: ARG001
    """By its functions for a column, one row a person. The candidates lie elsewhere in each run:
    who has to name some knows not where.
    """
    values = np.clip(pl.read_parquet(path)["x"].to_numpy(), cell["low"], cell["high"])
    domain, share = dp.vector_domain(dp.atom_domain(T=float, nan=False)), epsilon / len(cell["at"])
    between, rng = np.linspace(cell["low"], cell["high"], CANDIDATES), np.random.default_rng()

    def made(p, candidates, scale):
        return dp.m.make_private_quantile(
            domain, dp.symmetric_distance(), dp.max_divergence(), candidates, alpha=p, scale=scale
        )

    scales = [
        dp.binary_search_param(lambda s, p=p: made(p, between, s), d_in=1, d_out=share)
        for p in cell["at"]
    ]

    def once():
        moved = np.clip(
            between + rng.uniform(0, between[1] - between[0]), cell["low"], cell["high"]
        )
        candidates = np.unique(moved)
        return [
            float(made(p, candidates, scale)(values))
            for p, scale in zip(cell["at"], scales, strict=True)
        ]

    return lambda: [once() for _ in range(runs)]


quantiles = quantile


def maximum(path, cell, epsilon, delta, runs):
    return quantile(path, {**cell, "at": [1.0]}, epsilon, delta, runs)


def variance(path, cell, epsilon, delta, runs):
    raise NotImplementedError("has a variance only where the number of rows is public")


deviation = variance
