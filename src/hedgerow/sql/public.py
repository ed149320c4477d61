"""Questions about public tables alone, such as publications. They cost nothing and have no noise, so rows may be shown; but the world is
closed here too: what reaches an engine are phrases of ours, with numbers for names, and never a text or a tree of somebody else's."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, Final, NoReturn

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from hedgerow.errors import InvalidArgument, Refused, Unsupported
from hedgerow.sql.catalog import Catalog, nearest
from hedgerow.sql.heading import Heading, read_heading
from hedgerow.sql.phrases import Names, Phrase, Relation
from hedgerow.sql.plain import NOT_READ, ORDERED, RULES, listed, take_node
from hedgerow.sql.quoting import quoted
from hedgerow.sql.reading import statement_of
from hedgerow.sql.rule import filled
from hedgerow.sql.text import Text

__all__ = ["Public", "read_public"]

_MODIFIERS: Final = ("order", "limit", "offset")
_SELECT: Final = ("with_", "distinct", "expressions", "from_", "joins", "where", "group", "having", *_MODIFIERS)
_UNION: Final = ("with_", "this", "expression", "distinct", "by_name", *_MODIFIERS)
_COMPARED: Final = (exp.EQ, exp.NEQ, exp.LT, exp.LTE, exp.GT, exp.GTE)
_SIDES: Final[Mapping[object, tuple[str, ...]]] = {None: (), **{word: (word,) for word in ("LEFT", "RIGHT", "FULL")}}
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


@dataclass(frozen=True, slots=True)
class Public:
    """A question as a phrase: ``tables`` are those it asks of, in the order of their numbers, and
    ``tree`` is for showing where something is wrong, and for nothing else."""

    phrase: Phrase
    names: Names
    tables: tuple[str, ...]
    text: Text
    tree: exp.Expr


def read_public(text: str, catalog: Catalog) -> Public | None:
    """Return a question about public tables; None where it is about protected ones, or where nothing can be
    said: then it is read, and refused if need be, as a question about people."""
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
    asked = {table.name for table in tree.find_all(exp.Table)}
    # A named subquery may have the name of the public table that it asks of: the reader knows
    # which of them is meant where.
    asked -= {name for name in asked if name.casefold() in named and not _is_public(name, catalog)}
    if not asked or not all(_is_public(name, catalog) for name in asked):
        return None
    _check_tokens(heading, tree)
    reader = _Reader(heading.text, catalog, _mark(text))
    try:
        phrase = reader.query(tree)
    except RecursionError:
        raise heading.text.refusal(Unsupported, "This question is nested too deeply", None, "Write it flatter.") from None
    for item in tree.selects:
        if isinstance(item, exp.Alias):
            reader.names.spell(item.alias)
    return Public(phrase, reader.names, tuple(reader.tables), heading.text, tree)


def _is_public(name: str, catalog: Catalog) -> bool:
    found = catalog.table(name)
    return found is not None and found[1].schema.unit is None


def _check_tokens(heading: Heading, tree: exp.Expr) -> None:
    """Refuse what the parser reads as something else than an engine would: a name in double quotes
    for a keyword, of which it drops what it does not know, and 0x1F for 0 with the alias x1F."""
    names = Counter(node.this for node in tree.find_all(exp.Identifier) if node.args.get("quoted"))
    last = None
    for token in heading.body:
        where = (token.start, token.end + 1)
        if last is not None and last.token_type == TokenType.NUMBER and token.start == last.end + 1 and token.text[:1].isalpha():
            what = "A number ends where a word begins"
            raise heading.text.refusal(Unsupported, what, where, "Put a blank between them, or write the number in decimals.")
        last = token
        if token.token_type == TokenType.IDENTIFIER:
            names[token.text] -= 1
            if names[token.text] < 0:
                what = "A name in double quotes is one of a column, a table or an alias"
                raise heading.text.refusal(Unsupported, what, where, "Write a keyword without quotes.")


def _mark(text: str) -> str:
    """Return a word that the question does not have."""
    mark = "name"
    while mark in text.casefold():
        mark += "_"
    return mark


class _Reader:
    """Reads statements: expressions by ``plain``, and tables by what is known where they stand."""

    def __init__(self, text: Text, catalog: Catalog, mark: str) -> None:
        self._text, self._catalog = text, catalog
        self.names = Names(mark)
        self.tables: list[str] = []
        self._named: tuple[str, ...] = ()  # the named subqueries that are known here

    def read(self, node: object) -> Phrase:
        """Return the phrase of an expression."""
        rule = RULES.get(type(node))  # type: ignore[arg-type]
        if rule is None or not isinstance(node, exp.Expr):
            return self.refuse(node, *NOT_READ)
        return rule.read(take_node(node, self, type(node), *rule.takes), self)

    def name(self, node: object, *, table: bool = False) -> Phrase:
        """Return the number of a name, of a column or a table."""
        called = take_node(node, self, exp.Identifier, "this", "quoted").this
        return self.names.number(called, table=table) if type(called) is str else self.refuse(node, *NOT_READ)

    def refuse(self, node: object, what: str, instead: str) -> NoReturn:
        """Refuse, with the node underlined."""
        raise self._text.refusal(Unsupported, what, node if isinstance(node, exp.Expr) else None, instead)

    def query(self, node: object) -> Phrase:
        """Return the phrase of a SELECT, or of several that are put together."""
        known = self._named
        try:
            if type(node) is exp.Select:
                return self._select(node)
            if type(node) is exp.Union:
                return self._union(node)
            inner = take_node(node, self, exp.Subquery, "with_", "this", *_MODIFIERS)
            return (self._with(inner), "(", self.query(inner.this), ")", self._modifiers(inner))
        finally:
            self._named = known

    def _select(self, node: exp.Select) -> Phrase:
        take_node(node, self, exp.Select, *_SELECT)
        if not node.expressions:
            self.refuse(node, "Nothing is selected", "Write SELECT * FROM …, or name columns.")
        found: list[Phrase] = [self._with(node), "SELECT"]
        if node.args.get("distinct"):
            take_node(node.args["distinct"], self, exp.Distinct)
            found.append("DISTINCT")
        found.append(listed(map(self._item, node.expressions)))
        if node.args.get("from_"):
            first = take_node(node.args["from_"], self, exp.From, "this").this
            found += ["FROM", self._source(first), *map(self._join, node.args.get("joins") or ())]
        elif node.args.get("joins"):
            self.refuse(node, *NOT_READ)
        if node.args.get("where"):
            found += ["WHERE", self._condition(take_node(node.args["where"], self, exp.Where, "this").this)]
        if node.args.get("group"):
            found += ["GROUP BY", self._group(node.args["group"])]
        if node.args.get("having"):
            found += ["HAVING", self._condition(take_node(node.args["having"], self, exp.Having, "this").this)]
        return (*found, self._modifiers(node))

    def _condition(self, node: object, *, joins: bool = False) -> Phrase:
        """Read what decides about rows, part by part. NULL is as good as false there, and is written so
        unless columns and constants are compared: else the engine may be mistaken about NULL (see
        ``engines.terms``). An equality that joins stands there as it is, too: by that alone are rows
        looked up instead of compared pair by pair."""
        found: list[Phrase] = []
        rest = [node]
        while rest:
            one = rest.pop()
            while type(one) is exp.Paren:
                one = take_node(one, self, exp.Paren, "this").this
            if type(one) is exp.And:
                both = take_node(one, self, exp.And, "this", "expression")
                rest += [both.expression, both.this]
            else:
                found += ["AND", self._sure(one, joins=joins)]
        return tuple(found[1:])

    def _sure(self, node: object, *, joins: bool) -> Phrase:
        found = self.read(node)
        sides = (node.this, node.expression) if isinstance(node, exp.Predicate) and isinstance(node, exp.Binary) else (None,)
        plain = type(node) in _COMPARED and all(isinstance(side, exp.Column | exp.Literal) for side in sides)
        certain = ("CAST", "(", found, "AS", "BOOLEAN", ")")  # a number may be a condition
        guarded: Phrase = ("coalesce", "(", certain, ",", "FALSE", ")")
        # With a subquery, what is written twice here could hold what is written twice there.
        twice = joins and type(node) is exp.EQ and node.find(exp.Query) is None
        return found if plain else (found, "AND", guarded) if twice else guarded

    def _union(self, node: exp.Union) -> Phrase:
        take_node(node, self, exp.Union, *_UNION)
        before = self._with(node)
        words = [*([] if node.args.get("distinct") else ["ALL"]), *(["BY NAME"] if node.args.get("by_name") else [])]
        other = self.query(node.expression)
        if type(node.expression) is exp.Union:
            other = ("(", other, ")")
        return (before, self.query(node.this), "UNION", *words, other, self._modifiers(node))

    def _with(self, node: exp.Expr) -> Phrase:
        """Read WITH. A named subquery is known to those after it, and to itself where it may recur."""
        if node.args.get("with_") is None:
            return ()
        with_ = take_node(node.args["with_"], self, exp.With, "expressions", "recursive")
        recursive, found = bool(with_.args.get("recursive")), []
        for one in with_.expressions:
            take_node(one, self, exp.CTE, "this", "alias", "materialized")
            alias = self._table_alias(one.args.get("alias"))
            name, before = one.alias.casefold(), self._named
            self._named = (*before, name) if recursive else before
            words = self._word(one, "materialized", _MATERIALIZED)
            found.append((alias, "AS", *words, "(", self.query(one.this), ")"))
            self._named = (*before, name)
        return ("WITH", *(("RECURSIVE",) if recursive else ()), listed(found))

    def _word(self, node: exp.Expr, part: str, words: Mapping[object, tuple[str, ...]]) -> tuple[str, ...]:
        """Return the words of ours for a word of a node's."""
        written = node.args.get(part)
        key = written.upper() if type(written) is str else written
        found = words.get(key or None if type(key) is str else key) if type(key) in (str, bool, type(None)) else None
        return self.refuse(node, *NOT_READ) if found is None else found

    def _item(self, node: Any) -> Phrase:
        """Read an output, with its alias if it has one."""
        if type(node) is exp.Alias:
            take_node(node, self, exp.Alias, "this", "alias")
            return (self.read(node.this), "AS", self.name(node.args["alias"]))
        if type(node) is exp.Star:
            return self._star(node)
        if type(node) is exp.Column and type(node.this) is exp.Star:
            take_node(node, self, exp.Column, "this", "table")
            return (self.name(node.args.get("table"), table=True), ".", self._star(node.this))
        return self.read(node)

    def _star(self, node: exp.Star) -> Phrase:
        """Read * and what is left out of it, replaced or renamed."""
        take_node(node, self, exp.Star, "except_", "replace", "rename")
        found: list[Phrase] = ["*"]
        if node.args.get("except_"):
            found += ["EXCLUDE", "(", listed(map(self._used, node.args["except_"])), ")"]
        for word, part in (("REPLACE", "replace"), ("RENAME", "rename")):
            if node.args.get(part):
                found += [word, "(", listed(map(self._new, node.args[part])), ")"]
        return tuple(found)

    def _new(self, node: object) -> Phrase:
        """Read what stands for a column of *, under its name or a new one."""
        return self._item(node) if type(node) is exp.Alias else self.refuse(node, *NOT_READ)

    def _source(self, node: Any) -> Phrase:
        """Read a table or a subquery in FROM."""
        if type(node) is exp.Table:
            return self._table(node)
        take_node(node, self, exp.Subquery, "this", "alias")
        if type(node.this) is exp.Table:
            take_node(node, self, exp.Subquery, "this")
            return self._table(node.this)
        alias = node.args.get("alias")
        return ("(", self.query(node.this), ")", *(() if alias is None else ("AS", self._table_alias(alias))))

    def _table(self, node: exp.Table) -> Phrase:
        if type(node.this) is not exp.Identifier or filled(node) - {"this", "alias"}:
            self.refuse(node, "A table is named by its name alone", "Leave out the rest.")
        name, alias = node.name, node.args.get("alias")
        called = self.name(node.this, table=True) if alias is None else self._table_alias(alias)
        if name.casefold() in self._named:
            return (self.name(node.this, table=True), "AS", called)
        found = self._catalog.table(name)
        if found is None or found[1].schema.unit is not None:
            return self._unknown(node)
        if found[0] not in self.tables:
            self.tables.append(found[0])
            for column in found[1].columns:
                self.names.number(column.name)
                self.names.spell(column.name)
        return (Relation(self.tables.index(found[0])), "AS", called)

    def _unknown(self, node: exp.Table) -> NoReturn:
        public = [name for name, entry in self._catalog.tables.items() if entry.schema.unit is None]
        close = nearest(node.name, [*public, *self._named])
        instead = f"Did you mean {quoted(close)}?" if close else "A named subquery is known after its WITH, inside that statement."
        self.refuse(node, f"There is no table {node.name[:60]} here", instead)

    def _table_alias(self, node: object) -> Phrase:
        """Read an alias of a table, and names for its columns if there are any."""
        alias = take_node(node, self, exp.TableAlias, "this", "columns")
        columns = alias.args.get("columns")
        return (self.name(alias.this, table=True), *(("(", listed(map(self.name, columns)), ")") if columns else ()))

    def _join(self, node: Any) -> Phrase:
        take_node(node, self, exp.Join, "this", "side", "kind", "method", "on", "using")
        words = [
            *self._word(node, "method", _METHODS),
            *self._word(node, "side", _SIDES),
            *self._word(node, "kind", _KINDS),
        ]
        source, on, using = self._source(node.this), node.args.get("on"), node.args.get("using")
        if not words and on is None and not using:
            return (",", source)
        found: list[Phrase] = [*words, "JOIN", source]
        if on is not None:
            found += ["ON", self._condition(on, joins=True)]
        if using:
            found += ["USING", "(", listed(map(self._used, using)), ")"]
        return tuple(found)

    def _used(self, node: object) -> Phrase:
        """Read a name in USING or EXCLUDE."""
        return self.read(node) if type(node) is exp.Column else self.name(node)

    def _group(self, node: object) -> Phrase:
        by = take_node(node, self, exp.Group, "expressions", "all")
        if not by.expressions and not by.args.get("all"):
            self.refuse(node, "GROUP BY names nothing", "Leave it out, or write GROUP BY and a column.")
        return "ALL" if by.args.get("all") else listed(map(self.read, by.expressions))

    def order(self, node: object) -> Phrase:
        """Return the phrase of an ORDER BY."""
        parts = take_node(node, self, exp.Order, "expressions").expressions
        return ("ORDER BY", listed(self._ordered(part, alone=len(parts) == 1) for part in parts))

    def _ordered(self, node: Any, *, alone: bool) -> Phrase:
        """Read a value to order by; ALL, which stands for every output, stands alone."""
        take_node(node, self, exp.Ordered, *ORDERED)
        everything = alone and type(node.this) is exp.Var and node.this.this == "ALL"
        value = "ALL" if everything else self.read(node.this)
        words = (("DESC", node.args.get("desc")), ("NULLS FIRST", node.args.get("nulls_first")))
        return (value, *(word for word, wanted in words if wanted))

    def _modifiers(self, node: exp.Expr) -> Phrase:
        """Read ORDER BY, LIMIT and OFFSET."""
        found: list[Phrase] = [self.order(node.args["order"])] if node.args.get("order") else []
        for word, part, kind in (("LIMIT", "limit", exp.Limit), ("OFFSET", "offset", exp.Offset)):
            if node.args.get(part) is not None:
                found += [word, self.read(take_node(node.args[part], self, kind, "expression").expression)]
        return tuple(found)
