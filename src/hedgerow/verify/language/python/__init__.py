"""Restricted Python as programs: ``functions`` reads heads, ``body`` statements, ``expressions``
what stands in them.
"""

from __future__ import annotations

from hedgerow.verify.language.python.signatures import (
    read_program,
    read_programs,
    returns_single_value,
)

__all__ = ["read_program", "read_programs", "returns_single_value"]
