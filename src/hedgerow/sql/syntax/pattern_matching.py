"""Regular expressions that match: the trees of ``regular_expressions``, their text for the engine,
and their meaning.

``["set", a, b, c, d, …]`` is one code point from a to b or from c to d; ``["cat", …]`` one part
after the other; ``["or", …]`` the first part that lets the rest match; ``["rep", least, most, lazy,
part]`` as many repetitions as possible, or as few, ``most`` being None where there is no limit;
``["group", n, part]`` a part whose text is wanted; ``["^"]`` and ``["$"]`` the beginning and the
end of the whole text.

The match is the leftmost, and of these the first in the order of the choices, as backtracking finds
it. A place of the program that failed at a position is not tried there again, so the time grows
with the length of the program times that of the text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any, Final

__all__ = ["Pattern", "parse_replacement", "render_tree"]

Program = tuple[list[Any], int]  # instructions, and the place of the first
Spans = dict[int, int]  # group g begins at the position 2 g, and ends at 2 g + 1
_DONE: Final = 0  # the place of the last instruction
_LAST: Final = 0x10FFFF
_HARMLESS: Final = " /:_,;=@%<>"


class Pattern(str):
    """The text of a regular expression, as a constant of a plan: it knows what it matches.

    The plan does not: so the matching is no part of what a release depends on.
    """

    _program: Program

    def __new__(cls, tree: list[Any]) -> Pattern:
        """Build the pattern of a tree."""
        self = super().__new__(cls, render_tree(tree))
        self._program = _compile_program(tree)
        return self

    def matches(self, text: str) -> bool:
        """Return whether a piece of a text matches."""
        return _find_match(self._program, text) is not None

    def extract(self, text: str, group: int) -> str:
        """Return the text of a group of the first match, 0 being the whole; empty without one."""
        found = _find_match(self._program, text)
        return "" if found is None else text[found[2 * group] : found[2 * group + 1]]

    def substitute(self, text: str, replacement: str, every: bool) -> str:
        """Return a text with its first match replaced, or all of them; then none is empty."""
        parts, pieces, end = parse_replacement(replacement), list[str](), 0
        for found in self._find_matches(text, every):
            pieces.append(text[end : found[0]])
            pieces += [
                part if isinstance(part, str) else text[found[2 * part] : found[2 * part + 1]]
                for part in parts
            ]
            end = found[1]
        return "".join([*pieces, text[end:]])

    def _find_matches(self, text: str, every: bool) -> Iterator[Spans]:
        found = _find_match(self._program, text)
        while found is not None:
            yield found
            found = _find_match(self._program, text, found[1]) if every else None


def _compile_program(tree: list[Any]) -> Program:
    """Compile a tree from its end to its beginning: each instruction names the places after it."""
    program: list[Any] = [("done",)]

    def add(*instruction: Any) -> int:
        program.append(instruction)
        return len(program) - 1

    def build(node: Any, after: int) -> int:
        kind, *parts = node
        if kind == "cat":
            for part in reversed(parts):
                after = build(part, after)
            return after
        if kind == "or":
            return add("split", [build(part, after) for part in parts])
        if kind == "rep":
            return build_repetition(parts, after)
        if kind == "group":
            number, part = parts
            end = add("save", 2 * number + 1, after)
            return add("save", 2 * number, build(part, end))
        return add(kind, parts, after)

    def build_repetition(parts: list[Any], after: int) -> int:
        least, most, lazy, part = parts
        entry, order = after, -1 if lazy else 1
        if most is None:
            entry = add("split", [])
            program[entry][1].extend([build(part, entry), after][::order])
        for _ in range((most or least) - least):
            entry = add("split", [build(part, entry), after][::order])
        for _ in range(least):
            entry = build(part, entry)
        return entry

    entry = build(tree, _DONE)
    return program, entry


def _find_match(compiled: Program, text: str, start: int = 0) -> Spans | None:
    """Find the first match at a position or behind it."""
    program, entry = compiled
    seen = set()  # places that failed at a position, whatever led to them
    for begin in range(start, len(text) + 1):
        waiting: list[tuple[int, int, tuple[tuple[int, int], ...]]] = [(entry, begin, ())]
        while waiting:
            place, position, spans = waiting.pop()
            if place == _DONE:
                return {0: begin, 1: position, **dict(spans)}
            if (place, position) in seen:
                continue
            seen.add((place, position))
            kind, what, *after = program[place]
            if kind == "split":
                waiting.extend((target, position, spans) for target in reversed(what))
            elif kind == "save":
                waiting.append((*after, position, (*spans, (what, position))))
            elif kind == "set":
                if position < len(text) and _is_in_set(text[position], what):
                    waiting.append((*after, position + 1, spans))
            elif position == (0 if kind == "^" else len(text)):
                waiting.append((*after, position, spans))
    return None


def _is_in_set(character: str, ends: list[int]) -> bool:
    code = ord(character)
    return any(low <= code <= high for low, high in zip(ends[::2], ends[1::2], strict=True))


def render_tree(node: list[Any]) -> str:
    """Render a tree as text for RE2: each tree has one text."""
    kind, *parts = node
    if kind == "set":
        return _render_set(parts)
    if kind == "cat":
        return "".join(_wrap(part) if part[0] == "or" else render_tree(part) for part in parts)
    if kind == "or":
        return "|".join(map(render_tree, parts))
    if kind == "rep":
        least, most, lazy, part = parts
        return f"{_wrap(part)}{_render_bounds(least, most)}{'?' * lazy}"
    return f"({render_tree(parts[1])})" if kind == "group" else str(kind)


def _wrap(node: list[Any]) -> str:
    text = render_tree(node)
    return text if node[0] in ("set", "group") else f"(?:{text})"


def _render_bounds(least: int, most: int | None) -> str:
    short = {(0, None): "*", (1, None): "+", (0, 1): "?"}.get((least, most))
    if short is not None:
        return short
    if most is None:
        return f"{{{least},}}"
    return f"{{{least}}}" if least == most else f"{{{least},{most}}}"


def _render_set(ends: list[int]) -> str:
    pairs = list(zip(ends[::2], ends[1::2], strict=True))
    if len(pairs) == 1 and pairs[0][0] == pairs[0][1]:
        return _render_character(ends[0])
    negated = pairs[-1][1] == _LAST and (pairs[0][0] != 0 or len(pairs) > 1)
    if negated:
        starts = [0, *(high + 1 for _, high in pairs[:-1])]
        pairs = [(a, low - 1) for a, (low, _) in zip(starts, pairs, strict=True) if a < low]
    body = "".join(
        _render_character(low) + (f"-{_render_character(high)}" if high > low else "")
        for low, high in pairs
    )
    return f"[{'^' * negated}{body}]"


def _render_character(code: int) -> str:
    """Render a character: harmless ones of ASCII as they are, others escaped or by their number."""
    character = chr(code)
    if not character.isascii() or not character.isprintable():
        return f"\\x{{{code:x}}}"
    return character if character.isalnum() or character in _HARMLESS else f"\\{character}"


def parse_replacement(text: str) -> list[str | int]:
    """Return a replacement as texts and numbers of groups: \\1 is a group, \\0 the whole match and
    \\\\ a backslash.
    """
    pieces = re.findall(r"\\.|\\$|[^\\]+", text, re.DOTALL)
    found: list[str | int] = []
    for piece in pieces:
        if piece[0] != "\\" or piece == "\\\\":
            word = "\\" if piece == "\\\\" else piece
            if found and isinstance(found[-1], str):
                found[-1] += word
            else:
                found.append(word)
        elif piece[1:].isdecimal() and piece.isascii():
            found.append(int(piece[1:]))
        else:
            raise ValueError(piece)
    return found
