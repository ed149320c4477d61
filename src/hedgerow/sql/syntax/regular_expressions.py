"""Regular expressions: the subset that questions may use, read into the trees
of ``pattern_matching``.

Every tree means the same in RE2 and by backtracking. So what databases disagree on is refused:
repetitions of what may be empty, groups whose text depends on the path to them, back-references,
looking around, flags.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any, Final

from hedgerow.sql.syntax.pattern_matching import Pattern

__all__ = ["PatternError", "RegularExpression"]

MAX_LENGTH: Final = 1000
MAX_SIZE: Final = 1000  # parts, repetitions written out
_MAX_COUNT: Final = 1000
_LAST: Final = 0x10FFFF
_QUANTIFIERS: Final = {"*": (0, None), "+": (1, None), "?": (0, 1)}
_BOUNDS: Final = re.compile(r"\{([0-9]{1,4})(,?)([0-9]{0,4})\}")
_CLASSES: Final = {
    "d": ((48, 57),),
    "w": ((48, 57), (65, 90), (95, 95), (97, 122)),
    "s": ((9, 10), (12, 13), (32, 32)),
}
_CONTROLS: Final = {"n": 10, "t": 9, "r": 13, "f": 12}
_SPECIAL: Final = "{}]"

Node = list[Any]
Ranges = Sequence[tuple[int, int]]


class PatternError(Exception):
    """A regular expression that is not in the subset; the text names the problem."""


def _merge_ranges(ranges: Iterable[tuple[int, int]]) -> list[tuple[int, int]]:
    """Return disjoint ranges in order."""
    found: list[tuple[int, int]] = []
    for low, high in sorted(ranges):
        if found and low <= found[-1][1] + 1:
            found[-1] = (found[-1][0], max(found[-1][1], high))
        else:
            found.append((low, high))
    return found


def _negate_ranges(ranges: Ranges) -> list[tuple[int, int]]:
    starts = [0, *(high + 1 for _, high in _merge_ranges(ranges))]
    ends = [*(low - 1 for low, _ in _merge_ranges(ranges)), _LAST]
    return [(low, high) for low, high in zip(starts, ends, strict=True) if low <= high]


def _build_set(ranges: Iterable[tuple[int, int]]) -> Node:
    return ["set", *(end for pair in _merge_ranges(ranges) for end in pair)]


class RegularExpression:
    """The tree of a regular expression; ``groups`` counts its groups."""

    def __init__(self, text: str, *, whole: bool = False) -> None:
        if len(text) > MAX_LENGTH:
            raise PatternError(f"The pattern has more than {MAX_LENGTH} characters")
        self._text, self._place, self.groups = text, 0, 0
        tree = self._parse_choice()
        if self._place < len(text):
            raise PatternError("The pattern closes a bracket that is not open")
        self.tree = ["cat", ["^"], tree, ["$"]] if whole else tree
        if _measure_size(self.tree) > MAX_SIZE:
            raise PatternError("The pattern is too large once its repetitions are written out")

    def may_be_empty(self) -> bool:
        """Return whether the empty text may match."""
        return _is_nullable(self.tree)

    def build(self, groups: Sequence[int] = ()) -> tuple[Pattern, list[int]]:
        """Return the pattern with these groups only, and their new numbers."""
        plain = set(_find_plain_groups(self.tree))
        for group in groups:
            if group > self.groups:
                raise PatternError(f"The pattern has no group {group}")
            if group and group not in plain:
                raise PatternError(f"Group {group} is repeated, optional or one of several choices")
        kept = sorted({group for group in groups if group})
        numbers = {group: place for place, group in enumerate(kept, 1)} | {0: 0}
        return Pattern(_simplify(self.tree, numbers)), [numbers[group] for group in groups]

    def _peek(self) -> str:
        return self._text[self._place : self._place + 1]

    def _take(self) -> str:
        taken = self._peek()
        if not taken:
            raise PatternError("The pattern ends too early")
        self._place += 1
        return taken

    def _parse_choice(self) -> Node:
        choices = [self._parse_sequence()]
        while self._peek() == "|":
            self._take()
            choices.append(self._parse_sequence())
        return ["or", *choices]

    def _parse_sequence(self) -> Node:
        parts = []
        while self._peek() not in ("", "|", ")"):
            parts.append(self._parse_repetition(self._parse_atom()))
        return ["cat", *parts]

    def _parse_repetition(self, atom: Node) -> Node:
        bounds = self._parse_quantifier()
        if bounds is None:
            return atom
        lazy = self._peek() == "?"
        self._place += lazy
        if self._parse_quantifier() is not None:
            raise PatternError("The pattern has two repetitions in a row")
        if _is_nullable(atom):
            raise PatternError("The pattern repeats something that may be empty")
        return ["rep", *bounds, lazy, atom]

    def _parse_quantifier(self) -> tuple[int, int | None] | None:
        if self._peek() in _QUANTIFIERS:
            return _QUANTIFIERS[self._take()]
        found = _BOUNDS.match(self._text, self._place)
        if found is None:
            return None
        self._place = found.end()
        least = int(found[1])
        most = least if not found[2] else int(found[3]) if found[3] else None
        if (found[3] and not found[2]) or max(least, most or 0) > _MAX_COUNT:
            raise PatternError(f"The pattern repeats more than {_MAX_COUNT} times")
        if most is not None and (most < least or most == 0):
            raise PatternError("The pattern has a repetition whose bounds are swapped, or 0")
        return least, most

    def _parse_atom(self) -> Node:
        taken = self._take()
        if taken == "(":
            return self._parse_group()
        if taken == "[":
            return _build_set(self._parse_class())
        if taken == "\\":
            return _build_set(self._parse_escape())
        if taken == ".":
            return _build_set(_negate_ranges([(10, 10)]))
        if taken in "^$":
            return [taken]
        if taken in _QUANTIFIERS or taken in _SPECIAL:
            raise PatternError(f"The pattern has a {taken} that must be written \\{taken}")
        return _build_set([(ord(taken), ord(taken))])

    def _parse_group(self) -> Node:
        number = 0
        if self._peek() == "?":
            self._take()
            if self._take() != ":":
                raise PatternError("The pattern looks around, names a group or sets a flag")
        else:
            self.groups += 1
            number = self.groups
        inner = self._parse_choice()
        if self._peek() != ")":
            raise PatternError("The pattern has a bracket that is not closed")
        self._take()
        return ["group", number, inner]

    def _parse_escape(self) -> Ranges:
        taken = self._take()
        if taken.lower() in _CLASSES:
            ranges = _CLASSES[taken.lower()]
            return ranges if taken.islower() else _negate_ranges(ranges)
        if taken in _CONTROLS:
            return [(_CONTROLS[taken], _CONTROLS[taken])]
        if taken.isascii() and not taken.isalnum():
            return [(ord(taken), ord(taken))]
        raise PatternError(
            "The pattern refers back to a group"
            if taken.isdigit()
            else f"The pattern has \\{taken}, which is not supported"
        )

    def _parse_class(self) -> Ranges:
        negated = self._peek() == "^"
        self._place += negated
        ranges: list[tuple[int, int]] = []
        while self._peek() != "]" or not ranges:
            first = self._parse_class_item()
            is_range = self._peek() == "-" and self._text[self._place + 1 : self._place + 2] != "]"
            if not is_range:
                ranges += first
                continue
            self._take()
            last = self._parse_class_item()
            (low, high), (end, other) = first[0], last[0]
            if len(first) + len(last) > 2 or low != high or end != other or end < low:
                raise PatternError("The pattern has a range in [ ] that does not run forwards")
            ranges.append((low, end))
        self._take()
        found = _negate_ranges(ranges) if negated else ranges
        if not found:
            raise PatternError("The pattern has a class that no character is in")
        return found

    def _parse_class_item(self) -> Ranges:
        taken = self._take()
        if taken == "\\":
            return self._parse_escape()
        if taken in "[]":
            raise PatternError(f"The pattern has a {taken} in [ ] that must be written \\{taken}")
        return [(ord(taken), ord(taken))]


def _is_nullable(node: Node) -> bool:
    kind, *parts = node
    if kind == "cat":
        return all(map(_is_nullable, parts))
    if kind == "or":
        return any(map(_is_nullable, parts))
    if kind == "rep":
        return bool(parts[0] == 0)
    return kind != "set" and (kind != "group" or _is_nullable(parts[1]))


def _measure_size(node: Node) -> int:
    kind, *parts = node
    if kind in ("cat", "or"):
        return 1 + sum(map(_measure_size, parts))
    if kind == "rep":
        count: int = parts[1] or parts[0] + 1
        return count * (1 + _measure_size(parts[3]))
    return 1 if kind != "group" else 2 + _measure_size(parts[1])


def _find_plain_groups(node: Node) -> list[int]:
    """Return the groups that every match goes through exactly once."""
    kind, *parts = node
    if kind == "group":
        return [parts[0], *_find_plain_groups(parts[1])]
    if kind == "cat" or (kind == "or" and len(parts) == 1):
        return [group for part in parts for group in _find_plain_groups(part)]
    return []


def _simplify(node: Node, groups: dict[int, int]) -> Node:
    """Return one form for all spellings: groups that are not wanted dissolve, choices of single
    characters become a set.
    """
    kind, *parts = node
    if kind == "group":
        number, inner = groups.get(parts[0], 0), _simplify(parts[1], groups)
        return ["group", number, inner] if number else inner
    if kind == "rep":
        least, most, lazy, part = parts
        inner = _simplify(part, groups)
        return (
            inner
            if (least, most) == (1, 1)
            else ["rep", least, most, lazy and least != most, inner]
        )
    if kind not in ("cat", "or"):
        return node
    flat: list[Node] = []
    for part in (_simplify(part, groups) for part in parts):
        flat += part[1:] if part[0] == kind else [part]
    found: list[Node] = []
    for part in flat:
        if kind == "or" and part[0] == "set" and found and found[-1][0] == "set":
            ends = [*found.pop()[1:], *part[1:]]
            part = _build_set(zip(ends[::2], ends[1::2], strict=True))
        found.append(part)
    return found[0] if len(found) == 1 else [kind, *found]
