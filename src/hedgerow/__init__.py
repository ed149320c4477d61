"""Hedgerow: differential privacy with exact noise, written proofs, and tests of what they claim.

These are the public names. ``hedgerow.mechanisms`` and ``hedgerow.verify`` are imported on their
own, and ``open``, ``protect``, ``connect`` and ``remote`` load what they need when they are
called, so that ``import hedgerow`` stays light. All names but the errors are loaded on first use:
the engine's process needs none of them.
"""

from __future__ import annotations

import importlib
import typing

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

if typing.TYPE_CHECKING:
    from hedgerow.api import open, protect
    from hedgerow.client.remote_database import remote
    from hedgerow.dbapi import connect
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
    "remote",
]

__version__ = "0.1.0"

_LAZY_MODULES: typing.Final = {
    "Budget": "privacy.budget",
    "Loss": "privacy.loss",
    "Sensitivity": "privacy.sensitivity",
    "Unit": "privacy.unit",
    "connect": "dbapi",
    "open": "api",
    "protect": "api",
    "remote": "client.remote_database",
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not typing.TYPE_CHECKING:  # a type checker should report names that are not listed above

    def __getattr__(name: str) -> object:
        """Load a name of ``_LAZY_MODULES`` on first use, and keep it here."""
        if name not in _LAZY_MODULES:
            raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
        value = getattr(importlib.import_module(f"hedgerow.{_LAZY_MODULES[name]}"), name)
        globals()[name] = value
        return value
