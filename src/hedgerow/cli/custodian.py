"""The custodian's commands: ``hedgerow check``, ``budget``, ``budget raise``, ``policy accept``."""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from hedgerow import database
from hedgerow.answers.explanation import count_questions_left
from hedgerow.cli.options import DebugOption, JsonOption, NoteOption, PolicyFile
from hedgerow.cli.terminal import print_json, print_lines, show_progress
from hedgerow.database import Database
from hedgerow.database.open_database import open_dry_run
from hedgerow.database.open_ledger import name_ledger
from hedgerow.engines.data_source import PhysicalColumn
from hedgerow.engines.duckdb.process.engine_process import IsolatedDuckDB
from hedgerow.engines.duckdb.tables.inspect import list_timestamp_notes, list_unreadable_notes
from hedgerow.errors import InvalidArgument
from hedgerow.mechanisms import Gaussian, Laplace
from hedgerow.policy import BudgetRule, TableRule
from hedgerow.privacy.budget import Budget
from hedgerow.privacy.budget_view import Balance, DualBalance
from hedgerow.privacy.loss import compute_pure_rho
from hedgerow.sql.catalog import TableEntry

__all__ = ["accept_policy", "check_policy", "raise_budget", "show_budget"]

_CHECKED_NOTE = (
    "Checked: every line of the policy, the names and types of columns, that the files can be read,"
    " and the form of each line of .csv files. Not checked: values. A value that does not fit its"
    " declaration (text in a date column, say) counts as missing, or as the nearest bound."
)
_SANDBOX_NOTE = (
    "These layers confine the engine's own process. hedgerow.protect, and hedgerow.open with"
    " in_process=True, run the engine inside your process, without any of them."
)


def check_policy(
    policy: PolicyFile,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Check a policy, its data files and its ledger.

    Reads every line of the policy and the columns of its files, and compares the policy with the
    one that the ledger accepted. Writes nothing and charges nothing.
    """
    with show_progress("checking", quiet=as_json), open_dry_run(policy) as db:
        db.start()
        report = _build_check_report(policy, db)
    if as_json:
        print_json(report)
        return 0
    print_lines([f"{policy}: no problems found."], style="bold green")
    print_lines([f"  {_CHECKED_NOTE}"], style="dim")
    for name, table in report["tables"].items():
        facts = ", ".join(
            [_describe_unit(table), f"version {table['version']}", *_describe_parts(table["parts"])]
        )
        print_lines([f"  table {name} ({facts}): {', '.join(table['columns'])}"])
    print_lines(f"  budget of {name}: {text}" for name, text in report["typical_questions"].items())
    print_lines([f"  ledger {report['ledger']['place']}: {report['ledger']['entries']} entries"])
    for name, layer in report["engine"]["layers"].items():
        state, style = ("active", None) if layer["active"] else ("NOT ACTIVE", "yellow")
        print_lines([f"  engine sandbox, {name}: {state}: {layer['detail']}"], style=style)
    print_lines([f"  {_SANDBOX_NOTE}"], style="dim")
    print_lines(f"  Note: {note}" for note in report["notes"])
    print_lines([f"  Warning: {warning}" for warning in report["warnings"]], style="yellow")
    return 0


def _build_check_report(policy: Path, db: Database) -> dict[str, Any]:
    entries = db.catalog.tables
    # A dry run starts the process that answers would come from; a server is not ours to confine.
    source = db.source
    layers = {
        layer.name: {"active": layer.active, "detail": layer.detail}
        for layer in (source.layers if isinstance(source, IsolatedDuckDB) else ())
    }
    notes = [
        note
        for rule in db.policy.tables
        for note in _list_reading_notes(entries[rule.name], db.source.schema(rule.name))
    ]
    return {
        "policy": str(policy),
        "tables": {
            rule.name: _describe_table(rule, entries[rule.name]) for rule in db.policy.tables
        },
        "budgets": {name: view.to_dict() for name, view in db.budgets.items()},
        "notes": [*notes, *_list_id_conflicts(entries.values())],
        "warnings": list(db.policy.warnings),
        "looked_at": _CHECKED_NOTE,
        "ledger": {"place": name_ledger(db.policy), "entries": db.ledger.state.seq},
        "engine": {"layers": layers, "note": _SANDBOX_NOTE},
        "typical_questions": {
            rule.population: _estimate_questions(rule) for rule in db.policy.budgets
        },
    }


def _list_reading_notes(entry: TableEntry, columns: Sequence[PhysicalColumn]) -> list[str]:
    """List the columns of which less is read than the data hold: times of day, lists and so on."""
    table = entry.schema.table
    dates = {column.name.casefold() for column in entry.columns if column.type == "date"}
    coarse = [
        f"{table}.{column.name} is known by {column.granularity}, as the policy declares it:"
        " questions about single days are refused."
        for column in entry.columns
        if column.granularity != "day"
    ]
    visible = (column for column in columns if column.name.casefold() not in entry.hidden)
    return [
        *list_timestamp_notes(
            table, (column for column in columns if column.name.casefold() in dates)
        ),
        *coarse,
        *list_unreadable_notes(table, visible),
    ]


def _list_id_conflicts(entries: Iterable[TableEntry]) -> Iterator[str]:
    """List tables about the same people whose ids never match because their types differ."""
    types: dict[str, dict[str, str]] = {}
    for entry in entries:
        key = entry.schema.id_column
        if key is not None and entry.schema.link is None:
            types.setdefault(entry.population, {})[f"{entry.schema.table}.{key.name}"] = key.type
    for ids in types.values():
        if len(set(ids.values())) > 1:
            named = " and ".join(f"{name} ({kind})" for name, kind in ids.items())
            yield (
                f"{named} differ in type, so these tables cannot be joined. Declare the same type"
                ' for both, such as type = "integer".'
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
    unit, declared = table["unit"], table["way"]
    if unit is None:
        return "public"
    if unit == "row":
        return "each row is protected"
    return f"protects {unit}" if unit == declared else f"protects {unit}, by {declared}"


def _describe_parts(parts: list[str]) -> list[str]:
    return [f"{len(parts)} parts from {parts[0]} to {parts[-1]}"] if parts else []


def _estimate_questions(rule: BudgetRule) -> str:
    """Say how many questions at the default epsilon the budget answers, by kind of noise."""
    budget = Budget(rule.epsilon, rule.delta)
    laplace = count_questions_left(
        budget, Laplace.calibrate(sensitivity=1, epsilon=rule.default_epsilon).loss(1)
    )
    text = (
        f"epsilon {float(rule.epsilon):g} answers {laplace:,} questions of epsilon"
        f" {float(rule.default_epsilon):g} with Laplace noise"
    )
    if rule.delta is None:
        return text
    rho = compute_pure_rho(rule.default_epsilon)
    gaussian = count_questions_left(budget, Gaussian.calibrate(sensitivity=1, rho=rho).loss(1))
    return f"{text}, {gaussian:,} with Gaussian noise"


def show_budget(
    policy: PolicyFile,
    analyst: Annotated[
        str | None, typer.Option(metavar="NAME", help="Show the quota of this analyst instead.")
    ] = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Show how much budget is spent and left.

    Lists the budget of each population of people, and the quotas of analysts.
    """
    if analyst is not None:
        return _show_quota(analyst, database.read_quotas(policy), as_json)
    views = database.read_budgets(policy)
    if as_json:
        plain = {name: view.to_dict() for name, view in views.items()}
        print_json(next(iter(plain.values())) if len(plain) == 1 else plain)
        return 0
    for name, view in views.items():
        print_lines([name, str(view), *_explain_dual_account(view), *_format_parts(view)])
    print_lines(_format_quota(name, quota) for name, quota in database.read_quotas(policy).items())
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
        print_lines([_format_quota(analyst, quota)])
    return 0


def _format_quota(analyst: str, quota: Balance | None) -> str:
    amount = "none, only the budget limits it" if quota is None else f"epsilon {quota}"
    return f"quota of {analyst}: {amount}"


def _explain_dual_account(view: Balance | DualBalance) -> list[str]:
    if not hasattr(view, "rho"):
        return []
    return [
        "A question is answered while epsilon or rho lasts. Delta pays for groups whose values the"
        " policy does not list. (It is half of the policy's delta; the other half backs rho.)"
    ]


def _format_parts(view: Balance | DualBalance) -> list[str]:
    lines = []
    for table, parts in view.parts.items():
        lines.append(f"Left for questions about a single part of {table}:")
        width = max(map(len, parts))
        lines.extend(
            f"  {name:<{width}}  {_format_remaining(account)}" for name, account in parts.items()
        )
    return lines


def _format_remaining(account: Balance | DualBalance) -> str:
    """Return what is left of each currency that is still open."""
    if not isinstance(account, DualBalance):
        return account.format_numbers()["left"]
    currencies = {"epsilon": account.epsilon, "rho": account.rho, "delta": account.delta}
    return ", ".join(
        f"{name} {line.format_numbers()['left']}"
        for name, line in currencies.items()
        if line.spent != math.inf
    )


def raise_budget(
    policy: PolicyFile,
    note: NoteOption = "",
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Accept a policy with a larger budget.

    Raise epsilon or delta in the policy file first. Refused if anything else became looser; the
    change is recorded in the ledger.
    """
    return _accept_changes(policy, note, as_json, budgets_only=True)


def accept_policy(
    policy: PolicyFile,
    note: NoteOption = "",
    anew: Annotated[
        bool,
        typer.Option(
            "--anew", help="Record it even if nothing changed; this clears counts of failed runs."
        ),
    ] = False,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Accept a changed policy, even where it loosens protection.

    The change is recorded in the ledger.
    """
    return _accept_changes(policy, note, as_json, anew=anew)


def _accept_changes(
    policy: Path, note: str, as_json: bool, *, budgets_only: bool = False, anew: bool = False
) -> int:
    entry, changes = database.accept_policy(policy, note=note, budgets_only=budgets_only, anew=anew)
    if as_json:
        print_json({"entry": entry and entry.seq, "changes": list(changes)})
        return 0
    outcome = "Nothing has changed." if entry is None else f"Accepted as ledger entry {entry.seq}."
    print_lines([outcome, *(f"  {change}" for change in changes)])
    return 0
