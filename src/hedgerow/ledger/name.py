"""The name of a new ledger."""

from __future__ import annotations

from hedgerow.errors import EntropyError
from hedgerow.numeric.bits import integer

__all__ = ["fresh_id"]


def fresh_id() -> str:
    """Return a name that no other ledger has."""
    try:
        return f"{integer(128):032x}"
    except EntropyError:
        raise EntropyError(
            "The operating system gave no random bits to name a new ledger with, and none was begun. Let this process read /dev/urandom."
        ) from None
