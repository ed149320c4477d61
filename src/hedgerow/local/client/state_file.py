"""What a client must not forget: its secret, and how often it has paid.

One small file, written whole or not at all and on disk before a report leaves. It holds

- the *secret*, 32 bytes of the operating system. Cohort and permanent noise are functions of it
  (``reference.py``), so that the same value meets the same noise for ever, without the noise being
  stored;
- for each metric id the *tags* of the values that were memoised: HMACs under the secret, no values.
  Epochs and changed parameters count under the same id, because each of them draws permanent noise
  of its own;
- for each metric id how many reports were made where nothing is memoised.

Deleted storage is a new client: a new secret, another cohort, new permanent noise, and a count that
starts at nothing. Reports before and after are independent, so that the person has then paid a
lifetime loss twice. No file can prevent that; whoever clears storage often should collect less
often, or at a smaller epsilon. A file that cannot be read is therefore refused and never replaced
silently.
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

SECRET_BYTES = 32  # bytes
_SECRET_PATTERN = re.compile(f"[0-9a-f]{{{2 * SECRET_BYTES}}}")
_VERSION = 1
_LOCK_SECONDS = 10.0  # seconds for another process that writes the same file


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
        """Strict, as the JavaScript client is: a file that is not exactly this raises
        ValueError, TypeError, KeyError or AttributeError.
        """
        held: dict[str, Any] = json.loads(text)
        secret, tags, reports = held["secret"], held["tags"], held["reports"]
        listed = all(
            isinstance(metric, list) and all(isinstance(tag, str) for tag in metric)
            for metric in tags.values()
        )
        counted = all(type(count) is int and 0 <= count < 1 << 53 for count in reports.values())
        told = type(held["version"]) is int and held["version"] == _VERSION and len(held) == 4
        if not (told and listed and counted and _SECRET_PATTERN.fullmatch(secret)):
            raise ValueError
        return cls(bytes.fromhex(secret), tags, reports)


class ClientState:
    """The durable memory of one client, in one file; made with a new secret where there is none."""

    def __init__(self, path: str | Path, secret: bytes | None = None) -> None:
        self.path = Path(path).resolve()
        if not self.path.parent.is_dir():
            raise LedgerError(
                f"The folder '{self.path.parent}' for the client's memory does not exist. Make it"
                " first."
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
                f"The client's memory '{self.path}' belongs to another secret. Give that one, or"
                " name another file."
            )
        self.secret = state.secret

    def count_payments(self, metric: str) -> int:
        """How often ``metric`` was paid for: different memoised values, and reports of which
        nothing is memoised.
        """
        return self._read_current().count_payments(metric)

    def charge(self, metric: str, tag: str | None, cap: int) -> int:
        """Pay once more, unless ``tag`` was paid for before; durable on return. ``tag`` None pays
        for one report. Says what is left.

        BudgetExceeded past the cap: nothing was written.
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
        """What is on disk now. The file may have gone since it was opened: going on would draw
        noise that nobody remembers.
        """
        state = self._read()
        if state is None or state.secret != self.secret:
            raise LedgerError(
                f"The client's memory '{self.path}' was deleted or replaced meanwhile. Open it anew"
                " to become a new client."
            )
        return state

    def _read(self) -> _StateDocument | None:
        try:
            return _StateDocument.from_json(self.path.read_text(encoding="utf-8"))
        except FileNotFoundError:
            return None
        except (OSError, ValueError, TypeError, KeyError, AttributeError):
            raise LedgerError(
                f"The client's memory '{self.path}' cannot be read. Restore it; deleting it makes a"
                " new client, which costs the person one more lifetime loss."
            ) from None

    def _write(self, state: _StateDocument) -> None:
        draft = self.path.with_name(self.path.name + ".new")
        # Readable by its owner alone: who has the secret can undo the permanent noise.
        held = os.open(draft, os.O_WRONLY | os.O_CREAT | os.O_TRUNC | os.O_CLOEXEC, 0o600)
        with os.fdopen(held, "w", encoding="utf-8") as file:
            file.write(state.to_json())
        sync_to_disk(draft)
        os.replace(draft, self.path)
        sync_to_disk(self.path.parent)


def _format_cap_error(metric: str, memoised: bool, cap: int) -> str:
    if memoised:
        return (
            f"The metric '{metric}' has used its cap of {cap} different value{'s' * (cap != 1)} on"
            " this client, and this value is new. A value reported before can be reported again; a"
            " larger cap costs one more lifetime loss for each value."
        )
    return (
        f"The metric '{metric}' has used its cap of {cap} report{'s' * (cap != 1)} on this client."
        " A larger cap costs one more epsilon for each report; a memoised protocol answers repeats"
        " for free."
    )
