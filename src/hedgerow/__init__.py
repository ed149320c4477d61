"""Hedgerow: differential privacy with exact noise, written proofs and laws that check them.

The names on this page are the public ones. ``hedgerow.mechanisms`` and ``hedgerow.verify`` are imported on their own, and ``open``,
``protect`` and ``connect`` bring the database in when they are called, so that ``import hedgerow`` stays light.
"""

from __future__ import annotations

from hedgerow.connection import connect
from hedgerow.errors import (
    BudgetExceeded,
    EntropyError,
    HedgerowError,
    InvalidArgument,
    LedgerError,
    Refused,
    SourceError,
    Unbounded,
    Unsupported,
)
from hedgerow.opening import open, protect
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.loss import Loss
from hedgerow.privacy.sensitivity import Sensitivity
from hedgerow.privacy.unit import Unit

__all__ = [
    "Budget",
    "BudgetExceeded",
    "EntropyError",
    "HedgerowError",
    "InvalidArgument",
    "LedgerError",
    "Loss",
    "Refused",
    "Sensitivity",
    "SourceError",
    "Unbounded",
    "Unit",
    "Unsupported",
    "__version__",
    "connect",
    "open",
    "protect",
]

__version__ = "0.1.0"
