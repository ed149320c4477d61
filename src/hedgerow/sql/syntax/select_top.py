"""SELECT TOP n, which is LIMIT n at the end of its SELECT; the tokens are moved before parsing."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from sqlglot.tokenizer_core import Token, TokenType

__all__ = ["move_top"]

_SET_OPERATIONS: Final = (TokenType.UNION, TokenType.EXCEPT, TokenType.INTERSECT)
_LIMITS: Final = (TokenType.LIMIT, TokenType.OFFSET, TokenType.FETCH)


def move_top(body: Sequence[Token]) -> tuple[Token, ...]:
    """Return tokens with TOP n or TOP (n) after SELECT as LIMIT n at the end of that SELECT.

    TOP stays where it is, and fails to parse, before a set operation, with another limit, and with
    PERCENT or WITH TIES.
    """
    tokens = list(body)
    place = 0
    while place < len(tokens):
        after = place + 1
        if after < len(tokens) and tokens[after].token_type == TokenType.DISTINCT:
            after += 1
        if tokens[place].token_type == TokenType.SELECT and _is_word(tokens, after, "TOP"):
            _move_one(tokens, after)
        place += 1
    return tuple(tokens)


def _move_one(tokens: list[Token], top: int) -> None:
    has_parenthesis = _has_type(tokens, top + 1, TokenType.L_PAREN)
    number = top + 1 + has_parenthesis
    behind = number + 1 + has_parenthesis
    if (
        not _has_type(tokens, number, TokenType.NUMBER)
        or (has_parenthesis and not _has_type(tokens, number + 1, TokenType.R_PAREN))
        or _is_word(tokens, behind, "PERCENT", "WITH", "FROM", "AS", ",")
    ):
        return
    end = _find_end(tokens, behind)
    if end is None:
        return
    first, count = tokens[top], tokens[number]
    limit = Token(TokenType.LIMIT, "LIMIT", first.line, first.col, first.start, first.end)
    tokens[top:] = [*tokens[behind:end], limit, count, *tokens[end:]]


def _find_end(tokens: Sequence[Token], place: int) -> int | None:
    """Return where the SELECT around a token ends; None if it has a limit or a set operation."""
    depth = 0
    for end in range(place, len(tokens)):
        kind = tokens[end].token_type
        depth += (kind == TokenType.L_PAREN) - (kind == TokenType.R_PAREN)
        if depth < 0 or (depth == 0 and kind == TokenType.SEMICOLON):
            return end
        if depth == 0 and kind in (*_SET_OPERATIONS, *_LIMITS):
            return None
    return len(tokens)


def _has_type(tokens: Sequence[Token], place: int, kind: TokenType) -> bool:
    return place < len(tokens) and tokens[place].token_type == kind


def _is_word(tokens: Sequence[Token], place: int, *words: str) -> bool:
    return (
        place < len(tokens)
        and tokens[place].token_type not in (TokenType.STRING, TokenType.IDENTIFIER)
        and tokens[place].text.upper() in words
    )
