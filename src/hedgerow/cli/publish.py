"""The commands ``hedgerow publish …``: pay once for a publication that everybody may query for
free.

Without ``--to`` they show the cost and the expected accuracy, and spend nothing.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Final

import typer

import hedgerow
from hedgerow.cli.options import DebugOption, JsonOption, PolicyFile, parse_number, split_names
from hedgerow.cli.terminal import print_json, print_lines, show_progress
from hedgerow.errors import InvalidArgument
from hedgerow.publish.output.publication import Publication
from hedgerow.publish.output.quality_report import summarise_quality

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
    typer.Argument(metavar="FILE", help="A text file with one condition per line, as after WHERE."),
]
DeltaOption = Annotated[
    str | None,
    typer.Option(
        metavar="D", help="The delta to spend with --sparse. Default: default_delta of the policy."
    ),
]
RangesOption = Annotated[
    bool,
    typer.Option("--ranges", help="Optimise for ranges: the difference of two cumulative counts."),
]
SparseOption = Annotated[
    bool,
    typer.Option(
        "--sparse", help="Publish only combinations that enough rows share; needs a delta."
    ),
]
WaysOption = Annotated[
    int, typer.Option(metavar="N", help="Publish tables of up to N columns each.")
]

_NUMBER_OPTIONS: Final = ("epsilon", "error", "delta")
_DRY_RUN_HELP: Final = (
    "Without --to it shows the cost and the expected accuracy, and spends nothing. What was"
    " published can be used and queried for free."
)


def _shared_options(
    policy: PolicyFile,
    table: Annotated[str, typer.Argument(metavar="TABLE", help="The protected table.")],
    columns: Annotated[
        str, typer.Argument(metavar="COLUMNS", help="The columns, comma-separated: age,region.")
    ],
    to: Annotated[
        Path | None,
        typer.Option(
            metavar="FOLDER",
            help="The new folder to publish into. Without it, only cost and accuracy are shown.",
        ),
    ] = None,
    bins: Annotated[
        list[str] | None,
        typer.Option(
            "--bins",
            metavar="COLUMN=BINS",
            help="The number of bins of a column, age=11, or their edges, age=0,18,65,110.",
        ),
    ] = None,
    where: Annotated[
        str | None,
        typer.Option(metavar="CONDITION", help="Only rows that meet this condition, as in WHERE."),
    ] = None,
    rows: Annotated[
        int | None,
        typer.Option(
            metavar="N",
            help="How many rows of one unit count. Default: max_groups times max_rows_per_group.",
        ),
    ] = None,
    epsilon: Annotated[
        str | None,
        typer.Option(
            metavar="E", help="The epsilon to spend. Default: default_epsilon of the policy."
        ),
    ] = None,
    error: Annotated[
        str | None,
        typer.Option(
            metavar="X", help="Find the epsilon that brings the expected error down to X."
        ),
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> None:
    """Declare the options of every command of this module; it is never called."""


def _make_command(kind: str, help_text: str, **own: tuple[Any, Any]) -> Callable[..., int]:
    """Return the command of a kind, with its ``own`` options: the type and default of each.

    typer reads the options off the signature, so that is put together here.
    """
    shared = dict(inspect.signature(_shared_options, eval_str=True).parameters)
    for name, (type_, default) in own.items():
        shared[name] = inspect.Parameter(
            name, inspect.Parameter.KEYWORD_ONLY, annotation=type_, default=default
        )
    parameters = [
        parameter.replace(kind=inspect.Parameter.KEYWORD_ONLY) for parameter in shared.values()
    ]

    def command(**given: Any) -> int:
        options = {name: given[name] for name in ("where", "rows", *own) if name != "columns"}
        options |= {
            name: parse_number(given[name], name) for name in _NUMBER_OPTIONS if name in given
        }
        options["bins"] = dict(map(_parse_bins, given["bins"] or ())) or None
        chosen = {
            name: value
            for name, value in options.items()
            if value is not None and value is not False
        }
        return _run_publish(kind, given, chosen)

    command.__doc__ = f"{help_text}\n\n{_DRY_RUN_HELP}"
    command.__signature__ = inspect.Signature(parameters)  # type: ignore[attr-defined]
    command.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return command


publish_histogram = _make_command(
    "histogram",
    "Publish the number of rows for each combination of values.",
    sparse=(SparseOption, False),
    delta=(DeltaOption, None),
)
publish_cdf = _make_command(
    "cdf",
    "Publish cumulative counts, from which any range can be read.",
    ranges=(RangesOption, False),
)
publish_marginals = _make_command(
    "marginals", "Publish tables for all combinations of a few columns.", ways=(WaysOption, 2)
)
publish_queries = _make_command(
    "queries",
    "Publish a count for each condition in a file.",
    columns=(ConditionsFile, inspect.Parameter.empty),
)
publish_stream = _make_command("stream", "Publish running totals along a column, such as days.")
publish_synthetic = _make_command(
    "synthetic",
    "Publish synthetic rows that resemble the real ones. They match the real data in all tables of"
    " two columns, up to noise.",
)


def _run_publish(kind: str, given: dict[str, Any], options: dict[str, Any]) -> int:
    policy, to, as_json = given["policy"], given["to"], given["as_json"]
    read = _read_conditions if kind == "queries" else split_names
    subject = read(given["columns"])
    with show_progress("publishing", quiet=as_json) as progress, hedgerow.open(policy) as db:
        draft = getattr(db.publish, kind)(given["table"], subject, **options)
        reporting = {} if progress is None else {"tell": progress}
        publication = None if to is None else draft.to(to, **reporting)
    if as_json:
        path = None if publication is None else str(publication.path)
        print_json({"draft": draft.to_dict(), "publication": path})
        return 0
    print_lines(draft.lines)
    if publication is None:
        print_lines(["Nothing was charged. Add --to FOLDER to publish it."])
        return 0
    quality = summarise_quality(publication.facts)
    print_lines([] if quality is None else [quality])
    print_lines([_format_result(publication, policy.absolute().parent)])
    return 0


def _read_conditions(file: Path) -> list[str]:
    try:
        return [
            line.strip() for line in file.read_text(encoding="utf-8").splitlines() if line.strip()
        ]
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument(
            "FILE", "must be a text file in UTF-8 that can be read", str(file)
        ) from None


def _format_result(publication: Publication, folder: Path) -> str:
    file = publication.path.absolute() / "data.parquet"
    # Paths in a policy are relative to its folder.
    source = file.relative_to(folder) if file.is_relative_to(folder) else file
    name = "".join(letter if letter.isalnum() else "_" for letter in publication.path.name)
    return (
        f"Published in {publication.path}: data.parquet, receipt.json, report.html (ledger entry"
        f" {publication.receipt['ledger']['entry']}).\n"
        f"To query it in SQL for free, add to the policy:\n[tables.{name}]\nsource ="
        f' "{source}"\npublic = true'
    )


def _parse_bins(written: str) -> tuple[str, Any]:
    name, equals, bins = written.partition("=")
    if not equals or not bins.strip():
        raise InvalidArgument(
            "bins", "must be written as age=11, or with edges as age=0,18,65,110", written
        )
    edges = [part.strip() for part in bins.split(",")]
    if len(edges) > 1:
        return name.strip(), [_parse_edge(edge) for edge in edges]
    count = parse_number(edges[0], "bins")
    if count is None or count != int(count):
        raise InvalidArgument(
            "bins", "must be a whole number, such as age=11, or at least two edges", written
        )
    return name.strip(), int(count)


def _parse_edge(text: str) -> Any:
    try:
        return date.fromisoformat(text)
    except ValueError:
        return parse_number(text, "bins")
