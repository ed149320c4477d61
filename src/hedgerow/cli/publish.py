"""``hedgerow publish …``: publish once, and let everybody ask the publication for free.

Without ``--to`` a command says what the publication would cost and how good it would be, and spends nothing.
"""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.terminal import Debug, Json, number, output, print_json, working
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.database.publisher import Draft
    from hedgerow.publish.publication import Publication

__all__ = ["publish_cdf", "publish_histogram", "publish_marginals", "publish_queries", "publish_stream", "publish_synthetic"]

Policy = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file.")]
Table = Annotated[str, typer.Argument(metavar="TABLE", help="The protected table.")]
Columns = Annotated[str, typer.Argument(metavar="COLUMNS", help="Columns with commas between: age,region.")]
To = Annotated[Path | None, typer.Option(help="The new folder; without it nothing is made and nothing is charged.")]
BinsOf = Annotated[list[str] | None, typer.Option("--bins", help="How many bins a column has, age=11, or their edges, age=0,18,65,110.")]
Where = Annotated[str | None, typer.Option(help="Which rows, as after WHERE.")]
Rows = Annotated[int | None, typer.Option(help="How many rows of one unit count; the policy has a default.")]
Epsilon = Annotated[str | None, typer.Option(help="What it may cost; the policy has a default.")]
Error = Annotated[str | None, typer.Option(help="The expected error you want: finds the epsilon that this takes.")]
Ways = Annotated[int, typer.Option(help="Tables of up to so many columns.")]


def publish_histogram(
    policy: Policy,
    table: Table,
    columns: Columns,
    to: To = None,
    bins: BinsOf = None,
    where: Where = None,
    rows: Rows = None,
    epsilon: Epsilon = None,
    error: Error = None,
    sparse: Annotated[bool, typer.Option("--sparse", help="Only combinations that enough rows share; takes a delta.")] = False,
    delta: Annotated[str | None, typer.Option(help="For --sparse; the policy has a default.")] = None,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Publish how many rows have each combination of values."""
    chance = number(delta, "delta")

    def drafted(db: Any, options: dict[str, Any]) -> Draft:
        found: Draft = db.publish.histogram(table, _names(columns), sparse=sparse, delta=chance, **options)
        return found

    return _publish(policy, to, as_json, drafted, locals())


def publish_marginals(
    policy: Policy,
    table: Table,
    columns: Columns,
    to: To = None,
    ways: Ways = 2,
    bins: BinsOf = None,
    where: Where = None,
    rows: Rows = None,
    epsilon: Epsilon = None,
    error: Error = None,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Publish the tables of all combinations of a few columns."""
    return _publish(policy, to, as_json, lambda db, options: db.publish.marginals(table, _names(columns), ways=ways, **options), locals())


def publish_queries(
    policy: Policy,
    table: Table,
    questions: Annotated[Path, typer.Argument(metavar="FILE", help="A file with a condition on each line, as after WHERE.")],
    to: To = None,
    bins: BinsOf = None,
    where: Where = None,
    rows: Rows = None,
    epsilon: Epsilon = None,
    error: Error = None,
    as_json: Json = False,
    debug: Debug = False,
) -> int:
    """Publish any counts together: how many rows each condition of a file holds for."""
    try:
        asked = [line.strip() for line in questions.read_text(encoding="utf-8").splitlines() if line.strip()]
    except (OSError, UnicodeDecodeError):
        raise InvalidArgument("FILE", "must be a file of text that can be read", str(questions)) from None
    return _publish(policy, to, as_json, lambda db, options: db.publish.queries(table, asked, **options), locals())


def _plain(kind: str, words: str) -> Callable[..., int]:
    """The command of a kind that has no options of its own."""

    def command(
        policy: Policy,
        table: Table,
        columns: Columns,
        to: To = None,
        bins: BinsOf = None,
        where: Where = None,
        rows: Rows = None,
        epsilon: Epsilon = None,
        error: Error = None,
        as_json: Json = False,
        debug: Debug = False,
    ) -> int:
        return _publish(policy, to, as_json, lambda db, options: getattr(db.publish, kind)(table, _names(columns), **options), locals())

    command.__doc__ = words
    return command


publish_cdf = _plain("cdf", "Publish how many rows are at or below each value: every range can be read off.")
publish_stream = _plain("stream", "Publish running totals along a column, such as days.")
publish_synthetic = _plain("synthetic", "Publish rows of nobody that look like the real ones, two columns at a time.")


def _publish(policy: Path, to: Path | None, as_json: bool, draft_of: Callable[[Any, dict[str, Any]], Draft], given: dict[str, Any]) -> int:
    import hedgerow

    options: dict[str, Any] = {name: given[name] for name in ("where", "rows") if given[name] is not None}
    options |= {name: number(given[name], name) for name in ("epsilon", "error") if given.get(name) is not None}
    if given["bins"]:
        options["bins"] = dict(_bins(written) for written in given["bins"])
    with working("publishing", quiet=as_json), hedgerow.open(policy) as db:
        draft = draft_of(db, options)
        made = None if to is None else draft.to(to)
    if as_json:
        print_json({"draft": draft.to_dict(), "publication": None if made is None else str(made.path)})
        return 0
    console = output()
    for line in draft.lines:
        console.print(line, markup=False, soft_wrap=True)
    console.print(_said(made, policy.absolute().parent), markup=False, soft_wrap=True)
    return 0


def _said(made: Publication | None, folder: Path) -> str:
    if made is None:
        return "Nothing was charged. Add --to FOLDER to publish it."
    place = made.path.absolute() / "data.parquet"
    source = place.relative_to(folder) if place.is_relative_to(folder) else place  # as the policy finds it
    name = "".join(letter if letter.isalnum() else "_" for letter in made.path.name)
    return (
        f"Published in {made.path}: data.parquet, receipt.json, report.html (entry {made.receipt['ledger']['entry']} of the ledger).\n"
        f'To ask it in SQL, for free, add to the policy:\n[tables.{name}]\nsource = "{source}"\npublic = true'
    )


def _names(columns: str) -> list[str]:
    return [name.strip() for name in columns.split(",") if name.strip()]


def _bins(written: str) -> tuple[str, Any]:
    name, equals, told = written.partition("=")
    if not equals or not told.strip():
        raise InvalidArgument("bins", "must be written as age=11, or with edges as age=0,18,65,110", written)
    edges = [part.strip() for part in told.split(",")]
    if len(edges) > 1:
        return name.strip(), [_edge(edge) for edge in edges]
    count = number(edges[0], "bins")
    if count is None or count != int(count):
        raise InvalidArgument("bins", "must be a whole number, or several edges", written)
    return name.strip(), int(count)


def _edge(text: str) -> Any:
    from datetime import date

    try:
        return date.fromisoformat(text)
    except ValueError:
        return number(text, "bins")
