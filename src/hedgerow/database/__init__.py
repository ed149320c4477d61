"""The private statistical database: ``open`` a policy file, or stand ``over`` a frame."""

from hedgerow.database.database import Database
from hedgerow.database.opening import accept, budgets, open, over, quotas

__all__ = ["Database", "accept", "budgets", "open", "over", "quotas"]
