"""``hedgerow init``: a policy for data that have none yet, agreed on with the custodian."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.terminal import Debug, Json, errors, output, print_json
from hedgerow.errors import InvalidArgument, SourceError

if TYPE_CHECKING:
    from hedgerow.cli.blanks import Blank
    from hedgerow.cli.interview import Data, Draft

__all__ = ["init"]


def init(
    data: Annotated[list[Path], typer.Argument(metavar="DATA…", help="The .csv or .parquet files; each becomes a table.")],
    answers: Annotated[Path | None, typer.Option(metavar="FILE", help="Answers, written like a policy; what it lacks is asked.")] = None,
    to: Annotated[Path | None, typer.Option("--output", metavar="POLICY", help="The file to write; default: NAME.toml here.")] = None,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Write a policy, asking the custodian for every bound. Looks at the names and types of columns, never at a row."""
    from hedgerow.cli.interview import interview, read_answers
    from hedgerow.engines.inspection import clocks, unread

    given, text = ({}, "") if answers is None else read_answers(answers)
    base = given.get("database")
    named = base.get("name") if isinstance(base, dict) else None
    stem = re.sub(r"[^\w.-]+", "_", named if isinstance(named, str) else data[0].stem).strip(".-") or "policy"
    policy = Path(f"{stem}.toml") if to is None else to
    if policy.exists() or policy.is_symlink():
        raise InvalidArgument("output", "must be a new file: a policy is never overwritten. Name another one with --output", str(policy))
    found = _inspected(data, policy.parent)
    ask = _asking(found) if _somebody_there() else None
    draft = interview(given, found, name=stem if to is None else policy.stem, written=text, ask=ask)
    _write(policy, draft.text)
    _tell(policy, draft, [note for item in found for tell in (clocks, unread) for note in tell(item.table, item.columns)], as_json)
    return 0


def _inspected(data: list[Path], folder: Path) -> list[Data]:
    from hedgerow.cli.interview import Data
    from hedgerow.engines.inspection import inspect

    found: dict[str, Data] = {}
    for path in data:
        columns = inspect(path)
        name = re.sub(r"\W+", "_", path.stem)
        name = name if name.isidentifier() else f"t_{name}"
        if name.casefold() in found:
            raise InvalidArgument("data", f"must have different names: two of them would be the table {name}", str(path))
        source = os.path.relpath(path.absolute(), folder.absolute()).replace(os.sep, "/")
        found[name.casefold()] = Data(name, source, columns)
    return list(found.values())


def _somebody_there() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _asking(data: list[Data]) -> Callable[[Blank], str]:
    """Prompts on standard error, a heading for each table, and the same question again after an answer that cannot be read."""
    console = errors()
    columns = {item.table: ", ".join(f"{column.name} ({column.type or 'unreadable'})" for column in item.columns) for item in data}
    told: set[str] = set()

    def ask(blank: Blank) -> str:
        heading = blank.place[1] if blank.place[0] == "tables" else "budget"
        if heading not in told:
            told.add(heading)
            title = "The budget of these people" if heading == "budget" else f"Table {heading}"
            console.print(f"\n{title}", style="bold green")
            if heading in columns:
                console.print(f"  columns: {columns[heading]}", markup=False, soft_wrap=True)
        name = ".".join(blank.place[3:]) or blank.key
        while True:
            console.print(f"  # {blank.asks}", style="dim", markup=False, soft_wrap=True)
            said: str = typer.prompt(f"  {name}", default="", show_default=False, prompt_suffix=" = ", err=True)
            try:
                blank.read(said)
            except InvalidArgument as problem:
                console.print(f"  {problem}", style="yellow", markup=False, soft_wrap=True)
            else:
                return said

    return ask


def _write(policy: Path, text: str) -> None:
    try:
        with policy.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as failure:
        raise SourceError(f"{policy} cannot be written: {failure.strerror}. Name another file with --output.") from None


def _tell(policy: Path, draft: Draft, notes: list[str], as_json: bool) -> None:
    if as_json:
        tables = [table.name for table in draft.policy.tables]
        undeclared = {table: list(names) for table, names in draft.undeclared.items()}
        said = {"undeclared": undeclared, "notes": notes, "warnings": list(draft.policy.warnings)}
        print_json({"policy": str(policy), "tables": tables, **said})
        return
    console = output()
    console.print(f"Wrote {policy}.", style="bold green")
    for table, names in draft.undeclared.items():
        advice = "they can be counted; sums need bounds"
        console.print(f"  {table}: nothing is declared about {', '.join(names)} ({advice}).", markup=False, soft_wrap=True)
    for note in notes:
        console.print(f"  Note: {note}", markup=False, soft_wrap=True)
    for warning in draft.policy.warnings:
        console.print(f"  Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    console.print(f"Read it through, then run: hedgerow check {policy}", markup=False, soft_wrap=True)
