"""Named arguments of aggregates, such as method => 'smooth' and bound => 5.

The parser accepts them in some functions only. So they are removed from the tokens before parsing,
and the call is wrapped in a function whose name nobody can write: SUM(x, a => 1) becomes
"\\0n"(SUM(x)), where n is the index of the arguments in ``SourceText.named_arguments``.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import replace
from fractions import Fraction
from typing import Final, NoReturn

from sqlglot import exp
from sqlglot.tokenizer_core import Token, TokenType

from hedgerow.errors import Unsupported
from hedgerow.sql.catalog import find_closest_name
from hedgerow.sql.syntax.source_text import NamedArguments, SourceText

__all__ = ["NUMBER", "NamedArguments", "extract_named_arguments", "find_named_arguments"]

NUMBER: Final = re.compile(r"([0-9]{1,40}\.?[0-9]{0,40}|\.[0-9]{1,40})([eE][+-]?[0-9]{1,3})?")
_EXAMPLES: Final = {
    "method": "method => 'exponential'",
    "bound": "bound => 5",
    "contribution_bounds_per_group": "contribution_bounds_per_group => (0, 100)",
    "clipped": "clipped => TRUE",
    "outer_bounds_per_group": "outer_bounds_per_group => (0, 5000)",
    "bracket": "bracket => 0.05",
}
_FIELDS: Final = {
    "method": "method",
    "bound": "bound",
    "contribution_bounds_per_group": "limits",
    "clipped": "clipped",
    "outer_bounds_per_group": "outer",
    "bracket": "bracket",
}


def find_named_arguments(text: SourceText, node: exp.Expr) -> NamedArguments | None:
    """Return the named arguments of a wrapped call."""
    if isinstance(node, exp.Anonymous) and str(node.this).startswith("\0"):
        return text.named_arguments[int(str(node.this)[1:])]
    return None


def extract_named_arguments(
    text: SourceText, body: Sequence[Token]
) -> tuple[SourceText, tuple[Token, ...]]:
    """Return the text with all named arguments, and the tokens without them."""
    if all(token.token_type != TokenType.FARROW for token in body):
        return text, tuple(body)
    return _NamedArgumentScanner(text, body).scan()


class _NamedArgumentScanner:
    """One pass over the tokens, with the named arguments of each open parenthesis."""

    def __init__(self, text: SourceText, body: Sequence[Token]) -> None:
        self._text, self._body, self._position = text, body, 0
        self._kept: list[Token] = []
        self._open_brackets: list[tuple[int, dict[str, object]]] = []
        self._named: list[NamedArguments] = []

    def scan(self) -> tuple[SourceText, tuple[Token, ...]]:
        """Scan all tokens, or raise the first refusal."""
        while self._position < len(self._body):
            token = self._body[self._position]
            if self._has_token(1, TokenType.FARROW) and token.token_type != TokenType.STRING:
                self._scan_argument(token)
            elif token.token_type == TokenType.FARROW:
                self._refuse(
                    "=> must follow the name of an argument", f"Write {_EXAMPLES['method']}."
                )
            else:
                self._keep_token(token)
        return replace(self._text, named_arguments=tuple(self._named)), tuple(self._kept)

    def _keep_token(self, token: Token) -> None:
        self._position += 1
        self._kept.append(token)
        if token.token_type == TokenType.L_PAREN:
            self._open_brackets.append((len(self._kept) - 1, {}))
        elif token.token_type == TokenType.R_PAREN and self._open_brackets:
            place, found = self._open_brackets.pop()
            if found:
                self._wrap_call(place, found)

    def _wrap_call(self, place: int, found: dict[str, object]) -> None:
        """Turn name ( … ) into wrapper ( name ( … ) )."""
        first, last = self._kept[place - 1], self._kept[-1]
        wrapper = Token(
            TokenType.VAR, f"\0{len(self._named)}", first.line, first.col, first.start, first.end
        )
        bracket = Token(TokenType.L_PAREN, "(", first.line, first.col, first.start, first.end)
        self._kept[place - 1 : place - 1] = [wrapper, bracket]
        self._kept.append(Token(TokenType.R_PAREN, ")", last.line, last.col, last.start, last.end))
        self._named.append(NamedArguments(**found))  # type: ignore[arg-type]

    def _scan_argument(self, token: Token) -> None:
        name = token.text.casefold()
        if not self._open_brackets or self._open_brackets[-1][0] == 0:
            self._refuse(
                "Named arguments are only allowed inside a function call",
                f"Write MEDIAN(x, {_EXAMPLES['method']}); to compare, write >=.",
            )
        if self._kept[-1].token_type != TokenType.COMMA:
            self._refuse(
                "Named arguments must come after the other arguments",
                f"Write MEDIAN(x, {_EXAMPLES['method']}).",
            )
        if name not in _FIELDS:
            close = find_closest_name(name, _FIELDS)
            fix = (
                f"Did you mean {close}?"
                if close
                else f"The named arguments are {', '.join(_FIELDS)}."
            )
            self._refuse(f"There is no named argument {name[:60]}", fix)
        found = self._open_brackets[-1][1]
        if _FIELDS[name] in found:
            self._refuse(f"{name} is given twice", "Give it once.")
        self._kept.pop()  # the comma
        self._position += 2
        found[_FIELDS[name]] = self._parse_value(name)
        if not (self._has_token(0, TokenType.COMMA) or self._has_token(0, TokenType.R_PAREN)):
            self._refuse_value(name)
        if self._has_token(0, TokenType.COMMA) and not self._has_token(2, TokenType.FARROW):
            self._refuse(
                "Named arguments must come after the other arguments",
                f"Write MEDIAN(x, {_EXAMPLES['method']}).",
            )

    def _parse_value(self, name: str) -> object:
        if name == "method":
            if not self._has_token(0, TokenType.STRING):
                self._refuse_value(name)
            return self._next().text.casefold()
        if name in ("bound", "bracket"):
            return self._parse_number(name)
        if name == "clipped":
            if not (self._has_token(0, TokenType.TRUE) or self._has_token(0, TokenType.FALSE)):
                self._refuse_value(name)
            return self._next().token_type == TokenType.TRUE
        self._expect(TokenType.L_PAREN, name)
        low = self._parse_number(name)
        self._expect(TokenType.COMMA, name)
        high = self._parse_number(name)
        self._expect(TokenType.R_PAREN, name)
        return low, high

    def _parse_number(self, name: str) -> Fraction:
        sign = -1 if self._has_token(0, TokenType.DASH) else 1
        self._position += sign < 0
        written = self._next().text if self._position < len(self._body) else ""
        if written == "." and self._position < len(self._body):  # the tokenizer cuts .5 in two
            written += self._next().text
        if not NUMBER.fullmatch(written):
            self._position -= 1
            self._refuse_value(name)
        return sign * Fraction(written)

    def _expect(self, kind: TokenType, name: str) -> None:
        if not self._has_token(0, kind):
            self._refuse_value(name)
        self._position += 1

    def _next(self) -> Token:
        self._position += 1
        return self._body[self._position - 1]

    def _has_token(self, ahead: int, kind: TokenType) -> bool:
        place = self._position + ahead
        return place < len(self._body) and self._body[place].token_type == kind

    def _refuse_value(self, name: str) -> NoReturn:
        self._refuse(f"Invalid value for {name}", f"Write {_EXAMPLES[name]}.")

    def _refuse(self, problem: str, fix: str) -> NoReturn:
        token = self._body[min(self._position, len(self._body) - 1)]
        raise self._text.refusal(Unsupported, problem, (token.start, token.end + 1), fix)
