"""The interview of ``hedgerow init``: from given answers and asked questions to a policy.

It sees the names and types of columns and no row, so every bound is the custodian's own decision.
Types of .csv files are guessed, and confirmed one by one.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hedgerow.cli import policy_questions as questions
from hedgerow.cli.policy_questions import PolicyQuestion
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import InvalidArgument
from hedgerow.plan.values import Type
from hedgerow.policy import Policy, parse_policy, write_policy
from hedgerow.policy.mistake import KeyPath, Mistake
from hedgerow.policy.toml.document import read_document
from hedgerow.policy.toml.line_numbers import find_key_lines

__all__ = [
    "AskFunction",
    "DataFile",
    "PolicyDraft",
    "StepBack",
    "draft_policy",
    "draft_with_steps_back",
    "read_answers",
]

AskFunction = Callable[[PolicyQuestion], str]
Section = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DataFile:
    """A data file that becomes a table of the policy: its name, relative path, columns, and the
    types that are guessed for columns of a .csv file."""

    table: str
    source: str
    columns: tuple[PhysicalColumn, ...]
    guesses: Mapping[str, Type] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PolicyDraft:
    """A finished policy. ``undeclared`` lists the columns of each table without a declaration."""

    text: str
    policy: Policy
    undeclared: Mapping[str, tuple[str, ...]]


def read_answers(path: Path) -> tuple[dict[str, Any], str]:
    """Return the answers of a file, which is written like an incomplete policy, and its text."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text, parse_float=Decimal), text
    except OSError as error:
        raise InvalidArgument("answers", f"cannot be read ({error.strerror})", str(path)) from None
    # ValueError: not UTF-8, or not TOML
    except (ValueError, ArithmeticError) as error:
        raise InvalidArgument(
            "answers", f"must be TOML, written like a policy: {str(error).rstrip('.')}", str(path)
        ) from None


def draft_policy(
    answers: Mapping[str, Any],
    data: Sequence[DataFile],
    *,
    name: str,
    written: str = "",
    ask: AskFunction | None = None,
) -> PolicyDraft:
    """Return the policy for these files.

    Without ``ask`` all missing answers are listed in one error, each with the line to write.
    """
    document: Section = {**answers}
    talk = _Interview(ask)
    base = _open_section(document, "database")
    base.setdefault("name", name)
    tables = _open_section(document, "tables")
    for item in data:
        table = _find_table_name(tables, item)
        _fill_table(_open_section(tables, table), ("tables", table), item, talk)
    _fill_budget(document, talk)
    if talk.missing:
        raise InvalidArgument("answers", talk.format_missing())
    parts, mistakes = read_document(document)
    mistakes += _find_unknown_columns(tables, data)
    if mistakes:
        raise _build_refusal(mistakes, find_key_lines(written))
    text = write_policy(Policy.from_parts(parts))
    return PolicyDraft(text, parse_policy(text), _list_undeclared(tables, data))


class StepBack(Exception):
    """The custodian wants to answer the question before again."""


def draft_with_steps_back(
    ask: AskFunction, draft: Callable[[AskFunction], PolicyDraft]
) -> PolicyDraft:
    """Draft a policy anew after each StepBack, with all answers but the last."""
    given: list[str] = []
    while True:
        replay = iter([*given])

        def ask_next(question: PolicyQuestion, replay: Iterator[str] = replay) -> str:
            typed = next(replay, None)
            if typed is None:
                typed = ask(question)
                given.append(typed)
            return typed

        try:
            return draft(ask_next)
        except StepBack:
            del given[-1:]


class _Interview:
    """A series of questions: asked one by one, or collected as ``missing`` without ``ask``."""

    def __init__(self, ask: AskFunction | None) -> None:
        self.ask = ask
        self.missing: list[PolicyQuestion] = []

    def fill(self, section: Section, question: PolicyQuestion) -> None:
        """Put the answer to a question into its section, unless the section has one."""
        if question.key in section:
            return
        if self.ask is None:
            if question.required:
                self.missing.append(question)
            return
        section.update(question.parse(self.ask(question)))

    def format_missing(self) -> str:
        """Return the missing answers as lines of an answers file, under their headings."""
        lines = ["lack what only the custodian can decide. Write into the answers file:"]
        heading: KeyPath = ()
        for question in self.missing:
            if question.place[:-1] != heading:
                heading = question.place[:-1]
                lines.append(f"  [{'.'.join(heading)}]")
            lines.append(f"  {question.key} = {question.example}  # {question.prompt}")
        return "\n".join([*lines, "Then run hedgerow init again with --answers and that file"])


def _open_section(document: Section, key: str) -> Section:
    """Replace the table under a key by a copy that may be filled, and return it.

    A value other than a table stays, for the policy reader to refuse.
    """
    section = document.setdefault(key, {})
    if not isinstance(section, Mapping):
        return {}
    document[key] = {**section}
    return document[key]  # type: ignore[no-any-return]


def _find_table_name(tables: Section, item: DataFile) -> str:
    """Return the table whose source is this file, else the file's own table name."""
    for name, table in tables.items():
        if isinstance(table, Mapping) and table.get("source") == item.source:
            return name
    return item.table


def _fill_table(section: Section, place: KeyPath, item: DataFile, talk: _Interview) -> None:
    section.setdefault("source", item.source)
    if section.get("public") is not True:
        talk.fill(section, questions.ask_unit(place, [column.name for column in item.columns]))
    if section.get("public") is True:
        return
    talk.fill(section, questions.ask_neighbours(place))
    if section.get("unit") != "row":
        for make_question in (
            questions.ask_max_units,
            questions.ask_max_groups,
            questions.ask_max_rows_per_group,
        ):
            talk.fill(section, make_question(place))
    elif "max_units" not in section:
        talk.fill(section, questions.ask_max_rows(place))
    if talk.ask is not None:
        columns = _open_section(section, "columns")
        _fill_columns(columns, (*place, "columns"), _list_unit(section), item, talk)


def _fill_columns(
    declared: Section, inside: KeyPath, unit: Sequence[str], item: DataFile, talk: _Interview
) -> None:
    # A part of an id may be a column as well, if its values are declared.
    ids = unit if len(unit) == 1 else ()
    known = {name.casefold() for name in (*declared, *ids)}
    columns = [column for column in item.columns if column.name.casefold() not in known]
    rules = _fill_types(columns, inside, item, talk)
    for column in columns:
        place, rule = (*inside, column.name), rules[column.name]
        if rule.get("type") in ("integer", "real"):
            talk.fill(rule, questions.ask_min(place, rule["type"]))
            if "min" in rule:
                talk.fill(rule, questions.ask_max(place, rule["type"], rule["min"]))
        elif rule.get("type") in ("text", "date", "timestamp"):
            talk.fill(rule, questions.ask_values(place, rule["type"]))
        if rule:
            declared[column.name] = rule


def _fill_types(
    columns: Sequence[PhysicalColumn], inside: KeyPath, item: DataFile, talk: _Interview
) -> dict[str, Section]:
    """Return a rule for each column with the type that was confirmed or typed, if any."""
    assert talk.ask is not None
    rules: dict[str, Section] = {}
    accepts_all = False
    for place, column in enumerate(columns):
        guess = item.guesses.get(column.name)
        question = questions.ask_type(
            (*inside, column.name),
            guess or column.type,
            is_guess=guess is not None,
            explain=place == 0,
        )
        typed = questions.ACCEPT_ALL if accepts_all else talk.ask(question)
        accepts_all = typed.strip().lower() == questions.ACCEPT_ALL
        rules[column.name] = {**question.parse(typed)}
    return rules


def _fill_budget(document: Section, talk: _Interview) -> None:
    """Ask for the budget, after the tables: delta is checked against their number of people.

    Budgets of named populations are left as they are.
    """
    if "budgets" in document and "budget" not in document:
        return
    section = _open_section(document, "budget")
    asked = "epsilon" not in section
    talk.fill(section, questions.ask_epsilon(("budget",)))
    if asked:
        tables = [table for table in document["tables"].values() if isinstance(table, Mapping)]
        sizes = [size for table in tables if isinstance(size := table.get("max_units"), int)]
        talk.fill(section, questions.ask_delta(("budget",), max(sizes, default=1)))


def _find_unknown_columns(tables: Section, data: Sequence[DataFile]) -> list[Mistake]:
    """List the column names in the answers that the files do not have."""
    mistakes = []
    for item in data:
        name = _find_table_name(tables, item)
        table = tables[name]
        if not isinstance(table, Mapping):
            continue
        names = {column.name.casefold(): column.name for column in item.columns}
        columns = table.get("columns")
        mentioned: list[tuple[KeyPath, str]] = [
            (("tables", name, "columns", column), column)
            for column in (columns if isinstance(columns, Mapping) else ())
        ]
        units = [unit for unit in _list_unit(table) if unit != "row"]
        mentioned[:0] = [(("tables", name, "unit"), unit) for unit in units]
        for place, column in mentioned:
            if column.casefold() in names:
                continue
            near = get_close_matches(column.casefold(), names, n=1)
            hint = (
                f"did you mean {names[near[0]]!r}?"
                if near
                else f"it has {', '.join(names.values())}"
            )
            mistakes.append(Mistake(place, f"{item.source} has no column {column!r}; {hint}"))
    return mistakes


def _list_unit(table: Mapping[str, Any]) -> list[str]:
    """List the columns that a table names as its unit."""
    unit = table.get("unit")
    return [unit] if isinstance(unit, str) else list(map(str, unit or ()))


def _build_refusal(mistakes: Sequence[Mistake], lines: Mapping[KeyPath, int]) -> InvalidArgument:
    """Return the error that lists mistakes, each with its line or, without one, its key."""
    listed = []
    for mistake in mistakes:
        prefixes = (mistake.path[:end] for end in range(len(mistake.path), 0, -1))
        line = next((lines[prefix] for prefix in prefixes if prefix in lines), None)
        where = ".".join(mistake.path) if line is None else f"line {line}"
        listed.append(f"{where}: {mistake.message}")
    count = "a mistake" if len(listed) == 1 else f"{len(listed)} mistakes"
    return InvalidArgument("answers", f"have {count}:\n  " + "\n  ".join(listed))


def _list_undeclared(tables: Section, data: Sequence[DataFile]) -> Mapping[str, tuple[str, ...]]:
    undeclared = {}
    for item in data:
        name = _find_table_name(tables, item)
        table = tables[name]
        rules = table.get("columns", {})
        # A number of which only the type is declared has no bounds either.
        described = [column for column in rules if not _is_bare_number(rules[column])]
        known = {str(column).casefold() for column in (*described, *_list_unit(table))}
        names = tuple(
            column.name
            for column in item.columns
            if column.type is not None and column.name.casefold() not in known
        )
        if names and table.get("public") is not True:
            undeclared[name] = names
    return undeclared


def _is_bare_number(rule: object) -> bool:
    return isinstance(rule, Mapping) and [*rule] == ["type"] and rule["type"] in ("integer", "real")
