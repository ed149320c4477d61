"""Numbers, text, TRUE, FALSE and NULL."""

from __future__ import annotations

import math
import re

from sqlglot import exp

from hedgerow.sql.rule import Reader, Rule
from hedgerow.sql.typed import Typed, constant

__all__ = ["RULES"]

_MOST = 2**62  # as far as whole numbers of the plan go


def _literal(node: exp.Literal, reader: Reader) -> Typed:
    text: str = node.this
    if node.is_string:
        return constant(text, "text")
    if re.fullmatch(r"[0-9]+", text):
        whole = int(text[:25])
        if whole > _MOST or len(text) > 25:
            reader.refuse(node, "This whole number is too large", "Whole numbers go up to 2^62; write it as a real, such as 1e19.")
        return constant(whole, "integer")
    if not re.fullmatch(r"[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?", text):
        reader.refuse(node, "This is no number", "Write it in decimals, such as 12.5 or 1e6.")
    real = float(text)
    if not math.isfinite(real):
        reader.refuse(node, "This number is too large", "Reals go up to about 1e308.")
    return constant(real, "real")


RULES = (
    Rule(exp.Literal, _literal, ("this", "is_string")),
    Rule(exp.Boolean, lambda node, _: constant(bool(node.this), "boolean")),
    Rule(exp.Null, lambda _, __: constant(None, "integer"), ()),
)
