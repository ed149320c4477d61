"""What the custodian runs: check a policy, see and raise budgets, accept a policy, verify and adopt a ledger."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from hedgerow.cli.terminal import Debug, Json, output, print_json, working
from hedgerow.errors import LedgerError

if TYPE_CHECKING:
    from hedgerow.policy import BudgetRule

__all__ = ["adopt", "budget", "check", "policy_accept", "raise_budget", "verify_ledger"]

Policy = Annotated[Path, typer.Argument(metavar="POLICY", help="The policy file.")]
Note = Annotated[str, typer.Option(help="Why; it is kept in the ledger.")]


def check(policy: Policy, as_json: Json = False, debug: Debug = False) -> int:  # noqa: ARG001
    """Check a policy as a whole: every line of it, its sources and their columns, and what the ledger accepted."""
    import hedgerow

    with working("checking", quiet=as_json), hedgerow.open(policy) as db:
        db.start()
        found: dict[str, Any] = {
            "policy": str(policy),
            "tables": {
                name: {
                    "unit": entry.schema.unit,
                    "version": entry.schema.version,
                    "columns": [column.name for column in entry.schema.columns],
                }
                for name, entry in db.catalog.tables.items()
            },
            "budgets": {name: view.to_dict() for name, view in db.budgets.items()},
            "warnings": list(db.policy.warnings),
        }
        questions = {rule.population: _typical(rule) for rule in db.policy.budgets}
    if as_json:
        print_json({**found, "typical_questions": questions})
        return 0
    console = output()
    console.print(f"{policy}: all well.", style="bold green")
    for name, table in found["tables"].items():
        whom = "public" if table["unit"] is None else "each row is protected" if table["unit"] == "row" else f"protects {table['unit']}"
        console.print(f"  table {name} ({whom}, version {table['version']}): {', '.join(table['columns'])}", markup=False, soft_wrap=True)
    for name, text in questions.items():
        console.print(f"  budget of {name}: {text}", markup=False, soft_wrap=True)
    for warning in found["warnings"]:
        console.print(f"  Warning: {warning}", markup=False, soft_wrap=True, style="yellow")
    return 0


def _typical(rule: BudgetRule) -> str:
    """How many questions at the default epsilon the whole budget answers, by either kind of noise."""
    from hedgerow.answers.explanation import questions_left
    from hedgerow.mechanisms import Gaussian, Laplace
    from hedgerow.privacy.budget import Budget
    from hedgerow.privacy.loss import rho_of_pure

    whole = Budget(rule.epsilon, rule.delta)
    laplace = questions_left(whole, Laplace.calibrate(sensitivity=1, epsilon=rule.default_epsilon).loss(1))
    text = f"epsilon {float(rule.epsilon):g} answers {laplace:,} questions of epsilon {float(rule.default_epsilon):g} with Laplace noise"
    if rule.delta is None:
        return text
    gaussian = questions_left(whole, Gaussian.calibrate(sensitivity=1, rho=rho_of_pure(rule.default_epsilon)).loss(1))
    return f"{text}, {gaussian:,} with Gaussian noise"


def budget(policy: Policy, as_json: Json = False, debug: Debug = False) -> int:  # noqa: ARG001
    """Show what was spent and what is left, for each population."""
    from hedgerow.database import budgets

    views = budgets(policy)
    if as_json:
        plain = {name: view.to_dict() for name, view in views.items()}
        print_json(next(iter(plain.values())) if len(plain) == 1 else plain)
        return 0
    for name, view in views.items():
        output().print(f"{name}\n{view}", markup=False, soft_wrap=True)
    return 0


def raise_budget(policy: Policy, note: Note = "", as_json: Json = False, debug: Debug = False) -> int:  # noqa: ARG001
    """Let a policy file with a larger budget rule. Nothing but the budget may have been loosened."""
    return _accepted(policy, note, as_json, budgets_only=True)


def policy_accept(
    policy: Policy,
    note: Note = "",
    anew: Annotated[bool, typer.Option("--anew", help="Although nothing changed: failed runs are forgiven.")] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Let a changed policy file rule, whatever it loosens. This is an entry of the ledger."""
    return _accepted(policy, note, as_json, anew=anew)


def _accepted(policy: Path, note: str, as_json: bool, *, budgets_only: bool = False, anew: bool = False) -> int:
    from hedgerow.database import accept

    entry, changes = accept(policy, note=note, budgets_only=budgets_only, anew=anew)
    if as_json:
        print_json({"entry": entry and entry.seq, "changes": list(changes)})
        return 0
    console = output()
    console.print("Nothing has changed." if entry is None else f"Accepted as ledger entry {entry.seq}.")
    for change in changes:
        console.print(f"  {change}", markup=False, soft_wrap=True)
    return 0


def verify_ledger(policy: Policy, as_json: Json = False, debug: Debug = False) -> int:  # noqa: ARG001
    """Recompute the chain and the spending from the entries alone, and compare with the anchor."""
    from hedgerow.ledger import verify

    report = verify(_path(policy))
    if as_json:
        print_json(report.to_dict())
    else:
        output().print(str(report), markup=False, soft_wrap=True)
    return 0 if report.sound else 1


def adopt(
    policy: Policy,
    note: Note = "",
    lost: Annotated[bool, typer.Option("--lost", help="Charges are lost for good: close every budget.")] = False,
    as_json: Json = False,
    debug: Debug = False,  # noqa: ARG001
) -> int:
    """Vouch for a ledger that was moved or restored, when no other copy of it is in use."""
    from hedgerow.ledger import Ledger

    entry = Ledger.adopt(_path(policy), note, lost=lost)
    if as_json:
        print_json({"entry": entry.seq, "kind": entry.kind})
    else:
        output().print(f"Adopted as ledger entry {entry.seq}." + (" Every budget is closed until it is raised." if lost else ""))
    return 0


def _path(policy: Path) -> Path:
    from hedgerow.policy import read_policy

    path = read_policy(policy).ledger_path
    if path is None:
        raise LedgerError("This policy keeps its ledger in memory.")
    return path
