"""Expressions of ``*.hr`` files, read by how tightly their signs bind."""

from __future__ import annotations

from collections.abc import Collection, Sequence
from fractions import Fraction
from typing import Final

from hedgerow.verify.language.hr.words import Word
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Apply, Expression, Length, Name, Number, Place, Read, Truth
from hedgerow.verify.language.signature import FUNCTIONS, number

__all__ = ["Cursor"]

_DEEPEST: Final = 60
_TRUTHS: Final = {"true": True, "false": False, "True": True, "False": False}
_SAME_WORD: Final = {"||": "or", "&&": "and", "mod": "%", "=": "==", "<>": "!=", "&": "bits&", "^": "xor", "++": "concat"}
_BINDING: Final[dict[str, int]] = (
    {"or": 1, "and": 2, "==": 4, "!=": 4, "<": 4, "<=": 4, ">": 4, ">=": 4, "xor": 5, "concat": 5}
    | {"bits&": 5, "+": 6, "-": 6, "*": 7, "/": 7, "%": 7}
)  # fmt: skip
_NOT, _MINUS = 3, 8


class Cursor:
    """The words of one line, read from left to right. ``lists`` are the names that can be read by index; ``tags`` allows ``x<1>``."""

    def __init__(self, words: Sequence[Word], lists: Collection[str] = (), *, tags: bool = False) -> None:
        self.words, self.at, self.lists, self.tags = words, 0, lists, tags

    @property
    def here(self) -> Word:
        if self.at < len(self.words):
            return self.words[self.at]
        last = self.words[-1].place
        return Word("end", "the end of the line", last)

    def next(self) -> Word:
        word = self.here
        self.at += 1
        return word

    def takes(self, *texts: str) -> bool:
        """Whether the next words are these; if so they are passed."""
        found = [one.text for one in self.words[self.at : self.at + len(texts)]]
        if found == list(texts):
            self.at += len(texts)
            return True
        return False

    def need(self, text: str) -> Word:
        word = self.next()
        if word.text != text:
            raise Outside(f"{text} was expected, and {word.text} stands here", word.place)
        return word

    def name(self) -> Word:
        word = self.next()
        if word.sort != "name":
            raise Outside(f"a name was expected, and {word.text} stands here", word.place)
        return self._checked(word)

    def ended(self) -> None:
        if self.here.sort != "end":
            raise Outside(f"{self.here.text} is one word too many", self.here.place)

    def _checked(self, word: Word) -> Word:
        if word.text.endswith(">") and not self.tags:
            raise Outside(f"{word.text}: only a judgement speaks of two runs; leave spaces around a comparison", word.place)
        return word

    def expression(self, least: int = 0, depth: int = 0) -> Expression:
        if depth > _DEEPEST:
            raise Outside(f"there are more than {_DEEPEST} expressions within expressions", self.here.place)
        value = self._first(depth)
        while True:
            word = self.here
            operator = _SAME_WORD.get(word.text, word.text)
            binding = _BINDING.get(operator, -1)
            if binding < max(least, 1) or (operator == "concat" and self.words[self.at + 1 : self.at + 2] and self._starts_list(1)):
                return value
            self.next()
            value = _applied(operator, value, self.expression(binding + 1, depth + 1), word.place)

    def _starts_list(self, ahead: int) -> bool:
        return self.words[self.at + ahead].text == "["

    def _first(self, depth: int) -> Expression:
        word = self.next()
        place = word.place
        if word.sort == "number":
            return number(Fraction(word.text), place)
        if word.text == "(":
            value = self.expression(0, depth + 1)
            self.need(")")
            return value
        if word.text == "|":
            value = self.expression(_BINDING["xor"], depth + 1)
            self.need("|")
            return Apply("abs", (value,), place)
        if word.text in ("not", "!"):
            return Apply("not", (self.expression(_NOT, depth + 1),), place)
        if word.text == "-":
            value = self.expression(_MINUS, depth + 1)
            return Number(-value.value, place) if isinstance(value, Number) else Apply("negate", (value,), place)
        if word.text == "~":
            return Apply("bits~", (self.expression(_MINUS, depth + 1),), place)
        if word.sort != "name" or word.text in _BINDING or word.text in _SAME_WORD:
            raise Outside(f"an expression was expected, and {word.text} stands here", place)
        return self._named(self._checked(word), depth)

    def _named(self, word: Word, depth: int) -> Expression:
        place = word.place
        if word.text in _TRUTHS:
            return Truth(_TRUTHS[word.text], place)
        if self.here.text == "(":
            return self._call(word, depth)
        if self.here.text == "[" and not (self.tags and word.text.partition("<")[0] not in self.lists):  # there, [ begins the epsilon
            if word.text.partition("<")[0] not in self.lists:
                raise Outside(f"{word.text} is not a list among the parameters, and cannot be read by index", place)
            self.next()
            index = self.expression(0, depth + 1)
            self.need("]")
            return Read(word.text, index, place)
        if word.text in self.lists and not self.tags:
            raise Outside(f"the list {word.text} can be read by index only, as in {word.text}[i]", place)
        return Name(word.text, place)

    def _call(self, word: Word, depth: int) -> Expression:
        self.need("(")
        if word.text in ("size", "len", "length"):
            name = self.name()
            self.need(")")
            if name.text.partition("<")[0] not in self.lists:
                raise Outside(f"{name.text} is not a list among the parameters, and has no {word.text}", name.place)
            return Length(name.text, word.place)
        arguments = [self.expression(0, depth + 1)]
        while self.takes(","):
            arguments.append(self.expression(0, depth + 1))
        self.need(")")
        if word.text not in FUNCTIONS:
            raise Outside(f"{word.text} cannot be called in an expression; noise is drawn by :=$", word.place)
        operator, count = FUNCTIONS[word.text]
        if len(arguments) != count:
            raise Outside(f"{word.text} takes {count} argument{'s' if count > 1 else ''}", word.place)
        return Apply(operator, tuple(arguments), word.place)


def _applied(operator: str, left: Expression, right: Expression, place: Place) -> Expression:
    if operator in (">", ">="):
        return Apply("<" if operator == ">" else "<=", (right, left), place)
    return Apply(operator, (left, right), place)
