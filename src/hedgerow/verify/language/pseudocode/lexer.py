"""The words of ``*.hr`` files: lines, how far they are indented, and what stands on them."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.program import Place
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["Token", "TokenLine", "tokenise_lines"]

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t]+)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)
      | (?P<name>[^\W\d]\w*(?:<[12]>)?)
      | (?P<sign>:=\$|==>|:=|\+\+|<=|>=|==|!=|<>|&&|\|\||[-+*/%<>=()\[\]{},;:|&~^!])
    """,
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"(#|//).*")
_MAX_LINE_LENGTH: Final = 2000
_TAB_WIDTH: Final = 8


@dataclass(frozen=True, slots=True)
class Token:
    """``sort`` is number, name, sign or end."""

    kind: str
    text: str
    place: Place


@dataclass(frozen=True, slots=True)
class TokenLine:
    indent: int
    tokens: tuple[Token, ...]

    @property
    def place(self) -> Place:
        return self.tokens[0].place


def tokenise_lines(text: str) -> list[TokenLine]:
    """The lines that are not empty. A line goes on while a bracket is open."""
    found: list[TokenLine] = []
    open_, held, indent = 0, list[Token](), 0
    for number, raw in enumerate(text.splitlines(), 1):
        if len(raw) > _MAX_LINE_LENGTH:
            raise UnsupportedProgram(
                f"the line has more than {_MAX_LINE_LENGTH} characters", Place(number)
            )
        line = _COMMENT.sub("", raw).expandtabs(_TAB_WIDTH).rstrip()
        if not line:
            continue
        if not held:
            indent = len(line) - len(line.lstrip())
        words = _tokenise(line, number)
        held += words
        open_ += sum(one.text in "([{" for one in words if one.kind == "sign") - sum(
            one.text in ")]}" for one in words if one.kind == "sign"
        )
        if open_ < 0:
            raise UnsupportedProgram("a bracket is closed that was not opened", words[0].place)
        if not open_:
            found.append(TokenLine(indent, tuple(held)))
            held = []
    if held:
        raise UnsupportedProgram("a bracket is never closed", held[0].place)
    return found


def _tokenise(line: str, number: int) -> list[Token]:
    found, at = [], 0
    while at < len(line):
        match = _TOKEN.match(line, at)
        if match is None:
            raise UnsupportedProgram(
                f"{line[at]!r} is not a word of the language", Place(number, at)
            )
        if match.lastgroup != "space":
            found.append(Token(str(match.lastgroup), match.group(), Place(number, at)))
        at = match.end()
    return found
