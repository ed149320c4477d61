"""Windows, which look at other people's rows."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Refusal

__all__ = ["RULES"]

RULES = (Refusal(exp.Window, "Window functions look at other people's rows", "Write a GROUP BY instead."),)
