"""Places for connections that have not shown who they are, so that a crowd of them keeps nobody
else out. All calls come from one event loop."""

from __future__ import annotations

import ipaddress
from collections import defaultdict
from collections.abc import Callable, Hashable

__all__ = ["ConnectionPlaces", "group_address"]


class ConnectionPlaces:
    """Places for connections, a number in all and for each address. Where they are taken, the
    connection that has waited longest gives way to the new one: an honest client needs its place
    for an instant, and a limit that refused newcomers would be the attacker's tool."""

    def __init__(self, in_all: int, per_address: int) -> None:
        self._in_all, self._per_address = in_all, per_address
        # Dictionaries keep the order of insertion: the first key has waited longest.
        self._taken: dict[Hashable, tuple[str, Callable[[], None]]] = {}
        self._by_address: defaultdict[str, dict[Hashable, None]] = defaultdict(dict)

    def __len__(self) -> int:
        return len(self._taken)

    def enter(self, connection: Hashable, address: str, close: Callable[[], None]) -> None:
        """Give a connection a place; ``close`` is called when it must give way."""
        self.leave(connection)
        group = group_address(address)
        self._taken[connection] = group, close
        self._by_address[group][connection] = None
        if len(self._by_address[group]) > self._per_address:
            self._close(next(iter(self._by_address[group])))
        elif len(self._taken) > self._in_all:
            self._close(next(iter(self._taken)))

    def leave(self, connection: Hashable) -> None:
        """Give the place of a connection back, if it has one."""
        group, _ = self._taken.pop(connection, ("", None))
        if group:
            self._by_address[group].pop(connection, None)
            if not self._by_address[group]:
                del self._by_address[group]

    def _close(self, connection: Hashable) -> None:
        _, close = self._taken[connection]
        self.leave(connection)
        close()


def group_address(address: str) -> str:
    """Return what counts as one address: whoever has an IPv6 address has a whole /64 of them."""
    try:
        parsed = ipaddress.ip_address(address.partition("%")[0])
    except ValueError:
        return address or "unknown"
    if parsed.version == 4:
        return str(parsed)
    if parsed.ipv4_mapped is not None:
        return str(parsed.ipv4_mapped)
    return str(ipaddress.ip_network((parsed, 64), strict=False))
