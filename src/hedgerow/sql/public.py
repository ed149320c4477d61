"""Questions about public tables alone, such as publications. They cost nothing and have no noise, so rows may be shown; but the world is
closed here too: a tree of listed nodes over tables of the policy, and never the text itself, reaches an engine."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Final

from sqlglot import exp

from hedgerow.errors import InvalidArgument, Refused, Unsupported
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.heading import read_heading
from hedgerow.sql.reading import statement_of

__all__ = ["read_public"]

_TYPES: Final = {
    *(exp.DataType.Type.BOOLEAN, exp.DataType.Type.INT, exp.DataType.Type.BIGINT, exp.DataType.Type.DOUBLE, exp.DataType.Type.FLOAT),
    *(exp.DataType.Type.TEXT, exp.DataType.Type.VARCHAR, exp.DataType.Type.DATE),
}
# Everything that can be part of such a question.
_NODES: Final = {
    *(exp.Select, exp.From, exp.Join, exp.Where, exp.Group, exp.Having, exp.Order, exp.Ordered, exp.Limit, exp.Offset, exp.Distinct),
    *(exp.With, exp.CTE, exp.Table, exp.TableAlias, exp.Subquery, exp.Union, exp.Identifier, exp.Column, exp.Star, exp.Alias, exp.Paren),
    *(exp.Literal, exp.Boolean, exp.Null, exp.Neg, exp.Add, exp.Sub, exp.Mul, exp.Div, exp.Mod, exp.And, exp.Or, exp.Not, exp.Is, exp.In),
    *(exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE, exp.Between, exp.Like, exp.ILike, exp.Case, exp.If, exp.Coalesce, exp.Nullif),
    *(exp.Count, exp.Sum, exp.Avg, exp.Min, exp.Max, exp.Median, exp.Quantile, exp.PercentileCont, exp.WithinGroup, exp.Filter),
    *(exp.VariancePop, exp.Variance, exp.StddevPop, exp.Stddev, exp.StddevSamp, exp.Corr, exp.CovarPop, exp.CovarSamp, exp.Mode),
    *(exp.Round, exp.Floor, exp.Ceil, exp.Abs, exp.Sqrt, exp.Ln, exp.Least, exp.Greatest, exp.Cast, exp.TryCast, exp.DataType),
    *(exp.Lower, exp.Upper, exp.Trim, exp.Length, exp.Substring, exp.Concat, exp.DPipe, exp.Extract, exp.Year, exp.Month, exp.Day, exp.Var),
}


def read_public(text: str, catalog: Catalog) -> tuple[exp.Expr, Mapping[str, str]] | None:
    """The tree of a question, and the name of the table that each of its table nodes means; None where it is about protected tables, or
    where nothing can be said: then it is read, and refused if need be, as a question about people."""
    public = [name for name, entry in catalog.tables.items() if entry.schema.unit is None]
    if not isinstance(text, str) or not any(name.casefold() in text.casefold() for name in public):
        return None
    try:
        heading = read_heading(text)
        tree = statement_of(heading, catalog)
    except (Refused, InvalidArgument, RecursionError):
        return None
    if heading.explain or heading.options.epsilon is not None or not isinstance(tree, exp.Query):
        return None
    named = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    tables = [table for table in tree.find_all(exp.Table) if table.name.casefold() not in named]
    known = {table.name: catalog.table(table.name) for table in tables}
    if not tables or any(found is None or found[1].schema.unit is not None for found in known.values()):
        return None
    for node in tree.walk():
        if type(node) not in _NODES or (isinstance(node, exp.DataType) and node.this not in _TYPES):
            what = "This is not read in questions about public tables"
            raise heading.text.refusal(Unsupported, what, node, "Write plain SQL, or read the file of the table with a tool of your own.")
        if isinstance(node, exp.Table) and set(node.args) - {key for key, value in node.args.items() if not value} - {"this", "alias"}:
            raise heading.text.refusal(Unsupported, "A table is named by its name alone", node, "Leave out the rest.")
    return tree, {name: found[0] for name, found in known.items() if found is not None}
