"""The interview behind ``hedgerow init``: answers that are there, questions for those that are missing, and a policy at the end.

It knows the names of columns and their types, and nothing of the rows: whatever bounds an answer is said by the custodian.
"""

from __future__ import annotations

import tomllib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from difflib import get_close_matches
from pathlib import Path
from typing import Any

from hedgerow.cli import blanks
from hedgerow.cli.blanks import Blank
from hedgerow.engines.source import PhysicalColumn
from hedgerow.errors import InvalidArgument
from hedgerow.policy import Policy, parse_policy, write_policy
from hedgerow.policy.document import read_document
from hedgerow.policy.lines import key_lines
from hedgerow.policy.mistake import Mistake, Place

__all__ = ["Ask", "Data", "Draft", "interview", "read_answers"]

Ask = Callable[[Blank], str]
Section = dict[str, Any]


@dataclass(frozen=True, slots=True)
class Data:
    """A file that becomes a table: how the policy calls it, and which columns it has."""

    table: str
    source: str
    columns: tuple[PhysicalColumn, ...]


@dataclass(frozen=True, slots=True)
class Draft:
    """The page that was agreed on. ``undeclared`` has the columns of each table about which nothing was said."""

    text: str
    policy: Policy
    undeclared: Mapping[str, tuple[str, ...]]


def read_answers(path: Path) -> tuple[dict[str, Any], str]:
    """The answers in a file, written like a policy of which parts may be missing, and their text."""
    try:
        text = path.read_bytes().decode("utf-8-sig")
        return tomllib.loads(text, parse_float=Decimal), text
    except OSError as error:
        raise InvalidArgument("answers", f"cannot be read ({error.strerror})", str(path)) from None
    except (ValueError, ArithmeticError) as error:  # also text that is no UTF-8, and TOML that is none
        raise InvalidArgument("answers", f"must be TOML text like a policy: {str(error).rstrip('.')}", str(path)) from None


def interview(answers: Mapping[str, Any], data: Sequence[Data], *, name: str, written: str = "", ask: Ask | None = None) -> Draft:
    """The policy for these files. Without ``ask`` every missing answer is told at once, with the line to write."""
    document: Section = {**answers}
    talk = _Talk(ask)
    base = _section(document, "database")
    base.setdefault("name", name)
    tables = _section(document, "tables")
    for item in data:
        table = _named(tables, item)
        _table(_section(tables, table), ("tables", table), item, talk)
    _budget(document, talk)
    if talk.missing:
        raise InvalidArgument("answers", talk.told())
    parts, mistakes = read_document(document)
    mistakes += _misfits(tables, data)
    if mistakes:
        raise _refusal(mistakes, key_lines(written))
    text = write_policy(Policy.of(parts))
    undeclared = {table: tuple(names) for table, names in _undeclared(tables, data)}
    return Draft(text, parse_policy(text), undeclared)


class _Talk:
    """Asks, or remembers what it would have asked."""

    def __init__(self, ask: Ask | None) -> None:
        self.ask = ask
        self.missing: list[Blank] = []

    def fill(self, section: Section, blank: Blank) -> None:
        """Puts the answer to a blank into its section, unless there is one."""
        if blank.key in section:
            return
        if self.ask is None:
            if blank.required:
                self.missing.append(blank)
            return
        section.update(blank.read(self.ask(blank)))

    def told(self) -> str:
        """Every missing answer as the line to write, under its heading."""
        count = len(self.missing)
        lines = [f"leave{'' if count > 1 else 's'} open what only the custodian can say. Write into the answers file:"]
        heading: Place = ()
        for blank in self.missing:
            if blank.place[:-1] != heading:
                heading = blank.place[:-1]
                lines.append(f"  [{'.'.join(heading)}]")
            lines.append(f"  {blank.key} = {blank.example}  # {blank.asks}")
        return "\n".join([*lines, "Then run hedgerow init again with --answers and that file"])


def _section(document: Section, key: str) -> Section:
    """The table under a key, as a copy that may be filled; what is no table stays, for the reader of policies to refuse."""
    found = document.setdefault(key, {})
    if not isinstance(found, Mapping):
        return {}
    document[key] = {**found}
    return document[key]  # type: ignore[no-any-return]


def _named(tables: Section, item: Data) -> str:
    """The table of a file: the one whose source it is, else the one of its name."""
    for name, table in tables.items():
        if isinstance(table, Mapping) and table.get("source") == item.source:
            return name
    return item.table


def _table(section: Section, place: Place, item: Data, talk: _Talk) -> None:
    section.setdefault("source", item.source)
    if section.get("public") is not True:
        talk.fill(section, blanks.unit(place, [column.name for column in item.columns]))
    if section.get("public") is True:
        return
    talk.fill(section, blanks.neighbours(place))
    if section.get("unit") != "row":
        for blank in (blanks.max_units, blanks.max_groups, blanks.max_rows_per_group):
            talk.fill(section, blank(place))
    elif "max_units" not in section:
        talk.fill(section, blanks.max_rows(place))
    if talk.ask is not None:
        _columns(_section(section, "columns"), (*place, "columns"), str(section.get("unit")), item, talk)


def _columns(declared: Section, inside: Place, unit: str, item: Data, talk: _Talk) -> None:
    known = {name.casefold() for name in declared} | {unit.casefold()}
    for column in item.columns:
        if column.name.casefold() in known:
            continue
        place, found = (*inside, column.name), Section()
        talk.fill(found, blanks.kind(place, column.type))
        if found.get("type") in ("integer", "real"):
            talk.fill(found, blanks.low(place, found["type"]))
            if "min" in found:
                talk.fill(found, blanks.high(place, found["type"], found["min"]))
        elif found.get("type") in ("text", "date"):
            talk.fill(found, blanks.values(place, found["type"]))
        if found:
            declared[column.name] = found


def _budget(document: Section, talk: _Talk) -> None:
    """Last, because delta is judged against the number of people. Budgets of named populations are left as they are."""
    if "budgets" in document and "budget" not in document:
        return
    section = _section(document, "budget")
    asked = "epsilon" not in section
    talk.fill(section, blanks.epsilon(("budget",)))
    if asked:
        sizes = [table.get("max_units") for table in document["tables"].values() if isinstance(table, Mapping)]
        talk.fill(section, blanks.delta(("budget",), max((size for size in sizes if isinstance(size, int)), default=1)))


def _misfits(tables: Section, data: Sequence[Data]) -> list[Mistake]:
    """Names that the files do not have."""
    found = []
    for item in data:
        name = _named(tables, item)
        table = tables[name]
        if not isinstance(table, Mapping):
            continue
        names = {column.name.casefold(): column.name for column in item.columns}
        columns = table.get("columns")
        said: list[tuple[Place, str]] = [
            (("tables", name, "columns", column), column) for column in (columns if isinstance(columns, Mapping) else ())
        ]
        if isinstance(table.get("unit"), str) and table["unit"] != "row":
            said.insert(0, (("tables", name, "unit"), table["unit"]))
        for place, column in said:
            if column.casefold() not in names:
                near = get_close_matches(column.casefold(), names, n=1)
                fix = f"did you mean {names[near[0]]!r}?" if near else f"it has {', '.join(names.values())}"
                found.append(Mistake(place, f"{item.source} has no column {column!r}; {fix}"))
    return found


def _refusal(mistakes: Sequence[Mistake], lines: Mapping[Place, int]) -> InvalidArgument:
    """Each mistake with its line in the answers, or with its key where that stands nowhere."""
    said = []
    for mistake in mistakes:
        line = next((lines[mistake.place[:end]] for end in range(len(mistake.place), 0, -1) if mistake.place[:end] in lines), None)
        said.append(f"{'.'.join(mistake.place) if line is None else f'line {line}'}: {mistake.says}")
    count = "a mistake" if len(said) == 1 else f"{len(said)} mistakes"
    return InvalidArgument("answers", f"have {count}:\n  " + "\n  ".join(said))


def _undeclared(tables: Section, data: Sequence[Data]) -> list[tuple[str, list[str]]]:
    found = []
    for item in data:
        name = _named(tables, item)
        table = tables[name]
        said = {str(column).casefold() for column in (*table.get("columns", ()), table.get("unit"))}
        if table.get("public") is not True:
            readable = (column for column in item.columns if column.type is not None)
            found.append((name, [column.name for column in readable if column.name.casefold() not in said]))
    return [(name, names) for name, names in found if names]
