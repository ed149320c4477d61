"""Stars, tuples, windows and subqueries where they are not supported."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression

__all__ = ["RULES"]

_NAME_COLUMNS = "Name aggregates and keys one by one: region, COUNT(*)."
_ASK_TABLE = "Query the table itself: SELECT … FROM table WHERE … GROUP BY …."
_SUBQUERY_OUTSIDE_FROM = "Outside FROM this subquery would show rows of other units"
_JOIN_FIX = "Join it in FROM: JOIN (SELECT DISTINCT id FROM …) AS d USING (id)."
_WINDOW_FIX = (
    "Use GROUP BY instead. For ranks, use ORDER BY on the answer. For the first or last"
    " value of each unit, use MIN(x) or MAX(x) in a subquery with GROUP BY on the"
    " privacy id. For the largest values, ask for QUANTILE(x, 0.9) first and filter by"
    " the result: WHERE x >= 100. For shares of a total, ask for the counts and divide"
    " by their sum, which is free."
)
_ONE_GROUP_BY = "Ask for each GROUP BY in a separate question."


def _refuse_subquery(node: exp.Subquery, binder: Binder) -> TypedExpression:
    """Refuse a subquery in an expression; suggest asking for a single number first."""
    inner = node.this.unnest() if isinstance(node.this, exp.Expr) else None
    if (
        type(inner) is exp.Select
        and len(inner.expressions) == 1
        and inner.find(exp.AggFunc)
        and not inner.args.get("group")
    ):
        asked, beside = binder.text.format_node(inner), node.parent
        where = (
            f", as in {_format_with_number(beside, node, binder)}"
            if isinstance(beside, exp.Predicate)
            else ""
        )
        return binder.refuse(
            node,
            _SUBQUERY_OUTSIDE_FROM,
            (
                f"Ask for it first, in a separate question: {asked}; then write its result"
                f" here{where}."
            ),
        )
    return binder.refuse(node, _SUBQUERY_OUTSIDE_FROM, _JOIN_FIX)


def _format_with_number(beside: exp.Expr, node: exp.Expr, binder: Binder) -> str:
    """Format a comparison with a number in place of its subquery."""
    copied = beside.copy()
    for part in copied.find_all(exp.Subquery):
        if part == node:
            part.replace(exp.Literal.number(100))
            break
    return binder.text.format_node(copied)


RULES: tuple[Rule | Refusal, ...] = (
    Refusal(
        exp.Star,
        "SELECT * returns individual rows",
        "Use aggregates, such as COUNT(*) or AVG(x).",
    ),
    Refusal(exp.Window, "Window functions compare rows of different units", _WINDOW_FIX),
    Refusal(exp.Columns, "COLUMNS(…) is not supported", _NAME_COLUMNS),
    Refusal(exp.PositionalColumn, "Columns by number are not supported", _NAME_COLUMNS),
    Refusal(
        exp.Tuple,
        "Tuples are not supported",
        "Write the values one by one; lists are only allowed after IN.",
    ),
    Refusal(
        exp.Array,
        "Lists are not supported here",
        "Write x IN (1, 2), or QUANTILE(x, [0.25, 0.5]) as an output of its own.",
    ),
    Refusal(
        exp.Alias,
        "An alias must follow a whole output",
        "Write the alias after the outermost expression.",
    ),
    Refusal(exp.Aliases, "An expression takes one alias", "Write expression AS name."),
    Rule(exp.Subquery, _refuse_subquery, ("this", "alias")),
    Refusal(exp.Select, _SUBQUERY_OUTSIDE_FROM, _JOIN_FIX),
    Refusal(exp.Exists, _SUBQUERY_OUTSIDE_FROM, _JOIN_FIX),
    Refusal(exp.Rollup, "ROLLUP is not supported", _ONE_GROUP_BY),
    Refusal(exp.Cube, "CUBE is not supported", _ONE_GROUP_BY),
    Refusal(exp.GroupingSets, "GROUPING SETS are not supported", _ONE_GROUP_BY),
    Refusal(exp.Any, "ANY is not supported", "Write x IN (1, 2)."),
    Refusal(exp.All, "ALL is not supported", "Write each comparison, with AND between them."),
    Refusal(exp.Explode, "UNNEST is not supported: it makes several rows of one", _ASK_TABLE),
    Refusal(exp.Unnest, "UNNEST is not supported: it makes several rows of one", _ASK_TABLE),
    Refusal(exp.Lambda, "Lambdas are not supported", "Use plain columns."),
    Refusal(
        exp.Kwarg,
        "Named arguments are only supported in aggregates",
        "Write them with =>, inside an aggregate.",
    ),
    Refusal(
        exp.PropertyEQ,
        "Named arguments are only supported in aggregates",
        "Write them with =>, inside an aggregate.",
    ),
    Refusal(
        exp.Placeholder, "Parameters and placeholders are not supported", "Write the value itself."
    ),
    Refusal(exp.RawString, "Dollar quotes are not supported", "Write text in single quotes."),
    Refusal(exp.ByteString, "Escape strings are not supported", "Write text in single quotes."),
    Refusal(exp.Var, "Unexpected word", "Name a column, an alias or a position."),
    Refusal(exp.Dot, "Field access is not supported", "Write column, or table.column."),
)
