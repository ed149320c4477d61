"""OpenDP's Polars interface: groups that nobody named, kept when enough rows share them."""

from __future__ import annotations

from importlib.metadata import version

import opendp.prelude as dp
import polars

dp.enable_features("contrib")

VERSION = version("opendp")
MOST = 10_000_000  # rows in a group, a public bound


def grouped(path, groups, rows, epsilon, delta):
    def work():
        context = dp.Context.compositor(
            data=polars.scan_parquet(path),
            privacy_unit=dp.unit_of(contributions=1, identifier=polars.col("user_id")),
            privacy_loss=dp.loss_of(epsilon=epsilon, delta=delta),
            split_evenly_over=1,
            margins=[dp.polars.Margin(by=["grp"], max_length=MOST, max_groups=1000)],
        )
        bounded = (
            context.query()
            .truncate_per_group(rows, by=["grp"])
            # it keeps one group fewer than it is told
            .truncate_num_groups(groups + 1, by=["grp"], keep="first")
        )
        answer = bounded.group_by("grp").agg(
            dp.len(),
            polars.col("value").fill_nan(0).fill_null(0).dp.sum(bounds=(0.0, 100.0)).alias("total"),
            polars.col("value").fill_nan(0).fill_null(0).dp.mean(bounds=(0.0, 100.0)).alias("mean"),
        )
        return {"groups": answer.release().collect().height}

    return work
