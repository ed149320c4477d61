"""The command ``hedgerow init``: write a policy for data files, with the custodian's answers."""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Annotated, Final

import typer

from hedgerow.cli.interview import (
    AskFunction,
    DataFile,
    PolicyDraft,
    StepBack,
    draft_policy,
    draft_with_steps_back,
    read_answers,
)
from hedgerow.cli.options import DebugOption, JsonOption
from hedgerow.cli.policy_questions import PolicyQuestion
from hedgerow.cli.terminal import make_error_console, print_json, print_lines
from hedgerow.cli.type_guesses import guess_types
from hedgerow.engines.duckdb.tables.inspect import (
    inspect_columns,
    list_unreadable_notes,
)
from hedgerow.errors import InvalidArgument, SourceError

__all__ = ["init_policy"]

_STEP_BACK: Final = "<"


def init_policy(
    data: Annotated[
        list[Path],
        typer.Argument(metavar="DATA…", help="The .csv or .parquet files; each becomes a table."),
    ],
    answers: Annotated[
        Path | None,
        typer.Option(
            metavar="FILE",
            help="A file of answers, written like a policy. You are asked only for what it lacks.",
        ),
    ] = None,
    to: Annotated[
        Path | None,
        typer.Option(
            "--output",
            metavar="POLICY",
            help="The file to write. Default: NAME.toml in the current folder.",
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Write a policy for your data files by answering questions.

    Reads the names and types of columns, and no values: every bound is your decision. Only the
    types of a .csv file are guessed, from its first rows, for you to confirm. Without a terminal it
    guesses nothing, lists the missing answers and stops.

    Example: hedgerow init visits.csv
    """
    given, text = ({}, "") if answers is None else read_answers(answers)
    base = given.get("database")
    named = base.get("name") if isinstance(base, dict) else None
    name = named if isinstance(named, str) else data[0].stem
    stem = re.sub(r"[^\w.-]+", "_", name).strip(".-") or "policy"
    policy = Path(f"{stem}.toml") if to is None else to
    for path in data:
        if path.suffix.lower() not in (".csv", ".parquet"):
            raise InvalidArgument("data", "must be .csv or .parquet files: convert it", str(path))
    if policy.exists() or policy.is_symlink():
        raise InvalidArgument(
            "output",
            "must be a new file: a policy is never overwritten. Name another one with --output",
            str(policy),
        )
    files = _inspect_files(data, policy.parent, guess=_is_interactive())

    def draft_once(ask: AskFunction | None) -> PolicyDraft:
        name = stem if to is None else policy.stem
        return draft_policy(given, files, name=name, written=text, ask=ask)

    if _is_interactive():
        draft = draft_with_steps_back(_make_prompt(files), draft_once)
    else:
        draft = draft_once(None)
    _write_file(policy, draft.text)
    notes = [note for file in files for note in list_unreadable_notes(file.table, file.columns)]
    _report_draft(policy, draft, notes, as_json)
    return 0


def _inspect_files(data: list[Path], folder: Path, *, guess: bool) -> list[DataFile]:
    files: dict[str, DataFile] = {}
    for path in data:
        columns = inspect_columns(path)
        name = re.sub(r"\W+", "_", path.stem)
        name = name if name.isidentifier() else f"t_{name}"
        if name.casefold() in files:
            raise InvalidArgument(
                "data",
                f"must have different names: two files would become the table {name}. Rename one",
                str(path),
            )
        source = os.path.relpath(path.absolute(), folder.absolute()).replace(os.sep, "/")
        guesses = guess_types(path) if guess and path.suffix.lower() == ".csv" else {}
        files[name.casefold()] = DataFile(name, source, columns, guesses)
    return list(files.values())


def _is_interactive() -> bool:
    return sys.stdin.isatty() and sys.stderr.isatty()


def _make_prompt(data: list[DataFile]) -> Callable[[PolicyQuestion], str]:
    """Return a function that asks on standard error until the answer can be parsed.

    It prints a heading before the first question about each table.
    """
    console = make_error_console()
    columns = {
        file.table: ", ".join(
            f"{column.name} ({file.guesses.get(column.name, column.type) or 'unreadable'})"
            for column in file.columns
        )
        for file in data
    }
    printed: set[str] = set()
    console.print(f"Type {_STEP_BACK} to go back to the question before.", style="dim")

    def ask(question: PolicyQuestion) -> str:
        heading = question.place[1] if question.place[0] == "tables" else "budget"
        if heading not in printed:
            printed.add(heading)
            title = "The budget of these people" if heading == "budget" else f"Table {heading}"
            console.print(f"\n{title}", style="bold green")
            if heading in columns:
                print_lines([f"  columns: {columns[heading]}"], console=console)
        name = ".".join(question.place[3:]) or question.key
        while True:
            print_lines([f"  # {question.prompt}"], style="dim", console=console)
            typed: str = typer.prompt(
                f"  {name}", default="", show_default=False, prompt_suffix=" = ", err=True
            )
            if typed.strip() == _STEP_BACK:
                raise StepBack
            try:
                question.parse(typed)
            except InvalidArgument as problem:
                print_lines([f"  {problem}"], style="yellow", console=console)
            else:
                return typed

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
    warnings = list(draft.policy.warnings)
    if as_json:
        tables = [table.name for table in draft.policy.tables]
        undeclared = {table: list(names) for table, names in draft.undeclared.items()}
        details = {"undeclared": undeclared, "notes": notes, "warnings": warnings}
        print_json({"policy": str(policy), "tables": tables, **details})
        return
    print_lines([f"Wrote {policy}."], style="bold green")
    print_lines(
        f"  {table}: no bounds or values are declared for {', '.join(names)} (they can be counted;"
        " sums need bounds)."
        for table, names in draft.undeclared.items()
    )
    print_lines(f"  Note: {note}" for note in notes)
    print_lines([f"  Warning: {warning}" for warning in warnings], style="yellow")
    print_lines([f"Read it through, then run: hedgerow check {policy}"])
