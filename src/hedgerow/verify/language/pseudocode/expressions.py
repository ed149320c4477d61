"""Expressions of ``*.hr`` files, read by how tightly their signs bind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final

from hedgerow.verify.language.program import (
    Apply,
    Expression,
    Length,
    Name,
    Number,
    Place,
    Read,
    Truth,
)
from hedgerow.verify.language.pseudocode.lexer import Token
from hedgerow.verify.language.signature import FUNCTIONS, build_number
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
    """The words of one line, read from left to right. ``lists`` are the names that can be read
    by index; ``allows_tags`` permits ``x<1>``.
    """

    def __init__(
        self, words: Sequence[Token], lists: Collection[str] = (), *, allows_tags: bool = False
    ) -> None:
        self.tokens, self.position, self.lists, self.allows_tags = words, 0, lists, allows_tags

    @property
    def current(self) -> Token:
        if self.position < len(self.tokens):
            return self.tokens[self.position]
        last = self.tokens[-1].place
        return Token("end", "the end of the line", last)

    def advance(self) -> Token:
        word = self.current
        self.position += 1
        return word

    def accept(self, *texts: str) -> bool:
        """Whether the next words are these; if so they are passed."""
        found = [one.text for one in self.tokens[self.position : self.position + len(texts)]]
        if found == list(texts):
            self.position += len(texts)
            return True
        return False

    def expect(self, text: str) -> Token:
        word = self.advance()
        if word.text != text:
            raise UnsupportedProgram(
                f"{text} was expected, and {word.text} stands here", word.place
            )
        return word

    def expect_name(self) -> Token:
        word = self.advance()
        if word.kind != "name":
            raise UnsupportedProgram(
                f"a name was expected, and {word.text} stands here", word.place
            )
        return self._check_tag(word)

    def expect_end(self) -> None:
        if self.current.kind != "end":
            raise UnsupportedProgram(
                f"{self.current.text} is one word too many", self.current.place
            )

    def _check_tag(self, word: Token) -> Token:
        if word.text.endswith(">") and not self.allows_tags:
            raise UnsupportedProgram(
                f"{word.text}: only a judgement speaks of two runs; leave spaces around a"
                " comparison",
                word.place,
            )
        return word

    def parse_expression(self, least: int = 0, depth: int = 0) -> Expression:
        if depth > _MAX_DEPTH:
            raise UnsupportedProgram(
                f"there are more than {_MAX_DEPTH} expressions within expressions",
                self.current.place,
            )
        value = self._parse_operand(depth)
        while True:
            word = self.current
            operator = _OPERATOR_ALIASES.get(word.text, word.text)
            binding = _PRECEDENCE.get(operator, -1)
            if binding < max(least, 1) or (
                operator == "concat"
                and self.tokens[self.position + 1 : self.position + 2]
                and self._starts_list(1)
            ):
                return value
            self.advance()
            value = _build_binary(
                operator, value, self.parse_expression(binding + 1, depth + 1), word.place
            )

    def _starts_list(self, ahead: int) -> bool:
        return self.tokens[self.position + ahead].text == "["

    def _parse_operand(self, depth: int) -> Expression:
        word = self.advance()
        place = word.place
        if word.kind == "number":
            return build_number(Fraction(word.text), place)
        if word.text == "(":
            value = self.parse_expression(0, depth + 1)
            self.expect(")")
            return value
        if word.text == "|":
            value = self.parse_expression(_PRECEDENCE["xor"], depth + 1)
            self.expect("|")
            return Apply("abs", (value,), place)
        if word.text in ("not", "!"):
            return Apply("not", (self.parse_expression(_NOT_PRECEDENCE, depth + 1),), place)
        if word.text == "-":
            value = self.parse_expression(_MINUS_PRECEDENCE, depth + 1)
            return (
                Number(-value.value, place)
                if isinstance(value, Number)
                else Apply("negate", (value,), place)
            )
        if word.text == "~":
            return Apply("bits~", (self.parse_expression(_MINUS_PRECEDENCE, depth + 1),), place)
        if word.kind != "name" or word.text in _PRECEDENCE or word.text in _OPERATOR_ALIASES:
            raise UnsupportedProgram(
                f"an expression was expected, and {word.text} stands here", place
            )
        return self._parse_name(self._check_tag(word), depth)

    def _parse_name(self, word: Token, depth: int) -> Expression:
        place = word.place
        if word.text in _BOOLEANS:
            return Truth(_BOOLEANS[word.text], place)
        if self.current.text == "(":
            return self._parse_call(word, depth)
        # there, [ begins the epsilon
        if self.current.text == "[" and not (
            self.allows_tags and word.text.partition("<")[0] not in self.lists
        ):
            if word.text.partition("<")[0] not in self.lists:
                raise UnsupportedProgram(
                    f"{word.text} is not a list among the parameters, and cannot be read by index",
                    place,
                )
            self.advance()
            index = self.parse_expression(0, depth + 1)
            self.expect("]")
            return Read(word.text, index, place)
        if word.text in self.lists and not self.allows_tags:
            raise UnsupportedProgram(
                f"the list {word.text} can be read by index only, as in {word.text}[i]", place
            )
        return Name(word.text, place)

    def _parse_call(self, word: Token, depth: int) -> Expression:
        self.expect("(")
        if word.text in ("size", "len", "length"):
            name = self.expect_name()
            self.expect(")")
            if name.text.partition("<")[0] not in self.lists:
                raise UnsupportedProgram(
                    f"{name.text} is not a list among the parameters, and has no {word.text}",
                    name.place,
                )
            return Length(name.text, word.place)
        arguments = [self.parse_expression(0, depth + 1)]
        while self.accept(","):
            arguments.append(self.parse_expression(0, depth + 1))
        self.expect(")")
        if word.text not in FUNCTIONS:
            raise UnsupportedProgram(
                f"{word.text} cannot be called in an expression; noise is drawn by :=$", word.place
            )
        operator, count = FUNCTIONS[word.text]
        if len(arguments) != count:
            raise UnsupportedProgram(
                f"{word.text} takes {count} argument{'s' if count > 1 else ''}", word.place
            )
        return Apply(operator, tuple(arguments), word.place)


def _build_binary(operator: str, left: Expression, right: Expression, place: Place) -> Expression:
    if operator in (">", ">="):
        return Apply("<" if operator == ">" else "<=", (right, left), place)
    return Apply(operator, (left, right), place)
