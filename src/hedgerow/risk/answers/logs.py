"""A log of SQL: statements that end with a semicolon, each with its result behind it, or without.

    SELECT COUNT(*) FROM students WHERE age = 21 AND sex = 'm';
    -- answer: 1
    SELECT sex, COUNT(*) FROM students GROUP BY sex;
    -- m | 12
    -- f | 12

A result stands on the rest of the line and on the lines below, up to the next statement. The words ``answer``, ``->`` and ``=`` and the two
dashes of a comment may stand before it; cells are parted by ``|``, a tab or a comma. Headings, rules of dashes and ``(2 rows)`` are passed
over, and so are comments that hold no result.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.answers.published import Answer, Answers, ends
from hedgerow.risk.answers.selects import Measure, Select

__all__ = ["MAX_STATEMENTS", "read_log"]

MAX_STATEMENTS: Final = 20_000
_BEFORE: Final = re.compile(r"^\s*(--)?\s*(answer|result)?\s*(:|->|=>|=|\|)?\s*", re.IGNORECASE)
_BEGINS: Final = re.compile(r"^\s*(select|with|explain|insert|update|delete|create|drop|set|begin|commit|copy)\b", re.IGNORECASE)
_RULE: Final = re.compile(r"^[\s|+:─-]*$|^\(\d+ rows?\)$")


@dataclass(slots=True)
class _Statement:
    """A statement, where it begins, and the lines behind it: (line, text, whether it was a comment)."""

    line: int
    text: str
    behind: list[tuple[int, str, bool]] = field(default_factory=list)


def read_log(text: str) -> Answers:
    """All answers of a log. Statements that are SQL but no counts or sums of one table are left out, and named."""
    answers: list[Answer] = []
    left_out: list[tuple[int, str]] = []
    for place, statement in enumerate(_statements(text), 1):
        if place > MAX_STATEMENTS:
            raise InvalidArgument("log", f"must have at most {MAX_STATEMENTS:,} statements")
        try:
            asked = Select.parse(statement.text)
        except Unsupported as refusal:
            left_out.append((statement.line, str(refusal).split("\n")[0]))
            continue
        rows = _rows(asked, statement)
        if asked.keys and not rows:
            left_out.append((statement.line, "its result is not in the log, so its groups are not known"))
            continue
        answers += asked.answers(f"Q{place}", statement.line, rows)
    return Answers(tuple(answers), left_out=tuple(left_out))


def _statements(text: str) -> Iterator[_Statement]:
    """Statements with what stands behind them."""
    now: _Statement | None = None
    open_text: list[str] = []
    begun = 0
    for number, line in enumerate(text.splitlines(), 1):
        rest = line
        if not open_text and _BEGINS.match(line):
            if now is not None:
                yield now
            now, begun = None, number
        elif not open_text:
            if now is None and line.strip() and not line.lstrip().startswith("--"):
                raise InvalidArgument(f"line {number:,}", "must begin with SELECT, or follow a statement that ends with a semicolon")
            if now is not None and line.strip():
                now.behind.append((number, line, line.lstrip().startswith("--")))
            continue
        open_text.append(rest)
        end = _semicolon("\n".join(open_text))
        if end is not None:
            whole = "\n".join(open_text)
            now = _Statement(begun, whole[:end])
            if whole[end + 1 :].strip():
                behind = whole[end + 1 :]
                now.behind.append((number, behind, behind.lstrip().startswith("--")))
            open_text = []
    if open_text:
        raise InvalidArgument(f"line {begun:,}", "must have a semicolon at the end of its statement")
    if now is not None:
        yield now


def _semicolon(text: str) -> int | None:
    """The first semicolon that stands outside quotes and comments."""
    for found in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|;|['\"]", text):
        if found[0] == ";":
            return found.start()
        if found[0] in ("'", '"'):
            return None  # a quote that is still open
    return None


def _rows(asked: Select, statement: _Statement) -> list[list[str]]:
    """The lines behind a statement that are its result."""
    found = []
    for number, line, comment in statement.behind:
        rest = line[_BEFORE.match(line).end() :].strip()  # type: ignore[union-attr]
        if _RULE.match(rest) and not (rest in ("", "-", "|") and not comment and "answer" in line.lower()):
            continue
        cells = _cells(rest, len(asked.places))
        if _heading(cells, asked):
            continue
        if len(cells) == len(asked.places) and _fits(cells, asked):
            found.append(cells)
        elif not comment:
            what = "a number" if len(asked.places) == 1 else f"{len(asked.places)} cells parted by |, with numbers for what was counted"
            raise InvalidArgument(f"line {number:,}", f"must hold the result of the statement on line {statement.line:,}: {what}")
    return found


def _cells(text: str, wanted: int) -> list[str]:
    text = text.rstrip(";").strip()
    if wanted == 1:
        return [text.strip("| ")]
    sign = next((sign for sign in ("|", "\t", ",") if sign in text), "|")
    return [cell.strip() for cell in text.removesuffix("|" if sign == "|" else "").split(sign)]


def _fits(cells: list[str], asked: Select) -> bool:
    for cell, place in zip(cells, asked.places, strict=True):
        if isinstance(place, Measure):
            try:
                ends(cell, measure=place.measure)
            except InvalidArgument:
                return False
    return True


def _heading(cells: list[str], asked: Select) -> bool:
    """Whether these are the names of the columns, as databases print them above a result."""
    if len(cells) != len(asked.places) or not all(re.fullmatch(r"[A-Za-z_]\w*(\(.*\))?", cell) for cell in cells):
        return False
    if not asked.keys and len(cells) == 1:
        return re.match(r"(count|sum|avg|mean|n$|total)", cells[0].lower()) is not None
    return all(not isinstance(place, str) or cell.lower() == place for cell, place in zip(cells, asked.places, strict=True))
