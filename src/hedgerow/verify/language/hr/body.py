"""The body of a program in an ``*.hr`` file, as steps."""

from __future__ import annotations

from collections.abc import Sequence

from hedgerow.verify.language.hr.expressions import Cursor
from hedgerow.verify.language.hr.words import Line, Word
from hedgerow.verify.language.lowering import Branch, Draw, Fresh, Leave, Loop, Say, Set, Step, Steps
from hedgerow.verify.language.outside import Outside
from hedgerow.verify.language.program import PARAMETERS, Apply, Expression, Name, Noise, Parameter, Place
from hedgerow.verify.language.signature import CENTRED, NOISES

__all__ = ["Body"]

_KEYWORDS = frozenset({"if", "else", "elif", "while", "return", "output", "skip", "claim", "judge", "do", "then"})


class Body:
    """Reads the lines below a head. ``gathered`` is the list that is built up and returned, if there is one."""

    def __init__(self, lines: Sequence[Line], parameters: Sequence[Parameter], fresh: Fresh) -> None:
        self.lines, self.fresh = [part for line in lines for part in _spread(line)], fresh
        self.lists = {one.name for one in parameters if one.list}
        self.gathered: str | None = None
        self.told = False  # something was told otherwise than by the list

    def steps(self) -> Steps:
        steps, at = self.block(0, self.lines[0].indent, top=True)
        if at < len(self.lines):
            raise Outside("this line is indented less than the lines above it, and more than the head", self.lines[at].place)
        if self.gathered is not None and not (steps and isinstance(steps[-1], Leave)):
            raise Outside(f"the list {self.gathered} is gathered but not returned at the end", self.lines[-1].place)
        return steps

    def block(self, at: int, indent: int, *, top: bool = False) -> tuple[Steps, int]:
        """The steps from this line on that stand at this depth, and the line after them."""
        steps: list[Step] = []
        while at < len(self.lines) and self.lines[at].indent >= indent:
            line = self.lines[at]
            if line.indent > indent:
                raise Outside("this line is indented more than the line above it", line.place)
            first = line.words[0].text
            if first == "while":
                loop, at = self.loop(at)
                steps.append(loop)
            elif first == "if":
                branch, at = self.choice(at)
                steps.append(branch)
            else:
                for words in _split(line.words):
                    steps += self.statement(words, top=top)
                at += 1
        return tuple(steps), at

    def condition(self, line: Line, *ends: str) -> Expression:
        cursor = Cursor(line.words, self.lists)
        cursor.next()
        condition = cursor.expression()
        any(cursor.takes(end) for end in ends)
        cursor.takes(":")
        cursor.ended()
        return condition

    def inner(self, at: int) -> tuple[Steps, int]:
        line = self.lines[at]
        if at + 1 >= len(self.lines) or self.lines[at + 1].indent <= line.indent:
            raise Outside("the lines below this one must be indented more", line.place)
        return self.block(at + 1, self.lines[at + 1].indent)

    def loop(self, at: int) -> tuple[Step, int]:
        line = self.lines[at]
        condition = self.condition(line, "do")
        body, after = self.inner(at)
        return Loop(condition, body, (), (), line.place), after

    def choice(self, at: int) -> tuple[Step, int]:
        line = self.lines[at]
        condition = self.condition(line, "then")
        then, after = self.inner(at)
        otherwise: Steps = ()
        if after < len(self.lines) and self.lines[after].indent == line.indent:
            following = self.lines[after]
            first = [one.text for one in following.words[:2]]
            if first[0] == "elif" or first == ["else", "if"]:
                words = following.words[first[0] == "else" :]
                held = self.lines
                self.lines = [*held[:after], Line(following.indent, words), *held[after + 1 :]]
                other, after = self.choice(after)
                self.lines = held
                return Branch(condition, then, (other,), line.place), after
            if first[0] == "else":
                cursor = Cursor(following.words)
                cursor.next()
                cursor.takes(":")
                cursor.ended()
                otherwise, after = self.inner(after)
        return Branch(condition, then, otherwise, line.place), after

    def statement(self, words: Sequence[Word], *, top: bool) -> list[Step]:
        cursor = Cursor(words, self.lists)
        first = words[0]
        if cursor.takes("skip"):
            cursor.ended()
            return []
        if cursor.takes("return"):
            return [*self.returned(cursor), Leave("return", first.place)]
        if cursor.takes("output"):
            value = cursor.expression()
            cursor.ended()
            self.told = True
            self.either(first.place)
            return [Say(value, first.place)]
        if first.text in _KEYWORDS:
            raise Outside(f"{first.text} does not belong here", first.place)
        name = cursor.name()
        if cursor.takes(":=$"):
            return self.drawn(name, cursor)
        cursor.need(":=")
        return self.assigned(name, cursor, top=top)

    def assigned(self, name: Word, cursor: Cursor, *, top: bool) -> list[Step]:
        if cursor.takes("[", "]"):
            cursor.ended()
            if self.gathered is not None or not top:
                raise Outside("one list may be gathered, started once as [] outside of all branches and loops", name.place)
            self.gathered = name.text
            self.either(name.place)
            return []
        if name.text == self.gathered:
            if not cursor.takes(name.text, "++", "["):
                raise Outside(f"the list {name.text} can only grow at its end, as in {name.text} := {name.text} ++ [value]", name.place)
            values = self.listed(cursor, "]")
            cursor.ended()
            return [Say(one, name.place) for one in values]
        value = cursor.expression()
        cursor.ended()
        return [Set(name.text, value, name.place)]

    def listed(self, cursor: Cursor, end: str) -> list[Expression]:
        values = [cursor.expression()]
        while cursor.takes(","):
            values.append(cursor.expression())
        cursor.need(end)
        return values

    def returned(self, cursor: Cursor) -> list[Step]:
        place = cursor.here.place
        if self.gathered is not None:
            if not cursor.takes(self.gathered):
                raise Outside(f"the list {self.gathered} is gathered, so that every return must give it", place)
            cursor.ended()
            return []  # it was told when it was put on the list
        self.told = True
        if cursor.here.sort == "end":
            return []
        if cursor.takes("["):
            values = self.listed(cursor, "]")
        else:
            tuple_ = cursor.here.text == "(" and _is_tuple(cursor)
            if tuple_:
                cursor.next()
            values = self.listed(cursor, ")") if tuple_ else [cursor.expression()]
        cursor.ended()
        return [Say(one, place) for one in values]

    def either(self, place: Place) -> None:
        if self.told and self.gathered is not None:
            raise Outside("give what is told either by output or in one list that is returned, not both", place)

    def drawn(self, name: Word, cursor: Cursor) -> list[Step]:
        word = cursor.name()
        if name.text == self.gathered:
            raise Outside(f"the list {name.text} can only grow at its end", name.place)
        cursor.need("(")
        lower = word.text.lower()
        if lower == "uniform" and (width := self.width(cursor)) is not None:
            return [Draw(name.text, Noise.BITS, (width,), name.place)]
        noise = NOISES.get({"flip": "bernoulli", "normal": "gaussian"}.get(lower, lower))
        if noise is None:
            raise Outside(f"{word.text} is no distribution of the language", word.place)
        arguments = self.listed(cursor, ")")
        cursor.ended()
        count = PARAMETERS[noise]
        if len(arguments) == count:
            return [Draw(name.text, noise, tuple(arguments), name.place)]
        if noise not in CENTRED or len(arguments) != count + 1:
            raise Outside(f"{word.text} takes {count} parameter{'s' if count > 1 else ''}", word.place)
        drawn = self.fresh.name("noise")
        centred = Apply("+", (arguments[0], Name(drawn, word.place)), word.place)
        return [Draw(drawn, noise, tuple(arguments[1:]), name.place), Set(name.text, centred, name.place)]

    def width(self, cursor: Cursor) -> Expression | None:
        """Of Uniform(bits[n]) or Uniform({0,1}^n)."""
        if cursor.takes("bits", "["):
            width = cursor.expression()
            cursor.need("]")
        elif cursor.takes("{", "0", ",", "1", "}", "^"):
            width = cursor.expression()
        else:
            return None
        cursor.need(")")
        cursor.ended()
        return width


def _spread(line: Line) -> list[Line]:
    """``if c then a else b`` and ``while c do a`` on one line, as the lines that they would be."""
    words, below = line.words, line.indent + 1
    marks = [number for number, word in enumerate(words[:-1]) if word.sort == "name" and word.text in ("then", "do")]
    if words[0].text in ("if", "elif", "while", "else") and marks:
        first = marks[0] + 1
        other = next((number for number, word in enumerate(words) if number > first and word.text == "else"), len(words))
        found = [Line(line.indent, words[:first]), *_spread(Line(below, words[first:other]))]
        return found + (_spread(Line(line.indent, words[other:])) if other < len(words) else [])
    if words[0].text == "else" and len(words) > 1 and words[1].text not in (":", "if"):
        return [Line(line.indent, words[:1]), *_spread(Line(below, words[1:]))]
    return [line]


def _split(words: Sequence[Word]) -> list[Sequence[Word]]:
    """The statements of a line."""
    found: list[list[Word]] = [[]]
    for word in words:
        if word.sort == "sign" and word.text == ";":
            found.append([])
        else:
            found[-1].append(word)
    return [one for one in found if one]


def _is_tuple(cursor: Cursor) -> bool:
    """Whether the bracket that opens here closes at the end of the line, with a comma directly inside."""
    depth, comma = 0, False
    for number, word in enumerate(cursor.words[cursor.at : -1]):
        depth += word.text in "([{" if word.sort == "sign" else 0
        depth -= word.text in ")]}" if word.sort == "sign" else 0
        comma |= depth == 1 and word.text == ","
        if number and depth == 0:
            return False
    return comma
