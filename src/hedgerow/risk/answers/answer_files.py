"""Files of published answers: what an attacker has in hand.

**CSV**, with a line of names. ``question`` (or ``where``) is a condition, or a whole SELECT of one
count or sum; ``answer`` is a number, or ``<5``, or empty or ``*`` where it was suppressed. Optional
columns: ``measure`` (``count``, or ``sum(income)``), ``contributors`` (the number of people in a
sum), ``within`` (how far the number may be off, such as 0.5 after rounding), ``largest`` and
``second`` (the two largest contributions to a sum: only the custodian knows them, and the p-percent
rule needs them), ``table``, ``name``.

    question,answer
    age = 21 AND sex = 'm',1
    age = 21 AND sex = 'm' AND drugs = 'yes',1

**JSON**: a list of objects with the same names, or ``{"columns": {...}, "answers": [...]}``.
``columns`` is public knowledge: ``"age": "integer"`` (whole numbers) or ``"sex": ["f", "m"]``
(there is no other value, and none is missing). An object may have ``contributions``, all of them.
The answer to a SELECT with GROUP BY is a list of rows, each a list in the order of the SELECT.

**SQL**: a log of statements with their results; ``sql_logs`` describes its form.

The result of a GROUP BY without HAVING and LIMIT is taken as complete: nobody is in a group that it
does not show.
"""

from __future__ import annotations

import csv
import io
import json
import re
from collections.abc import Iterable, Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, Final

from hedgerow.errors import HedgerowError, InvalidArgument, Refused, SourceError
from hedgerow.risk.answers.conditions import Constant, parse_condition
from hedgerow.risk.answers.published_answer import (
    PublishedAnswer,
    PublishedAnswers,
    parse_bounds,
    parse_fraction,
)
from hedgerow.risk.answers.select_statements import SelectedAggregate, SelectStatement
from hedgerow.risk.answers.sql_logs import read_log

__all__ = [
    "MAX_ANSWERS",
    "MAX_BYTES",
    "PublishedAnswer",
    "PublishedAnswers",
    "read_answers",
    "read_csv",
    "read_json",
    "read_log",
]

MAX_BYTES: Final = 16 * 1024 * 1024
MAX_ANSWERS: Final = 20_000
_FIELD_NAMES: Final = (
    "question",
    "where",
    "answer",
    "measure",
    "contributors",
    "within",
    "largest",
    "second",
    "contributions",
    "table",
    "name",
)
_QUESTION_FORMS: Final = "a condition, such as age = 21 AND sex = 'm', or a SELECT"
_MEASURE_PATTERN: Final = re.compile(r"(sum|mean|avg)\s*[( ]\s*(\w+)\s*\)?", re.IGNORECASE)


class _NumberText(str):
    """A JSON number with a point or an exponent, as written.

    It stays exact, and its length is checked before it is computed.
    """


def read_answers(file: Path | str) -> PublishedAnswers:
    """Return the answers of a file, by its suffix: .csv, .json, or .sql, .log and .txt for SQL
    logs.
    """
    path = Path(file)
    readers = {
        ".csv": read_csv,
        ".json": read_json,
        ".sql": read_log,
        ".log": read_log,
        ".txt": read_log,
    }
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InvalidArgument("FILE", f"must end in {', '.join(readers)}", str(file))
    if not path.is_file():
        raise SourceError(f"The file {path} does not exist. Check its name.")
    try:
        if path.stat().st_size > MAX_BYTES:
            raise InvalidArgument("FILE", f"must have at most {MAX_BYTES // 2**20} MB", str(file))
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "FILE", "must be a text file in UTF-8 that can be read", str(file)
        ) from None
    if not text.strip():
        raise SourceError(f"{path.name} is empty. Write questions and their answers into it.")
    return reader(text)


def read_csv(text: str) -> PublishedAnswers:
    """Return the answers in CSV text."""
    reader = csv.reader(io.StringIO(text), strict=True)
    try:
        head = [name.strip().lower() for name in next(reader, [])]
        _check_names(head, "line 1")
        found: list[PublishedAnswer] = []
        begun = reader.line_num + 1
        for place, row in enumerate(reader, 1):
            where, begun = f"line {begun:,}", reader.line_num + 1
            if not any(cell.strip() for cell in row):
                continue
            if len(row) != len(head):
                raise InvalidArgument(
                    where,
                    f"must have {len(head)} cells, one for each name in line 1; put a question with"
                    " commas in quotes",
                    len(row),
                )
            found += _read_entry(
                dict(zip(head, row, strict=True)), place, int(where[5:].replace(",", "")), where
            )
    except csv.Error as error:
        raise InvalidArgument(f"line {reader.line_num:,}", f"must be CSV ({error})") from None
    return _collect_answers(found)


def read_json(text: str) -> PublishedAnswers:
    """Return the answers in JSON text."""
    try:
        document = json.loads(text, parse_float=_NumberText, parse_constant=str)
    except json.JSONDecodeError as error:
        raise InvalidArgument(f"line {error.lineno:,}", f"must be JSON ({error.msg})") from None
    except (ValueError, RecursionError):
        raise InvalidArgument("FILE", "must be valid JSON") from None
    known: Mapping[str, str | Sequence[Constant]] = {}
    if isinstance(document, dict):
        if not {"answers"} <= set(document) <= {"answers", "columns"}:
            raise InvalidArgument(
                "FILE",
                "must be a list of answers, or an object with 'answers' and optionally 'columns'",
            )
        known = _parse_known_columns(document.get("columns", {}))
        document = document["answers"]
    if not isinstance(document, list):
        raise InvalidArgument("answers", "must be a list of objects")
    found: list[PublishedAnswer] = []
    for place, each in enumerate(document, 1):
        where = f"answer {place:,}"
        if not isinstance(each, dict):
            raise InvalidArgument(where, "must be an object with 'question' and 'answer'")
        lowered = {str(name).lower(): value for name, value in each.items()}
        _check_names(lowered, where)
        found += _read_entry(lowered, place, place, where)
    return _collect_answers(found, known)


def _collect_answers(
    found: list[PublishedAnswer], known: Mapping[str, str | Sequence[Constant]] | None = None
) -> PublishedAnswers:
    if len(found) > MAX_ANSWERS:
        raise InvalidArgument("FILE", f"must have at most {MAX_ANSWERS:,} answers", len(found))
    return PublishedAnswers(tuple(found), known or {})


def _check_names(names: Iterable[str], where: str) -> None:
    given = list(names)
    for name in given:
        if name not in _FIELD_NAMES:
            raise InvalidArgument(
                where,
                f"must use the names {', '.join(_FIELD_NAMES)}, such as question,answer",
                name,
            )
    if ("question" in given) is ("where" in given):
        raise InvalidArgument(where, "must have either 'question' or 'where'")
    if len(set(given)) < len(given):
        raise InvalidArgument(where, "must name each column once")


def _read_entry(row: Mapping[str, Any], place: int, line: int, where: str) -> list[PublishedAnswer]:
    """Return the answers of one line or object; name its place in an error."""
    try:
        return _build_answers(row, place, line)
    except Refused as refusal:
        raise InvalidArgument(where, f"must be {_QUESTION_FORMS}. {refusal}".rstrip(".")) from None
    except HedgerowError as error:
        raise InvalidArgument(where, f"is wrong: {error}".rstrip(".")) from None


def _build_answers(row: Mapping[str, Any], place: int, line: int) -> list[PublishedAnswer]:
    text = row.get("question", row.get("where"))
    if not isinstance(text, str):
        raise InvalidArgument("question", "must be text", text)
    name = str(row.get("name") or f"Q{place}")
    if text.strip().lower().startswith("select"):
        return _read_select(text.strip().rstrip(";"), row, name, line)
    condition, table = parse_condition(text), str(row.get("table") or "data")
    measure, column = _parse_measure(row.get("measure"))
    low, high = parse_bounds(row.get("answer"), row.get("within"), measure=measure)
    contributions = _parse_contributions(row)
    found = [
        PublishedAnswer(name, condition, low, high, measure, column, table, line, contributions)
    ]
    people = row.get("contributors")
    if people not in (None, ""):
        if measure == "count":
            raise InvalidArgument(
                "contributors", "belong to a sum or a mean; leave them out of a count", people
            )
        low, high = parse_bounds(people)
        found.append(
            PublishedAnswer(f"{name} (contributors)", condition, low, high, table=table, line=line)
        )
    return found


def _read_select(text: str, row: Mapping[str, Any], name: str, line: int) -> list[PublishedAnswer]:
    extra = [
        key
        for key in (
            "measure",
            "contributors",
            "within",
            "table",
            "largest",
            "second",
            "contributions",
        )
        if row.get(key)
    ]
    if extra:
        raise InvalidArgument(extra[0], "belongs to a condition; leave it out of a whole SELECT")
    asked, given = SelectStatement.parse(text), row.get("answer")
    if asked.keys or isinstance(given, list):
        if not isinstance(given, list) or not all(isinstance(cells, list) for cells in given):
            raise InvalidArgument(
                "answer", "of a SELECT with GROUP BY must be a list of rows, each a list", given
            )
        if not all(len(cells) == len(asked.outputs) for cells in given):
            raise InvalidArgument(
                "answer", f"must have {len(asked.outputs)} cells in each row, as in the SELECT"
            )
        rows = [list(map(_quote_text_key, cells, asked.outputs)) for cells in given]
        return asked.build_answers(name, line, rows)
    return asked.build_answers(name, line, [[given]])


def _quote_text_key(cell: Any, place: str | SelectedAggregate) -> Any:
    """Quote a key that is text in JSON, so that it stays text even if it looks like a number."""
    is_text = isinstance(place, str) and type(cell) is str
    return "'" + cell.replace("'", "''") + "'" if is_text else cell


def _parse_measure(given: Any) -> tuple[str, str]:
    text = "count" if given in (None, "") else str(given).strip()
    if text.lower() == "count":
        return "count", ""
    if text.lower() == "sum":
        return "sum", "value"  # a made-up name: all sums without a column are of the same
    found = _MEASURE_PATTERN.fullmatch(text)
    if not found:
        raise InvalidArgument("measure", "must be count, sum, sum(column) or mean(column)", given)
    return "sum" if found[1].lower() == "sum" else "mean", found[2].lower()


def _parse_contributions(row: Mapping[str, Any]) -> tuple[Fraction, ...]:
    listed = row.get("contributions")
    if listed is not None and listed != "":
        if not isinstance(listed, list):
            raise InvalidArgument("contributions", "must be a list of numbers", listed)
        return tuple(parse_fraction(each) for each in listed)
    pair = [row.get(key) for key in ("largest", "second")]
    if all(each in (None, "") for each in pair):
        return ()
    return tuple(parse_fraction(each) for each in pair)


def _parse_known_columns(given: Any) -> dict[str, str | Sequence[Constant]]:
    if not isinstance(given, dict):
        raise InvalidArgument("columns", "must be an object of column names and what is known")
    found: dict[str, str | Sequence[Constant]] = {}
    for name, what in given.items():
        if what == "integer":
            found[name.lower()] = "integer"
        elif (
            isinstance(what, list)
            and what
            and all(isinstance(value, str | bool | int) for value in what)
        ):
            found[name.lower()] = tuple(
                value if isinstance(value, bool) or type(value) is str else parse_fraction(value)
                for value in what
            )
        else:
            raise InvalidArgument(f"column '{name}'", 'must be "integer" or a list of values', what)
    return found
