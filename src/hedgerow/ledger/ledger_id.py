"""The name of a new ledger."""

from __future__ import annotations

from hedgerow.errors import EntropyError
from hedgerow.numeric.bits import draw_integer

__all__ = ["create_ledger_id"]


def create_ledger_id() -> str:
    """Return a name that no other ledger has."""
    try:
        return f"{draw_integer(128):032x}"
    except EntropyError:
        raise EntropyError(
            "The operating system gave no random bits to name a new ledger with, and none was"
            " begun. Let this process read /dev/urandom."
        ) from None
