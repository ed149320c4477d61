"""The settings of a session: those of Hedgerow, and those that clients set out of habit."""

from __future__ import annotations

from decimal import Decimal
from typing import Final

from hedgerow.errors import InvalidArgument
from hedgerow.service.number_text import parse_number_text

__all__ = ["USUAL_SETTINGS", "SessionSettings"]

_PREFIX: Final = "hedgerow."
USUAL_SETTINGS: Final = {
    "transaction_isolation": "read committed",
    "transaction_read_only": "on",
    "default_transaction_read_only": "on",
    "default_transaction_isolation": "read committed",
    "standard_conforming_strings": "on",
    "server_version": "15.0",
    "server_version_num": "150000",
    "server_encoding": "UTF8",
    "client_encoding": "UTF8",
    "timezone": "UTC",
    "time_zone": "UTC",
    "datestyle": "ISO, MDY",
    "intervalstyle": "postgres",
    "search_path": "public",
    "max_identifier_length": "63",
    "integer_datetimes": "on",
    "bytea_output": "hex",
    "lc_collate": "C",
    "lc_ctype": "C",
    "extra_float_digits": "1",
    "statement_timeout": "0",
    "application_name": "",
    "client_min_messages": "notice",
    "default_table_access_method": "heap",
    "default_tablespace": "",
    "escape_string_warning": "on",
    "idle_in_transaction_session_timeout": "0",
    "is_superuser": "off",
    "jit": "off",
    "lc_messages": "C",
    "lc_monetary": "C",
    "lc_numeric": "C",
    "lc_time": "C",
    "lock_timeout": "0",
    "max_connections": "100",
    "max_index_keys": "32",
    "role": "none",
    "row_security": "on",
    "ssl": "off",
    "synchronous_commit": "on",
    "wal_level": "replica",
}
_OWN_SETTINGS: Final = {
    "hedgerow.epsilon": "",
    "hedgerow.delta": "",
    "hedgerow.intervals": "off",
}


class SessionSettings:
    """Settings by name; the three of Hedgerow are checked, all others are kept as they are."""

    def __init__(self) -> None:
        self._changed: dict[str, str] = {}
        self._before: dict[str, str] | None = None  # the transaction that runs
        self._local: set[str] = set()

    @property
    def epsilon(self) -> Decimal | None:
        """The price of every further question; None leaves it to OPTIONS or the policy."""
        return self._read_number("epsilon")

    @property
    def delta(self) -> Decimal | None:
        """The delta of every further question."""
        return self._read_number("delta")

    @property
    def intervals(self) -> bool:
        """True if the ends of intervals come as further columns."""
        return self._changed.get(_PREFIX + "intervals") == "on"

    def begin(self) -> None:
        """Begin a transaction, which may take changes back."""
        self._before, self._local = dict(self._changed), set()

    def end(self, *, keeps: bool) -> None:
        """End the transaction, if there is one; what was set for it alone ends in any case."""
        before = self._before
        if before is None:
            return
        ended = self._local if keeps else {*self._changed, *before}
        for name in ended:
            self._changed.pop(name, None)
            if name in before:
                self._changed[name] = before[name]
        self._before = None

    def change(self, name: str, text: str, *, is_local: bool = False) -> None:
        """Set a setting, perhaps for this transaction alone."""
        (self._local.add if is_local else self._local.discard)(name)
        value = text[1:-1].replace("''", "'") if text[:1] == text[-1:] == "'" else text
        if value.upper() == "DEFAULT":
            self.reset(name)
            return
        if name.startswith(_PREFIX):
            value = _check_own(name, value)
        self._changed[name] = value

    def reset(self, name: str) -> None:
        """Give a setting, or all of them, their first values."""
        if name == "all":
            self._changed.clear()
        self._changed.pop(name, None)

    def read(self, name: str) -> str:
        """Return a setting as text."""
        return self._changed.get(name, USUAL_SETTINGS.get(name, ""))

    def list(self) -> dict[str, str]:
        """Return all settings by name, in order."""
        return dict(sorted((USUAL_SETTINGS | self._changed).items()))

    def find(self, name: str) -> str | None:
        """Return a setting as text; None if there is none of its name."""
        return self._changed.get(name, USUAL_SETTINGS.get(name, _OWN_SETTINGS.get(name)))

    def _read_number(self, name: str) -> Decimal | None:
        text = self._changed.get(_PREFIX + name)
        return None if text is None else Decimal(text)


def _check_own(name: str, value: str) -> str:
    own = name.removeprefix(_PREFIX)
    if own in ("epsilon", "delta"):
        number = parse_number_text(value, name)
        if number <= 0:
            raise InvalidArgument(name, "must be above 0", value[:60])
        return str(number)
    if own == "intervals":
        if value.lower() not in ("on", "off", "true", "false", "1", "0"):
            raise InvalidArgument(name, "must be on or off", value[:60])
        return "on" if value.lower() in ("on", "true", "1") else "off"
    raise InvalidArgument(
        name, "is not a setting: use hedgerow.epsilon, hedgerow.delta or hedgerow.intervals"
    )
