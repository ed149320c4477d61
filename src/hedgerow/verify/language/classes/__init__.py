"""The front end of mechanism classes, read from their own source: the sampling method is the
program and ``loss`` is the claim.

Nothing of the file is run. Modules of the package that it calls are read in turn, down to the
functions of ``intrinsics``.
"""

from __future__ import annotations

from hedgerow.verify.language.classes.programs import read_class_programs

__all__ = ["read_class_programs"]
