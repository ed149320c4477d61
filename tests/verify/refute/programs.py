"""Programs and inputs for the tests of the refuter, written short."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.language.program import Program
from hedgerow.verify.refute.path_values import BitWord, PathValue
from hedgerow.verify.refute.paths import Arguments
from verify.language.reading import HEAD, gallery, read

__all__ = ["gallery", "given", "one", "read"]


def one(
    body: str, parameters: str = "x: private[float], eps: public[float]", head: str = HEAD
) -> Program:
    """Build a mechanism with these parameters."""
    return read(body, parameters, head)


def _value(value: object) -> PathValue:
    if isinstance(value, bool | BitWord):
        return value
    assert isinstance(value, int | Fraction | str)
    return Fraction(value)


def given(**values: object) -> Arguments:
    """Build arguments from plain numbers and lists of them."""
    return {
        name: tuple(map(_value, value)) if isinstance(value, list) else _value(value)
        for name, value in values.items()
    }
