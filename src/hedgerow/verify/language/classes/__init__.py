"""Mechanism classes, read from their own source as programs: the method that samples is the
program, ``loss`` is the claim.

Nothing of the file is run. Other modules of the package that it calls are read in turn, down to the
words of ``words``.
"""

from __future__ import annotations

from hedgerow.verify.language.classes.programs import read_class_programs

__all__ = ["read_class_programs"]
