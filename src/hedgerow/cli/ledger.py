"""The commands ``hedgerow ledger …``: verify, adopt, back up, restore, move, begin after a loss."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction
from pathlib import Path
from typing import Annotated

import typer

from hedgerow.cli.options import DebugOption, JsonOption, NoteOption, PolicyFile
from hedgerow.cli.terminal import print_json, print_lines
from hedgerow.errors import InvalidArgument, LedgerError
from hedgerow.ledger import Entry, backup, begin_after_loss, restore, verify
from hedgerow.ledger.location import Location, ServerLocation
from hedgerow.ledger.recovery import find_store, move
from hedgerow.policy import Policy, read_policy
from hedgerow.privacy.loss import Loss

__all__ = [
    "adopt_ledger",
    "backup_ledger",
    "begin_ledger",
    "move_ledger",
    "restore_ledger",
    "verify_ledger",
]

LostOption = Annotated[
    bool,
    typer.Option("--lost", help="Charges are lost for good: count every budget as spent."),
]
SpentOption = Annotated[
    list[str] | None,
    typer.Option(
        "--spent",
        metavar="NAME=EPSILON[,DELTA]",
        help="With --lost: the most that a population can have spent, if less than its budget.",
    ),
]


def verify_ledger(
    policy: PolicyFile,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Check the ledger for tampering.

    Recomputes the hash chain and the spending from the entries alone, and compares them with the
    anchor file. The exit status is 1 if something is wrong.
    """
    report = verify(_find_ledger(policy))
    if as_json:
        print_json(report.to_dict())
    else:
        print_lines([str(report)])
    return 0 if report.sound else 1


def adopt_ledger(
    policy: PolicyFile,
    note: NoteOption = "",
    lost: LostOption = False,
    spent: SpentOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Accept a ledger that was moved or copied back.

    Use it only when no other copy of this ledger is in use.
    """
    declared = _parse_spent(spent, lost)
    place = _find_ledger(policy)
    entry = find_store(place).adopt(place, note, lost=lost, spent=declared)
    closed = _format_closed_budgets(policy, declared) if lost else ""
    if isinstance(place, ServerLocation):
        closed += (
            " Copy the anchor of this host to all others. If one of theirs names a later entry than"
            f" {entry.seq - 1}, stop: charges are missing, and that anchor must be adopted."
        )
    return _report_entry("Adopted", entry, as_json, closed)


def backup_ledger(
    policy: PolicyFile,
    target: Annotated[Path, typer.Argument(metavar="TARGET", help="The new file.")],
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Copy the ledger to a new file.

    Works while others are asking questions.
    """
    last = backup(_find_ledger(policy), target)
    if as_json:
        print_json({"entry": last.seq, "hash": last.hash})
    else:
        print_lines(
            [
                f"Copied up to entry {last.seq}, {last.hash}. Keep this line in another place:"
                " it proves later that the copy is complete."
            ]
        )
    return 0


def restore_ledger(
    policy: PolicyFile,
    copy: Annotated[
        Path, typer.Argument(metavar="COPY", help="A copy made by 'hedgerow ledger backup'.")
    ],
    note: NoteOption = "",
    lost: LostOption = False,
    spent: SpentOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Replace a missing ledger with a backup.

    A backup that lacks later charges is refused; with --lost it is accepted and the budgets are
    closed.
    """
    declared = _parse_spent(spent, lost)
    entry = restore(copy, _find_ledger(policy), note, lost=lost, spent=declared)
    closed = _format_closed_budgets(policy, declared) if lost else ""
    return _report_entry("Restored", entry, as_json, closed)


def move_ledger(
    policy: PolicyFile,
    new: Annotated[
        str,
        typer.Argument(
            metavar="NEW",
            help="What to write as ledger in the policy: a new file, or"
            " an address such as postgresql://role@host/database.",
        ),
    ],
    note: NoteOption = "",
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Move the ledger to another file or server.

    The old ledger is closed first and names its successor, so that at no moment both accept a
    charge. Budgets, quotas, stored answers and the accounts of a service go on. If the move is
    interrupted, run the same command again; then write the new place into the policy.
    """
    current = read_policy(policy)
    successor = replace(current, ledger=new)
    target = successor.ledger_place
    assert target is not None
    entry = move(_find_ledger(policy), target, note)
    accounts = _transfer_accounts(current, successor)
    if as_json:
        print_json({"entry": entry.seq, "kind": entry.kind, "ledger": new, "accounts": accounts})
    else:
        print_lines(
            [
                f"Moved as ledger entry {entry.seq}. The old ledger is closed. Write this in the"
                " policy, under [database]:",
                f'  ledger = "{new}"',
            ]
        )
    return 0


def begin_ledger(
    policy: PolicyFile,
    note: NoteOption = "",
    lost: LostOption = False,
    spent: SpentOption = None,
    as_json: JsonOption = False,
    debug: DebugOption = False,  # noqa: ARG001
) -> int:
    """Start a new ledger after the old one and its backups were lost.

    The whole budget of the policy counts as spent, because nobody knows what was charged. Needs
    --lost. A first ledger needs no command: the first question creates it.
    """
    if not lost:
        raise InvalidArgument(
            "--lost",
            "must be given to begin a ledger after a loss. A first ledger needs no command: the"
            " first question creates it",
        )
    totals = {
        rule.population: Loss(rule.epsilon, Fraction(0) if rule.delta is None else rule.delta)
        for rule in read_policy(policy).budgets
    }
    declared = _parse_spent(spent, lost)
    entry = begin_after_loss(_find_ledger(policy), note, totals, spent=declared)
    return _report_entry("Begun", entry, as_json, _format_closed_budgets(policy, declared))


def _report_entry(verb: str, entry: Entry, as_json: bool, closed: str) -> int:
    if as_json:
        print_json({"entry": entry.seq, "kind": entry.kind})
    else:
        print_lines([f"{verb} as ledger entry {entry.seq}.{closed}"])
    return 0


def _format_closed_budgets(policy: Path, declared: dict[str, Loss] | None) -> str:
    """Return the sentence that names the budgets a loss has closed: all that --spent leaves out."""
    if not declared:
        return " Every budget is closed until it is raised."
    rest = [
        rule.population for rule in read_policy(policy).budgets if rule.population not in declared
    ]
    return f" Closed until raised: {', '.join(rest)}." if rest else ""


def _parse_spent(spent: list[str] | None, lost: bool) -> dict[str, Loss] | None:
    """Return the loss of each population, from NAME=EPSILON or NAME=EPSILON,DELTA."""
    if spent and not lost:
        raise InvalidArgument("--spent", "needs --lost as well", " ".join(spent))
    losses: dict[str, Loss] = {}
    for text in spent or ():
        name, _, amounts = text.partition("=")
        epsilon, comma, delta = amounts.partition(",")
        try:
            loss = Loss(Fraction(epsilon), Fraction(delta) if comma else Fraction(0))
        except (ValueError, ZeroDivisionError, InvalidArgument):
            raise InvalidArgument(
                "--spent", "must be NAME=EPSILON or NAME=EPSILON,DELTA, such as patients=1.5", text
            ) from None
        if name in losses:
            raise InvalidArgument("--spent", "must name each population once", text)
        losses[name] = loss
    return losses or None


def _transfer_accounts(current: Policy, successor: Policy) -> int:
    """Copy the accounts of the service, if their place changes with the ledger."""
    from hedgerow.service.shared_state import locate_accounts

    old, new = locate_accounts(current), locate_accounts(successor)
    if old == new:
        return 0
    from hedgerow.service.accounts.account_transfer import transfer_accounts

    return transfer_accounts(old, new)


def _find_ledger(policy: Path) -> Location:
    place = read_policy(policy).ledger_place
    if place is None:
        raise LedgerError(
            "This policy keeps its ledger in memory, so there is no file to work on. Name a file"
            ' with ledger = "…" under [database].'
        )
    return place
