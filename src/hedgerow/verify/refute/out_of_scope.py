"""The exception by which the refuter gives up; it is never evidence for or against a claim."""

from __future__ import annotations

__all__ = ["OutOfScope"]


class OutOfScope(Exception):
    """The program on this input cannot be computed exactly, or not within the limits."""
