"""The id of a new ledger."""

from __future__ import annotations

from hedgerow.errors import EntropyError
from hedgerow.numeric.bits import draw_integer

__all__ = ["create_ledger_id"]


def create_ledger_id() -> str:
    """Return an id that no other ledger has."""
    try:
        return f"{draw_integer(128):032x}"
    except EntropyError:
        raise EntropyError(
            "The operating system gave no random bits for the id of a new ledger, and none was"
            " created. Let this process read /dev/urandom."
        ) from None
