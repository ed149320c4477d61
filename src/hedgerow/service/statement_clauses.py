"""The privacy clause of a statement, before it is judged: whether it only explains, and whether
it names its own epsilon. Words in comments, names and literals do not count."""

from __future__ import annotations

from hedgerow.errors import InvalidArgument, Refused
from hedgerow.sql.syntax.privacy_clause import TokenisedQuery, tokenise_query

__all__ = ["is_explanation", "names_epsilon"]


def is_explanation(sql: str) -> bool:
    """Return whether a statement is EXPLAIN PRIVACY, which costs nothing."""
    query = _tokenise(sql)
    return query is not None and query.explain


def names_epsilon(sql: str) -> bool:
    """Return whether a statement has OPTIONS with an epsilon."""
    query = _tokenise(sql)
    return query is not None and query.options.epsilon is not None


def _tokenise(sql: str) -> TokenisedQuery | None:
    try:
        return tokenise_query(sql)
    except (Refused, InvalidArgument):
        return None  # whoever reads it as a question reports the error
