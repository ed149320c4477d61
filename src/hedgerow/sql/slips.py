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
from hedgerow.sql.text import MAX_BYTES, Span, Text

__all__ = ["bare_name", "no_sql", "slip"]

_ENDS: Final = {"'": "'", '"': '"', "`": "`", "--": "\n", "/*": "*/"}  # of what is quoted or a comment
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


def bare_name(text: str, names: Iterable[str]) -> tuple[str, Span] | None:
    """A name that takes double quotes, and where it stands without them; text in quotes and comments is not looked at."""
    odd = [name for name in names if quoted(name) != name]
    plain = _blanked(text) if odd and len(text) <= MAX_BYTES else ""
    for name in odd:
        found = re.search(rf"(?<!\w){re.escape(name)}(?!\w)", plain, re.IGNORECASE)
        if found is not None:
            return name, found.span()
    return None


def _blanked(text: str) -> str:
    """The text with blanks for what is quoted or a comment, in one pass: it may be hostile."""
    pieces, place = [], 0
    while place < len(text):
        sign = text[place : place + 2] if text[place : place + 2] in _ENDS else text[place]
        if sign not in _ENDS:
            pieces.append(sign)
            place += 1
            continue
        found = text.find(_ENDS[sign], place + len(sign))
        end = len(text) if found < 0 else found + len(_ENDS[sign])
        pieces.append(" " * (end - place))
        place = end
    return "".join(pieces)


def _unquoted(text: Text, body: Sequence[Token], at: int, names: Iterable[str]) -> str:
    """A name that stands there without the quotes that it takes; else all that can be said."""
    bare = bare_name(text.text, names)
    if bare is not None:
        why = "A name with a blank or a sign in it" if re.search(r"\W", bare[0]) else f"{bare[0]} is a word of SQL; as a name it"
        return f"{why} takes double quotes: {quoted(bare[0])}."
    if at > 0 and {body[at - 1].token_type, body[at].token_type} == {TokenType.VAR}:
        name = text.text[body[at - 1].start : body[at].end + 1]
        return f"A name with a blank in it takes double quotes: {quoted(' '.join(name.split()))}."
    return "Check the word before it. " + ONE


def _open(tokens: Sequence[Token]) -> bool:
    """Whether the first bracket of these is still open at their end."""
    return sum((token.token_type == TokenType.L_PAREN) - (token.token_type == TokenType.R_PAREN) for token in tokens) > 0


def _span(token: Token) -> Span:
    return token.start, token.end + 1
