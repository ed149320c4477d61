"""Hedgerow: differential privacy with exact noise, written proofs and laws that check them.

The names on this page are the public ones. ``hedgerow.mechanisms`` and ``hedgerow.verify`` are
imported on their own, and ``open``, ``protect`` and ``connect`` bring the database in when they are
called, so that ``import hedgerow`` stays light. All but the errors are loaded when they are first
named: the process that holds the engine needs none of them.
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
}


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


if not typing.TYPE_CHECKING:  # to a checker of types, a name that is not above does not exist

    def __getattr__(name: str) -> object:
        """A name of ``_LAZY_MODULES`` where it is first used; from then on it stands here like
        the others.
        """
        if name not in _LAZY_MODULES:
            raise AttributeError(f"module 'hedgerow' has no attribute {name!r}")
        found = getattr(importlib.import_module(f"hedgerow.{_LAZY_MODULES[name]}"), name)
        globals()[name] = found
        return found
