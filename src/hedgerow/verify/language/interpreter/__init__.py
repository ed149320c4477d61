"""The interpreter: ``interpreter`` runs programs on the exact numbers of ``lazy_reals``."""

from __future__ import annotations

from hedgerow.verify.language.interpreter.interpreter import OUTPUT_GRID, run_program
from hedgerow.verify.language.interpreter.value_operations import BitString

__all__ = ["OUTPUT_GRID", "BitString", "run_program"]
