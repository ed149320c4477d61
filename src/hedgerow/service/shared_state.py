"""The places of what the processes of a service share: on this host, or in the ledger's server."""

from __future__ import annotations

from collections.abc import Callable
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Protocol

from hedgerow.ledger.location import Location, ServerLocation
from hedgerow.policy import Policy
from hedgerow.service.single_flight import FlightLocks

__all__ = ["Flights", "build_flight_locks", "locate_accounts"]


class Flights(Protocol):
    """The locks of the questions that are being answered."""

    def enter(self, *keys: str, check: Callable[[], None]) -> AbstractContextManager[None]:
        """Hold the flights of questions; ``check`` may end the wait by an error."""
        ...


def build_flight_locks(place: Path | ServerLocation, *, wait: float) -> Flights:
    """Build the locks for all processes that share a ledger."""
    if isinstance(place, ServerLocation):
        from hedgerow.service.server_flights import ServerFlightLocks

        return ServerFlightLocks(place, wait=wait)
    return FlightLocks(place.with_name(place.name + ".flight-lock"), wait=wait)


def locate_accounts(policy: Policy) -> Location:
    """Return the place of the accounts of a policy: the server of its ledger, or a file beside the
    policy.
    """
    place = policy.ledger_place
    if isinstance(place, ServerLocation):
        return place
    return policy.folder / f"{policy.name}.accounts"
