"""What the custodian runs: check a policy, see and raise budgets, accept a policy."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.terminal import (
    DebugOption,
    JsonOption,
    make_output_console,
    print_json,
    show_progress,
)
from hedgerow.errors import InvalidArgument

if TYPE_CHECKING:
    from hedgerow.engines.data_source import PhysicalColumn, Source
    from hedgerow.policy import BudgetRule, TableRule
    from hedgerow.privacy.budget_view import Balance, DualBalance
    from hedgerow.sql.catalog import TableEntry

__all__ = ["accept_policy", "check_policy", "raise_budget", "show_budget"]

PolicyFile = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file.")]
NoteOption = Annotated[str, typer.Option(help="Why; it is kept in the ledger.")]


_CHECKED_NOTE = (
    "Looked at: every line of the policy, names and types of columns, that the files can be read,"
    " and the form of each line of .csv files. Not looked at: values. A value that is not what the"
    " policy declares (text in a column of dates, say) counts as missing, or as the nearest bound."
)

_SANDBOX_NOTE = (
    "These layers confine the engine's own process. hedgerow.protect, and hedgerow.open with"
    " in_process=True, run the engine in yours, without any of them."
)


def check_policy(
    policy: PolicyFile, as_json: JsonOption = False, debug: DebugOption = False
) -> int:
    """Check a policy as a whole: every line of it, its sources and their columns, and what the
    ledger accepted. Writes nothing.
    """
    from hedgerow.database.open_database import open_dry_run

    with show_progress("checking", quiet=as_json), open_dry_run(policy) as db:
        db.start()
        found: dict[str, Any] = {
            "policy": str(policy),
            "tables": {
                rule.name: _describe_table(rule, db.catalog.tables[rule.name])
                for rule in db.policy.tables
            },
            "budgets": {name: view.to_dict() for name, view in db.budgets.items()},
            "notes": [
                *(
                    note
                    for rule in db.policy.tables
                    for note in _list_reading_notes(
                        db.catalog.tables[rule.name], db.source.schema(rule.name)
                    )
                ),
                *_list_id_conflicts(db.catalog.tables.values()),
            ],
            "warnings": list(db.policy.warnings),
            "looked_at": _CHECKED_NOTE,
            "engine": {"layers": _describe_layers(db.source), "note": _SANDBOX_NOTE},
        }
        questions = {rule.population: _estimate_questions(rule) for rule in db.policy.budgets}
    if as_json:
        print_json({**found, "typical_questions": questions})
        return 0
    console = make_output_console()
    console.print(f"{policy}: all well.", style="bold green")
    console.print(f"  {_CHECKED_NOTE}", style="dim", markup=False, soft_wrap=True)
    for name, table in found["tables"].items():
        what = ", ".join(
            [_describe_unit(table), f"version {table['version']}", *_describe_parts(table["parts"])]
        )
        console.print(
            f"  table {name} ({what}): {', '.join(table['columns'])}", markup=False, soft_wrap=True
        )
    for name, text in questions.items():
        console.print(f"  budget of {name}: {text}", markup=False, soft_wrap=True)
    _print_layers(found["engine"]["layers"])
    for note in found["notes"]:
        console.print(f"  Note: {note}", markup=False, soft_wrap=True)
    for warning in found["warnings"]:
        console.print(f"  Warning: {warning}", markup=False, soft_wrap=True, style="yellow")
    return 0


def _describe_layers(source: Source) -> dict[str, dict[str, Any]]:
    """Describe the layers that keep the engine process from writing: whether each is active, and
    what it does or why it is not.
    """
    from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB

    # a rehearsal starts the process that answers would come from
    assert isinstance(source, IsolatedDuckDB)
    return {layer.name: {"active": layer.active, "detail": layer.detail} for layer in source.layers}


def _print_layers(layers: Mapping[str, Mapping[str, Any]]) -> None:
    """Print the layers of the sandbox, those that are missing in another colour."""
    for name, layer in layers.items():
        words, style = ("active", None) if layer["active"] else ("NOT ACTIVE", "yellow")
        told = f"  sandbox of the engine, {name}: {words}: {layer['detail']}"
        make_output_console().print(told, markup=False, soft_wrap=True, style=style)
    make_output_console().print(f"  {_SANDBOX_NOTE}", style="dim", markup=False, soft_wrap=True)


def _list_reading_notes(entry: TableEntry, columns: Sequence[PhysicalColumn]) -> list[str]:
    """What is read as less than the data have: dates, and columns of lists and the like."""
    from hedgerow.engines.duckdb.tables.inspect import list_timestamp_notes, list_unreadable_notes

    table, shown = (
        entry.schema.table,
        {column.name.casefold() for column in entry.columns if column.type == "date"},
    )
    whole = [
        f"{table}.{one.name} is known by {one.granularity}, as the policy declares it: questions"
        " about single days are refused."
        for one in entry.columns
        if one.granularity != "day"
    ]
    asked = (column for column in columns if column.name.casefold() not in entry.hidden)
    return [
        *list_timestamp_notes(
            table, (column for column in columns if column.name.casefold() in shown)
        ),
        *whole,
        *list_unreadable_notes(table, asked),
    ]


def _list_id_conflicts(entries: Iterable[TableEntry]) -> Iterator[str]:
    """Tables about the same people whose ids are never equal, since they differ in type."""
    found: dict[str, dict[str, str]] = {}
    for entry in entries:
        if entry.schema.id_column is not None and entry.schema.link is None:
            found.setdefault(entry.population, {})[
                f"{entry.schema.table}.{entry.schema.id_column.name}"
            ] = entry.schema.id_column.type
    for ids in found.values():
        if len(set(ids.values())) > 1:
            told = " and ".join(f"{name} ({kind})" for name, kind in ids.items())
            yield (
                f"{told} differ in type, so that these tables cannot be joined: declare them alike,"
                ' such as type = "integer".'
            )


def _describe_table(rule: TableRule, entry: TableEntry) -> dict[str, Any]:
    return {
        "unit": entry.schema.unit,
        "way": rule.unit_text,
        "version": rule.version,
        "parts": list(rule.parts),
        "columns": [column.name for column in entry.columns],
    }


def _describe_unit(table: dict[str, Any]) -> str:
    unit, way = table["unit"], table["way"]
    if unit is None:
        return "public"
    return (
        "each row is protected"
        if unit == "row"
        else f"protects {unit}"
        if unit == way
        else f"protects {unit}, by {way}"
    )


def _describe_parts(parts: list[str]) -> list[str]:
    return [f"{len(parts)} parts from {parts[0]} to {parts[-1]}"] if parts else []


def _estimate_questions(rule: BudgetRule) -> str:
    """How many questions at the default epsilon the whole budget answers, by either kind of
    noise.
    """
    from hedgerow.answers.explanation import count_questions_left
    from hedgerow.mechanisms import Gaussian, Laplace
    from hedgerow.privacy.budget import Budget
    from hedgerow.privacy.loss import compute_pure_rho

    whole = Budget(rule.epsilon, rule.delta)
    laplace = count_questions_left(
        whole, Laplace.calibrate(sensitivity=1, epsilon=rule.default_epsilon).loss(1)
    )
    text = (
        f"epsilon {float(rule.epsilon):g} answers {laplace:,} questions of epsilon"
        f" {float(rule.default_epsilon):g} with Laplace noise"
    )
    if rule.delta is None:
        return text
    gaussian = count_questions_left(
        whole, Gaussian.calibrate(sensitivity=1, rho=compute_pure_rho(rule.default_epsilon)).loss(1)
    )
    return f"{text}, {gaussian:,} with Gaussian noise"


def show_budget(
    policy: PolicyFile,
    analyst: Annotated[
        str | None, typer.Option(help="Show the quota of this analyst instead.")
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Show what was spent and what is left, for each population, and the quotas of analysts."""
    from hedgerow.database import read_budgets, read_quotas

    if analyst is not None:
        return _show_quota(analyst, read_quotas(policy), as_json)
    views = read_budgets(policy)
    if as_json:
        plain = {name: view.to_dict() for name, view in views.items()}
        print_json(next(iter(plain.values())) if len(plain) == 1 else plain)
        return 0
    for name, view in views.items():
        make_output_console().print(
            "\n".join([name, str(view), *_explain_dual_account(view), *_format_parts(view)]),
            markup=False,
            soft_wrap=True,
        )
    for name, quota in read_quotas(policy).items():
        make_output_console().print(_format_quota(name, quota), markup=False, soft_wrap=True)
    return 0


def _show_quota(analyst: str, known: Mapping[str, Balance | None], as_json: bool) -> int:
    if analyst not in known:
        named = (
            f"one of {', '.join(known)}" if known else "an analyst of the policy, which names none"
        )
        raise InvalidArgument("analyst", f"must be {named}", analyst)
    quota = known[analyst]
    if as_json:
        print_json({"analyst": analyst, **({} if quota is None else quota.to_dict())})
    else:
        make_output_console().print(_format_quota(analyst, quota), markup=False, soft_wrap=True)
    return 0


def _format_quota(analyst: str, quota: Balance | None) -> str:
    return (
        f"quota of {analyst}:"
        f" {'none, the budget alone counts' if quota is None else f'epsilon {quota}'}"
    )


def _explain_dual_account(view: Balance | DualBalance) -> list[str]:
    """What to make of three lines, for whoever sees them first."""
    if not hasattr(view, "rho"):
        return []
    return [
        "A question is answered while epsilon or rho lasts; delta is for groups that are not"
        " declared. (It is half of the policy's: the other half stands behind rho.)"
    ]


def _format_parts(view: Balance | DualBalance) -> list[str]:
    """What is left of each part, below the whole."""
    lines = []
    for table, parts in view.parts.items():
        lines.append(f"Left for questions about one part of {table} alone:")
        wide = max(map(len, parts))
        lines.extend(
            f"  {name:<{wide}}  {_format_remaining(account)}" for name, account in parts.items()
        )
    return lines


def _format_remaining(account: Balance | DualBalance) -> str:
    """Of each line that is not closed."""
    plain = account.to_dict()
    lines = (
        {name: plain[name] for name in ("epsilon", "rho", "delta")} if "left" not in plain else {}
    )
    return ", ".join(
        f"{name} {line['left']}" for name, line in lines.items() if line["spent"] != "inf"
    ) or str(plain["left"])


def raise_budget(
    policy: PolicyFile,
    note: NoteOption = "",
    as_json: JsonOption = False,
    debug: DebugOption = False,
) -> int:
    """Let a policy file with a larger budget rule. Nothing but the budget may have been
    loosened.
    """
    return _accept_changes(policy, note, as_json, budgets_only=True)


def accept_policy(
    policy: PolicyFile,
    note: NoteOption = "",
    anew: Annotated[
        bool, typer.Option("--anew", help="Although nothing changed: failed runs are forgiven.")
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Let a changed policy file rule, whatever it loosens. This is an entry of the ledger."""
    return _accept_changes(policy, note, as_json, anew=anew)


def _accept_changes(
    policy: Path, note: str, as_json: bool, *, budgets_only: bool = False, anew: bool = False
) -> int:
    from hedgerow.database import accept_policy

    entry, changes = accept_policy(policy, note=note, budgets_only=budgets_only, anew=anew)
    if as_json:
        print_json({"entry": entry and entry.seq, "changes": list(changes)})
        return 0
    console = make_output_console()
    console.print(
        "Nothing has changed." if entry is None else f"Accepted as ledger entry {entry.seq}."
    )
    for change in changes:
        console.print(f"  {change}", markup=False, soft_wrap=True)
    return 0
