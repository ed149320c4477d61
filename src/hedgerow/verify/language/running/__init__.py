"""Programs at work: ``interpreter`` runs them, ``reals`` are the exact numbers that they run on."""

from __future__ import annotations

from hedgerow.verify.language.running.interpreter import GRID, Bits, run

__all__ = ["GRID", "Bits", "run"]
