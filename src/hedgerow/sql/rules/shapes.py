"""Stars, tuples, text functions, subqueries: expressions that have no place in a question."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Refusal

__all__ = ["RULES"]

_COLUMNS = "Name aggregates and keys one by one, such as region, COUNT(*)."
_TEXT = "Text is compared as it is: =, IN, LIKE. Declare a prepared column in the policy."
_ONE = "Ask of the table itself: SELECT … FROM table WHERE … GROUP BY …."
_GROUPS = "Ask one GROUP BY after the other."

RULES = (
    Refusal(exp.Star, "* stands for rows, and rows are never shown", "Name aggregates, such as COUNT(*) or AVG(x)."),
    Refusal(exp.Columns, "COLUMNS(…) is not read", _COLUMNS),
    Refusal(exp.PositionalColumn, "Columns by number are not read", _COLUMNS),
    Refusal(exp.Tuple, "Several values in brackets are not read", "Write them one by one; lists stand after IN only."),
    Refusal(exp.Alias, "An alias stands after a whole output", "Write the alias after the outermost expression."),
    Refusal(exp.Aliases, "An alias is one name", "Write expression AS name."),
    Refusal(exp.Subquery, "Subqueries are not answered", _ONE),
    Refusal(exp.Select, "Subqueries are not answered", _ONE),
    Refusal(exp.Exists, "Subqueries are not answered", _ONE),
    Refusal(exp.Rollup, "ROLLUP is not answered", _GROUPS),
    Refusal(exp.Cube, "CUBE is not answered", _GROUPS),
    Refusal(exp.GroupingSets, "GROUPING SETS are not answered", _GROUPS),
    Refusal(exp.Any, "ANY is not read", "Write x IN (1, 2)."),
    Refusal(exp.All, "ALL is not read", "Write the comparisons out, with AND between them."),
    Refusal(exp.Explode, "UNNEST makes several rows of one", _ONE),
    Refusal(exp.Unnest, "UNNEST makes several rows of one", _ONE),
    Refusal(exp.Lambda, "Lambdas are not read", "Work on plain columns."),
    Refusal(exp.Kwarg, "Named arguments are not read", "Leave them out; the bounds are those of the policy."),
    Refusal(exp.PropertyEQ, "Named arguments are not read", "Leave them out; the bounds are those of the policy."),
    Refusal(exp.Placeholder, "Parameters and placeholders are not read", "Write the value itself."),
    Refusal(exp.Concat, "Text is not put together here", _TEXT),
    Refusal(exp.DPipe, "Text is not put together here", _TEXT),
    Refusal(exp.Lower, "Text functions are not read", _TEXT),
    Refusal(exp.Upper, "Text functions are not read", _TEXT),
    Refusal(exp.Substring, "Text functions are not read", _TEXT),
    Refusal(exp.Trim, "Text functions are not read", _TEXT),
    Refusal(exp.Length, "Text functions are not read", _TEXT),
    Refusal(exp.RawString, "Dollar quotes are not read", "Write text in single quotes."),
    Refusal(exp.ByteString, "Escaped text is not read", "Write text in single quotes."),
    Refusal(exp.Var, "This word means nothing here", "Name a column, an alias or a position."),
    Refusal(exp.Dot, "Parts of values are not read", "Write column, or table.column."),
)
