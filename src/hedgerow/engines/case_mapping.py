"""Upper and lower case of code points, as ``translate`` takes them.

PostgreSQL's own functions know ASCII alone under the collation "C", and under others they follow
the locale of the server; those of Spark may write several code points for one.
"""

from __future__ import annotations

import functools
import sys

from hedgerow.plan.scalar.strings import STRING_FUNCTIONS

__all__ = ["list_case_pairs"]

_SURROGATES = range(0xD800, 0xE000)


@functools.cache
def list_case_pairs(function: str) -> tuple[str, str]:
    """Return the code points beyond ASCII that LOWER or UPPER changes, and what they become."""
    change = STRING_FUNCTIONS[function][2]
    every = (chr(code) for code in range(0x80, sys.maxunicode + 1) if code not in _SURROGATES)
    pairs = [(c, to) for c in every if (to := change(c)) != c]
    return "".join(c for c, _ in pairs), "".join(to for _, to in pairs)
