"""Sensitivities of statistics: local, smooth and global; inverse lengths; distances."""

from hedgerow.sensitivity.count import Count
from hedgerow.sensitivity.mean import Mean
from hedgerow.sensitivity.mode import Mode, ValueCounts
from hedgerow.sensitivity.order_statistics import Quantile
from hedgerow.sensitivity.sample import SortedSample
from hedgerow.sensitivity.sensitivity_table import STATISTICS, global_sensitivity, local_sensitivity
from hedgerow.sensitivity.sum import Sum

__all__ = [
    "STATISTICS",
    "Count",
    "Mean",
    "Mode",
    "Quantile",
    "SortedSample",
    "Sum",
    "ValueCounts",
    "global_sensitivity",
    "local_sensitivity",
]
