"""Programs and inputs for the tests of the refuter, written short."""

from __future__ import annotations

from fractions import Fraction

from hedgerow.verify.language.program import Program
from hedgerow.verify.refuter.paths import Arguments
from hedgerow.verify.refuter.values import Value, Word
from verify.language.reading import HEAD, gallery, read

__all__ = ["gallery", "given", "one", "read"]


def one(body: str, parameters: str = "x: private[float], eps: public[float]", head: str = HEAD) -> Program:
    """A mechanism with these parameters."""
    return read(body, parameters, head)


def _value(value: object) -> Value:
    if isinstance(value, bool | Word):
        return value
    assert isinstance(value, int | Fraction | str)
    return Fraction(value)


def given(**values: object) -> Arguments:
    """Arguments from plain numbers, and lists of them."""
    return {name: tuple(map(_value, value)) if isinstance(value, list) else _value(value) for name, value in values.items()}
