"""The policy file beside the policy that rules, and its acceptance by a custodian."""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

from hedgerow.database.open_database import accept_policy
from hedgerow.errors import InvalidArgument, Refused
from hedgerow.ledger.interface import LedgerBase
from hedgerow.policy import Policy, list_loosenings, read_policy
from hedgerow.policy.diff import list_tightenings

__all__ = ["PolicyChange", "accept_policy_file", "compare_policy_file"]


@dataclass(frozen=True, slots=True)
class PolicyChange:
    """The policy file beside the policy that rules; ``mistakes`` if it cannot be read."""

    text: str
    digest: str
    is_changed: bool
    loosenings: tuple[str, ...] = ()
    other_changes: tuple[str, ...] = ()
    mistakes: str = ""
    ruling: Policy | None = None
    written: Policy | None = None


def compare_policy_file(file: Path, ledger: LedgerBase) -> PolicyChange:
    """Compare a policy file with the policy that rules."""
    text = file.read_text(encoding="utf-8")
    ruling = Policy.from_canonical(str((ledger.state.policy or {})["text"]))
    try:
        written = read_policy(file)
    except InvalidArgument as error:
        return PolicyChange(text, "", True, mistakes=str(error))
    return PolicyChange(
        text,
        written.digest,
        written.digest != ledger.policy_digest,
        list_loosenings(ruling, written),
        list_tightenings(ruling, written),
        ruling=ruling,
        written=written,
    )


def accept_policy_file(file: Path, digest: str, by: str, note: str) -> None:
    """Accept a policy file, if it still is the one with this digest."""
    if read_policy(file).digest != digest:
        raise Refused("The policy file has changed since the page was opened. Open the page again.")
    reason = f": {note}" if note else ""
    accept_policy(file, note=f"accepted by {by}{reason}")
