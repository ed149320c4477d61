"""The statement parser of ``*.hr`` files: the body of a program as steps."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import groupby

from hedgerow.verify.language.program import (
    NOISE_PARAMETER_COUNTS,
    Apply,
    Assign,
    Expression,
    Name,
    Noise,
    Output,
    Parameter,
    Place,
    Sample,
)
from hedgerow.verify.language.pseudocode.expressions import TokenCursor
from hedgerow.verify.language.pseudocode.lexer import Token, TokenLine
from hedgerow.verify.language.signature import CENTRED_NOISES, NOISE_NAMES
from hedgerow.verify.language.steps import (
    BranchStep,
    JumpStep,
    LoopStep,
    NameSupply,
    Step,
    Steps,
)
from hedgerow.verify.language.unsupported import UnsupportedProgram

__all__ = ["BodyParser"]

_KEYWORDS = frozenset(
    {"if", "else", "elif", "while", "return", "output", "skip", "claim", "judge", "do", "then"}
)


class BodyParser:
    """A parser of the lines below a head. ``returned_list`` is the list that the program builds and
    returns, if any.
    """

    def __init__(
        self, lines: Sequence[TokenLine], parameters: Sequence[Parameter], fresh: NameSupply
    ) -> None:
        self.lines = [part for line in lines for part in _expand_line(line)]
        self.name_supply = fresh
        self.lists = {one.name for one in parameters if one.list}
        self.returned_list: str | None = None
        self.has_output = False  # there is an output or a return besides the list

    def parse_steps(self) -> Steps:
        steps, at = self.parse_block(0, self.lines[0].indent, top=True)
        if at < len(self.lines):
            raise UnsupportedProgram(
                "the indentation of this line matches no block; align it with one",
                self.lines[at].place,
            )
        if self.returned_list is not None and not (steps and isinstance(steps[-1], JumpStep)):
            raise UnsupportedProgram(
                f"the list {self.returned_list} is never returned; return it at the end",
                self.lines[-1].place,
            )
        return steps

    def parse_block(self, at: int, indent: int, *, top: bool = False) -> tuple[Steps, int]:
        """Parse the steps at this indentation, and return the number of the line after them."""
        steps: list[Step] = []
        parsers = {"while": self.parse_loop, "if": self.parse_branch}
        while at < len(self.lines) and self.lines[at].indent >= indent:
            line = self.lines[at]
            if line.indent > indent:
                raise UnsupportedProgram(
                    "unexpected indent; align this line with the line above it", line.place
                )
            first = line.tokens[0].text
            if first in parsers:
                step, at = parsers[first](at)
                steps.append(step)
            else:
                for words in _split_statements(line.tokens):
                    steps += self.parse_statement(words, top=top)
                at += 1
        return tuple(steps), at

    def parse_condition(self, line: TokenLine, *ends: str) -> Expression:
        cursor = TokenCursor(line.tokens, self.lists)
        cursor.advance()
        condition = cursor.parse_expression()
        any(cursor.accept(end) for end in ends)
        cursor.accept(":")
        cursor.expect_end()
        return condition

    def parse_indented(self, at: int) -> tuple[Steps, int]:
        line = self.lines[at]
        if at + 1 >= len(self.lines) or self.lines[at + 1].indent <= line.indent:
            raise UnsupportedProgram("an indented block must follow this line", line.place)
        return self.parse_block(at + 1, self.lines[at + 1].indent)

    def parse_loop(self, at: int) -> tuple[Step, int]:
        line = self.lines[at]
        condition = self.parse_condition(line, "do")
        body, after = self.parse_indented(at)
        return LoopStep(condition, body, (), (), line.place), after

    def parse_branch(self, at: int) -> tuple[Step, int]:
        line = self.lines[at]
        condition = self.parse_condition(line, "then")
        then, after = self.parse_indented(at)
        otherwise: Steps = ()
        if after < len(self.lines) and self.lines[after].indent == line.indent:
            following = self.lines[after]
            first = [one.text for one in following.tokens[:2]]
            if first[0] == "elif" or first == ["else", "if"]:
                words = following.tokens[first[0] == "else" :]
                self.lines[after] = TokenLine(following.indent, words)
                branch, after = self.parse_branch(after)
                return BranchStep(condition, then, (branch,), line.place), after
            if first[0] == "else":
                cursor = TokenCursor(following.tokens)
                cursor.advance()
                cursor.accept(":")
                cursor.expect_end()
                otherwise, after = self.parse_indented(after)
        return BranchStep(condition, then, otherwise, line.place), after

    def parse_statement(self, words: Sequence[Token], *, top: bool) -> list[Step]:
        cursor = TokenCursor(words, self.lists)
        first = words[0]
        if cursor.accept("skip"):
            cursor.expect_end()
            return []
        if cursor.accept("return"):
            return [*self.parse_return(cursor), JumpStep("return", first.place)]
        if cursor.accept("output"):
            value = cursor.parse_expression()
            cursor.expect_end()
            self.has_output = True
            self.refuse_mixed_outputs(first.place)
            return [Output(value, first.place)]
        if first.text in _KEYWORDS:
            raise UnsupportedProgram(f"{first.text} cannot start a statement here", first.place)
        name = cursor.expect_name()
        if cursor.accept(":=$"):
            return self.parse_draw(name, cursor)
        cursor.expect(":=")
        return self.parse_assignment(name, cursor, top=top)

    def parse_assignment(self, name: Token, cursor: TokenCursor, *, top: bool) -> list[Step]:
        if cursor.accept("[", "]"):
            cursor.expect_end()
            if self.returned_list is not None or not top:
                raise UnsupportedProgram(
                    "only one list can be built; start it once as [], outside branches and loops",
                    name.place,
                )
            self.returned_list = name.text
            self.refuse_mixed_outputs(name.place)
            return []
        if name.text == self.returned_list:
            if not cursor.accept(name.text, "++", "["):
                raise UnsupportedProgram(
                    f"the list {name.text} can only grow at its end; write {name.text} :="
                    f" {name.text} ++ [value]",
                    name.place,
                )
            values = cursor.parse_list("]")
            cursor.expect_end()
            return [Output(one, name.place) for one in values]
        value = cursor.parse_expression()
        cursor.expect_end()
        return [Assign(name.text, value, name.place)]

    def parse_return(self, cursor: TokenCursor) -> list[Step]:
        place = cursor.current.place
        if self.returned_list is not None:
            if not cursor.accept(self.returned_list):
                raise UnsupportedProgram(
                    f"every return must return the list {self.returned_list}",
                    place,
                )
            cursor.expect_end()
            return []  # each entry was output when it was appended
        self.has_output = True
        if cursor.current.kind == "end":
            return []
        if cursor.accept("["):
            values = cursor.parse_list("]")
        elif cursor.current.text == "(" and _is_tuple(cursor):
            cursor.advance()
            values = cursor.parse_list(")")
        else:
            values = [cursor.parse_expression()]
        cursor.expect_end()
        return [Output(one, place) for one in values]

    def refuse_mixed_outputs(self, place: Place) -> None:
        if self.has_output and self.returned_list is not None:
            raise UnsupportedProgram(
                "use either output or one returned list, not both",
                place,
            )

    def parse_draw(self, name: Token, cursor: TokenCursor) -> list[Step]:
        word = cursor.expect_name()
        if name.text == self.returned_list:
            raise UnsupportedProgram(
                f"the list {name.text} can only grow at its end; draw into another variable",
                name.place,
            )
        cursor.expect("(")
        lower = word.text.lower()
        if lower == "uniform" and (width := self.parse_width(cursor)) is not None:
            return [Sample(name.text, Noise.BITS, (width,), 0, name.place)]
        noise = NOISE_NAMES.get({"flip": "bernoulli", "normal": "gaussian"}.get(lower, lower))
        if noise is None:
            names = ", ".join(sorted(NOISE_NAMES))
            raise UnsupportedProgram(
                f"{word.text} is not a distribution; use one of {names}", word.place
            )
        arguments = cursor.parse_list(")")
        cursor.expect_end()
        count = NOISE_PARAMETER_COUNTS[noise]
        if len(arguments) == count:
            return [Sample(name.text, noise, tuple(arguments), 0, name.place)]
        if noise not in CENTRED_NOISES or len(arguments) != count + 1:
            raise UnsupportedProgram(
                f"{word.text} takes {count} parameter{'s' if count > 1 else ''}", word.place
            )
        drawn = self.name_supply.make_name("noise")
        centred = Apply("+", (arguments[0], Name(drawn, word.place)), word.place)
        return [
            Sample(drawn, noise, tuple(arguments[1:]), 0, name.place),
            Assign(name.text, centred, name.place),
        ]

    def parse_width(self, cursor: TokenCursor) -> Expression | None:
        """Parse the rest of Uniform(bits[n]) or Uniform({0,1}^n)."""
        if cursor.accept("bits", "["):
            width = cursor.parse_until("]")
        elif cursor.accept("{", "0", ",", "1", "}", "^"):
            width = cursor.parse_expression()
        else:
            return None
        cursor.expect(")")
        cursor.expect_end()
        return width


def _expand_line(line: TokenLine) -> list[TokenLine]:
    """Split ``if c then a else b`` and ``while c do a`` on one line into several lines."""
    words, below = line.tokens, line.indent + 1
    marks = [
        number
        for number, word in enumerate(words[:-1])
        if word.kind == "name" and word.text in ("then", "do")
    ]
    if words[0].text in ("if", "elif", "while", "else") and marks:
        first = marks[0] + 1
        end = next(
            (number for number, word in enumerate(words) if number > first and word.text == "else"),
            len(words),
        )
        rest = _expand_line(TokenLine(line.indent, words[end:])) if end < len(words) else []
        return [
            TokenLine(line.indent, words[:first]),
            *_expand_line(TokenLine(below, words[first:end])),
            *rest,
        ]
    if words[0].text == "else" and len(words) > 1 and words[1].text not in (":", "if"):
        return [TokenLine(line.indent, words[:1]), *_expand_line(TokenLine(below, words[1:]))]
    return [line]


def _split_statements(words: Sequence[Token]) -> list[Sequence[Token]]:
    parts = groupby(words, lambda word: word.kind == "sign" and word.text == ";")
    return [tuple(part) for is_end, part in parts if not is_end]


def _is_tuple(cursor: TokenCursor) -> bool:
    """Return whether the bracket that opens here closes at the end of the line and has a comma
    directly inside.
    """
    depth, comma = 0, False
    for number, word in enumerate(cursor.tokens[cursor.position : -1]):
        depth += word.text in "([{" if word.kind == "sign" else 0
        depth -= word.text in ")]}" if word.kind == "sign" else 0
        comma |= depth == 1 and word.text == ","
        if number and depth == 0:
            return False
    return comma
