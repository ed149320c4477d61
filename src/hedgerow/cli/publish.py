"""``hedgerow publish …``: publish once, and let everybody ask the publication for free.

Without ``--to`` a command says what the publication would cost and how good it would be, and spends
nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, Final

import typer

from hedgerow.cli.custodian import PolicyFile
from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    parse_number,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.publish.output.publication import Publication

__all__ = [
    "publish_cdf",
    "publish_histogram",
    "publish_marginals",
    "publish_queries",
    "publish_stream",
    "publish_synthetic",
]

ConditionsFile = Annotated[
    Path,
    typer.Argument(metavar="FILE", help="A file with a condition on each line, as after WHERE."),
]
DeltaOption = Annotated[str | None, typer.Option(help="For --sparse; the policy has a default.")]
RangesOption = Annotated[
    bool,
    typer.Option(
        "--ranges", help="Measure such that ranges, differences of two lines, are told best."
    ),
]
SparseOption = Annotated[
    bool, typer.Option("--sparse", help="Only combinations that enough rows share; takes a delta.")
]
WaysOption = Annotated[int, typer.Option(help="Tables of up to so many columns.")]

_NUMBER_OPTIONS: Final = ("epsilon", "error", "delta")


def _shared_options(
    policy: PolicyFile,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The protected table.")],
    columns: Annotated[
        str, typer.Argument(metavar="COLUMNS", help="Columns with commas between: age,region.")
    ],
    to: Annotated[
        Path | None,
        typer.Option(help="The new folder; without it nothing is made and nothing is charged."),
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(
            "--bins", help="How many bins a column has, age=11, or their edges, age=0,18,65,110."
        ),
    ] = None,
    where: Annotated[str | None, typer.Option(help="Which rows, as after WHERE.")] = None,
    rows: Annotated[
        int | None, typer.Option(help="How many rows of one unit count; the policy has a default.")
    ] = None,
    epsilon: Annotated[
        str | None, typer.Option(help="What it may cost; the policy has a default.")
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(help="The expected error you want: finds the epsilon that this takes."),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """What every command here takes."""


def _make_command(kind: str, words: str, **own: tuple[Any, Any]) -> Callable[..., int]:
    """The command of a kind, with options of its ``own``: the type and the default of each.
    typer reads all of them off the signature.
    """
    shared = dict(inspect.signature(_shared_options, eval_str=True).parameters)
    for name, (type_, default) in own.items():
        shared[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=type_, default=default
        )
    kept = [parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in shared.values()]

    def command(**given: Any) -> int:
        options = {name: given[name] for name in ("where", "rows", *own) if name != "columns"}
        options |= {
            name: parse_number(given[name], name) for name in _NUMBER_OPTIONS if name in given
        }
        options["bins"] = dict(map(_parse_bins, given["bins"] or ())) or None
        return _run_publish(
            kind,
            given,
            {
                name: value
                for name, value in options.items()
                if value is not None and value is not False
            },
        )

    command.__doc__ = words
    command.__signature__ = inspect.Signature(kept)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in kept}
    return command


publish_histogram = _make_command(
    "histogram",
    "Publish how many rows have each combination of values.",
    sparse=(SparseOption, False),
    delta=(DeltaOption, None),
)
publish_cdf = _make_command(
    "cdf",
    "Publish how many rows are at or below each value: every range can be read off.",
    ranges=(RangesOption, False),
)
publish_marginals = _make_command(
    "marginals", "Publish the tables of all combinations of a few columns.", ways=(WaysOption, 2)
)
publish_queries = _make_command(
    "queries",
    "Publish any counts together: how many rows each condition of a file holds for.",
    columns=(ConditionsFile, inspect.Parameter.empty),
)
publish_stream = _make_command("stream", "Publish running totals along a column, such as days.")
publish_synthetic = _make_command(
    "synthetic", "Publish rows of nobody that look like the real ones, two columns at a time."
)


def _run_publish(kind: str, given: dict[str, Any], options: dict[str, Any]) -> int:
    import hedgerow
    from hedgerow.publish.output.quality_report import summarise_quality

    policy, to, as_json = given["policy"], given["to"], given["as_json"]
    about = (
        _read_conditions(given["columns"]) if kind == "queries" else _split_names(given["columns"])
    )
    with show_progress("publishing", quiet=as_json) as tell, hedgerow.open(policy) as db:
        draft = getattr(db.publish, kind)(given["table"], about, **options)
        made = None if to is None else draft.to(to) if tell is None else draft.to(to, tell=tell)
    if as_json:
        print_json(
            {"draft": draft.to_dict(), "publication": None if made is None else str(made.path)}
        )
        return 0
    console = make_output_console()
    for line in draft.lines:
        console.print(line, markup=False, soft_wrap=True)
    good = None if made is None else summarise_quality(made.facts)
    if good is not None:
        console.print(good, markup=False, soft_wrap=True)
    console.print(_format_result(made, policy.absolute().parent), markup=False, soft_wrap=True)
    return 0


def _read_conditions(file: Path) -> list[str]:
    try:
        return [
            line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()
        ]
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "FILE", "must be a file of text that can be read", str(file)
        ) from None


def _format_result(made: Publication | None, folder: Path) -> str:
    if made is None:
        return "Nothing was charged. Add --to FOLDER to publish it."
    place = made.path.absolute() / "data.parquet"
    # as the policy finds it
    source = place.relative_to(folder) if place.is_relative_to(folder) else place
    name = "".join(letter if letter.isalnum() else "_" for letter in made.path.name)
    return (
        f"Published in {made.path}: data.parquet, receipt.json, report.html (entry"
        f" {made.receipt['ledger']['entry']} of the ledger).\n"
        f"To ask it in SQL, for free, add to the policy:\n[tables.{name}]\nsource ="
        f' "{source}"\npublic = true'
    )


def _split_names(columns: str) -> list[str]:
    return [name.strip() for name in columns.split(",") if name.strip()]


def _parse_bins(written: str) -> tuple[str, Any]:
    name, equals, told = written.partition("=")
    if not equals or not told.strip():
        raise InvalidArgument(
            "bins", "must be written as age=11, or with edges as age=0,18,65,110", written
        )
    edges = [part.strip() for part in told.split(",")]
    if len(edges) > 1:
        return name.strip(), [_parse_edge(edge) for edge in edges]
    count = parse_number(edges[0], "bins")
    if count is None or count != int(count):
        raise InvalidArgument("bins", "must be a whole number, or several edges", written)
    return name.strip(), int(count)


def _parse_edge(text: str) -> Any:
    from datetime import date

    try:
        return date.fromisoformat(text)
    except ValueError:
        return parse_number(text, "bins")
