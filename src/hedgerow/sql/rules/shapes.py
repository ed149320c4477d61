"""Stars, tuples, subqueries: expressions that have no place in a question."""

from __future__ import annotations

from sqlglot import exp

from hedgerow.sql.rule import Reader, Refusal, Rule
from hedgerow.sql.typed import Typed

__all__ = ["RULES"]

_COLUMNS = "Name aggregates and keys one by one, such as region, COUNT(*)."
_ONE = "Ask of the table itself: SELECT … FROM table WHERE … GROUP BY …."
_OTHERS = "A subquery stands in FROM: elsewhere it would show what other people's rows hold"
_JOIN = "Join it in FROM: JOIN (SELECT DISTINCT id FROM …) AS d USING (id)."
_GROUPS = "Ask one GROUP BY after the other."


def _subquery(node: exp.Subquery, reader: Reader) -> Typed:
    """Never: what it finds would be exact. A single number can be asked for first."""
    inner = node.this.unnest() if isinstance(node.this, exp.Expr) else None
    if type(inner) is exp.Select and len(inner.expressions) == 1 and inner.find(exp.AggFunc) and not inner.args.get("group"):
        asked, beside = reader.text.cut(inner), node.parent
        where = f", as in {_with_number(beside, node, reader)}" if isinstance(beside, exp.Predicate) else ""
        return reader.refuse(node, _OTHERS, f"Ask for it first, as a question of its own: {asked}; then write its number here{where}.")
    return reader.refuse(node, _OTHERS, _JOIN)


def _with_number(beside: exp.Expr, node: exp.Expr, reader: Reader) -> str:
    """A comparison with a number in the place of a subquery."""
    copied = beside.copy()
    for part in copied.find_all(exp.Subquery):
        if part == node:
            part.replace(exp.Literal.number(100))
            break
    return reader.text.cut(copied)


RULES: tuple[Rule | Refusal, ...] = (
    Refusal(exp.Star, "* stands for rows, and rows are never shown", "Name aggregates, such as COUNT(*) or AVG(x)."),
    Refusal(exp.Columns, "COLUMNS(…) is not read", _COLUMNS),
    Refusal(exp.PositionalColumn, "Columns by number are not read", _COLUMNS),
    Refusal(exp.Tuple, "Several values in brackets are not read", "Write them one by one; lists stand after IN only."),
    Refusal(exp.Alias, "An alias stands after a whole output", "Write the alias after the outermost expression."),
    Refusal(exp.Aliases, "An alias is one name", "Write expression AS name."),
    Rule(exp.Subquery, _subquery, ("this", "alias")),
    Refusal(exp.Select, _OTHERS, _JOIN),
    Refusal(exp.Exists, _OTHERS, _JOIN),
    Refusal(exp.Rollup, "ROLLUP is not answered", _GROUPS),
    Refusal(exp.Cube, "CUBE is not answered", _GROUPS),
    Refusal(exp.GroupingSets, "GROUPING SETS are not answered", _GROUPS),
    Refusal(exp.Any, "ANY is not read", "Write x IN (1, 2)."),
    Refusal(exp.All, "ALL is not read", "Write the comparisons out, with AND between them."),
    Refusal(exp.Explode, "UNNEST makes several rows of one", _ONE),
    Refusal(exp.Unnest, "UNNEST makes several rows of one", _ONE),
    Refusal(exp.Lambda, "Lambdas are not read", "Work on plain columns."),
    Refusal(exp.Kwarg, "Named arguments are not read", "Write them with =>, inside an aggregate."),
    Refusal(exp.PropertyEQ, "Named arguments are not read", "Write them with =>, inside an aggregate."),
    Refusal(exp.Placeholder, "Parameters and placeholders are not read", "Write the value itself."),
    Refusal(exp.RawString, "Dollar quotes are not read", "Write text in single quotes."),
    Refusal(exp.ByteString, "Escaped text is not read", "Write text in single quotes."),
    Refusal(exp.Var, "This word means nothing here", "Name a column, an alias or a position."),
    Refusal(exp.Dot, "Parts of values are not read", "Write column, or table.column."),
)
