"""Catalogue statements of clients as statements of the embedded database.

A statement is parsed as PostgreSQL would read it, and written anew by rules with a closed list of
constructs, functions and relations. Relations without rows are written as empty tables.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any, Final

from sqlglot import exp

from hedgerow.engines.compile.quoting import quote_name
from hedgerow.service.wire.catalog.cast_rules import CAST_RULES
from hedgerow.service.wire.catalog.catalog_database import CatalogDatabase
from hedgerow.service.wire.catalog.expression_rules import EXPRESSION_RULES
from hedgerow.service.wire.catalog.expression_writer import (
    Rule,
    read_name,
    refuse_syntax,
    write_literal,
)
from hedgerow.service.wire.catalog.from_items import FromItemWriter
from hedgerow.service.wire.catalog.function_rules import FUNCTION_RULES
from hedgerow.service.wire.catalog.output_names import name_output
from hedgerow.service.wire.catalog.relations import PG_CATALOG
from hedgerow.service.wire.catalog.session_facts import SessionFacts
from hedgerow.service.wire.command_failure import CommandFailed

__all__ = ["QueryWriter"]

_RULES: Final[Mapping[type[Any], Rule]] = {**EXPRESSION_RULES, **CAST_RULES, **FUNCTION_RULES}
_SELECT_ARGS: Final = frozenset(
    [
        "kind",
        "with_",
        "distinct",
        "expressions",
        "from_",
        "joins",
        "laterals",
        "where",
        "group",
        "having",
        "order",
        "limit",
        "offset",
        "operation_modifiers",
    ]
)
_SET_OPERATIONS: Final = {exp.Union: "UNION", exp.Except: "EXCEPT", exp.Intersect: "INTERSECT"}
_SYSTEM_COLUMNS: Final = frozenset(("tableoid", "xmin", "xmax", "cmin", "cmax", "ctid"))


class QueryWriter(FromItemWriter):
    """The writer of one statement."""

    def __init__(
        self,
        database: CatalogDatabase,
        facts: SessionFacts,
        change_setting: Callable[[str, str], None] | None,
    ) -> None:
        """Build a writer; without ``change_setting`` the statement is only described."""
        super().__init__(database, facts)
        self._change_setting = change_setting
        self.read_fact, self.read_setting = facts.read_fact, facts.read_setting

    def change_setting(self, name: str, value: str) -> None:
        """Set a setting of the session."""
        if self._change_setting is not None:
            self._change_setting(name, value)

    def write(self, node: Any) -> str:
        """Write an expression."""
        rule = _RULES.get(type(node))
        if rule is None:
            return self._write_other(node)
        return rule(node, self)

    def _write_other(self, node: Any) -> str:
        if isinstance(node, exp.Query):
            return self.write_query(node)
        if isinstance(node, exp.Func):
            name = node.sql_name().lower()
            raise CommandFailed("42883", f"function {name}() does not exist")
        return refuse_syntax(node)

    def write_all(self, nodes: Iterable[Any]) -> str:
        """Write expressions with commas between them."""
        return ", ".join(map(self.write, nodes))

    def write_query(self, node: Any) -> str:
        """Write a SELECT, UNION or VALUES."""
        if isinstance(node, exp.Subquery):
            inner = f"({self.write_query(node.this)})"
            return f"{self._write_with(node)}{inner}{self._write_modifiers(node)}"
        if type(node) in _SET_OPERATIONS:
            return self._write_set_operation(node)
        if isinstance(node, exp.Values):
            return f"VALUES {self.write_all(node.expressions)}{self._write_modifiers(node)}"
        if type(node) is not exp.Select:
            refuse_syntax(node)
        filled = {name for name, value in node.args.items() if value}
        if filled - _SELECT_ARGS:
            refuse_syntax(node)
        return self._write_select(node)

    def _write_set_operation(self, node: Any) -> str:
        if node.args.get("by_name") or node.args.get("on"):
            refuse_syntax(node)
        word = _SET_OPERATIONS[type(node)] + ("" if node.args.get("distinct") else " ALL")
        with self.enter_scope(node):
            head = self._write_with(node)
            # A chain such as a UNION b UNION c is deep in the tree and flat in the text.
            sides = f"({self.write_query(node.this)}) {word} ({self.write_query(node.expression)})"
            return f"{head}{sides}{self._write_modifiers(node)}"

    def _write_select(self, node: exp.Select) -> str:
        with self.enter_scope(node):
            words = [self._write_with(node) + "SELECT"]
            if node.args.get("distinct") is not None:
                on = node.args["distinct"].args.get("on")
                words.append("DISTINCT" if on is None else f"DISTINCT ON {self._write_on(on)}")
            # The sources come first: outputs may ask which relation a name stands for.
            sources = self.write_sources(node)
            words.append(", ".join(map(self._write_output, node.expressions)) or '1 AS "none"')
            words += [sources] if sources else []
            if node.args.get("where") is not None:
                words.append(f"WHERE {self.write(node.args['where'].this)}")
            if node.args.get("group") is not None:
                words.append(self._write_group(node.args["group"]))
            if node.args.get("having") is not None:
                words.append(f"HAVING {self.write(node.args['having'].this)}")
            return " ".join(words) + self._write_modifiers(node)

    def _write_on(self, on: exp.Expr) -> str:
        parts = on.expressions if isinstance(on, exp.Tuple) else [on.unnest()]
        return f"({self.write_all(parts)})"

    def _write_output(self, node: exp.Expr) -> str:
        if isinstance(node, exp.Alias):
            return f"{self.write(node.this)} AS {quote_name(read_name(node.args['alias']))}"
        if isinstance(node, exp.Star) or (
            isinstance(node, exp.Column) and isinstance(node.this, exp.Star)
        ):
            return self.write(node)
        written, name = self.write(node), quote_name(name_output(node))
        return written if written.endswith(name) else f"{written} AS {name}"

    def _write_with(self, node: exp.Expr) -> str:
        with_ = node.args.get("with_")
        if with_ is None:
            return ""
        parts = []
        for cte in with_.expressions:
            alias = self.write_alias(cte.args["alias"])
            parts.append(f"{alias} AS ({self.write_query(cte.this)})")
        recursive = "RECURSIVE " if with_.args.get("recursive") else ""
        return f"WITH {recursive}{', '.join(parts)} "

    def _write_group(self, group: exp.Group) -> str:
        if {name for name, value in group.args.items() if value} - {"expressions"}:
            refuse_syntax(group)
        return f"GROUP BY {self.write_all(group.expressions)}"

    def _write_modifiers(self, node: exp.Expr) -> str:
        words = [self.write_order(node.args["order"])] if node.args.get("order") else []
        limit, offset = node.args.get("limit"), node.args.get("offset")
        if limit is not None:
            count = limit.args.get("count") or limit.args.get("expression")
            is_all = count is None or isinstance(count, exp.Var)  # LIMIT ALL
            words += [] if is_all else [f"LIMIT {self.write(count)}"]
        if offset is not None:
            words.append(f"OFFSET {self.write(offset.expression)}")
        return "".join(f" {word}" for word in words)

    def write_order(self, node: Any) -> str:
        """Write an ORDER BY."""
        parts = []
        for item in node.expressions:
            if not isinstance(item, exp.Ordered) or item.args.get("with_fill"):
                refuse_syntax(item)
            descends = bool(item.args.get("desc"))
            nulls = "FIRST" if item.args.get("nulls_first") else "LAST"
            direction = "DESC" if descends else "ASC"
            parts.append(f"{self.write(item.this)} {direction} NULLS {nulls}")
        return f"ORDER BY {', '.join(parts)}"

    def find_class(self, name: str) -> int | None:
        """Return the object id of a relation by its name, perhaps with a schema and in quotes."""
        parts = [part[1:-1] if part.startswith('"') else part.lower() for part in _split_name(name)]
        if len(parts) > 2 or not parts:
            return None
        places = [parts[0]] if len(parts) == 2 else [PG_CATALOG, "public"]
        oids = self.database.class_oids
        keys = (f"{place}.{parts[-1]}" for place in places)
        # While a statement is described, its parameters have no values yet.
        missing = None if self._change_setting is not None else 0
        return next((oids[key] for key in keys if key in oids), missing)

    def find_system_column(self, node: Any) -> str | None:
        """Return the value of a column such as tableoid; None for a plain column."""
        name = node.name.lower()
        if name not in _SYSTEM_COLUMNS:
            return None if name not in _KEYWORD_FACTS else self._find_keyword(node, name)
        relation = self.find_source(node.text("table").lower())
        if relation is None or name in relation.columns:
            return None
        oid = self.database.class_oids.get(relation.key, 0)
        return f"CAST({oid if name == 'tableoid' else 0} AS UINTEGER)"

    def _find_keyword(self, node: Any, name: str) -> str | None:
        """Return the value of a word that PostgreSQL reads as a function without brackets."""
        if node.args.get("table") is not None or node.this.args.get("quoted"):
            return None
        return write_literal(self.read_fact(name))


_KEYWORD_FACTS: Final = frozenset(("user", "current_role", "current_user", "session_user"))


def _split_name(name: str) -> list[str]:
    """Split a name at its dots outside quotes."""
    parts, inside, word = [], False, ""
    for sign in name.strip():
        inside ^= sign == '"'
        if sign == "." and not inside:
            parts.append(word)
            word = ""
        else:
            word += sign
    return [*parts, word] if word else parts
