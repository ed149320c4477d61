"""How sensitive a statistic is, here and nearby: local and smooth sensitivity, inverse length, distance to instability."""

from hedgerow.statistics.count import Count
from hedgerow.statistics.mean import Mean
from hedgerow.statistics.mode import Mode, Tally
from hedgerow.statistics.order import Quantile
from hedgerow.statistics.sample import Sample
from hedgerow.statistics.table import STATISTICS, global_sensitivity, local_sensitivity
from hedgerow.statistics.total import Total

__all__ = [
    "STATISTICS",
    "Count",
    "Mean",
    "Mode",
    "Quantile",
    "Sample",
    "Tally",
    "Total",
    "global_sensitivity",
    "local_sensitivity",
]
