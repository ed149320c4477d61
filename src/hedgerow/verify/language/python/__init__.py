"""Restricted Python as programs: ``functions`` reads heads, ``body`` statements, ``expressions`` what stands in them."""

from __future__ import annotations

from hedgerow.verify.language.python.functions import gives_one, program_of, programs

__all__ = ["gives_one", "program_of", "programs"]
