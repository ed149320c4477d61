"""Rules for numbers, text, TRUE, FALSE and NULL."""

from __future__ import annotations

import math
import re

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression, build_constant

__all__ = ["RULES"]

_MAX_INTEGER = 2**62  # the largest integer of a plan


def _bind_literal(node: exp.Literal, binder: Binder) -> TypedExpression:
    text: str = node.this
    if node.is_string:
        return build_constant(text, "text")
    if re.fullmatch(r"[0-9]+", text):
        whole = int(text[:25])
        if whole > _MAX_INTEGER or len(text) > 25:
            binder.refuse(
                node,
                "This integer is too large",
                "Write an integer of at most 2^62, or a real number, such as 1e19.",
            )
        return build_constant(whole, "integer")
    if not re.fullmatch(r"[0-9]*\.?[0-9]*([eE][+-]?[0-9]+)?", text):
        binder.refuse(node, "This is not a number", "Write it in decimals, such as 12.5 or 1e6.")
    real = float(text)
    if not math.isfinite(real):
        binder.refuse(node, "This number is too large", "Write a number below 1e308.")
    return build_constant(real, "real")


RULES = (
    Rule(exp.Literal, _bind_literal, ("this", "is_string")),
    Rule(exp.Boolean, lambda node, _: build_constant(bool(node.this), "boolean")),
    Rule(exp.Null, lambda _, __: build_constant(None, "integer"), ()),
)
