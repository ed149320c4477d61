"""Programs at work: ``interpreter`` runs them, ``reals`` are the exact numbers that they run on."""

from __future__ import annotations

from hedgerow.verify.language.interpreter.interpreter import OUTPUT_GRID, BitString, run_program

__all__ = ["OUTPUT_GRID", "BitString", "run_program"]
