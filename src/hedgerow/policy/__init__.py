"""The custodian's decision: who is protected, how much they may lose, what is public about the data, who may ask."""

from hedgerow.policy.change import loosened, tightened
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
from hedgerow.policy.reading import parse_policy, read_policy
from hedgerow.policy.writing import write_policy

__all__ = [
    "DEFAULT_POPULATION",
    "AnalystRule",
    "BudgetRule",
    "ColumnRule",
    "LinkRule",
    "PartitionRule",
    "Policy",
    "TableRule",
    "loosened",
    "parse_policy",
    "read_policy",
    "tightened",
    "write_policy",
]
