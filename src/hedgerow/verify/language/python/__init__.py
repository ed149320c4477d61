"""The front end of restricted Python: ``signatures`` reads heads, ``statements`` and
``expressions`` read bodies.
"""

from __future__ import annotations

from hedgerow.verify.language.python.signatures import (
    read_program,
    read_programs,
    returns_single_value,
)

__all__ = ["read_program", "read_programs", "returns_single_value"]
