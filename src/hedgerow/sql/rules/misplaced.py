"""Stars, tuples, subqueries: expressions that have no place in a question."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.binder.rule import Binder, Refusal, Rule
from hedgerow.sql.binder.typed_expression import TypedExpression

__all__ = ["RULES"]

_NAME_COLUMNS = "Name aggregates and keys one by one, such as region, COUNT(*)."
_ASK_TABLE = "Ask of the table itself: SELECT … FROM table WHERE … GROUP BY …."
_SUBQUERY_OUTSIDE_FROM = (
    "A subquery stands in FROM: elsewhere it would show what other people's rows hold"
)
_JOIN_FIX = "Join it in FROM: JOIN (SELECT DISTINCT id FROM …) AS d USING (id)."
_ONE_GROUP_BY = "Ask one GROUP BY after the other."


def _refuse_subquery(node: exp.Subquery, reader: Binder) -> TypedExpression:
    """Never: what it finds would be exact. A single number can be asked for first."""
    inner = node.this.unnest() if isinstance(node.this, exp.Expr) else None
    if (
        type(inner) is exp.Select
        and len(inner.expressions) == 1
        and inner.find(exp.AggFunc)
        and not inner.args.get("group")
    ):
        asked, beside = reader.text.format_node(inner), node.parent
        where = (
            f", as in {_format_with_number(beside, node, reader)}"
            if isinstance(beside, exp.Predicate)
            else ""
        )
        return reader.refuse(
            node,
            _SUBQUERY_OUTSIDE_FROM,
            f"Ask for it first, as a question of its own: {asked}; then write its number"
            f" here{where}.",
        )
    return reader.refuse(node, _SUBQUERY_OUTSIDE_FROM, _JOIN_FIX)


def _format_with_number(beside: exp.Expr, node: exp.Expr, reader: Binder) -> str:
    """A comparison with a number in the place of a subquery."""
    copied = beside.copy()
    for part in copied.find_all(exp.Subquery):
        if part == node:
            part.replace(exp.Literal.number(100))
            break
    return reader.text.format_node(copied)


RULES: tuple[Rule | Refusal, ...] = (
    Refusal(
        exp.Star,
        "* stands for rows, and rows are never shown",
        "Name aggregates, such as COUNT(*) or AVG(x).",
    ),
    Refusal(exp.Columns, "COLUMNS(…) is not read", _NAME_COLUMNS),
    Refusal(exp.PositionalColumn, "Columns by number are not read", _NAME_COLUMNS),
    Refusal(
        exp.Tuple,
        "Several values in brackets are not read",
        "Write them one by one; lists stand after IN only.",
    ),
    Refusal(
        exp.Alias,
        "An alias stands after a whole output",
        "Write the alias after the outermost expression.",
    ),
    Refusal(exp.Aliases, "An alias is one name", "Write expression AS name."),
    Rule(exp.Subquery, _refuse_subquery, ("this", "alias")),
    Refusal(exp.Select, _SUBQUERY_OUTSIDE_FROM, _JOIN_FIX),
    Refusal(exp.Exists, _SUBQUERY_OUTSIDE_FROM, _JOIN_FIX),
    Refusal(exp.Rollup, "ROLLUP is not answered", _ONE_GROUP_BY),
    Refusal(exp.Cube, "CUBE is not answered", _ONE_GROUP_BY),
    Refusal(exp.GroupingSets, "GROUPING SETS are not answered", _ONE_GROUP_BY),
    Refusal(exp.Any, "ANY is not read", "Write x IN (1, 2)."),
    Refusal(exp.All, "ALL is not read", "Write the comparisons out, with AND between them."),
    Refusal(exp.Explode, "UNNEST makes several rows of one", _ASK_TABLE),
    Refusal(exp.Unnest, "UNNEST makes several rows of one", _ASK_TABLE),
    Refusal(exp.Lambda, "Lambdas are not read", "Work on plain columns."),
    Refusal(exp.Kwarg, "Named arguments are not read", "Write them with =>, inside an aggregate."),
    Refusal(
        exp.PropertyEQ, "Named arguments are not read", "Write them with =>, inside an aggregate."
    ),
    Refusal(exp.Placeholder, "Parameters and placeholders are not read", "Write the value itself."),
    Refusal(exp.RawString, "Dollar quotes are not read", "Write text in single quotes."),
    Refusal(exp.ByteString, "Escaped text is not read", "Write text in single quotes."),
    Refusal(exp.Var, "This word means nothing here", "Name a column, an alias or a position."),
    Refusal(exp.Dot, "Parts of values are not read", "Write column, or table.column."),
)
