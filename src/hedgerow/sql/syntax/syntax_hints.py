"""Hints for syntax errors: TOP 5, unquoted names with spaces, reserved words, backticks, typos."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from hedgerow.errors import Refused, Unsupported
from hedgerow.sql.rules.foreign_functions import REPLACEMENTS
from hedgerow.sql.rules.statements import SELECT_FORM
from hedgerow.sql.syntax.quoting import quote_name
from hedgerow.sql.syntax.source_text import MAX_BYTES, SourceText, Span

__all__ = ["build_syntax_error", "find_unquoted_name", "suggest_keyword"]

# Opening and closing marks of quotes and comments.
_CLOSING_MARKS: Final = {"'": "'", '"': '"', "`": "`", "--": "\n", "/*": "*/"}
# Functions that the parser only accepts in another form.
_MISPARSED_FUNCTIONS: Final = ("DIV", "DATEDIFF", "DATE_DIFF")
_KEYWORDS: Final = ("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN")


def suggest_keyword(word: str) -> str | None:
    """Return the keyword that a misspelled word is close to."""
    found = get_close_matches(word[:20].upper(), _KEYWORDS, n=1, cutoff=0.7)
    return found[0] if found and word.upper() not in _KEYWORDS else None


def build_syntax_error(
    text: SourceText, body: Sequence[Token], place: Span | None, names: Iterable[str]
) -> Refused:
    """Return the refusal of tokens that do not parse.

    ``names`` are tables and columns, for hints about quoting.
    """
    at = next(
        (i for i, token in enumerate(body) if place is not None and token.start == place[0]), 0
    )
    if len(body) > 2 and body[1].text.upper() == "TOP":
        return text.refusal(
            Unsupported,
            "TOP is not supported",
            place,
            f"Write LIMIT {body[2].text[:9]} at the end, after ORDER BY.",
        )
    for i, (token, behind) in enumerate(pairwise(body[: at + 2])):
        if token.text == "`" and token.token_type == TokenType.UNKNOWN:
            name = text.sql[token.end + 1 :].partition("`")[0]
            whole = (token.start, min(token.end + len(name) + 2, len(text.sql)))
            return text.refusal(
                Unsupported,
                "Backticks do not quote names here",
                whole,
                f"Write {quote_name(name[:60])}.",
            )
        if (
            token.text.upper() in _MISPARSED_FUNCTIONS
            and behind.token_type == TokenType.L_PAREN
            and _is_open(body[i + 1 : at])
        ):
            return text.refusal(
                Unsupported,
                f"There is no function {token.text}",
                _find_token_span(token),
                REPLACEMENTS[token.text.upper()],
            )
    for token in body[max(at - 1, 0) : at + 1]:
        meant = suggest_keyword(token.text) if token.token_type == TokenType.VAR else None
        if meant is not None:
            return text.refusal(
                Unsupported,
                "Syntax error here",
                _find_token_span(token),
                f"Did you mean {meant}?",
            )
    return text.refusal(
        Unsupported,
        "Syntax error here",
        place,
        _suggest_quotes(text, body, at, names),
    )


def find_unquoted_name(text: str, names: Iterable[str]) -> tuple[str, Span] | None:
    """Return a name that needs double quotes, and its span where it has none."""
    special = [name for name in names if quote_name(name) != name]
    plain = _blank_quoted_text(text) if special and len(text) <= MAX_BYTES else ""
    for name in special:
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", plain, re.IGNORECASE)
        if found is not None:
            return name, found.span()
    return None


def _blank_quoted_text(text: str) -> str:
    """Return the text with quotes and comments blanked, in one pass: it may be hostile."""
    pieces, place = [], 0
    while place < len(text):
        sign = text[place : place + 2] if text[place : place + 2] in _CLOSING_MARKS else text[place]
        if sign not in _CLOSING_MARKS:
            pieces.append(sign)
            place += 1
            continue
        found = text.find(_CLOSING_MARKS[sign], place + len(sign))
        end = len(text) if found < 0 else found + len(_CLOSING_MARKS[sign])
        pieces.append(" " * (end - place))
        place = end
    return "".join(pieces)


def _suggest_quotes(text: SourceText, body: Sequence[Token], at: int, names: Iterable[str]) -> str:
    bare = find_unquoted_name(text.sql, names)
    if bare is not None:
        why = (
            "Names with spaces or special characters need"
            if re.search(r"\W", bare[0])
            else f"{bare[0]} is a reserved word; as a name it needs"
        )
        return f"{why} double quotes: {quote_name(bare[0])}."
    if at > 0 and {body[at - 1].token_type, body[at].token_type} == {TokenType.VAR}:
        name = text.sql[body[at - 1].start : body[at].end + 1]
        return f"Names with spaces need double quotes: {quote_name(' '.join(name.split()))}."
    return "Check the word before it. " + SELECT_FORM


def _is_open(tokens: Sequence[Token]) -> bool:
    """Return whether the first parenthesis is still open at the end."""
    return (
        sum(
            (token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN)
            for token in tokens
        )
        > 0
    )


def _find_token_span(token: Token) -> Span:
    return token.start, token.end + 1
