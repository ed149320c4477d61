"""The ledger of a policy: found, created or copied; a second one for the same data is refused."""

from __future__ import annotations

import os
from contextlib import suppress
from pathlib import Path

from hedgerow.errors import LedgerError, Refused
from hedgerow.ledger import MemoryLedger
from hedgerow.ledger.anchor import Anchor
from hedgerow.ledger.interface import LedgerBase
from hedgerow.ledger.location import ServerLocation, resolve_ledger_path
from hedgerow.ledger.memory import LedgerCopy
from hedgerow.ledger.recovery import find_store, list_sources
from hedgerow.policy import Policy, TableRule
from hedgerow.policy.from_frame import FRAME_SOURCE
from hedgerow.policy.server_sources import is_server

__all__ = ["copy_ledger", "has_ledger", "is_same_file", "name_ledger", "open_ledger"]


def open_ledger(policy: Policy, *, knowingly: bool = False) -> LedgerBase:
    """Open or create the ledger of a policy. A second ledger for the same data would be a new
    budget: it is created only ``knowingly``."""
    place = policy.ledger_place
    if place is None:
        return MemoryLedger()
    if not knowingly and not has_ledger(policy):
        _refuse_second_ledger(policy)
    return find_store(place).open(place, create=True)


def copy_ledger(policy: Policy) -> LedgerBase:
    """Copy the ledger of a policy, or the one that would be created."""
    place = policy.ledger_place
    assert place is not None  # only a frame may have none
    if not has_ledger(policy):
        _refuse_second_ledger(policy)
        if isinstance(place, ServerLocation):
            _check_empty_server(place)
        return LedgerCopy(MemoryLedger().entries())
    with find_store(place).open(place, create=False) as held:
        return LedgerCopy(held.entries())


def _check_empty_server(place: ServerLocation) -> None:
    """Refuse a server that may lose charges, and one that has a ledger without its anchor here."""
    stored, _ = find_store(place).inspect(place)
    if list(stored):
        raise LedgerError(
            f"{place.name} has a ledger, and its anchor '{Anchor.path_for(place.path).name}' is not"
            " beside the policy. Copy it from the host that made the ledger."
        )


def has_ledger(policy: Policy) -> bool:
    """Return whether there is, or was, a ledger; one in a server has its anchor here."""
    path = policy.ledger_path
    return path is not None and (path.exists() or Anchor.path_for(path).exists())


def name_ledger(policy: Policy) -> str:
    """Return the name by which a ledger knows its place."""
    place = policy.ledger_place
    assert place is not None
    return place.name if isinstance(place, ServerLocation) else str(resolve_ledger_path(place))


def _refuse_second_ledger(policy: Policy) -> None:
    """Refuse a new ledger if another one for the same data lies beside it, the policy or the
    data."""
    assert policy.ledger_path is not None
    path = resolve_ledger_path(policy.ledger_path)
    places = [Path(name) for table in policy.tables for name in _list_source_names(policy, table)]
    folders = {
        folder.resolve()
        for folder in (path.parent, policy.folder, *(place.parent for place in places))
        if folder.is_dir()
    }
    for other in sorted(anchor for folder in folders for anchor in folder.glob("*.anchor")):
        _check_other_ledger(policy, other.with_suffix(""))


def _list_source_names(policy: Policy, table: TableRule) -> list[str]:
    """List the declared path of a protected table's file, and its real path; or the name of a
    table of a server."""
    if not table.population or table.source == FRAME_SOURCE:
        return []
    declared = [] if is_server(policy.engine) else [str(policy.source_path(table))]
    return [*declared, policy.identify_source(table)]


def _check_other_ledger(policy: Policy, other: Path) -> None:
    """Refuse a ledger that already holds the budget of a file of this policy; it is read without
    its lock, and nothing is written."""
    known = list_sources(other)
    mine = [name for table in policy.tables for name in _list_source_names(policy, table)]
    shared = sorted(old for old in known if any(is_same_file(old, new) for new in mine))
    if shared:
        raise Refused(
            f"{other.name} already holds the budget of {Path(shared[0]).name}, and a second ledger"
            f" would be a second budget. {_advise_use(policy, other)}; or create another ledger on"
            " purpose with 'hedgerow policy accept'."
        )


def _advise_use(policy: Policy, other: Path) -> str:
    anchor = None
    with suppress(LedgerError):  # of one that is broken
        anchor = Anchor.read(other)
    if anchor is not None and "place" in anchor.identity:
        return f"Write the address of {anchor.identity['place']} as ledger in the policy"
    return f'Write ledger = "{os.path.relpath(other, policy.folder)}" in the policy'


def is_same_file(first: str, second: str) -> bool:
    """Return whether two paths name the same file, also through a hard link."""
    try:
        return first == second or os.path.samefile(first, second)
    except OSError:
        return False
