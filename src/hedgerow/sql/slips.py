"""What people mean who write what is no SQL: TOP 5, names with blanks, words in the place of names, quotes of other databases, slips."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from difflib import get_close_matches
from itertools import pairwise
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

from hedgerow.errors import Refused, Unsupported
from hedgerow.sql.quoting import quoted
from hedgerow.sql.rules.elsewhere import INSTEAD
from hedgerow.sql.rules.statements import ONE
from hedgerow.sql.text import Span, Text

__all__ = ["no_sql", "slip"]

_STUMBLED: Final = ("DIV", "DECODE", "DATEDIFF", "DATE_DIFF")  # functions that the parser wants in another form
_WORDS: Final = ("SELECT", "FROM", "WHERE", "GROUP", "ORDER", "HAVING", "LIMIT", "JOIN")


def slip(word: str) -> str | None:
    """The word of SQL that was meant; None where the word is not close to one."""
    found = get_close_matches(word[:20].upper(), _WORDS, n=1, cutoff=0.7)
    return found[0] if found and word.upper() not in _WORDS else None


def no_sql(text: Text, body: Sequence[Token], place: Span | None, names: Iterable[str]) -> Refused:
    """The refusal of tokens that the parser stumbled over at a place. ``names`` are those of tables and columns."""
    at = next((i for i, token in enumerate(body) if place is not None and token.start == place[0]), 0)
    if len(body) > 2 and body[1].text.upper() == "TOP":
        return text.refusal(Unsupported, "TOP is not read", place, f"Write LIMIT {body[2].text[:9]} at the end, behind ORDER BY.")
    for i, (token, behind) in enumerate(pairwise(body[: at + 2])):
        if token.text == "`" and token.token_type == TokenType.UNKNOWN:
            name = text.text[token.end + 1 :].partition("`")[0]
            whole = (token.start, min(token.end + len(name) + 2, len(text.text)))
            return text.refusal(Unsupported, "Names are not quoted with backticks here", whole, f"Write {quoted(name[:60])}.")
        if token.text.upper() in _STUMBLED and behind.token_type == TokenType.L_PAREN and _open(body[i + 1 : at]):
            return text.refusal(Unsupported, f"{token.text} is no function here", _span(token), INSTEAD[token.text.upper()])
    for token in body[max(at - 1, 0) : at + 1]:
        meant = slip(token.text) if token.token_type == TokenType.VAR else None
        if meant is not None:
            return text.refusal(Unsupported, "This does not read as SQL from here on", _span(token), f"Did you mean {meant}?")
    return text.refusal(Unsupported, "This does not read as SQL from here on", place, _unquoted(text, body, at, names))


def _unquoted(text: Text, body: Sequence[Token], at: int, names: Iterable[str]) -> str:
    """A name that stands there without the quotes that it takes; else all that can be said."""
    for name in names:
        if quoted(name) != name and re.search(rf'(?<![\w"]){re.escape(name)}(?![\w"])', text.text, re.IGNORECASE):
            why = "A name with a blank or a sign in it" if re.search(r"\W", name) else f"{name} is a word of SQL; as a name it"
            return f"{why} takes double quotes: {quoted(name)}."
    if at > 0 and {body[at - 1].token_type, body[at].token_type} == {TokenType.VAR}:
        name = text.text[body[at - 1].start : body[at].end + 1]
        return f"A name with a blank in it takes double quotes: {quoted(' '.join(name.split()))}."
    return "Check the word before it. " + ONE


def _open(tokens: Sequence[Token]) -> bool:
    """Whether the first bracket of these is still open at their end."""
    return sum((token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN) for token in tokens) > 0


def _span(token: Token) -> Span:
    return token.start, token.end + 1
