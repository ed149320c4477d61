"""The lexer of ``*.hr`` files: logical lines with their indentation and tokens."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Final

from hedgerow.verify.language.program import Place
from hedgerow.verify.language.unsupported import UnsupportedProgram, refuse_construct

__all__ = ["Token", "TokenLine", "tokenise_lines"]

_TOKEN: Final = re.compile(
    r"""(?P<space>[ \t]+)
      | (?P<number>\d+(?:\.\d+)?(?:[eE][+-]?\d{1,3})?)
      | (?P<name>[^\W\d]\w*(?:<[12]>)?)
      | (?P<sign>:=\$|==>|:=|\+\+|<=|>=|==|!=|<>|&&|\|\||[-+*/%<>=()\[\]{},;:|&~^!])
      | (?P<unknown>.)
    """,
    re.VERBOSE,
)
_COMMENT: Final = re.compile(r"(#|//).*")
_MAX_LINE_LENGTH: Final = 2000
_TAB_WIDTH: Final = 8


@dataclass(frozen=True, slots=True)
class Token:
    """A token; ``kind`` is number, name, sign or end."""

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
    """Return the lines that are not empty. A line continues while a bracket is open."""
    lines: list[TokenLine] = []
    depth, pending, indent = 0, list[Token](), 0
    for number, raw in enumerate(text.splitlines(), 1):
        if len(raw) > _MAX_LINE_LENGTH:
            raise UnsupportedProgram(
                f"the line has more than {_MAX_LINE_LENGTH} characters; split it", Place(number)
            )
        line = _COMMENT.sub("", raw).expandtabs(_TAB_WIDTH).rstrip()
        if not line:
            continue
        if not pending:
            indent = len(line) - len(line.lstrip())
        tokens = _tokenise(line, number)
        pending += tokens
        depth += sum(one.text in "([{" for one in tokens if one.kind == "sign") - sum(
            one.text in ")]}" for one in tokens if one.kind == "sign"
        )
        if depth < 0:
            raise UnsupportedProgram("a closing bracket has no opening bracket", tokens[0].place)
        if not depth:
            lines.append(TokenLine(indent, tuple(pending)))
            pending = []
    if pending:
        raise UnsupportedProgram("an opening bracket has no closing bracket", pending[0].place)
    return lines


def _tokenise(line: str, number: int) -> list[Token]:
    tokens = []
    for match in _TOKEN.finditer(line):
        place = Place(number, match.start())
        if match.lastgroup == "unknown":
            raise refuse_construct(repr(match.group()), place)
        if match.lastgroup != "space":
            tokens.append(Token(str(match.lastgroup), match.group(), place))
    return tokens
