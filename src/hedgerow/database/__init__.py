"""The private statistical database: ``open`` a policy file, or ``protect`` a frame."""

from hedgerow.database.database import Database
from hedgerow.database.opening import accept, budgets, open, protect

__all__ = ["Database", "accept", "budgets", "open", "protect"]
