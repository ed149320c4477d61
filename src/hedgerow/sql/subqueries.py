"""FROM, WITH and the SELECTs inside brackets: everything that gives rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field, replace
from typing import Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.folding import folded
from hedgerow.sql.joins import Joined, joined
from hedgerow.sql.meeting import meeting_of
from hedgerow.sql.quoting import quoted
from hedgerow.sql.readers import RowReader, only
from hedgerow.sql.rule import Refusal
from hedgerow.sql.rules import BY_NODE
from hedgerow.sql.scope import Scope
from hedgerow.sql.semijoins import as_joins
from hedgerow.sql.shaping import expanded, projected, renamed
from hedgerow.sql.source import read_table
from hedgerow.sql.text import Text
from hedgerow.sql.ties import Part
from hedgerow.sql.typed import Typed, aligned
from hedgerow.sql.unions import put_together
from hedgerow.sql.vain import refuse_vain

__all__ = ["Sources"]

_ONE: Final = "Ask tables by name, or subqueries: SELECT … FROM table WHERE … GROUP BY …."
_CLAUSES: Final = ("expressions", "from_", "joins", "where", "group", "having", "distinct", "with_")
_LATER: Final = {"order": "ORDER BY", "limit": "LIMIT", "offset": "OFFSET"}


@dataclass(frozen=True, slots=True)
class Sources:
    """The tables of the policy, and the named subqueries that are known here."""

    text: Text
    catalog: Catalog
    known: Mapping[str, Scope] = field(default_factory=dict)

    def with_(self, select: exp.Expr) -> Sources:
        """Also those that WITH names, each seeing the ones before it."""
        clause = select.args.get("with_")
        if clause is None:
            return self
        if clause.args.get("recursive"):
            self._refuse(clause, "WITH RECURSIVE is not read", "Write WITH name AS (SELECT …).")
        only(self.text, clause, "expressions")
        found = self
        for part in clause.expressions:
            only(self.text, part, "this", "alias")
            name = part.alias
            if name.casefold() in {known.casefold() for known in found.known} - {known.casefold() for known in self.known}:
                self._refuse(part.args["alias"], f"Two subqueries are called {name[:60]}", "Give each a name of its own.")
            others = {known: scope for known, scope in found.known.items() if known.casefold() != name.casefold()}
            found = replace(found, known={**others, name: renamed(found.query(part.this), part.args["alias"])})
        return found

    def read(self, select: exp.Select) -> Scope:
        """FROM and WHERE: the rows that a SELECT works on."""
        from_ = select.args.get("from_")
        if from_ is None:
            raise self.text.refusal(Unsupported, "This asks no table", None, "Add FROM and the name of a table.")
        only(self.text, from_, "this")
        select = as_joins(select, self.catalog)
        where = select.args.get("where")
        if where is not None:
            only(self.text, where, "this")
        parts = [Part(self._source(from_.this), from_.this)]
        parts += [Part(self._source(join.this), join.this, join) for join in select.args.get("joins") or []]
        found = self._joined(parts, where)
        condition: Typed | None = None
        for one in found.conditions:
            self._of_type(one, where)
            condition = one if condition is None else RowReader(found.scope).call(where or from_, "and", condition, one)
        refuse_vain(found.scope, found.conditions, where)
        return found.scope.filtered(condition).within_limits()

    def _joined(self, parts: list[Part], where: exp.Expr | None) -> Joined:
        if len(parts) > 1:
            return joined(self.text, parts, None if where is None else where.this)
        scope = parts[0].scope
        return Joined(scope, () if where is None else tuple(aligned([RowReader(scope).read(where.this)], "boolean")))

    def _of_type(self, value: Typed, where: exp.Expr | None) -> None:
        if value.type != "boolean" and where is not None:
            what = f"WHERE wants a condition, and this is {value.type}"
            self._refuse(where.this, what, "Write a comparison, such as x > 0 or x = 'a'.")
        if value.is_null and where is not None:
            self._refuse(where.this, "NULL never holds, and noise alone would be paid for", "Write a comparison, such as x > 0 or x = 'a'.")

    def _source(self, node: exp.Expr) -> Scope:
        if isinstance(node, exp.Subquery):
            only(self.text, node, "this", "alias")
            found, alias = self.query(node.this), node.args.get("alias")
            return (found if alias is None else renamed(found, alias)).named(str(node.alias))
        if type(node) is not exp.Table:
            rule = BY_NODE.get(type(node))
            what, instead = (rule.what, rule.instead) if isinstance(rule, Refusal) else ("This is no table", _ONE)
            self._refuse(node, what, instead)
        if not isinstance(node.this, exp.Identifier):
            self._refuse(node, "Functions that make tables are not read", _ONE)
        only(self.text, node, "this", "alias")
        if node.args.get("alias") is not None:
            only(self.text, node.args["alias"], "this")
        scope = next((scope for name, scope in self.known.items() if name.casefold() == node.name.casefold()), None)
        return read_table(self.text, node, self.catalog) if scope is None else scope.named(node.alias or node.name)

    def query(self, node: exp.Expr) -> Scope:
        """A SELECT inside brackets, or several with UNION ALL between them, as rows."""
        if isinstance(node, exp.Subquery) and node.args.get("alias") is None:
            only(self.text, node, "this")
            return self.query(node.this)
        if isinstance(node, exp.Union):
            return put_together(self.text, [(part, self.with_(node).query(part)) for part in self._branches(node)])
        if type(node) is exp.Select:
            return self._select(node)
        if isinstance(node, exp.Table):
            self._refuse(
                node, "Joins and tables stand here without brackets", "Write FROM a JOIN b ON … JOIN c ON …, or a SELECT in brackets."
            )
        rule = BY_NODE.get(type(node))
        what, instead = (rule.what, rule.instead) if isinstance(rule, Refusal) else ("This is no subquery", "Write a SELECT in brackets.")
        return self._refuse(node, what, instead)

    def _branches(self, node: exp.Expr) -> Iterator[exp.Expr]:
        if not isinstance(node, exp.Union):
            yield node
            return
        self._not_later(node)
        only(self.text, node, "this", "expression", "distinct", "with_")
        if node.args.get("distinct"):
            self._refuse(node, "UNION looks for rows that different people share", "Write UNION ALL.")
        yield from self._branches(node.this)
        yield from self._branches(node.expression)

    def _select(self, select: exp.Select) -> Scope:
        self._not_later(select)
        only(self.text, select, *_CLAUSES)
        if not select.expressions:
            self._refuse(select, "Nothing is asked for", "Name columns, or write SELECT *.")
        scope = self.with_(select).read(select)
        if meeting_of(scope.rows) is not None:
            self._refuse(
                select, "Two populations meet in a subquery", "Join them in the outermost SELECT, each side a subquery if need be."
            )
        items = expanded(scope, select.expressions)
        found = folded(scope, select, items) or projected(scope, items)
        return found.within_limits()

    def _not_later(self, node: exp.Expr) -> None:
        for part, word in _LATER.items():
            if node.args.get(part) is not None:
                what = f"{word} in a subquery picks rows by looking at all of them"
                where = node.args[part]
                self._refuse(where, what, f"Write {word} at the end, where it works on the noisy answer{_condition(node)}.")

    def _refuse(self, node: exp.Expr, what: str, instead: str) -> NoReturn:
        raise self.text.refusal(Unsupported, what, node, instead)


def _condition(node: exp.Expr) -> str:
    """What says the same of the first rows in some order, for each row by itself."""
    order = node.args.get("order")
    first = order.expressions[0] if isinstance(order, exp.Order) and order.expressions else None
    if not isinstance(first, exp.Ordered) or not isinstance(first.this, exp.Column):
        return "; to leave rows out, write a condition on each: WHERE x >= 100"
    sign = ">=" if first.args.get("desc") else "<="
    return f"; for the first rows in that order, write how far they go: WHERE {quoted(first.this.name)} {sign} …"
