"""SELECT statements about public tables, clause by clause, as fragments of our own words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, NoReturn

from sqlglot import exp

from hedgerow.errors import Unsupported
from hedgerow.sql.binder.rule import find_filled_args
from hedgerow.sql.catalog import Catalog, find_closest_name
from hedgerow.sql.public_tables.cast_rules import CAST_RULES
from hedgerow.sql.public_tables.expressions import (
    FRAGMENT_RULES,
    ORDERED_ARGS,
    UNSUPPORTED_SYNTAX,
    check_node,
    join_fragments,
)
from hedgerow.sql.public_tables.grouping_rules import GROUPING_RULES, read_group_by
from hedgerow.sql.public_tables.keywords import COMPARISONS
from hedgerow.sql.public_tables.phrases import Fragment, NameTable, NumberedTable
from hedgerow.sql.public_tables.window_rules import WINDOW_RULES
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["EXPRESSION_RULES", "QueryReader"]

_MODIFIERS: Final = ("order", "limit", "offset")
_SELECT_ARGS: Final = (
    "with_",
    "distinct",
    "expressions",
    "from_",
    "joins",
    "where",
    "group",
    "having",
    "qualify",
    *_MODIFIERS,
)
EXPRESSION_RULES: Final = {**FRAGMENT_RULES, **CAST_RULES, **GROUPING_RULES, **WINDOW_RULES}
_SET_OPERATIONS: Final[Mapping[type[exp.Expr], str]] = {
    exp.Union: "UNION",
    exp.Intersect: "INTERSECT",
    exp.Except: "EXCEPT",
}
_UNION_ARGS: Final = ("with_", "this", "expression", "distinct", "by_name", *_MODIFIERS)
_SIDES: Final[Mapping[object, tuple[str, ...]]] = {
    None: (),
    **{word: (word,) for word in ("LEFT", "RIGHT", "FULL")},
}
_KINDS: Final[Mapping[object, tuple[str, ...]]] = {
    None: (),
    **{word: (word,) for word in ("INNER", "OUTER", "CROSS", "SEMI", "ANTI")},
}
_METHODS: Final[Mapping[object, tuple[str, ...]]] = {
    None: (),
    **{word: (word,) for word in ("NATURAL", "ASOF", "POSITIONAL")},
}
_MATERIALIZED: Final[Mapping[object, tuple[str, ...]]] = {
    None: (),
    True: ("MATERIALIZED",),
    False: ("NOT MATERIALIZED",),
}


class QueryReader:
    """A reader of statements: expressions by FRAGMENT_RULES, tables by the catalog and WITH."""

    def __init__(self, text: SourceText, catalog: Catalog, mark: str) -> None:
        self._text, self._catalog = text, catalog
        self.names = NameTable(mark)
        self.tables: list[str] = []
        self._named_subqueries: tuple[str, ...] = ()  # those in scope

    def read_expression(self, node: object) -> Fragment:
        """Return the fragment of an expression."""
        rule = EXPRESSION_RULES.get(type(node))  # type: ignore[arg-type]
        if rule is None or not isinstance(node, exp.Expr):
            return self.refuse(node, *UNSUPPORTED_SYNTAX)
        return rule.read(check_node(node, self, type(node), *rule.allowed_args), self)

    def read_name(self, node: object, *, table: bool = False) -> Fragment:
        """Return the number of a column or table name."""
        called = check_node(node, self, exp.Identifier, "this", "quoted").this
        return (
            self.names.number_name(called, table=table)
            if type(called) is str
            else self.refuse(node, *UNSUPPORTED_SYNTAX)
        )

    def refuse(self, node: object, problem: str, fix: str) -> NoReturn:
        """Raise a refusal that underlines the node."""
        raise self._text.refusal(
            Unsupported, problem, node if isinstance(node, exp.Expr) else None, fix
        )

    def read_query(self, node: object) -> Fragment:
        """Return the fragment of a SELECT or a UNION."""
        known = self._named_subqueries
        try:
            if type(node) is exp.Select:
                return self._read_select(node)
            if isinstance(node, exp.SetOperation):
                return self._read_set_operation(node)
            inner = check_node(node, self, exp.Subquery, "with_", "this", *_MODIFIERS)
            return (
                self._read_with(inner),
                "(",
                self.read_query(inner.this),
                ")",
                self._read_modifiers(inner),
            )
        finally:
            self._named_subqueries = known

    def _read_select(self, node: exp.Select) -> Fragment:
        check_node(node, self, exp.Select, *_SELECT_ARGS)
        if not node.expressions:
            self.refuse(node, "The SELECT list is empty", "Write SELECT * FROM …, or name columns.")
        found: list[Fragment] = [self._read_with(node), "SELECT"]
        if node.args.get("distinct"):
            check_node(node.args["distinct"], self, exp.Distinct)
            found.append("DISTINCT")
        found.append(join_fragments(map(self._read_item, node.expressions)))
        if node.args.get("from_"):
            first = check_node(node.args["from_"], self, exp.From, "this").this
            found += [
                "FROM",
                self._read_source(first),
                *map(self._read_join, node.args.get("joins") or ()),
            ]
        elif node.args.get("joins"):
            self.refuse(node, *UNSUPPORTED_SYNTAX)
        if node.args.get("where"):
            found += [
                "WHERE",
                self._read_condition(check_node(node.args["where"], self, exp.Where, "this").this),
            ]
        if node.args.get("group"):
            found += ["GROUP BY", read_group_by(node.args["group"], self)]
        if node.args.get("having"):
            found += [
                "HAVING",
                self._read_condition(
                    check_node(node.args["having"], self, exp.Having, "this").this
                ),
            ]
        if node.args.get("qualify"):
            chosen = check_node(node.args["qualify"], self, exp.Qualify, "this").this
            found += ["QUALIFY", self._read_condition(chosen)]
        return (*found, self._read_modifiers(node))

    def _read_condition(self, node: object, *, joins: bool = False) -> Fragment:
        """Read a condition on rows, part by part.

        NULL counts as false there, and is written so unless columns and constants are compared: the
        engine may misjudge NULL otherwise (see ``engines.compile``). An equality of a join is also
        written as it is, because the engine can look up rows by nothing else.
        """
        found: list[Fragment] = []
        rest = [node]
        while rest:
            one = rest.pop()
            while type(one) is exp.Paren:
                one = check_node(one, self, exp.Paren, "this").this
            if type(one) is exp.And:
                both = check_node(one, self, exp.And, "this", "expression")
                rest += [both.expression, both.this]
            else:
                found += ["AND", self._guard_null(one, joins=joins)]
        return tuple(found[1:])

    def _guard_null(self, node: object, *, joins: bool) -> Fragment:
        found = self.read_expression(node)
        sides = (
            (node.this, node.expression)
            if isinstance(node, exp.Predicate) and isinstance(node, exp.Binary)
            else (None,)
        )
        plain = type(node) in COMPARISONS and all(
            isinstance(side, exp.Column | exp.Literal) for side in sides
        )
        certain = ("CAST", "(", found, "AS", "BOOLEAN", ")")  # a number may be a condition
        guarded: Fragment = ("coalesce", "(", certain, ",", "FALSE", ")")
        # A subquery is written once: doubled at every level, nested ones would grow exponentially.
        twice = joins and type(node) is exp.EQ and node.find(exp.Query) is None
        return found if plain else (found, "AND", guarded) if twice else guarded

    def _read_set_operation(self, node: exp.SetOperation) -> Fragment:
        check_node(node, self, type(node), *_UNION_ARGS)
        before = self._read_with(node)
        words = [
            *([] if node.args.get("distinct") else ["ALL"]),
            *(["BY NAME"] if node.args.get("by_name") else []),
        ]
        other = self.read_query(node.expression)
        if isinstance(node.expression, exp.SetOperation):
            other = ("(", other, ")")
        return (
            before,
            self.read_query(node.this),
            _SET_OPERATIONS[type(node)],
            *words,
            other,
            self._read_modifiers(node),
        )

    def _read_with(self, node: exp.Expr) -> Fragment:
        """Read WITH. Subqueries see those before them, and themselves if recursive."""
        if node.args.get("with_") is None:
            return ()
        with_ = check_node(node.args["with_"], self, exp.With, "expressions", "recursive")
        recursive, found = bool(with_.args.get("recursive")), []
        for one in with_.expressions:
            check_node(one, self, exp.CTE, "this", "alias", "materialized")
            alias = self._read_table_alias(one.args.get("alias"))
            name, before = one.alias.casefold(), self._named_subqueries
            self._named_subqueries = (*before, name) if recursive else before
            words = self._read_keyword(one, "materialized", _MATERIALIZED)
            found.append((alias, "AS", *words, "(", self.read_query(one.this), ")"))
            self._named_subqueries = (*before, name)
        return ("WITH", *(("RECURSIVE",) if recursive else ()), join_fragments(found))

    def _read_keyword(
        self, node: exp.Expr, part: str, words: Mapping[object, tuple[str, ...]]
    ) -> tuple[str, ...]:
        """Return our words for a keyword of a node."""
        written = node.args.get(part)
        key = written.upper() if type(written) is str else written
        found = (
            words.get(key or None if type(key) is str else key)
            if type(key) in (str, bool, type(None))
            else None
        )
        return self.refuse(node, *UNSUPPORTED_SYNTAX) if found is None else found

    def _read_item(self, node: Any) -> Fragment:
        if type(node) is exp.Alias:
            check_node(node, self, exp.Alias, "this", "alias")
            return (self.read_expression(node.this), "AS", self.read_name(node.args["alias"]))
        if type(node) is exp.Star:
            return self._read_star(node)
        if type(node) is exp.Column and type(node.this) is exp.Star:
            check_node(node, self, exp.Column, "this", "table")
            return (
                self.read_name(node.args.get("table"), table=True),
                ".",
                self._read_star(node.this),
            )
        return self.read_expression(node)

    def _read_star(self, node: exp.Star) -> Fragment:
        check_node(node, self, exp.Star, "except_", "replace", "rename")
        found: list[Fragment] = ["*"]
        if node.args.get("except_"):
            found += [
                "EXCLUDE",
                "(",
                join_fragments(map(self._read_used_name, node.args["except_"])),
                ")",
            ]
        for word, part in (("REPLACE", "replace"), ("RENAME", "rename")):
            if node.args.get(part):
                found += [
                    word,
                    "(",
                    join_fragments(map(self._read_star_item, node.args[part])),
                    ")",
                ]
        return tuple(found)

    def _read_star_item(self, node: object) -> Fragment:
        return (
            self._read_item(node)
            if type(node) is exp.Alias
            else self.refuse(node, *UNSUPPORTED_SYNTAX)
        )

    def _read_source(self, node: Any) -> Fragment:
        if type(node) is exp.Table:
            return self._read_table(node)
        check_node(node, self, exp.Subquery, "this", "alias")
        if type(node.this) is exp.Table:
            check_node(node, self, exp.Subquery, "this")
            return self._read_table(node.this)
        alias = node.args.get("alias")
        return (
            "(",
            self.read_query(node.this),
            ")",
            *(() if alias is None else ("AS", self._read_table_alias(alias))),
        )

    def _read_table(self, node: exp.Table) -> Fragment:
        if type(node.this) is not exp.Identifier or find_filled_args(node) - {"this", "alias"}:
            self.refuse(node, "Only a plain table name is supported here", "Leave out the rest.")
        name, alias = node.name, node.args.get("alias")
        called = (
            self.read_name(node.this, table=True)
            if alias is None
            else self._read_table_alias(alias)
        )
        if name.casefold() in self._named_subqueries:
            return (self.read_name(node.this, table=True), "AS", called)
        found = self._catalog.find_table(name)
        if found is None or found[1].schema.unit is not None:
            return self._refuse_unknown_table(node)
        if found[0] not in self.tables:
            self.tables.append(found[0])
            for column in found[1].columns:
                self.names.number_name(column.name)
                self.names.set_spelling(column.name)
        return (NumberedTable(self.tables.index(found[0])), "AS", called)

    def _refuse_unknown_table(self, node: exp.Table) -> NoReturn:
        public = [name for name, entry in self._catalog.tables.items() if entry.schema.unit is None]
        close = find_closest_name(node.name, [*public, *self._named_subqueries])
        fix = (
            f"Did you mean {quote_name(close)}?"
            if close
            else "Named subqueries are visible after their WITH, inside that statement."
        )
        self.refuse(node, f"There is no table {node.name[:60]} here", fix)

    def _read_table_alias(self, node: object) -> Fragment:
        alias = check_node(node, self, exp.TableAlias, "this", "columns")
        columns = alias.args.get("columns")
        return (
            self.read_name(alias.this, table=True),
            *(("(", join_fragments(map(self.read_name, columns)), ")") if columns else ()),
        )

    def _read_join(self, node: Any) -> Fragment:
        check_node(node, self, exp.Join, "this", "side", "kind", "method", "on", "using")
        words = [
            *self._read_keyword(node, "method", _METHODS),
            *self._read_keyword(node, "side", _SIDES),
            *self._read_keyword(node, "kind", _KINDS),
        ]
        source, on, using = (
            self._read_source(node.this),
            node.args.get("on"),
            node.args.get("using"),
        )
        if not words and on is None and not using:
            return (",", source)
        found: list[Fragment] = [*words, "JOIN", source]
        if on is not None:
            found += ["ON", self._read_condition(on, joins=True)]
        if using:
            found += ["USING", "(", join_fragments(map(self._read_used_name, using)), ")"]
        return tuple(found)

    def _read_used_name(self, node: object) -> Fragment:
        return self.read_expression(node) if type(node) is exp.Column else self.read_name(node)

    def read_order(self, node: object) -> Fragment:
        """Return the fragment of an ORDER BY."""
        parts = check_node(node, self, exp.Order, "expressions").expressions
        return (
            "ORDER BY",
            join_fragments(self._read_ordered(part, alone=len(parts) == 1) for part in parts),
        )

    def _read_ordered(self, node: Any, *, alone: bool) -> Fragment:
        """Read a value to order by; ALL, which means every output, must be the only one."""
        check_node(node, self, exp.Ordered, *ORDERED_ARGS)
        everything = alone and type(node.this) is exp.Var and node.this.this == "ALL"
        value = "ALL" if everything else self.read_expression(node.this)
        words = (("DESC", node.args.get("desc")), ("NULLS FIRST", node.args.get("nulls_first")))
        return (value, *(word for word, wanted in words if wanted))

    def _read_modifiers(self, node: exp.Expr) -> Fragment:
        found: list[Fragment] = (
            [self.read_order(node.args["order"])] if node.args.get("order") else []
        )
        for word, part, kind in (("LIMIT", "limit", exp.Limit), ("OFFSET", "offset", exp.Offset)):
            if node.args.get(part) is not None:
                found += [
                    word,
                    self.read_expression(
                        check_node(node.args[part], self, kind, "expression").expression
                    ),
                ]
        return tuple(found)
