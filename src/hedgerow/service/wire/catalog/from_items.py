"""Rules for FROM in catalogue statements: relations, joins, subqueries, functions of rows."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from typing import Any, Final

from sqlglot import exp

from hedgerow.engines.compile.quoting import quote_name
from hedgerow.service.wire.catalog.catalog_database import CatalogDatabase
from hedgerow.service.wire.catalog.expression_writer import (
    read_name,
    refuse_syntax,
    write_literal,
)
from hedgerow.service.wire.catalog.output_names import name_output
from hedgerow.service.wire.catalog.relations import (
    PG_CATALOG,
    CatalogRelation,
    find_engine_type,
)
from hedgerow.service.wire.catalog.session_facts import SessionFacts
from hedgerow.service.wire.command_failure import CommandFailed

__all__ = ["FromItemWriter", "find_relation"]

_METHODS: Final = {"": "", "NATURAL": "NATURAL "}
_SIDES: Final = {"": "", "LEFT": "LEFT ", "RIGHT": "RIGHT ", "FULL": "FULL "}
_KINDS: Final = {"": "", "INNER": "", "OUTER": "", "CROSS": "CROSS "}
# Relations in which the caller stands without a name.
_ROLE_NAMES: Final = {"pg_catalog.pg_roles": "rolname", "pg_catalog.pg_user": "usename"}


class FromItemWriter:
    """The writer of FROM, which knows the sources of the statement around it."""

    def __init__(self, database: CatalogDatabase, facts: SessionFacts) -> None:
        self.database, self.facts = database, facts
        self._scopes: list[dict[str, CatalogRelation | None]] = []
        self._named: list[frozenset[str]] = []

    def write(self, node: Any) -> str:
        """Write an expression."""
        raise NotImplementedError

    def write_query(self, node: Any) -> str:
        """Write a SELECT, UNION or VALUES."""
        raise NotImplementedError

    @contextmanager
    def enter_scope(self, node: exp.Expr) -> Iterator[None]:
        """Hold the sources and the named subqueries of one SELECT."""
        with_ = node.args.get("with_")
        names = frozenset(
            read_name(cte.args["alias"].this) for cte in (with_.expressions if with_ else ())
        )
        self._scopes.append({})
        self._named.append(names)
        try:
            yield
        finally:
            self._scopes.pop()
            self._named.pop()

    def find_source(self, alias: str) -> CatalogRelation | None:
        """Return the relation of an alias; without one, the only source."""
        for scope in reversed(self._scopes):
            if alias in scope:
                return scope[alias]
            if not alias:
                return next(iter(scope.values())) if len(scope) == 1 else None
        return None

    def write_sources(self, node: exp.Select) -> str:
        """Write FROM and the joins of a SELECT."""
        from_ = node.args.get("from_")
        if from_ is None:
            return ""
        parts = [self._write_item(from_.this)]
        parts += map(self._write_lateral, node.args.get("laterals") or ())
        parts += map(self._write_join, node.args.get("joins") or ())
        return "FROM " + "".join(parts)

    def _write_lateral(self, node: exp.Expr) -> str:
        return f", {self._write_item(node)}"

    def _write_join(self, node: exp.Join) -> str:
        filled = {name for name, value in node.args.items() if value}
        if filled - {"this", "side", "kind", "method", "on", "using"}:
            refuse_syntax(node)
        words = [
            known.get(str(node.args.get(part) or "").upper())
            for known, part in ((_METHODS, "method"), (_SIDES, "side"), (_KINDS, "kind"))
        ]
        if None in words:
            refuse_syntax(node)
        source, on, using = (
            self._write_item(node.this),
            node.args.get("on"),
            node.args.get("using"),
        )
        word = "".join(map(str, words))
        if not word and on is None and not using and not node.args.get("kind"):
            return f", {source}"
        written = f" {word}JOIN {source}"
        if on is not None:
            return f"{written} ON {self.write(on)}"
        if using:
            names = ", ".join(quote_name(read_name(one)) for one in using)
            return f"{written} USING ({names})"
        return written

    def _write_item(self, node: Any) -> str:
        if isinstance(node, exp.Table):
            return self._write_table(node)
        if isinstance(node, exp.Lateral):
            return self._write_lateral_item(node)
        if isinstance(node, exp.Unnest):
            return self._write_unnest(node, node.args.get("alias"))
        if not isinstance(node, exp.Subquery | exp.Values):
            refuse_syntax(node)
        alias = node.args.get("alias")
        joins = "".join(map(self._write_join, node.args.get("joins") or ()))
        if isinstance(node.this, exp.Table | exp.Subquery) and alias is None:
            return f"({self._write_item(node.this)}{joins})"
        self._note_source(alias, None)
        inner = node.this if isinstance(node, exp.Subquery) else node.copy()
        if isinstance(inner, exp.Values):
            inner.set("alias", None)
        return f"({self.write_query(inner)}){self._write_as(alias)}{joins}"

    def _write_lateral_item(self, node: exp.Lateral) -> str:
        inner, alias = node.this, node.args.get("alias")
        if isinstance(inner, exp.Subquery):
            self._note_source(alias, None)
            return f"LATERAL ({self.write_query(inner.this)}){self._write_as(alias)}"
        if isinstance(inner, exp.Unnest):
            return self._write_unnest(inner, alias)
        return self._write_function(inner, alias, ordinality=False)

    def _write_table(self, node: exp.Table) -> str:
        if not isinstance(node.this, exp.Identifier):
            ordinality = bool(node.args.get("ordinality"))
            return self._write_function(node.this, node.args.get("alias"), ordinality)
        filled = {name for name, value in node.args.items() if value}
        if filled - {"this", "db", "catalog", "alias", "joins", "only"}:
            refuse_syntax(node)
        joins = "".join(map(self._write_join, node.args.get("joins") or ()))
        name, alias = read_name(node.this), node.args.get("alias")
        written = self._write_as(alias) if alias is not None else f" AS {quote_name(name)}"
        if not node.text("db") and any(name in names for names in self._named):
            self._note_source(alias, None, name)
            return f"{quote_name(name)}{written}{joins}"
        relation = find_relation(self.database.relations, node)
        if relation is None:
            shown = f"{node.text('db')}.{name}" if node.text("db") else name
            raise CommandFailed("42P01", f'relation "{shown[:100]}" does not exist')
        self._note_source(alias, relation, name)
        return f"{self._write_relation(relation)}{written}{joins}"

    def _write_relation(self, relation: CatalogRelation) -> str:
        role_name = _ROLE_NAMES.get(relation.key)
        if role_name is not None:
            column, user = quote_name(role_name), write_literal(self.facts.user)
            replaced = f"coalesce(nullif({column}, ''), {user}) AS {column}"
            return f"(SELECT * REPLACE ({replaced}) FROM {quote_name(relation.key)})"
        if relation.key in self.database.filled:
            return quote_name(relation.key)
        columns = ", ".join(
            f"CAST(NULL AS {find_engine_type(type_)}) AS {quote_name(column)}"
            for column, type_ in relation.columns.items()
        )
        return f"(SELECT {columns or 'NULL'} WHERE FALSE)"

    def _write_function(self, node: Any, alias: Any, ordinality: bool) -> str:
        """Write a function in FROM: one of no rows, or a value in a column of its name."""
        name = name_output(node)
        if isinstance(node, exp.Explode):
            unnest = exp.Unnest(expressions=[node.this], offset=ordinality)
            return self._write_unnest(unnest, alias)
        relation = self.database.relations.get(f"{PG_CATALOG}.{name}")
        if relation is not None and relation.is_function:
            self._note_source(alias, None, name)
            return self._write_relation(relation) + self._write_as(alias, name)
        self._note_source(alias, None, name)
        if alias is not None and not alias.args.get("columns") and not ordinality:
            name = read_name(alias.this)  # a function with an alias has a column of this name
        more = ", row_number() OVER () AS ordinality" if ordinality else ""
        inner = f"SELECT {self.write(node)} AS {quote_name(name)}{more}"
        return f"LATERAL ({inner}){self._write_as(alias, name)}"

    def _write_unnest(self, node: exp.Unnest, alias: Any) -> str:
        """Write unnest(a, b) as one column for each array, perhaps with the number of the row."""
        self._note_source(alias, None, "unnest")
        name = "unnest" if alias is None else read_name(alias.this)
        values = list(map(self.write, node.expressions))
        names = [read_name(one) for one in (alias.args.get("columns") if alias else None) or ()]
        offset = node.args.get("offset")
        if offset:
            lengths = ", ".join(f"len({value})" for value in values)
            values.append(f"range(1, greatest({lengths}) + 1)")
            # The parser takes the last name of the alias for that of the number.
            if isinstance(offset, exp.Identifier):
                names = [*names, *["unnest"] * (len(values) - 1 - len(names)), read_name(offset)]
        defaults = [name if len(node.expressions) == 1 else "unnest"] * len(node.expressions)
        known = [*names, *[*defaults, "ordinality"][len(names) :]]
        columns = ", ".join(
            f"unnest({value}) AS {quote_name(column)}"
            for value, column in zip(values, known, strict=False)
        )
        return f"LATERAL (SELECT {columns}) AS {quote_name(name)}"

    def write_alias(self, alias: exp.TableAlias) -> str:
        """Write an alias, with the names of its columns."""
        columns = alias.args.get("columns")
        name = quote_name(read_name(alias.this))
        if not columns:
            return name
        names = [one.this if isinstance(one, exp.ColumnDef) else one for one in columns]
        return f"{name}({', '.join(quote_name(read_name(one)) for one in names)})"

    def _write_as(self, alias: Any, name: str = "") -> str:
        if alias is not None and alias.this is not None:
            return f" AS {self.write_alias(alias)}"
        return f" AS {quote_name(name)}" if name else ""

    def _note_source(self, alias: Any, relation: CatalogRelation | None, name: str = "") -> None:
        known = read_name(alias.this) if alias is not None and alias.this is not None else name
        if self._scopes:
            self._scopes[-1][known] = relation


def find_relation(
    relations: Mapping[str, CatalogRelation], node: exp.Table
) -> CatalogRelation | None:
    """Return the relation of a name; without a schema, pg_catalog comes before public."""
    name = read_name(node.this)
    schema = node.args.get("db")
    places = [read_name(schema)] if schema is not None else [PG_CATALOG, "public"]
    keys = (f"{place}.{name}" for place in places)
    found = next((relations[key] for key in keys if key in relations), None)
    if found is None and places[0] == "public":
        # Policies may spell names in upper case, which clients do not always quote.
        spelled = {key.casefold(): one for key, one in relations.items()}
        found = spelled.get(f"public.{name.casefold()}")
    return None if found is None or found.is_function else found
