"""The durable state of a client: its secret, and what it has paid.

One small file, written atomically and synced to disk before a report leaves. It holds

- the *secret*, 32 bytes from the operating system. Cohort and permanent noise are functions of it
  (``encoder.py``), so that the same value always gets the same noise without storing the noise;
- for each metric id the *tags* of memoised values: HMACs under the secret, not the values. Epochs
  and changed parameters count under the same id, because each draws permanent noise of its own;
- for each metric id the number of reports, where nothing is memoised.

Deleting the file creates a new client: a new secret, another cohort, new permanent noise, and a
payment count of zero. Reports before and after are independent, so the client has then paid its
lifetime loss twice. No file can prevent that; where storage is cleared often, collect less often or
at a smaller epsilon. An unreadable file is therefore refused and never replaced silently.
"""

from __future__ import annotations

import json
import os
import re
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from hedgerow.errors import BudgetExceeded, InvalidArgument, LedgerError
from hedgerow.ledger.durable_files import lock_folder, sync_to_disk
from hedgerow.numeric.bits import draw_words

__all__ = ["SECRET_BYTES", "ClientState"]

SECRET_BYTES = 32
_SECRET_PATTERN = re.compile(f"[0-9a-f]{{{2 * SECRET_BYTES}}}")
_VERSION = 1
_LOCK_SECONDS = 10.0  # how long to wait for another process that writes the same file


@dataclass(frozen=True)
class _StateDocument:
    secret: bytes
    tags: dict[str, list[str]] = field(default_factory=dict)
    reports: dict[str, int] = field(default_factory=dict)

    def count_payments(self, metric: str) -> int:
        return len(self.tags.get(metric, ())) + self.reports.get(metric, 0)

    def to_json(self) -> str:
        return json.dumps(
            {
                "version": _VERSION,
                "secret": self.secret.hex(),
                "tags": self.tags,
                "reports": self.reports,
            },
            sort_keys=True,
        )

    @classmethod
    def from_json(cls, text: str) -> _StateDocument:
        """Parse a state file as strictly as the JavaScript client does.

        Anything else raises ValueError, TypeError, KeyError or AttributeError.
        """
        held: dict[str, Any] = json.loads(text)
        secret, tags, reports = held["secret"], held["tags"], held["reports"]
        tags_valid = all(
            isinstance(metric, list) and all(isinstance(tag, str) for tag in metric)
            for metric in tags.values()
        )
        counts_valid = all(
            type(count) is int and 0 <= count < 1 << 53 for count in reports.values()
        )
        version_valid = (
            type(held["version"]) is int and held["version"] == _VERSION and len(held) == 4
        )
        valid = version_valid and tags_valid and counts_valid
        if not (valid and _SECRET_PATTERN.fullmatch(secret)):
            raise ValueError
        return cls(bytes.fromhex(secret), tags, reports)


class ClientState:
    """The state file of one client, created with a new secret if it does not exist."""

    def __init__(self, path: str | Path, secret: bytes | None = None) -> None:
        self.path = Path(path).resolve()
        if not self.path.parent.is_dir():
            raise LedgerError(
                f"The folder '{self.path.parent}' for the client's state file does not exist."
                " Create it first."
            )
        if secret is not None and (not isinstance(secret, bytes) or len(secret) != SECRET_BYTES):
            raise InvalidArgument("secret", f"must be {SECRET_BYTES} bytes")
        with lock_folder(self.path.parent, _LOCK_SECONDS):
            state = self._read()
            if state is None:
                state = _StateDocument(
                    draw_words(SECRET_BYTES // 8).tobytes() if secret is None else secret
                )
                self._write(state)
        if secret is not None and state.secret != secret:
            raise LedgerError(
                f"The client's state file '{self.path}' belongs to another secret. Pass that"
                " secret, or name another file."
            )
        self.secret = state.secret

    def count_payments(self, metric: str) -> int:
        """Count the payments for a metric: distinct memoised values, plus unmemoised reports."""
        return self._read_current().count_payments(metric)

    def charge(self, metric: str, tag: str | None, cap: int) -> int:
        """Pay for a new tag, or for one report if ``tag`` is None, and return what the cap leaves.

        The payment is durable on return. A tag that was paid before is free. Past the cap it raises
        BudgetExceeded and writes nothing.
        """
        with lock_folder(self.path.parent, _LOCK_SECONDS):
            state = self._read_current()
            known = state.tags.get(metric, [])
            if tag is not None and tag in known:
                return max(0, cap - state.count_payments(metric))
            if state.count_payments(metric) >= cap:
                raise BudgetExceeded(_format_cap_error(metric, tag is not None, cap))
            if tag is None:
                reports = state.reports | {metric: state.reports.get(metric, 0) + 1}
                state = _StateDocument(state.secret, state.tags, reports)
            else:
                state = _StateDocument(
                    state.secret, state.tags | {metric: [*known, tag]}, state.reports
                )
            self._write(state)
            return cap - state.count_payments(metric)

    def _read_current(self) -> _StateDocument:
        """Read the file again; refuse if it was deleted or replaced since it was opened.

        Otherwise the client would draw permanent noise that no file remembers.
        """
        state = self._read()
        if state is None or state.secret != self.secret:
            raise LedgerError(
                f"The client's state file '{self.path}' was deleted or replaced. Open it again to"
                " start as a new client."
            )
        return state

    def _read(self) -> _StateDocument | None:
        try:
            return _StateDocument.from_json(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise LedgerError(
                f"The client's state file '{self.path}' cannot be read. Restore it: deleting it"
                " creates a new client and costs one more lifetime epsilon."
            ) from None

    def _write(self, state: _StateDocument) -> None:
        draft = self.path.with_name(self.path.name + ".new")
        # Readable by its owner alone: the secret is enough to undo the permanent noise.
        held = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(held, "w", encoding="utf-8") as file:
            file.write(state.to_json())
        sync_to_disk(draft)
        os.replace(draft, self.path)
        sync_to_disk(self.path.parent)


def _format_cap_error(metric: str, memoised: bool, cap: int) -> str:
    if memoised:
        return (
            f"The metric '{metric}' has used its cap of {cap} distinct value{'s' * (cap != 1)} on"
            " this client, and this value is new. Report an earlier value again, or raise the cap:"
            " each further value costs one more lifetime epsilon."
        )
    return (
        f"The metric '{metric}' has used its cap of {cap} report{'s' * (cap != 1)} on this client."
        " Raise the cap, at one more epsilon for each report, or use a memoised protocol, whose"
        " repeated answers are free."
    )
