"""The private statistical database: ``open`` a policy file, or ``open_frame`` a data frame."""

from hedgerow.database.database import Database
from hedgerow.database.open_database import (
    accept_policy,
    open,
    open_frame,
    read_budgets,
    read_quotas,
)

__all__ = ["Database", "accept_policy", "open", "open_frame", "read_budgets", "read_quotas"]
