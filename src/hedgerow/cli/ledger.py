"""What the custodian does with a ledger: verify, adopt, back up, restore, begin after a loss."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

from hedgerow.cli.custodian import NoteOption, PolicyFile
from hedgerow.cli.terminal import DebugOption, JsonOption, make_output_console, print_json
from hedgerow.errors import LedgerError

if TYPE_CHECKING:
    from hedgerow.ledger import Entry
    from hedgerow.privacy.loss import Loss

__all__ = ["adopt_ledger", "backup_ledger", "begin_ledger", "restore_ledger", "verify_ledger"]

LostOption = Annotated[
    bool, typer.Option("--lost", help="Charges are lost for good: close every budget.")
]
SpentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--spent",
        metavar="NAME=EPSILON[,DELTA]",
        help="With --lost: what a population has spent at most, if not all of it.",
    ),
]


def verify_ledger(
    policy: PolicyFile, as_json: JsonOption = False, debug: DebugOption = False
) -> int:  # noqa: ARG001
    """Recompute the chain and the spending from the entries alone, and compare with the anchor."""
    from hedgerow.ledger import verify

    report = verify(_find_ledger_path(policy))
    if as_json:
        print_json(report.to_dict())
    else:
        make_output_console().print(str(report), markup=False, soft_wrap=True)
    return 0 if report.sound else 1


def adopt_ledger(
    policy: PolicyFile,
    note: NoteOption = "",
    lost: LostOption = False,
    spent: SpentOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Vouch for a ledger that was moved or restored, when no other copy of it is in use."""
    from hedgerow.ledger import Ledger

    declared = _parse_spent(spent, lost)
    entry = Ledger.adopt(_find_ledger_path(policy), note, lost=lost, spent=declared)
    return _report_entry(
        "Adopted", entry, as_json, _format_closed_budgets(policy, declared) if lost else ""
    )


def backup_ledger(
    policy: PolicyFile,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The new file.")],
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Copy the ledger to a new file, while others use it."""
    from hedgerow.ledger import backup

    last = backup(_find_ledger_path(policy), target)
    if as_json:
        print_json({"entry": last.seq, "hash": last.hash})
    else:
        make_output_console().print(
            f"Copied up to entry {last.seq}, {last.hash}. Keep this line elsewhere.",
            markup=False,
            soft_wrap=True,
        )
    return 0


def restore_ledger(
    policy: PolicyFile,
    copy: Annotated[Path, typer.Argument(metavar="COPY", help="A copy that 'ledger backup' made.")],
    note: NoteOption = "",
    lost: LostOption = False,
    spent: SpentOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Put a copy in the place of a ledger that is gone. One that is too old is refused, unless
    the loss is declared.
    """
    from hedgerow.ledger import restore

    declared = _parse_spent(spent, lost)
    entry = restore(copy, _find_ledger_path(policy), note, lost=lost, spent=declared)
    return _report_entry(
        "Restored", entry, as_json, _format_closed_budgets(policy, declared) if lost else ""
    )


def begin_ledger(
    policy: PolicyFile,
    note: NoteOption = "",
    lost: LostOption = False,
    spent: SpentOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Begin a ledger where one was lost and no copy is left: all that the policy grants counts
    as spent.
    """
    from fractions import Fraction

    from hedgerow.errors import InvalidArgument
    from hedgerow.ledger import begin_after_loss
    from hedgerow.policy import read_policy
    from hedgerow.privacy.loss import Loss

    if not lost:
        raise InvalidArgument(
            "--lost",
            "must be said: a ledger without a loss begins by itself, with the first question",
        )
    totals = {
        rule.population: Loss(rule.epsilon, Fraction(0) if rule.delta is None else rule.delta)
        for rule in read_policy(policy).budgets
    }
    declared = _parse_spent(spent, lost)
    return _report_entry(
        "Begun",
        begin_after_loss(_find_ledger_path(policy), note, totals, spent=declared),
        as_json,
        _format_closed_budgets(policy, declared),
    )


def _report_entry(word: str, entry: Entry, as_json: bool, more: str) -> int:
    if as_json:
        print_json({"entry": entry.seq, "kind": entry.kind})
    else:
        make_output_console().print(
            f"{word} as ledger entry {entry.seq}.{more}", markup=False, soft_wrap=True
        )
    return 0


def _format_closed_budgets(policy: Path, declared: dict[str, Loss] | None) -> str:
    """Which budgets a loss leaves closed: those that nobody spoke for."""
    from hedgerow.policy import read_policy

    if not declared:
        return " Every budget is closed until it is raised."
    rest = [
        rule.population for rule in read_policy(policy).budgets if rule.population not in declared
    ]
    return f" Closed until raised: {', '.join(rest)}." if rest else ""


def _parse_spent(spent: list[str] | None, lost: bool) -> dict[str, Loss] | None:
    """NAME=EPSILON or NAME=EPSILON,DELTA, each a decimal number."""
    from fractions import Fraction

    from hedgerow.errors import InvalidArgument
    from hedgerow.privacy.loss import Loss

    if spent and not lost:
        raise InvalidArgument("--spent", "is for a loss: say --lost as well", " ".join(spent))
    found: dict[str, Loss] = {}
    for text in spent or ():
        name, _, amounts = text.partition("=")
        try:
            epsilon, delta = (
                Fraction(number)
                for number in (amounts if "," in amounts else f"{amounts},0").split(",")
            )
            loss = Loss(epsilon, delta)
        except (ValueError, ZeroDivisionError, InvalidArgument):
            raise InvalidArgument(
                "--spent", "must be NAME=EPSILON or NAME=EPSILON,DELTA, such as patients=1.5", text
            ) from None
        if name in found:
            raise InvalidArgument("--spent", "must name each population once", text)
        found[name] = loss
    return found or None


def _find_ledger_path(policy: Path) -> Path:
    from hedgerow.policy import read_policy

    path = read_policy(policy).ledger_path
    if path is None:
        raise LedgerError("This policy keeps its ledger in memory.")
    return path
