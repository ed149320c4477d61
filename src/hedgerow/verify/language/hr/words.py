"""The words of ``*.hr`` files: lines, how far they are indented, and what stands on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import Place

__all__ = ["Line", "Word", "lines"]

_WORD: Final = re.compile(
    r"""(?P<space>[ \t]+)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)
      | (?P<name>[^\W\d]\w*(?:<[12]>)?)
      | (?P<sign>:=\$|==>|:=|\+\+|<=|>=|==|!=|<>|&&|\|\||[-+*/%<>=()\[\]{},;:|&~^!])
    """,
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"(#|//).*")
_LONGEST_LINE: Final = 2000
_TAB: Final = 8


@dataclass(frozen=True, slots=True)
class Word:
    """``sort`` is number, name, sign or end."""

    sort: str
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class Line:
    indent: int
    words: tuple[Word, ...]

    @property
    def place(self) -> Place:
        return self.words[0].place


def lines(text: str) -> list[Line]:
    """The lines that are not empty. A line goes on while a bracket is open."""
    found: list[Line] = []
    open_, held, indent = 0, list[Word](), 0
    for number, raw in enumerate(text.splitlines(), 1):
        if len(raw) > _LONGEST_LINE:
            raise Outside(f"the line has more than {_LONGEST_LINE} characters", Place(number))
        line = _COMMENT.sub("", raw).expandtabs(_TAB).rstrip()
        if not line:
            continue
        if not held:
            indent = len(line) - len(line.lstrip())
        words = _words(line, number)
        held += words
        open_ += sum(one.text in "([{" for one in words if one.sort == "sign") - sum(
            one.text in ")]}" for one in words if one.sort == "sign"
        )
        if open_ < 0:
            raise Outside("a bracket is closed that was not opened", words[0].place)
        if not open_:
            found.append(Line(indent, tuple(held)))
            held = []
    if held:
        raise Outside("a bracket is never closed", held[0].place)
    return found


def _words(line: str, number: int) -> list[Word]:
    found, at = [], 0
    while at < len(line):
        match = _WORD.match(line, at)
        if match is None:
            raise Outside(f"{line[at]!r} is not a word of the language", Place(number, at))
        if match.lastgroup != "space":
            found.append(Word(str(match.lastgroup), match.group(), Place(number, at)))
        at = match.end()
    return found
