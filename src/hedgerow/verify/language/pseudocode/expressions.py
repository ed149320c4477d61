"""The expression parser of ``*.hr`` files, by operator precedence."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Length,
    Name,
    Place,
    Read,
    Truth,
)
from hedgerow.verify.language.pseudocode.lexer import Token
from hedgerow.verify.language.signature import FUNCTIONS, build_number, negate
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["TokenCursor"]

_MAX_DEPTH: Final = 60
_BOOLEANS: Final = {"true": True, "false": False, "True": True, "False": False}
_OPERATOR_ALIASES: Final = {
    "||": "or",
    "&&": "and",
    "mod": "%",
    "=": "==",
    "<>": "!=",
    "&": "bits&",
    "^": "xor",
    "++": "concat",
}
_PRECEDENCE: Final[dict[str, int]] = (
    {"or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "xor": 5, "concat": 5}
    | {"bits&": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7}
)  # fmt: skip
_NOT_PRECEDENCE, _MINUS_PRECEDENCE = 3, 8


class TokenCursor:
    """The tokens of one line, read from left to right. ``lists`` are the names that can be indexed;
    ``allows_tags`` permits ``x<1>``.
    """

    def __init__(
        self, tokens: Sequence[Token], lists: Collection[str] = (), *, allows_tags: bool = False
    ) -> None:
        self.tokens, self.position, self.lists, self.allows_tags = tokens, 0, lists, allows_tags

    @property
    def current(self) -> Token:
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        return Token("end", "the end of the line", self.tokens[-1].place)

    def advance(self) -> Token:
        token = self.current
        self.position += 1
        return token

    def accept(self, *texts: str) -> bool:
        """Skip the next tokens and return True if they are these texts; otherwise return False."""
        found = [one.text for one in self.tokens[self.position : self.position + len(texts)]]
        if found == list(texts):
            self.position += len(texts)
            return True
        return False

    def expect(self, text: str) -> Token:
        token = self.advance()
        if token.text != text:
            raise UnsupportedProgram(f"{text} was expected, not {token.text}", token.place)
        return token

    def expect_name(self) -> Token:
        token = self.advance()
        if token.kind != "name":
            raise UnsupportedProgram(f"a name was expected, not {token.text}", token.place)
        return self._check_tag(token)

    def expect_end(self) -> None:
        if self.current.kind != "end":
            raise UnsupportedProgram(
                f"the end of the line was expected, not {self.current.text}", self.current.place
            )

    def _check_tag(self, token: Token) -> Token:
        if token.text.endswith(">") and not self.allows_tags:
            raise UnsupportedProgram(
                f"{token.text}: only a judgement can mention two runs; put spaces around a"
                " comparison",
                token.place,
            )
        return token

    def parse_expression(self, least: int = 0, depth: int = 0) -> Expression:
        if depth > _MAX_DEPTH:
            raise UnsupportedProgram(
                f"expressions are nested more than {_MAX_DEPTH} deep; split the expression",
                self.current.place,
            )
        value = self._parse_operand(depth)
        while True:
            token = self.current
            operator = _OPERATOR_ALIASES.get(token.text, token.text)
            binding = _PRECEDENCE.get(operator, -1)
            if binding < max(least, 1) or (
                operator == "concat"
                and self.tokens[self.position + 1 : self.position + 2]
                and self.tokens[self.position + 1].text == "["
            ):
                return value
            self.advance()
            value = _build_binary(
                operator, value, self.parse_expression(binding + 1, depth + 1), token.place
            )

    def parse_until(self, end: str, least: int = 0, depth: int = 0) -> Expression:
        """Parse an expression and the token that closes it."""
        value = self.parse_expression(least, depth)
        self.expect(end)
        return value

    def parse_list(self, end: str, depth: int = 0) -> list[Expression]:
        """Parse expressions between commas and the token that closes them."""
        values = [self.parse_expression(0, depth)]
        while self.accept(","):
            values.append(self.parse_expression(0, depth))
        self.expect(end)
        return values

    def _parse_operand(self, depth: int) -> Expression:
        token = self.advance()
        place = token.place
        if token.kind == "number":
            return build_number(Fraction(token.text), place)
        match token.text:
            case "(":
                return self.parse_until(")", 0, depth + 1)
            case "|":
                size = self.parse_until("|", _PRECEDENCE["xor"], depth + 1)
                return Apply("abs", (size,), place)
            case "not" | "!":
                return Apply("not", (self.parse_expression(_NOT_PRECEDENCE, depth + 1),), place)
            case "-":
                return negate(self.parse_expression(_MINUS_PRECEDENCE, depth + 1), place)
            case "~":
                return Apply("bits~", (self.parse_expression(_MINUS_PRECEDENCE, depth + 1),), place)
        if token.kind != "name" or token.text in _PRECEDENCE or token.text in _OPERATOR_ALIASES:
            raise UnsupportedProgram(f"an expression was expected, not {token.text}", place)
        return self._parse_name(self._check_tag(token), depth)

    def _parse_name(self, token: Token, depth: int) -> Expression:
        place = token.place
        if token.text in _BOOLEANS:
            return Truth(_BOOLEANS[token.text], place)
        if self.current.text == "(":
            return self._parse_call(token, depth)
        # in a judgement, [ after a name that is no list starts the epsilon
        if self.current.text == "[" and not (
            self.allows_tags and token.text.partition("<")[0] not in self.lists
        ):
            if token.text.partition("<")[0] not in self.lists:
                raise UnsupportedProgram(
                    f"{token.text} cannot be indexed; only a list parameter can",
                    place,
                )
            self.advance()
            return Read(token.text, self.parse_until("]", 0, depth + 1), place)
        if token.text in self.lists and not self.allows_tags:
            raise UnsupportedProgram(
                f"the list {token.text} can only be indexed; write {token.text}[i]", place
            )
        return Name(token.text, place)

    def _parse_call(self, token: Token, depth: int) -> Expression:
        self.expect("(")
        if token.text in ("size", "len", "length"):
            name = self.expect_name()
            self.expect(")")
            if name.text.partition("<")[0] not in self.lists:
                raise UnsupportedProgram(
                    f"{name.text} has no {token.text}; only a list parameter has",
                    name.place,
                )
            return Length(name.text, token.place)
        arguments = self.parse_list(")", depth + 1)
        if token.text not in FUNCTIONS:
            raise UnsupportedProgram(
                f"{token.text} cannot be called in an expression; draw noise with :=$", token.place
            )
        operator, count = FUNCTIONS[token.text]
        if len(arguments) != count:
            raise UnsupportedProgram(
                f"{token.text} takes {count} argument{'s' if count > 1 else ''}", token.place
            )
        return Apply(operator, tuple(arguments), token.place)


def _build_binary(operator: str, left: Expression, right: Expression, place: Place) -> Expression:
    if operator in (">", ">="):
        return Apply("<" if operator == ">" else "<=", (right, left), place)
    return Apply(operator, (left, right), place)
