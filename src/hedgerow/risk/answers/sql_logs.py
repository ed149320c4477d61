"""Logs of SQL: statements that end with a semicolon, each followed by its result, or not.

    SELECT COUNT(*) FROM students WHERE age = 21 AND sex = 'm';
    -- answer: 1
    SELECT sex, COUNT(*) FROM students GROUP BY sex;
    -- m | 12
    -- f | 12

A result is on the rest of the line and on the lines below, up to the next statement. The words
``answer``, ``->`` and ``=`` and the two dashes of a comment may precede it; cells are separated by
``|``, a tab or a comma. Headings, rules of dashes, ``(2 rows)`` and comments without a result are
skipped.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Final

from hedgerow.errors import InvalidArgument, Unsupported
from hedgerow.risk.answers.published_answer import PublishedAnswer, PublishedAnswers, parse_bounds
from hedgerow.risk.answers.select_statements import SelectedAggregate, SelectStatement

__all__ = ["MAX_STATEMENTS", "read_log"]

MAX_STATEMENTS: Final = 20_000
_RESULT_PREFIX: Final = re.compile(
    r"^\s*(--)?\s*(answer|result)?\s*(:|->|=>|=|\|)?\s*", re.IGNORECASE
)
_STATEMENT_START: Final = re.compile(
    r"^\s*(select|with|explain|insert|update|delete|create|drop|set|begin|commit|copy)\b",
    re.IGNORECASE,
)
_SEPARATOR_LINE: Final = re.compile(r"^[\s|+:─-]*$|^\(\d+ rows?\)$")


@dataclass(slots=True)
class _LoggedStatement:
    """A statement, its first line, and the lines after it: (line, text, whether it is a
    comment).
    """

    line: int
    text: str
    result_lines: list[tuple[int, str, bool]] = field(default_factory=list)


def read_log(text: str) -> PublishedAnswers:
    """Return the answers of a log; skip and list SQL that is not a count or sum of one table."""
    answers: list[PublishedAnswer] = []
    skipped: list[tuple[int, str]] = []
    for place, statement in enumerate(_split_statements(text), 1):
        if place > MAX_STATEMENTS:
            raise InvalidArgument(
                "log", f"must have at most {MAX_STATEMENTS:,} statements; split the file"
            )
        try:
            asked = SelectStatement.parse(statement.text)
        except Unsupported as refusal:
            skipped.append((statement.line, str(refusal).split("\n")[0]))
            continue
        rows = _read_result_rows(asked, statement)
        if asked.keys and not rows:
            skipped.append(
                (statement.line, "its result is not in the log, so its groups are unknown")
            )
            continue
        answers += asked.build_answers(f"Q{place}", statement.line, rows)
    return PublishedAnswers(tuple(answers), skipped_lines=tuple(skipped))


def _split_statements(text: str) -> Iterator[_LoggedStatement]:
    """Yield the statements of a log with the lines after each."""
    current: _LoggedStatement | None = None
    open_text: list[str] = []
    begun = 0
    for number, line in enumerate(text.splitlines(), 1):
        if not open_text and _STATEMENT_START.match(line):
            if current is not None:
                yield current
            current, begun = None, number
        elif not open_text:
            if current is None and line.strip() and not line.lstrip().startswith("--"):
                raise InvalidArgument(
                    f"line {number:,}",
                    "must begin with SELECT, or be the result of a statement above that ends with a"
                    " semicolon",
                )
            if current is not None and line.strip():
                current.result_lines.append((number, line, line.lstrip().startswith("--")))
            continue
        open_text.append(line)
        end = _find_semicolon("\n".join(open_text))
        if end is not None:
            whole = "\n".join(open_text)
            current = _LoggedStatement(begun, whole[:end])
            if whole[end + 1 :].strip():
                behind = whole[end + 1 :]
                current.result_lines.append((number, behind, behind.lstrip().startswith("--")))
            open_text = []
    if open_text:
        raise InvalidArgument(f"line {begun:,}", "must end its statement with a semicolon")
    if current is not None:
        yield current


def _find_semicolon(text: str) -> int | None:
    """Return the position of the first semicolon outside quotes and comments."""
    for found in re.finditer(r"'(?:[^']|'')*'|\"[^\"]*\"|--[^\n]*|;|['\"]", text):
        if found[0] == ";":
            return found.start()
        if found[0] in ("'", '"'):
            return None  # a quote that is still open
    return None


def _read_result_rows(asked: SelectStatement, statement: _LoggedStatement) -> list[list[str]]:
    """Return the rows of the result among the lines after a statement."""
    found = []
    for number, line, comment in statement.result_lines:
        rest = line[_RESULT_PREFIX.match(line).end() :].strip()  # type: ignore[union-attr]
        if _SEPARATOR_LINE.match(rest) and not (
            rest in ("", "-", "|") and not comment and "answer" in line.lower()
        ):
            continue
        cells = _split_cells(rest, len(asked.outputs))
        if _is_heading(cells, asked):
            continue
        if len(cells) == len(asked.outputs) and _has_valid_measures(cells, asked):
            found.append(cells)
        elif not comment:
            what = (
                "a number"
                if len(asked.outputs) == 1
                else f"{len(asked.outputs)} cells separated by |, with numbers for aggregates"
            )
            raise InvalidArgument(
                f"line {number:,}",
                f"must hold the result of the statement on line {statement.line:,}: {what}",
            )
    return found


def _split_cells(text: str, wanted: int) -> list[str]:
    text = text.rstrip(";").strip()
    if wanted == 1:
        return [text.strip("| ")]
    sign = next((sign for sign in ("|", "\t", ",") if sign in text), "|")
    return [cell.strip() for cell in text.removesuffix("|" if sign == "|" else "").split(sign)]


def _has_valid_measures(cells: list[str], asked: SelectStatement) -> bool:
    for cell, place in zip(cells, asked.outputs, strict=True):
        if isinstance(place, SelectedAggregate):
            try:
                parse_bounds(cell, measure=place.measure)
            except InvalidArgument:
                return False
    return True


def _is_heading(cells: list[str], asked: SelectStatement) -> bool:
    """Return whether cells are column names, as databases print them above a result."""
    if len(cells) != len(asked.outputs) or not all(
        re.fullmatch(r"[A-Za-z_]\w*(\(.*\))?", cell) for cell in cells
    ):
        return False
    if not asked.keys and len(cells) == 1:
        return re.match(r"(count|sum|avg|mean|n$|total)", cells[0].lower()) is not None
    return all(
        not isinstance(place, str) or cell.lower() == place
        for cell, place in zip(cells, asked.outputs, strict=True)
    )
