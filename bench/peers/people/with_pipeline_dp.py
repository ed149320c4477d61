"""PipelineDP on its local backend: rows are Python tuples, and noise comes from Google's C++
library.
"""

from __future__ import annotations

from importlib.metadata import version
from operator import itemgetter

import pipeline_dp
import pyarrow.parquet as parquet

VERSION = version("pipeline-dp")


def grouped(path, groups, rows, epsilon, delta):
    def work():
        table = parquet.read_table(path)
        people = list(
            zip(
                *(table.column(name).to_pylist() for name in ("user_id", "grp", "value")),
                strict=True,
            )
        )
        accountant = pipeline_dp.NaiveBudgetAccountant(total_epsilon=epsilon, total_delta=delta)
        wanted = pipeline_dp.AggregateParams(
            metrics=[pipeline_dp.Metrics.COUNT, pipeline_dp.Metrics.SUM, pipeline_dp.Metrics.MEAN],
            max_partitions_contributed=groups,
            max_contributions_per_partition=rows,
            min_value=0.0,
            max_value=100.0,
        )
        columns = pipeline_dp.DataExtractors(
            privacy_id_extractor=itemgetter(0),
            partition_extractor=itemgetter(1),
            value_extractor=itemgetter(2),
        )
        answer = pipeline_dp.DPEngine(accountant, pipeline_dp.LocalBackend()).aggregate(
            people, wanted, columns
        )
        accountant.compute_budgets()
        return {"groups": len(list(answer))}

    return work
