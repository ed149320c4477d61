"""``hedgerow init``: a policy for data that have none yet, agreed on with the custodian."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_error_console,
    make_output_console,
    print_json,
)
from hedgerow.errors import InvalidArgument, SourceError

if TYPE_CHECKING:
    from hedgerow.cli.interview import DataFile, PolicyDraft
    from hedgerow.cli.policy_questions import PolicyQuestion

__all__ = ["init_policy"]


def init_policy(
    data: Annotated[
        list[Path],
        typer.Argument(metavar="DATA…", help="The .csv or .parquet files; each becomes a table."),
    ],
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE", help="Answers, written like a policy; what it lacks is asked."
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output", metavar="POLICY", help="The file to write; default: NAME.toml here."
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Write a policy, asking the custodian for every bound. Looks at the names and types of
    columns, never at a row.
    """
    from hedgerow.cli.interview import draft_policy, read_answers
    from hedgerow.engines.duckdb.tables.inspect import list_timestamp_notes, list_unreadable_notes

    given, text = ({}, "") if answers is None else read_answers(answers)
    base = given.get("database")
    named = base.get("name") if isinstance(base, dict) else None
    stem = (
        re.sub(r"[^\w.-]+", "_", named if isinstance(named, str) else data[0].stem).strip(".-")
        or "policy"
    )
    policy = Path(f"{stem}.toml") if to is None else to
    if policy.exists() or policy.is_symlink():
        raise InvalidArgument(
            "output",
            "must be a new file: a policy is never overwritten. Name another one with --output",
            str(policy),
        )
    found = _inspect_files(data, policy.parent)
    ask = _make_prompt(found) if _is_interactive() else None
    draft = draft_policy(
        given, found, name=stem if to is None else policy.stem, written=text, ask=ask
    )
    _write_file(policy, draft.text)
    _report_draft(
        policy,
        draft,
        [
            note
            for item in found
            for tell in (list_timestamp_notes, list_unreadable_notes)
            for note in tell(item.table, item.columns)
        ],
        as_json,
    )
    return 0


def _inspect_files(data: list[Path], folder: Path) -> list[DataFile]:
    from hedgerow.cli.interview import DataFile
    from hedgerow.engines.duckdb.tables.inspect import inspect_columns

    found: dict[str, DataFile] = {}
    for path in data:
        columns = inspect_columns(path)
        name = re.sub(r"\W+", "_", path.stem)
        name = name if name.isidentifier() else f"t_{name}"
        if name.casefold() in found:
            raise InvalidArgument(
                "data",
                f"must have different names: two of them would be the table {name}",
                str(path),
            )
        source = os.path.relpath(path.absolute(), folder.absolute()).replace(os.sep, "/")
        found[name.casefold()] = DataFile(name, source, columns)
    return list(found.values())


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _make_prompt(data: list[DataFile]) -> Callable[[PolicyQuestion], str]:
    """Prompts on standard error, a heading for each table, and the same question again after an
    answer that cannot be read.
    """
    console = make_error_console()
    columns = {
        item.table: ", ".join(
            f"{column.name} ({column.type or 'unreadable'})" for column in item.columns
        )
        for item in data
    }
    told: set[str] = set()

    def ask(blank: PolicyQuestion) -> str:
        heading = blank.place[1] if blank.place[0] == "tables" else "budget"
        if heading not in told:
            told.add(heading)
            title = "The budget of these people" if heading == "budget" else f"Table {heading}"
            console.print(f"\n{title}", style="bold green")
            if heading in columns:
                console.print(f"  columns: {columns[heading]}", markup=False, soft_wrap=True)
        name = ".".join(blank.place[3:]) or blank.key
        while True:
            console.print(f"  # {blank.prompt}", style="dim", markup=False, soft_wrap=True)
            said: str = typer.prompt(
                f"  {name}", default="", show_default=False, prompt_suffix=" = ", err=True
            )
            try:
                blank.parse(said)
            except InvalidArgument as problem:
                console.print(f"  {problem}", style="yellow", markup=False, soft_wrap=True)
            else:
                return said

    return ask


def _write_file(policy: Path, text: str) -> None:
    try:
        with policy.open("x", encoding="utf-8") as file:
            file.write(text)
    except OSError as failure:
        raise SourceError(
            f"{policy} cannot be written: {failure.strerror}. Name another file with --output."
        ) from None


def _report_draft(policy: Path, draft: PolicyDraft, notes: list[str], as_json: bool) -> None:
    if as_json:
        tables = [table.name for table in draft.policy.tables]
        undeclared = {table: list(names) for table, names in draft.undeclared.items()}
        said = {"undeclared": undeclared, "notes": notes, "warnings": list(draft.policy.warnings)}
        print_json({"policy": str(policy), "tables": tables, **said})
        return
    console = make_output_console()
    console.print(f"Wrote {policy}.", style="bold green")
    for table, names in draft.undeclared.items():
        advice = "they can be counted; sums need bounds"
        console.print(
            f"  {table}: nothing is declared about {', '.join(names)} ({advice}).",
            markup=False,
            soft_wrap=True,
        )
    for note in notes:
        console.print(f"  Note: {note}", markup=False, soft_wrap=True)
    for warning in draft.policy.warnings:
        console.print(f"  Warning: {warning}", style="yellow", markup=False, soft_wrap=True)
    console.print(
        f"Read it through, then run: hedgerow check {policy}", markup=False, soft_wrap=True
    )
