"""PipelineDP: its combiners are given the data once, and give their answer anew for each run; for
keys its strategies are asked. Laplace or Gaussian noise, whichever is less. Where caps bite, its
engine samples rows and groups anew for each run."""

from __future__ import annotations

from importlib.metadata import version
from operator import itemgetter

import numpy as np
import pipeline_dp
import pyarrow.parquet as parquet
from pipeline_dp import combiners, dp_computations, partition_selection

VERSION = version("pipeline-dp")
METRICS, NOISE, SELECTION = (
    pipeline_dp.Metrics,
    pipeline_dp.NoiseKind,
    pipeline_dp.PartitionSelectionStrategy,
)


def _params(metrics, cell, noise, **more):
    return pipeline_dp.AggregateParams(
        metrics=metrics,
        noise_kind=noise,
        max_partitions_contributed=cell["max_groups"],
        max_contributions_per_partition=cell["max_rows"],
        min_value=cell["low"],
        max_value=cell["high"],
        **more,
    )


def _noise(cell, epsilon, delta):
    """Google's Gaussian noise is the analytic one; for one number a group."""
    several = cell["max_groups"] ** 0.5
    wide = dp_computations.compute_sigma(epsilon, delta, several)
    return NOISE.GAUSSIAN if wide < 2**0.5 * cell["max_groups"] / epsilon else NOISE.LAPLACE


def _sampled(metrics, read, path, cell, epsilon, delta, runs):
    noise, table = _noise(cell, epsilon, delta), parquet.read_table(path)
    rows = list(zip(*(table.column(name).to_pylist() for name in ("who", "g", "x")), strict=True))
    columns = pipeline_dp.DataExtractors(
        privacy_id_extractor=itemgetter(0),
        partition_extractor=itemgetter(1),
        value_extractor=itemgetter(2),
    )
    groups = list(range(cell["groups"] or 1))

    def once():
        spent = delta if noise == NOISE.GAUSSIAN else 0
        accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=spent)
        engine = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend())
        answer = engine.aggregate(
            rows, _params(metrics(cell), cell, noise), columns, public_partitions=groups
        )
        accountant.compute_budgets()
        return [value for _, found in sorted(answer, key=itemgetter(0)) for value in read(found)]

    return lambda: [once() for _ in range(runs)]


def _combined(metrics, read):
    def task(path, cell, epsilon, delta, runs):
        if cell["biting"]:
            return _sampled(metrics, read, path, cell, epsilon, delta, runs)
        noise = _noise(cell, epsilon, delta)
        accountant = pipeline_dp.NaiveBudgetAccountant(
            total_epsilon=epsilon, total_delta=delta if noise == NOISE.GAUSSIAN else 0
        )
        combiner = combiners.create_compound_combiner(
            _params(metrics(cell), cell, noise), accountant
        )
        accountant.compute_budgets()
        table = parquet.read_table(path)
        x, g = (
            np.clip(table.column("x").to_numpy(), cell["low"], cell["high"]),
            table.column("g").to_numpy(),
        )
        parts = [x[g == i] for i in range(cell["groups"])] if cell["groups"] else [x]
        held = [_accumulated(combiner, part, cell) for part in parts]
        return lambda: [
            [value for part in held for value in read(combiner.compute_metrics(part))]
            for _ in range(runs)
        ]

    return task


def _accumulated(combiner, values, cell):
    """One person after the other, each with one row or the same number of rows."""
    total = None
    for place in range(0, len(values), cell["max_rows"] if not cell["groups"] else 1):
        one = combiner.create_accumulator(
            values[place : place + (cell["max_rows"] if not cell["groups"] else 1)].tolist()
        )
        total = one if total is None else combiner.merge_accumulators(total, one)
    return total


def _percentiles(cell):
    return [METRICS.PERCENTILE(100 * p) for p in cell["at"]]


count = _combined(lambda cell: [METRICS.COUNT], lambda found: [found.count])  # noqa: ARG005
people = _combined(
    lambda cell: [METRICS.PRIVACY_ID_COUNT],  # noqa: ARG005
    lambda found: [found.privacy_id_count],
)
sum = _combined(lambda cell: [METRICS.SUM], lambda found: [found.sum])  # noqa: ARG005
mean = _combined(lambda cell: [METRICS.MEAN], lambda found: [found.mean])  # noqa: ARG005
together = _combined(
    lambda cell: [METRICS.COUNT, METRICS.MEAN],  # noqa: ARG005
    lambda found: [found.count, found.mean],
)
variance = _combined(
    lambda cell: [METRICS.VARIANCE],  # noqa: ARG005
    lambda found: [found.variance],
)
deviation = _combined(
    lambda cell: [METRICS.VARIANCE],  # noqa: ARG005
    lambda found: [max(found.variance, 0) ** 0.5],
)
quantile = quantiles = _combined(_percentiles, list)
maximum = _combined(lambda cell: [METRICS.PERCENTILE(100)], list)  # noqa: ARG005


def distinct(path, cell, epsilon, delta, runs):
    raise NotImplementedError("counts people, not values")


def keys(path, cell, epsilon, delta, runs):
    """All of epsilon goes to the selection, as its thresholding after a count of people does.
    The best of its strategies.
    """
    table = parquet.read_table(path)
    people = np.bincount(table.column("k").to_numpy())
    people = [int(n) for n in people[people > 0]]

    def kept(strategy):
        chosen = partition_selection.create_partition_selection_strategy(
            strategy, epsilon, delta, cell["max_groups"]
        )
        return [[float(np.sum([chosen.should_keep(n) for n in people]))] for _ in range(runs)]

    strategies = (SELECTION.LAPLACE_THRESHOLDING, SELECTION.GAUSSIAN_THRESHOLDING)
    return lambda: max((kept(strategy) for strategy in strategies), key=np.mean)
