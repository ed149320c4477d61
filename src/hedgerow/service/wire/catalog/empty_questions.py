"""Questions that have no row whatever the data, by their outermost clauses alone."""

from __future__ import annotations

from sqlglot import exp

__all__ = ["has_no_rows"]


def has_no_rows(tree: exp.Query) -> bool:
    """Return whether LIMIT 0 or a WHERE that compares two numbers leaves no row.

    A question that is read without data then gives the same answer as with any data. One with
    aggregates and without GROUP BY has a row even then, which the reader of questions knows.
    """
    limit = tree.args.get("limit")
    if limit is not None:
        count = limit.args.get("expression") or limit.args.get("count")
        if isinstance(count, exp.Literal) and not count.is_string and count.name == "0":
            return True
    where = tree.args.get("where")
    if not isinstance(tree, exp.Select) or where is None or not _is_false(where.this):
        return False
    return tree.args.get("group") is None and not any(
        output.find(exp.AggFunc, exp.Anonymous, exp.Query) for output in tree.selects
    )


def _is_false(condition: exp.Expr) -> bool:
    node = condition.unnest()
    if isinstance(node, exp.And):
        return _is_false(node.left) or _is_false(node.right)
    if isinstance(node, exp.Boolean):
        return not node.this
    if not isinstance(node, exp.EQ | exp.NEQ):
        return False
    sides = (node.left, node.right)
    if not all(isinstance(one, exp.Literal) and not one.is_string and one.is_int for one in sides):
        return False
    same = int(node.left.name) == int(node.right.name)
    return same if isinstance(node, exp.NEQ) else not same
