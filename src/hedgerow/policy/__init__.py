"""The custodian's policy: who is protected, the privacy budgets, what is public about the data, and
who may query.
"""

from hedgerow.policy.diff import list_loosenings, list_tightenings, restore_dropped_caps
from hedgerow.policy.policy import (
    DEFAULT_POPULATION,
    AnalystRule,
    BudgetRule,
    ColumnRule,
    LinkRule,
    PartitionRule,
    Policy,
    TableRule,
)
from hedgerow.policy.toml.reader import parse_policy, read_policy
from hedgerow.policy.toml.writer import write_policy

__all__ = [
    "DEFAULT_POPULATION",
    "AnalystRule",
    "BudgetRule",
    "ColumnRule",
    "LinkRule",
    "PartitionRule",
    "Policy",
    "TableRule",
    "list_loosenings",
    "list_tightenings",
    "parse_policy",
    "read_policy",
    "restore_dropped_caps",
    "write_policy",
]
