"""Windows, which look at other people's rows."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Refusal

__all__ = ["RULES"]

_WINDOW_FIX = (
    "Write a GROUP BY instead. For ranks, write ORDER BY: it sees the answer. For the first or last"
    " of each person, write MIN(x) or MAX(x) in a subquery with GROUP BY on the id. For the"
    " largest, ask for QUANTILE(x, 0.9) first, and write its number: WHERE x >= 100. For shares of"
    " a total, ask for the counts and divide by their sum: what is made of an answer is free."
)

RULES = (Refusal(exp.Window, "Window functions look at other people's rows", _WINDOW_FIX),)
