"""Questions about public tables alone, such as publications.

They are free and exact, so rows may be shown. Still only known constructs reach an engine, as
fragments of our own words with numbered names: never text or a tree of the analyst.
"""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass

from sqlglot import exp
from sqlglot.tokenizer_core import TokenType

from hedgerow.errors import InvalidArgument, Refused, Unsupported
from hedgerow.sql.catalog import Catalog
from hedgerow.sql.parser import parse_statement
from hedgerow.sql.postprocessing.syntax_trees import expand_named_windows
from hedgerow.sql.public_tables.phrases import Fragment, NameTable
from hedgerow.sql.public_tables.query_reader import QueryReader
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery, tokenise_query
from hedgerow.sql.syntax.source_text import SourceText

__all__ = ["PublicQuery", "read_public_query", "read_public_tree"]


@dataclass(frozen=True, slots=True)
class PublicQuery:
    """A question about public tables as a fragment.

    ``tables`` are in the order of their numbers; ``tree`` is only for underlining parts in
    messages.
    """

    fragment: Fragment
    names: NameTable
    tables: tuple[str, ...]
    text: SourceText
    tree: exp.Expr


def read_public_query(text: str, catalog: Catalog) -> PublicQuery | None:
    """Return a question about public tables alone; None for any other.

    The reader of private questions then answers or refuses it.
    """
    public = [name for name, entry in catalog.tables.items() if entry.schema.unit is None]
    if not isinstance(text, str) or not any(name.casefold() in text.casefold() for name in public):
        return None
    try:
        heading = tokenise_query(text)
        tree = parse_statement(heading, catalog)
    except (Refused, InvalidArgument, RecursionError):
        return None
    if heading.explain or heading.options.epsilon is not None or not isinstance(tree, exp.Query):
        return None
    named = {cte.alias.casefold() for cte in tree.find_all(exp.CTE)}
    asked = {table.name for table in tree.find_all(exp.Table)}
    # A named subquery may have the name of the public table it reads; the reader resolves scopes.
    asked -= {name for name in asked if name.casefold() in named and not _is_public(name, catalog)}
    if not asked or not all(_is_public(name, catalog) for name in asked):
        return None
    _check_tokens(heading, tree)
    return read_public_tree(heading, tree, catalog)


def read_public_tree(heading: TokenisedQuery, tree: exp.Query, catalog: Catalog) -> PublicQuery:
    """Return a syntax tree about public tables as a fragment; refuse what is not known."""
    tree = expand_named_windows(tree)
    reader = QueryReader(heading.text, catalog, _choose_name_prefix(heading.text.sql))
    try:
        phrase = reader.read_query(tree)
    except RecursionError:
        raise heading.text.refusal(
            Unsupported, "This question is nested too deeply", None, "Simplify it."
        ) from None
    for item in tree.selects:
        if isinstance(item, exp.Alias):
            reader.names.set_spelling(item.alias)
    return PublicQuery(phrase, reader.names, tuple(reader.tables), heading.text, tree)


def _is_public(name: str, catalog: Catalog) -> bool:
    found = catalog.find_table(name)
    return found is not None and found[1].schema.unit is None


def _check_tokens(heading: TokenisedQuery, tree: exp.Expr) -> None:
    """Refuse tokens that sqlglot reads differently from an engine.

    It takes a quoted name for a keyword and drops unknown parts of it, and reads 0x1F as 0 with the
    alias x1F.
    """
    names = Counter(node.this for node in tree.find_all(exp.Identifier) if node.args.get("quoted"))
    last = None
    for token in heading.body:
        where = (token.start, token.end + 1)
        if (
            last is not None
            and last.token_type == TokenType.NUMBER
            and token.start == last.end + 1
            and token.text[:1].isalpha()
        ):
            raise heading.text.refusal(
                Unsupported,
                "A number is followed directly by a word",
                where,
                "Put a space between them, or write the number in decimals.",
            )
        last = token
        if token.token_type == TokenType.IDENTIFIER:
            names[token.text] -= 1
            if names[token.text] < 0:
                raise heading.text.refusal(
                    Unsupported,
                    "Double quotes are only for names of columns, tables and aliases",
                    where,
                    "Write keywords without quotes.",
                )


def _choose_name_prefix(text: str) -> str:
    mark = "name"
    while mark in text.casefold():
        mark += "_"
    return mark
