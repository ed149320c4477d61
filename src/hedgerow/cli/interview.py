"""The interview behind ``hedgerow init``: answers that are there, questions for those that are
missing, and a policy at the end.

It knows the names of columns and their types, and nothing of the rows: whatever bounds an answer is
said by the custodian.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hedgerow.cli import policy_questions as blanks
from hedgerow.cli.policy_questions import PolicyQuestion
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.errors import InvalidArgument
from hedgerow.policy import Policy, parse_policy, write_policy
from hedgerow.policy.mistake import KeyPath, Mistake
from hedgerow.policy.toml.document import read_document
from hedgerow.policy.toml.line_numbers import find_key_lines

__all__ = ["AskFunction", "DataFile", "PolicyDraft", "draft_policy", "read_answers"]

AskFunction = Callable[[PolicyQuestion], str]
Section = dict[str, Any]


@dataclass(frozen=True, slots=True)
class DataFile:
    """A file that becomes a table: how the policy calls it, and which columns it has."""

    table: str
    source: str
    columns: tuple[PhysicalColumn, ...]


@dataclass(frozen=True, slots=True)
class PolicyDraft:
    """The page that was agreed on. ``undeclared`` has the columns of each table about which
    nothing was said.
    """

    text: str
    policy: Policy
    undeclared: Mapping[str, tuple[str, ...]]


def read_answers(path: Path) -> tuple[dict[str, Any], str]:
    """The answers in a file, written like a policy of which parts may be missing, and their
    text.
    """
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text, parse_float=Decimal), text
    except OSError as error:
        raise InvalidArgument("answers", f"cannot be read ({error.strerror})", str(path)) from None
    # also text that is no UTF-8, and TOML that is none
    except (ValueError, ArithmeticError) as error:
        raise InvalidArgument(
            "answers", f"must be TOML text like a policy: {str(error).rstrip('.')}", str(path)
        ) from None


def draft_policy(
    answers: Mapping[str, Any],
    data: Sequence[DataFile],
    *,
    name: str,
    written: str = "",
    ask: AskFunction | None = None,
) -> PolicyDraft:
    """The policy for these files. Without ``ask`` every missing answer is told at once, with the
    line to write.
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
    undeclared = {table: tuple(names) for table, names in _list_undeclared(tables, data)}
    return PolicyDraft(text, parse_policy(text), undeclared)


class _Interview:
    """Asks, or remembers what it would have asked."""

    def __init__(self, ask: AskFunction | None) -> None:
        self.ask = ask
        self.missing: list[PolicyQuestion] = []

    def fill(self, section: Section, blank: PolicyQuestion) -> None:
        """Puts the answer to a blank into its section, unless there is one."""
        if blank.key in section:
            return
        if self.ask is None:
            if blank.required:
                self.missing.append(blank)
            return
        section.update(blank.parse(self.ask(blank)))

    def format_missing(self) -> str:
        """Every missing answer as the line to write, under its heading."""
        count = len(self.missing)
        lines = [
            f"leave{'' if count > 1 else 's'} open what only the custodian can say. Write into the"
            " answers file:"
        ]
        heading: KeyPath = ()
        for blank in self.missing:
            if blank.place[:-1] != heading:
                heading = blank.place[:-1]
                lines.append(f"  [{'.'.join(heading)}]")
            lines.append(f"  {blank.key} = {blank.example}  # {blank.prompt}")
        return "\n".join([*lines, "Then run hedgerow init again with --answers and that file"])


def _open_section(document: Section, key: str) -> Section:
    """The table under a key, as a copy that may be filled; what is no table stays, for the
    reader of policies to refuse.
    """
    found = document.setdefault(key, {})
    if not isinstance(found, Mapping):
        return {}
    document[key] = {**found}
    return document[key]  # type: ignore[no-any-return]


def _find_table_name(tables: Section, item: DataFile) -> str:
    """The table of a file: the one whose source it is, else the one of its name."""
    for name, table in tables.items():
        if isinstance(table, Mapping) and table.get("source") == item.source:
            return name
    return item.table


def _fill_table(section: Section, place: KeyPath, item: DataFile, talk: _Interview) -> None:
    section.setdefault("source", item.source)
    if section.get("public") is not True:
        talk.fill(section, blanks.ask_unit(place, [column.name for column in item.columns]))
    if section.get("public") is True:
        return
    talk.fill(section, blanks.ask_neighbours(place))
    if section.get("unit") != "row":
        for blank in (blanks.ask_max_units, blanks.ask_max_groups, blanks.ask_max_rows_per_group):
            talk.fill(section, blank(place))
    elif "max_units" not in section:
        talk.fill(section, blanks.ask_max_rows(place))
    if talk.ask is not None:
        _fill_columns(
            _open_section(section, "columns"),
            (*place, "columns"),
            str(section.get("unit")),
            item,
            talk,
        )


def _fill_columns(
    declared: Section, inside: KeyPath, unit: str, item: DataFile, talk: _Interview
) -> None:
    known = {name.casefold() for name in declared} | {unit.casefold()}
    for column in item.columns:
        if column.name.casefold() in known:
            continue
        place, found = (*inside, column.name), Section()
        talk.fill(found, blanks.ask_type(place, column.type))
        if found.get("type") in ("integer", "real"):
            talk.fill(found, blanks.ask_min(place, found["type"]))
            if "min" in found:
                talk.fill(found, blanks.ask_max(place, found["type"], found["min"]))
        elif found.get("type") in ("text", "date"):
            talk.fill(found, blanks.ask_values(place, found["type"]))
        if found:
            declared[column.name] = found


def _fill_budget(document: Section, talk: _Interview) -> None:
    """Last, because delta is judged against the number of people. Budgets of named populations
    are left as they are.
    """
    if "budgets" in document and "budget" not in document:
        return
    section = _open_section(document, "budget")
    asked = "epsilon" not in section
    talk.fill(section, blanks.ask_epsilon(("budget",)))
    if asked:
        sizes = [
            table.get("max_units")
            for table in document["tables"].values()
            if isinstance(table, Mapping)
        ]
        talk.fill(
            section,
            blanks.ask_delta(
                ("budget",), max((size for size in sizes if isinstance(size, int)), default=1)
            ),
        )


def _find_unknown_columns(tables: Section, data: Sequence[DataFile]) -> list[Mistake]:
    """Names that the files do not have."""
    found = []
    for item in data:
        name = _find_table_name(tables, item)
        table = tables[name]
        if not isinstance(table, Mapping):
            continue
        names = {column.name.casefold(): column.name for column in item.columns}
        columns = table.get("columns")
        said: list[tuple[KeyPath, str]] = [
            (("tables", name, "columns", column), column)
            for column in (columns if isinstance(columns, Mapping) else ())
        ]
        if isinstance(table.get("unit"), str) and table["unit"] != "row":
            said.insert(0, (("tables", name, "unit"), table["unit"]))
        for place, column in said:
            if column.casefold() not in names:
                near = get_close_matches(column.casefold(), names, n=1)
                fix = (
                    f"did you mean {names[near[0]]!r}?"
                    if near
                    else f"it has {', '.join(names.values())}"
                )
                found.append(Mistake(place, f"{item.source} has no column {column!r}; {fix}"))
    return found


def _build_refusal(mistakes: Sequence[Mistake], lines: Mapping[KeyPath, int]) -> InvalidArgument:
    """Each mistake with its line in the answers, or with its key where that stands nowhere."""
    said = []
    for mistake in mistakes:
        line = next(
            (
                lines[mistake.path[:end]]
                for end in range(len(mistake.path), 0, -1)
                if mistake.path[:end] in lines
            ),
            None,
        )
        said.append(
            f"{'.'.join(mistake.path) if line is None else f'line {line}'}: {mistake.message}"
        )
    count = "a mistake" if len(said) == 1 else f"{len(said)} mistakes"
    return InvalidArgument("answers", f"have {count}:\n  " + "\n  ".join(said))


def _list_undeclared(tables: Section, data: Sequence[DataFile]) -> list[tuple[str, list[str]]]:
    found = []
    for item in data:
        name = _find_table_name(tables, item)
        table = tables[name]
        said = {str(column).casefold() for column in (*table.get("columns", ()), table.get("unit"))}
        if table.get("public") is not True:
            readable = (column for column in item.columns if column.type is not None)
            found.append(
                (name, [column.name for column in readable if column.name.casefold() not in said])
            )
    return [(name, names) for name, names in found if names]
