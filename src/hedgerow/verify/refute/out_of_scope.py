"""What the refuter gives up on. Never an answer: who catches it has found nothing."""

from __future__ import annotations

__all__ = ["OutOfScope"]


class OutOfScope(Exception):
    """The program, or this input of it, is outside what can be computed exactly here, or within
    the limits set.
    """
