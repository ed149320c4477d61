"""How deep tests that draw their cases look. `make test` draws few; `make slow` sets DEPTH and
draws so many times more.
"""

from __future__ import annotations

import os


def many(few: int) -> int:
    """``few`` in `make test`."""
    return few * int(os.environ.get("DEPTH", "1"))
